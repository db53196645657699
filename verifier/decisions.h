// What decides inside expressions: operands of `&&` and `||`, the condition of a `select`, which
// side a `min` or `max` takes, whether a quotient, a shift or a mask leaves anything yet. Where
// such an expression decides over control, over a place in shared memory, a use index, a predicate
// or a number of trips, each outcome is a case of its own, as the two sides of an `if` are.
#pragma once

#include <vector>

#include "compiler/facts/walk.h"
#include "compiler/ir/program.h"
#include "compiler/machine/values.h"

namespace verifier {

namespace ir = compiler::ir;

struct Decision {
  ir::ExprId expr = ir::ExprId::kNone;  // of an order: the operation between whose operands it lies
  compiler::machine::Watch watch = compiler::machine::Watch::kNothing;
  uint8_t low = 0, high = 0;  // both outcomes, each a set of machine::kOutcome*
  bool operator==(const Decision&) const = default;
};

// What decides in one statement. Of the condition of a `while` nothing: it is there to end it.
std::vector<ir::ExprId> DecidingExprs(const ir::Program& program, const ir::Stmt& stmt);

// Of a kernel, in the order of its statements, each once.
std::vector<Decision> DecisionsOf(const ir::Program& program, const ir::Kernel& kernel);

// By ExprId, what the machine is to watch for the decisions of all kernels.
std::vector<compiler::machine::Watch> WatchedDecisions(const ir::Program& program);

}  // namespace verifier
