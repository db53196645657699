// Rings and events: uses, arrivals, waits, and the premises under which a parity wait means the
// generation that the use index names (mbarrier.h).
#include <algorithm>

#include "compiler/machine/cta.h"

namespace compiler::machine {
namespace {

using ir::SyncEffect;

size_t VerbOf(SyncEffect effect) {
  return effect == SyncEffect::kAcquire ? 0 : effect == SyncEffect::kCommit ? 1 : 2;
}

}  // namespace

void Cta::MakeMbarriers() {
  const auto add = [&](MbarrierKind kind, size_t declared, int64_t stages, int64_t count) {
    const auto first = static_cast<int32_t>(mbarriers_.size());
    for (int64_t stage = 0; stage < stages; ++stage) {
      mbarriers_.push_back({.kind = kind,
                            .declared = static_cast<int32_t>(declared),
                            .stage = stage,
                            .stages = stages,
                            .count = count});
    }
    return first;
  };
  for (size_t i = 0; i < kernel_.rings.size(); ++i) {
    const int64_t stages = kernel_.rings[i].stages;
    first_full_.push_back(add(MbarrierKind::kFull, i, stages, facts_.rings[i].full_count));
    first_empty_.push_back(add(MbarrierKind::kEmpty, i, stages, facts_.rings[i].empty_count));
  }
  for (size_t i = 0; i < kernel_.events.size(); ++i) {
    const ir::Event& event = kernel_.events[i];
    first_event_.push_back(add(MbarrierKind::kEvent, i, event.stages, event.count));
  }
}

std::optional<int64_t> Cta::UniformUse(Warp& warp, const Sync& sync) {
  if (DefinedLanes(warp, sync.use, Use::kAddress) != warp.mask) {
    run_.Stop(Outcome::kFault);
    return std::nullopt;
  }
  const ir::LaneVector& use = warp.registers[sync.use];
  const auto first = static_cast<size_t>(__builtin_ctz(warp.mask));
  for (uint32_t rest = warp.mask; rest != 0; rest &= rest - 1) {
    if (use.bits[static_cast<size_t>(__builtin_ctz(rest))] == use.bits[first]) continue;
    const ir::OpDef* op = run_.program[sync.stmt].op;
    run_.findings.CollectiveDivergence(PlaceOf(warp), op != nullptr ? op->name : "test", 1);
    run_.Stop(Outcome::kFault);
    return std::nullopt;
  }
  return static_cast<int32_t>(static_cast<uint32_t>(use.bits[first]));
}

EventUse Cta::FullUse(int32_t ring, int32_t event, int64_t use) const {
  const int32_t first =
      ring >= 0 ? first_full_[static_cast<size_t>(ring)] : first_event_[static_cast<size_t>(event)];
  const int64_t stages = mbarriers_[static_cast<size_t>(first)].stages;
  return {.mbarrier = first + static_cast<int32_t>(use % stages),
          .use = use,
          .generation = use / stages};
}

EventUse Cta::EmptyUse(int32_t ring, int64_t use) const {
  const int32_t first = first_empty_[static_cast<size_t>(ring)];
  const int64_t stages = mbarriers_[static_cast<size_t>(first)].stages;
  return {.mbarrier = first + static_cast<int32_t>(use % stages),
          .use = use,
          .generation = use / stages};
}

bool Cta::NextUse(Warp& warp, const Sync& sync, int64_t use) {
  int64_t& next = warp.next_use[static_cast<size_t>(sync.ring)][VerbOf(sync.effect)];
  if (use == next) {
    ++next;
    return true;
  }
  const ir::Ring& ring = kernel_.rings[static_cast<size_t>(sync.ring)];
  run_.findings.UseNotNext(PlaceOf(warp), run_.program[sync.stmt].op->name, ring.name, use, next);
  run_.Stop(Outcome::kFault);
  return false;
}

void Cta::EventOperation(Warp& warp, const Sync& sync) {
  if (sync.effect == SyncEffect::kTensorCommit) return CommitProducts(warp, sync);
  const bool by_thread =
      sync.effect == SyncEffect::kArriveThread || sync.effect == SyncEffect::kAsyncArrive;
  if (!by_thread && warp.mask != kAllLanes) {
    run_.findings.CollectiveDivergence(PlaceOf(warp), run_.program[sync.stmt].op->name, warp.mask);
    return run_.Stop(Outcome::kFault);
  }
  const std::optional<int64_t> use = UniformUse(warp, sync);
  if (!use) return;
  if (sync.effect == SyncEffect::kWait) {
    if (*use < 0) return;
    LogUse(warp, sync, *use);
    return WaitFor(warp, FullUse(sync.ring, sync.event, *use), sync);
  }
  const bool of_ring = sync.effect == SyncEffect::kAcquire || sync.effect == SyncEffect::kCommit ||
                       sync.effect == SyncEffect::kRelease;
  if (of_ring && !NextUse(warp, sync, *use)) return;
  if (*use < 0) {
    run_.findings.NegativeArrival(PlaceOf(warp), run_.program[sync.stmt].op->name, *use);
    return run_.Stop(Outcome::kFault);
  }
  LogUse(warp, sync, *use);
  if (sync.effect == SyncEffect::kAcquire) {
    const int64_t stages = kernel_.rings[static_cast<size_t>(sync.ring)].stages;
    if (*use >= stages) WaitFor(warp, EmptyUse(sync.ring, *use - stages), sync);
    return;
  }
  if (sync.effect == SyncEffect::kRelease) NoteGivenBack(warp, sync, *use);
  const EventUse at = sync.effect == SyncEffect::kRelease ? EmptyUse(sync.ring, *use)
                                                          : FullUse(sync.ring, sync.event, *use);
  if (sync.effect == SyncEffect::kAsyncArrive) return ArriveWithCopies(warp, at);
  if (sync.remote != kNoRegister && by_thread) return ArriveAt(warp, sync, at, warp.mask, 0);
  if (by_thread) return ArriveOn(warp, at, warp.mask, __builtin_popcount(warp.mask), 0);
  int64_t bytes = 0;
  if (sync.effect == SyncEffect::kCommit) bytes = TakeLoadBytes(warp, at);
  if (sync.effect == SyncEffect::kExpect) {
    bytes = TakeLoadBytes(warp, at);
    if (sync.bytes != kNoRegister) {
      if (DefinedLanes(warp, sync.bytes, Use::kAddress) != warp.mask) {
        return run_.Stop(Outcome::kFault);
      }
      bytes = static_cast<int64_t>(warp.registers[sync.bytes].bits[0]);
    }
  }
  // The lowering converges the warp before its elected arrival.
  warp.clocks.Learn(warp.agent, warp.epoch);
  PublishGroups(warp, kAllLanes, warp.clocks);
  if (sync.remote != kNoRegister) return ArriveAt(warp, sync, at, kAllLanes, bytes);
  const bool to_all = sync.effect == SyncEffect::kRelease && cluster_ != nullptr &&
                      kernel_.rings[static_cast<size_t>(sync.ring)].cluster;
  if (to_all) return ReleaseToAll(warp, at);
  ArriveOn(warp, at, kAllLanes, 1, bytes);
  if (sync.with_copies && !run_.stopped) ArriveWithCopies(warp, at);
}

bool Cta::WaitIsInWindow(Warp& warp, const EventUse& at, ir::StmtId stmt) {
  ++run_.result.checks.waits;
  if ((run_.options.unchecked & kParityWindow) != 0) return true;
  const Mbarrier& mbarrier = mbarriers_[static_cast<size_t>(at.mbarrier)];
  const int64_t filling = mbarrier.generation;
  const auto name = [&](int64_t generation) {
    return EventName(mbarrier, mbarrier.UseOf(generation));
  };
  const Clock& known = warp.clocks.Order();
  if (filling > at.generation + 1) {
    Place place = PlaceOf(warp);
    place.stmt = mbarrier.completed_by;
    run_.findings.WaitLapped(place, stmt, name(at.generation), name(at.generation + 1));
    return false;
  }
  const Clock& previous =
      filling == at.generation ? mbarrier.completed.Order() : mbarrier.before.Order();
  const bool complete = filling >= at.generation;
  if (complete && (at.generation == 0 || previous.CoveredBy(known, warp.agent))) return true;
  run_.findings.WaitTooEarly(PlaceOf(warp), name(at.generation), name(at.generation - 1));
  return false;
}

void Cta::WaitFor(Warp& warp, const EventUse& at, const Sync& sync) {
  if (!WaitIsInWindow(warp, at, sync.stmt)) return run_.Stop(Outcome::kFault);
  const Mbarrier& mbarrier = mbarriers_[static_cast<size_t>(at.mbarrier)];
  warp.last_sync = sync.stmt;
  if (mbarrier.generation > at.generation) {
    return Returned(warp, at, sync.stmt, sync.relaxed, sync.cluster);
  }
  Block(warp, at, sync);
}

void Cta::Block(Warp& warp, const EventUse& at, const Sync& sync) {
  warp.state = WarpState::kBlocked;
  warp.waits_event = at.mbarrier;
  warp.waits_generation = at.generation;
  warp.waits_use = at.use;
  warp.waits_relaxed = sync.relaxed;
  warp.waits_cluster_scope = sync.cluster;
  warp.waits_at = sync.stmt;
}

void Cta::Returned(Warp& warp, const EventUse& at, ir::StmtId stmt, bool relaxed, bool cluster) {
  Mbarrier& mbarrier = mbarriers_[static_cast<size_t>(at.mbarrier)];
  if (!relaxed) warp.clocks.Join(mbarrier.completed);
  const Clocks& far = mbarrier.completed_far;
  if (!relaxed && cluster && far.happened.agents() != 0) warp.clocks.JoinFar(far);
  if (!relaxed && !cluster && far.happened.agents() != 0) {
    warp.order.missed_far.Join(far.happened);
    warp.order.missed_far_at = stmt;
  }
  if (run_.options.hash_order) Cuts::NoteOrder(warp);
  const AgentId agent = agents_.Waits(warp.agent);
  Epoch epoch = warp.epoch;
  if (agent != warp.agent) {
    epoch = warp.clocks.happened.All(agent) + 1;
    warp.clocks.Learn(agent, epoch);
  }
  for (ReturnedWait& wait : mbarrier.returned) {
    if (wait.agent != agent) continue;
    wait.epoch = epoch;
    wait.stmt = stmt;
    return;
  }
  mbarrier.returned.push_back({.agent = agent, .epoch = epoch, .stmt = stmt});
}

// Under a seed a test may come before a completion that the warp does not know of, although the
// machine has already made it.
bool Cta::DeniesTest(const Warp& warp, const Mbarrier& mbarrier) {
  if (run_.options.schedule_seed == 0) return false;
  if (mbarrier.completed.happened.CoveredBy(warp.clocks.happened, warp.agent)) return false;
  return random_() % 2 == 0;
}

void Cta::Test(Warp& warp, const Instruction& i) {
  const RoleCode& code = code_.roles[static_cast<size_t>(warp.role)];
  const Sync& sync = code.syncs[static_cast<size_t>(i.a)];
  if (warp.mask != kAllLanes) {
    run_.findings.CollectiveDivergence(PlaceOf(warp), "test", warp.mask);
    return run_.Stop(Outcome::kFault);
  }
  const std::optional<int64_t> use = UniformUse(warp, sync);
  if (!use) return;
  bool complete = *use < 0;
  if (!complete) {
    const EventUse at = FullUse(sync.ring, sync.event, *use);
    if (!WaitIsInWindow(warp, at, sync.stmt)) return run_.Stop(Outcome::kFault);
    const Mbarrier& mbarrier = mbarriers_[static_cast<size_t>(at.mbarrier)];
    complete = mbarrier.generation > at.generation && (sync.spins || !DeniesTest(warp, mbarrier));
    if (complete) Returned(warp, at, sync.stmt, false, false);
    // A loop that does nothing but ask goes on when the answer is yes.
    if (!complete && sync.spins) {
      Block(warp, at, sync);
      complete = true;
    }
    if (complete) LogTest(warp, sync, at);
  }
  warp.gives_way = !complete;
  ir::LaneVector& out = warp.registers[i.dst];
  out.bits.fill(complete ? 1 : 0);
  out.undefined = 0;
}

bool Cta::ArrivalIsInOrder(Warp& warp, const EventUse& at) {
  ++run_.result.checks.arrivals;
  if ((run_.options.unchecked & kRecycling) != 0) return true;
  const Mbarrier& mbarrier = mbarriers_[static_cast<size_t>(at.mbarrier)];
  if (at.generation < mbarrier.generation) {
    run_.findings.OverArrival(PlaceOf(warp), EventName(mbarrier, mbarrier.UseOf(at.generation)),
                              mbarrier.count + 1, mbarrier.count);
    return false;
  }
  const bool known = at.generation == mbarrier.generation &&
                     mbarrier.completed.Order().CoveredBy(warp.clocks.Order(), warp.agent);
  if (known) return true;
  run_.findings.EventRecycled(PlaceOf(warp), EventName(mbarrier, mbarrier.UseOf(at.generation)),
                              EventName(mbarrier, mbarrier.UseOf(at.generation - 1)));
  return false;
}

void Cta::ArriveOn(Warp& warp, const EventUse& at, uint32_t lanes, int64_t count, int64_t bytes) {
  Clocks& published = published_;
  published = warp.clocks;
  if (published.happened.agents() < space_.agents) published.happened.Join(Clock(space_.agents));
  published.LearnLanes(warp.agent, lanes, warp.epoch);
  PublishGroups(warp, lanes, published);
  // What happens after the arrival has a later epoch, also where the arrival is a fault.
  ++warp.epoch;
  warp.last_sync = warp.stmt;
  warp.last_release = warp.stmt;
  ArriveAs(warp, at, published, count, bytes);
}

void Cta::ArriveAs(Warp& warp, const EventUse& at, const Clocks& published, int64_t count,
                   int64_t bytes) {
  // Which generation an illegal arrival belongs to depends on the schedule: nothing found after it
  // would be reliable.
  if (!ArrivalIsInOrder(warp, at)) return run_.Stop(Outcome::kFault);
  Mbarrier& mbarrier = mbarriers_[static_cast<size_t>(at.mbarrier)];
  const int64_t use = mbarrier.UseOf(at.generation);
  if (bytes < 0 || mbarrier.expected_bytes + bytes > kMaxMbarrierCount) {
    run_.findings.ExpectedBytes(PlaceOf(warp), EventName(mbarrier, use),
                                mbarrier.expected_bytes + bytes, kMaxMbarrierCount);
    return run_.Stop(Outcome::kFault);
  }
  if (mbarrier.arrived + count > mbarrier.count) {
    run_.findings.OverArrival(PlaceOf(warp), EventName(mbarrier, use), mbarrier.arrived + count,
                              mbarrier.count);
    return run_.Stop(Outcome::kFault);
  }
  mbarrier.Prepare(space_.agents);
  if (OwnerOf(warp.agent).serial_ == serial_) {
    mbarrier.arriving.Join(published);
  } else {
    mbarrier.arriving_far.Join(published);
    mbarrier.arriving.ordered.Join(published.Order());
    if (IsTensorCommit(warp)) LearnEngines(published, mbarrier.arriving);
  }
  mbarrier.arrivals.push_back({.agent = warp.agent, .stmt = warp.stmt, .count = count});
  mbarrier.arrived += count;
  mbarrier.expected_bytes += bytes;
  MayComplete(at.mbarrier, warp);
}

void Cta::MayComplete(int32_t index, const Warp& cause) {
  const Mbarrier& mbarrier = mbarriers_[static_cast<size_t>(index)];
  if (mbarrier.arrived < mbarrier.count) return;
  if ((run_.options.unchecked & kBytes) != 0) return CompleteGeneration(index, cause);
  if (mbarrier.completed_bytes > mbarrier.expected_bytes) {
    run_.findings.TooManyBytes(PlaceOf(cause),
                               EventName(mbarrier, mbarrier.UseOf(mbarrier.generation)),
                               mbarrier.completed_bytes, mbarrier.expected_bytes);
    return run_.Stop(Outcome::kFault);
  }
  if (mbarrier.completed_bytes == mbarrier.expected_bytes) CompleteGeneration(index, cause);
}

void Cta::CompleteGeneration(int32_t index, const Warp& cause) {
  Mbarrier& mbarrier = mbarriers_[static_cast<size_t>(index)];
  ++run_.result.checks.generations;
  if (mbarrier.expected_bytes > 0) ++run_.result.checks.bytes;
  for (const ReturnedWait& wait : mbarrier.returned) {
    if ((run_.options.unchecked & kParityWindow) != 0) break;
    if (mbarrier.arriving.Order().Covers(wait.agent, wait.epoch, kAllLanes)) continue;
    Place place = PlaceOf(cause);
    if (!mbarrier.arrivals.empty()) place.stmt = mbarrier.arrivals.back().stmt;
    run_.findings.WaitLapped(place, wait.stmt,
                             EventName(mbarrier, mbarrier.UseOf(mbarrier.generation - 1)),
                             EventName(mbarrier, mbarrier.UseOf(mbarrier.generation)));
    return run_.Stop(Outcome::kFault);
  }
  mbarrier.returned.clear();
  // One without bytes is complete for all who know of its arrivals, also if they never waited.
  if (agents_.has_loads() && mbarrier.completed_bytes > 0) {
    mbarrier.arriving.Learn(agents_.Loads(static_cast<size_t>(index)),
                            static_cast<Epoch>(mbarrier.generation + 1));
  }
  std::swap(mbarrier.before, mbarrier.completed);
  std::swap(mbarrier.completed, mbarrier.arriving);
  mbarrier.arriving.Clear();
  std::swap(mbarrier.completed_far, mbarrier.arriving_far);
  mbarrier.arriving_far.Clear();
  const int64_t generation = mbarrier.generation++;
  mbarrier.last_bytes = mbarrier.completed_bytes;
  mbarrier.completed_by = mbarrier.arrivals.empty() ? cause.stmt : mbarrier.arrivals.back().stmt;
  mbarrier.StartGeneration();
  for (Warp& waiter : warps_) {
    if (waiter.state != WarpState::kBlocked || waiter.waits_event != index ||
        waiter.waits_generation != generation) {
      continue;
    }
    waiter.state = WarpState::kReady;
    waiter.waits_event = -1;
    Returned(waiter, {.mbarrier = index, .use = waiter.waits_use, .generation = generation},
             waiter.waits_at, waiter.waits_relaxed, waiter.waits_cluster_scope);
  }
}

// An arrival in the CTA that the lanes name, which is one.
void Cta::ArriveAt(Warp& warp, const Sync& sync, const EventUse& at, uint32_t lanes,
                   int64_t bytes) {
  Cta* const target = RankOf(warp, sync.remote, __builtin_ctz(warp.mask));
  for (uint32_t rest = warp.mask; rest != 0 && target != nullptr; rest &= rest - 1) {
    if (RankOf(warp, sync.remote, __builtin_ctz(rest)) == target) continue;
    run_.findings.CollectiveDivergence(PlaceOf(warp), run_.program[sync.stmt].op->name, 1);
    return run_.Stop(Outcome::kFault);
  }
  if (target == nullptr) return;
  const bool by_thread = sync.effect == SyncEffect::kArriveThread;
  target->ArriveOn(warp, at, lanes, by_thread ? __builtin_popcount(lanes) : 1, bytes);
}

// The slots of all CTAs are handed over together: one arrival in each.
void Cta::ReleaseToAll(Warp& warp, const EventUse& at) {
  for (Cta* const target : Members()) {
    if (!run_.stopped) target->ArriveOn(warp, at, kAllLanes, 1, 0);
  }
}

// Of a copy that comes from another CTA; one of this CTA is judged as any arrival.
bool Cta::LoadIsInOrder(Warp& warp, const EventUse& at, int64_t bytes) {
  const Mbarrier& mbarrier = mbarriers_[static_cast<size_t>(at.mbarrier)];
  if (at.generation == mbarrier.generation - 1) {
    run_.findings.TooManyBytes(PlaceOf(warp), EventName(mbarrier, at.use),
                               mbarrier.last_bytes + bytes, mbarrier.last_bytes,
                               mbarrier.completed_by);
    return false;
  }
  if (warp.cta == cta_) return ArrivalIsInOrder(warp, at);
  const bool known = at.generation == mbarrier.generation &&
                     mbarrier.completed.Order().CoveredBy(warp.clocks.Order(), warp.agent);
  if (known) return true;
  const ir::Ring* ring = mbarrier.kind == MbarrierKind::kEvent
                             ? nullptr
                             : &kernel_.rings[static_cast<size_t>(mbarrier.declared)];
  run_.findings.MulticastTooEarly(PlaceOf(warp), ring,
                                  EventName(mbarrier, mbarrier.UseOf(at.generation)), cta_);
  return false;
}

std::optional<LoadStamp> Cta::IssueLoad(Warp& warp, const EventUse& at, int64_t bytes) {
  if (!LoadIsInOrder(warp, at, bytes)) {
    run_.Stop(Outcome::kFault);
    return std::nullopt;
  }
  warp.load_bytes[{at.mbarrier, at.generation}] += bytes;
  return LoadStamp{.agent = agents_.Loads(static_cast<size_t>(at.mbarrier)),
                   .epoch = static_cast<Epoch>(at.generation + 1)};
}

void Cta::CompleteBytes(Warp& warp, const EventUse& at, int64_t bytes) {
  Mbarrier& mbarrier = mbarriers_[static_cast<size_t>(at.mbarrier)];
  mbarrier.Prepare(space_.agents);
  mbarrier.completed_bytes += bytes;
  // What its issuer knew is over before the bytes are in.
  if (warp.clocks.ordered.agents() != 0) {
    mbarrier.arriving.ordered.Join(warp.clocks.ordered);
    mbarrier.arriving.ordered.Learn(warp.agent, warp.epoch++);
  }
  if (mbarrier.completed_bytes > kMaxMbarrierCount) {
    run_.findings.ExpectedBytes(PlaceOf(warp), EventName(mbarrier, at.use),
                                mbarrier.completed_bytes, kMaxMbarrierCount);
    return run_.Stop(Outcome::kFault);
  }
  MayComplete(at.mbarrier, warp);
}

int64_t Cta::TakeLoadBytes(Warp& warp, const EventUse& at) {
  const auto found = warp.load_bytes.find({at.mbarrier, at.generation});
  if (found == warp.load_bytes.end()) return 0;
  const int64_t bytes = found->second;
  warp.load_bytes.erase(found);
  return bytes;
}

}  // namespace compiler::machine
