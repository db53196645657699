// Meanings of the operators; the table's entries are in operators.cc.
#pragma once

#include "compiler/ops/meaning.h"

namespace compiler::ops {

// Integers: a signed result that does not fit is an error, an unsigned one keeps the low bits. f32:
// one rounding to nearest even.
std::string_view Add(const MeaningArgs& args);
std::string_view Subtract(const MeaningArgs& args);
std::string_view Multiply(const MeaningArgs& args);
// Integers truncate towards zero; division by zero is an error.
std::string_view Divide(const MeaningArgs& args);
std::string_view Remainder(const MeaningArgs& args);
std::string_view Negate(const MeaningArgs& args);

std::string_view BitAnd(const MeaningArgs& args);
std::string_view BitOr(const MeaningArgs& args);
std::string_view BitXor(const MeaningArgs& args);
std::string_view Complement(const MeaningArgs& args);
std::string_view Not(const MeaningArgs& args);
// A count outside 0..width is an error, and so is a signed result that does not fit.
std::string_view ShiftLeft(const MeaningArgs& args);
std::string_view ShiftRight(const MeaningArgs& args);

// Comparisons with NaN are false, but for Differs.
std::string_view Equals(const MeaningArgs& args);
std::string_view Differs(const MeaningArgs& args);
std::string_view Less(const MeaningArgs& args);
std::string_view LessOrEqual(const MeaningArgs& args);
std::string_view Greater(const MeaningArgs& args);
std::string_view GreaterOrEqual(const MeaningArgs& args);

}  // namespace compiler::ops
