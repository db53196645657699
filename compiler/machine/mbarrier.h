// Mbarriers as generation objects (PTX ISA, mbarrier): a generation is complete when the declared
// number of arrivals and all expected bytes are in. The number of generations is unbounded here;
// hardware keeps its parity, and the premises under which the two agree are checked at every
// arrival and wait:
//   recycling      an arrival for generation g comes after the completion of g - 1 is known;
//   parity window  a wait for g starts after the completion of g - 1 is known, and has returned
//                  before g + 1 completes;
//   bytes          what a generation expects and what its loads complete are equal.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "compiler/ir/program.h"
#include "compiler/machine/clock.h"

namespace compiler::machine {

// PTX ISA, mbarrier: the largest arrival count, and the largest tx-count, of a generation.
constexpr int64_t kMaxMbarrierCount = (int64_t{1} << 20) - 1;

// What one use index names: use k is generation k / stages of mbarrier k % stages.
struct EventUse {
  int32_t mbarrier = -1;
  int64_t use = 0;
  int64_t generation = 0;
};

// Loads that complete bytes are accesses of this agent at this epoch.
struct LoadStamp {
  AgentId agent = 0;
  Epoch epoch = 0;
};

struct Arrival {
  AgentId agent = 0;
  ir::StmtId stmt = ir::StmtId::kNone;
  int64_t count = 1;
};

// A wait that has returned: `epoch` of the waiting agent at that moment.
struct ReturnedWait {
  AgentId agent = 0;
  Epoch epoch = 0;
  ir::StmtId stmt = ir::StmtId::kNone;
};

enum class MbarrierKind : uint8_t { kFull, kEmpty, kEvent };

struct Mbarrier {
  MbarrierKind kind = MbarrierKind::kEvent;
  int32_t declared = -1;  // RingId of kFull and kEmpty, EventId of kEvent
  int64_t stage = 0, stages = 1;
  int64_t count = 1;  // arrivals a generation

  int64_t generation = 0;  // completed generations = number of the one that is filling
  int64_t arrived = 0;     // the rest is of the filling generation
  int64_t expected_bytes = 0, completed_bytes = 0;
  std::vector<Arrival> arrivals;
  int64_t last_bytes = 0;                       // of the last completed generation
  ir::StmtId completed_by = ir::StmtId::kNone;  // the last arrival of the last completed one
  std::vector<ReturnedWait> returned;           // waits for the last completed generation
  Clocks arriving;                              // join of what the arrivals publish
  Clocks completed;                             // what the last completed generation published
  Clocks before;                                // what the one before that published
  Clocks arriving_far, completed_far;           // the same of arrivals in other CTAs

  int64_t UseOf(int64_t of_generation) const { return of_generation * stages + stage; }
  bool holds_any() const { return arrived != 0 || expected_bytes != 0 || completed_bytes != 0; }
  // Before a contribution: clocks are made when they are needed, as arrays may be large.
  void Prepare(size_t agents) {
    if (arriving.happened.agents() == 0) arriving.Reset(agents);
  }
  void StartGeneration() {
    arrived = 0;
    expected_bytes = 0;
    completed_bytes = 0;
    arrivals.clear();
  }
  void Restart() {
    generation = 0;
    last_bytes = 0;
    StartGeneration();
    returned.clear();
    for (Clocks* clocks : {&arriving, &completed, &before, &arriving_far, &completed_far}) {
      clocks->Clear();
    }
  }
};

}  // namespace compiler::machine
