// Wrappers of atomics and reductions of 16-bit floats and of several neighbours, made on demand.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace compiler::device {

// "global_red_add_bf16x8_relaxed_gpu", "shared_atomic_add_f16_acq_rel_cta": space, `red` or
// `atomic`, operation, element type with the number of neighbours, order, scope. `needs`: the parts
// it uses. Empty for other names.
std::string VectorAtomicPart(std::string_view name, std::vector<std::string>& needs);

}  // namespace compiler::device
