// The log of an instrumented build (EmitOptions::log_events) as the host sees it: what the kernels'
// last parameter points at. compiler/device/event_log.cuh is the device's side.
#pragma once

#include <cstdint>
#include <string_view>

namespace compiler::emit {

// What a warp did, by the statement or copy that its instruction was made of. Numbers begin at 1:
// memory that was never written is no record.
enum class EventVerb : uint8_t {
  kAcquire = 1,
  kCommit,
  kWait,
  kRelease,
  kArrive,
  kArriveThread,
  kExpect,
  kAsyncArrive,
  kTest,  // that found its generation complete
  kLoad,
  kSync,
  kBarSync,
  kBarArrive,
  kGridSync,
  kTicket,  // what an atomic on global memory gave one lane
  kAnswer,  // what one lane read of an answer of launch control
};
constexpr int kEventVerbs = 16;
// As the language spells it; "" for a number that is no verb.
std::string_view ToString(EventVerb verb);

// The kernel's last parameter, cake::event_log. `records`: for each warp of the grid `limit` of
// them, warps of a CTA side by side, CTAs in linear order; `counts`: one number a warp, how many it
// would have written.
struct EventLogParameter {
  uint64_t records = 0, counts = 0;  // device addresses
  uint32_t limit = 0;
  uint32_t seed = 0;  // of the delays; 0: none
};
static_assert(sizeof(EventLogParameter) == 24);

struct EventLogRecord {
  // Verb, parity in bits 6 and 7, line of the source, from 1, in bits 8 to 31.
  uint32_t what = 0;
  // Mbarriers: bytes from the start of dynamic shared memory. Barriers: the hardware's number.
  // Tickets: the low half of the value.
  uint32_t at = 0;
  // As the kernel's variables had it; -1 for barriers; the high half of a ticket's value.
  int32_t use = 0;
  // The mask of the threads of the warp that did it together.
  uint32_t lanes = 0;

  EventVerb verb() const { return static_cast<EventVerb>(what & 63); }
  uint32_t parity() const { return what >> 6 & 3; }
  int line() const { return static_cast<int>(what >> 8); }
};
static_assert(sizeof(EventLogRecord) == 16);
constexpr uint32_t kNoParity = 2;  // an instruction that is given none

// A module that has this symbol is an instrumented one.
constexpr char kEventLogSymbol[] = "cake_event_log";

// A build for autopsies (EmitOptions::progress) takes the same parameter; only `records` is used,
// one word for each thread of the grid, threads of a CTA side by side, CTAs in linear order.
struct ProgressWord {
  // As of a record: verb, parity, line; place; use. Verbs that wait: acquire, wait, test, sync,
  // bar.sync, grid.sync.
  uint32_t what = 0, at = 0;
  int32_t use = 0;
  uint32_t state = 0;

  EventVerb verb() const { return static_cast<EventVerb>(what & 63); }
  uint32_t parity() const { return what >> 6 & 3; }
  int line() const { return static_cast<int>(what >> 8); }
};
static_assert(sizeof(ProgressWord) == 16);
constexpr uint32_t kNeverStarted = 0, kRuns = 1, kWaits = 2, kEnded = 3;
constexpr char kProgressSymbol[] = "cake_progress";

}  // namespace compiler::emit
