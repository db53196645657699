// Shared memory whose accesses are noted and marked later finds what memory finds whose accesses
// are marked at once.
#include "compiler/machine/deferred.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <string>
#include <vector>

#include "compiler/machine/shared_memory.h"

namespace compiler::machine {
namespace {

constexpr size_t kWarps = 4;
constexpr int64_t kBytes = 4096;
constexpr uint32_t kSerial = 7;

// Warps that access, synchronise and learn of each other at random.
class World {
 public:
  World(uint64_t seed, bool deferring) : random_(seed) {
    region_.bytes = kBytes;
    region_.cells.Make(kBytes, 1024);
    if (deferring) region_.deferred.Make(kBytes, kWarps);
    region_.deferred.Restart(0);
  }

  // What the next step finds, in words.
  std::string Step() {
    Warp& warp = warps_[random_() % kWarps];
    const uint64_t kind = random_() % 16;
    if (kind == 0) {
      Barrier();
    } else if (kind <= 2) {
      warp.clock.Learn(warp.agent, warp.epoch++);  // its lanes converge
    } else if (kind <= 4) {
      Warp& from = warps_[random_() % kWarps];
      if (from.agent == warp.agent) return "";
      warp.clock.Join(from.clock);
      warp.clock.Learn(from.agent, from.epoch++);
    } else {
      return Access(warp);
    }
    return "";
  }

 private:
  struct Warp {
    AgentId agent = 0;
    Epoch epoch = 1;
    Clock clock = Clock(kWarps);
  };

  void Barrier() {
    Clock all(kWarps);
    for (Warp& warp : warps_) {
      all.Join(warp.clock);
      all.Learn(warp.agent, warp.epoch++);
    }
    for (Warp& warp : warps_) warp.clock.Join(all);
    std::vector<Epoch> known(all.epochs(), all.epochs() + kWarps);
    region_.deferred.ForgetKnown(known);
  }

  // Rows side by side, one behind the other, in turns, or the same for some lanes.
  LaneBytes Lanes(const Warp& warp) {
    LaneBytes at{.lanes = random_() % 3 == 0 ? static_cast<uint32_t>(random_()) : ~uint32_t{0},
                 .bytes = int64_t{4} << random_() % 3};
    const int64_t own = random_() % 2 == 0 ? warp.agent * (kBytes / kWarps) : 0;
    const auto pattern = random_() % 4;
    for (int64_t lane = 0; lane < ir::kLanes; ++lane) {
      const int64_t row = pattern == 0   ? lane
                          : pattern == 1 ? lane / 4 * 8 + lane % 4
                          : pattern == 2 ? lane ^ 5
                                         : lane / 8;
      at.first[static_cast<size_t>(lane)] = own + row * at.bytes;
    }
    return at;
  }

  std::string Access(Warp& warp) {
    const bool write = random_() % 3 == 0;
    const LaneBytes at = Lanes(warp);
    const Accessor by{.serial = kSerial,
                      .launch_serial = kSerial,
                      .space_serial = kSerial,
                      .agent = warp.agent,
                      .issuer = warp.agent,
                      .epoch = warp.epoch,
                      .converged = warp.clock.All(warp.agent),
                      .site = static_cast<int32_t>(++accesses_),
                      .clock = &warp.clock,
                      .records = &records_};
    ConflictList conflicts;
    region_.Check(rules_, by, at, 0, write, conflicts);
    std::string found;
    for (const Conflict& c : conflicts.conflicts()) {
      found += std::to_string(c.earlier_site) + " lanes " + std::to_string(c.earlier_lanes) +
               " at " + std::to_string(c.byte) + " lane " + std::to_string(c.lane) + " kind " +
               std::to_string(static_cast<int>(c.kind)) + "; ";
      // As after a finding: the order that is missing counts as there.
      warp.clock.Learn(c.earlier_agent,
                       c.earlier_agent == warp.agent ? warp.epoch : warps_[c.earlier_agent].epoch);
    }
    return found;
  }

  std::mt19937_64 random_;
  std::array<Warp, kWarps> warps_{{{.agent = 0}, {.agent = 1}, {.agent = 2}, {.agent = 3}}};
  AccessRecords records_;
  RaceRules rules_;
  SharedRegion region_;
  int64_t accesses_ = 0;
};

TEST(DeferredAccesses, FindWhatMarkedOnesFind) {
  size_t found = 0;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    World marking(seed, false), noting(seed, true);
    for (int step = 0; step < 300; ++step) {
      const std::string expected = marking.Step();
      ASSERT_EQ(noting.Step(), expected) << "seed " << seed << ", step " << step;
      found += expected.empty() ? 0 : 1;
    }
  }
  EXPECT_GT(found, 1000u);
}

// One access by lanes of a warp that nothing orders.
std::vector<Conflict> WriteOf(SharedRegion& region, const std::array<int64_t, ir::kLanes>& first) {
  AccessRecords records;
  RaceRules rules;
  const Clock clock(1);
  const Accessor by{.serial = kSerial,
                    .launch_serial = kSerial,
                    .space_serial = kSerial,
                    .epoch = 1,
                    .clock = &clock,
                    .records = &records};
  ConflictList conflicts;
  region.Check(rules, by, {.lanes = ~uint32_t{0}, .first = first, .bytes = 4}, 0, true, conflicts);
  return conflicts.conflicts();
}

TEST(DeferredAccesses, LanesOfOneWriteMeetEachOther) {
  SharedRegion region{.bytes = kBytes};
  region.cells.Make(kBytes, 1024);
  region.deferred.Make(kBytes, 1);
  region.deferred.Restart(0);
  std::array<int64_t, ir::kLanes> first{};
  for (size_t lane = 0; lane < first.size(); ++lane) first[lane] = static_cast<int64_t>(lane) * 4;
  EXPECT_THAT(WriteOf(region, first), testing::IsEmpty());
  EXPECT_FALSE(region.deferred.AllMarked());  // it was noted
  region.deferred.Restart(0);
  first[9] = first[3];
  const std::vector<Conflict> conflicts = WriteOf(region, first);
  ASSERT_EQ(conflicts.size(), 1u);
  EXPECT_EQ(conflicts[0].lane, 9);
  EXPECT_EQ(conflicts[0].earlier_lanes, uint32_t{1} << 3);
}

}  // namespace
}  // namespace compiler::machine
