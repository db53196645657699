#include "compiler/machine/cluster.h"

#include <algorithm>
#include <bit>

#include "absl/strings/str_cat.h"
#include "compiler/machine/cta.h"

namespace compiler::machine {

ClusterRun::ClusterRun(RunState& run, const ir::Kernel& kernel, const facts::KernelFacts& facts,
                       const KernelCode& code, const facts::KernelLaunch& launch)
    : run_(run), launch_(launch), state_(static_cast<size_t>(kernel.cluster)) {
  const size_t per_cta = Cta::AgentsOf(run.program, kernel);
  const size_t size = state_.ctas.size();
  for (size_t rank = 0; rank < size; ++rank) {
    const AgentSpace space{.first = rank * per_cta, .agents = size * per_cta + 1};
    ctas_.push_back(std::make_unique<Cta>(run, kernel, facts, code, space));
    ctas_.back()->Join(state_, rank);
  }
}

ClusterRun::~ClusterRun() = default;

void ClusterRun::Run(int64_t first_cta) {
  state_.Restart();
  run_.global_rules.StartCta();
  const uint32_t first_serial = run_.serial + 1;
  for (size_t rank = 0; rank < ctas_.size(); ++rank) {
    const int64_t id = first_cta + static_cast<int64_t>(rank);
    ++run_.serial;
    run_.ctas.push_back(id);
    ctas_[rank]->SetSpaceSerial(first_serial);
    ctas_[rank]->Start(id, run_.serial, launch_);
  }
  const auto done = [](const auto& cta) { return cta->Done(); };
  while (!run_.stopped && !std::all_of(ctas_.begin(), ctas_.end(), done)) {
    if (Sweep() || run_.stopped) continue;
    const bool moved =
        std::any_of(ctas_.begin(), ctas_.end(), [](const auto& cta) { return cta->PollersMove(); });
    if (!moved && !run_.stopped) NothingMoves();
  }
  for (size_t rank = 0; rank < ctas_.size() && !run_.stopped; ++rank) ctas_[rank]->End();
}

// In the canonical schedule a CTA goes on until it waits; under a seed CTAs take turns as warps do.
bool ClusterRun::Sweep() {
  const bool canonical = run_.options.schedule_seed == 0;
  bool moved = false;
  for (const std::unique_ptr<Cta>& cta : ctas_) {
    moved |= canonical ? cta->Advance() : cta->AdvanceOne();
    if (run_.stopped) return moved;
  }
  return moved;
}

void ClusterRun::NothingMoves() {
  for (const std::unique_ptr<Cta>& cta : ctas_) {
    if (cta->Polls()) return cta->Stuck(0);
  }
  ctas_.front()->Stuck(0);
}

void Cta::Join(ClusterState& cluster, size_t rank) {
  cluster_ = &cluster;
  rank_ = rank;
  cluster.ctas[rank] = this;
}

bool Cta::Finished() const {
  if (cluster_ == nullptr) return Done();
  return std::all_of(cluster_->ctas.begin(), cluster_->ctas.end(),
                     [](const Cta* cta) { return cta->Done(); });
}

std::vector<Cta*> Cta::Members() const {
  if (cluster_ == nullptr) return {const_cast<Cta*>(this)};
  return cluster_->ctas;
}

Cta& Cta::OwnerOf(AgentId agent) {
  if (cluster_ == nullptr) return *this;
  for (Cta* cta : cluster_->ctas) {
    if (agent >= cta->space_.first && agent < cta->space_.first + cta->agents_.count()) return *cta;
  }
  return *this;
}

bool Cta::InCluster(uint32_t serial) const {
  if (serial == serial_) return true;
  return cluster_ != nullptr && std::any_of(cluster_->ctas.begin(), cluster_->ctas.end(),
                                            [&](const Cta* cta) { return cta->serial_ == serial; });
}

// The CTA that a lane names; null, and the run stopped, where there is none.
Cta* Cta::RankOf(Warp& warp, Register ranks, int lane) {
  if ((DefinedLanes(warp, ranks, Use::kAddress) >> lane & 1) == 0) {
    run_.Stop(Outcome::kFault);
    return nullptr;
  }
  const auto rank = static_cast<int64_t>(static_cast<int32_t>(
      static_cast<uint32_t>(warp.registers[ranks].bits[static_cast<size_t>(lane)])));
  const std::vector<Cta*> members = Members();
  if (rank >= 0 && rank < static_cast<int64_t>(members.size())) {
    return members[static_cast<size_t>(rank)];
  }
  run_.findings.RankOutside(PlaceOf(warp, lane), rank, static_cast<int64_t>(members.size()));
  run_.Stop(Outcome::kFault);
  return nullptr;
}

// An access of memory that `at` names: each group of lanes that names one CTA by itself.
void Cta::AtRanks(Warp& warp, const Access& access, void (Cta::*visit)(Warp&, const Access&)) {
  const uint32_t mask = warp.mask;
  uint32_t left = mask;
  while (left != 0 && !run_.stopped) {
    Cta* const first = RankOf(warp, access.remote, std::countr_zero(left));
    uint32_t lanes = 0;
    for (uint32_t rest = left; rest != 0 && !run_.stopped; rest &= rest - 1) {
      const int lane = std::countr_zero(rest);
      if (RankOf(warp, access.remote, lane) == first) lanes |= uint32_t{1} << lane;
    }
    if (run_.stopped) break;
    left &= ~lanes;
    warp.mask = lanes;
    memory_ = first;
    (this->*visit)(warp, access);
    warp.mask = mask;
  }
  memory_ = this;
  warp.mask = mask;
}

// The ranks that a load reaches; nothing where its mask is wrong, which has been reported.
std::vector<Cta*> Cta::Receivers(Warp& warp, const Copy& copy, int lane) {
  if (copy.multicast == kNoRegister) return {this};
  const std::vector<Cta*> members = Members();
  if ((DefinedLanes(warp, copy.multicast, Use::kAddress) >> lane & 1) == 0) {
    run_.Stop(Outcome::kFault);
    return {};
  }
  const auto mask = static_cast<int64_t>(static_cast<int32_t>(
      static_cast<uint32_t>(warp.registers[copy.multicast].bits[static_cast<size_t>(lane)])));
  const int64_t all = (int64_t{1} << members.size()) - 1;
  if (mask < 1 || mask > all) {
    run_.findings.MaskOutside(PlaceOf(warp, lane), mask, all);
    run_.Stop(Outcome::kFault);
    return {};
  }
  std::vector<Cta*> receivers;
  for (size_t rank = 0; rank < members.size(); ++rank) {
    if ((mask >> rank & 1) != 0) receivers.push_back(members[rank]);
  }
  return receivers;
}

// The barrier of the cluster. False: the statement is none of its own.
bool Cta::ClusterOperation(Warp& warp, const Sync& sync) {
  const bool both = sync.effect == ir::SyncEffect::kClusterSync;
  const bool arrive = both || sync.effect == ir::SyncEffect::kClusterArrive;
  const bool wait = both || sync.effect == ir::SyncEffect::kClusterWait;
  if (!arrive && !wait) return false;
  if (warp.mask != kAllLanes) {
    run_.findings.CollectiveDivergence(PlaceOf(warp), run_.program[sync.stmt].op->name, warp.mask);
    run_.Stop(Outcome::kFault);
    return true;
  }
  // A cluster of one CTA meets too: all its warps.
  if (cluster_ == nullptr) {
    if (alone_ == nullptr) alone_ = std::make_unique<ClusterState>(1);
    Join(*alone_, 0);
  }
  if (arrive) ClusterArrive(warp, sync);
  if (wait && !run_.stopped) ClusterWait(warp, sync);
  return true;
}

void Cta::ClusterArrive(Warp& warp, const Sync& sync) {
  if (warp.cluster_arrivals != warp.cluster_waits) {
    run_.findings.ClusterTwice(PlaceOf(warp), warp.cluster_at);
    return run_.Stop(Outcome::kFault);
  }
  ++warp.cluster_arrivals;
  warp.cluster_at = sync.stmt;
  warp.last_sync = sync.stmt;
  warp.order.acted = true;
  Converge(warp);
  Clocks& published = published_;
  published = warp.clocks;
  published.Learn(warp.agent, warp.epoch++);
  PublishGroups(warp, kAllLanes, published);
  Clocks& arriving = cluster_->arriving[rank_];
  if (arriving.happened.agents() == 0) arriving.Reset(space_.agents);
  if (sync.relaxed) {
    arriving.ordered.Join(published.Order());
  } else {
    warp.last_release = sync.stmt;
    arriving.Join(published);
  }
  cluster_->arrived.push_back({.agent = warp.agent, .stmt = sync.stmt});
  size_t warps = 0;
  for (const Cta* cta : cluster_->ctas) warps += cta->warps_.size();
  if (cluster_->arrived.size() == warps) ClusterComplete();
}

// Within a CTA all is as at any barrier; of other CTAs a proxy fence before the barrier counts only
// with one after it.
void Cta::ClusterComplete() {
  ClusterState& cluster = *cluster_;
  for (size_t to = 0; to < cluster.ctas.size(); ++to) {
    Clocks& completed = cluster.completed[to];
    completed = cluster.arriving[to];
    for (size_t from = 0; from < cluster.ctas.size(); ++from) {
      if (from != to) completed.JoinFar(cluster.arriving[from]);
    }
  }
  for (Clocks& arriving : cluster.arriving) arriving.Clear();
  cluster.arrived.clear();
  ++cluster.generation;
  for (Cta* cta : cluster.ctas) {
    for (Warp& warp : cta->warps_) {
      if (warp.state != WarpState::kBlocked || !warp.waits_cluster) continue;
      warp.state = WarpState::kReady;
      warp.waits_cluster = false;
      warp.clocks.Join(cluster.completed[cta->rank_]);
    }
  }
}

void Cta::ClusterWait(Warp& warp, const Sync& sync) {
  if (warp.cluster_arrivals != warp.cluster_waits + 1) {
    run_.findings.ClusterNotArrived(PlaceOf(warp));
    return run_.Stop(Outcome::kFault);
  }
  ++warp.cluster_waits;
  warp.last_sync = sync.stmt;
  if (cluster_->generation >= warp.cluster_waits) {
    warp.clocks.Join(cluster_->completed[rank_]);
    return;
  }
  warp.state = WarpState::kBlocked;
  warp.waits_cluster = true;
  warp.waits_at = sync.stmt;
}

// Warps that have arrived and wait for others that never will: says which.
bool Cta::ClusterDeadlock() {
  for (Cta* cta : Members()) {
    for (const Warp& warp : cta->warps_) {
      if (warp.state != WarpState::kBlocked || !warp.waits_cluster) continue;
      std::string missing;
      for (Cta* other : Members()) other->AddMissing(missing);
      Place place = cta->PlaceOf(warp);
      place.stmt = warp.waits_at;
      run_.findings.ClusterMissing(place, missing, WaitEdges());
      return true;
    }
  }
  return false;
}

void Cta::AddMissing(std::string& text) const {
  for (size_t role = 0; role < kernel_.roles.size(); ++role) {
    std::vector<int> ended, elsewhere;
    std::string what;
    for (const Warp& warp : warps_) {
      const bool arrived =
          std::any_of(cluster_->arrived.begin(), cluster_->arrived.end(),
                      [&](const ClusterState::Arrived& a) { return a.agent == warp.agent; });
      if (arrived || warp.role != static_cast<int>(role)) continue;
      if (warp.state == WarpState::kDone) {
        ended.push_back(warp.index);
      } else if (warp.state == WarpState::kBlocked) {
        elsewhere.push_back(warp.index);
        what = WaitName(warp);
      }
    }
    const auto add = [&](const std::string& part) {
      absl::StrAppend(&text, text.empty() ? "" : "; ", part);
    };
    if (!ended.empty()) add(absl::StrCat(WarpNames(static_cast<int>(role), ended), " ended"));
    if (!elsewhere.empty()) {
      add(absl::StrCat(WarpNames(static_cast<int>(role), elsewhere), " waits for ", what));
    }
  }
}

void Cta::CheckClusterAtExit() {
  for (const Warp& warp : warps_) {
    if (warp.cluster_arrivals == warp.cluster_waits) continue;
    Place place = PlaceOf(warp);
    place.stmt = warp.cluster_at;
    return run_.findings.ClusterUnwaited(place);
  }
}

// st.async: each lane's bytes are an access of the receiver's queue, complete when its event says
// so.
void Cta::StoreAsync(Warp& warp, const Copy& copy) {
  const RoleCode& code = code_.roles[static_cast<size_t>(warp.role)];
  const Access& to = code.accesses[static_cast<size_t>(copy.to)];
  const uint32_t mask = warp.mask;
  for (uint32_t rest = mask; rest != 0 && !run_.stopped; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    warp.mask = uint32_t{1} << lane;
    Cta* const target = RankOf(warp, to.remote, lane);
    if (target == nullptr) break;
    const std::optional<EventUse> at = CopyEvent(warp, copy, lane);
    const auto bytes = static_cast<int64_t>(to.element_offsets.size()) *
                       static_cast<int64_t>(ir::Info(to.dtype).bits / 8);
    if (!at || !target->LoadIsInOrder(warp, *at, bytes)) {
      run_.Stop(Outcome::kFault);
      break;
    }
    memory_ = target;
    const Addresses place = Resolve(warp, to);
    if (place.valid == 0) continue;
    StoreTo(warp, to, place);
    if (run_.options.check_races) {
      CopyRun run{.copy = &copy, .lane = lane, .to = &to, .from = &to};
      for (const int64_t element : to.element_offsets) {
        AddPiece(run.to_pieces, place.offset[static_cast<size_t>(lane)] + element, 1);
      }
      run.write_agent = target->agents_.Loads(static_cast<size_t>(at->mbarrier));
      run.epoch = static_cast<Epoch>(at->generation + 1);
      target->issuers_[run.write_agent] = {warp.agent, run.epoch, copy.stmt};
      CheckCopyRaces(warp, run, to, run.to_pieces, true);
    }
    if (run_.options.count) CountBytes(warp, to, place, true);
    if (!run_.stopped) target->CompleteBytes(warp, *at, bytes);
  }
  memory_ = this;
  warp.mask = mask;
  ++warp.epoch;
}

}  // namespace compiler::machine
