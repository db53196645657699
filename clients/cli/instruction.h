// `cake explain NAME`: the manual page of an instruction, from its entry in the table.
#pragma once

#include <string>

namespace clients::cli {

// Whether `word` can only mean an instruction: no file of this name, and not the look of a path.
bool MeansInstruction(const std::string& word);

// Prints the page of `word` ("lanes.sum", "cvt.bf16", "+"). InvalidArgument in words and exit code
// 2 if the table has no such name.
int ExplainInstruction(const std::string& word, bool json);

}  // namespace clients::cli
