#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "runner/oracle/compare.h"
#include "runner/oracle/generate.h"
#include "runner/oracle/judge.h"
#include "runner/oracle/philox.h"
#include "runner/reference/numbers.h"
#include "runner/reference/parallel.h"
#include "tests/unit/runner_oracle/arena.h"

namespace runner::oracle {
namespace {

using compiler::ir::DType;
using contract::Verdict;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST_F(Judging, HonestRunsOfEveryMachineCasePass) {
  for (const std::string& path : CorpusContracts()) {
    const contract::Workload workload = LoadPath(path);
    for (const contract::Case& at : workload.cases) {
      if (at.tier != contract::Tier::kMachine) continue;
      Arena arena(workload, at.name, 7);
      arena.AddRun(1, 0);
      arena.AddRun(2, 0);
      const CaseResult result = arena.Judge();
      EXPECT_EQ(result.verdict, Verdict::kCorrect) << workload.name << " " << at.name;
      EXPECT_THAT(Failed(result), IsEmpty());
    }
  }
}

TEST_F(Judging, FlippedElementIsAWrongResultWithItsPlace) {
  Arena arena = Honest();
  for (int run : {0, 1}) {
    auto y = arena.Data(run, "y");
    const uint16_t wrong = 0x4348;  // 200
    std::memcpy(y.data() + 2 * (3 * 1000 + 17), &wrong, 2);
  }
  const CaseResult result = arena.Judge();
  EXPECT_EQ(result.verdict, Verdict::kWrongResult);
  EXPECT_THAT(Failed(result), ElementsAre("correct"));
  ASSERT_TRUE(result.difference.has_value());
  EXPECT_THAT(result.difference->index, ElementsAre(3, 17));
  EXPECT_EQ(result.difference->got, 200);
  EXPECT_EQ(result.difference->wrong, 1);
  EXPECT_EQ(result.difference->elements, 7000);
}

TEST_F(Judging, UnwrittenTailIsIncomplete) {
  Arena arena(workload_, "ragged", 42);
  for (uint64_t poison : {5, 6}) arena.AddRun(poison, 0);
  for (int run : {0, 1}) {
    auto y = arena.Data(run, "y");
    FillPoison(DType::kBF16, run == 0 ? 5 : 6, 2, y, 1);
    Arena whole(workload_, "ragged", 42);
    whole.AddRun(9, 0);
    auto right = whole.Data(0, "y");
    std::copy(right.begin(), right.begin() + 2 * 6990, y.begin());
  }
  const CaseResult result = arena.Judge();
  EXPECT_EQ(result.verdict, Verdict::kIncompleteOutput);
  EXPECT_THAT(Failed(result), ElementsAre("fully_written", "correct"));
  EXPECT_THAT(result.checks[2].detail, HasSubstr("10 of 7000 elements of y"));
  EXPECT_THAT(result.checks[2].detail, HasSubstr("element 6990"));
}

TEST_F(Judging, ModifiedInputIsItsOwnVerdict) {
  Arena arena = Honest();
  arena.Data(1, "w")[11] ^= std::byte{1};
  const CaseResult result = arena.Judge();
  EXPECT_EQ(result.verdict, Verdict::kInputModified);
  EXPECT_THAT(Failed(result), ElementsAre("inputs_unchanged"));
  EXPECT_THAT(result.checks[1].detail, HasSubstr("byte 11 of input w"));
}

TEST_F(Judging, BrokenCanaryIsAnOutOfBoundsWrite) {
  Arena arena = Honest();
  auto y = arena.Data(0, "y");
  y.data()[y.size() + 5] ^= std::byte{0xff};
  const CaseResult result = arena.Judge();
  EXPECT_EQ(result.verdict, Verdict::kOutOfBoundsWrite);
  EXPECT_THAT(Failed(result), ElementsAre("canaries"));
  EXPECT_THAT(result.checks[0].detail, HasSubstr("wrote 5 bytes after the end of y"));
}

TEST_F(Judging, RunsThatDifferAreNondeterministic) {
  Arena arena = Honest();
  arena.Data(1, "y")[100] ^= std::byte{1};  // one unit in the last place: still within the bound
  const CaseResult result = arena.Judge();
  EXPECT_EQ(result.verdict, Verdict::kNondeterministic);
  EXPECT_THAT(Failed(result), ElementsAre("repeatable"));
}

TEST_F(Judging, OldOutputsForNewInputsAreStale) {
  Arena arena = Honest();
  auto old = arena.Data(0, "y");
  auto fresh = arena.Data(2, "y");
  std::copy(old.begin(), old.end(), fresh.begin());
  const CaseResult result = arena.Judge();
  EXPECT_EQ(result.verdict, Verdict::kStaleOutput);
  EXPECT_THAT(Failed(result), ElementsAre("fresh_inputs", "correct"));
}

TEST_F(Judging, MissingBufferIsAnErrorOfOurs) {
  const auto result =
      JudgeCase(workload_, *contract::FindCase(workload_, "tile"), 1, {oracle::Run{}}, 1);
  EXPECT_FALSE(result.ok());
}

TEST(Compare, SpecialValuesMustStandAtTheirPlaces) {
  const contract::Workload workload = Load("vector_add");
  for (uint32_t wrong : {0x7F800000u /* +Inf */, 0x3F800000u /* 1 */}) {
    Arena arena(workload, "specials", 3);
    arena.AddRun(1, 0);
    auto c = arena.Data(0, "c");
    int64_t nan = -1;
    for (int64_t i = 0; i < static_cast<int64_t>(c.size()) / 4 && nan < 0; ++i) {
      if (std::isnan(reference::LoadElement(DType::kF32, c.data() + 4 * i))) nan = i;
    }
    ASSERT_GE(nan, 0);
    std::memcpy(c.data() + 4 * nan, &wrong, 4);
    const CaseResult result = arena.Judge();
    EXPECT_EQ(result.verdict, Verdict::kWrongResult);
    EXPECT_THAT(result.difference->index, ElementsAre(nan));
    EXPECT_TRUE(std::isinf(result.difference->worst));
  }
}

// Equal values in another order pass, a column given twice or a smaller value do not.
TEST(Compare, IndicesAreJudgedByWhatTheyLose) {
  const contract::Workload workload = Load("row_topk");
  const auto judged = [&](auto&& change) {
    Arena arena(workload, "equal", 3);
    arena.AddRun(1, 0);
    auto bytes = arena.Data(0, "i");
    std::vector<int32_t> ids(bytes.size() / 4);
    std::memcpy(ids.data(), bytes.data(), bytes.size());
    change(ids);
    std::memcpy(bytes.data(), ids.data(), bytes.size());
    return arena.Judge();
  };
  EXPECT_EQ(judged([](auto& ids) { std::swap(ids[0], ids[5]); }).verdict, Verdict::kCorrect);
  EXPECT_EQ(judged([](auto& ids) { ids[0] = 99; }).verdict, Verdict::kCorrect);
  for (const int32_t wrong : {-1, 100, 2}) {
    const CaseResult result = judged([&](auto& ids) { ids[8] = wrong; });
    EXPECT_EQ(result.verdict, wrong == 2 ? Verdict::kCorrect : Verdict::kWrongResult) << wrong;
  }
  const CaseResult twice = judged([](auto& ids) { ids[8] = ids[6]; });
  EXPECT_EQ(twice.verdict, Verdict::kWrongResult);
  EXPECT_THAT(twice.difference->index, ElementsAre(1, 2));
}

TEST(Compare, WhatSumsLoseIsRelativeToTheirTerms) {
  const contract::Compare compare{.output = "y", .output_ulps = 1, .operand = DType::kBF16};
  // A result of 2 from terms of 1000: one rounding of the result, two of the factors.
  const double factors = 2 * std::ldexp(1.0, -8) * 1000;
  EXPECT_DOUBLE_EQ(Allowed(compare, DType::kF16, 0, 2, 1000),
                   std::ldexp(2.0, -11) + factors + std::ldexp(1.0, -25));
  EXPECT_DOUBLE_EQ(Allowed({.output_ulps = 0, .flush = true}, DType::kF32, 0, 0, 0),
                   std::ldexp(1.0, -126));
  EXPECT_DOUBLE_EQ(Allowed({.metric = contract::Metric::kRegret}, DType::kI32, 128, 7, 4),
                   128 * std::ldexp(4.0, -24));
}

TEST(Compare, OneUlpOffFailsWhereOneRoundingIsAllowed) {
  const contract::Workload workload = Load("vector_add");
  Arena arena(workload, "tile", 3);
  arena.AddRun(1, 0);
  auto c = arena.Data(0, "c");
  uint32_t bits = 0;
  std::memcpy(&bits, c.data() + 400, 4);
  ++bits;
  std::memcpy(c.data() + 400, &bits, 4);
  EXPECT_EQ(arena.Judge().verdict, Verdict::kWrongResult);
}

TEST(Philox, KnownAnswers) {
  EXPECT_THAT(Philox({0, 0, 0, 0}, {0, 0}),
              ElementsAre(0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8));
  EXPECT_THAT(Philox({0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}, {0xffffffff, 0xffffffff}),
              ElementsAre(0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd));
}

TEST(Numbers, SixteenBitFloatsRoundTripEveryPattern) {
  for (DType dtype : {DType::kBF16, DType::kF16}) {
    for (uint32_t pattern = 0; pattern < 0x10000; ++pattern) {
      const auto bits = static_cast<uint16_t>(pattern);
      std::byte bytes[2], again[2];
      std::memcpy(bytes, &bits, 2);
      const double value = reference::LoadElement(dtype, bytes);
      reference::StoreElement(dtype, value, again);
      if (std::isnan(value)) {
        EXPECT_TRUE(std::isnan(reference::LoadElement(dtype, again)));
      } else {
        EXPECT_EQ(std::memcmp(bytes, again, 2), 0) << pattern;
      }
    }
  }
}

TEST(Numbers, RoundsToNearestEven) {
  EXPECT_EQ(reference::Rounded(DType::kBF16, 1 + 1.0 / 256), 1.0);             // tie, to even
  EXPECT_EQ(reference::Rounded(DType::kBF16, 1 + 3.0 / 256), 1 + 4.0 / 256);   // tie, to even
  EXPECT_EQ(reference::Rounded(DType::kBF16, 1 + 1.01 / 256), 1 + 2.0 / 256);  // above the tie
  EXPECT_EQ(reference::Rounded(DType::kF16, 65519), 65504);
  EXPECT_EQ(reference::Rounded(DType::kF16, 65520), std::numeric_limits<double>::infinity());
  EXPECT_EQ(reference::Rounded(DType::kBF16, std::ldexp(1.0, -134)),
            0);  // half the smallest: tie to 0
  EXPECT_EQ(reference::Rounded(DType::kBF16, std::ldexp(1.5, -134)), std::ldexp(1.0, -133));
  EXPECT_EQ(reference::Rounded(DType::kI8, 300), 127);
}

TEST(Generate, InputsAreAFunctionOfSeedCaseTensorAndSet) {
  const contract::Workload workload = Load("rmsnorm");
  const auto draw = [&](const std::string& name, uint64_t seed, int set, int threads) {
    const contract::Case& at = *contract::FindCase(workload, name);
    const auto tensors = contract::TensorsOf(workload, at).value();
    return DrawInputs(workload, at, tensors, seed, set, threads).value().memory.at("x");
  };
  EXPECT_EQ(draw("wide", 1, 0, 1), draw("wide", 1, 0, 4));
  EXPECT_NE(draw("wide", 1, 0, 1), draw("wide", 2, 0, 1));
  EXPECT_NE(draw("wide", 1, 0, 1), draw("wide", 1, 1, 1));
}

TEST(Generate, VariantsDrawWhatTheySay) {
  const contract::Workload workload = Load("rmsnorm");
  const auto values = [&](const std::string& name) {
    const contract::Case& at = *contract::FindCase(workload, name);
    const auto tensors = contract::TensorsOf(workload, at).value();
    const auto drawn = DrawInputs(workload, at, tensors, 5, 0, 1).value();
    std::vector<double> out;
    const auto& x = drawn.memory.at("x");
    for (size_t i = 0; i < x.size(); i += 2)
      out.push_back(reference::LoadElement(DType::kBF16, x.data() + i));
    return out;
  };
  for (double value : values("denormals")) {
    EXPECT_NE(value, 0);
    EXPECT_LT(std::abs(value), std::ldexp(1.0, -126));
  }
  EXPECT_THAT(values("zeros"), ::testing::Each(0.0));
  EXPECT_THAT(values("ties"), ::testing::Each(::testing::AnyOf(0.0, 0.5, 1.0)));
  double largest = 0;
  for (double value : values("large")) largest = std::max(largest, std::abs(value));
  EXPECT_GT(largest, 1e15);
}

TEST(Contracts, EveryInputOfTheCorpusMatters) {
  for (const std::string& path : CorpusContracts()) {
    const auto unused = UnusedInputs(LoadPath(path));
    ASSERT_TRUE(unused.ok()) << path << unused.status();
    EXPECT_THAT(*unused, IsEmpty()) << path;
  }
}

TEST(Contracts, AnInputThatIsNeverDifferentDoesNotMatter) {
  contract::Workload workload = Load("rmsnorm");
  std::erase_if(workload.generators, [](const contract::Generator& g) { return g.tensor == "w"; });
  workload.generators.push_back({.tensor = "w", .dist = contract::Dist::kConstant, .first = 1});
  EXPECT_THAT(UnusedInputs(workload).value(), ElementsAre("w"));
}

TEST(Parallel, EveryElementOnceAndPiecesKeepTheGranule) {
  std::vector<int> seen(1'000'003);
  reference::ParallelFor(static_cast<int64_t>(seen.size()), 1000, 4,
                         [&](int64_t begin, int64_t end) {
                           EXPECT_EQ(begin % 1000, 0);
                           for (int64_t i = begin; i < end; ++i) ++seen[static_cast<size_t>(i)];
                         });
  EXPECT_THAT(seen, ::testing::Each(1));
}

}  // namespace
}  // namespace runner::oracle
