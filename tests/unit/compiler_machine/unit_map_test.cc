// Units that are parted on demand know of every byte what a map of single bytes knows.
#include "compiler/machine/unit_map.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "compiler/machine/defined_bytes.h"
#include "compiler/machine/lane_units.h"
#include "compiler/machine/shadow.h"

namespace compiler::machine {
namespace {

constexpr int64_t kBytes = 4096;
constexpr int64_t kWidest = 1024;

TEST(UnitMap, BeginsWithTheWidestUnits) {
  UnitMap<int> map;
  map.Make(kBytes - 1, kWidest);
  EXPECT_EQ(map.unit_bytes(0), kWidest);
  map.Set(0, 2 * kWidest, 7);
  EXPECT_EQ(map.unit_bytes(kWidest), kWidest);
  EXPECT_EQ(map[2 * kWidest - 1], 7);
  EXPECT_EQ(map[2 * kWidest], 0);
}

TEST(UnitMap, PartsABlockAsFarAsBeginningAndEndAsk) {
  UnitMap<int> map;
  map.Make(kBytes, kWidest);
  map.Set(0, 80, 1);
  EXPECT_EQ(map.unit_bytes(80), 16);
  map.Set(36, 8, 2);
  EXPECT_EQ(map.unit_bytes(80), 4);
  map.Set(kWidest, kWidest, 3);
  EXPECT_EQ(map.unit_bytes(80), 4);
}

TEST(UnitMap, LeavesOtherBlocksWhole) {
  UnitMap<int> map;
  map.Make(kBytes, kWidest);
  map.Set(kWidest - 8, kWidest + 24, 1);  // the end of one block, another, the beginning of a third
  EXPECT_EQ(map.unit_bytes(0), 8);
  EXPECT_EQ(map.unit_bytes(kWidest), kWidest);
  EXPECT_EQ(map.unit_bytes(2 * kWidest), 16);
  EXPECT_EQ(map.unit_bytes(3 * kWidest), kWidest);
}

TEST(UnitMap, UsesTheRoomOfWiderUnitsAgain) {
  UnitMap<int> map;
  map.Make(2 * kWidest, kWidest);
  map.Set(0, 16, 1);
  map.Set(0, 4, 2);         // leaves the room of units of 16 bytes
  map.Set(kWidest, 16, 3);  // which this block takes
  EXPECT_EQ(map[0], 2);
  EXPECT_EQ(map[4], 1);
  EXPECT_EQ(map[16], 0);
  EXPECT_EQ(map[kWidest], 3);
  EXPECT_EQ(map[kWidest + 16], 0);
}

TEST(UnitMap, KnowsOfEachByteWhatSingleBytesKnow) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    std::mt19937_64 random(seed);
    UnitMap<int> map;
    map.Make(kBytes, kWidest);
    std::vector<int> bytes(kBytes, 0);
    for (int step = 1; step <= 60; ++step) {
      // Widths shrink with the steps, so that every unit is met.
      const int64_t width = int64_t{1} << (10 - std::min<uint64_t>(step / 6, 10));
      const int64_t first = static_cast<int64_t>(random() % (kBytes / width)) * width;
      const int64_t most = (kBytes - first) / width;
      const int64_t count = static_cast<int64_t>(random() % most + 1) * width;
      map.Set(first, count, step);
      std::fill_n(bytes.begin() + first, count, step);
      for (int64_t b = 0; b < kBytes; ++b) ASSERT_EQ(map[b], bytes[b]) << "seed " << seed;
    }
  }
}

TEST(UnitMap, VisitsTheUnitsOfARangeUntilToldToStop) {
  UnitMap<int> map;
  map.Make(64, 64);
  for (int64_t b = 0; b < 64; b += 8) map.Set(b, 8, static_cast<int>(b));
  std::vector<int> seen;
  EXPECT_TRUE(map.Each(12, 20, [&](int unit) { return seen.push_back(unit), true; }));
  EXPECT_EQ(seen, (std::vector<int>{8, 16, 24}));
  seen.clear();
  EXPECT_FALSE(map.Each(0, 64, [&](int unit) { return seen.push_back(unit), unit < 16; }));
  EXPECT_EQ(seen, (std::vector<int>{0, 8, 16}));
}

// Four warps read a whole unit, which nothing orders before the writer.
class PartedCell : public testing::Test {
 protected:
  PartedCell() : clock_(6) {
    cells_.Make(64, 64);
    for (AgentId reader = 0; reader < 4; ++reader) {
      rules_.Read(cells_[0], By(reader), 3, conflicts_);
    }
  }
  Accessor By(AgentId agent) {
    return {.serial = 1,
            .launch_serial = 1,
            .space_serial = 1,
            .kernel_serial = 1,
            .agent = agent,
            .issuer = agent,
            .site = agent,
            .clock = &clock_,
            .records = &records_};
  }
  void Part() {
    cells_.Fit(0, 16, [&](const Cell& cell) { return rules_.CopyOf(cell); });
  }
  size_t ReadersBefore(int64_t byte) {
    conflicts_.Clear();
    rules_.CheckWrite(cells_[byte], By(5), 0, conflicts_);
    return conflicts_.conflicts().size();
  }

