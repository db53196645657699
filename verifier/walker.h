// The walk over a kernel that reads it symbolically: paths, loops with inferred invariants, joins.
// Internal to the analysis.
#pragma once

#include <algorithm>
#include <functional>

#include "compiler/ir/order.h"
#include "verifier/address_locals.h"
#include "verifier/analysis.h"
#include "verifier/counters.h"
#include "verifier/evaluator.h"

namespace verifier {

using ir::Expr;
using ir::ExprId;
using ir::ExprKind;
using ir::LocalId;
using ir::Stmt;
using ir::StmtId;
using ir::StmtKind;

inline constexpr int64_t kLargestRate = int64_t{1} << 32;  // of a variable, an iteration
inline constexpr int kMaxRounds = 4;  // of dropping candidate invariants that do not hold
// Statements read, trial runs included: nested loops multiply them. Beyond, nothing is inferred any
// more.
inline constexpr int64_t kMaxStatementsRead = 200'000;

inline bool IsIntegerScalar(const ir::Type& type) {
  return type.is_scalar() && ir::Info(type.dtype).is_integer;
}

class Walker {
 public:
  Walker(const ir::Program& program, const compiler::facts::Facts& facts, KernelAnalysis& analysis)
      : e_(program, facts, analysis), program_(program), analysis_(analysis) {}

  // What to look at: that where the facts contradict each other becomes `impossible`.
  Watched watched, impossible;
  std::set<std::pair<ExprId, uint8_t>> possible;  // decisions at some place

  void Run() {
    e_.BeginLaunch();
    e_.address_locals = AddressLocals(program_, e_.kernel);
    counters_ = CounterRanges(program_, e_.kernel);
    for (size_t role = 0; role < e_.kernel.roles.size(); ++role) Role(static_cast<int>(role));
  }

 private:
  void Role(int role) {
    role_ = role;
    const int64_t warps = e_.kernel.roles[static_cast<size_t>(role)].warps;
    e_.warps = warps;
    Atom& lane = analysis_.atoms.Mutable(analysis_.atoms.Opaque("lane", {}));
    lane.kind = AtomKind::kThread;
    lane.range = {0, ir::kLanes - 1};
    Atom& warp = analysis_.atoms.Mutable(analysis_.atoms.Opaque("warp", {}));
    warp.kind = AtomKind::kThread;
    // Kept wide enough for every role; each role's own width is a fact of it.
    warp.range = {0, std::max(warp.range.has_high() ? warp.range.high : 0, warps - 1)};
    e_.facts = analysis_.launch;
    const Linear id = Linear::Atom(analysis_.atoms.Opaque("warp", {}));
    if (const std::optional<Linear> room = Minus(Linear::Constant(warps - 1), id)) {
      e_.facts.push_back(*room);
    }
    const int recorded = role == 0 ? 0 : 1;  // kernel-level lets are the same in every role
    e_.dry += recorded;
    Block(e_.kernel.lets);
    e_.dry -= recorded;
    Block(e_.kernel.roles[static_cast<size_t>(role)].body);
  }

  void Block(const std::vector<StmtId>& body) {
    for (const StmtId id : body) Statement(id);
  }

  void Statement(StmtId id) {
    const Stmt& stmt = program_[id];
    if (stmt.dead) return;
    ++statements_read_;
    if (e_.dry == 0 && watched.statements.contains(id) && e_.prover.Contradiction(e_.facts)) {
      impossible.statements.insert(id);
    }
    const StmtId outer = e_.stmt;
    e_.stmt = id;
    if (!watched.decisions.empty()) Operands(stmt);
    switch (stmt.kind) {
      case StmtKind::kLet:
        Visit(stmt.value);
        e_.Set(stmt.local, stmt.value);
        break;
      case StmtKind::kAssign: Assign(stmt); break;
      case StmtKind::kPairLet:
        Visit(stmt.value);
        e_.Forget(stmt.local);
        e_.Forget(stmt.second_local);
        break;
      case StmtKind::kFor: For(stmt); break;
      case StmtKind::kWhile: While(stmt); break;
      case StmtKind::kIf: If(stmt); break;
      case StmtKind::kElect:
      case StmtKind::kOnce: One(stmt); break;
      case StmtKind::kOp: Instruction(stmt); break;
    }
    e_.stmt = outer;
  }

  void Assign(const Stmt& stmt) {
    Visit(stmt.value);
    if (stmt.indices.empty()) {
      e_.Set(stmt.local, stmt.value);
      return;
    }
    for (const ExprId index : stmt.indices) Visit(index);
    e_.RequireElement(stmt.local, stmt.indices);
    e_.locals[static_cast<size_t>(stmt.local)].version += 1;
    e_.locals[static_cast<size_t>(stmt.local)].tensor = -1;
  }

