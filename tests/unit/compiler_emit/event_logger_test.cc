// The logger of instrumented builds as the device runs it: its own text, compiled here, with lanes
// that stand together at one instruction.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cstring>
#include <ctime>
#include <functional>
#include <map>
#include <utility>
#include <vector>

#define __device__
#define __forceinline__ inline

struct uint4 {
  unsigned int x, y, z, w;
};
struct dim3 {
  unsigned int x = 1, y = 1, z = 1;
};

namespace {

uint4 make_uint4(unsigned int x, unsigned int y, unsigned int z, unsigned int w) {
  return {x, y, z, w};
}
dim3 threadIdx, blockIdx{0, 0, 0}, gridDim, blockDim{32, 1, 1};

// Lanes run one after the other, twice: the first time only what they match is written down.
struct Group {
  unsigned int lanes = 0;
  bool listening = true;
  int matches = 0;  // of the lane so far
  std::map<std::pair<int, unsigned int>, unsigned long long> matched;
} group;

unsigned int __activemask() { return group.lanes; }
void __syncwarp(unsigned int lanes) { EXPECT_EQ(lanes, group.lanes); }
void __nanosleep(unsigned int) {}
int __ffs(unsigned int x) { return x == 0 ? 0 : std::countr_zero(x) + 1; }
unsigned int __match_any_sync(unsigned int lanes, unsigned long long value) {
  EXPECT_EQ(lanes, group.lanes);
  const int number = group.matches++;
  if (group.listening) group.matched[{number, threadIdx.x}] = value;
  unsigned int same = 0;
  for (unsigned int lane = 0; lane < 32; ++lane) {
    const auto found = group.matched.find({number, lane});
    if (found != group.matched.end() && found->second == value) same |= 1u << lane;
  }
  return same;
}
unsigned int atomicAdd(unsigned int* p, unsigned int x) {
  const unsigned int old = *p;
  if (!group.listening) *p += x;
  return old;
}

}  // namespace

#include "compiler/device/event_log.cuh"

namespace compiler::emit {
namespace {

using testing::ElementsAre;

struct Warp {
  std::vector<uint4> records = std::vector<uint4>(64);
  unsigned int count = 0;

  // What each lane of `lanes` does at one instruction.
  void Run(unsigned int lanes, const std::function<void(cake::event_logger&, unsigned int)>& step) {
    group = {.lanes = lanes};
    for (const bool listening : {true, false}) {
      group.listening = listening;
      for (unsigned int lane = 0; lane < 32; ++lane) {
        if ((lanes >> lane & 1) == 0) continue;
        threadIdx.x = lane;
        group.matches = 0;
        std::vector<uint4> kept = records;
        cake::event_logger log({records.data(), &count, 64, 0}, 1000);
        step(log, lane);
        if (listening) records = kept;
      }
    }
  }
  // (use, address, lanes), in the order of the log.
  std::vector<std::vector<unsigned int>> Uses() const {
    std::vector<std::vector<unsigned int>> out;
    for (unsigned int i = 0; i < count; ++i) {
      out.push_back({records[i].z, records[i].y, records[i].w});
    }
    return out;
  }
};

// Lanes of two turns of a loop stand at its arrival: each record has those that passed its use.
TEST(EventLogger, LanesOfTwoTurnsLeaveARecordEach) {
  Warp warp;
  warp.Run(0xfffffefd, [](cake::event_logger& log, unsigned int lane) {
    const int use = lane == 2 || lane == 30 ? 3 : 4;
    log.threads(6, 1000u + 8u * static_cast<unsigned int>(use % 3), 2, use, 21);
  });
  EXPECT_THAT(warp.Uses(), testing::UnorderedElementsAre(ElementsAre(4, 8, 0xbffffef9),
                                                         ElementsAre(3, 0, 0x40000004)));
}

TEST(EventLogger, LanesThatPassTheSameLeaveOneRecord) {
  Warp warp;
  warp.Run(0xffffffff, [](cake::event_logger& log, unsigned int) { log.warp(3, 1016, 1, 7, 5); });
  warp.Run(0x0000ff00, [](cake::event_logger& log, unsigned int) { log.barrier(12, 3, 6); });
  EXPECT_THAT(warp.Uses(),
              ElementsAre(ElementsAre(7, 16, 0xffffffff), ElementsAre(0xffffffff, 3, 0xff00)));
}

// A lane that passes another parity or mbarrier at the same use did something else.
TEST(EventLogger, AWrongParityOrPlaceIsARecordOfItsOwn) {
  Warp warp;
  warp.Run(0x7, [](cake::event_logger& log, unsigned int lane) {
    log.warp(3, lane == 1 ? 1008 : 1000, lane == 2 ? 1 : 0, 2, 9);
  });
  EXPECT_THAT(warp.Uses(),
              ElementsAre(ElementsAre(2, 0, 1), ElementsAre(2, 8, 2), ElementsAre(2, 0, 4)));
}

}  // namespace
}  // namespace compiler::emit
