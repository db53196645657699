#include "compiler/machine/clock.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <vector>

namespace compiler::machine {
namespace {

constexpr uint32_t kAll = ~uint32_t{0};

TEST(Clock, KnowsNothingAtFirst) {
  const Clock clock(2);
  EXPECT_TRUE(clock.Covers(0, 0, kAll));
  EXPECT_FALSE(clock.Covers(0, 1, 1));
}

TEST(Clock, OneOfNoAgentsIsNotKept) {
  Clock clock;
  clock.Learn(3, 7);
  clock.LearnLanes(4, 1, 7);
  clock.Join(Clock());
  EXPECT_EQ(clock, Clock());
  EXPECT_EQ(clock.All(3), 0u);
  EXPECT_TRUE(clock.Covers(3, 9, kAll));
  EXPECT_TRUE(clock.CoveredBy(Clock(), 0));
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

// The clock as it is defined: an epoch for every lane of every agent.
struct LaneClock {
  std::vector<std::array<Epoch, ir::kLanes>> of;

  explicit LaneClock(size_t agents) : of(agents) {}
  void LearnLanes(AgentId agent, uint32_t lanes, Epoch epoch) {
    for (size_t lane = 0; lane < ir::kLanes; ++lane) {
      if ((lanes >> lane & 1) != 0) of[agent][lane] = std::max(of[agent][lane], epoch);
    }
  }
  bool Covers(AgentId agent, Epoch epoch, uint32_t lanes) const {
    bool covers = true;
    for (size_t lane = 0; lane < ir::kLanes; ++lane) {
      covers = covers && ((lanes >> lane & 1) == 0 || of[agent][lane] >= epoch);
    }
    return covers;
  }
};

TEST(Clock, KnowsOfEveryLaneWhatAClockOfLanesKnows) {
  constexpr size_t kAgents = 3;
  std::mt19937 random(7);
  const auto lanes = [&] {
    constexpr uint32_t kSome[] = {0b1, 0b10, 0x11111111, 0xeeeeeeee, 0xffff0000, kAll};
    return random() % 3 == 0 ? static_cast<uint32_t>(random()) : kSome[random() % 6];
  };
  std::array<Clock, 2> clocks{Clock(kAgents), Clock(kAgents)};
  std::array<LaneClock, 2> known{LaneClock(kAgents), LaneClock(kAgents)};
  for (int step = 0; step < 4000; ++step) {
    const size_t at = random() % 2;
    const auto agent = static_cast<AgentId>(random() % kAgents);
    const Epoch epoch = static_cast<Epoch>(step / 40) + random() % 8;
    const uint32_t some = lanes();
    if (random() % 8 == 0) {
      clocks[at].Join(clocks[1 - at]);
      for (size_t a = 0; a < kAgents; ++a) {
        for (size_t lane = 0; lane < ir::kLanes; ++lane) {
          Epoch& mine = known[at].of[a][lane];
          mine = std::max(mine, known[1 - at].of[a][lane]);
        }
      }
    } else if (random() % 8 == 0) {
      clocks[at].Learn(agent, epoch);
      known[at].LearnLanes(agent, kAll, epoch);
    } else {
      clocks[at].LearnLanes(agent, some, epoch);
      known[at].LearnLanes(agent, some, epoch);
    }
    const uint32_t asked = lanes();
    ASSERT_EQ(clocks[at].Covers(agent, epoch, asked), known[at].Covers(agent, epoch, asked));
    bool covered = true;
    for (size_t a = 0; a < kAgents; ++a) {
      for (size_t lane = 0; lane < ir::kLanes; ++lane) {
        covered = covered && (a == agent || known[at].of[a][lane] <= known[1 - at].of[a][lane]);
      }
    }
    ASSERT_EQ(clocks[at].CoveredBy(clocks[1 - at], agent), covered) << "step " << step;
  }
}

}  // namespace
}  // namespace compiler::machine
