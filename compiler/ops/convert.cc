#include "compiler/ops/convert.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace compiler::ops {
namespace {

using ir::DType;

constexpr uint32_t kF32Infinity = 0x7f800000;
constexpr int kF32MantissaBits = 23;
constexpr int kF32Bias = 127;

// A float type as sign, exponent and mantissa, from the top of `width` bits.
struct Format {
  int exponent_bits, mantissa_bits;
  uint32_t largest;  // code of the largest finite value, without the sign
  uint32_t nan;      // code of the one NaN that conversions give
  int spare_bits;    // below the code in a register
  int bias() const { return (1 << (exponent_bits - 1)) - 1; }
  int sign_at() const { return exponent_bits + mantissa_bits + spare_bits; }
};

// e4m3 uses the codes under all ones as numbers and has no infinity (PTX ISA, alternate
// floating-point data formats).
Format FormatOf(DType dtype) {
  switch (dtype) {
    case DType::kF16: return {5, 10, 0x7bff, 0x7fff, 0};
    case DType::kBF16: return {8, 7, 0x7f7f, 0x7fff, 0};
    case DType::kTF32: return {8, 10, 0x3fbff, 0x3ffff, 13};
    case DType::kE4M3: return {4, 3, 0x7e, 0x7f, 0};
    // PTX ISA, alternate floating-point data formats: no infinity, no NaN.
    case DType::kE2M1: return {2, 1, 0x7, 0x7, 0};
    case DType::kE2M3: return {2, 3, 0x1f, 0x1f, 0};
    case DType::kE3M2: return {3, 2, 0x1f, 0x1f, 0};
    default: return {5, 2, 0x7b, 0x7f, 0};  // e5m2
  }
}

// value / 2^shift of a magnitude, rounded.
uint32_t ShiftRounded(uint32_t value, int shift, Rounding rounding, bool negative) {
  constexpr int kAllDropped = 26;  // 24 bits and the tie are below
  shift = std::min(shift, kAllDropped);
  const uint32_t q = value >> shift;
  const uint32_t rest = value & ((uint32_t{1} << shift) - 1);
  const uint32_t half = shift == 0 ? 1 : uint32_t{1} << (shift - 1);
  bool up = false;
  switch (rounding) {
    case Rounding::kNearestEven: up = rest > half || (rest == half && (q & 1) != 0); break;
    case Rounding::kNearestAway: up = rest >= half; break;
    case Rounding::kTowardsZero: break;
    case Rounding::kDown: up = rest != 0 && negative; break;
    case Rounding::kUp: up = rest != 0 && !negative; break;
  }
  return q + (up ? 1 : 0);
}

// Whether a finite value beyond the largest becomes infinite.
bool GoesToInfinity(Rounding rounding, bool negative) {
  switch (rounding) {
    case Rounding::kTowardsZero: return false;
    case Rounding::kDown: return negative;
    case Rounding::kUp: return !negative;
    default: return true;
  }
}

}  // namespace

float WidenSmall(uint64_t bits, DType dtype) {
  if (dtype == DType::kF16) {
    // Normal numbers have the exponent of f32 with another bias.
    const auto half = static_cast<uint32_t>(bits);
    const uint32_t exponent = half >> 10 & 31;
    if (exponent != 0 && exponent != 31) {
      const uint32_t magnitude = ((half & 0x7fff) << 13) + (uint32_t{127 - 15} << 23);
      return std::bit_cast<float>((half & 0x8000) << 16 | magnitude);
    }
  }
  const Format format = FormatOf(dtype);
  const auto code = static_cast<uint32_t>(bits) & ((uint32_t{1} << format.sign_at()) - 1);
  const bool negative = (bits >> format.sign_at() & 1) != 0;
  const uint32_t infinity = ((uint32_t{1} << format.exponent_bits) - 1) << format.mantissa_bits;
  if (code > format.largest) {
    constexpr uint32_t kNan = 0x7fffffff;
    const bool infinite = code == infinity && format.largest < infinity;
    const uint32_t sign = negative ? 0x80000000 : 0;
    return std::bit_cast<float>(infinite ? sign | kF32Infinity : kNan);
  }
  const int exponent = static_cast<int>(code >> format.mantissa_bits);
  const uint32_t mantissa = code & ((uint32_t{1} << format.mantissa_bits) - 1);
  const uint32_t hidden = exponent == 0 ? 0 : uint32_t{1} << format.mantissa_bits;
  const int power = std::max(exponent, 1) - format.bias() - format.mantissa_bits;
  const float magnitude = std::ldexp(static_cast<float>(mantissa | hidden), power);
  return negative ? -magnitude : magnitude;
}

uint32_t Narrow(float x, DType dtype, Rounding rounding, bool saturate) {
  const Format format = FormatOf(dtype);
  if (std::isnan(x)) {
    // All ones below the sign, spare bits too.
    return (format.nan << format.spare_bits) | ((uint32_t{1} << format.spare_bits) - 1);
  }
  const uint32_t bits = std::bit_cast<uint32_t>(x);
  const bool negative = (bits >> 31) != 0;
  const uint32_t magnitude = bits & 0x7fffffff;
  const uint32_t sign = negative ? uint32_t{1} << format.sign_at() : 0;
  const bool to_finite = saturate || ir::Info(dtype).bits == 8;
  uint32_t code = format.largest + 1;  // infinity, where there is one
  if (magnitude != kF32Infinity) {
    const auto field = static_cast<int>(magnitude >> kF32MantissaBits);
    const uint32_t hidden = field == 0 ? 0 : uint32_t{1} << kF32MantissaBits;
    const uint32_t significand = (magnitude & ((uint32_t{1} << kF32MantissaBits) - 1)) | hidden;
    const int exponent = std::max(field, 1) - kF32Bias;
    const int lowest = 1 - format.bias();
    const int top = std::max(exponent, lowest);
    const int shift = top - exponent + kF32MantissaBits - format.mantissa_bits;
    // The hidden bit adds one to the exponent field, a carry of the rounding another.
    code = (static_cast<uint32_t>(top - lowest) << format.mantissa_bits) +
           ShiftRounded(significand, shift, rounding, negative);
    if (code > format.largest) {
      code = GoesToInfinity(rounding, negative) ? format.largest + 1 : format.largest;
    }
  }
  if (to_finite) code = std::min(code, format.largest);
  return sign | code << format.spare_bits;
}

double FusedToOdd(double a, double b, double c) {
  const double product = a * b;  // exact: 48 bits
  const double sum = product + c;
  if (!std::isfinite(sum)) return sum;
  // What the sum dropped, exactly (Knuth's two-sum).
  const double virtual_c = sum - product;
  const double rest = (product - (sum - virtual_c)) + (c - virtual_c);
  if (rest == 0 || (std::bit_cast<uint64_t>(sum) & 1) != 0) return sum;
  return std::nextafter(sum, rest > 0 ? HUGE_VAL : -HUGE_VAL);
}

}  // namespace compiler::ops
