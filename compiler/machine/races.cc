// Races: what an access finds in the shadow, and what is said of it.
#include <algorithm>
#include <bit>

#include "compiler/machine/cta.h"

namespace compiler::machine {
namespace {

int64_t ElementBytes(const Access& access) { return ir::Info(access.dtype).bits / 8; }

bool IsAround(ir::StmtId outer, ir::StmtId stmt, const std::vector<ir::StmtId>& parents) {
  while (stmt != ir::StmtId::kNone && stmt != outer) stmt = parents[static_cast<size_t>(stmt)];
  return stmt == outer;
}

// Whether some loop repeats both statements: then either may come first, else the text decides.
bool InOneLoop(const ir::Program& program, ir::StmtId a, ir::StmtId b,
               const std::vector<ir::StmtId>& parents) {
  for (ir::StmtId up = a; up != ir::StmtId::kNone; up = parents[static_cast<size_t>(up)]) {
    const ir::StmtKind kind = program[up].kind;
    const bool loop = kind == ir::StmtKind::kFor || kind == ir::StmtKind::kWhile;
    if (loop && IsAround(up, b, parents)) return true;
  }
  return false;
}

}  // namespace

Accessor Cta::AccessorOf(const Warp& warp, const Access& access) const {
  const bool known = run_.early_serial == run_.launch_serial || LaunchKnown(warp);
  Accessor by{.serial = serial_,
              .launch_serial = known ? run_.launch_serial : run_.early_serial,
              .space_serial = space_.serial != 0 ? space_.serial : serial_,
              .kernel_serial = run_.launch_serial,
              .agent = warp.agent,
              .issuer = warp.agent,
              .epoch = warp.epoch,
              .converged = warp.clocks.happened.All(warp.agent),
              .site = site_base_ + access.site,
              .step = warp.step,
              .clock = &warp.clocks.happened,
              .acquired = warp.order.acquired.empty() ? nullptr : &warp.order.acquired,
              .fenced = &warp.clocks.fenced,
              .fenced_by_owner = &warp.clocks.fenced_by_owner,
              .ordered = &warp.clocks.Order(),
              .records = &run_.scratch.records};
  if (run_.options.strict_proxies && cluster_ == nullptr) by.fenced_readers = agents_.Engines();
  const WarpGroups& groups = GroupsOf(warp);
  if (agents_.has_async_copies()) {
    by.own[by.owns++] = {agents_.AsyncCopies(warp.agent), &groups.copies.complete};
  }
  if (agents_.has_bulk_stores()) {
    by.own[by.owns++] = {agents_.BulkReads(warp.agent), &groups.bulk.read};
    by.own[by.owns++] = {agents_.BulkWrites(warp.agent), &groups.bulk.complete};
  }
  return by;
}

void Cta::ShadowIsFull(const Warp& warp, int lane) {
  run_.findings.ShadowLimit(PlaceOf(warp, lane), run_.options.max_shadow_bytes);
  run_.Stop(Outcome::kLimit);
}

std::optional<Shadow> Cta::ShadowOf(const Access& access) {
  const auto buffer = static_cast<size_t>(access.buffer);
  if (access.space == ir::Space::kShared) {
    return Shadow{.region = &RegionOf(access),
                  .rules = &memory_->shared_rules_,
                  .base = facts_.shared[buffer].offset_bytes};
  }
  const TensorState& tensor = run_.tensors[buffer];
  if (tensor.group < 0) return std::nullopt;
  ShadowGroup& group = run_.groups[static_cast<size_t>(tensor.group)];
  return Shadow{.group = &group, .rules = &run_.global_rules, .base = tensor.data - group.base};
}

template <typename Visit>
bool Cta::ForCells(const Warp& warp, int lane, const Shadow& shadow, int64_t first, int64_t bytes,
                   const Visit& visit) {
  if (shadow.region != nullptr) {
    shadow.ForShared(first, bytes, visit);
    return true;
  }
  const ShadowGroup& group = *shadow.group;
  const int shift = std::countr_zero(static_cast<uint64_t>(group.unit_bytes));
  for (const int64_t end = first + bytes; first < end; first += group.unit_bytes) {
    const auto unit = static_cast<size_t>((first + shadow.base) >> shift);
    Cell* cell = group.memory->At(unit, run_.shadow_budget_bytes);
    if (cell == nullptr) return ShadowIsFull(warp, lane), false;
    visit(first, *cell);
  }
  return true;
}

bool Cta::CheckBytes(Warp& warp, const Shadow& shadow, const Accessor& by, int lane, int64_t first,
                     int64_t bytes, bool write) {
  RaceRules& rules = *shadow.rules;
  if (shadow.region != nullptr) {
    shadow.region->LookAtCells(rules, by, first + shadow.InRegion(), bytes, write);
  }
  return ForCells(warp, lane, shadow, first, bytes, [&](int64_t byte, Cell& cell) {
    conflicts_.set_byte(byte);
    write ? rules.Write(cell, by, lane, conflicts_) : rules.Read(cell, by, lane, conflicts_);
  });
}

bool Cta::CheckLanes(Warp& warp, const Shadow& shadow, const Accessor& by, const LaneBytes& at,
                     bool write) {
  if (shadow.region != nullptr) {
    shadow.region->Check(*shadow.rules, by, at, shadow.InRegion(), write, conflicts_);
    return true;
  }
  const auto whole = [&](int64_t first, int64_t bytes) {
    return shadow.WholeGlobal(first, bytes, run_.shadow_budget_bytes);
  };
  const auto parted = [&](int lane, int64_t first) {
    return CheckBytes(warp, shadow, by, lane, first, at.bytes, write);
  };
  return shadow.rules->ForLanes(by, at, write, conflicts_, whole, parted);
}

// What every warp that is still there knows by now need not be marked.
void Cta::ForgetKnown() {
  if (!run_.options.check_races) return;
  std::vector<Epoch>& known = known_;
  known.assign(space_.agents, ~Epoch{0});
  for (const Warp& warp : warps_) {
    if (warp.state == WarpState::kDone) continue;
    const Epoch* const of_warp = warp.clocks.happened.epochs();
    for (size_t i = 0; i < known.size(); ++i) known[i] = std::min(known[i], of_warp[i]);
  }
  for (SharedRegion& region : regions_) region.deferred.ForgetKnown(known);
}

Accessor Cta::RaceAccessor(const Warp& warp, const Access& access, bool shared) const {
  Accessor by = AccessorOf(warp, access);
  // Nobody but CTAs of the cluster has the CTA's shared memory.
  if (shared) by.launch_serial = by.space_serial = SharedSerial();
  return by;
}

void Cta::CheckRaces(Warp& warp, const Access& access, const Addresses& addresses, bool write) {
  const std::optional<Shadow> shadow = ShadowOf(access);
  if (!shadow) return;
  const Accessor by = RaceAccessor(warp, access, shadow->region != nullptr);
  conflicts_.Clear();
  conflicts_.set_strong(access.ordering.strong);
  if (access.ordering.strong || !WordsOf(access).empty()) {
    CheckOrderedRaces(warp, access, addresses, *shadow, by, write);
  } else {
    const int64_t element = ElementBytes(access);
    const size_t count = access.element_offsets.size();
    // A vector is taken together, anything else by elements.
    const size_t step = access.contiguous ? count : 1;
    LaneBytes at{.lanes = addresses.valid, .bytes = static_cast<int64_t>(step) * element};
    for (size_t e = 0; e < count; e += step) {
      const int shift = std::countr_zero(static_cast<uint64_t>(element));
      for (size_t lane = 0; lane < ir::kLanes && at.lanes == kAllLanes; ++lane) {
        at.first[lane] = (addresses.offset[lane] + access.element_offsets[e]) << shift;
      }
      for (uint32_t rest = at.lanes == kAllLanes ? 0 : at.lanes; rest != 0; rest &= rest - 1) {
        const auto lane = static_cast<size_t>(std::countr_zero(rest));
        at.first[lane] = (addresses.offset[lane] + access.element_offsets[e]) * element;
      }
      if (!CheckLanes(warp, *shadow, by, at, write)) return;
    }
  }
  if (!conflicts_.empty()) ReportRaces(warp, access);
}

// Element by element, where threads access words of the memory with an order, now or before.
void Cta::CheckOrderedRaces(Warp& warp, const Access& access, const Addresses& addresses,
                            const Shadow& shadow, const Accessor& by, bool write) {
  const bool strong = access.ordering.strong;
  Words& words = WordsOf(access);
  const int64_t element = ElementBytes(access);
  for (int64_t offset : access.element_offsets) {
    for (uint32_t rest = addresses.valid; rest != 0; rest &= rest - 1) {
      const int lane = std::countr_zero(rest);
      const int64_t first = (addresses.offset[static_cast<size_t>(lane)] + offset) * element;
      const int64_t at = shadow.base + first;
      if (!strong) {
        if (!CheckBytes(warp, shadow, by, lane, first, element, write)) return;
        Word* word = words.Find(at);
        if (word != nullptr) Words::WeakAccess(*word, by, lane, write, conflicts_);
        continue;
      }
      conflicts_.set_byte(first);
      if (shadow.region != nullptr) shadow.region->MarkNoted(*shadow.rules, *by.records);
      const bool judged =
          ForCells(warp, lane, shadow, first, element, [&](int64_t, const Cell& cell) {
            write ? shadow.rules->CheckWrite(cell, by, lane, conflicts_)
                  : shadow.rules->CheckRead(cell, by, lane, conflicts_);
          });
      if (!judged) return;
      const bool wide = Wide(access);
      Words::Access(words.At(at, by.space_serial), {&by, lane, write, wide}, conflicts_);
    }
  }
}

Warp& Cta::WarpOf(AgentId agent) {
  Cta& owner = OwnerOf(agent);
  return owner.warps_[agent - owner.space_.first];
}

Warp& Cta::IssuerOf(AgentId agent) {
  Cta& owner = OwnerOf(agent);
  if (owner.agents_.IsWarp(agent)) return WarpOf(agent);
  const auto load = owner.issuers_.find(agent);
  return load != owner.issuers_.end() ? WarpOf(load->second.warp)
                                      : owner.warps_[owner.agents_.WarpOf(agent)];
}

void Cta::ReportRaces(Warp& warp, const Access& access) {
  for (const Conflict& conflict : conflicts_.conflicts()) {
    const RunSite& site = run_.sites[static_cast<size_t>(conflict.earlier_site)];
    Race race{.kind = conflict.kind,
              .earlier = PlaceOf(warp),
              .later = PlaceOf(warp, conflict.lane),
              .earlier_view = site.site.view,
              .later_view = access.view};
    race.earlier.kernel = site.kernel;
    race.earlier.stmt = site.site.stmt;
    race.earlier.iteration = -1;
    race.earlier.cta = run_.CtaOf(conflict.earlier_serial);
    race.same_value = access.same_for_all && conflict.earlier_site == site_base_ + access.site;
    race.byte_begin = conflict.byte;
    race.byte_end = conflict.byte + ElementBytes(access);
    race.earlier_strong = conflict.earlier_strong;
    race.later_strong = conflict.later_strong;
    race.narrow = conflict.narrow;
    race.unfenced = conflict.unfenced;
    PlaceOfAgent(conflict, race.earlier);
    if (InCluster(conflict.earlier_serial)) {
      const AgentId agent = conflict.earlier_agent;
      const bool queued = !OwnerOf(agent).agents_.IsWarp(agent);
      const Warp& first = IssuerOf(agent);
      race.earlier.role = first.role;
      race.earlier.warp = first.index;
      race.earlier.lane = std::countr_zero(conflict.earlier_lanes);
      const bool product = run_.program[race.earlier.stmt].op != nullptr &&
                           run_.program[race.earlier.stmt].op->effects.product;
      if (product || (!queued && first.epoch > conflict.earlier_epoch)) {
        race.released_at = first.last_release;
      }
      race.last_sync = warp.last_sync;
      if (!queued) {
        race.given_back = GivenBackBefore(warp, access, first, conflict.earlier_epoch);
      }
      race.idle_commit = tensor_.idle_commit;
      race.told_in_flight = product && ToldInFlight(warp, conflict, first);
      // Warps of one role run one text, also those of other CTAs of the cluster: the one that was
      // further when it got here comes later, in a loop; elsewhere the one behind the other.
      race.same_cluster = conflict.earlier_serial != serial_;
      const ir::StmtId met = race.earlier.stmt;
      const bool further = InOneLoop(run_.program, met, warp.stmt, code_.parent)
                               ? conflict.earlier_step > warp.step
                               : met > warp.stmt;
      const bool swap = first.role == warp.role && further;
      swap ? race.Swap() : ExplainFar(warp, conflict, race);
      // From here on as if the missing barrier were there: what it explains is no second finding.
      const Epoch known = queued                ? conflict.earlier_epoch
                          : agent == warp.agent ? warp.epoch
                                                : first.epoch;
      warp.clocks.Learn(agent, known);
      if (!queued && agent != warp.agent && first.clocks.fenced.agents() != 0) {
        warp.clocks.fenced.Join(first.clocks.fenced);  // which a barrier hands on too
      }
      if (race.unfenced) {
        warp.clocks.fenced.Join(Clock(space_.agents));
        warp.clocks.fenced.Learn(agent, known);
        warp.clocks.fenced_by_owner.Join(Clock(space_.agents));
        warp.clocks.fenced_by_owner.Learn(agent, known);
      }
    } else {
      ExplainOrder(warp, conflict, race);
      // One missing order is one finding here too.
      if (space_.serial != 0 && conflict.earlier_serial >= space_.serial) {
        warp.clocks.Learn(conflict.earlier_agent, conflict.earlier_epoch);
      }
    }
    run_.findings.RaceFound(race, code_.parent);
  }
}

}  // namespace compiler::machine
