// Walks over the elaborated tree that several readers need. Iterating callers pass a lambda; the
// depth of the tree is bounded by ir::Limits::nesting_levels.
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "compiler/ir/program.h"

namespace compiler::facts {

// Visits every statement under `body` in source order, nested ones after their parent; dead ones
// and what is under them are skipped.
void ForEachStmt(const ir::Program& program, const std::vector<ir::StmtId>& body,
                 const std::function<void(ir::StmtId, const ir::Stmt&)>& visit);

// Visits `root` and every expression under it, views' indices included; kNone is nothing.
void ForEachExpr(const ir::Program& program, ir::ExprId root,
                 const std::function<void(ir::ExprId, const ir::Expr&)>& visit);

// The expressions a statement evaluates itself (not those of nested statements): value, bounds,
// indices, the destination view's indices.
std::vector<ir::ExprId> OwnExprs(const ir::Program& program, const ir::Stmt& stmt);

// The bytes of the source a node comes from, for messages.
std::string_view TextOf(const ir::Program& program, diag::Span span);

}  // namespace compiler::facts
