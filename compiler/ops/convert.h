// Conversions between the number types, bit-exact with the hardware's.
#pragma once

#include <bit>
#include <cstdint>

#include "compiler/ir/types.h"

namespace compiler::ops {

enum class Rounding : uint8_t { kNearestEven, kTowardsZero, kDown, kUp, kNearestAway };

// Register bits of any unpacked float type to f32; exact.
float WidenSmall(uint64_t bits, ir::DType dtype);  // of types that f32 does not begin with
inline float Widen(uint64_t bits, ir::DType dtype) {
  if (dtype == ir::DType::kF32 || dtype == ir::DType::kTF32) {
    return std::bit_cast<float>(static_cast<uint32_t>(bits));
  }
  if (dtype == ir::DType::kBF16) return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16);
  return WidenSmall(bits, dtype);
}

// f32 to the register bits of a float type other than f32. `saturate`: the largest finite value
// instead of infinity, as 8-bit floats always do. NaN gives the one of the hardware, all ones below
// the sign (PTX ISA, cvt).
uint32_t Narrow(float x, ir::DType dtype, Rounding rounding, bool saturate);

// The double nearest to the exact a*b + c, rounded to odd: rounding it once more to a type of at
// most 24 bits gives what one rounding of the exact value gives. a and b have at most 24 bits.
double FusedToOdd(double a, double b, double c);

}  // namespace compiler::ops
