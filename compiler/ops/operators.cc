// Operators: rows whose name is the token.
#include "compiler/ops/families.h"

namespace compiler::ops {
namespace {

OpDef Binary(std::string_view token, std::string_view summary, ArgKind kind, DTypes dtypes,
             ResultRule result = ResultRule::kSameAsArgs) {
  return {.name = token,
          .form = Form::kOperator,
          .summary = summary,
          .args = {kind, kind},
          .result = result,
          .dtypes = dtypes};
}

OpDef Unary(std::string_view token, std::string_view summary, ArgKind kind, DTypes dtypes) {
  return {.name = token,
          .form = Form::kOperator,
          .summary = summary,
          .args = {kind},
          .result = ResultRule::kSameAsArgs,
          .dtypes = dtypes};
}

OpDef Shift(std::string_view token, std::string_view summary) {
  OpDef op = Binary(token, summary, ArgKind::kInteger, kIntegers);
  op.one_type = false;
  return op;
}

}  // namespace

std::vector<OpDef> Operators() {
  return {
      Binary("+", "Sum. Signed overflow is an error; unsigned wraps; f32 rounds to nearest even.",
             ArgKind::kNumeric, kNumbers),
      Binary("-", "Difference; overflow as for `+`.", ArgKind::kNumeric, kNumbers),
      Binary("*", "Product; overflow as for `+`.", ArgKind::kNumeric, kNumbers),
      Binary(
          "/",
          "Quotient. Integers truncate towards zero and division by zero is an error; f32 is IEEE.",
          ArgKind::kNumeric, kNumbers),
      Binary("%", "Remainder with the sign of the dividend; division by zero is an error.",
             ArgKind::kInteger, kIntegers),
      Binary("&", "Bitwise and; of bools, both arms evaluated.", ArgKind::kAny, kBits),
      Binary("|", "Bitwise or; of bools, both arms evaluated.", ArgKind::kAny, kBits),
      Binary("^", "Bitwise exclusive or.", ArgKind::kAny, kBits),
      Shift("<<",
            "Shift left. A count below 0 or at the width is an error; so is a signed result that "
            "does not fit."),
      Shift(">>", "Shift right, keeping the sign of signed values; count as for `<<`."),
      Binary("==", "Equal; false if either is NaN.", ArgKind::kAny, kScalars, ResultRule::kBool),
      Binary("!=", "Not equal; true if either is NaN.", ArgKind::kAny, kScalars, ResultRule::kBool),
      Binary("<", "Less; false if either is NaN.", ArgKind::kNumeric, kNumbers, ResultRule::kBool),
      Binary("<=", "Less or equal; false if either is NaN.", ArgKind::kNumeric, kNumbers,
             ResultRule::kBool),
      Binary(">", "Greater; false if either is NaN.", ArgKind::kNumeric, kNumbers,
             ResultRule::kBool),
      Binary(">=", "Greater or equal; false if either is NaN.", ArgKind::kNumeric, kNumbers,
             ResultRule::kBool),
      Binary("&&",
             "And; the right side is evaluated only where the left is true, and may rely on it.",
             ArgKind::kBool, kBoolOnly, ResultRule::kBool),
      Binary("||",
             "Or; the right side is evaluated only where the left is false, and may rely on it.",
             ArgKind::kBool, kBoolOnly, ResultRule::kBool),
      Unary("-", "Negation; the smallest signed value has none, which is an error.",
            ArgKind::kNumeric, kSignedNumbers),
      Unary("!", "Not, of a bool.", ArgKind::kBool, kBoolOnly),
      Unary("~", "Bitwise complement.", ArgKind::kInteger, kIntegers),
  };
}

}  // namespace compiler::ops
