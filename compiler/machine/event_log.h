// What warps did with rings, events and barriers: an observer of a run (Options::log_events). Each
// warp's records stand in its own order, which no schedule changes unless the program lets it.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "compiler/ir/program.h"

namespace compiler::machine {

enum class EventAction : uint8_t {
  kAcquire,
  kCommit,
  kWait,
  kRelease,
  kArrive,
  kArriveThread,
  kExpect,
  kAsyncArrive,  // of copies of threads, by themselves or with a commit
  kTest,         // that found its generation complete; one that did not leaves nothing
  kLoad,         // whose bytes complete on an mbarrier
  kSync,         // a scope of `sync` above the warp
  kBarSync,
  kBarArrive,
  kGridSync,
  kTicket,  // what an atomic on global memory gave one lane
  kAnswer,  // what one lane read of an answer of launch control
};
std::string_view ToString(EventAction action);  // "acquire", .. as the language spells it

struct EventRecord {
  EventAction action = EventAction::kSync;
  // Mbarriers: of a ring being full, of it being empty, of an event. Use and generation as in
  // mbarrier.h; acquire k waits for the generation before use k, which for the first ones is -1.
  int32_t ring = -1, event = -1;
  bool empty = false;
  int64_t use = -1, generation = -1;
  // Barriers: a declared one, or the scope and its warpgroup.
  int32_t barrier = -1;
  int64_t barrier_index = 0;
  ir::Scope scope = ir::Scope::kCta;
  int group = 0;

  int lanes = ir::kLanes;  // arrivals of threads: how many
  int lane = -1;           // kTicket, kAnswer
  uint64_t value = 0;      // kTicket, kAnswer: its bits; of threads and loads: see event_lanes.h
  ir::StmtId stmt = ir::StmtId::kNone;
};

// A warp of one CTA of one kernel; a kernel is launched once a run.
struct WarpEvents {
  size_t kernel = 0;
  int64_t cta = 0;  // linear, x fastest
  int role = 0, warp = 0;
  std::vector<EventRecord> records;
};

// What a warp's atomics on global memory gave in another run, and what it read of the answers of
// launch control, by lane and in order. A run that is given them (Options::replay) follows the
// choices of that one, whichever CTA drew first there, and CTAs whose place others took there never
// begin; its memory is its own, so its values mean nothing.
struct WarpTickets {
  size_t kernel = 0;
  int64_t cta = 0;
  int role = 0, warp = 0;
  std::array<std::vector<uint64_t>, ir::kLanes> of_lane;
  std::array<std::vector<int32_t>, ir::kLanes> answers;  // numbers of CTAs; -1: none
};

}  // namespace compiler::machine
