// Closures speak for all trip counts: what they call clean is clean at every trip count there is.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/mutation/loops.h"

namespace mutation {
namespace {

using testing::Gt;
using testing::IsEmpty;

TEST(Closure, SaysWhatEveryTripCountSays) {
  constexpr int64_t kLoops = 400;
  const LoopTally tally = CheckClosures(1, kLoops);
  EXPECT_THAT(tally.missed, IsEmpty()) << ToJson(tally);
  EXPECT_EQ(tally.open.count("no program"), 0u);
  EXPECT_THAT(tally.open,
              testing::Contains(testing::Key("numbers that change with the trip count")));
  // Enough of each kind: good and bad, and bad ones that few trips do not show.
  EXPECT_THAT(tally.closed, Gt(kLoops / 4)) << ToJson(tally);
  EXPECT_THAT(tally.broken, Gt(kLoops / 8)) << ToJson(tally);
  EXPECT_THAT(tally.late, Gt(0)) << ToJson(tally);
}

// A grid that grows with the trips has CTAs that launches of few trips do not have.
TEST(Closure, LooksAtCtasThatComeWithTrips) {
  for (const uint64_t seed : {83, 103, 159, 287, 299}) {
    const LoopTally tally = CheckClosures(seed, 1);
    EXPECT_EQ(tally.broken, 1) << LoopText(seed);
    EXPECT_THAT(tally.open,
                testing::Contains(testing::Key("CTAs that only launches of more trips have")));
  }
}

// The trips from a state to the same state again have to be clean too, not only the ends behind it.
TEST(Closure, LooksAtTheTripThatComesBack) {
  for (const uint64_t seed : {830, 1353, 2050}) {
    EXPECT_THAT(CheckClosures(seed, 1).missed, IsEmpty()) << LoopText(seed);
  }
}

}  // namespace
}  // namespace mutation
