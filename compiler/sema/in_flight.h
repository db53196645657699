// Registers that the tensor cores still use.
#pragma once

#include "compiler/diag/diagnostic.h"
#include "compiler/ir/program.h"

namespace compiler::sema {

// Rule W1: from a `wgmma` until a `wgmma.wait` that covers its group, no statement names its
// accumulator or its left operand in registers, except a `+=` into the same accumulator. Where a
// loop reads products of its body, none may be in flight when the next trip begins. Follows every
// path of each role; what is in flight after two of them is what is after either.
void CheckInFlight(const ir::Program& program, const ir::Kernel& kernel, diag::Report& report);

}  // namespace compiler::sema