  void Instruction(const Stmt& stmt) {
    Visit(stmt.value);
    Visit(stmt.use);
    if (stmt.use != ExprId::kNone) e_.IndexValue(stmt.use);
    if (stmt.barrier != ir::BarrierId::kNone && stmt.barrier_index != ExprId::kNone) {
      Visit(stmt.barrier_index);
      const int64_t count = e_.kernel.barriers[static_cast<size_t>(stmt.barrier)].count;
      e_.Require(Requirement::Kind::kBarrierIndex, stmt.barrier_index,
                 e_.IndexValue(stmt.barrier_index), {0, count - 1});
    }
    ClusterNumbers(stmt.remote, stmt.multicast);
    if (TensorMemory(stmt)) return;
    if (stmt.op->effects.copy == ir::CopyEffect::kMatrixLoad) {
      for (const ir::ViewIndex& index : program_[stmt.source_view].index) Visit(index.offset);
      Record(stmt.source_view, ExprId::kNone, false, false, {});
    }
    for (const ir::ViewId operand : {stmt.left_view, stmt.right_view}) {
      if (operand == ir::ViewId::kNone || program_[operand].space != ir::Space::kShared) continue;
      for (const ir::ViewIndex& index : program_[operand].index) Visit(index.offset);
      Record(operand, ExprId::kNone, false, false, {});
    }
    for (const ExprId row : stmt.gather_rows) Visit(row);
    if (stmt.op->effects.copy == ir::CopyEffect::kMapUpdate) return SetTensorMap(stmt);
    if (stmt.destination == ir::ViewId::kNone) return;
    if (stmt.source_view != ir::ViewId::kNone) return Copy(stmt);
    for (const ir::ViewIndex& index : program_[stmt.destination].index) Visit(index.offset);
    Record(stmt.destination, ExprId::kNone, stmt.op->effects.writes_memory, false,
           ir::OrderingOf(*stmt.op, stmt.modifiers));
  }

  bool TensorMemory(const Stmt& stmt);
  void ClusterNumbers(ExprId rank, ExprId mask);
  void Copy(const Stmt& stmt);
  void SetTensorMap(const Stmt& stmt);

  // Records the loads in an expression, each under the facts of the `&&` and `||` around it.
  void Visit(ExprId id) {
    if (id == ExprId::kNone) return;
    const Expr& expr = program_[id];
    if (e_.dry == 0 && !watched.decisions.empty()) Decide(id, expr);
    if (expr.kind == ExprKind::kAnd || expr.kind == ExprKind::kOr) {
      Visit(expr.args[0]);
      const size_t depth = e_.facts.size();
      e_.Assume(expr.args[0], expr.kind == ExprKind::kAnd);
      Visit(expr.args[1]);
      e_.facts.resize(depth);
      return;
    }
    for (const ExprId arg : expr.args) Visit(arg);
    if (expr.kind == ExprKind::kElement && program_[expr.args[0]].kind == ExprKind::kLocal) {
      e_.RequireElement(program_[expr.args[0]].local, {expr.args.begin() + 1, expr.args.end()});
    }
    if (expr.kind == ExprKind::kElement && program_[expr.args[0]].kind == ExprKind::kSymbol) {
      const int64_t elements = program_[expr.args[0]].type.shape[0];
      e_.Require(Requirement::Kind::kRegisterIndex, expr.args[1], e_.IndexValue(expr.args[1]),
                 {0, elements - 1});
    }
    if (expr.view == ir::ViewId::kNone) return;
    for (const ir::ViewIndex& index : program_[expr.view].index) Visit(index.offset);
    if (!watched.decisions.empty()) Visit(program_[expr.view].stage);
    const bool atomic = expr.kind == ExprKind::kAtomic;
    Record(expr.view, id, atomic, !atomic && !expr.args.empty(),
           expr.op == nullptr ? ir::Ordering{} : ir::OrderingOf(*expr.op, expr.modifiers));
  }

  // What the statement's decisions stand in beside what it is read for.
  void Operands(const Stmt& stmt) {
    for (const ExprId id : {stmt.zero, stmt.on_use, stmt.amount, stmt.bytes, stmt.multicast}) {
      Visit(id);
    }
    for (const ir::ViewId view : {stmt.destination, stmt.source_view, stmt.left_view,
                                  stmt.right_view, stmt.accumulator_view, stmt.left_scale,
                                  stmt.right_scale}) {
      if (view != ir::ViewId::kNone) Visit(program_[view].stage);
    }
  }