  Clock clock_;
  AccessRecords records_;
  UnitMap<Cell> cells_;
  RaceRules rules_;
  ConflictList conflicts_;
};

TEST_F(PartedCell, KeepsAllReadersInEveryPart) {
  EXPECT_EQ(ReadersBefore(0), 4u);
  Part();
  for (int64_t byte = 0; byte < 64; byte += 16) EXPECT_EQ(ReadersBefore(byte), 4u) << byte;
}

TEST_F(PartedCell, PartsAreReadAndWrittenByThemselves) {
  Part();
  rules_.Read(cells_[16], By(4), 0, conflicts_);
  rules_.Write(cells_[32], By(5), 0, conflicts_);
  EXPECT_EQ(ReadersBefore(0), 4u);
  EXPECT_EQ(ReadersBefore(16), 5u);
  EXPECT_EQ(ReadersBefore(32), 0u);
  EXPECT_EQ(ReadersBefore(48), 4u);
}

TEST(DefinedBytes, KnowOfEveryByteWhetherItIsDefined) {
  constexpr int64_t kSize = 300;
  std::mt19937 random(5);
  DefinedBytes defined;
  defined.Make(kSize);
  std::vector<bool> bytes(kSize, false);
  for (int step = 0; step < 2000; ++step) {
    const int64_t first = random() % kSize, count = random() % (kSize - first + 1);
    const auto begin = bytes.begin() + first;
    ASSERT_EQ(defined.All(first, count),
              std::all_of(begin, begin + count, [](bool one) { return one; }));
    defined.Set(first, count, step % 3 != 0);
    std::fill(begin, begin + count, step % 3 != 0);
  }
  defined.Clear();
  EXPECT_FALSE(defined.All(0, 1));
}

// Accesses of whole groups of lanes, of some lanes and of parts of what others have taken.
TEST(LaneUnits, KnowOfEveryLaneWhatAMapOfBytesKnows) {
  constexpr int64_t kTensorLanes = 64, kLaneBytes = 96;
  std::mt19937 random(3);
  LaneUnits<int> units;
  units.Make(kTensorLanes, kLaneBytes);
  for (int round = 0; round < 20; ++round) {
    std::vector<int> bytes(kTensorLanes * kLaneBytes, round);
    units.Fill(round);
    for (int step = 1; step < 60; ++step) {
      TensorRange range{.lane = 16 * static_cast<int64_t>(random() % 4), .lanes = 16};
      range.lanes *= 1 + random() % (4 - range.lane / 16);
      if (step > 40 && random() % 3 == 0) {
        range = {.lane = static_cast<int64_t>(random() % 60)};
        range.lanes = 1 + random() % 4;
      }
      range.byte = 4 * static_cast<int64_t>(random() % 20);
      range.bytes = 4 * (1 + random() % 4);
      const auto at = [&](int64_t lane, int64_t byte) -> int& {
        return bytes[static_cast<size_t>(lane * kLaneBytes + byte)];
      };
      units.Set(range, 100 * step + round);
      for (int64_t lane = range.lane; lane < range.lane + range.lanes; ++lane) {
        for (int64_t i = 0; i < range.bytes; ++i) at(lane, range.byte + i) = 100 * step + round;
      }
      for (int64_t lane = 0; lane < kTensorLanes; ++lane) {
        for (int64_t byte = 0; byte < kLaneBytes; ++byte) {
          ASSERT_EQ(units.At(lane, byte), at(lane, byte)) << lane << ":" << byte;
        }
      }
    }
  }
}

TEST(LaneUnits, VisitAGroupOnceUntilItsLanesAreToldApart) {
  LaneUnits<int> units;
  units.Make(64, 128);
  const auto visits = [&](const TensorRange& range) {
    int count = 0;
    units.ForWhole(
        range, [](int unit) { return unit; }, [&](int64_t, int64_t, int&) { ++count; });
    return count;
  };
  EXPECT_EQ(visits({.lane = 0, .lanes = 64, .byte = 0, .bytes = 128}), 4);
  EXPECT_EQ(visits({.lane = 16, .lanes = 16, .byte = 64, .bytes = 64}), 1);
  EXPECT_EQ(visits({.lane = 17, .lanes = 1, .byte = 0, .bytes = 64}), 1);
  // The second group by lanes, each in two units.
  EXPECT_EQ(visits({.lane = 0, .lanes = 64, .byte = 0, .bytes = 128}), 3 + 16 * 2);
}

}  // namespace
}  // namespace compiler::machine
