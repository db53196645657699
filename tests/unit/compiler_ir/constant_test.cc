#include "compiler/ir/constant.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>

namespace compiler::ir {
namespace {

TEST(RoundTo, AgreesWithTheHardwareForF32) {
  std::mt19937_64 random(7);
  for (int i = 0; i < 100000; ++i) {
    const auto value = std::bit_cast<double>(random());
    if (std::isnan(value)) continue;
    const auto expected = static_cast<double>(static_cast<float>(value));
    EXPECT_EQ(RoundTo(DType::kF32, value), expected) << value;
  }
}

TEST(RoundTo, TiesGoToEvenInBf16) {
  EXPECT_EQ(RoundTo(DType::kBF16, 1.0 + 1.0 / 256), 1.0);
  EXPECT_EQ(RoundTo(DType::kBF16, 1.0 + 3.0 / 256), 1.0 + 4.0 / 256);
  EXPECT_EQ(RoundTo(DType::kF16, 65519.0), 65504.0);
  EXPECT_EQ(RoundTo(DType::kF16, 65520.0), std::numeric_limits<double>::infinity());
}

TEST(Encode, EveryBf16AndF16PatternSurvives) {
  for (const DType dtype : {DType::kBF16, DType::kF16}) {
    for (uint32_t bits = 0; bits < 65536; ++bits) {
      const double value = DecodeFloat(dtype, bits);
      if (std::isnan(value)) continue;
      EXPECT_EQ(EncodeFloat(dtype, value), bits);
      EXPECT_EQ(RoundTo(dtype, value), value);
    }
  }
}

TEST(Encode, F32UsesTheMachineFormat) {
  EXPECT_EQ(EncodeFloat(DType::kF32, 1.0), 0x3f800000U);
  EXPECT_EQ(EncodeFloat(DType::kF32, -0.0), 0x80000000U);
  EXPECT_EQ(DecodeFloat(DType::kF32, 0x7f800000U), std::numeric_limits<double>::infinity());
}

// 1 + 2^-24 + 2^-60 lies just above a tie of f32; rounding it first to double would lose that.
TEST(Parse, RoundsOnce) {
  const auto value = ParseFloatToOdd("1.00000005960464477626071");
  ASSERT_TRUE(value.has_value());
  EXPECT_EQ(RoundTo(DType::kF32, *value), 1.0 + std::ldexp(1.0, -23));
  EXPECT_EQ(ParseFloatToOdd("1_000.5"), 1000.5);
  EXPECT_EQ(ParseFloatToOdd("1.5x"), std::nullopt);
  EXPECT_EQ(ParseFloatToOdd(""), std::nullopt);
}

TEST(Fits, KnowsTheLimitsOfIntegers) {
  EXPECT_TRUE(Fits(DType::kI32, std::numeric_limits<int32_t>::min()));
  EXPECT_FALSE(Fits(DType::kI32, int64_t{1} << 31));
  EXPECT_TRUE(Fits(DType::kU32, (int64_t{1} << 32) - 1));
  EXPECT_FALSE(Fits(DType::kU32, -1));
  EXPECT_TRUE(Fits(DType::kU8, 255));
  EXPECT_FALSE(Fits(DType::kI8, 128));
  EXPECT_FALSE(Fits(DType::kU64, -1));
  EXPECT_FALSE(Fits(DType::kF32, 0));
}

}  // namespace
}  // namespace compiler::ir
