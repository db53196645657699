// Outputs of the caller that a whole run leaves as they were.
#pragma once

#include <string>
#include <vector>

#include "compiler/diag/diagnostic.h"
#include "compiler/ir/program.h"
#include "compiler/machine/machine.h"
#include "verifier/instances.h"

namespace verifier {

// An error for each `out` of which the run, which ended well, has left an element out; at the
// store of the tensor where there is but one. A warning where there is none.
compiler::diag::Report UnwrittenOutputs(const compiler::ir::Program& program, const Shape& shape,
                                        const compiler::machine::Result& result);

// The same error for one element of an output.
void AddUnwritten(const compiler::ir::Program& program, size_t tensor,
                  const std::vector<int64_t>& element, const std::string& shape,
                  compiler::diag::Report& report);

}  // namespace verifier
