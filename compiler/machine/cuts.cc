// Stops the warps at cuts and writes down what is known there (cuts.h).
#include "compiler/machine/cuts.h"

#include <algorithm>

#include "compiler/facts/walk.h"
#include "compiler/machine/cta.h"

namespace compiler::machine {
namespace {

constexpr int64_t kMostLag = 24;  // trips that one role is ahead of another

// Of the waits for groups whose number is a constant: kernels with others have no plan.
size_t MostPending(const ir::Program& program, const ir::Kernel& kernel) {
  int64_t most = 0;
  for (const ir::Role& role : kernel.roles) {
    facts::ForEachStmt(program, role.body, [&](ir::StmtId, const ir::Stmt& stmt) {
      if (stmt.amount != ir::ExprId::kNone) most = std::max(most, program[stmt.amount].int_value);
    });
  }
  return static_cast<size_t>(most);
}

}  // namespace

// Epochs by their order among all that the state holds of one agent. The state is walked twice:
// first the epochs are collected, then everything is hashed.
class Cuts::Writer {
 public:
  Writer(const Cuts& cuts, const Cta& cta)
      : cuts_(cuts),
        cta_(cta),
        epochs_(cta.space_.agents),
        pending_(MostPending(cta.run_.program, cta.kernel_)) {}

  void Write() {
    Walk();
    for (std::vector<Epoch>& list : epochs_) {
      std::sort(list.begin(), list.end());
      list.erase(std::unique(list.begin(), list.end()), list.end());
    }
    hashing_ = true;
    Walk();
  }
  uint64_t low() const { return low_; }
  uint64_t high() const { return high_; }

 private:
  void Walk() {
    for (const Warp& warp : cta_.warps_) Add(warp);
    for (const Barrier& barrier : cta_.barriers_) Add(barrier);
    for (const Mbarrier& mbarrier : cta_.mbarriers_) Add(mbarrier);
    for (const SharedRegion& region : cta_.regions_) Add(region);
    for (const WarpgroupOrder& order : cta_.products_) {
      for (const ir::StmtId stmt : order.statements) Number(static_cast<int64_t>(stmt));
      for (const int64_t passed : order.passed) Number(passed - order.forgotten);
    }
  }

  void Word(uint64_t word) {
    if (!hashing_) return;
    low_ = (low_ ^ word) * 0xff51afd7ed558ccdu;
    low_ ^= low_ >> 29;
    high_ = (high_ + word) * 0xc4ceb9fe1a85ec53u;
    high_ ^= high_ >> 31;
  }
  void Number(int64_t number) { Word(static_cast<uint64_t>(number)); }

  void At(AgentId agent, Epoch epoch) {
    std::vector<Epoch>& list = epochs_[agent];
    if (!hashing_) {
      if (list.empty() || list.back() != epoch) list.push_back(epoch);
      return;
    }
    Number(std::lower_bound(list.begin(), list.end(), epoch) - list.begin());
  }

  void Add(const Clock& clock) {
    Word(clock.agents());
    for (size_t a = 0; a < clock.agents(); ++a) {
      const auto agent = static_cast<AgentId>(a);
      At(agent, clock.All(agent));
      const bool more = clock.KnowsSomeLanes(agent);
      Word(more ? 1 : 0);
      for (int lane = 0; lane < ir::kLanes && more; ++lane) At(agent, clock.LaneEpoch(agent, lane));
    }
  }

  void Add(const Clocks& clocks) {
    Add(clocks.happened);
    Add(clocks.fenced);
    Add(clocks.fenced_by_owner);
    Add(clocks.ordered);
  }

  // Relative to the uses that the trips so far have made.
  int64_t Relative(const Mbarrier& mbarrier, int64_t generation) const {
    const auto declared = static_cast<size_t>(mbarrier.declared);
    const bool event = mbarrier.kind == MbarrierKind::kEvent;
    const int64_t uses = event ? cuts_.plan->event_uses[declared] : cuts_.plan->ring_uses[declared];
    return generation * mbarrier.stages - uses * cuts_.trips;
  }

