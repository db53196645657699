// redux, match and mul.hi against loops over the lanes.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "tests/unit/compiler_ops/meaning_support.h"

namespace compiler::ops {
namespace {

template <typename T>
void CheckRedux(uint64_t seed) {
  std::mt19937_64 generator(seed);
  std::vector<T> x(32);
  LaneVector lanes;
  for (size_t lane = 0; lane < 32; ++lane) {
    x[lane] = static_cast<T>(generator());
    lanes.bits[lane] = Bits(x[lane]);
  }
  uint32_t sum = 0, all = ~uint32_t{0}, any = 0, odd = 0;
  for (const T value : x) {
    const auto word = static_cast<uint32_t>(value);
    sum += word;
    all &= word;
    any |= word;
    odd ^= word;
  }
  const std::map<std::string_view, T> expected = {
      {"redux.add", static_cast<T>(sum)},
      {"redux.min", *std::min_element(x.begin(), x.end())},
      {"redux.max", *std::max_element(x.begin(), x.end())},
      {"redux.and", static_cast<T>(all)},
      {"redux.or", static_cast<T>(any)},
      {"redux.xor", static_cast<T>(odd)}};
  for (const auto& [op, value] : expected) {
    const Outcome outcome =
        CallMeaning({.op = op, .operand_type = DTypeOf<T>(), .result_type = DTypeOf<T>()}, {lanes});
    EXPECT_EQ(outcome.error, "");
    for (const uint64_t bits : outcome.value.bits) EXPECT_EQ(bits, Bits(value)) << op;
  }
}

TEST(ReduxTest, EveryLaneGetsTheResultOfAll) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    CheckRedux<int32_t>(seed);
    CheckRedux<uint32_t>(seed);
  }
}

TEST(ReduxTest, NeedsTheWholeWarpAndSpreadsWhatIsUndefined) {
  LaneVector lanes;
  EXPECT_EQ(CallMeaning({.op = "redux.add", .mask = 0xffff}, {lanes}).error,
            "not all lanes of the warp take part");
  lanes.undefined = 1u << 7;
  EXPECT_EQ(CallMeaning({.op = "redux.max"}, {lanes}).value.undefined, 0xffffffffu);
  EXPECT_EQ(CallMeaning({.op = "match.any"}, {lanes}).value.undefined, 0xffffffffu);
}

TEST(MatchTest, SaysWhoHasTheSame) {
  LaneVector lanes;
  for (size_t lane = 0; lane < 32; ++lane) lanes.bits[lane] = lane % 3;
  const Outcome any = CallMeaning({.op = "match.any", .result_type = DType::kU32}, {lanes});
  for (size_t lane = 0; lane < 32; ++lane) {
    for (size_t other = 0; other < 32; ++other) {
      EXPECT_EQ(any.value.bits[lane] >> other & 1, lane % 3 == other % 3 ? 1u : 0u);
    }
  }
  EXPECT_EQ(CallMeaning({.op = "match.all", .result_type = DType::kBool}, {lanes}).value.bits[4],
            0u);
  lanes.bits.fill(9);
  EXPECT_EQ(CallMeaning({.op = "match.all", .result_type = DType::kBool}, {lanes}).value.bits[4],
            1u);
}

TEST(MultiplyHighTest, IsTheHighHalfOfTheWholeProduct) {
  for (const int32_t a : IntegerSamples<int32_t>(30)) {
    for (const int32_t b : IntegerSamples<int32_t>(30)) {
      const int64_t product = int64_t{a} * b;
      EXPECT_EQ(RunScalar({.op = "mul.hi"}, {Bits(a), Bits(b)}).bits,
                Bits(static_cast<int32_t>(product >> 32)));
    }
  }
  const Call wide{.op = "mul.hi", .operand_type = DType::kU64, .result_type = DType::kU64};
  EXPECT_EQ(RunScalar(wide, {~uint64_t{0}, ~uint64_t{0}}).bits, ~uint64_t{0} - 1);
  EXPECT_EQ(RunScalar(wide, {uint64_t{1} << 63, 6}).bits, 3u);
}

}  // namespace
}  // namespace compiler::ops
