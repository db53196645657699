// Bits of constants: how a number is held in a register of a data type, and back.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "compiler/ir/types.h"

namespace compiler::ir {

// The value nearest to `value` that the float type `dtype` holds, ties to even; subnormals kept; of
// 8-bit floats the largest finite value where it is too large. Packed types: of their elements.
// Correct as one rounding of any value with at least two more bits than the type, rounded to odd.
double RoundTo(DType dtype, double value);

// Register bits (LaneVector) of a floating constant of `dtype`, which must be representable in it;
// both halves of a packed type hold it. Decoding one gives the low half.
uint64_t EncodeFloat(DType dtype, double value);
double DecodeFloat(DType dtype, uint64_t bits);

// Whether the integer type holds `value`; false for types that are not integers.
bool Fits(DType dtype, int64_t value);

// The decimal literal rounded to odd in double: rounding it again to a narrower type gives the
// type's nearest value to what was written. nullopt if the text is no number. `_` separators are
// skipped.
std::optional<double> ParseFloatToOdd(std::string_view literal);

}  // namespace compiler::ir
