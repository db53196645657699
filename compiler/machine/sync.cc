// Barriers, and what is said when nothing can move.
//
// Premises of confluence that are checked here (each is one comparison of clocks): an arrival for a
// generation comes after the completion of the one before is known to the arriving warp; a warp
// arrives once in a generation. That the arrivals of a generation add up exactly follows from
// counts of whole warps, which facts::Derive checks, and shows as a deadlock or as a remainder at
// exit.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "compiler/machine/cta.h"

namespace compiler::machine {

void Cta::Synchronise(Warp& warp, const Sync& sync) {
  if (GroupOperation(warp, sync) || WaitTensor(warp, sync)) return;
  if (ClusterOperation(warp, sync)) return;
  if (sync.use != kNoRegister) return EventOperation(warp, sync);
  if (sync.effect == ir::SyncEffect::kFence || sync.effect == ir::SyncEffect::kFenceSc) {
    return Fence(warp, sync);
  }
  if (sync.effect == ir::SyncEffect::kLaunchWait) return LaunchWait(warp, sync);
  if (sync.effect == ir::SyncEffect::kLaunchDependents) return;
  if (warp.mask != kAllLanes) {
    // Both halves of the warp may arrive, or one: counts mean nothing from here on.
    run_.findings.CollectiveDivergence(PlaceOf(warp), run_.program[sync.stmt].op->name, warp.mask);
    return run_.Stop(Outcome::kFault);
  }
  if (sync.effect == ir::SyncEffect::kWarpSync) {
    Converge(warp);
    PublishGroups(warp, kAllLanes, warp.clocks);
    warp.clocks.Learn(warp.agent, warp.epoch++);
    warp.last_sync = sync.stmt;
    return;
  }
  const int32_t barrier = BarrierOf(warp, sync);
  if (barrier < 0) return run_.Stop(Outcome::kFault);
  LogBarrier(warp, sync, barrier);
  Contribute(warp, barrier, sync.stmt, sync.effect != ir::SyncEffect::kNamedArrive);
}

int32_t Cta::BarrierOf(Warp& warp, const Sync& sync) {
  constexpr int kWarpgroupWarps = 4;
  const auto role = static_cast<size_t>(warp.role);
  if (sync.effect == ir::SyncEffect::kGridSync) return grid_barrier_;
  if (sync.effect == ir::SyncEffect::kScopeSync) {
    if (sync.scope == ir::Scope::kCta) return cta_barrier_;
    if (sync.scope == ir::Scope::kRole) return role_barrier_[role];
    return first_group_[role] + warp.index / kWarpgroupWarps;
  }
  const auto declared = static_cast<size_t>(sync.barrier);
  if (sync.index == kNoRegister) return first_named_[declared];
  if (DefinedLanes(warp, sync.index, Use::kAddress) != kAllLanes) return -1;
  const ir::LaneVector& index = warp.registers[sync.index];
  const auto first = static_cast<int64_t>(index.bits[0]);
  const ir::Barrier& barrier = kernel_.barriers[declared];
  for (uint64_t bits : index.bits) {
    if (bits != index.bits[0]) {
      run_.findings.CollectiveDivergence(PlaceOf(warp), run_.program[sync.stmt].op->name, 1);
      return -1;
    }
  }
  if (first < 0 || first >= barrier.count) {
    run_.findings.BarrierIndex(PlaceOf(warp), barrier.name, first, barrier.count);
    return -1;
  }
  return first_named_[declared] + static_cast<int32_t>(first);
}

bool Cta::ContributionLegal(Warp& warp, const Barrier& barrier, ir::StmtId stmt, bool waits) {
  ++run_.result.checks.arrivals;
  if ((run_.options.unchecked & kRecycling) != 0) return true;
  const auto threads = [&] {
    return ir::kLanes * std::count_if(warps_.begin(), warps_.end(),
                                      [&](const Warp& w) { return InScope(w, barrier); });
  };
  for (const Contribution& other : barrier.contributions) {
    if (other.agent == warp.agent) {
      run_.findings.Recycled(PlaceOf(warp), barrier, other.stmt, threads());
      return false;
    }
    if (other.role == warp.role && other.waits == waits && other.stmt != stmt) {
      run_.findings.SiteDivergence(PlaceOf(warp), barrier, other.stmt);
      return false;
    }
  }
  const Clock& before = barrier.completed.Order();
  if (barrier.generation > 0 && !before.CoveredBy(warp.clocks.Order(), warp.agent)) {
    run_.findings.Recycled(PlaceOf(warp), barrier, ir::StmtId::kNone, threads());
    return false;
  }
  return true;
}

void Cta::Contribute(Warp& warp, int32_t index, ir::StmtId stmt, bool waits) {
  Barrier& barrier = barriers_[static_cast<size_t>(index)];
  // Which generation an illegal arrival belongs to depends on the schedule: nothing found after it
  // would be reliable.
  if (!ContributionLegal(warp, barrier, stmt, waits)) return run_.Stop(Outcome::kFault);
  warp.last_sync = stmt;
  warp.last_release = stmt;
  warp.order.acted = true;
  barrier.contributions.push_back(
      {.agent = warp.agent, .role = warp.role, .stmt = stmt, .waits = waits});
  // A whole warp arrives, so it publishes what all its lanes did, though they do not know each
  // other.
  if (waits) Converge(warp);
  for (const LaneKnowledge& known : warp.order.acquired) {
    barrier.arriving.JoinHappened(known.clock);
  }
  barrier.arriving.Join(warp.clocks);
  barrier.arriving.Learn(warp.agent, warp.epoch++);
  PublishGroups(warp, kAllLanes, barrier.arriving);
  barrier.arrived_threads += ir::kLanes;
  if (waits) {
    warp.state = WarpState::kBlocked;
    warp.waits_for = index;
    warp.waits_at = stmt;
  }
  if (barrier.arrived_threads == barrier.needed_threads) Complete(barrier, index);
}

void Cta::Complete(Barrier& barrier, int32_t index) {
  if (index == grid_barrier_ && !at_grid_) {
    at_grid_ = true;  // the other CTAs of the grid are waited for (grid.cc)
    return;
  }
  for (Warp& waiter : warps_) {
    if (waiter.state != WarpState::kBlocked || waiter.waits_for != index) continue;
    waiter.clocks.Join(barrier.arriving);
    if (run_.options.hash_order) Cuts::NoteOrder(waiter);
    waiter.state = WarpState::kReady;
    waiter.waits_for = -1;
  }
  std::swap(barrier.completed, barrier.arriving);
  barrier.arriving.Reset(space_.agents);
  barrier.contributions.clear();
  barrier.arrived_threads = 0;
  ++barrier.generation;
  ForgetKnown();
}

bool Cta::InScope(const Warp& warp, const Barrier& barrier) const {
  constexpr int kWarpgroupWarps = 4;
  if (barrier.named) {
    const std::vector<int32_t>& used = code_.roles[static_cast<size_t>(warp.role)].barriers;
    return std::find(used.begin(), used.end(), barrier.declared) != used.end();
  }
  if (barrier.scope == ir::Scope::kCta) return true;
  if (warp.role != barrier.role) return false;
  return barrier.scope == ir::Scope::kRole || warp.index / kWarpgroupWarps == barrier.group;
}

// True for a scope of `sync` whose missing warps have ended or wait at another `sync`: they never
// come, whatever the other roles do.
bool Cta::ScopeHasMissing(const Barrier& barrier) const {
  if (barrier.named) return false;
  return std::all_of(warps_.begin(), warps_.end(), [&](const Warp& warp) {
    if (!InScope(warp, barrier) || warp.state == WarpState::kDone) return true;
    return warp.waits_for >= 0 && !barriers_[static_cast<size_t>(warp.waits_for)].named;
  });
}

// Every blocked warp waits for arrivals of warps that are blocked themselves, or have ended: either
// a `sync` that some warps of its scope have left out, or a circle through declared barriers.
void Cta::NothingMoves() {
  struct Waiting {
    Cta* cta = nullptr;
    const Warp* warp = nullptr;
    const Barrier* barrier = nullptr;
  };
  const auto first = [&](auto condition) {
    for (Cta* const cta : Members()) {
      for (const Warp& warp : cta->warps_) {
        if (warp.state != WarpState::kBlocked || warp.waits_for < 0) continue;
        const Barrier& barrier = cta->barriers_[static_cast<size_t>(warp.waits_for)];
        if (condition(*cta, barrier)) return Waiting{cta, &warp, &barrier};
      }
    }
    return Waiting{};
  };
  const auto blocked = [](const Warp& warp) { return warp.state == WarpState::kBlocked; };
  const std::vector<Cta*> members = Members();
  const bool any = std::any_of(members.begin(), members.end(), [&](const Cta* cta) {
    return std::any_of(cta->warps_.begin(), cta->warps_.end(), blocked);
  });
  if (!any) return;
  const Waiting missing =
      first([](const Cta& cta, const Barrier& b) { return cta.ScopeHasMissing(b); });
  if (missing.warp != nullptr) {
    run_.findings.MissingWarps(PlaceOf(*missing.warp), *missing.barrier, WaitEdges());
  } else if (!EventDeadlock() && !ClusterDeadlock()) {
    const Waiting named = first([](const Cta&, const Barrier& b) { return b.named; });
    run_.findings.Deadlock(PlaceOf(*named.warp), *named.barrier, WaitEdges());
  }
  run_.Stop(Outcome::kDeadlock);
}

std::vector<diag::WaitEdge> Cta::WaitEdges() const {
  std::vector<diag::WaitEdge> edges;
  for (const Cta* const cta : Members()) cta->OwnWaitEdges(edges);
  return edges;
}

void Cta::OwnWaitEdges(std::vector<diag::WaitEdge>& edges) const {
  for (size_t b = 0; b < barriers_.size(); ++b) {
    const Barrier& barrier = barriers_[b];
    for (size_t role = 0; role < kernel_.roles.size(); ++role) {
      std::vector<int> waiting;
      ir::StmtId stmt = ir::StmtId::kNone;
      for (const Warp& warp : warps_) {
        if (warp.state != WarpState::kBlocked || warp.waits_for != static_cast<int32_t>(b) ||
            warp.role != static_cast<int>(role)) {
          continue;
        }
        waiting.push_back(warp.index);
        stmt = warp.waits_at;
      }
      if (waiting.empty()) continue;
      edges.push_back({.waiter = WarpNames(static_cast<int>(role), waiting),
                       .event = barrier.name,
                       .missing = WhyMissing(barrier),
                       .arrived = barrier.arrived_threads,
                       .needed = barrier.needed_threads,
                       .span = run_.findings.SpanOf(stmt)});
    }
  }
  EventEdges(edges);
}

// Who could still arrive, and why it does not.
std::string Cta::WhyMissing(const Barrier& barrier) const {
  std::string text;
  for (size_t role = 0; role < kernel_.roles.size(); ++role) {
    std::vector<int> ended, elsewhere;
    std::string event;
    for (const Warp& warp : warps_) {
      if (warp.role != static_cast<int>(role) || !InScope(warp, barrier)) continue;
      const bool arrived =
          std::any_of(barrier.contributions.begin(), barrier.contributions.end(),
                      [&](const Contribution& c) { return c.agent == warp.agent; });
      if (arrived) continue;
      if (warp.state == WarpState::kDone) {
        ended.push_back(warp.index);
      } else if (warp.state == WarpState::kBlocked) {
        elsewhere.push_back(warp.index);
        event = WaitName(warp);
      }
    }
    const char* separator = text.empty() ? "" : "; ";
    if (!ended.empty()) {
      absl::StrAppend(&text, separator, WarpNames(static_cast<int>(role), ended), " ended");
      separator = "; ";
    }
    if (!elsewhere.empty()) {
      absl::StrAppend(&text, separator, WarpNames(static_cast<int>(role), elsewhere), " waits for ",
                      event);
    }
  }
  return text.empty() ? "no other warp arrives at it" : text;
}

std::string Cta::WarpNames(int role, const std::vector<int>& warps) const {
  const ir::Role& r = kernel_.roles[static_cast<size_t>(role)];
  const std::string at_rank = cluster_ == nullptr ? "" : absl::StrCat(" of rank ", rank_);
  std::string text = absl::StrCat("role ", r.name);
  if (static_cast<int64_t>(warps.size()) == r.warps) return text + at_rank;
  absl::StrAppend(&text, warps.size() == 1 ? " warp " : " warps ");
  for (size_t i = 0; i < warps.size(); ++i) absl::StrAppend(&text, i == 0 ? "" : ", ", warps[i]);
  return text + at_rank;
}

void Cta::CheckExit() {
  CheckCopiesAtExit();
  CheckTensorAtExit();
  for (const Barrier& barrier : barriers_) {
    if (barrier.arrived_threads == 0) continue;
    const Contribution& last = barrier.contributions.back();
    Place at = PlaceOf(WarpOf(last.agent));
    at.stmt = last.stmt;
    run_.findings.Unconsumed(at, barrier);
  }
  CheckEventsAtExit();
  CheckClusterAtExit();
}

}  // namespace compiler::machine
