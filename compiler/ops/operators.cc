// Operators: rows whose name is the token.
#include <string>

#include "compiler/ops/example.h"
#include "compiler/ops/families.h"
#include "compiler/ops/lowering.h"
#include "compiler/ops/operator_meaning.h"

namespace compiler::ops {
namespace {

constexpr std::string_view kArithmeticSource = "PTX ISA, integer and floating-point arithmetic";
constexpr std::string_view kLogicSource = "PTX ISA, logic and shift instructions";
constexpr std::string_view kCompareSource = "PTX ISA, comparison and selection: setp";

constexpr std::string_view kF32Items = "in a: f32[N], b: f32[N]; out y: f32[N]";
constexpr std::string_view kI32Items = "in a: i32[N], b: i32[N]; out y: i32[N]";
constexpr std::string_view kU32Items = "in a: u32[N], b: u32[N]; out y: u32[N]";

OpDef Operator(std::string_view token, std::string_view summary, std::vector<ArgKind> args,
               DTypes dtypes, ir::Meaning meaning, Algebra algebra) {
  return {.name = token,
          .form = Form::kOperator,
          .summary = summary,
          .args = std::move(args),
          .result = ResultRule::kSameAsArgs,
          .dtypes = dtypes,
          .cost = {.pipe = Pipe::kAlu, .issue_slots = 1},
          .meaning = meaning,
          .algebra = algebra,
          .lower = LowerOperator,
          .source = kLogicSource};
}

OpDef Arithmetic(std::string_view token, std::string_view summary, ir::Meaning meaning,
                 Algebra algebra, double issue_slots, std::string_view expression) {
  OpDef op =
      Operator(token, summary, {ArgKind::kNumeric, ArgKind::kNumeric}, kNumbers, meaning, algebra);
  if (token != "/") {
    op.dtypes = kNumbersAndPacked;
    op.capability = PackedNeeds;
  }
  op.cost = {.pipe = Pipe::kFma, .issue_slots = issue_slots, .flops_per_lane = 1};
  op.source = kArithmeticSource;
  op.example = ExampleOfExpression(kF32Items, expression);
  return op;
}

OpDef Comparison(std::string_view token, std::string_view summary, ArgKind kind, DTypes dtypes,
                 ir::Meaning meaning, Algebra algebra) {
  OpDef op = Operator(token, summary, {kind, kind}, dtypes, meaning, algebra);
  op.result = ResultRule::kBool;
  op.source = kCompareSource;
  op.example = ExampleOfExpression(
      kF32Items, std::string("select((ld a[i]) ").append(token).append(" (ld b[i]), 1.0, 0.0)"));
  return op;
}

OpDef Bits(std::string_view token, std::string_view summary, ir::Meaning meaning, Algebra algebra) {
  OpDef op = Operator(token, summary, {ArgKind::kAny, ArgKind::kAny}, kBits, meaning, algebra);
  op.example =
      ExampleOfExpression(kU32Items, std::string("(ld a[i]) ").append(token).append(" (ld b[i])"));
  return op;
}

OpDef Shift(std::string_view token, std::string_view summary, ir::Meaning meaning,
            Algebra algebra) {
  OpDef op =
      Operator(token, summary, {ArgKind::kInteger, ArgKind::kInteger}, kIntegers, meaning, algebra);
  op.one_type = false;
  op.example = ExampleOfExpression(
      kU32Items, std::string("(ld a[i]) ").append(token).append(" ((ld b[i]) & 31)"));
  return op;
}

OpDef ShortCircuit(std::string_view token, std::string_view summary, ir::Meaning meaning) {
  OpDef op = Operator(token, summary, {ArgKind::kBool, ArgKind::kBool}, kBoolOnly, meaning,
                      Algebra::kOpaque);  // its own kind of expression
  op.result = ResultRule::kBool;
  op.example =
      Example(kI32Items, std::string("if i < N { if (ld a[i]) > 0 ")
                             .append(token)
                             .append(" (ld b[i]) > 0 { st y[i] <- 1 } else { st y[i] <- 0 } }"));
  return op;
}

std::vector<OpDef> BinaryOperators() {
  OpDef remainder =
      Operator("%", "Remainder with the sign of the dividend; division by zero is an error.",
               {ArgKind::kInteger, ArgKind::kInteger}, kIntegers, Remainder, Algebra::kModulo);
  remainder.cost.issue_slots = 20;
  remainder.source = kArithmeticSource;
  remainder.example = ExampleOfExpression(kI32Items, "(ld a[i]) % 7");
  return {
      Arithmetic("+",
                 "Sum. Signed overflow is an error; unsigned wraps; f32 rounds to nearest even.",
                 Add, Algebra::kAdd, 1, "(ld a[i]) + (ld b[i])"),
      Arithmetic("-", "Difference; overflow as for `+`.", Subtract, Algebra::kSubtract, 1,
                 "(ld a[i]) - (ld b[i])"),
      Arithmetic("*", "Product; overflow as for `+`.", Multiply, Algebra::kMultiply, 1,
                 "(ld a[i]) * (ld b[i])"),
      Arithmetic(
          "/",
          "Quotient. Integers truncate towards zero and division by zero is an error; f32 is "
          "IEEE.",
          Divide, Algebra::kDivide, 10, "(ld a[i]) / (ld b[i])"),
      remainder,
      Bits("&", "Bitwise and; of bools, both arms evaluated.", BitAnd, Algebra::kAnd),
      Bits("|", "Bitwise or; of bools, both arms evaluated.", BitOr, Algebra::kOr),
      Bits("^", "Bitwise exclusive or.", BitXor, Algebra::kXor),
      Shift("<<",
            "Shift left. A count outside 0..width is an error; so is a signed result that does not "
            "fit.",
            ShiftLeft, Algebra::kShiftLeft),
      Shift(">>", "Shift right, keeping the sign of signed values; count as for `<<`.", ShiftRight,
            Algebra::kShiftRight),
  };
}

std::vector<OpDef> Comparisons() {
  return {
      Comparison("==", "Equal; false if either is NaN.", ArgKind::kAny, kScalars, Equals,
                 Algebra::kEqual),
      Comparison("!=", "Not equal; true if either is NaN.", ArgKind::kAny, kScalars, Differs,
                 Algebra::kNotEqual),
      Comparison("<", "Less; false if either is NaN.", ArgKind::kNumeric, kNumbers, Less,
                 Algebra::kLess),
      Comparison("<=", "Less or equal; false if either is NaN.", ArgKind::kNumeric, kNumbers,
                 LessOrEqual, Algebra::kLessEqual),
      Comparison(">", "Greater; false if either is NaN.", ArgKind::kNumeric, kNumbers, Greater,
                 Algebra::kGreater),
      Comparison(">=", "Greater or equal; false if either is NaN.", ArgKind::kNumeric, kNumbers,
                 GreaterOrEqual, Algebra::kGreaterEqual),
  };
}

std::vector<OpDef> UnaryOperators() {
  OpDef negate = Operator("-", "Negation; the smallest signed value has none, which is an error.",
                          {ArgKind::kNumeric}, kSignedNumbersAndHalves, Negate, Algebra::kNegate);
  negate.source = kArithmeticSource;
  negate.example = ExampleOfExpression("in a: f32[N]; out y: f32[N]", "-(ld a[i])");
  OpDef inverse = Operator("!", "Not, of a bool.", {ArgKind::kBool}, kBoolOnly, Not, Algebra::kNot);
  inverse.example = ExampleOfExpression(kI32Items, "select(!((ld a[i]) > (ld b[i])), 1, 0)");
  OpDef complement = Operator("~", "Bitwise complement.", {ArgKind::kInteger}, kIntegers,
                              Complement, Algebra::kOpaque);
  complement.example = ExampleOfExpression("in a: u32[N]; out y: u32[N]", "~(ld a[i])");
  return {negate, inverse, complement};
}

}  // namespace

std::vector<OpDef> Operators() {
  std::vector<OpDef> all = BinaryOperators();
  for (OpDef& op : Comparisons()) all.push_back(std::move(op));
  all.push_back(ShortCircuit(
      "&&", "And; the right side is evaluated only where the left is true, and may rely on it.",
      BitAnd));
  all.push_back(ShortCircuit(
      "||", "Or; the right side is evaluated only where the left is false, and may rely on it.",
      BitOr));
  for (OpDef& op : UnaryOperators()) all.push_back(std::move(op));
  return all;
}

}  // namespace compiler::ops
