#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/unit/compiler_ops/meaning_support.h"

namespace compiler::ops {
namespace {

using Words = std::vector<std::string_view>;

Scalar Convert(DType from, DType to, uint64_t bits, Words words = {}) {
  words.insert(words.begin(), ir::ToString(to));
  return RunScalar({.op = "cvt", .operand_type = from, .result_type = to, .modifiers = words},
                   {bits});
}

// The value of an f16 or bf16 from its fields, by arithmetic instead of bit tricks.
double ValueOf(uint32_t bits, int exponent_bits, int mantissa_bits) {
  const int bias = (1 << (exponent_bits - 1)) - 1;
  const int exponent = static_cast<int>(bits >> mantissa_bits) & ((1 << exponent_bits) - 1);
  const int mantissa = static_cast<int>(bits) & ((1 << mantissa_bits) - 1);
  const double sign = (bits >> 15 & 1) != 0 ? -1 : 1;
  if (exponent == (1 << exponent_bits) - 1) {
    return mantissa != 0 ? std::nan("") : sign * std::numeric_limits<double>::infinity();
  }
  if (exponent == 0) return sign * std::ldexp(mantissa, 1 - bias - mantissa_bits);
  return sign * std::ldexp(mantissa + (1 << mantissa_bits), exponent - bias - mantissa_bits);
}

struct HalfType {
  DType dtype;
  int exponent_bits, mantissa_bits;
};
constexpr HalfType kHalves[] = {{DType::kF16, 5, 10}, {DType::kBF16, 8, 7}};

TEST(ConvertTest, EveryHalfWidensExactlyAndComesBack) {
  for (const HalfType& half : kHalves) {
    for (uint32_t bits = 0; bits < 0x10000; ++bits) {
      const double value = ValueOf(bits, half.exponent_bits, half.mantissa_bits);
      const Scalar wide = Convert(half.dtype, DType::kF32, bits);
      const float got = std::bit_cast<float>(static_cast<uint32_t>(wide.bits));
      if (std::isnan(value)) {
        ASSERT_TRUE(std::isnan(got)) << bits;
        ASSERT_EQ(Convert(DType::kF32, half.dtype, wide.bits).bits, 0x7fffu) << bits;
        continue;
      }
      ASSERT_EQ(static_cast<double>(got), value) << bits;
      for (const Words& words : {Words{}, Words{"rz"}}) {
        ASSERT_EQ(Convert(DType::kF32, half.dtype, wide.bits, words).bits, bits);
      }
    }
  }
}

// Nearest by search among all halves: what rounding to nearest even has to give.
TEST(ConvertTest, HalvesAreTheNearestAndTiesAreEven) {
  std::mt19937_64 generator(5);
  for (const HalfType& half : kHalves) {
    const uint32_t top = half.dtype == DType::kF16 ? 0x7c00 : 0x7f80;
    for (int i = 0; i < 200000; ++i) {
      // Between two neighbours: at the tie, just beside it, or anywhere.
      const uint32_t low = static_cast<uint32_t>(generator()) % top;
      const double a = ValueOf(low, half.exponent_bits, half.mantissa_bits);
      const double b = low + 1 == top
                           ? 2 * a - ValueOf(low - 1, half.exponent_bits, half.mantissa_bits)
                           : ValueOf(low + 1, half.exponent_bits, half.mantissa_bits);
      float x = static_cast<float>((a + b) / 2);
      if (static_cast<double>(x) != (a + b) / 2) continue;  // below f32's subnormals
      if (i % 3 == 1) x = std::nextafter(x, 0.0f);
      if (i % 3 == 2) x = std::nextafter(x, std::numeric_limits<float>::infinity());
      const double above = static_cast<double>(x) - a;
      const double below = b - static_cast<double>(x);
      const uint32_t nearest = above < below   ? low
                               : above > below ? low + 1
                                               : (low % 2 == 0 ? low : low + 1);
      ASSERT_EQ(Convert(DType::kF32, half.dtype, Bits(x)).bits, nearest) << x;
      ASSERT_EQ(Convert(DType::kF32, half.dtype, Bits(-x)).bits, nearest | 0x8000) << x;
      if (above < b - a) {
        ASSERT_EQ(Convert(DType::kF32, half.dtype, Bits(x), {"rz"}).bits, low) << x;
      }
    }
  }
}

TEST(ConvertTest, HalvesOverflowToInfinityUnlessSaturatedOrTowardsZero) {
  EXPECT_EQ(Convert(DType::kF32, DType::kF16, Bits(65520.0f)).bits, 0x7c00u);
  EXPECT_EQ(Convert(DType::kF32, DType::kF16, Bits(65519.0f)).bits, 0x7bffu);
  EXPECT_EQ(Convert(DType::kF32, DType::kF16, Bits(1e9f), {"rz"}).bits, 0x7bffu);
  EXPECT_EQ(Convert(DType::kF32, DType::kF16, Bits(-1e9f), {"sat"}).bits, 0xfbffu);
  const float infinity = std::numeric_limits<float>::infinity();
  EXPECT_EQ(Convert(DType::kF32, DType::kF16, Bits(infinity), {"rz"}).bits, 0x7c00u);
  EXPECT_EQ(Convert(DType::kF32, DType::kBF16, Bits(infinity), {"sat"}).bits, 0x7f7fu);
  EXPECT_EQ(Convert(DType::kF32, DType::kBF16, Bits(3.4e38f)).bits, 0x7f80u);
  EXPECT_EQ(Convert(DType::kF16, DType::kBF16, 0x3c00).bits, 0x3f80u);
}

template <typename To, typename From>
void CheckIntegers() {
  for (const From x : IntegerSamples<From>(200)) {
    const bool fits = std::cmp_greater_equal(x, std::numeric_limits<To>::min()) &&
                      std::cmp_less_equal(x, std::numeric_limits<To>::max());
    const Scalar plain = Convert(DTypeOf<From>(), DTypeOf<To>(), Bits(x));
    if (fits || std::is_unsigned_v<To> || std::is_same_v<To, From>) {
      EXPECT_EQ(plain.error, "");
      EXPECT_EQ(plain.bits, Bits(static_cast<To>(x)));
    } else {
      EXPECT_EQ(plain.error, "conversion out of range");
    }
    const To nearest = fits                  ? static_cast<To>(x)
                       : std::cmp_less(x, 0) ? std::numeric_limits<To>::min()
                                             : std::numeric_limits<To>::max();
    EXPECT_EQ(Convert(DTypeOf<From>(), DTypeOf<To>(), Bits(x), {"sat"}).bits, Bits(nearest));
  }
}

template <typename To>
void CheckIntegersTo() {
  CheckIntegers<To, int8_t>();
  CheckIntegers<To, uint8_t>();
  CheckIntegers<To, int16_t>();
  CheckIntegers<To, uint16_t>();
  CheckIntegers<To, int32_t>();
  CheckIntegers<To, uint32_t>();
  CheckIntegers<To, int64_t>();
  CheckIntegers<To, uint64_t>();
}

TEST(ConvertTest, AmongIntegers) {
  CheckIntegersTo<int8_t>();
  CheckIntegersTo<uint8_t>();
  CheckIntegersTo<int16_t>();
  CheckIntegersTo<uint16_t>();
  CheckIntegersTo<int32_t>();
  CheckIntegersTo<uint32_t>();
  CheckIntegersTo<int64_t>();
  CheckIntegersTo<uint64_t>();
}

template <typename To>
void CheckFromFloat() {
  for (const float x : FloatSamples(3000)) {
    for (const bool towards_zero : {false, true}) {
      const long double whole = towards_zero ? std::trunc(static_cast<long double>(x))
                                             : std::rint(static_cast<long double>(x));
      const auto low = static_cast<long double>(std::numeric_limits<To>::min());
      const auto high = static_cast<long double>(std::numeric_limits<To>::max());
      const bool fits = !std::isnan(x) && whole >= low && whole <= high;
      Words words;
      if (towards_zero) words.push_back("rz");
      const Scalar plain = Convert(DType::kF32, DTypeOf<To>(), Bits(x), words);
      EXPECT_EQ(plain.error, fits ? "" : "conversion out of range") << x;
      if (fits) {
        EXPECT_EQ(plain.bits, Bits(static_cast<To>(whole))) << x;
      }
      words.push_back("sat");
      if (std::isnan(x)) continue;
      const To nearest = fits    ? static_cast<To>(whole)
                         : x < 0 ? std::numeric_limits<To>::min()
                                 : std::numeric_limits<To>::max();
      EXPECT_EQ(Convert(DType::kF32, DTypeOf<To>(), Bits(x), words).bits, Bits(nearest)) << x;
    }
  }
}

TEST(ConvertTest, FloatsToIntegers) {
  CheckFromFloat<int8_t>();
  CheckFromFloat<uint8_t>();
  CheckFromFloat<int16_t>();
  CheckFromFloat<uint16_t>();
  CheckFromFloat<int32_t>();
  CheckFromFloat<uint32_t>();
  CheckFromFloat<int64_t>();
  CheckFromFloat<uint64_t>();
  EXPECT_EQ(Convert(DType::kF32, DType::kI32, Bits(2.5f)).bits, 2u);
  EXPECT_EQ(Convert(DType::kF32, DType::kI32, Bits(3.5f)).bits, 4u);
  const uint64_t nan = Bits(std::numeric_limits<float>::quiet_NaN());
  EXPECT_EQ(Convert(DType::kF32, DType::kI32, nan, {"sat"}).bits, 0u);
  EXPECT_EQ(Convert(DType::kF32, DType::kI64, nan, {"sat"}).bits, uint64_t{1} << 63);
}

template <typename From>
void CheckToFloat() {
  for (const From x : IntegerSamples<From>(2000)) {
    const auto exact = static_cast<long double>(x);  // 64 bits of mantissa
    const auto nearest = static_cast<float>(exact);
    EXPECT_EQ(Convert(DTypeOf<From>(), DType::kF32, Bits(x)).bits, Bits(nearest));
    const float down = std::fabs(static_cast<long double>(nearest)) > std::fabs(exact)
                           ? std::nextafter(nearest, 0.0f)
                           : nearest;
    EXPECT_EQ(Convert(DTypeOf<From>(), DType::kF32, Bits(x), {"rz"}).bits, Bits(down));
  }
}

TEST(ConvertTest, IntegersToFloats) {
  CheckToFloat<int8_t>();
  CheckToFloat<uint8_t>();
  CheckToFloat<int16_t>();
  CheckToFloat<uint16_t>();
  CheckToFloat<int32_t>();
  CheckToFloat<uint32_t>();
  CheckToFloat<int64_t>();
  CheckToFloat<uint64_t>();
  // By way of f32: 2^24 + 1 becomes 2^24 first.
  EXPECT_EQ(Convert(DType::kI32, DType::kBF16, 16777217).bits, 0x4b80u);
}

TEST(ConvertTest, Bools) {
  EXPECT_EQ(Convert(DType::kBool, DType::kF32, 1).bits, Bits(1.0f));
  EXPECT_EQ(Convert(DType::kBool, DType::kI64, 1).bits, 1u);
  EXPECT_EQ(Convert(DType::kI32, DType::kBool, Bits(int32_t{-2})).bits, 1u);
  EXPECT_EQ(Convert(DType::kF32, DType::kBool, Bits(-0.0f)).bits, 0u);
  EXPECT_EQ(Convert(DType::kF32, DType::kBool, 0x7fffffff).bits, 1u);
}

TEST(BitcastTest, KeepsBitsAndExtendsThem) {
  const auto cast = [](DType from, DType to, uint64_t bits) {
    return RunScalar({.op = "bitcast", .operand_type = from, .result_type = to}, {bits});
  };
  EXPECT_EQ(cast(DType::kF32, DType::kU32, Bits(-1.0f)).bits, 0xbf800000u);
  EXPECT_EQ(cast(DType::kF32, DType::kI32, Bits(-1.0f)).bits, 0xffffffffbf800000u);
  EXPECT_EQ(cast(DType::kI32, DType::kU32, Bits(int32_t{-1})).bits, 0xffffffffu);
  EXPECT_EQ(cast(DType::kBF16, DType::kI16, 0x8000).bits, Bits(int16_t{-32768}));
  EXPECT_EQ(cast(DType::kF32, DType::kU64, 0).error, "bitcast between types of different sizes");
}

}  // namespace
}  // namespace compiler::ops
