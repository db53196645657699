#include "runner/reference/numbers.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace runner::reference {
namespace {

using compiler::ir::DType;

// A binary float with `mantissa` stored bits and exponents of its normal numbers from `low` on.
// The top exponent is for infinity and NaN, but e4m3 counts on and has the NaN of all ones only.
struct Format {
  int exponent_bits, mantissa_bits;
  int bias() const { return (1 << (exponent_bits - 1)) - 1; }
  int low() const { return 1 - bias(); }
  bool has_infinity() const { return exponent_bits != 4; }
  int code_bits() const { return exponent_bits + mantissa_bits; }
};
constexpr Format kBF16{8, 7}, kF16{5, 10}, kTF32{8, 10}, kE4M3{4, 3}, kE5M2{5, 2};
constexpr int kTF32SpareBits = 13;  // below the code, in f32's layout

template <typename T>
T Load(const std::byte* at) {
  T value;
  std::memcpy(&value, at, sizeof(T));
  return value;
}
template <typename T>
void Store(T value, std::byte* at) {
  std::memcpy(at, &value, sizeof(T));
}

template <typename T>
void StoreInteger(double value, std::byte* at) {
  constexpr double kLow = static_cast<double>(std::numeric_limits<T>::min());
  constexpr double kHigh = static_cast<double>(std::numeric_limits<T>::max());
  const double rounded = std::nearbyint(value);
  T out = 0;
  if (rounded >= kHigh)
    out = std::numeric_limits<T>::max();
  else if (rounded <= kLow)
    out = std::numeric_limits<T>::min();
  else if (!std::isnan(rounded))
    out = static_cast<T>(rounded);
  Store<T>(out, at);
}

double DecodeFloat(uint32_t bits, Format format) {
  const int mantissa = static_cast<int>(bits) & ((1 << format.mantissa_bits) - 1);
  const int exponent =
      static_cast<int>(bits >> format.mantissa_bits) & ((1 << format.exponent_bits) - 1);
  const double sign = (bits >> format.code_bits() & 1) != 0 ? -1 : 1;
  const bool top = exponent == (1 << format.exponent_bits) - 1;
  if (top && (format.has_infinity() || mantissa == (1 << format.mantissa_bits) - 1)) {
    return mantissa == 0 ? sign * std::numeric_limits<double>::infinity()
                         : std::numeric_limits<double>::quiet_NaN();
  }
  const int hidden = exponent == 0 ? 0 : 1 << format.mantissa_bits;
  const int power = std::max(exponent, 1) - format.bias() - format.mantissa_bits;
  return sign * std::ldexp(static_cast<double>(hidden + mantissa), power);
}

// What is too large becomes infinite, or the largest value where there is no infinity; 8-bit floats
// saturate in any case.
uint32_t EncodeFloat(double value, Format format) {
  const uint32_t sign = std::signbit(value) ? uint32_t{1} << format.code_bits() : 0;
  const uint32_t ones = (uint32_t{1} << format.code_bits()) - 1;
  const uint32_t infinity = ones - ((uint32_t{1} << format.mantissa_bits) - 1);
  if (std::isnan(value)) {
    return format.has_infinity() ? infinity | 1u << (format.mantissa_bits - 1) : ones;
  }
  const uint32_t largest = format.has_infinity() ? infinity - 1 : ones - 1;
  const uint32_t beyond = format.code_bits() == 7 ? largest : infinity;
  const double size = std::abs(value);
  if (size == 0) return sign;
  if (std::isinf(size)) return sign | beyond;
  const int power = std::max(std::ilogb(size), format.low());
  // In units of the last place of this binade; nearbyint rounds to even, and a carry into the next
  // binade is the right encoding by itself.
  const double units = std::nearbyint(std::ldexp(size, format.mantissa_bits - power));
  const int64_t biased = power + format.bias();
  const int64_t code = ((biased - 1) << format.mantissa_bits) + static_cast<int64_t>(units);
  return sign | (code > largest ? beyond : static_cast<uint32_t>(code));
}

}  // namespace

