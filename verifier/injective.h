// Whether the strides of a tensor keep its elements apart: only then are different indices
// different addresses.
#pragma once

#include <optional>
#include <string>

#include "verifier/analysis.h"

namespace verifier {

// Nothing: two in-bounds elements of the tensor never share an address, whatever the guard admits.
// Otherwise the conditions on its strides that would make it so, as a `where` says them; "" when no
// condition can.
std::optional<std::string> MissingStrideGuard(const ir::Program& program, KernelAnalysis& analysis,
                                              size_t tensor);

}  // namespace verifier
