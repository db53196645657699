#include "compiler/machine/clock.h"

#include <gtest/gtest.h>

namespace compiler::machine {
namespace {

constexpr uint32_t kAll = ~uint32_t{0};

TEST(Clock, KnowsNothingAtFirst) {
  const Clock clock(2);
  EXPECT_TRUE(clock.Covers(0, 0, kAll));
  EXPECT_FALSE(clock.Covers(0, 1, 1));
}

TEST(Clock, LearnsWholeWarpsUpToAnEpoch) {
  Clock clock(2);
  clock.Learn(1, 3);
  EXPECT_TRUE(clock.Covers(1, 3, kAll));
  EXPECT_FALSE(clock.Covers(1, 4, 1));
  EXPECT_FALSE(clock.Covers(0, 1, 1));
  clock.Learn(1, 2);
  EXPECT_TRUE(clock.Covers(1, 3, kAll));
}

TEST(Clock, AnElectedReleasePublishesItsLaneOnly) {
  Clock clock(1);
  clock.LearnLanes(0, 1u << 5, 4);
  EXPECT_TRUE(clock.Covers(0, 4, 1u << 5));
  EXPECT_FALSE(clock.Covers(0, 4, 1u << 6));
  EXPECT_FALSE(clock.Covers(0, 4, 1u << 5 | 1u << 6));
  EXPECT_FALSE(clock.Covers(0, 5, 1u << 5));
}

TEST(Clock, TwoDifferentLaneSetsKeepTheirOwnEpochs) {
  Clock a(1), b(1);
  a.LearnLanes(0, 0b0011, 2);
  b.LearnLanes(0, 0b0110, 5);
  a.Join(b);
  EXPECT_TRUE(a.Covers(0, 2, 0b0001));
  EXPECT_FALSE(a.Covers(0, 3, 0b0001));
  EXPECT_TRUE(a.Covers(0, 5, 0b0110));
  EXPECT_FALSE(a.Covers(0, 1, 0b1000));
  a.Learn(0, 3);
  EXPECT_TRUE(a.Covers(0, 3, kAll));
  EXPECT_TRUE(a.Covers(0, 5, 0b0010));
  EXPECT_FALSE(a.Covers(0, 4, 0b0001));
}

TEST(Clock, JoinOfInflatedEntriesIsLaneWise) {
  Clock a(1), b(1);
  a.LearnLanes(0, 0b01, 7);
  b.LearnLanes(0, 0b01, 3);
  b.LearnLanes(0, 0b10, 9);
  a.Join(b);
  EXPECT_TRUE(a.Covers(0, 7, 0b01));
  EXPECT_FALSE(a.Covers(0, 8, 0b01));
  EXPECT_TRUE(a.Covers(0, 9, 0b10));
}

TEST(Clock, CoveredBySkipsTheNamedAgent) {
  Clock a(2), b(2);
  a.Learn(0, 1);
  a.Learn(1, 2);
  EXPECT_FALSE(a.CoveredBy(b, 0));
  b.Learn(1, 2);
  EXPECT_TRUE(a.CoveredBy(b, 0));
  EXPECT_FALSE(a.CoveredBy(b, 1));
  a.LearnLanes(1, 0b1, 3);
  EXPECT_FALSE(a.CoveredBy(b, 0));
  b.LearnLanes(1, 0b1, 3);
  EXPECT_TRUE(a.CoveredBy(b, 0));
}

TEST(Clock, JoinWidensToTheLargerOne) {
  Clock none, some(3);
  some.Learn(2, 4);
  none.Join(some);
  EXPECT_TRUE(none.Covers(2, 4, kAll));
}

}  // namespace
}  // namespace compiler::machine
