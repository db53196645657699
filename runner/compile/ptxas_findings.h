// What ptxas says about products of warpgroups and register budgets, as findings at places of the
// program. They are notes to it: the kernel is right, and may be several times slower than it says.
#pragma once

#include <string_view>

#include "compiler/diag/diagnostic.h"

namespace runner::compile {

// Notes (C75xx) of the log. A line of the PTX that a note names is mapped to the statement whose
// `// @span` stands before it; where ptxas names only the function, so does the finding.
void AddPtxasFindings(std::string_view log, std::string_view ptx, compiler::diag::Report& report);

}  // namespace runner::compile
