// How far a counter can count: a variable that starts at a number and is only ever increased by
// numbers, in loops whose trips the guard bounds. Use indices of rings and events that run through
// nested loops are such; relations between variables, which the walk infers, do not bound them.
#pragma once

#include <optional>
#include <vector>

#include "compiler/ir/algebra.h"
#include "compiler/ir/program.h"

namespace verifier {

// By LocalId: the values that a counter of 32 or 64 bits can have; nothing for other locals, and
// where no bound is known.
std::vector<std::optional<compiler::ir::Range>> CounterRanges(const compiler::ir::Program& program,
                                                              const compiler::ir::Kernel& kernel);

}  // namespace verifier
