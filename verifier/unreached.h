// Outputs that are too large for what a program stores, at shapes that no machine holds: a grid or
// a loop that ends at a constant leaves elements out only where a size goes beyond it.
#pragma once

#include "compiler/diag/diagnostic.h"
#include "compiler/ir/program.h"
#include "verifier/analysis.h"
#include "verifier/instances.h"

namespace verifier {

// An error for each `out` that has an element which no store can reach, or more elements than all
// threads store, at one of the largest shapes that the guard admits.
compiler::diag::Report UnreachedOutputs(const ir::Program& program,
                                        const compiler::facts::Facts& facts,
                                        const std::vector<KernelAnalysis>& kernels,
                                        const Selection& selection);

}  // namespace verifier
