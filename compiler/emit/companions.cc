// Companions of use indices: where the use of a ring or event is a plain counter, two more counters
// run along with it, the stage and the parity of the generation, so that no hot loop divides.
//
// A counter is a local, or a local and a constant: `@k`, `@(k - 1)`. Its companions are set by
// division where the local is set, and step where it is increased by 1: in the head of its loop or
// at `k += 1`.
#include <bit>
#include <cstdlib>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "compiler/emit/kernel_emitter.h"
#include "compiler/ir/walk.h"

namespace compiler::emit {
namespace {

bool IsInt(const ir::Expr& expr, int64_t value) {
  return expr.kind == ir::ExprKind::kInt && expr.int_value == value;
}

}  // namespace

// The local and constant that a use is the sum of; no local where it is something else.
KernelEmitter::CounterUse KernelEmitter::CounterOf(ir::ExprId use) const {
  const ir::Expr& expr = program_[use];
  if (expr.kind == ir::ExprKind::kLocal) return {expr.local, 0};
  if (expr.kind != ir::ExprKind::kOp || expr.args.size() != 2) return {};
  const ir::Expr& left = program_[expr.args[0]];
  const ir::Expr& right = program_[expr.args[1]];
  const bool adds = expr.op->algebra == ir::Algebra::kAdd;
  const bool subtracts = expr.op->algebra == ir::Algebra::kSubtract;
  if (!adds && !subtracts) return {};
  if (left.kind == ir::ExprKind::kLocal && right.kind == ir::ExprKind::kInt) {
    return {left.local, adds ? right.int_value : -right.int_value};
  }
  if (adds && right.kind == ir::ExprKind::kLocal && left.kind == ir::ExprKind::kInt) {
    return {right.local, left.int_value};
  }
  return {};
}

const KernelEmitter::Companion* KernelEmitter::CompanionOf(ir::ExprId use, int64_t stages) const {
  const CounterUse counter = CounterOf(use);
  if (counter.local == ir::LocalId::kNone) return nullptr;
  const auto of_local = companions_.find(counter.local);
  if (of_local == companions_.end()) return nullptr;
  for (const Companion& companion : of_local->second) {
    if (companion.offset == counter.offset && companion.stages == stages &&
        !companion.stage.empty()) {
      return &companion;
    }
  }
  return nullptr;
}

bool KernelEmitter::StepsByOne(const ir::Stmt& stmt) const {
  if (stmt.value == ir::ExprId::kNone || !stmt.indices.empty()) return false;
  const CounterUse counter = CounterOf(stmt.value);
  return counter.local == stmt.local && counter.offset == 1;
}

void KernelEmitter::WantCompanion(ir::ExprId use, int64_t stages) {
  if (use == ir::ExprId::kNone || stages < 2) return;
  if (std::has_single_bit(static_cast<uint64_t>(stages))) return;
  const CounterUse counter = CounterOf(use);
  if (counter.local == ir::LocalId::kNone || !counters_.contains(counter.local)) return;
  std::vector<Companion>& wanted = companions_[counter.local];
  for (const Companion& known : wanted) {
    if (known.offset == counter.offset && known.stages == stages) return;
  }
  wanted.push_back({.offset = counter.offset, .stages = stages});
}

// Finds the counters of one block and everything below it: locals that a loop or `+= 1` steps by 1,
// and of all locals those that never fall below 0.
void KernelEmitter::FindCounters(const std::vector<ir::StmtId>& body) {
  for (const ir::StmtId id : body) {
    const ir::Stmt& stmt = program_[id];
    if (stmt.dead) continue;
    if (stmt.kind == ir::StmtKind::kFor && stmt.unroll == ir::kUnrollNone &&
        (stmt.step == ir::ExprId::kNone || IsInt(program_[stmt.step], 1))) {
      counters_.insert(stmt.local);
    }
    if (stmt.kind == ir::StmtKind::kFor && program_[stmt.low].kind == ir::ExprKind::kInt &&
        program_[stmt.low].int_value >= 0) {
      counts_up_.insert(stmt.local);
    }
    if (stmt.kind == ir::StmtKind::kAssign && StepsByOne(stmt)) counters_.insert(stmt.local);
    if (stmt.kind == ir::StmtKind::kLet || stmt.kind == ir::StmtKind::kAssign) {
      const bool from_zero = stmt.value != ir::ExprId::kNone &&
                             program_[stmt.value].kind == ir::ExprKind::kInt &&
                             program_[stmt.value].int_value >= 0;
      const CounterUse step =
          stmt.value == ir::ExprId::kNone ? CounterUse{} : CounterOf(stmt.value);
      const bool up = from_zero || (step.local == stmt.local && step.offset >= 0);
      if (!up) may_fall_.insert(stmt.local);
      if (up && !may_fall_.contains(stmt.local)) counts_up_.insert(stmt.local);
      if (may_fall_.contains(stmt.local)) counts_up_.erase(stmt.local);
    }
    FindCounters(stmt.body);
    FindCounters(stmt.else_body);
  }
}

void KernelEmitter::FindCompanions(const std::vector<ir::StmtId>& body) {
  const auto want = [&](ir::ExprId root) {
    std::vector<ir::ExprId> pending{root};
    while (!pending.empty()) {
      const ir::ExprId id = pending.back();
      pending.pop_back();
      const ir::Expr& expr = program_[id];
      if (expr.kind == ir::ExprKind::kTest) {
        WantCompanion(expr.use, StagesOf(expr.ring, expr.event));
      }
      if (expr.view != ir::ViewId::kNone) WantStage(program_[expr.view]);
      ir::AppendOperands(program_, expr, pending);
    }
  };
  for (const ir::StmtId id : body) {
    const ir::Stmt& stmt = program_[id];
    if (stmt.dead) continue;
    if (stmt.use != ir::ExprId::kNone) {
      WantCompanion(stmt.use, StagesOf(stmt.ring, stmt.event));
    }
    if (stmt.on_use != ir::ExprId::kNone) {
      WantCompanion(stmt.on_use, StagesOf(stmt.on_ring, stmt.on_event));
    }
    for (ir::ViewId view : {stmt.destination, stmt.source_view, stmt.left_view, stmt.right_view}) {
      if (view != ir::ViewId::kNone) WantStage(program_[view]);
    }
    std::vector<ir::ExprId> own;
    ir::AppendOwnExprs(program_, stmt, own);
    for (const ir::ExprId root : own) want(root);
    FindCompanions(stmt.body);
    FindCompanions(stmt.else_body);
  }
}

void KernelEmitter::WantStage(const ir::View& view) {
  if (view.space != ir::Space::kShared || view.stage == ir::ExprId::kNone) return;
  const ir::SharedBuffer& buffer = kernel_.shared[static_cast<size_t>(view.shared)];
  if (buffer.ring != ir::RingId::kNone) WantCompanion(view.stage, buffer.stages);
}

// After the local has got a value: companions by division, floored, so that a lag before use 0 is
// the stage and parity that the first uses grow out of.
void KernelEmitter::SetCompanions(ir::LocalId local, const std::string& value) {
  const auto of_local = companions_.find(local);
  if (of_local == companions_.end()) return;
  for (Companion& companion : of_local->second) {
    const bool first = companion.stage.empty();
    if (first) {
      const std::string base =
          absl::StrCat(kernel_.locals[static_cast<size_t>(local)].name,
                       companion.offset < 0   ? absl::StrCat("_less_", -companion.offset)
                       : companion.offset > 0 ? absl::StrCat("_plus_", companion.offset)
                                              : "",
                       "_of_", companion.stages);
      companion.stage = names_.Declare(base + "_stage");
      companion.phase = names_.Declare(base + "_phase");
    }
    int64_t constant = 0;
    const std::string type = first ? "int " : "";
    if (absl::SimpleAtoi(value, &constant)) {
      const int64_t use = constant + companion.offset;
      const int64_t stage = (use % companion.stages + companion.stages) % companion.stages;
      out_.Line(absl::StrCat(type, companion.stage, " = ", stage, first ? ", " : "; ",
                             companion.phase, " = ", (use - stage) / companion.stages & 1, ";"));
      continue;
    }
    const std::string use = companion.offset == 0
                                ? value
                                : absl::StrCat("(", value, companion.offset < 0 ? " - " : " + ",
                                               std::abs(companion.offset), ")");
    const std::string shifted =
        companion.offset < 0
            ? absl::StrCat("(", value, " + ",
                           companion.offset + (-companion.offset / (2 * companion.stages) + 1) * 2 *
                                                  companion.stages,
                           ")")
            : use;
    out_.Line(absl::StrCat(type, companion.stage, " = ", shifted, " % ", companion.stages,
                           first ? ", " : "; ", companion.phase, " = ", shifted, " / ",
                           companion.stages, " & 1;"));
  }
}

void KernelEmitter::StepCompanions(ir::LocalId local) {
  const auto of_local = companions_.find(local);
  if (of_local == companions_.end()) return;
  for (const Companion& companion : of_local->second) {
    out_.Open(absl::StrCat("if (++", companion.stage, " == ", companion.stages, ") {"));
    out_.Line(absl::StrCat(companion.stage, " = 0;"));
    out_.Line(absl::StrCat(companion.phase, " ^= 1;"));
    out_.Close();
  }
}

}  // namespace compiler::emit
