// Warp-wide products of integers, one instruction a function.
#pragma once

#include <string>
#include <string_view>

namespace compiler::device {

// The part `name`, as in "mma_m16n8k32_s32_s8_u8_sat" or "mma_m8n8k128_s32_b1_b1_xor"; empty where
// the name is none of them. PTX ISA, mma: `.satfinite`, `.and.popc` and `.xor.popc`.
std::string IntegerMmaPart(std::string_view name);

}  // namespace compiler::device
