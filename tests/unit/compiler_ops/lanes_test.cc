#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "tests/unit/compiler_ops/meaning_support.h"

namespace compiler::ops {
namespace {

constexpr int kWidths[] = {2, 4, 8, 16, 32};

template <typename T>
LaneVector Lanes(const std::vector<T>& values) {
  LaneVector vector;
  for (size_t i = 0; i < values.size(); ++i) vector.bits[i] = Bits(values[i]);
  return vector;
}

std::vector<float> RandomFloats(uint64_t seed) {
  std::mt19937_64 generator(seed);
  std::vector<float> values;
  for (int i = 0; i < 32; ++i) {
    values.push_back(
        std::ldexp(static_cast<float>(generator() >> 40), static_cast<int>(seed % 9) - 20) -
        static_cast<float>(i));
  }
  return values;
}

// The order of the language written as a tree: a pair, a pair of pairs, ..
float TreeSum(const std::vector<float>& values, size_t begin, size_t count) {
  if (count == 1) return values[begin];
  return TreeSum(values, begin, count / 2) + TreeSum(values, begin + count / 2, count / 2);
}

TEST(LanesTest, SumsCombineNeighboursFirst) {
  for (uint64_t seed = 1; seed < 40; ++seed) {
    const std::vector<float> values = RandomFloats(seed);
    for (const int width : kWidths) {
      const Outcome got = CallMeaning(
          {.op = "lanes.sum", .operand_type = DType::kF32, .width = width}, {Lanes(values)});
      ASSERT_EQ(got.error, "");
      for (int lane = 0; lane < 32; ++lane) {
        const size_t begin = static_cast<size_t>(lane / width * width);
        EXPECT_EQ(got.value.bits[static_cast<size_t>(lane)],
                  Bits(TreeSum(values, begin, static_cast<size_t>(width))));
      }
    }
  }
}

TEST(LanesTest, IntegerSumsReportOverflowAndUnsignedWrap) {
  const std::vector<int32_t> large(32, std::numeric_limits<int32_t>::max());
  EXPECT_EQ(CallMeaning({.op = "lanes.sum", .operand_type = DType::kI32}, {Lanes(large)}).error,
            "signed overflow");
  const std::vector<uint32_t> wrapping(32, 0x80000001u);
  const Outcome got =
      CallMeaning({.op = "lanes.sum", .operand_type = DType::kU32}, {Lanes(wrapping)});
  EXPECT_EQ(got.value.bits[7], 32u);
}

TEST(LanesTest, ExtremesIgnoreNan) {
  std::vector<float> values = RandomFloats(3);
  values[5] = std::numeric_limits<float>::quiet_NaN();
  for (const int width : kWidths) {
    const Outcome high = CallMeaning(
        {.op = "lanes.max", .operand_type = DType::kF32, .width = width}, {Lanes(values)});
    const Outcome low = CallMeaning(
        {.op = "lanes.min", .operand_type = DType::kF32, .width = width}, {Lanes(values)});
    for (int lane = 0; lane < 32; ++lane) {
      float best = -std::numeric_limits<float>::infinity();
      float worst = -best;
      for (int other = lane / width * width; other < lane / width * width + width; ++other) {
        const float x = values[static_cast<size_t>(other)];
        if (std::isnan(x)) continue;
        best = std::max(best, x);
        worst = std::min(worst, x);
      }
      EXPECT_EQ(high.value.bits[static_cast<size_t>(lane)], Bits(best));
      EXPECT_EQ(low.value.bits[static_cast<size_t>(lane)], Bits(worst));
    }
  }
}

TEST(LanesTest, ArgExtremesBreakTiesByTheLowestIndex) {
  std::vector<float> values(32, 1.0f);
  std::vector<int32_t> index;
  for (int i = 0; i < 32; ++i) index.push_back(100 - i);
  values[9] = values[20] = 7.0f;
  values[11] = std::numeric_limits<float>::quiet_NaN();
  values[3] = values[30] = -2.0f;
  const Outcome high = CallMeaning({.op = "lanes.argmax", .operand_type = DType::kF32},
                                   {Lanes(values), Lanes(index)});
  const Outcome low = CallMeaning({.op = "lanes.argmin", .operand_type = DType::kF32},
                                  {Lanes(values), Lanes(index)});
  for (size_t lane = 0; lane < 32; ++lane) {
    EXPECT_EQ(high.value.bits[lane], Bits(7.0f));
    EXPECT_EQ(high.second.bits[lane], Bits(int32_t{80}));
    EXPECT_EQ(low.value.bits[lane], Bits(-2.0f));
    EXPECT_EQ(low.second.bits[lane], Bits(int32_t{70}));
  }
  const std::vector<float> nothing(32, std::numeric_limits<float>::quiet_NaN());
  const Outcome none = CallMeaning({.op = "lanes.argmax", .operand_type = DType::kF32, .width = 4},
                                   {Lanes(nothing), Lanes(index)});
  EXPECT_EQ(none.second.bits[0], Bits(int32_t{97}));
}

TEST(LanesTest, Votes) {
  LaneVector condition;
  for (size_t lane = 8; lane < 16; ++lane) condition.bits[lane] = 1;
  condition.bits[17] = 1;
  const auto vote = [&](std::string_view op, int width) {
    return CallMeaning({.op = op, .operand_type = DType::kBool, .width = width}, {condition}).value;
  };
  EXPECT_EQ(vote("lanes.any", 8).bits[0], 0u);
  EXPECT_EQ(vote("lanes.any", 8).bits[16], 1u);
  EXPECT_EQ(vote("lanes.all", 8).bits[8], 1u);
  EXPECT_EQ(vote("lanes.all", 16).bits[8], 0u);
  EXPECT_EQ(vote("lanes.any", 32).bits[31], 1u);
  EXPECT_EQ(vote("lanes.ballot", 32).bits[31], 0x2ff00u);
}

TEST(LanesTest, ScansAreSumsOfWhatIsBefore) {
  std::vector<int64_t> values;
  for (int i = 0; i < 32; ++i) values.push_back(i * i - 7);
  for (const int width : kWidths) {
    const Call scan{.op = "lanes.scan_sum", .operand_type = DType::kI64, .width = width};
    const Call before{.op = "lanes.exscan_sum", .operand_type = DType::kI64, .width = width};
    const LaneVector inclusive = CallMeaning(scan, {Lanes(values)}).value;
    const LaneVector exclusive = CallMeaning(before, {Lanes(values)}).value;
    int64_t sum = 0;
    for (size_t lane = 0; lane < 32; ++lane) {
      if (lane % static_cast<size_t>(width) == 0) sum = 0;
      EXPECT_EQ(exclusive.bits[lane], Bits(sum));
      sum += values[lane];
      EXPECT_EQ(inclusive.bits[lane], Bits(sum));
    }
  }
}

TEST(LanesTest, ShufflesKeepTheOwnValueWithoutASource) {
  std::vector<int32_t> values;
  for (int i = 0; i < 32; ++i) values.push_back(1000 + i);
  const auto run = [&](std::string_view op, int32_t d, int width) {
    const std::vector<int32_t> distance(32, d);
    return CallMeaning({.op = op, .operand_type = DType::kI32, .width = width},
                       {Lanes(values), Lanes(distance)});
  };
  for (const int width : kWidths) {
    for (int d = 0; d < 32; ++d) {
      const LaneVector idx = run("shfl.idx", d, width).value;
      const LaneVector up = run("shfl.up", d, width).value;
      const LaneVector down = run("shfl.down", d, width).value;
      const LaneVector by_xor = run("shfl.xor", d, width).value;
      for (int lane = 0; lane < 32; ++lane) {
        const int start = lane / width * width;
        const auto at = static_cast<size_t>(lane);
        EXPECT_EQ(idx.bits[at], Bits(int32_t{1000 + start + d % width}));
        EXPECT_EQ(up.bits[at], Bits(int32_t{1000 + (lane - d >= start ? lane - d : lane)}));
        EXPECT_EQ(down.bits[at],
                  Bits(int32_t{1000 + (lane + d < start + width ? lane + d : lane)}));
        EXPECT_EQ(by_xor.bits[at],
                  Bits(int32_t{1000 + ((lane ^ d) < start + width ? lane ^ d : lane)}));
      }
    }
  }
  EXPECT_EQ(run("shfl.up", 32, 32).error, "shuffle distance outside 0..32");
  EXPECT_EQ(run("shfl.xor", -1, 32).error, "shuffle distance outside 0..32");
  EXPECT_EQ(run("shfl.idx", -1, 8).value.bits[9], Bits(int32_t{1015}));
}

TEST(LanesTest, FirstIsTheFirstOfTheGroup) {
  std::vector<int32_t> values;
  for (int i = 0; i < 32; ++i) values.push_back(i);
  const LaneVector got =
      CallMeaning({.op = "lanes.first", .operand_type = DType::kI32, .width = 8}, {Lanes(values)})
          .value;
  EXPECT_EQ(got.bits[31], 24u);
  EXPECT_EQ(got.bits[7], 0u);
}

TEST(LanesTest, UndefinedLanesSpreadOverTheirGroupOnly) {
  LaneVector values = Lanes(RandomFloats(2));
  values.undefined = 1u << 9;
  const Outcome got =
      CallMeaning({.op = "lanes.sum", .operand_type = DType::kF32, .width = 8}, {values});
  EXPECT_EQ(got.error, "");
  EXPECT_EQ(got.value.undefined, 0x0000ff00u);
}

TEST(LanesTest, PartOfAGroupIsAnError) {
  const LaneVector values = Lanes(RandomFloats(2));
  EXPECT_EQ(
      CallMeaning({.op = "lanes.sum", .operand_type = DType::kF32, .width = 8, .mask = 0xff0f},
                  {values})
          .error,
      "not all lanes of the group take part");
  EXPECT_EQ(
      CallMeaning({.op = "lanes.sum", .operand_type = DType::kF32, .width = 8, .mask = 0xff00},
                  {values})
          .error,
      "");
}

TEST(BitsTest, CountsReversalsAndPermutations) {
  const auto run = [](std::string_view op, DType type, std::vector<uint64_t> operands) {
    return RunScalar({.op = op, .operand_type = type, .result_type = type}, operands).bits;
  };
  EXPECT_EQ(run("clz", DType::kU32, {0}), 32u);
  EXPECT_EQ(run("clz", DType::kI32, {Bits(int32_t{-1})}), 0u);
  EXPECT_EQ(run("clz", DType::kU64, {1}), 63u);
  EXPECT_EQ(run("popc", DType::kI32, {Bits(int32_t{-1})}), 32u);
  EXPECT_EQ(run("brev", DType::kU32, {1}), 0x80000000u);
  EXPECT_EQ(run("brev", DType::kI32, {1}), Bits(std::numeric_limits<int32_t>::min()));
  EXPECT_EQ(run("brev", DType::kU64, {0xf}), 0xf000000000000000u);
  EXPECT_EQ(run("prmt", DType::kU32, {0x33221100, 0x77665584, 0x5410}), 0x55841100u);
  EXPECT_EQ(run("prmt", DType::kU32, {0x33221100, 0x77665584, 0xc4}), 0x0000ff84u);
  const uint32_t a = 0xf0f0a5c3;
  const uint32_t b = 0xccaa0f33;
  const uint32_t c = 0xaa335577;
  EXPECT_EQ(run("lop3", DType::kU32, {a, b, c, 0xf0}), a);
  EXPECT_EQ(run("lop3", DType::kU32, {a, b, c, 0xcc}), b);
  EXPECT_EQ(run("lop3", DType::kU32, {a, b, c, 0xaa}), c);
  EXPECT_EQ(run("lop3", DType::kU32, {a, b, c, 0x96}), a ^ b ^ c);
  EXPECT_EQ(run("lop3", DType::kU32, {a, b, c, 0xe8}), (a & b) | (b & c) | (a & c));
  EXPECT_EQ(RunScalar({.op = "lop3", .operand_type = DType::kU32}, {a, b, c, 256}).error,
            "lop3 table outside 0..=255");
}

}  // namespace
}  // namespace compiler::ops
