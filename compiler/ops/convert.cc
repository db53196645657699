#include "compiler/ops/convert.h"

#include <bit>
#include <cmath>

namespace compiler::ops {
namespace {

using ir::DType;

constexpr uint32_t kF32Infinity = 0x7f800000;
constexpr uint16_t kHalfNan = 0x7fff;

// q = value >> shift, rounded.
uint32_t ShiftRounded(uint32_t value, int shift, Rounding rounding) {
  const uint32_t q = value >> shift;
  if (rounding == Rounding::kTowardsZero || shift == 0) return q;
  const uint32_t rest = value & ((uint32_t{1} << shift) - 1);
  const uint32_t half = uint32_t{1} << (shift - 1);
  return q + (rest > half || (rest == half && (q & 1) != 0) ? 1 : 0);
}

// `magnitude`: bits of a finite |x|. The rounding may carry into the exponent, up to infinity.
uint32_t NarrowToF16(uint32_t magnitude, Rounding rounding) {
  constexpr uint32_t kSmallestNormal = 0x38800000;  // 2^-14
  constexpr uint32_t kRebias = (127 - 15) << 23;
  constexpr uint32_t kTooLarge = 0x47800000;  // 2^16
  constexpr uint32_t kF16Infinity = 0x7c00;
  if (magnitude >= kTooLarge) {
    return rounding == Rounding::kTowardsZero ? kF16Infinity - 1 : kF16Infinity;
  }
  if (magnitude >= kSmallestNormal) return ShiftRounded(magnitude - kRebias, 13, rounding);
  const int exponent = static_cast<int>(magnitude >> 23);
  constexpr int kBelowHalfOfSmallest = 101;  // exponents under it are less than 2^-25
  if (exponent < kBelowHalfOfSmallest) return 0;
  const uint32_t mantissa = (magnitude & 0x7fffff) | 0x800000;
  return ShiftRounded(mantissa, 126 - exponent, rounding);  // in units of 2^-24
}

uint32_t NarrowToBF16(uint32_t magnitude, Rounding rounding) {
  return ShiftRounded(magnitude, 16, rounding);
}

}  // namespace

float WidenHalf(uint64_t bits, DType dtype) {
  const auto half = static_cast<uint32_t>(bits & 0xffff);
  if (dtype == DType::kBF16) return std::bit_cast<float>(half << 16);
  const float sign = (half & 0x8000) != 0 ? -1.0f : 1.0f;
  const int exponent = static_cast<int>((half >> 10) & 0x1f);
  const uint32_t mantissa = half & 0x3ff;
  if (exponent == 0x1f) {
    constexpr uint32_t kNan = 0x7fffffff;
    return std::bit_cast<float>(mantissa != 0 ? kNan : ((half & 0x8000) << 16) | kF32Infinity);
  }
  if (exponent == 0) return sign * std::ldexp(static_cast<float>(mantissa), -24);
  return sign * std::ldexp(static_cast<float>(mantissa | 0x400), exponent - 25);
}

uint16_t NarrowHalf(float x, DType dtype, Rounding rounding, bool saturate) {
  if (std::isnan(x)) return kHalfNan;
  const uint32_t bits = std::bit_cast<uint32_t>(x);
  const auto sign = static_cast<uint16_t>((bits >> 16) & 0x8000);
  const uint32_t magnitude = bits & 0x7fffffff;
  const uint32_t infinity = dtype == DType::kF16 ? 0x7c00 : 0x7f80;
  uint32_t narrow = infinity;
  if (magnitude != kF32Infinity) {
    narrow =
        dtype == DType::kF16 ? NarrowToF16(magnitude, rounding) : NarrowToBF16(magnitude, rounding);
  }
  if (saturate && narrow == infinity) narrow = infinity - 1;
  return static_cast<uint16_t>(sign | narrow);
}

}  // namespace compiler::ops
