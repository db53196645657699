// Tensor maps of one launch: the numbers of its shapes put into what the program derives.
#pragma once

#include "absl/status/status.h"
#include "compiler/facts/launch.h"

namespace compiler::facts {

constexpr int kTensorMapBytes = 128;

// Fills plan.tensor_maps from plan.tensors and plan.kernels. FailedPrecondition where a map that a
// launched kernel uses cannot be made, naming the tensor, its dimension and both numbers.
absl::Status PlanTensorMaps(const ir::Program& program, const Facts& facts, LaunchPlan& plan);

}  // namespace compiler::facts
