// The integer meaning of the operations that proofs and solvers understand. The one place that maps
// instruction names to it; an operation it does not list is opaque, never wrong.
#pragma once

#include <cstdint>

#include "compiler/ir/op_def.h"

namespace compiler::facts {

enum class Algebra : uint8_t {
  kOpaque,
  kAdd,
  kSubtract,
  kNegate,
  kMultiply,
  kDivide,
  kModulo,
  kCeilDivide,
  kMin,
  kMax,
  kAbs,
  kSelect,
  kAnd,
  kOr,
  kXor,
  kShiftLeft,
  kShiftRight,
  kConvert,
  kEqual,
  kNotEqual,
  kLess,
  kLessEqual,
  kGreater,
  kGreaterEqual,
  kNot,
  kAlign,
};

Algebra AlgebraOf(const ir::OpDef& op);

}  // namespace compiler::facts
