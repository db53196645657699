// Conversions between the number types, bit-exact with the hardware's.
#pragma once

#include <cstdint>

#include "compiler/ir/types.h"

namespace compiler::ops {

enum class Rounding : uint8_t { kNearestEven, kTowardsZero };

// f16 or bf16 bits to f32; exact.
float WidenHalf(uint64_t bits, ir::DType dtype);

// f32 to f16 or bf16 bits. `saturate`: the largest finite value instead of infinity. NaN gives the
// hardware's NaN, 0x7fff (PTX ISA, cvt).
uint16_t NarrowHalf(float x, ir::DType dtype, Rounding rounding, bool saturate);

}  // namespace compiler::ops
