// The integer meaning of an instruction, for readers that reason about it instead of executing it:
// proofs, ranges, solvers. A trait of the instruction's entry; one that has none is opaque to them,
// never wrong.
#pragma once

#include <cstdint>
#include <optional>

namespace compiler::ir {

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
  // The comparisons stand together, in this order.
  kEqual,
  kNotEqual,
  kLess,
  kLessEqual,
  kGreater,
  kGreaterEqual,
  kNot,
  kAlign,
  kMultiplyAdd,  // of three operands: a * b + c, exact
  kCountBits,    // 0 to the width of the operand
};

// Inclusive.
struct Range {
  int64_t low = 0, high = 0;
  bool operator==(const Range&) const = default;
};

// The values of an operation of two operands where it has one, computed without overflow. Nothing
// when the operation is none of sum, difference, product, quotients, remainder, minimum, maximum;
// when a divisor may be zero or a side of a division negative; when a bound leaves 62 bits.
std::optional<Range> RangeOf(Algebra operation, Range a, Range b);

}  // namespace compiler::ir
