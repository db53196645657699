#include "compiler/machine/event_log.h"

#include <bit>

#include "compiler/machine/cta.h"

namespace compiler::machine {

using ir::SyncEffect;

std::string_view ToString(EventAction action) {
  constexpr std::string_view kNames[] = {"acquire",    "commit",        "wait",   "release",
                                         "arrive",     "arrive.thread", "expect", "cp.async.arrive",
                                         "test",       "load",          "sync",   "bar.sync",
                                         "bar.arrive", "grid.sync",     "ticket", "answer"};
  return kNames[static_cast<size_t>(action)];
}

namespace {

EventAction ActionOf(SyncEffect effect) {
  switch (effect) {
    case SyncEffect::kAcquire: return EventAction::kAcquire;
    case SyncEffect::kCommit: return EventAction::kCommit;
    case SyncEffect::kWait: return EventAction::kWait;
    case SyncEffect::kRelease: return EventAction::kRelease;
    case SyncEffect::kArriveThread: return EventAction::kArriveThread;
    case SyncEffect::kExpect: return EventAction::kExpect;
    case SyncEffect::kAsyncArrive: return EventAction::kAsyncArrive;
    case SyncEffect::kNamedSync: return EventAction::kBarSync;
    case SyncEffect::kNamedArrive: return EventAction::kBarArrive;
    case SyncEffect::kGridSync: return EventAction::kGridSync;
    case SyncEffect::kScopeSync: return EventAction::kSync;
    default: return EventAction::kArrive;
  }
}

}  // namespace

void Cta::StartLogs() {
  if (!run_.options.log_events) return;
  replay_.clear();
  const auto kernel = static_cast<size_t>(&kernel_ - run_.program.kernels.data());
  for (Warp& warp : warps_) {
    warp.event_log = run_.result.events.size();
    run_.result.events.push_back(
        {.kernel = kernel, .cta = cta_, .role = warp.role, .warp = warp.index});
    const auto found = run_.replay.find({kernel, cta_, warp.role, warp.index});
    replay_.push_back({.from = found == run_.replay.end() ? nullptr : found->second});
  }
}

void Cta::Log(const Warp& warp, const EventRecord& record) {
  if (run_.event_records == run_.options.max_event_records) {
    run_.result.event_log_full = true;
    return run_.Stop(Outcome::kLimit);
  }
  ++run_.event_records;
  run_.result.events[warp.event_log].records.push_back(record);
}

// An operation on a ring or event at the use as it is written.
void Cta::LogUse(const Warp& warp, const Sync& sync, int64_t use) {
  if (!run_.options.log_events) return;
  const int64_t stages = sync.ring >= 0 ? kernel_.rings[static_cast<size_t>(sync.ring)].stages
                                        : kernel_.events[static_cast<size_t>(sync.event)].stages;
  EventRecord record{.action = ActionOf(sync.effect),
                     .ring = sync.ring,
                     .event = sync.event,
                     .use = use,
                     .generation = use / stages,
                     .stmt = sync.stmt};
  if (sync.effect == SyncEffect::kAcquire) {
    record.empty = true;
    --record.generation;
  }
  record.empty |= sync.effect == SyncEffect::kRelease;
  if (sync.effect == SyncEffect::kArriveThread || sync.effect == SyncEffect::kAsyncArrive) {
    record.lanes = std::popcount(warp.mask);
    record.value = warp.mask;
  }
  if (sync.with_copies) {
    EventRecord copies = record;
    copies.action = EventAction::kAsyncArrive;
    copies.value = warp.mask;
    Log(warp, copies);
  }
  if (!run_.stopped) Log(warp, record);
}

void Cta::LogTest(const Warp& warp, const Sync& sync, const EventUse& at) {
  if (!run_.options.log_events) return;
  Log(warp, {.action = EventAction::kTest,
             .ring = sync.ring,
             .event = sync.event,
             .use = at.use,
             .generation = at.generation,
             .stmt = sync.stmt});
}

void Cta::LogLoad(const Warp& warp, const Copy& copy, const EventUse& at) {
  if (!run_.options.log_events) return;
  Log(warp, {.action = EventAction::kLoad,
             .ring = copy.ring,
             .event = copy.event,
             .use = at.use,
             .generation = at.generation,
             .lanes = 1,
             .value = uint64_t{1} << std::countr_zero(warp.mask),
             .stmt = copy.stmt});
}

// The value that an atomic on global memory gives: its own, or that of the run which is followed.
uint64_t Cta::Ticket(const Warp& warp, const Access& access, int lane, uint64_t own) {
  if (!run_.options.log_events || access.space != ir::Space::kGlobal) return own;
  TicketReplay& replay = replay_[static_cast<size_t>(&warp - warps_.data())];
  const auto at = static_cast<size_t>(lane);
  const ir::DTypeInfo& type = ir::Info(access.dtype);
  const int unused = 64 - type.bits;
  uint64_t value = own;
  if (replay.from != nullptr && replay.next[at] < replay.from->of_lane[at].size()) {
    value = replay.from->of_lane[at][replay.next[at]++] << unused;
    // A register holds signed integers extended by their sign.
    value = type.is_signed && !type.is_float
                ? static_cast<uint64_t>(static_cast<int64_t>(value) >> unused)
                : value >> unused;
  }
  Log(warp, {.action = EventAction::kTicket,
             .lane = lane,
             .value = value << unused >> unused,
             .stmt = warp.stmt});
  return value;
}

// What clc.cta gives: the number that the machine's own launch granted, or the other run's.
void Cta::Answer(Warp& warp, Register to) {
  if (!run_.options.log_events) return;
  TicketReplay& replay = replay_[static_cast<size_t>(&warp - warps_.data())];
  ir::LaneVector& value = warp.registers[to];
  for (uint32_t rest = warp.mask; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    const auto at = static_cast<size_t>(lane);
    if (replay.from != nullptr && replay.next_answer[at] < replay.from->answers[at].size()) {
      const int64_t cta = replay.from->answers[at][replay.next_answer[at]++];
      value.bits[at] = static_cast<uint64_t>(cta);
    }
    Log(warp, {.action = EventAction::kAnswer,
               .lane = lane,
               .value = static_cast<uint32_t>(value.bits[at]),
               .stmt = warp.stmt});
  }
}

void Cta::LogBarrier(const Warp& warp, const Sync& sync, int32_t index) {
  if (!run_.options.log_events) return;
  const Barrier& barrier = barriers_[static_cast<size_t>(index)];
  EventRecord record{.action = ActionOf(sync.effect),
                     .barrier = barrier.named ? barrier.declared : -1,
                     .scope = barrier.scope,
                     .group = barrier.group,
                     .stmt = sync.stmt};
  if (barrier.named) {
    record.barrier_index = index - first_named_[static_cast<size_t>(barrier.declared)];
  }
  Log(warp, record);
}

}  // namespace compiler::machine