  void Add(const Warp& warp) {
    Number(warp.pc);
    Word(warp.mask);
    Number(static_cast<int64_t>(warp.state));
    const bool held = warp.state == WarpState::kHeld;
    for (size_t i = 0; i < warp.frames.size(); ++i) {
      const Frame& frame = warp.frames[i];
      Number(static_cast<int64_t>(frame.kind));
      Word(frame.outer);
      Word(frame.other);
      if (!held || i + 1 < warp.frames.size()) Number(frame.iteration);
    }
    Add(warp.clocks);
    At(warp.agent, warp.epoch);
    Number(warp.waits_for);
    Number(warp.waits_event);
    if (warp.waits_event >= 0) {
      const Mbarrier& mbarrier = cta_.mbarriers_[static_cast<size_t>(warp.waits_event)];
      Number(Relative(mbarrier, warp.waits_generation));
      Word(warp.waits_relaxed ? 1 : 0);
    }
    for (size_t ring = 0; ring < warp.next_use.size(); ++ring) {
      for (const int64_t next : warp.next_use[ring]) {
        Number(next - (next == 0 ? 0 : cuts_.plan->ring_uses[ring] * cuts_.trips));
      }
    }
    for (const auto& [at, bytes] : warp.load_bytes) {
      Number(at.first);
      Number(Relative(cta_.mbarriers_[static_cast<size_t>(at.first)], at.second));
      Number(bytes);
    }
    for (const LaneKnowledge& known : warp.order.acquired) {
      Word(known.lanes);
      Add(known.clock);
    }
    AddGroups(warp);
  }

  // The newest groups, which waits and what follows them can tell apart.
  size_t Pending() const { return pending_ + 1; }

  void AddLanes(const LaneGroups& groups, AgentId agent, size_t lanes) {
    for (size_t lane = 0; lane < lanes; ++lane) {
      for (const Epoch epoch :
           {groups.open[lane], groups.complete[lane], groups.read[lane], groups.issued[lane]}) {
        At(agent, epoch);
      }
      const std::vector<Epoch>& closed = groups.closed[lane];
      const size_t kept = std::min(closed.size(), Pending());
      Word(kept);
      for (size_t k = closed.size() - kept; k < closed.size(); ++k) At(agent, closed[k]);
    }
  }

  void AddGroups(const Warp& warp) {
    const WarpGroups& groups = cta_.GroupsOf(warp);
    const Agents& agents = cta_.agents_;
    if (agents.has_async_copies()) {
      AddLanes(groups.copies, agents.AsyncCopies(warp.agent), ir::kLanes);
    }
    if (agents.has_bulk_stores()) {
      AddLanes(groups.bulk, agents.BulkReads(warp.agent), ir::kLanes);
      AddLanes(groups.bulk, agents.BulkWrites(warp.agent), ir::kLanes);
    }
    if (!agents.has_products()) return;
    const AgentId products = agents.Products(cta_.warps_[cta_.FirstOfWarpgroup(warp)].agent);
    AddLanes(groups.products, products, 1);
    const size_t kept = std::min(groups.issues.size(), Pending() + 1);
    for (size_t i = groups.issues.size() - kept; i < groups.issues.size(); ++i) {
      At(products, groups.issues[i].group);
      At(warp.agent, groups.issues[i].warp_epoch);
    }
  }

  void Add(const Barrier& barrier) {
    Number(barrier.arrived_threads);
    Word(barrier.generation > 0 ? 1 : 0);
    for (const Contribution& contribution : barrier.contributions) {
      Word(contribution.agent);
      Number(static_cast<int64_t>(contribution.stmt));
    }
    Add(barrier.arriving);
    Add(barrier.completed);
  }

  void Add(const Mbarrier& mbarrier) {
    Number(Relative(mbarrier, mbarrier.generation));
    Number(mbarrier.arrived);
    Number(mbarrier.expected_bytes);
    Number(mbarrier.completed_bytes);
    Number(mbarrier.last_bytes);
    for (const ReturnedWait& wait : mbarrier.returned) {
      Word(wait.agent);
      At(wait.agent, wait.epoch);
    }
    Add(mbarrier.arriving);
    Add(mbarrier.completed);
    Add(mbarrier.before);
  }