  // Outcomes that a decision never has at the present place; what is possible at another is kept.
  void Decide(ExprId id, const Expr& expr);

  void Record(ir::ViewId view_id, ExprId load, bool write, bool predicated, ir::Ordering order) {
    const ir::View& view = program_[view_id];
    Access access{.stmt = e_.stmt,
                  .load = load,
                  .view = view_id,
                  .role = role_,
                  .write = write,
                  .predicated = predicated,
                  .strong = order.strong,
                  .of_cta = order.strong && order.scope == ir::SyncScope::kCta};
    for (size_t d = 0; d < view.index.size(); ++d) {
      const ir::ViewIndex& index = view.index[d];
      access.offsets.push_back(index.offset == ExprId::kNone ? Linear::Constant(0)
                                                             : e_.IndexValue(index.offset));
      const Linear extent = index.is_slice && index.extent != ExprId::kNone ? e_.Value(index.extent)
                                                                            : Linear::Constant(1);
      access.extents.push_back(extent.is_constant() ? extent.constant : 1);
      if (view.space == ir::Space::kGlobal) {
        access.limits.push_back(analysis_.limits[static_cast<size_t>(view.tensor)][d]);
      } else if (view.space == ir::Space::kTmem) {
        const ir::TmemBuffer& tmem = e_.kernel.tmem[static_cast<size_t>(view.tmem)];
        access.limits.push_back(Linear::Constant(d == 0 ? tmem.rows : tmem.columns));
      } else {
        access.limits.push_back(
            Linear::Constant(e_.kernel.shared[static_cast<size_t>(view.shared)].shape[d]));
      }
    }
    ClusterNumbers(view.remote, ExprId::kNone);
    if (view.stage != ExprId::kNone) {
      e_.Require(Requirement::Kind::kStage, view.stage, e_.IndexValue(view.stage), {.low = 0});
    }
    if (e_.dry > 0) return;
    access.facts = e_.facts;
    analysis_.accesses.push_back(std::move(access));
  }

  // What the branches assign is joined: equal values stay, others become an unknown between both.
  void If(const Stmt& stmt) {
    Visit(stmt.value);
    for (const bool truth : {false, true}) {
      const std::pair<StmtId, bool> side{e_.stmt, truth};
      if (e_.dry == 0 && watched.sides.contains(side) && e_.Never(stmt.value, truth)) {
        impossible.sides.insert(side);
      }
    }
    Branches(stmt.body, stmt.else_body, e_.Conditions(stmt.value, true),
             e_.Conditions(stmt.value, false));
  }

  // elect: one lane of each warp; once: the role's first thread.
  void One(const Stmt& stmt) {
    Facts inside;
    if (stmt.kind == StmtKind::kOnce) {
      for (const char* name : {"lane", "warp"}) {
        inside.push_back(*Times(Linear::Atom(analysis_.atoms.Opaque(name, {})), -1));
      }
    }
    Branches(stmt.body, {}, inside, {});
  }

  struct Branch {
    std::vector<LocalValue> locals;
    std::vector<Interval> moved;  // of each assigned local: what the branch adds to it, at most
  };

  Branch RunBranch(const std::vector<StmtId>& body, const Facts& inside,
                   const std::vector<size_t>& assigned, const std::vector<LocalValue>& before) {
    const size_t depth = e_.facts.size();
    e_.facts.insert(e_.facts.end(), inside.begin(), inside.end());
    e_.locals = before;
    Block(body);
    Branch branch{.locals = e_.locals};
    for (const size_t local : assigned) {
      Interval moved;
      const auto difference = before[local].value && e_.locals[local].value
                                  ? Minus(*e_.locals[local].value, *before[local].value)
                                  : std::nullopt;
      if (difference) {
        moved = e_.KnownRange(*difference);
        const bool small = difference->is_constant() || moved.low >= 0 || moved.high <= 0;
        if (!small && e_.prover.NonNegative(*difference, e_.facts)) moved.low = 0;
        if (!small && moved.low < 0 && e_.prover.NonNegative(*Times(*difference, -1), e_.facts)) {
          moved.high = 0;
        }
      }
      branch.moved.push_back(moved);
    }
    e_.facts.resize(depth);
    return branch;
  }

