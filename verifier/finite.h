// Numbers that nothing but a thread's place decides: the values of all places, computed one by one.
#pragma once

#include <optional>

#include "compiler/ir/program.h"
#include "verifier/linear.h"

namespace verifier {

// The range that an integer expression has over the ranks of a cluster and the warps and lanes of a
// role, lets followed; nothing where anything else decides, where some place has no value (an
// overflow, a division by zero), or where there are more places than are looked at.
std::optional<Interval> FiniteRange(const compiler::ir::Program& program,
                                    const compiler::ir::Kernel& kernel, int64_t warps,
                                    compiler::ir::ExprId expr);

}  // namespace verifier
