// What products of tiles compute, against sums written out.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "compiler/ops/table.h"

namespace compiler::ops {
namespace {

using ir::DType;

uint64_t F32(float x) { return std::bit_cast<uint32_t>(x); }

uint64_t Product(DType a_type, DType b_type, DType d_type, std::vector<uint64_t> a,
                 std::vector<uint64_t> b, uint64_t d, bool accumulate = true,
                 bool saturate = false) {
  std::vector<uint64_t> out{d};
  Table().Find("mma")->tile({.m = 1,
                             .n = 1,
                             .k = static_cast<int64_t>(a.size()),
                             .a = a,
                             .b = b,
                             .d = out,
                             .a_type = a_type,
                             .b_type = b_type,
                             .d_type = d_type,
                             .accumulate = accumulate,
                             .saturate = saturate});
  return out[0];
}

// tf32 keeps 10 bits of mantissa, so 2^24 * 1 and small numbers show the order of sums.
TEST(Tiles, SumsAreF32InTheOrderOfK) {
  const float large = 16777216.0f;
  const std::vector<uint64_t> ones{F32(1), F32(1), F32(1)};
  const auto sum = [&](std::vector<uint64_t> a) {
    return std::bit_cast<float>(
        static_cast<uint32_t>(Product(DType::kTF32, DType::kTF32, DType::kF32, a, ones, F32(0))));
  };
  EXPECT_EQ(sum({F32(large), F32(1), F32(1)}), large);
  EXPECT_EQ(sum({F32(1), F32(1), F32(large)}), large + 2);
}

TEST(Tiles, TheLowBitsOfTf32OperandsAreNotThere) {
  const uint64_t one_and_a_bit = F32(1) | 0x1fff;
  EXPECT_EQ(Product(DType::kTF32, DType::kTF32, DType::kF32, {one_and_a_bit}, {one_and_a_bit}, 0),
            F32(1));
  EXPECT_EQ(Product(DType::kTF32, DType::kTF32, DType::kF32, {F32(1) | 0x2000}, {F32(1)}, 0),
            F32(1) | 0x2000);
}

TEST(Tiles, AnF16AccumulatorIsRoundedOnceAnInstruction) {
  const uint64_t one = 0x3c00;
  const uint64_t two_to_11 = 0x6800;  // its neighbours lie 2 apart
  EXPECT_EQ(Product(DType::kF16, DType::kF16, DType::kF16, {one}, {one}, two_to_11), two_to_11);
  EXPECT_EQ(Product(DType::kF16, DType::kF16, DType::kF16, {one, one}, {one, one}, two_to_11),
            two_to_11 + 1);
}

TEST(Tiles, NanIsTheOneNanOfTheHardware) {
  const uint64_t infinity = F32(std::numeric_limits<float>::infinity());
  EXPECT_EQ(Product(DType::kTF32, DType::kTF32, DType::kF32, {infinity}, {F32(0)}, 0), 0x7fffffffu);
}

TEST(Tiles, IntegersAreSignedOrNotByTheirOwnTypeAndSumsWrap) {
  const auto s8 = [](int v) { return static_cast<uint64_t>(static_cast<int64_t>(v)); };
  EXPECT_EQ(
      static_cast<int64_t>(Product(DType::kI8, DType::kU8, DType::kI32, {s8(-128)}, {255}, s8(5))),
      -128 * 255 + 5);
  EXPECT_EQ(
      static_cast<int64_t>(Product(DType::kU8, DType::kU8, DType::kI32, {200}, {200}, 0, false)),
      40000);
  EXPECT_EQ(
      static_cast<int64_t>(Product(DType::kU8, DType::kU8, DType::kI32, {1}, {1}, 0x7fffffff)),
      std::numeric_limits<int32_t>::min());
}

TEST(Tiles, SaturatingSumsEndAtTheEndsOfTheirType) {
  const auto sum = [](int a, int b, int32_t d) {
    const auto bits = [](int64_t v) { return static_cast<uint64_t>(v); };
    return static_cast<int64_t>(
        Product(DType::kI8, DType::kI8, DType::kI32, {bits(a)}, {bits(b)}, bits(d), true, true));
  };
  constexpr int32_t kMost = std::numeric_limits<int32_t>::max();
  constexpr int32_t kLeast = std::numeric_limits<int32_t>::min();
  EXPECT_EQ(sum(1, 1, kMost), kMost);
  EXPECT_EQ(sum(-1, 1, kMost), kMost - 1);
  EXPECT_EQ(sum(-128, 127, kLeast + 1), kLeast);
  EXPECT_EQ(sum(-128, -128, kLeast), kLeast + 16384);
  EXPECT_EQ(sum(3, -5, 7), -8);
}

// OCP 8-bit floating point specification, tables 1 and 2: the corners of both formats.
TEST(Tiles, EightBitFloatsHaveTheValuesOfTheirSpecification) {
  const auto value = [](DType type, uint64_t bits) {
    const uint64_t one = type == DType::kE4M3 ? 0x38 : 0x3c;
    return std::bit_cast<float>(
        static_cast<uint32_t>(Product(type, type, DType::kF32, {bits}, {one}, 0, false)));
  };
  EXPECT_EQ(value(DType::kE4M3, 0x7e), 448.0f);
  EXPECT_EQ(value(DType::kE4M3, 0x08), std::ldexp(1.0f, -6));
  EXPECT_EQ(value(DType::kE4M3, 0x07), std::ldexp(0.875f, -6));
  EXPECT_EQ(value(DType::kE4M3, 0x01), std::ldexp(1.0f, -9));
  EXPECT_EQ(value(DType::kE4M3, 0xfe), -448.0f);
  EXPECT_TRUE(std::isnan(value(DType::kE4M3, 0x7f)));
  EXPECT_TRUE(std::isnan(value(DType::kE4M3, 0xff)));
  EXPECT_EQ(value(DType::kE5M2, 0x7b), 57344.0f);
  EXPECT_EQ(value(DType::kE5M2, 0x04), std::ldexp(1.0f, -14));
  EXPECT_EQ(value(DType::kE5M2, 0x01), std::ldexp(1.0f, -16));
  EXPECT_EQ(value(DType::kE5M2, 0x7c), std::numeric_limits<float>::infinity());
  EXPECT_TRUE(std::isnan(value(DType::kE5M2, 0x7d)));
}

}  // namespace
}  // namespace compiler::ops
