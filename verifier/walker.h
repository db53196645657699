// The walk over a kernel that reads it symbolically: paths, loops with inferred invariants, joins.
// Internal to the analysis.
#pragma once

#include <algorithm>

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
      Record(stmt.source_view, ExprId::kNone, false, false, false);
    }
    for (const ir::ViewId operand : {stmt.left_view, stmt.right_view}) {
      if (operand == ir::ViewId::kNone || program_[operand].space != ir::Space::kShared) continue;
      for (const ir::ViewIndex& index : program_[operand].index) Visit(index.offset);
      Record(operand, ExprId::kNone, false, false, false);
    }
    if (stmt.destination == ir::ViewId::kNone) return;
    if (stmt.source_view != ir::ViewId::kNone) return Copy(stmt);
    for (const ir::ViewIndex& index : program_[stmt.destination].index) Visit(index.offset);
    Record(stmt.destination, ExprId::kNone, stmt.op->effects.writes_memory, false,
           ir::OrderingOf(*stmt.op, stmt.modifiers).strong);
  }

  bool TensorMemory(const Stmt& stmt);
  void ClusterNumbers(ExprId rank, ExprId mask);
  void Copy(const Stmt& stmt);

  // Records the loads in an expression, each under the facts of the `&&` and `||` around it.
  void Visit(ExprId id) {
    if (id == ExprId::kNone) return;
    const Expr& expr = program_[id];
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
    const bool atomic = expr.kind == ExprKind::kAtomic;
    Record(expr.view, id, atomic, !atomic && !expr.args.empty(),
           expr.op != nullptr && ir::OrderingOf(*expr.op, expr.modifiers).strong);
  }

  void Record(ir::ViewId view_id, ExprId load, bool write, bool predicated, bool strong) {
    const ir::View& view = program_[view_id];
    Access access{.stmt = e_.stmt,
                  .load = load,
                  .view = view_id,
                  .role = role_,
                  .write = write,
                  .predicated = predicated,
                  .strong = strong};
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
    std::vector<std::pair<bool, bool>> against_before;  // is at least, at most the value before
  };

  Branch RunBranch(const std::vector<StmtId>& body, const Facts& inside,
                   const std::vector<size_t>& assigned, const std::vector<LocalValue>& before) {
    const size_t depth = e_.facts.size();
    e_.facts.insert(e_.facts.end(), inside.begin(), inside.end());
    e_.locals = before;
    Block(body);
    Branch branch{.locals = e_.locals};
    for (const size_t local : assigned) {
      std::pair<bool, bool> against{false, false};
      if (before[local].value && e_.locals[local].value) {
        against = {e_.prover.AtMost(*before[local].value, *e_.locals[local].value, e_.facts),
                   e_.prover.AtMost(*e_.locals[local].value, *before[local].value, e_.facts)};
      }
      branch.against_before.push_back(against);
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
      if (!before[local].value) continue;
      const auto& [t_up, t_down] = then_branch.against_before[i];
      const auto& [f_up, f_down] = else_branch.against_before[i];
      if (t_up && f_up) Keep(Minus(*at.value, *before[local].value));
      if (t_down && f_down) Keep(Minus(*before[local].value, *at.value));
    }
  }

  void Keep(const std::optional<Linear>& fact) {
    if (fact) e_.facts.push_back(*fact);
  }

  void For(const Stmt& stmt) {
    for (const ExprId id : {stmt.low, stmt.high, stmt.step}) Visit(id);
    const Linear low = e_.IndexValue(stmt.low), high = e_.IndexValue(stmt.high);
    const Linear step = stmt.step == ExprId::kNone ? Linear::Constant(1) : e_.IndexValue(stmt.step);
    if (!step.is_constant() || step.constant <= 0) {
      e_.Require(Requirement::Kind::kStep, stmt.step, step, {.low = 1});
    }
    const std::string& name = e_.kernel.locals[static_cast<size_t>(stmt.local)].name;
    if (const auto room = Minus(high, low);
        e_.dry == 0 && room && step.is_constant() && step.constant > 0) {
      analysis_.loops.push_back({e_.stmt, *room, step.constant, e_.facts});
    }
    Facts head;
    Linear counter;
    std::optional<Linear> variable;
    if (step.is_constant() && step.constant > 0) {
      Interval trips{.low = 0};
      const Interval room =
          Add(analysis_.atoms.RangeOf(high), Scale(analysis_.atoms.RangeOf(low), -1));
      if (room.has_high()) trips.high = std::max<int64_t>(0, (room.high - 1) / step.constant);
      counter = Linear::Atom(
          analysis_.atoms.Add({.kind = AtomKind::kCounter, .name = name, .range = trips}));
      variable = Combine(low, 1, counter, step.constant);
    } else {
      const Interval range{analysis_.atoms.RangeOf(low).low, analysis_.atoms.RangeOf(high).high};
      variable = Linear::Atom(analysis_.atoms.Add({.kind = AtomKind::kCounter,
                                                   .name = name,
                                                   .range = range,
                                                   .start = low,
                                                   .step = step,
                                                   .has_step = true}));
    }
    if (!variable) variable = e_.Fresh(name, RangeOfDType(ir::DType::kI32));
    if (const auto above = Minus(*variable, low)) head.push_back(*above);
    if (const auto below = Minus(high, *variable)) head.push_back(Shift(*below, -1));
    const bool counted = !counter.terms.empty();
    Loop(stmt.body, counted ? std::optional(counter) : std::nullopt, [&] {
      e_.facts.insert(e_.facts.end(), head.begin(), head.end());
      e_.locals[static_cast<size_t>(stmt.local)] = {.value = variable};
    });
  }

  // Of a variable somewhere in a loop.
  Interval RangeOfLocal(size_t local) const {
    const Interval type = RangeOfDType(e_.kernel.locals[local].type.dtype);
    const auto& counted = counters_[local];
    if (!counted || counted->low < type.low || counted->high > type.high) return type;
    return {counted->low, counted->high};
  }

  void While(const Stmt& stmt) {
    Loop(stmt.body, std::nullopt, [&] {
      Visit(stmt.value);
      e_.Assume(stmt.value, true);
    });
    e_.Assume(stmt.value, false);
  }

  // Enters the loop's head with the candidates as facts.
  template <typename Enter>
  void Head(const std::vector<Candidate>& candidates, const std::vector<LocalValue>& heads,
            const Enter& enter) {
    e_.locals = heads;
    for (const Candidate& candidate : candidates) {
      const std::optional<Linear> distance = Minus(candidate.head, candidate.base);
      if (distance) Keep(Times(*distance, candidate.sign));
    }
    enter();
  }

  // What a loop keeps of the variables it assigns is guessed and the guesses that one iteration
  // breaks are dropped until none is (Houdini); then the body is read once for good.
  template <typename Enter>
  void Loop(const std::vector<StmtId>& body, const std::optional<Linear>& counter,
            const Enter& enter) {
    const size_t depth = e_.facts.size();
    const std::vector<size_t> assigned = AssignedLocals(program_, body);
    statements_read_ += static_cast<int64_t>(e_.locals.size());  // they are copied for every loop
    const std::vector<LocalValue> before = e_.locals;
    std::vector<LocalValue> heads = before;
    std::vector<Candidate> candidates;
    for (const size_t local : assigned) {
      const ir::Local& declared = e_.kernel.locals[local];
      heads[local] = {.version = before[local].version + 1};
      if (!IsIntegerScalar(declared.type) || declared.type.dtype == ir::DType::kBool) continue;
      const Linear head = e_.Fresh(declared.name, RangeOfLocal(local));
      heads[local].value = head;
      if (!before[local].value) continue;
      const Linear& start = *before[local].value;
      candidates.push_back({local, head, start, 0, 1});
      candidates.push_back({local, head, start, 0, -1});
      if (e_.prover.NonNegative(start, e_.facts)) {
        candidates.push_back({local, head, Linear::Constant(0), 0, 1});
      }
    }
    if (!candidates.empty()) Infer(body, counter, enter, before, heads, candidates);
    Head(candidates, heads, enter);
    Block(body);
    e_.facts.resize(depth);
    // Behind the loop the same relations hold of some last value.
    e_.locals = before;
    for (const size_t local : assigned) {
      e_.locals[local] = {.version = before[local].version + 2};
      const ir::Local& declared = e_.kernel.locals[local];
      if (heads[local].value) {
        e_.locals[local].value = e_.Fresh(declared.name, RangeOfLocal(local));
      }
      for (const Candidate& candidate : candidates) {
        if (candidate.local != local || candidate.rate != 0) continue;
        const std::optional<Linear> distance = Minus(*e_.locals[local].value, candidate.base);
        if (distance) Keep(Times(*distance, candidate.sign));
      }
    }
  }

  template <typename Enter>
  void Infer(const std::vector<StmtId>& body, const std::optional<Linear>& counter,
             const Enter& enter, const std::vector<LocalValue>& before,
             const std::vector<LocalValue>& heads, std::vector<Candidate>& candidates) {
    if (statements_read_ > kMaxStatementsRead) {
      candidates.clear();
      return;
    }
    const size_t depth = e_.facts.size();
    ++e_.dry;
    bool stable = false;
    for (int round = 0; round < kMaxRounds && !stable; ++round) {
      Head(candidates, heads, enter);
      Block(body);
      if (round == 0 && counter) AddRates(*counter, before, heads, candidates);
      const auto broken = [&](const Candidate& c) { return !e_.Keeps(c, true); };
      stable = std::erase_if(candidates, broken) == 0;
      e_.facts.resize(depth);
    }
    if (!stable) candidates.clear();
    --e_.dry;
  }

  // A variable that each iteration moves by a constant is its start plus that times the counter;
  // one that it moves by a number with bounds lies between two such.
  void AddRates(const Linear& counter, const std::vector<LocalValue>& before,
                const std::vector<LocalValue>& heads, std::vector<Candidate>& candidates) {
    for (size_t local = 0; local < heads.size(); ++local) {
      if (heads[local].version == before[local].version || !heads[local].value) continue;
      if (!e_.locals[local].value || !before[local].value) continue;
      const std::optional<Linear> moved = Minus(*e_.locals[local].value, *heads[local].value);
      if (!moved) continue;
      const Interval rates =
          moved->is_constant() ? Interval{moved->constant, moved->constant} : e_.KnownRange(*moved);
      for (const int sign : {1, -1}) {
        const int64_t rate = sign > 0 ? rates.low : rates.high;
        if (rate == 0 || std::abs(rate / 2) > kLargestRate) continue;
        const std::optional<Linear> base = Combine(*before[local].value, 1, counter, rate);
        if (base) candidates.push_back({local, *heads[local].value, *base, rate, sign});
      }
    }
  }

  Evaluator e_;
  const ir::Program& program_;
  KernelAnalysis& analysis_;
  std::vector<std::optional<ir::Range>> counters_;  // by LocalId
  int role_ = 0;
  int64_t statements_read_ = 0;
};

}  // namespace verifier
