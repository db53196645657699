// The expressions below a statement or an expression, one step at a time: every reader that follows
// values through the tree starts from these two lists.
#pragma once

#include <vector>

#include "compiler/ir/program.h"

namespace compiler::ir {

// Appends the expressions that `expr` evaluates: operands, then stage, indices and rank of its
// view.
void AppendOperands(const Program& program, const Expr& expr, std::vector<ExprId>& out);

// Appends the expressions that `stmt` itself evaluates, not those of nested statements.
void AppendOwnExprs(const Program& program, const Stmt& stmt, std::vector<ExprId>& out);

bool HasModifier(const Stmt& stmt, std::string_view word);

// Appends the views that `stmt` itself writes: where it stores to, and the words of its atomics.
void AppendWrittenViews(const Program& program, const Stmt& stmt, std::vector<ViewId>& out);

}  // namespace compiler::ir
