// Broken protocols are refused, and for what they are.
#include "tests/mutation/mutants.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace mutation {
namespace {

using testing::Gt;
using testing::IsEmpty;

TEST(Mutants, AreRefusedWithACodeOfTheirKindWhereTheyAreBroken) {
  constexpr int64_t kMutants = 2000;
  const MutantTally tally = CheckMutants(1, kMutants);
  EXPECT_THAT(tally.accepted, IsEmpty()) << ToJson(tally);
  EXPECT_LT(tally.bad_bases.size(), kMutants / 20u) << ToJson(tally);
  EXPECT_THAT(tally.by_family.size(), Gt(7u));
  Column all;
  for (const auto& [change, column] : tally.by_change) {
    all.broken += column.broken;
    all.right += column.right;
    all.equivalent += column.equivalent;
    all.equivalent_refused += column.equivalent_refused;
    all.unresolved += column.unresolved;
  }
  EXPECT_EQ(all.unresolved, 0);
  EXPECT_THAT(all.broken, Gt(kMutants / 3)) << ToJson(tally);
  EXPECT_THAT(all.right * 100, Gt(all.broken * 97)) << ToJson(tally);
  // Mostly arrivals that name another use than they count for: the hardware does not ask.
  EXPECT_LT(all.equivalent_refused * 8, all.equivalent) << ToJson(tally);
}

}  // namespace
}  // namespace mutation
