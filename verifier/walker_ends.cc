// Loops that run while a variable is below a number that does not change: where each iteration
// moves the variable no farther than that number, it is there at most. The guess needs the loop to
// begin so; that iterations keep it is then shown as of every other guess.
#include "compiler/facts/walk.h"
#include "verifier/walker.h"

namespace verifier {
namespace {

using ir::Algebra;

// Whether the expression reads one of these locals, or memory.
bool Changes(const ir::Program& program, ExprId id, const std::vector<size_t>& assigned) {
  bool changes = false;
  compiler::facts::ForEachExpr(program, id, [&](ExprId, const Expr& expr) {
    const bool reads =
        expr.kind == ExprKind::kLocal &&
        std::binary_search(assigned.begin(), assigned.end(), static_cast<size_t>(expr.local));
    changes = changes || reads || expr.view != ir::ViewId::kNone || expr.kind == ExprKind::kTest;
  });
  return changes;
}

}  // namespace

std::vector<Walker::End> Walker::EndsOf(const Stmt& loop) {
  const std::vector<size_t> assigned = AssignedLocals(program_, loop.body);
  std::vector<End> ends;
  const auto add = [&](ExprId variable, ExprId end) {
    const Expr& of = program_[variable];
    if (of.kind != ExprKind::kLocal || !IsIntegerScalar(of.type)) return;
    const auto local = static_cast<size_t>(of.local);
    const std::optional<Linear>& start = e_.locals[local].value;
    const bool moves = std::binary_search(assigned.begin(), assigned.end(), local);
    if (!moves || !start || Changes(program_, end, assigned)) return;
    const Linear value = e_.Value(end);
    if (e_.prover.AtMost(*start, value, e_.facts)) ends.push_back({local, value});
  };
  const auto read = [&](auto&& self, ExprId id) -> void {
    const Expr& expr = program_[id];
    if (expr.kind == ExprKind::kAnd) {
      for (const ExprId arg : expr.args) self(self, arg);
    } else if (expr.kind == ExprKind::kOp && expr.op->algebra == Algebra::kLess) {
      add(expr.args[0], expr.args[1]);
    } else if (expr.kind == ExprKind::kOp && expr.op->algebra == Algebra::kGreater) {
      add(expr.args[1], expr.args[0]);
    }
  };
  read(read, loop.value);
  return ends;
}

}  // namespace verifier