double LoadElement(DType dtype, const std::byte* at) {
  switch (dtype) {
    case DType::kF32: return Load<float>(at);
    // The upper half of an f32, subnormal numbers and NaN included.
    case DType::kBF16: return std::bit_cast<float>(uint32_t{Load<uint16_t>(at)} << 16);
    case DType::kF16: return DecodeFloat(Load<uint16_t>(at), kF16);
    case DType::kTF32: return DecodeFloat(Load<uint32_t>(at) >> kTF32SpareBits, kTF32);
    case DType::kE4M3: return DecodeFloat(Load<uint8_t>(at), kE4M3);
    case DType::kE5M2: return DecodeFloat(Load<uint8_t>(at), kE5M2);
    case DType::kI8: return Load<int8_t>(at);
    // Codes: a reference that knows what they scale decodes them.
    case DType::kUE8M0:
    case DType::kUE4M3:
    case DType::kE2M1x2:
    case DType::kI4x2:
    case DType::kU4x2:
    case DType::kB1x8:
    case DType::kU8:
    case DType::kBool: return Load<uint8_t>(at);
    // Three bytes, four numbers.
    case DType::kE2M3x4:
    case DType::kE3M2x4: return Load<uint16_t>(at) + 65536.0 * Load<uint8_t>(at + 2);
    case DType::kI16: return Load<int16_t>(at);
    case DType::kU16: return Load<uint16_t>(at);
    case DType::kI32: return Load<int32_t>(at);
    case DType::kU32: return Load<uint32_t>(at);
    case DType::kI64: return static_cast<double>(Load<int64_t>(at));
    case DType::kU64: return static_cast<double>(Load<uint64_t>(at));
    default: return std::numeric_limits<double>::quiet_NaN();
  }
}

void StoreElement(DType dtype, double value, std::byte* at) {
  switch (dtype) {
    case DType::kF32: return Store<float>(static_cast<float>(value), at);
    case DType::kBF16: return Store(static_cast<uint16_t>(EncodeFloat(value, kBF16)), at);
    case DType::kF16: return Store(static_cast<uint16_t>(EncodeFloat(value, kF16)), at);
    case DType::kTF32: return Store(EncodeFloat(value, kTF32) << kTF32SpareBits, at);
    case DType::kE4M3: return Store(static_cast<uint8_t>(EncodeFloat(value, kE4M3)), at);
    case DType::kE5M2: return Store(static_cast<uint8_t>(EncodeFloat(value, kE5M2)), at);
    case DType::kBool: return Store<uint8_t>(value != 0, at);
    case DType::kI8: return StoreInteger<int8_t>(value, at);
    case DType::kUE8M0:
    case DType::kUE4M3:
    case DType::kE2M1x2:
    case DType::kI4x2:
    case DType::kU4x2:
    case DType::kB1x8:
    case DType::kU8: return StoreInteger<uint8_t>(value, at);
    case DType::kE2M3x4:
    case DType::kE3M2x4: {
      const auto code = static_cast<uint32_t>(value);
      Store(static_cast<uint16_t>(code), at);
      return Store(static_cast<uint8_t>(code >> 16), at + 2);
    }
    case DType::kI16: return StoreInteger<int16_t>(value, at);
    case DType::kU16: return StoreInteger<uint16_t>(value, at);
    case DType::kI32: return StoreInteger<int32_t>(value, at);
    case DType::kU32: return StoreInteger<uint32_t>(value, at);
    case DType::kI64: return StoreInteger<int64_t>(value, at);
    case DType::kU64: return StoreInteger<uint64_t>(value, at);
    default: return;
  }
}

double Rounded(DType dtype, double value) {
  std::byte bytes[8];
  StoreElement(dtype, value, bytes);
  return LoadElement(dtype, bytes);
}

double UnitRoundoff(DType dtype) {
  switch (dtype) {
    case DType::kF32: return std::ldexp(1.0, -24);
    case DType::kTF32:
    case DType::kF16: return std::ldexp(1.0, -11);
    case DType::kBF16: return std::ldexp(1.0, -8);
    case DType::kE4M3: return std::ldexp(1.0, -4);
    case DType::kE5M2: return std::ldexp(1.0, -3);
    default: return 0;
  }
}

double SmallestPositive(DType dtype) {
  switch (dtype) {
    case DType::kF32: return std::ldexp(1.0, -149);
    case DType::kF16: return std::ldexp(1.0, -24);
    case DType::kBF16: return std::ldexp(1.0, -133);
    case DType::kTF32: return std::ldexp(1.0, -136);
    case DType::kE4M3: return std::ldexp(1.0, -9);
    case DType::kE5M2: return std::ldexp(1.0, -16);
    default: return 0;
  }
}

// The subnormal numbers fill the binade below the smallest normal one in equal steps.
double SmallestNormal(DType dtype) { return SmallestPositive(dtype) * 0.5 / UnitRoundoff(dtype); }

}  // namespace runner::reference
