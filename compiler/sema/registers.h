// Register indices: which loops must be unrolled so that every index of a register array is
// constant.
#pragma once

#include "compiler/diag/diagnostic.h"
#include "compiler/ir/program.h"

namespace compiler::sema {

// Marks the loops whose variables reach a register index (the backward slice through lets and
// through the bounds of such loops) with kUnrollRegisters. Reports indices that stay unknown after
// unrolling, loops whose bounds do, and programs that unroll to more than
// Limits::register_statements.
void CheckRegisterIndices(ir::Program& program, ir::Kernel& kernel, diag::Report& report);

}  // namespace compiler::sema
