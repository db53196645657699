#include "compiler/ir/constant.h"

#include <algorithm>
#include <bit>
#include <cfenv>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <string>

#include "compiler/ir/packed.h"

namespace compiler::ir {
namespace {

struct FloatFormat {
  int mantissa_bits;
  int exponent_bits;
  // e4m3 has no infinity: all ones is NaN only with a mantissa of ones, and too large saturates.
  bool has_infinity = true;
  int spare_bits = 0;  // below the mantissa, always zero
};

FloatFormat FormatOf(DType dtype) {
  switch (dtype) {
    case DType::kF16: return {10, 5};
    case DType::kBF16: return {7, 8};
    case DType::kTF32: return {10, 8, true, 13};
    case DType::kE4M3: return {3, 4, false};
    case DType::kE5M2: return {2, 5};
    default: return {23, 8};
  }
}

double LargestOf(const FloatFormat& format) {
  const int bias = (1 << (format.exponent_bits - 1)) - 1;
  const double unit = std::ldexp(1.0, -format.mantissa_bits);
  if (format.has_infinity) return std::ldexp(2.0 - unit, bias);
  return std::ldexp(2.0 - 2 * unit, bias + 1);
}

// Bits of a value that the format holds, without the spare ones.
uint64_t EncodeIn(const FloatFormat& format, double value) {
  const uint64_t sign = std::signbit(value) ? 1 : 0;
  const uint64_t exponent_ones = (uint64_t{1} << format.exponent_bits) - 1;
  const uint64_t sign_bit = sign << (format.mantissa_bits + format.exponent_bits);
  const uint64_t mantissa_ones = (uint64_t{1} << format.mantissa_bits) - 1;
  if (std::isnan(value)) {
    const uint64_t quiet = uint64_t{1} << (format.mantissa_bits - 1);
    return sign_bit | exponent_ones << format.mantissa_bits |
           (format.has_infinity ? quiet : mantissa_ones);
  }
  if (std::isinf(value)) {
    if (!format.has_infinity) return EncodeIn(format, std::copysign(LargestOf(format), value));
    return sign_bit | exponent_ones << format.mantissa_bits;
  }
  if (value == 0) return sign_bit;
  const int bias = (1 << (format.exponent_bits - 1)) - 1;
  int exponent = 0;
  std::frexp(value, &exponent);
  const int top = std::max(exponent - 1, 1 - bias);
  const auto scaled =
      static_cast<uint64_t>(std::ldexp(std::abs(value), format.mantissa_bits - top));
  const uint64_t hidden = uint64_t{1} << format.mantissa_bits;
  if (scaled < hidden) return sign_bit | scaled;
  return sign_bit | static_cast<uint64_t>(top + bias) << format.mantissa_bits | (scaled - hidden);
}

double DecodeIn(const FloatFormat& format, uint64_t bits) {
  const uint64_t mantissa_ones = (uint64_t{1} << format.mantissa_bits) - 1;
  const uint64_t mantissa = bits & mantissa_ones;
  const uint64_t ones = (uint64_t{1} << format.exponent_bits) - 1;
  const uint64_t exponent = (bits >> format.mantissa_bits) & ones;
  const bool negative = (bits >> (format.mantissa_bits + format.exponent_bits) & 1) != 0;
  const int bias = (1 << (format.exponent_bits - 1)) - 1;
  double value = 0;
  if (exponent == ones && (format.has_infinity || mantissa == mantissa_ones)) {
    value = mantissa == 0 ? std::numeric_limits<double>::infinity()
                          : std::numeric_limits<double>::quiet_NaN();
  } else if (exponent == 0) {
    value = std::ldexp(static_cast<double>(mantissa), 1 - bias - format.mantissa_bits);
  } else {
    const auto whole = static_cast<double>(mantissa | uint64_t{1} << format.mantissa_bits);
    value = std::ldexp(whole, static_cast<int>(exponent) - bias - format.mantissa_bits);
  }
  return negative ? -value : value;
}

}  // namespace

double RoundTo(DType dtype, double value) {
  const FloatFormat format = FormatOf(ElementOf(dtype));
  const double largest = LargestOf(format);
  if (std::isinf(value) && !format.has_infinity) return std::copysign(largest, value);
  if (!std::isfinite(value) || value == 0) return value;
  const int lowest = 2 - (1 << (format.exponent_bits - 1));
  int exponent = 0;
  std::frexp(value, &exponent);  // |value| in [2^(exponent-1), 2^exponent)
  const int unit = std::max(exponent - 1, lowest) - format.mantissa_bits;
  const double rounded = std::ldexp(std::nearbyint(std::ldexp(value, -unit)), unit);
  if (std::abs(rounded) <= largest) return rounded;
  // Conversions to 8-bit floats saturate, literals as well.
  const bool saturates = Info(dtype).bits == 8;
  return std::copysign(saturates ? largest : std::numeric_limits<double>::infinity(), value);
}

uint64_t EncodeFloat(DType dtype, double value) {
  if (dtype == DType::kF32) return std::bit_cast<uint32_t>(static_cast<float>(value));
  if (IsPacked(dtype)) {
    const uint64_t half = EncodeFloat(ElementOf(dtype), value);
    return half | half << ElementBits(dtype);
  }
  const FloatFormat format = FormatOf(dtype);
  return EncodeIn(format, value) << format.spare_bits;
}

double DecodeFloat(DType dtype, uint64_t bits) {
  if (IsPacked(dtype)) {
    return DecodeFloat(ElementOf(dtype), bits & ((uint64_t{1} << ElementBits(dtype)) - 1));
  }
  if (dtype == DType::kF32) return std::bit_cast<float>(static_cast<uint32_t>(bits));
  const FloatFormat format = FormatOf(dtype);
  return DecodeIn(format, bits >> format.spare_bits);
}

bool Fits(DType dtype, int64_t value) {
  const DTypeInfo& info = Info(dtype);
  if (dtype == DType::kBool) return value == 0 || value == 1;
  if (!info.is_integer) return false;
  if (info.bits == 64) return info.is_signed || value >= 0;
  const int64_t span = int64_t{1} << (info.bits - (info.is_signed ? 1 : 0));
  return value < span && value >= (info.is_signed ? -span : 0);
}

std::optional<double> ParseFloatToOdd(std::string_view literal) {
  std::string text;
  for (char c : literal) {
    if (c != '_') text += c;
  }
  const int mode = std::fegetround();
  char* end = nullptr;
  std::fesetround(FE_DOWNWARD);
  const double low = std::strtod(text.c_str(), &end);
  std::fesetround(FE_UPWARD);
  const double high = std::strtod(text.c_str(), nullptr);
  std::fesetround(mode);
  if (text.empty() || end != text.c_str() + text.size()) return std::nullopt;
  if (low == high) return low;
  // Of the two neighbours the one with an odd last bit; an infinite one is even.
  return (std::bit_cast<uint64_t>(low) & 1) != 0 ? low : high;
}

}  // namespace compiler::ir
