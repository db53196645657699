#include "compiler/ir/walk.h"

#include <algorithm>

namespace compiler::ir {
namespace {

void Append(ExprId id, std::vector<ExprId>& out) {
  if (id != ExprId::kNone) out.push_back(id);
}

void AppendView(const Program& program, ViewId id, std::vector<ExprId>& out) {
  if (id == ViewId::kNone) return;
  const View& view = program[id];
  Append(view.stage, out);
  for (const ViewIndex& index : view.index) {
    Append(index.offset, out);
    Append(index.extent, out);
  }
  Append(view.remote, out);
}

}  // namespace

void AppendOperands(const Program& program, const Expr& expr, std::vector<ExprId>& out) {
  for (ExprId arg : expr.args) Append(arg, out);
  AppendView(program, expr.view, out);
  Append(expr.use, out);
}

void AppendOwnExprs(const Program& program, const Stmt& stmt, std::vector<ExprId>& out) {
  for (ExprId index : stmt.indices) Append(index, out);
  Append(stmt.value, out);
  Append(stmt.low, out);
  Append(stmt.high, out);
  Append(stmt.step, out);
  Append(stmt.barrier_index, out);
  for (ViewId view : {stmt.destination, stmt.source_view, stmt.left_view, stmt.right_view,
                      stmt.accumulator_view, stmt.left_scale, stmt.right_scale}) {
    AppendView(program, view, out);
  }
  for (ExprId row : stmt.gather_rows) Append(row, out);
  for (ExprId id :
       {stmt.end, stmt.use, stmt.bytes, stmt.remote, stmt.amount, stmt.on_use, stmt.multicast,
        stmt.else_value, stmt.zero, stmt.fragment.column, stmt.left.column, stmt.right.column}) {
    Append(id, out);
  }
}

void AppendWrittenViews(const Program& program, const Stmt& stmt, std::vector<ViewId>& out) {
  if (stmt.destination != ViewId::kNone) out.push_back(stmt.destination);
  std::vector<ExprId> pending;
  AppendOwnExprs(program, stmt, pending);
  for (size_t i = 0; i < pending.size(); ++i) {
    const Expr& expr = program[pending[i]];
    if (expr.kind == ExprKind::kAtomic) out.push_back(expr.view);
    AppendOperands(program, expr, pending);
  }
}

bool HasModifier(const Stmt& stmt, std::string_view word) {
  return std::find(stmt.modifiers.begin(), stmt.modifiers.end(), word) != stmt.modifiers.end();
}

}  // namespace compiler::ir
