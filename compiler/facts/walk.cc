#include "compiler/facts/walk.h"

#include <algorithm>

namespace compiler::facts {
namespace {

void AppendViewExprs(const ir::Program& program, ir::ViewId id, std::vector<ir::ExprId>& out) {
  if (id == ir::ViewId::kNone) return;
  const ir::View& view = program[id];
  out.push_back(view.stage);
  for (const ir::ViewIndex& index : view.index) {
    out.push_back(index.offset);
    out.push_back(index.extent);
  }
  out.push_back(view.remote);
}

}  // namespace

void ForEachStmt(const ir::Program& program, const std::vector<ir::StmtId>& body,
                 const std::function<void(ir::StmtId, const ir::Stmt&)>& visit) {
  for (const ir::StmtId id : body) {
    const ir::Stmt& stmt = program[id];
    if (stmt.dead) continue;
    visit(id, stmt);
    ForEachStmt(program, stmt.body, visit);
    ForEachStmt(program, stmt.else_body, visit);
  }
}

void ForEachExpr(const ir::Program& program, ir::ExprId root,
                 const std::function<void(ir::ExprId, const ir::Expr&)>& visit) {
  if (root == ir::ExprId::kNone) return;
  const ir::Expr& expr = program[root];
  visit(root, expr);
  for (const ir::ExprId arg : expr.args) ForEachExpr(program, arg, visit);
  std::vector<ir::ExprId> of_view;
  AppendViewExprs(program, expr.view, of_view);
  for (const ir::ExprId id : of_view) ForEachExpr(program, id, visit);
}

std::vector<ir::ExprId> OwnExprs(const ir::Program& program, const ir::Stmt& stmt) {
  std::vector<ir::ExprId> all = stmt.indices;
  all.insert(all.end(), stmt.gather_rows.begin(), stmt.gather_rows.end());
  all.insert(all.end(), {stmt.end, stmt.value, stmt.low, stmt.high, stmt.step, stmt.barrier_index});
  all.insert(all.end(),
             {stmt.amount, stmt.on_use, stmt.else_value, stmt.zero, stmt.multicast, stmt.remote});
  for (const ir::ViewId view :
       {stmt.destination, stmt.source_view, stmt.accumulator_view, stmt.left_view, stmt.right_view,
        stmt.left_scale, stmt.right_scale}) {
    AppendViewExprs(program, view, all);
  }
  std::erase(all, ir::ExprId::kNone);
  return all;
}

std::string_view TextOf(const ir::Program& program, diag::Span span) {
  const size_t size = program.source.size();
  const size_t begin = std::min<size_t>(span.begin, size);
  const size_t end = std::clamp<size_t>(span.end, begin, size);
  return std::string_view(program.source).substr(begin, end - begin);
}

}  // namespace compiler::facts
