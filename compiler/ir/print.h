// The elaborated tree as text, for tests and for people who debug a reader of it. One statement a
// line; every local with its type and level. The text is no input of anything.
#pragma once

#include <string>

#include "compiler/ir/program.h"

namespace compiler::ir {

std::string Print(const Program& program);

// One expression, fully parenthesised, as it stands in `kernel` (null outside kernels).
std::string Print(const Program& program, const Kernel* kernel, ExprId expr);

}  // namespace compiler::ir
