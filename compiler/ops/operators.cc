// Operators: rows whose name is the token.
#include <functional>
#include <limits>
#include <string>

#include "compiler/ops/convert.h"
#include "compiler/ops/example.h"
#include "compiler/ops/families.h"
#include "compiler/ops/lowering.h"
#include "compiler/ops/meaning.h"

namespace compiler::ops {
namespace {

constexpr std::string_view kShiftCount = "shift count outside 0..width";

struct Add {
  template <typename T>
  static bool Overflows(T a, T b, T* r) {
    return __builtin_add_overflow(a, b, r);
  }
  static float Of(float a, float b) { return a + b; }
};
struct Subtract {
  template <typename T>
  static bool Overflows(T a, T b, T* r) {
    return __builtin_sub_overflow(a, b, r);
  }
  static float Of(float a, float b) { return a - b; }
};
struct Multiply {
  template <typename T>
  static bool Overflows(T a, T b, T* r) {
    return __builtin_mul_overflow(a, b, r);
  }
  static float Of(float a, float b) { return a * b; }
};

// + - *: unsigned results keep the low bits.
template <typename Op>
std::string_view Sum(const MeaningArgs& args) {
  return WithNumber(args.operand_type, [&]<typename T>() {
    return EachLane(args, [&](int lane) -> std::string_view {
      const T a = Get<T>(*args.in[0], lane);
      const T b = Get<T>(*args.in[1], lane);
      T r{};
      if constexpr (std::is_same_v<T, float>) {
        r = Rounded(args, Op::Of(Operand(args, a), Operand(args, b)));
      } else if (Op::Overflows(a, b, &r) && std::is_signed_v<T>) {
        return kOverflow;
      }
      Set<T>(*args.out[0], lane, r);
      return {};
    });
  });
}

template <typename T>
std::string_view CheckDivision(T a, T b) {
  if (b == 0) return kDivisionByZero;
  if constexpr (std::is_signed_v<T>) {
    if (a == std::numeric_limits<T>::min() && b == -1) return kOverflow;
  }
  return {};
}

std::string_view Divide(const MeaningArgs& args) {
  return WithNumber(args.operand_type, [&]<typename T>() {
    return EachLane(args, [&](int lane) -> std::string_view {
      const T a = Get<T>(*args.in[0], lane);
      const T b = Get<T>(*args.in[1], lane);
      if constexpr (std::is_same_v<T, float>) {
        Set<T>(*args.out[0], lane, Rounded(args, Operand(args, a) / Operand(args, b)));
      } else {
        const std::string_view error = CheckDivision(a, b);
        if (!error.empty()) return error;
        Set<T>(*args.out[0], lane, static_cast<T>(a / b));
      }
      return {};
    });
  });
}

std::string_view Remainder(const MeaningArgs& args) {
  return WithInteger(args.operand_type, [&]<typename T>() {
    return EachLane(args, [&](int lane) -> std::string_view {
      const T a = Get<T>(*args.in[0], lane);
      const T b = Get<T>(*args.in[1], lane);
      const std::string_view error = CheckDivision(a, b);
      if (error.empty()) Set<T>(*args.out[0], lane, static_cast<T>(a % b));
      return error;
    });
  });
}

// Works on the extended bits: and, or, xor of two equally extended values are extended alike.
template <typename Op>
std::string_view Bitwise(const MeaningArgs& args) {
  return EachLane(args, [&](int lane) -> std::string_view {
    const auto at = static_cast<size_t>(lane);
    args.out[0]->bits[at] = Op()(args.in[0]->bits[at], args.in[1]->bits[at]);
    return {};
  });
}

std::string_view ShiftLeft(const MeaningArgs& args) {
  return WithInteger(args.operand_type, [&]<typename T>() {
    return EachLane(args, [&](int lane) -> std::string_view {
      const T a = Get<T>(*args.in[0], lane);
      const auto count = Get<int64_t>(*args.in[1], lane);
      if (count < 0 || count >= std::numeric_limits<std::make_unsigned_t<T>>::digits) {
        return kShiftCount;
      }
      const T r = static_cast<T>(static_cast<uint64_t>(a) << count);
      if (std::is_signed_v<T> && static_cast<T>(r >> count) != a) return kOverflow;
      Set<T>(*args.out[0], lane, r);
      return {};
    });
  });
}

std::string_view ShiftRight(const MeaningArgs& args) {
  return WithInteger(args.operand_type, [&]<typename T>() {
    return EachLane(args, [&](int lane) -> std::string_view {
      const auto count = Get<int64_t>(*args.in[1], lane);
      if (count < 0 || count >= std::numeric_limits<std::make_unsigned_t<T>>::digits) {
        return kShiftCount;
      }
      Set<T>(*args.out[0], lane, static_cast<T>(Get<T>(*args.in[0], lane) >> count));
      return {};
    });
  });
}

template <typename Op>
std::string_view Compare(const MeaningArgs& args) {
  if (args.operand_type == DType::kF16 || args.operand_type == DType::kBF16) {
    return EachLane(args, [&](int lane) -> std::string_view {
      const float a = WidenHalf(args.in[0]->bits[static_cast<size_t>(lane)], args.operand_type);
      const float b = WidenHalf(args.in[1]->bits[static_cast<size_t>(lane)], args.operand_type);
      Set<bool>(*args.out[0], lane, Op()(a, b));
      return {};
    });
  }
  return WithScalar(args.operand_type, [&]<typename T>() {
    return EachLane(args, [&](int lane) -> std::string_view {
      Set<bool>(*args.out[0], lane, Op()(Get<T>(*args.in[0], lane), Get<T>(*args.in[1], lane)));
      return {};
    });
  });
}

std::string_view Negate(const MeaningArgs& args) {
  return WithNumber(args.operand_type, [&]<typename T>() {
    return EachLane(args, [&](int lane) -> std::string_view {
      const T a = Get<T>(*args.in[0], lane);
      if constexpr (std::is_same_v<T, float>) {
        Set<T>(*args.out[0], lane, -a);
      } else {
        T r{};
        if (__builtin_sub_overflow(T{0}, a, &r) && std::is_signed_v<T>) return kOverflow;
        Set<T>(*args.out[0], lane, r);
      }
      return {};
    });
  });
}

std::string_view Not(const MeaningArgs& args) {
  return EachLane(args, [&](int lane) -> std::string_view {
    Set<bool>(*args.out[0], lane, !Get<bool>(*args.in[0], lane));
    return {};
  });
}

std::string_view Complement(const MeaningArgs& args) {
  return EachLane(args, [&](int lane) -> std::string_view {
    const auto at = static_cast<size_t>(lane);
    args.out[0]->bits[at] = Extend(~args.in[0]->bits[at], args.operand_type);
    return {};
  });
}

constexpr std::string_view kArithmeticSource = "PTX ISA, integer and floating-point arithmetic";
constexpr std::string_view kLogicSource = "PTX ISA, logic and shift instructions";
constexpr std::string_view kCompareSource = "PTX ISA, comparison and selection: setp";

constexpr std::string_view kF32Items = "in a: f32[N], b: f32[N]; out y: f32[N]";
constexpr std::string_view kI32Items = "in a: i32[N], b: i32[N]; out y: i32[N]";
constexpr std::string_view kU32Items = "in a: u32[N], b: u32[N]; out y: u32[N]";

OpDef Operator(std::string_view token, std::string_view summary, std::vector<ArgKind> args,
               DTypes dtypes, ir::Meaning meaning) {
  return {.name = token,
          .form = Form::kOperator,
          .summary = summary,
          .args = std::move(args),
          .result = ResultRule::kSameAsArgs,
          .dtypes = dtypes,
          .cost = {.pipe = Pipe::kAlu, .issue_slots = 1},
          .meaning = meaning,
          .lower = LowerOperator,
          .source = kLogicSource};
}

OpDef Arithmetic(std::string_view token, std::string_view summary, ir::Meaning meaning, Pipe pipe,
                 double issue_slots, std::string_view expression) {
  OpDef op = Operator(token, summary, {ArgKind::kNumeric, ArgKind::kNumeric}, kNumbers, meaning);
  op.cost = {.pipe = pipe, .issue_slots = issue_slots, .flops_per_lane = 1};
  op.source = kArithmeticSource;
  op.example = ExampleOfExpression(kF32Items, expression);
  return op;
}

OpDef Comparison(std::string_view token, std::string_view summary, ArgKind kind, DTypes dtypes,
                 ir::Meaning meaning) {
  OpDef op = Operator(token, summary, {kind, kind}, dtypes, meaning);
  op.result = ResultRule::kBool;
  op.source = kCompareSource;
  op.example = ExampleOfExpression(
      kF32Items, std::string("select((ld a[i]) ").append(token).append(" (ld b[i]), 1.0, 0.0)"));
  return op;
}

OpDef Bits(std::string_view token, std::string_view summary, ir::Meaning meaning) {
  OpDef op = Operator(token, summary, {ArgKind::kAny, ArgKind::kAny}, kBits, meaning);
  op.example =
      ExampleOfExpression(kU32Items, std::string("(ld a[i]) ").append(token).append(" (ld b[i])"));
  return op;
}

OpDef Shift(std::string_view token, std::string_view summary, ir::Meaning meaning) {
  OpDef op = Operator(token, summary, {ArgKind::kInteger, ArgKind::kInteger}, kIntegers, meaning);
  op.one_type = false;
  op.example = ExampleOfExpression(
      kU32Items, std::string("(ld a[i]) ").append(token).append(" ((ld b[i]) & 31)"));
  return op;
}

struct And {
  uint64_t operator()(uint64_t a, uint64_t b) const { return a & b; }
};
struct Or {
  uint64_t operator()(uint64_t a, uint64_t b) const { return a | b; }
};
struct Xor {
  uint64_t operator()(uint64_t a, uint64_t b) const { return a ^ b; }
};

OpDef ShortCircuit(std::string_view token, std::string_view summary, ir::Meaning meaning) {
  OpDef op = Operator(token, summary, {ArgKind::kBool, ArgKind::kBool}, kBoolOnly, meaning);
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
               {ArgKind::kInteger, ArgKind::kInteger}, kIntegers, Remainder);
  remainder.cost.issue_slots = 20;
  remainder.source = kArithmeticSource;
  remainder.example = ExampleOfExpression(kI32Items, "(ld a[i]) % 7");
  return {
      Arithmetic("+",
                 "Sum. Signed overflow is an error; unsigned wraps; f32 rounds to nearest even.",
                 Sum<Add>, Pipe::kFma, 1, "(ld a[i]) + (ld b[i])"),
      Arithmetic("-", "Difference; overflow as for `+`.", Sum<Subtract>, Pipe::kFma, 1,
                 "(ld a[i]) - (ld b[i])"),
      Arithmetic("*", "Product; overflow as for `+`.", Sum<Multiply>, Pipe::kFma, 1,
                 "(ld a[i]) * (ld b[i])"),
      Arithmetic(
          "/",
          "Quotient. Integers truncate towards zero and division by zero is an error; f32 is "
          "IEEE.",
          Divide, Pipe::kFma, 10, "(ld a[i]) / (ld b[i])"),
      remainder,
      Bits("&", "Bitwise and; of bools, both arms evaluated.", Bitwise<And>),
      Bits("|", "Bitwise or; of bools, both arms evaluated.", Bitwise<Or>),
      Bits("^", "Bitwise exclusive or.", Bitwise<Xor>),
      Shift("<<",
            "Shift left. A count outside 0..width is an error; so is a signed result that does not "
            "fit.",
            ShiftLeft),
      Shift(">>", "Shift right, keeping the sign of signed values; count as for `<<`.", ShiftRight),
  };
}

std::vector<OpDef> Comparisons() {
  return {
      Comparison("==", "Equal; false if either is NaN.", ArgKind::kAny, kScalars,
                 Compare<std::equal_to<>>),
      Comparison("!=", "Not equal; true if either is NaN.", ArgKind::kAny, kScalars,
                 Compare<std::not_equal_to<>>),
      Comparison("<", "Less; false if either is NaN.", ArgKind::kNumeric, kNumbers,
                 Compare<std::less<>>),
      Comparison("<=", "Less or equal; false if either is NaN.", ArgKind::kNumeric, kNumbers,
                 Compare<std::less_equal<>>),
      Comparison(">", "Greater; false if either is NaN.", ArgKind::kNumeric, kNumbers,
                 Compare<std::greater<>>),
      Comparison(">=", "Greater or equal; false if either is NaN.", ArgKind::kNumeric, kNumbers,
                 Compare<std::greater_equal<>>),
  };
}

std::vector<OpDef> UnaryOperators() {
  OpDef negate = Operator("-", "Negation; the smallest signed value has none, which is an error.",
                          {ArgKind::kNumeric}, kSignedNumbers, Negate);
  negate.source = kArithmeticSource;
  negate.example = ExampleOfExpression("in a: f32[N]; out y: f32[N]", "-(ld a[i])");
  OpDef inverse = Operator("!", "Not, of a bool.", {ArgKind::kBool}, kBoolOnly, Not);
  inverse.example = ExampleOfExpression(kI32Items, "select(!((ld a[i]) > (ld b[i])), 1, 0)");
  OpDef complement =
      Operator("~", "Bitwise complement.", {ArgKind::kInteger}, kIntegers, Complement);
  complement.example = ExampleOfExpression("in a: u32[N]; out y: u32[N]", "~(ld a[i])");
  return {negate, inverse, complement};
}

}  // namespace

std::vector<OpDef> Operators() {
  std::vector<OpDef> all = BinaryOperators();
  for (OpDef& op : Comparisons()) all.push_back(std::move(op));
  all.push_back(ShortCircuit(
      "&&", "And; the right side is evaluated only where the left is true, and may rely on it.",
      Bitwise<And>));
  all.push_back(ShortCircuit(
      "||", "Or; the right side is evaluated only where the left is false, and may rely on it.",
      Bitwise<Or>));
  for (OpDef& op : UnaryOperators()) all.push_back(std::move(op));
  return all;
}

}  // namespace compiler::ops
