#include "store/types.h"

#include <gtest/gtest.h>

#include <set>

namespace store {
namespace {

TEST(Types, EveryVerdictReadsBackAndHasARank) {
  std::set<std::string_view> names;
  for (int i = 0; i <= static_cast<int>(Verdict::kCancelled); ++i) {
    const auto verdict = static_cast<Verdict>(i);
    EXPECT_EQ(ParseEnum<Verdict>(ToString(verdict)), verdict);
    EXPECT_TRUE(names.insert(ToString(verdict)).second);
    EXPECT_GE(VerdictRank(verdict), 0);
  }
  EXPECT_EQ(names.size(), 35u);
  EXPECT_EQ(ParseEnum<Verdict>("correct"), std::nullopt);
}

TEST(Types, VerdictOrderIsTheOneOfTheRules) {
  const Verdict order[] = {
      Verdict::kConfirmed,       Verdict::kImproved,         Verdict::kCorrect,
      Verdict::kContractSuspect, Verdict::kMeasurementFault, Verdict::kWrongResult,
      Verdict::kLoweringFailed,  Verdict::kRankedOut,        Verdict::kRejectedSafety,
      Verdict::kDuplicate,       Verdict::kCancelled,        Verdict::kPending};
  for (size_t i = 1; i < std::size(order); ++i) {
    EXPECT_GT(VerdictRank(order[i - 1]), VerdictRank(order[i])) << ToString(order[i]);
  }
  EXPECT_TRUE(IsReject(Verdict::kRejectedLimit));
  EXPECT_FALSE(IsReject(Verdict::kDuplicate));
}

TEST(Types, CandidateNames) {
  EXPECT_EQ(CandidateName(7, 142), "c-7-142");
  const auto key = ParseCandidateName("c-7-142");
  ASSERT_TRUE(key);
  EXPECT_EQ(key->run, 7);
  EXPECT_EQ(key->n, 142);
  for (const char* bad : {"", "c-", "c-7", "c-7-", "c--1", "c-0-1", "c-7-142x", "r-7-142",
                          "c-7--142", "c-99999999999999999999-1", " c-7-1"}) {
    EXPECT_FALSE(ParseCandidateName(bad)) << bad;
  }
  EXPECT_EQ(ParseRowName('r', RowName('r', 12)), 12);
  for (const char* bad : {"r-", "r12", "j-12", "r-0", "r-1a"}) {
    EXPECT_FALSE(ParseRowName('r', bad)) << bad;
  }
}

}  // namespace
}  // namespace store
