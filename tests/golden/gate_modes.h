// The modes that run a whole candidate through the pipeline's gates.
#pragma once

#include "tests/golden/modes.h"

namespace golden {

// What `cake check` prints of the default member: diagnostics, then a line a property.
Outcome Gates(const std::string& file, const std::string& source);
// The same where every row of the proxies takes the careful reading.
Outcome GatesStrict(const std::string& file, const std::string& source);
// The source after the MACHINE fixes of its gates, then what they say of that.
Outcome GatesFix(const std::string& file, const std::string& source);
// What `cake explain --map` prints of the default member, then its JSON.
Outcome Map(const std::string& file, const std::string& source);
// The same without JSON of a program of the corpus, which the second line names: `// of: PATH`.
Outcome MapOfProgram(const std::string& file, const std::string& source);

}  // namespace golden
