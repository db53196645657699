// Conversions against values written down from the formats' fields, by arithmetic instead of bits.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "compiler/ir/constant.h"
#include "tests/unit/compiler_ops/meaning_support.h"

namespace compiler::ops {
namespace {

using Words = std::vector<std::string_view>;

struct Format {
  DType dtype;
  int exponent_bits, mantissa_bits;
  bool has_infinity = true;
  int spare_bits = 0;
  uint32_t codes() const { return uint32_t{1} << (exponent_bits + mantissa_bits); }  // unsigned
};
constexpr Format kF16{DType::kF16, 5, 10}, kBF16{DType::kBF16, 8, 7},
    kTF32{DType::kTF32, 8, 10, true, 13}, kE4M3{DType::kE4M3, 4, 3, false},
    kE5M2{DType::kE5M2, 5, 2};

// The magnitude that a code without its sign stands for.
double ValueOf(const Format& format, uint32_t code) {
  const int bias = (1 << (format.exponent_bits - 1)) - 1;
  const auto exponent = static_cast<int>(code >> format.mantissa_bits);
  const auto mantissa = static_cast<int>(code) & ((1 << format.mantissa_bits) - 1);
  if (exponent == (1 << format.exponent_bits) - 1) {
    if (format.has_infinity) return mantissa == 0 ? HUGE_VAL : std::nan("");
    if (mantissa == (1 << format.mantissa_bits) - 1) return std::nan("");
  }
  if (exponent == 0) return std::ldexp(mantissa, 1 - bias - format.mantissa_bits);
  return std::ldexp(mantissa + (1 << format.mantissa_bits), exponent - bias - format.mantissa_bits);
}

uint64_t Register(const Format& format, uint32_t code, bool negative = false) {
  const uint64_t sign = negative ? uint64_t{format.codes()} : 0;
  return (code | sign) << format.spare_bits;
}

uint32_t LargestCode(const Format& format) {
  uint32_t code = format.codes() - 1;
  while (!std::isfinite(ValueOf(format, code))) --code;
  return code;
}

Scalar Convert(DType from, DType to, uint64_t bits, Words words = {}) {
  words.insert(words.begin(), ir::ToString(to));
  return RunScalar({.op = "cvt", .operand_type = from, .result_type = to, .modifiers = words},
                   {bits});
}

float F32(uint64_t bits) { return std::bit_cast<float>(static_cast<uint32_t>(bits)); }

class FormatTest : public testing::TestWithParam<Format> {};

TEST_P(FormatTest, EveryCodeWidensToItsValueAndComesBack) {
  const Format& format = GetParam();
  for (uint32_t code = 0; code < format.codes(); ++code) {
    const double value = ValueOf(format, code);
    for (const bool negative : {false, true}) {
      const uint64_t bits = Register(format, code, negative);
      const Scalar wide = Convert(format.dtype, DType::kF32, bits);
      if (std::isnan(value)) {
        ASSERT_TRUE(std::isnan(F32(wide.bits))) << code;
        continue;
      }
      ASSERT_EQ(static_cast<double>(F32(wide.bits)), negative ? -value : value) << code;
      ASSERT_EQ(std::signbit(F32(wide.bits)), negative) << code;
      if (std::isinf(value) && format.dtype == DType::kE5M2) continue;  // saturates, below
      ASSERT_EQ(Convert(DType::kF32, format.dtype, wide.bits).bits, bits) << code;
      ASSERT_EQ(ir::EncodeFloat(format.dtype, negative ? -value : value), bits) << code;
      ASSERT_EQ(ir::DecodeFloat(format.dtype, bits), negative ? -value : value) << code;
    }
  }
}

// What the rounding of a positive x between the values of code and code + 1 has to be.
uint32_t Expected(const Format& format, uint32_t code, double x, std::string_view word,
                  bool negative) {
  const double low = ValueOf(format, code);
  double high = ValueOf(format, code + 1);
  if (!std::isfinite(high)) high = 2 * low - ValueOf(format, code - 1);  // where infinity begins
  if (x == low) return code;
  if (word == "rz" || word == (negative ? "rp" : "rm")) return code;
  if (word == "rm" || word == "rp") return code + 1;
  const double below = x - low;
  const double above = high - x;
  if (below != above) return below < above ? code : code + 1;
  return word == "rna" || code % 2 != 0 ? code + 1 : code;
}

Words RoundingsOf(DType dtype) {
  switch (dtype) {
    case DType::kF16: return {"rn", "rz", "rm", "rp"};
    case DType::kBF16: return {"rn", "rz"};
    case DType::kTF32: return {"rn", "rz", "rna"};
    default: return {"rn"};
  }
}

TEST_P(FormatTest, EveryGapRoundsAtAndBesideItsMiddle) {
  const Format& format = GetParam();
  const uint32_t largest = LargestCode(format);
  const uint32_t step = format.codes() > 0x10000 ? 251 : 1;
  const bool saturates = ir::Info(format.dtype).bits == 8;
  for (uint32_t code = 0; code <= largest; code += step) {
    const double low = ValueOf(format, code);
    double high = ValueOf(format, code + 1);
    if (!std::isfinite(high)) high = 2 * low - ValueOf(format, code - 1);
    const auto middle = static_cast<float>((low + high) / 2);
    for (const float x : {middle, std::nextafter(middle, 0.0f),
                          std::nextafter(middle, std::numeric_limits<float>::infinity())}) {
      const auto exact = static_cast<double>(x);
      if (exact < low || exact >= high || std::isinf(x)) continue;  // under f32's own subnormals
      for (const std::string_view word : RoundingsOf(format.dtype)) {
        for (const bool negative : {false, true}) {
          uint32_t expected = Expected(format, code, exact, word, negative);
          if (expected > largest && saturates) expected = largest;
          ASSERT_EQ(Convert(DType::kF32, format.dtype, Bits(negative ? -x : x), {word}).bits,
                    Register(format, expected, negative))
              << x << " " << word << (negative ? " negative" : "");
        }
      }
    }
  }
}

TEST_P(FormatTest, BeyondTheLargest) {
  const Format& format = GetParam();
  const uint32_t largest = LargestCode(format);
  const bool saturates = ir::Info(format.dtype).bits == 8;
  const float infinity = std::numeric_limits<float>::infinity();
  const uint64_t finite = Register(format, largest);
  const uint64_t beyond = saturates ? finite : Register(format, largest + 1);
  EXPECT_EQ(Convert(DType::kF32, format.dtype, Bits(infinity)).bits, beyond);
  EXPECT_EQ(Convert(DType::kF32, format.dtype, Bits(infinity), {"sat"}).bits, finite);
  EXPECT_EQ(Convert(DType::kF32, format.dtype, Bits(-infinity), {"sat"}).bits,
            Register(format, largest, true));
  EXPECT_EQ(Convert(DType::kF32, format.dtype, Bits(std::numeric_limits<float>::max())).bits,
            beyond);
  const uint64_t nan = Bits(std::numeric_limits<float>::quiet_NaN());
  const uint64_t ones = ((uint64_t{format.codes()} << format.spare_bits) - 1);
  EXPECT_EQ(Convert(DType::kF32, format.dtype, nan).bits, ones);
  EXPECT_EQ(Convert(DType::kF32, format.dtype, nan, {"sat"}).bits, ones);
}

INSTANTIATE_TEST_SUITE_P(All, FormatTest, testing::Values(kF16, kBF16, kTF32, kE4M3, kE5M2),
                         [](const auto& info) {
                           return std::string(ir::ToString(info.param.dtype));
                         });

// The nearest code by looking at all of them.
uint32_t Nearest(const Format& format, double magnitude) {
  if (magnitude > ValueOf(format, LargestCode(format))) return LargestCode(format);
  uint32_t best = 0;
  for (uint32_t code = 0; code <= LargestCode(format); ++code) {
    const double there = std::abs(ValueOf(format, code) - magnitude);
    const double here = std::abs(ValueOf(format, best) - magnitude);
    if (there < here || (there == here && code % 2 == 0)) best = code;
  }
  return best;
}

// Every value of the 16-bit types: one rounding, not one by way of another type.
TEST(ConvertTest, EveryHalfToEightBits) {
  for (const Format& from : {kF16, kBF16}) {
    for (const Format& to : {kE4M3, kE5M2}) {
      for (uint32_t code = 0; code < from.codes(); ++code) {
        const double value = ValueOf(from, code);
        const uint64_t expected =
            std::isnan(value) ? to.codes() - 1 : Register(to, Nearest(to, value));
        ASSERT_EQ(Convert(from.dtype, to.dtype, code).bits, expected) << code;
      }
    }
  }
}

TEST(ConvertTest, EightBitsThroughIntegersAndEachOther) {
  EXPECT_EQ(Convert(DType::kE4M3, DType::kI32, 0x7e).bits, 448u);
  EXPECT_EQ(Convert(DType::kI32, DType::kE4M3, 300).bits, Register(kE4M3, Nearest(kE4M3, 300)));
  EXPECT_EQ(Convert(DType::kU16, DType::kE5M2, 65535).bits, LargestCode(kE5M2));
  EXPECT_EQ(Convert(DType::kE5M2, DType::kE4M3, 0x7b).bits, 0x7eu);  // 57344 saturates to 448
  EXPECT_EQ(Convert(DType::kE4M3, DType::kI16, 0xfe).bits, Bits(int16_t{-448}));
}

TEST(ConvertTest, IntegersFromFloatsAndBackRoundAsWritten) {
  const auto to_int = [](float x, std::string_view word) {
    return static_cast<int64_t>(Convert(DType::kF32, DType::kI32, Bits(x), {word}).bits);
  };
  EXPECT_EQ(to_int(2.5f, "rn"), 2);
  EXPECT_EQ(to_int(-2.5f, "rm"), -3);
  EXPECT_EQ(to_int(-2.5f, "rp"), -2);
  EXPECT_EQ(to_int(-2.5f, "rz"), -2);
  const auto to_float = [](int32_t x, std::string_view word) {
    return F32(Convert(DType::kI32, DType::kF32, Bits(x), {word}).bits);
  };
  EXPECT_EQ(to_float(16777217, "rm"), 16777216.0f);
  EXPECT_EQ(to_float(16777217, "rp"), 16777218.0f);
  EXPECT_EQ(to_float(-16777217, "rm"), -16777218.0f);
  EXPECT_EQ(to_float(-16777217, "rp"), -16777216.0f);
  EXPECT_EQ(to_float(-16777217, "rz"), -16777216.0f);
}

// A group of registers, as the machine gives it to the entry.
std::vector<uint64_t> Group(std::string_view op, DType from, DType to,
                            const std::vector<uint64_t>& in, size_t results) {
  std::vector<LaneVector> lanes(in.size()), out(results);
  std::vector<const LaneVector*> operands;
  std::vector<LaneVector*> targets;
  for (size_t i = 0; i < in.size(); ++i) {
    lanes[i].bits[0] = in[i];
    operands.push_back(&lanes[i]);
  }
  for (LaneVector& target : out) targets.push_back(&target);
  const std::string_view words[] = {ir::ToString(to)};
  EXPECT_EQ(Table().Find(op)->meaning({.in = operands,
                                       .out = targets,
                                       .operand_type = from,
                                       .result_type = to,
                                       .modifiers = words,
                                       .width = 32,
                                       .mask = 1}),
            "");
  std::vector<uint64_t> bits;
  for (const LaneVector& target : out) bits.push_back(target.bits[0]);
  return bits;
}

using Registers = std::vector<uint64_t>;

TEST(ConvertTest, TwoNumbersMakeOnePackedValueLowFirst) {
  EXPECT_EQ(Group("cvt", DType::kF32, DType::kF16x2, {Bits(1.0f), Bits(-2.0f)}, 1),
            Registers{0xc0003c00});
  EXPECT_EQ(Group("cvt", DType::kF32, DType::kBF16x2, {Bits(1.0f), Bits(-2.0f)}, 1),
            Registers{0xc0003f80});
  EXPECT_EQ(Group("cvt", DType::kF32, DType::kF32x2, {Bits(1.0f), Bits(-2.0f)}, 1),
            Registers{0xc00000003f800000});
  EXPECT_EQ(Group("cvt", DType::kF16x2, DType::kF32, {0xc0003c00}, 2),
            (Registers{Bits(1.0f), Bits(-2.0f)}));
  EXPECT_EQ(Group("cvt", DType::kF16x2, DType::kBF16x2, {0xc0003c00}, 1), Registers{0xc0003f80});
  EXPECT_EQ(Group("cvt", DType::kF16x2, DType::kI32, {0xc0003c00}, 2),
            (Registers{1, Bits(int32_t{-2})}));
  EXPECT_EQ(Group("cvt", DType::kE4M3, DType::kF16x2, {0x38, 0xc0}, 1), Registers{0xc0003c00});
}

TEST(BitcastTest, CutsBitsAnewLowestFirst) {
  EXPECT_EQ(Group("bitcast", DType::kU8, DType::kU32, {1, 2, 3, 0x84}, 1), Registers{0x84030201});
  EXPECT_EQ(Group("bitcast", DType::kU32, DType::kI8, {0x84030201}, 4),
            (Registers{1, 2, 3, Bits(int8_t{-124})}));
  EXPECT_EQ(Group("bitcast", DType::kBF16, DType::kBF16x2, {0x3f80, 0xc000}, 1),
            Registers{0xc0003f80});
  EXPECT_EQ(Group("bitcast", DType::kF32x2, DType::kU32, {0xc00000003f800000}, 2),
            (Registers{0x3f800000, 0xc0000000}));
}

}  // namespace
}  // namespace compiler::ops
