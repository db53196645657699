// Evaluation of launch-level expressions through the instruction table's own meanings, one lane
// wide.
#pragma once

#include "compiler/facts/launch.h"

namespace compiler::facts {

// The value of one operation on raw bits, as LaneVector keeps them; the error is the table's own
// words.
absl::StatusOr<int64_t> EvaluateOp(const ir::Program& program, const ir::Expr& expr,
                                   const std::vector<int64_t>& args);

}  // namespace compiler::facts