  void Branches(const std::vector<StmtId>& body, const std::vector<StmtId>& else_body,
                const Facts& if_true, const Facts& if_false) {
    std::vector<size_t> assigned = AssignedLocals(program_, body);
    for (const size_t local : AssignedLocals(program_, else_body)) assigned.push_back(local);
    std::sort(assigned.begin(), assigned.end());
    assigned.erase(std::unique(assigned.begin(), assigned.end()), assigned.end());
    const std::vector<LocalValue> before = e_.locals;
    const Branch then_branch = RunBranch(body, if_true, assigned, before);
    const Branch else_branch = RunBranch(else_body, if_false, assigned, before);
    e_.locals = before;
    for (size_t i = 0; i < assigned.size(); ++i) {
      const size_t local = assigned[i];
      const LocalValue& t = then_branch.locals[local];
      const LocalValue& f = else_branch.locals[local];
      LocalValue& at = e_.locals[local];
      if (t.value && f.value && *t.value == *f.value) {
        at = t;
        continue;
      }
      at = {.version = std::max(t.version, f.version) + 1};
      if (!t.value || !f.value) continue;
      at.value = e_.Fresh(e_.kernel.locals[local].name, Hull(analysis_.atoms.RangeOf(*t.value),
                                                             analysis_.atoms.RangeOf(*f.value)));
      e_.Picks(*at.value, *t.value, if_true, *f.value, if_false);
      if (!before[local].value) continue;
      const Interval moved = Hull(then_branch.moved[i], else_branch.moved[i]);
      const auto difference = Minus(*at.value, *before[local].value);
      if (difference && moved.has_low()) Keep(Shift(*difference, -moved.low));
      if (difference && moved.has_high()) Keep(Shift(*Times(*difference, -1), moved.high));
    }
  }

  void Keep(const std::optional<Linear>& fact) {
    if (fact) e_.facts.push_back(*fact);
  }

  // walker_loops.cc
  using Enter = std::function<void()>;
  // A counted loop: its counter, from 0, and how often it runs.
  struct Trips {
    Linear counter;
    std::optional<Linear> all;
    Linear most;                     // at least as many
    std::optional<Linear> distance;  // from its low end to its high one, 0 at least
    int64_t step = 1;
    const Stmt* loop = nullptr;
    Linear low, high;
  };

  void For(const Stmt& stmt);
  void While(const Stmt& stmt);
  Trips TripsOf(const Linear& low, const Linear& high, const Linear& step, std::string_view name);
  void Head(const std::vector<Candidate>& candidates, const std::vector<LocalValue>& heads,
            const Enter& enter);
  void Loop(const std::vector<StmtId>& body, const std::optional<Trips>& trips, const Enter& enter);
  void Exit(const std::vector<Candidate>& candidates, const std::vector<LocalValue>& heads,
            const std::vector<size_t>& assigned, const std::optional<Trips>& trips);
  void Infer(const std::vector<StmtId>& body, const std::optional<Trips>& trips, const Enter& enter,
             const std::vector<LocalValue>& before, const std::vector<LocalValue>& heads,
             std::vector<Candidate>& candidates);
  void AddRates(const std::optional<Trips>& trips, const std::vector<LocalValue>& before,
                const std::vector<LocalValue>& heads, std::vector<Candidate>& candidates);
  void AddSymbolicRates(const Trips& trips, const Linear& moved, const Candidate& still,
                        std::vector<Candidate>& candidates);
  void AddPairs(const std::vector<LocalValue>& before, const std::vector<LocalValue>& heads,
                std::vector<Candidate>& candidates);

  // walker_ends.cc: what a variable of a loop `while v < e` is at most, at every head.
  struct End {
    size_t local = 0;
    Linear value;
  };
  std::vector<End> EndsOf(const Stmt& loop);

  // walker_elements.cc
  void MarkAlike(const Trips& trips, const std::vector<size_t>& assigned,
                 const std::vector<LocalValue>& before, const std::vector<LocalValue>& heads);
  std::optional<Linear> BelowByElements(const Linear& variable, const Linear& high) const;
  void AddSpans(const Trips& trips, const std::vector<LocalValue>& before,
                const std::vector<LocalValue>& heads, std::vector<Candidate>& candidates);
  bool KeepsSpan(const Candidate& candidate) const;

  // Of a variable somewhere in a loop.
  Interval RangeOfLocal(size_t local) const {
    const Interval type = RangeOfDType(e_.kernel.locals[local].type.dtype);
    const auto& counted = counters_[local];
    if (!counted || counted->low < type.low || counted->high > type.high) return type;
    return {counted->low, counted->high};
  }

  Evaluator e_;
  const ir::Program& program_;
  KernelAnalysis& analysis_;
  std::vector<std::optional<ir::Range>> counters_;  // by LocalId
  std::vector<End> ends_;                           // of the loop that is entered next
  int role_ = 0;
  int64_t statements_read_ = 0;
};

}  // namespace verifier
