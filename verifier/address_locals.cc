#include "verifier/address_locals.h"

#include <algorithm>

#include "compiler/facts/walk.h"

namespace verifier {

namespace ir = compiler::ir;

namespace {

class Finder {
 public:
  Finder(const ir::Program& program, const ir::Kernel& kernel)
      : program_(program), kernel_(kernel), found_(kernel.locals.size(), false) {
    const auto collect = [&](ir::StmtId, const ir::Stmt& stmt) { stmts_.push_back(&stmt); };
    compiler::facts::ForEachStmt(program, kernel.lets, collect);
    for (const ir::Role& role : kernel.roles) {
      compiler::facts::ForEachStmt(program, role.body, collect);
    }
  }

  std::vector<bool> Run() {
    for (const ir::Stmt* stmt : stmts_) MarkUses(*stmt);
    // Backwards through what is assigned to them; last statements first, so that a chain takes one
    // pass.
    for (bool changed = true; changed;) {
      const std::vector<bool> before = found_;
      for (auto it = stmts_.rbegin(); it != stmts_.rend(); ++it) {
        const ir::Stmt& stmt = **it;
        const bool sets = stmt.kind == ir::StmtKind::kLet || stmt.kind == ir::StmtKind::kAssign;
        if (!sets || stmt.value == ir::ExprId::kNone) continue;
        const auto local = static_cast<size_t>(stmt.local);
        const ir::Type& type = kernel_.locals[local].type;
        if (found_[local] && type.is_scalar() && ir::Info(type.dtype).is_integer) Mark(stmt.value);
      }
      changed = before != found_;
    }
    return found_;
  }

 private:
  void Mark(ir::ExprId root) {
    compiler::facts::ForEachExpr(program_, root, [&](ir::ExprId, const ir::Expr& expr) {
      if (expr.kind == ir::ExprKind::kLocal) found_[static_cast<size_t>(expr.local)] = true;
    });
  }

  void MarkView(ir::ViewId id) {
    if (id == ir::ViewId::kNone) return;
    for (const ir::ViewIndex& index : program_[id].index) Mark(index.offset);
    Mark(program_[id].stage);
  }

  void MarkUses(const ir::Stmt& stmt) {
    for (const ir::ExprId id : {stmt.low, stmt.high, stmt.step, stmt.barrier_index, stmt.use}) {
      Mark(id);
    }
    for (const ir::ExprId id : stmt.indices) Mark(id);
    MarkView(stmt.destination);
    MarkView(stmt.source_view);
    MarkView(stmt.left_view);
    MarkView(stmt.right_view);
    for (const ir::ExprId root : compiler::facts::OwnExprs(program_, stmt)) {
      compiler::facts::ForEachExpr(program_, root, [&](ir::ExprId, const ir::Expr& expr) {
        if (expr.kind == ir::ExprKind::kElement) {
          for (size_t i = 1; i < expr.args.size(); ++i) Mark(expr.args[i]);
        }
        MarkView(expr.view);
        Mark(expr.use);
      });
    }
  }

  const ir::Program& program_;
  const ir::Kernel& kernel_;
  std::vector<const ir::Stmt*> stmts_;
  std::vector<bool> found_;
};

}  // namespace

std::vector<bool> AddressLocals(const ir::Program& program, const ir::Kernel& kernel) {
  return Finder(program, kernel).Run();
}

std::vector<size_t> AssignedLocals(const ir::Program& program,
                                   const std::vector<ir::StmtId>& body) {
  std::vector<size_t> all;
  compiler::facts::ForEachStmt(program, body, [&](ir::StmtId, const ir::Stmt& stmt) {
    if (stmt.kind == ir::StmtKind::kAssign) all.push_back(static_cast<size_t>(stmt.local));
  });
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

}  // namespace verifier
