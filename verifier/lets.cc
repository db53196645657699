#include "verifier/lets.h"

#include <set>

#include "compiler/facts/walk.h"

namespace verifier {

namespace ir = compiler::ir;

namespace {
constexpr size_t kMaxParts = 256;
}  // namespace

std::vector<ir::ExprId> LetValues(const ir::Program& program, const ir::Kernel& kernel) {
  std::vector<ir::ExprId> values(kernel.locals.size(), ir::ExprId::kNone);
  const auto note = [&](ir::StmtId, const ir::Stmt& stmt) {
    if (stmt.kind != ir::StmtKind::kLet || stmt.local == ir::LocalId::kNone) return;
    const auto local = static_cast<size_t>(stmt.local);
    if (!kernel.locals[local].is_var) values[local] = stmt.value;
  };
  compiler::facts::ForEachStmt(program, kernel.lets, note);
  for (const ir::Role& role : kernel.roles) compiler::facts::ForEachStmt(program, role.body, note);
  return values;
}

bool AnyPart(const ir::Program& program, const std::vector<ir::ExprId>& lets, ir::ExprId root,
             const std::function<bool(ir::ExprId)>& found) {
  std::vector<ir::ExprId> parts{root};
  std::set<ir::ExprId> seen{root};
  const auto add = [&](ir::ExprId id) {
    if (id != ir::ExprId::kNone && seen.size() < kMaxParts && seen.insert(id).second) {
      parts.push_back(id);
    }
  };
  for (size_t i = 0; i < parts.size(); ++i) {
    const ir::Expr& expr = program[parts[i]];
    if (i > 0 && found(parts[i])) return true;
    for (const ir::ExprId arg : expr.args) add(arg);
    if (expr.kind == ir::ExprKind::kLocal) add(lets[static_cast<size_t>(expr.local)]);
    if (expr.view == ir::ViewId::kNone) continue;
    for (const ir::ViewIndex& index : program[expr.view].index) add(index.offset);
  }
  return false;
}

}  // namespace verifier
