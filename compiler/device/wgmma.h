// Wrappers of wgmma.mma_async, made on demand.
#pragma once

#include <string>
#include <string_view>

namespace compiler::device {

// "wgmma_m64n128k16_f32_bf16_bf16": types of accumulator, left and right operand; then `_ra` for a
// left operand in registers, `_ta` and `_tb` for operands whose K is not contiguous. Empty for
// other names.
std::string WgmmaPart(std::string_view name);

}  // namespace compiler::device