  void Add(const SharedRegion& region) {
    const uint32_t first = cta_.SharedSerial();
    const AccessRecords& records = cta_.run_.scratch.records;
    region.cells.ForUnits([&](int64_t bytes, const Cell& cell) {
      Number(bytes);
      const AccessRecord& write = records[cell.write];
      Word(write.serial >= first ? 1 : 0);
      if (write.serial >= first) {
        Word(write.agent * 256u + cell.write_lane * 4u + (write.async_proxy ? 2u : 0u) +
             (write.reduces ? 1u : 0u));
        At(write.agent, write.epoch);
      }
      cta_.shared_rules_.ForReaders(cell, records, first, [&](const ReadMark& mark) {
        const AccessRecord& read = records[mark.id];
        Word(read.agent);
        Word(mark.lanes);
        At(read.agent, read.epoch);
      });
    });
    const auto marks = [&](int64_t bytes, int32_t mark) {
      Number(bytes);
      Number(mark);
    };
    for (const uint64_t word : region.defined.words()) Word(word);
    region.origins.ForUnits(marks);
    region.owners.ForUnits(marks);
  }

  const Cuts& cuts_;
  const Cta& cta_;
  std::vector<std::vector<Epoch>> epochs_;  // by agent
  const size_t pending_;                    // groups that any wait leaves
  bool hashing_ = false;
  uint64_t low_ = 0x243f6a8885a308d3u, high_ = 0x13198a2e03707344u;
};

std::unique_ptr<Cuts> Cuts::Start(const Cta& cta) {
  const Options& options = cta.run_.options;
  const auto kernel = static_cast<size_t>(&cta.kernel_ - cta.run_.program.kernels.data());
  if (options.cuts == nullptr || options.cuts->kernel != kernel || cta.cluster_ != nullptr ||
      cta.space_.serial != 0 || cta.agents_.has_tensor_memory() || options.schedule_seed != 0) {
    return nullptr;
  }
  return std::make_unique<Cuts>(
      Cuts{.plan = options.cuts, .lag = std::vector<int64_t>(cta.kernel_.roles.size(), 0)});
}

void Cuts::Hold(Warp& warp) const {
  const auto role = static_cast<size_t>(warp.role);
  if (over || plan->loops[role] != warp.stmt) return;
  if (warp.frames.back().iteration >= trips + lag[role]) warp.state = WarpState::kHeld;
}

bool Cuts::Pass(Cta& cta) {
  bool ended = false, behind = false, held = false;
  std::vector<bool> ahead(lag.size(), false);  // by role
  for (const Warp& warp : cta.warps_) {
    const auto role = static_cast<size_t>(warp.role);
    if (plan->loops[role] == ir::StmtId::kNone) continue;
    const bool here = warp.state == WarpState::kHeld;
    held = held || here;
    ahead[role] = ahead[role] || here;
    ended = ended || warp.state == WarpState::kDone;
    behind = behind || warp.state == WarpState::kBlocked || warp.state == WarpState::kPolling;
  }
  if (!held) return false;
  if (ended) {
    over = true;
  } else if (behind) {
    for (size_t role = 0; role < lag.size(); ++role) {
      if (ahead[role] && ++lag[role] > kMostLag) over = true;
    }
    ++version;
  } else {
    Record(cta);
    ++trips;
    over = ++recorded >= plan->most_cuts;
  }
  for (Warp& warp : cta.warps_) {
    if (warp.state == WarpState::kHeld) warp.state = WarpState::kReady;
  }
  return true;
}

void Cuts::Record(Cta& cta) {
  Writer writer(*this, cta);
  writer.Write();
  cta.run_.result.cuts.push_back({.cta = cta.cta_,
                                  .trips = trips,
                                  .version = version,
                                  .ahead = *std::max_element(lag.begin(), lag.end()),
                                  .low = writer.low(),
                                  .high = writer.high()});
}

void Cuts::NoteOrder(Warp& warp) {
  constexpr uint64_t kPrime = 0x100000001b3u;
  uint64_t hash = warp.order_hash ^ (static_cast<uint64_t>(warp.cta) * kPrime + warp.agent);
  const auto mix = [&](uint64_t word) { hash = (hash ^ word) * kPrime + (hash >> 47); };
  mix(static_cast<uint64_t>(warp.last_sync));
  const Clock& clock = warp.clocks.happened;
  for (size_t a = 0; a < clock.agents(); ++a) {
    const auto agent = static_cast<AgentId>(a);
    if (agent == warp.agent) continue;  // what it has done itself is no order
    mix(clock.All(agent));
    const bool more = clock.KnowsSomeLanes(agent);
    for (int lane = 0; lane < ir::kLanes && more; ++lane) mix(clock.LaneEpoch(agent, lane));
  }
  warp.order_hash = hash;
}

}  // namespace compiler::machine
