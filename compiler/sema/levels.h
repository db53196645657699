// Uniformity levels of one kernel.
#pragma once

#include "compiler/diag/diagnostic.h"
#include "compiler/ir/program.h"

namespace compiler::sema {

// Greatest fixpoint from const downwards: a var has the narrowest level
// of its assignments and of the conditions and trip counts around them. Writes Local::level and
// Expr::level, then reports each collective under control that is narrower than its scope, with the
// chain of reasons as labels.
void InferLevels(ir::Program& program, ir::Kernel& kernel, diag::Report& report);

}  // namespace compiler::sema
