// Ordered accesses: atomics, loads and stores with an order, fences; loops that poll; the wait for
// the kernels before. What they order is kept with the words (words.h) and the warps (warp.h).
#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "compiler/machine/cta.h"

namespace compiler::machine {
namespace {

constexpr int32_t kUnwritten = -1;
constexpr size_t kMaxOperands = 3;

uint64_t ReadBits(const std::byte* data, ir::DType dtype) {
  const ir::DTypeInfo& info = ir::Info(dtype);
  uint64_t bits = 0;
  std::memcpy(&bits, data, static_cast<size_t>(info.bits / 8));
  if (info.bits == 64 || !info.is_integer || !info.is_signed) return bits;
  const int unused = 64 - info.bits;
  return static_cast<uint64_t>(static_cast<int64_t>(bits << unused) >> unused);
}

}  // namespace

// Whether the scope reaches every thread that can access the word from another CTA: those of the
// cluster in shared memory.
bool Cta::Wide(const Access& access) {
  const bool shared = access.space == ir::Space::kShared;
  return access.ordering.scope >= (shared ? ir::SyncScope::kCluster : ir::SyncScope::kGpu);
}

// The first CTA of those that have the shared memory at hand.
uint32_t Cta::SharedSerial() const {
  return cluster_ != nullptr && space_.serial != 0 ? space_.serial : serial_;
}

Words& Cta::WordsOf(const Access& access) {
  if (access.space == ir::Space::kShared) return memory_->shared_words_;
  const int group = run_.tensors[static_cast<size_t>(access.buffer)].group;
  return group < 0 ? memory_->shared_words_ : run_.groups[static_cast<size_t>(group)].words;
}

int64_t Cta::WordByte(const Access& access, int64_t offset) const {
  const auto buffer = static_cast<size_t>(access.buffer);
  const int64_t element = ir::Info(access.dtype).bits / 8;
  if (access.space == ir::Space::kShared)
    return facts_.shared[buffer].offset_bytes + offset * element;
  const TensorState& tensor = run_.tensors[buffer];
  const int64_t base =
      tensor.group < 0 ? 0 : tensor.data - run_.groups[static_cast<size_t>(tensor.group)].base;
  return base + offset * element;
}

// Lanes take turns, as the memory system serves them in some order.
void Cta::Atomic(Warp& warp, const Access& access) {
  const Addresses addresses = Resolve(warp, access);
  const uint32_t lost = warp.mask & ~addresses.valid;
  for (const Register r : access.values) {
    ir::LaneVector& old = warp.registers[r];
    old.undefined = (old.undefined & ~warp.mask) | lost;
    if (lost != 0) warp.registers.origin(r) = kOriginReported;
  }
  const bool races = run_.options.check_races;
  if (races) CheckRaces(warp, access, addresses, true);
  warp.order.polled = true;
  warp.order.polled_view = access.view;
  // PTX ISA, atom: of a vector each element is read and written in one step, not the whole.
  for (uint32_t rest = addresses.valid; rest != 0 && !run_.stopped; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    for (size_t element = 0; element < access.element_offsets.size(); ++element) {
      AtomicLane(warp, access, addresses.offset[static_cast<size_t>(lane)], lane, element);
    }
  }
  if (access.ordering.release) {
    ++warp.epoch;
    warp.order.released_at = warp.stmt;
  }
  if (run_.options.count) {
    CountBytes(warp, access, addresses, false);
    CountBytes(warp, access, addresses, true);
  }
}

void Cta::AtomicLane(Warp& warp, const Access& access, int64_t first, int lane, size_t index) {
  const int64_t offset = first + access.element_offsets[index];
  const size_t elements = access.element_offsets.size();
  const uint32_t bit = uint32_t{1} << lane;
  const auto at = static_cast<size_t>(lane);
  const auto element = static_cast<size_t>(ir::Info(access.dtype).bits / 8);
  std::byte* const data = Data(access) + offset * static_cast<int64_t>(element);
  ir::LaneVector old, result;
  old.bits[at] = ReadBits(data, access.dtype);
  if (run_.options.check_definedness) {
    const bool shared = access.space == ir::Space::kShared;
    const bool undefined =
        shared ? SharedOrigin(access, WordByte(access, offset), static_cast<int64_t>(element)) != 0
               : Unwritten(access, offset);
    if (undefined) old.undefined = bit;
  }
  uint32_t early = 0;  // other orders of the threads find the word unwritten
  if (run_.options.check_races) {
    Word& word = WordsOf(access).At(WordByte(access, offset), SpaceOf(access));
    if (run_.options.check_definedness && (old.undefined != 0 || !word.early.empty())) {
      const Accessor by = AccessorOf(warp, access);
      if (old.undefined == 0) early = Words::BeforeFirst(word, by, bit);
      Words::WroteEarly(word, by, lane, old.undefined != 0);
      old.undefined |= early;
    }
    OrderRead(warp, access, word, bit);
    OrderWrite(warp, access, word, bit);
  }
  std::array<const ir::LaneVector*, kMaxOperands> in{&old};
  size_t operands = 1;
  for (size_t r = index; r < access.operands.size(); r += elements) {
    in[operands++] = &warp.registers[access.operands[r]];
  }
  std::array<ir::LaneVector*, 1> out{&result};
  // PTX ISA, atom: `.add.f32` of global memory takes and gives subnormals as zero.
  const std::string_view error =
      access.atomic->meaning({.in = {in.data(), operands},
                              .out = out,
                              .operand_type = access.dtype,
                              .result_type = access.dtype,
                              .modifiers = access.modifiers,
                              .width = ir::kLanes,
                              .mask = bit,
                              .ftz = access.space == ir::Space::kGlobal});
  if (!error.empty()) run_.findings.StepError(PlaceOf(warp, lane), ir::ExprId::kNone, error);
  if (!access.values.empty()) {
    ir::LaneVector& to = warp.registers[access.values[index]];
    to.bits[at] = Ticket(warp, access, lane, old.bits[at]);
    to.undefined = (to.undefined & ~bit) | old.undefined;
    if (old.undefined != 0) warp.registers.origin(access.values[index]) = access.origin;
  }
  AtomicDefinedness(warp, access, {.offset = offset, .lane = lane, .index = index},
                    old.undefined != 0, result.undefined != 0);
  if (result.undefined == 0 && result.bits[at] != old.bits[at]) {
    ++run_.memory_version;
    warp.order.acted = true;
  }
  if (result.undefined == 0 || early != 0) std::memcpy(data, &result.bits[at], element);
}

// An undefined old value that reaches the new one is reported where the word is: it would count
// from whatever lies there. After that the word counts as set.
void Cta::AtomicDefinedness(Warp& warp, const Access& access, const AtomicWord& at,
                            bool old_undefined, bool new_undefined) {
  if (run_.options.check_definedness && new_undefined) {
    Origin origin{.kind = OriginKind::kMemory, .stmt = warp.stmt, .view = access.view};
    for (size_t i = at.index; i < access.operands.size(); i += access.element_offsets.size()) {
      const Register r = access.operands[i];
      if (old_undefined || (warp.registers[r].undefined >> at.lane & 1) == 0) continue;
      origin = code_.origins[static_cast<size_t>(warp.registers.origin(r))];
    }
    run_.findings.Undefined(PlaceOf(warp, at.lane), origin, Use::kGlobalStore,
                            access.space == ir::Space::kGlobal
                                ? run_.program.tensors[static_cast<size_t>(access.buffer)].name
                                : "shared memory");
  }
  const auto buffer = static_cast<size_t>(access.buffer);
  if (access.space == ir::Space::kGlobal) {
    run_.tensors[buffer].elements[static_cast<size_t>(at.offset)] |= kDefined | kWrittenHere;
  } else if (run_.options.check_definedness) {
    SharedWritten(access, WordByte(access, at.offset), ir::Info(access.dtype).bits / 8, 0);
  }
}

uint32_t Cta::SpaceOf(const Access& access) const {
  if (access.space == ir::Space::kShared) return SharedSerial();
  return space_.serial == 0 ? serial_ : space_.serial;
}

void Cta::OrderLoads(Warp& warp, const Access& access, const Addresses& addresses) {
  warp.order.polled = true;
  warp.order.polled_view = access.view;
  if (!run_.options.check_races) return;
  // Lanes that read one word learn together.
  uint32_t left = addresses.valid;
  while (left != 0) {
    const int64_t offset = addresses.offset[static_cast<size_t>(std::countr_zero(left))];
    uint32_t lanes = 0;
    for (uint32_t rest = left; rest != 0; rest &= rest - 1) {
      const int lane = std::countr_zero(rest);
      if (addresses.offset[static_cast<size_t>(lane)] == offset) lanes |= uint32_t{1} << lane;
    }
    left &= ~lanes;
    for (size_t e = 0; e < access.element_offsets.size(); ++e) {
      const Word* word = WordsOf(access).Find(WordByte(access, offset + access.element_offsets[e]));
      if (word == nullptr || word->space_serial != SpaceOf(access)) continue;
      const uint32_t early = run_.options.check_definedness && !word->early.empty()
                                 ? Words::BeforeFirst(*word, AccessorOf(warp, access), lanes)
                                 : 0;
      if (early != 0) {
        warp.registers[access.values[e]].undefined |= early;
        warp.registers.origin(access.values[e]) = access.origin;
      }
      OrderRead(warp, access, *word, lanes);
    }
  }
}

void Cta::OrderStores(Warp& warp, const Access& access, const Addresses& addresses) {
  if (!run_.options.check_races) return;
  for (uint32_t rest = addresses.valid; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    for (const int64_t element : access.element_offsets) {
      const int64_t byte = WordByte(access, addresses.offset[static_cast<size_t>(lane)] + element);
      Word& word = WordsOf(access).At(byte, SpaceOf(access));
      // A store begins a new chain; only atomics carry on what their word has published.
      word.published.clear();
      OrderWrite(warp, access, word, uint32_t{1} << lane);
    }
  }
  if (!access.ordering.release) return;
  ++warp.epoch;
  warp.order.released_at = warp.stmt;
}

void Cta::Learn(std::vector<LaneKnowledge>& list, uint32_t lanes, bool foreign,
                const Clock& clock) {
  for (LaneKnowledge& known : list) {
    if (known.lanes == lanes && known.foreign == foreign) return known.clock.Join(clock);
  }
  list.push_back({.lanes = lanes, .foreign = foreign, .clock = clock});
}

void Cta::OrderRead(Warp& warp, const Access& access, const Word& word, uint32_t lanes) {
  for (const Publication& publication : word.published) {
    const bool foreign = publication.serial != serial_;
    if (foreign && !(publication.wide && Wide(access))) {
      Learn(warp.order.missed, lanes, true, publication.clock);
      warp.order.missed_site = publication.site;
    } else if (!access.ordering.acquire) {
      Learn(warp.order.observed, lanes, foreign, publication.clock);
      warp.order.observed_at = warp.stmt;
    } else if (lanes == kAllLanes) {
      warp.clocks.JoinHappened(publication.clock);
    } else {
      Learn(warp.order.acquired, lanes, foreign, publication.clock);
    }
  }
}

// What the lanes know, and their own past up to `epoch`. The past of other lanes of the warp is in
// it as far as the warp has converged.
Clock Cta::PastOf(const Warp& warp, uint32_t lane, Epoch epoch) const {
  Clock past = warp.clocks.happened;
  for (const LaneKnowledge& known : warp.order.acquired) {
    if ((known.lanes & lane) != 0) past.Join(known.clock);
  }
  past.LearnLanes(warp.agent, lane, epoch);
  if ((warp.order.launch_waited & lane) != 0) {
    past.Learn(static_cast<AgentId>(space_.agents - 1), 1);
  }
  return past;
}

void Cta::OrderWrite(Warp& warp, const Access& access, Word& word, uint32_t lane) {
  const int32_t site = site_base_ + access.site;
  if (access.ordering.release) {
    return Words::Publish(word, {.serial = serial_,
                                 .wide = Wide(access),
                                 .site = site,
                                 .clock = PastOf(warp, lane, warp.epoch)});
  }
  for (const FenceMark& fence : warp.order.fences) {
    if ((fence.lanes & lane) == 0) continue;
    Clock past = fence.clock;
    past.LearnLanes(warp.agent, lane, fence.epoch);
    Words::Publish(word, {.serial = serial_,
                          .wide = fence.wide && Wide(access),
                          .site = site,
                          .clock = std::move(past)});
  }
}

// `sync warp` and barriers: what one lane knows all know.
void Cta::Converge(Warp& warp) {
  for (const LaneKnowledge& known : warp.order.acquired) warp.clocks.JoinHappened(known.clock);
  warp.order.acquired.clear();
  if (warp.order.launch_waited == 0) return;
  warp.clocks.Learn(static_cast<AgentId>(space_.agents - 1), 1);
}

// Makes what the lanes have read by relaxed loads theirs, and what they have done publishable.
void Cta::Fence(Warp& warp, const Sync& sync) {
  const bool wide = sync.fence_scope >= ir::SyncScope::kGpu;
  std::vector<LaneKnowledge> rest;
  for (LaneKnowledge& known : warp.order.observed) {
    const uint32_t lanes = known.lanes & warp.mask;
    if (lanes == 0 || (known.foreign && !wide)) {
      rest.push_back(std::move(known));
      continue;
    }
    if (lanes == kAllLanes) {
      warp.clocks.JoinHappened(known.clock);
    } else {
      Learn(warp.order.acquired, lanes, known.foreign, known.clock);
    }
    known.lanes &= ~lanes;
    if (known.lanes != 0) rest.push_back(std::move(known));
  }
  warp.order.observed = std::move(rest);
  for (FenceMark& mark : warp.order.fences) {
    if (!mark.wide || wide) mark.lanes &= ~warp.mask;
  }
  std::erase_if(warp.order.fences, [](const FenceMark& mark) { return mark.lanes == 0; });
  warp.order.fences.push_back(
      {.lanes = warp.mask, .wide = wide, .epoch = warp.epoch, .clock = warp.clocks.happened});
  for (const LaneKnowledge& known : warp.order.acquired) {
    if ((known.lanes & warp.mask) == warp.mask) warp.order.fences.back().clock.Join(known.clock);
  }
  ++warp.epoch;
  warp.order.released_at = sync.stmt;
}

void Cta::LaunchWait(Warp& warp, const Sync& sync) {
  warp.order.launch_waited |= warp.mask;
  waited_ = true;
  warp.last_sync = sync.stmt;
  if (warp.mask == kAllLanes) {
    warp.clocks.Learn(static_cast<AgentId>(space_.agents - 1), 1);
  }
}

bool Cta::LaunchKnown(const Warp& warp) const {
  if ((warp.mask & ~warp.order.launch_waited) == 0) return true;
  return warp.clocks.happened.Covers(static_cast<AgentId>(space_.agents - 1), 1, kAllLanes);
}

// The end of an iteration of a `while`: if it has only read ordered words, the warp goes on when
// memory has changed. A spin that some lanes have left holds them up here, which the hardware does
// not do: it has to be one of whole warps or of one lane.
void Cta::NextTest(Warp& warp) {
  const bool polls = warp.order.polled && !warp.order.acted;
  warp.order.polled = warp.order.acted = false;
  if (!polls) return;
  const uint32_t entered = warp.frames.back().outer;
  if (warp.mask != entered) {
    run_.findings.DivergentSpin(PlaceOf(warp), warp.mask, entered);
    return run_.Stop(Outcome::kFault);
  }
  warp.state = WarpState::kPolling;
  warp.order.poll_version = run_.memory_version;
}

void Cta::WakePollers() {
  for (Warp& warp : warps_) {
    if (warp.state == WarpState::kPolling && warp.order.poll_version != run_.memory_version) {
      warp.state = WarpState::kReady;
    }
  }
}

bool Cta::Polls() const {
  return std::any_of(warps_.begin(), warps_.end(),
                     [](const Warp& warp) { return warp.state == WarpState::kPolling; });
}

uint64_t Cta::StateHash(Warp& warp) {
  uint64_t hash = warp.mask * uint64_t{0x9e3779b97f4a7c15};
  const RoleCode& code = code_.roles[static_cast<size_t>(warp.role)];
  for (Register r = 0; r < code.registers; ++r) {
    for (const uint64_t bits : warp.registers[r].bits) hash = (hash ^ bits) * 0x100000001b3u;
  }
  return hash ^ static_cast<uint64_t>(warp.pc);
}

// With nothing else left to run: whether a polling warp gets on by itself, as one that counts its
// tries does.
bool Cta::PollersMove() {
  constexpr int64_t kMaxIteration = int64_t{1} << 16;
  for (Warp& warp : warps_) {
    if (warp.state != WarpState::kPolling) continue;
    const uint64_t before = StateHash(warp);
    const uint64_t version = run_.memory_version;
    warp.state = WarpState::kReady;
    Resume(warp, kMaxIteration);
    if (run_.stopped || warp.state != WarpState::kPolling || version != run_.memory_version ||
        StateHash(warp) != before) {
      return true;
    }
  }
  return false;
}

void Cta::Stuck(int64_t waiting_ctas) {
  for (const Warp& warp : warps_) {
    if (warp.state != WarpState::kPolling) continue;
    if (waiting_ctas > 0) {
      run_.findings.NotResident(PlaceOf(warp), warp.order.polled_view, run_.resident_ctas,
                                run_.resident_ctas + waiting_ctas);
    } else {
      run_.findings.PollStuck(PlaceOf(warp), warp.order.polled_view, WaitEdges());
    }
    return run_.Stop(Outcome::kDeadlock);
  }
  NothingMoves();
}

void Cta::End() {
  for (const Warp& warp : warps_) run_.result.order_hash += warp.order_hash;
  CheckExit();
  if (!waited_ && run_.never_waited < 0) run_.never_waited = cta_;
}

const Clocks& Cta::GridClocks() const {
  return barriers_[static_cast<size_t>(grid_barrier_)].arriving;
}

void Cta::MissingAtGrid(int64_t arrived, int64_t grid) {
  const Warp& warp = warps_.front();
  Place at = PlaceOf(warp);
  at.stmt = warp.waits_at;
  run_.findings.GridSyncMissing(at, arrived, grid);
  run_.Stop(Outcome::kDeadlock);
}

void Cta::LeaveGrid(const Clocks& all) {
  Barrier& barrier = barriers_[static_cast<size_t>(grid_barrier_)];
  barrier.arriving.Join(all);
  Complete(barrier, grid_barrier_);
  at_grid_ = false;
}

// Role and warp of an agent, of this kernel or of an earlier one.
void Cta::PlaceOfAgent(const Conflict& conflict, Place& place) const {
  const auto agents = static_cast<AgentId>(AgentsOf(run_.program, *place.kernel));
  int warp = conflict.earlier_agent % agents;
  int64_t all = 0;
  for (const ir::Role& role : place.kernel->roles) all += role.warps;
  if (all > 0) warp = static_cast<int>(warp % all);  // a queue's copies are its warp's
  for (size_t role = 0; role < place.kernel->roles.size(); ++role) {
    const auto warps = static_cast<int>(place.kernel->roles[role].warps);
    if (warp < warps) {
      place.role = static_cast<int>(role);
      place.warp = warp;
      return;
    }
    warp -= warps;
  }
}

bool Cta::HasStrong() const {
  for (const RoleCode& role : code_.roles) {
    for (const Access& access : role.accesses) {
      if (access.ordering.strong && access.space == ir::Space::kGlobal) return true;
    }
  }
  return false;
}

// Whether the later side waited for an arrival of the other CTA, without what makes it visible.
void Cta::ExplainFar(const Warp& warp, const Conflict& conflict, Race& race) const {
  const Clock& missed = warp.order.missed_far;
  if (conflict.earlier_agent < missed.agents() &&
      missed.Covers(conflict.earlier_agent, conflict.earlier_epoch, conflict.earlier_lanes)) {
    race.missed_wait = warp.order.missed_far_at;
  }
}

// What the author may have meant to order the two accesses by.
void Cta::ExplainOrder(const Warp& warp, const Conflict& conflict, Race& race) const {
  // Clusters that nothing orders run one after the other, each in a space of its own.
  const bool ordered = space_.serial != 0 && OrdersCtas(run_.program, kernel_);
  race.side_by_side = race.earlier.kernel == &kernel_ && (ordered || HasStrong());
  if (space_.serial == 0 || race.earlier.kernel != &kernel_) return;
  const auto covers = [&](const std::vector<LaneKnowledge>& list) {
    return std::any_of(list.begin(), list.end(), [&](const LaneKnowledge& known) {
      return known.clock.Covers(conflict.earlier_agent, conflict.earlier_epoch,
                                conflict.earlier_lanes);
    });
  };
  if (covers(warp.order.observed)) race.observed_at = warp.order.observed_at;
  if (covers(warp.order.missed) && warp.order.missed_site >= 0) {
    race.missed_release = run_.sites[static_cast<size_t>(warp.order.missed_site)].site.stmt;
  }
}

}  // namespace compiler::machine
