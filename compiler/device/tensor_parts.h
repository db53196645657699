// Device functions of tensor memory that differ in a number only.
#pragma once

#include <string>
#include <string_view>

namespace compiler::device {

// The function of this name, in namespace cake: "tmem_ld_32x32b_x8_f32", "tmem_st_16x256b_x4_b32",
// "umma_f16_ss", "umma_tf32_ts", "tmem_tile2_b6"; "" where the name is none of them.
std::string TensorPart(std::string_view name);

}  // namespace compiler::device
