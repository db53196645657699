// Evaluation of launch-level expressions through the instruction table's own meanings, one lane
// wide.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "compiler/facts/launch.h"

namespace compiler::facts {

// Operations of the table have fewer operands.
constexpr size_t kMaxLaunchOperands = 8;

// The value of one operation on raw bits, as LaneVector keeps them; the error is the table's own
// words.
absl::StatusOr<int64_t> EvaluateOp(const ir::Program& program, const ir::Expr& expr,
                                   std::span<const int64_t> args);

}  // namespace compiler::facts
