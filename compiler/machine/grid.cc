#include "compiler/machine/grid.h"

#include <algorithm>
#include <limits>

#include "compiler/facts/walk.h"

namespace compiler::machine {
namespace {

bool BeyondCta(const ir::Program& program, const ir::OpDef& op,
               const std::vector<std::string_view>& modifiers, ir::ViewId view) {
  const ir::Ordering ordering = ir::OrderingOf(op, modifiers);
  if (!ordering.strong || program[view].space != ir::Space::kGlobal) return false;
  const bool load = op.form == ir::Form::kLoad;
  return load || ordering.acquire || ordering.release;
}

}  // namespace

bool OrdersCtas(const ir::Program& program, const ir::Kernel& kernel) {
  bool orders = false;
  const auto visit = [&](ir::StmtId, const ir::Stmt& stmt) {
    if (stmt.op != nullptr) {
      const ir::SyncEffect sync = stmt.op->effects.sync;
      const bool fence = sync == ir::SyncEffect::kFence || sync == ir::SyncEffect::kFenceSc;
      // `fence async` orders two proxies of one thread, not CTAs.
      const bool beyond = fence && stmt.word != "cta" && stmt.word != "async";
      orders |= sync == ir::SyncEffect::kGridSync || beyond;
      if (stmt.destination != ir::ViewId::kNone) {
        orders |= BeyondCta(program, *stmt.op, stmt.modifiers, stmt.destination);
      }
    }
    // A loop that an atomic may end polls.
    const bool loop = stmt.kind == ir::StmtKind::kWhile;
    const auto look = [&](const ir::Stmt& at, bool polls) {
      for (const ir::ExprId root : facts::OwnExprs(program, at)) {
        facts::ForEachExpr(program, root, [&](ir::ExprId, const ir::Expr& expr) {
          if (expr.op == nullptr || expr.view == ir::ViewId::kNone) return;
          orders |= BeyondCta(program, *expr.op, expr.modifiers, expr.view);
          const bool global = program[expr.view].space == ir::Space::kGlobal;
          orders |= polls && global && expr.kind == ir::ExprKind::kAtomic;
        });
      }
    };
    look(stmt, loop);
    if (!loop) return;
    facts::ForEachStmt(program, stmt.body,
                       [&](ir::StmtId, const ir::Stmt& inner) { look(inner, true); });
  };
  facts::ForEachStmt(program, kernel.lets, visit);
  for (const ir::Role& role : kernel.roles) facts::ForEachStmt(program, role.body, visit);
  return orders;
}

int64_t Grid::Resident(int64_t ctas) const {
  int64_t sms = facts_.sms;
  for (size_t i = 0; i < run_.program.symbols.size(); ++i) {
    if (run_.program.symbols[i].kind == ir::SymbolKind::kSms) sms = run_.values.values[i];
  }
  int64_t resident = std::max<int64_t>(sms, 1) * std::max<int64_t>(facts_.ctas_per_sm, 1);
  if (run_.options.resident_ctas > 0) resident = run_.options.resident_ctas;
  resident = std::max(resident / kernel_.cluster * kernel_.cluster, kernel_.cluster);
  return std::min(resident, ctas);
}

// The next CTAs start where others have ended.
void Grid::Admit(const std::vector<int64_t>& ctas) {
  const auto group = static_cast<size_t>(std::max<int64_t>(kernel_.cluster, 1));
  while (admitted_ < ctas.size() &&
         (static_cast<int64_t>(alive_.size()) < run_.resident_ctas || admitted_ % group != 0)) {
    if (admitted_ % group == 0 && !run_.pool.Begin(static_cast<int64_t>(admitted_ / group))) {
      admitted_ += group;
      continue;
    }
    if (group > 1 && admitted_ % group == 0) {
      clusters_.push_back(std::make_unique<ClusterState>(group));
    }
    const int64_t id = ctas[admitted_++];
    ++run_.serial;
    run_.ctas.push_back(id);
    AgentSpace space = space_;
    space.first = (admitted_ - 1) * Cta::AgentsOf(run_.program, kernel_);
    alive_.push_back(std::make_unique<Cta>(run_, kernel_, facts_, code_, space));
    if (group > 1) alive_.back()->Join(*clusters_.back(), static_cast<size_t>(id) % group);
    alive_.back()->Start(id, run_.serial, launch_);
  }
}

// In the canonical schedule a CTA goes on until it waits. Under a seed CTAs take turns as warps do:
// else each would find what those before it have left at their end, and none in between.
bool Grid::Sweep() {
  const bool canonical = run_.options.schedule_seed == 0;
  bool moved = false;
  for (const std::unique_ptr<Cta>& cta : alive_) {
    moved |= canonical ? cta->Advance() : cta->AdvanceOne();
    if (run_.stopped) return moved;
  }
  const auto finished = [](const std::unique_ptr<Cta>& cta) { return cta->Finished(); };
  for (const std::unique_ptr<Cta>& cta : alive_) {
    if (finished(cta)) cta->End();
  }
  const auto ended = std::stable_partition(alive_.begin(), alive_.end(),
                                           [&](const auto& cta) { return !finished(cta); });
  moved |= ended != alive_.end();
  alive_.erase(ended, alive_.end());
  return moved;
}

// `grid.sync`: opens when every CTA of the grid has arrived.
bool Grid::LeaveTogether(size_t ctas) {
  const auto arrived = static_cast<size_t>(
      std::count_if(alive_.begin(), alive_.end(), [](const auto& cta) { return cta->AtGrid(); }));
  if (arrived != ctas) return false;
  Clocks all;
  all.Reset(space_.agents);
  for (const std::unique_ptr<Cta>& cta : alive_) all.Join(cta->GridClocks());
  for (const std::unique_ptr<Cta>& cta : alive_) cta->LeaveGrid(all);
  return true;
}

void Grid::NothingMoves(size_t ctas) {
  const auto waiting = static_cast<int64_t>(ctas - admitted_);
  for (const std::unique_ptr<Cta>& cta : alive_) {
    if (cta->Polls()) return cta->Stuck(waiting);
  }
  const auto at_grid =
      std::count_if(alive_.begin(), alive_.end(), [](const auto& cta) { return cta->AtGrid(); });
  for (const std::unique_ptr<Cta>& cta : alive_) {
    if (!cta->AtGrid()) return cta->Stuck(waiting);
  }
  alive_.front()->MissingAtGrid(at_grid, static_cast<int64_t>(ctas));
}

void Grid::Run(const std::vector<int64_t>& ctas) {
  const size_t per_cta = Cta::AgentsOf(run_.program, kernel_);
  const size_t agents = ctas.size() * per_cta + 1;
  run_.resident_ctas = Resident(static_cast<int64_t>(ctas.size()));
  // As many as can be numbered; with clocks, as fit if each warp of the resident ones has its own.
  int64_t most = std::numeric_limits<AgentId>::max();
  if (run_.options.clocks) {
    const auto warps = run_.resident_ctas * static_cast<int64_t>(per_cta);
    most = std::min(most, run_.options.max_clock_bytes / (4 * warps * int64_t{sizeof(Epoch)}));
  }
  if (static_cast<int64_t>(agents) > most) {
    run_.findings.GridLimit(kernel_, static_cast<int64_t>(agents), most);
    return run_.Stop(Outcome::kLimit);
  }
  space_ = {.first = 0, .agents = run_.options.clocks ? agents : 0, .serial = run_.serial + 1};
  run_.global_rules.StartCta();
  // CTAs may start in any order: where not all are resident, those with the highest numbers come
  // first, so that waiting for a lower number is seen to be no promise.
  std::vector<int64_t> order = ctas;
  if (run_.resident_ctas < static_cast<int64_t>(ctas.size())) {
    std::reverse(order.begin(), order.end());
    if (facts_.cooperative) {
      run_.findings.GridNotResident(kernel_, static_cast<int64_t>(ctas.size()), run_.resident_ctas);
      return run_.Stop(Outcome::kFault);
    }
  }
  const auto group = static_cast<size_t>(std::max<int64_t>(kernel_.cluster, 1));
  run_.pool.Start(static_cast<int64_t>(order.size() / group), run_.options.schedule_seed,
                  [&](int64_t i) { return order[static_cast<size_t>(i) * group]; });
  run_.FollowLaunch(kernel_);
  for (Admit(order); !run_.stopped && !alive_.empty(); Admit(order)) {
    if (Sweep() || run_.stopped || LeaveTogether(ctas.size())) continue;
    const bool moved = std::any_of(alive_.begin(), alive_.end(),
                                   [](const auto& cta) { return cta->PollersMove(); });
    if (!moved && !run_.stopped) NothingMoves(ctas.size());
  }
  alive_.clear();
  clusters_.clear();
}

}  // namespace compiler::machine
