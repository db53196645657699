// What the names of a kernel stand for that never change.
#pragma once

#include <functional>
#include <vector>

#include "compiler/ir/program.h"

namespace verifier {

// The value of each `let`, by LocalId; kNone for variables and for what loops and pairs name.
std::vector<compiler::ir::ExprId> LetValues(const compiler::ir::Program& program,
                                            const compiler::ir::Kernel& kernel);

// Whether `found` is true of some expression that makes up `root`, the values of lets included;
// not of `root` itself. Looks at a bounded number of them.
bool AnyPart(const compiler::ir::Program& program, const std::vector<compiler::ir::ExprId>& lets,
             compiler::ir::ExprId root, const std::function<bool(compiler::ir::ExprId)>& found);

}  // namespace verifier
