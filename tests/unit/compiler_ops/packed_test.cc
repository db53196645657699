// Packed arithmetic, half by half, against exact sums in 113 bits.
#include "compiler/ir/packed.h"

#include <gtest/gtest.h>

#include <cmath>

#include "compiler/ir/constant.h"
#include "tests/unit/compiler_ops/meaning_support.h"

namespace compiler::ops {
namespace {

using Exact = __float128;

uint64_t Apply(std::string_view op, DType type, const std::vector<uint64_t>& operands,
               std::vector<std::string_view> modifiers = {}, bool ftz = false) {
  const Scalar result = RunScalar({.op = op,
                                   .operand_type = type,
                                   .result_type = type,
                                   .modifiers = std::move(modifiers),
                                   .ftz = ftz},
                                  operands);
  EXPECT_EQ(result.error, "");
  return result.bits;
}

Exact Absolute(Exact x) { return x < 0 ? -x : x; }

// Whether the half is the value nearest to `exact`, ties to even; its neighbours are one code away.
bool IsNearest(DType type, uint64_t half, Exact exact) {
  const uint64_t magnitude = half & 0x7fff;
  const uint64_t sign = half & 0x8000;
  const uint64_t infinity = type == DType::kF16 ? 0x7c00 : 0x7f80;
  const auto value = [&](uint64_t code) -> Exact {
    // One unit above the largest finite value is where infinity begins.
    if (code == infinity) {
      return 2 * static_cast<Exact>(ir::DecodeFloat(type, infinity - 1)) -
             static_cast<Exact>(ir::DecodeFloat(type, infinity - 2));
    }
    return static_cast<Exact>(ir::DecodeFloat(type, code));
  };
  const Exact distance = Absolute(Absolute(exact) - value(magnitude));
  if (exact != 0 && (exact < 0) != (sign != 0) && magnitude != 0) return false;
  if (magnitude == infinity && Absolute(exact) >= value(infinity)) return true;
  for (const uint64_t other : {magnitude + 1, magnitude - 1}) {
    if (other > infinity) continue;  // below zero wraps
    const Exact there = Absolute(Absolute(exact) - value(other));
    if (there < distance || (there == distance && magnitude % 2 != 0)) return false;
  }
  return true;
}

struct Case {
  std::string_view op;
  size_t operands;
  Exact (*exact)(Exact, Exact, Exact);
};
constexpr Case kCases[] = {{"+", 2, [](Exact a, Exact b, Exact) { return a + b; }},
                           {"-", 2, [](Exact a, Exact b, Exact) { return a - b; }},
                           {"*", 2, [](Exact a, Exact b, Exact) { return a * b; }},
                           {"fma", 3, [](Exact a, Exact b, Exact c) { return a * b + c; }}};

// Finite halves whose exponents lie close enough for 113 bits to hold every sum exactly.
uint64_t FiniteHalf(DType type, std::mt19937_64& generator) {
  const uint64_t code = generator() & 0xffff;
  if (type == DType::kF16) return (code & 0x7c00) == 0x7c00 ? code & 0xbfff : code;
  const uint64_t exponent = 110 + (generator() % 34);
  return (code & 0x807f) | exponent << 7;
}

TEST(PackedTest, EachHalfIsRoundedOnce) {
  std::mt19937_64 generator(17);
  for (const DType packed : {DType::kF16x2, DType::kBF16x2}) {
    const DType type = ir::ElementOf(packed);
    for (const Case& c : kCases) {
      for (int i = 0; i < 20000; ++i) {
        std::vector<uint64_t> operands;
        Exact low[3] = {}, high[3] = {};
        for (size_t k = 0; k < c.operands; ++k) {
          const uint64_t a = FiniteHalf(type, generator);
          const uint64_t b = FiniteHalf(type, generator);
          operands.push_back(a | b << 16);
          low[k] = static_cast<Exact>(ir::DecodeFloat(type, a));
          high[k] = static_cast<Exact>(ir::DecodeFloat(type, b));
        }
        const uint64_t bits = Apply(c.op, packed, operands);
        ASSERT_TRUE(IsNearest(type, bits & 0xffff, c.exact(low[0], low[1], low[2])))
            << c.op << " " << std::hex << operands[0] << " " << operands[1] << " " << bits;
        ASSERT_TRUE(IsNearest(type, bits >> 16, c.exact(high[0], high[1], high[2])))
            << c.op << " " << std::hex << operands[0] << " " << operands[1] << " " << bits;
      }
    }
  }
}

// A sum that is a tie but for an addend far below: the direction of the rest decides.
TEST(PackedTest, WhatIsFarBelowATieDecides) {
  const auto bf16 = [](double x) { return ir::EncodeFloat(DType::kBF16x2, x); };
  const uint64_t tie = bf16(std::ldexp(1.0, -8));
  EXPECT_EQ(Apply("fma", DType::kBF16x2, {bf16(1), tie, bf16(1)}), bf16(1));
  EXPECT_EQ(Apply("fma", DType::kBF16x2, {bf16(std::ldexp(1.0, -60)), bf16(1), bf16(1)}), bf16(1));
  // (1 + 2^-7) * 2^-8 is above half a unit of 1; 1.9921875 * 2^-9 below it.
  EXPECT_EQ(Apply("fma", DType::kBF16x2, {bf16(1 + std::ldexp(1.0, -7)), tie, bf16(1)}),
            bf16(1 + std::ldexp(1.0, -7)));
  EXPECT_EQ(Apply("fma", DType::kBF16x2, {bf16(1.9921875), bf16(std::ldexp(1.0, -9)), bf16(1)}),
            bf16(1));
}

TEST(PackedTest, SpecialValuesAreTheHardwares) {
  const uint64_t infinity = 0x7c007c00, one = 0x3c003c00, nan = 0x7e017e01;
  EXPECT_EQ(Apply("-", DType::kF16x2, {infinity, infinity}), 0x7fff7fffu);
  EXPECT_EQ(Apply("+", DType::kF16x2, {nan, one}), 0x7fff7fffu);
  EXPECT_EQ(Apply("*", DType::kF16x2, {0x7bff7bff, 0x7bff7bff}), infinity);
  EXPECT_EQ(Apply("max", DType::kF16x2, {nan, one}), one);
  EXPECT_EQ(Apply("max", DType::kF16x2, {nan, one}, {"nan"}), 0x7fff7fffu);
  EXPECT_EQ(Apply("min", DType::kBF16x2, {0x00008000, 0x80000000}), 0x80008000u);
  EXPECT_EQ(Apply("-", DType::kF16x2, {0x80003c00}), 0x0000bc00u);
  EXPECT_EQ(Apply("abs", DType::kBF16x2, {0x8000ff81}), 0x00007f81u);
}

TEST(PackedTest, FlushesWhereTheInstructionHasTheWord) {
  const uint64_t tiny = 0x00010001;  // the smallest subnormal of either type
  EXPECT_EQ(Apply("+", DType::kF16x2, {tiny, tiny}), 0x00020002u);
  EXPECT_EQ(Apply("+", DType::kF16x2, {tiny, tiny}, {}, true), 0u);
  EXPECT_EQ(Apply("*", DType::kF16x2, {0x04000400, 0x38003800}, {}, true), 0u);
  EXPECT_EQ(Apply("+", DType::kBF16x2, {tiny, tiny}, {}, true), 0x00020002u);
}

TEST(PackedTest, F32PairsComputeAsTwoF32) {
  for (const float a : FloatSamples(300)) {
    for (const float b : {3.0f, -0.5f, 1e-38f, 1e30f}) {
      const uint64_t x = Bits(a) | Bits(b) << 32;
      const uint64_t y = Bits(b) | Bits(a) << 32;
      for (const std::string_view op : {"+", "-", "*"}) {
        for (const bool ftz : {false, true}) {
          const uint64_t low = Apply(op, DType::kF32, {Bits(a), Bits(b)}, {}, ftz);
          const uint64_t high = Apply(op, DType::kF32, {Bits(b), Bits(a)}, {}, ftz);
          ASSERT_EQ(Apply(op, DType::kF32x2, {x, y}, {}, ftz), low | high << 32)
              << a << op << b << ftz;
        }
      }
      ASSERT_EQ(Apply("fma", DType::kF32x2, {x, y, x}),
                Apply("fma", DType::kF32, {Bits(a), Bits(b), Bits(a)}) |
                    Apply("fma", DType::kF32, {Bits(b), Bits(a), Bits(b)}) << 32)
          << a << " " << b;
    }
  }
}

TEST(PackedTest, ApproximationsAreTheRoundedFunction) {
  for (uint64_t code = 0; code < 0x10000; ++code) {
    const double x = ir::DecodeFloat(DType::kF16, code);
    if (std::isnan(x)) continue;
    const uint64_t bits = Apply("exp2", DType::kF16x2, {code}, {"approx"}) & 0xffff;
    const double exact = std::exp2(x);
    const double got = ir::DecodeFloat(DType::kF16, bits);
    if (exact > 65504) continue;
    ASSERT_LE(std::abs(got - exact), std::max(exact * std::ldexp(1.0, -11), std::ldexp(1.0, -25)))
        << code;
  }
  EXPECT_EQ(Apply("tanh", DType::kBF16x2, {0x3f800000}, {"approx"}),
            ir::EncodeFloat(DType::kBF16, ir::RoundTo(DType::kBF16, std::tanh(1.0))) << 16);
}

TEST(PackedTest, LanesReduceEachHalf) {
  LaneVector x;
  for (size_t lane = 0; lane < 32; ++lane) {
    x.bits[lane] = ir::EncodeFloat(DType::kF16, static_cast<double>(lane)) |
                   ir::EncodeFloat(DType::kF16, -static_cast<double>(lane)) << 16;
  }
  const auto reduce = [&](std::string_view op, int width) {
    return CallMeaning({.op = op,
                        .operand_type = DType::kF16x2,
                        .result_type = DType::kF16x2,
                        .width = width},
                       {x})
        .value;
  };
  const auto pair = [](double low, double high) {
    return ir::EncodeFloat(DType::kF16, low) | ir::EncodeFloat(DType::kF16, high) << 16;
  };
  EXPECT_EQ(reduce("lanes.sum", 32).bits[5], pair(496, -496));
  EXPECT_EQ(reduce("lanes.sum", 4).bits[5], pair(22, -22));
  EXPECT_EQ(reduce("lanes.max", 8).bits[20], pair(23, -16));
  EXPECT_EQ(reduce("lanes.min", 32).bits[0], pair(0, -31));
}

TEST(PackedTest, HalvesOfAWordAreSignedAsTheWord) {
  EXPECT_EQ(Apply("vmin", DType::kU32, {0xffff0001, 0x00028000}), 0x00020001u);
  EXPECT_EQ(Apply("vmin", DType::kI32, {0xffffffffffff0001, 0x28000}), Bits(int32_t{-32768}));
  EXPECT_EQ(Apply("vmax", DType::kI32, {0xffffffffffff0001, 0x28000}), 0x00020001u);
}

}  // namespace
}  // namespace compiler::ops
