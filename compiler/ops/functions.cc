// Functions of numbers that every program uses.
#include "absl/strings/str_cat.h"
#include "compiler/ir/packed.h"
#include "compiler/ops/example.h"
#include "compiler/ops/extreme.h"
#include "compiler/ops/families.h"
#include "compiler/ops/lowering.h"
#include "compiler/ops/meaning.h"
#include "compiler/ops/packed_meaning.h"

namespace compiler::ops {
namespace {

std::string_view FusedMultiplyAdd(const MeaningArgs& args) {
  if (ir::IsPacked(args.operand_type)) return PackedFma(args);
  return EachLane(args, [&](int lane) -> std::string_view {
    const float a = Operand(args, Get<float>(*args.in[0], lane));
    const float b = Operand(args, Get<float>(*args.in[1], lane));
    const float c = Operand(args, Get<float>(*args.in[2], lane));
    Set<float>(*args.out[0], lane, Rounded(args, std::fma(a, b, c)));
    return {};
  });
}

template <bool kMax>
std::string_view MinMax(const MeaningArgs& args) {
  if (ir::IsPacked(args.operand_type)) return kMax ? PackedMax(args) : PackedMin(args);
  const bool nan_wins = Has(args, "nan");
  return WithNumber(args.operand_type, [&]<typename T>() {
    return EachLane(args, [&](int lane) -> std::string_view {
      const T a = Get<T>(*args.in[0], lane);
      const T b = Get<T>(*args.in[1], lane);
      if constexpr (std::is_same_v<T, float>) {
        Set<T>(*args.out[0], lane, Extreme<kMax>(a, b, nan_wins));
      } else {
        Set<T>(*args.out[0], lane, (a < b) == kMax ? b : a);
      }
      return {};
    });
  });
}

std::string_view Absolute(const MeaningArgs& args) {
  if (ir::IsPacked(args.operand_type)) return PackedAbsolute(args);
  return WithNumber(args.operand_type, [&]<typename T>() {
    return EachLane(args, [&](int lane) -> std::string_view {
      const T a = Get<T>(*args.in[0], lane);
      if constexpr (std::is_same_v<T, float>) {
        Set<T>(*args.out[0], lane, std::fabs(a));
      } else if constexpr (std::is_signed_v<T>) {
        T r = a;
        if (a < 0 && __builtin_sub_overflow(T{0}, a, &r)) return kOverflow;
        Set<T>(*args.out[0], lane, r);
      } else {
        Set<T>(*args.out[0], lane, a);
      }
      return {};
    });
  });
}

std::string_view CeilingDivide(const MeaningArgs& args) {
  return WithInteger(args.operand_type, [&]<typename T>() {
    return EachLane(args, [&](int lane) -> std::string_view {
      const T a = Get<T>(*args.in[0], lane);
      const T b = Get<T>(*args.in[1], lane);
      if (b == 0) return kDivisionByZero;
      if (b < T{0}) return "ceildiv by a negative value";
      Set<T>(*args.out[0], lane, static_cast<T>(a / b + (a % b > 0 ? 1 : 0)));
      return {};
    });
  });
}

std::string_view Select(const MeaningArgs& args) {
  const LaneVector condition = *args.in[0];
  const LaneVector& yes = *args.in[1];
  const LaneVector& no = *args.in[2];
  uint32_t undefined = condition.undefined;
  for (int lane = 0; lane < kLanes; ++lane) {
    const LaneVector& arm = Get<bool>(condition, lane) ? yes : no;
    undefined |= arm.undefined & (uint32_t{1} << lane);
  }
  for (uint32_t rest = Begin(args, undefined, *args.out[0]); rest != 0; rest &= rest - 1) {
    const auto at = static_cast<size_t>(std::countr_zero(rest));
    args.out[0]->bits[at] = (condition.bits[at] & 1) != 0 ? yes.bits[at] : no.bits[at];
  }
  return {};
}

std::string LowerFma(const ir::LowerArgs& args) {
  if (ir::IsPacked(args.operand_type)) return LowerPacked("fma", args);
  return CallText(args.ftz ? "cake::fma_ftz" : "fmaf", args);
}

std::string LowerMinMax(const ir::LowerArgs& args) {
  const std::string name(args.name);
  if (ir::IsPacked(args.operand_type)) {
    return LowerPacked(HasModifier(args, "nan") ? name + "_nan" : name, args);
  }
  if (args.operand_type != DType::kF32) return CallText(name, args);
  if (HasModifier(args, "nan")) return CallText("cake::" + name + "_nan", args);
  return CallText("f" + name + "f", args);
}

std::string LowerAbs(const ir::LowerArgs& args) {
  if (ir::IsPacked(args.operand_type)) return LowerPacked("abs", args);
  if (args.operand_type == DType::kF32) return CallText("fabsf", args);
  return CallText(args.operand_type == DType::kI64 ? "llabs" : "abs", args);
}

std::string LowerCeildiv(const ir::LowerArgs& args) { return CallText("cake::ceildiv", args); }

std::string LowerSelect(const ir::LowerArgs& args) {
  return absl::StrCat("(", args.args[0], " ? ", args.args[1], " : ", args.args[2], ")");
}

constexpr std::string_view kF32Items = "in a: f32[N], b: f32[N]; out y: f32[N]";
constexpr std::string_view kI32Items = "in a: i32[N], b: i32[N]; out y: i32[N]";

OpDef Function(std::string_view name, std::string_view summary, std::vector<ArgKind> args,
               DTypes dtypes, ir::Meaning meaning, ir::Lower lower) {
  return {.name = name,
          .form = Form::kFunction,
          .summary = summary,
          .args = std::move(args),
          .result = ResultRule::kSameAsArgs,
          .dtypes = dtypes,
          .cost = {.pipe = Pipe::kAlu, .issue_slots = 1},
          .meaning = meaning,
          .lower = lower};
}

OpDef MinMaxEntry(std::string_view name, std::string_view summary, ir::Meaning meaning,
                  Algebra algebra) {
  OpDef op = Function(name, summary, {ArgKind::kNumeric, ArgKind::kNumeric}, kNumbersAndHalves,
                      meaning, LowerMinMax);
  op.algebra = algebra;
  op.modifiers = {{{"nan"}}};
  op.source = "PTX ISA, floating-point min and max";
  op.example = ExampleOfExpression(
      kF32Items, std::string(name).append("(ld a[i], ").append(name).append(".nan(ld b[i], 1.0))"));
  return op;
}

OpDef FmaEntry() {
  OpDef op = Function("fma", "a*b + c with one rounding; of packed values, in each half.",
                      {ArgKind::kFloat, ArgKind::kFloat, ArgKind::kFloat}, kF32AndPacked,
                      FusedMultiplyAdd, LowerFma);
  op.capability = PackedNeeds;
  op.cost = {.pipe = Pipe::kFma, .issue_slots = 1, .flops_per_lane = 2};
  op.source = "PTX ISA, floating-point fma";
  op.example = ExampleOfExpression(kF32Items, "fma(ld a[i], 2.0, ld b[i])");
  return op;
}

OpDef AbsEntry() {
  OpDef op =
      Function("abs", "Absolute value; the smallest signed integer has none, which is an error.",
               {ArgKind::kNumeric}, kSignedNumbersAndHalves, Absolute, LowerAbs);
  op.algebra = Algebra::kAbs;
  op.source = "PTX ISA, integer and floating-point abs";
  op.example = ExampleOfExpression("in a: f32[N]; out y: f32[N]", "abs(ld a[i])");
  return op;
}

OpDef CeildivEntry() {
  OpDef op =
      Function("ceildiv", "Quotient rounded up, by a value > 0.",
               {ArgKind::kInteger, ArgKind::kInteger}, kIntegers, CeilingDivide, LowerCeildiv);
  op.algebra = Algebra::kCeilDivide;
  op.cost.issue_slots = 22;
  op.source = "PTX ISA, integer div";
  op.example = ExampleOfExpression(kI32Items, "ceildiv(ld a[i], 7)");
  return op;
}

OpDef SelectEntry() {
  OpDef op = Function("select", "select(c, a, b): a where c, else b; both are evaluated.",
                      {ArgKind::kBool, ArgKind::kAny, ArgKind::kAny}, kValues, Select, LowerSelect);
  op.algebra = Algebra::kSelect;
  op.source = "PTX ISA, comparison and selection: selp";
  op.example = ExampleOfExpression(kI32Items, "select((ld a[i]) > 0, ld b[i], 0)");
  return op;
}

// Of `where` only: has no meaning in a kernel.
OpDef AlignEntry() {
  return {.name = "align",
          .form = Form::kFunction,
          .summary = "align(x): the address of tensor x, for `where align(x) % 128 == 0`.",
          .args = {ArgKind::kView},
          .result = ResultRule::kI32,
          .level = LevelRule::kOfOperands,
          .algebra = Algebra::kAlign};
}

}  // namespace

std::vector<OpDef> Functions() {
  std::vector<OpDef> all = {
      FmaEntry(),
      MinMaxEntry("min", "The smaller; NaN loses against a number, with `.nan` it wins; -0 < +0.",
                  MinMax<false>, Algebra::kMin),
      MinMaxEntry("max", "The larger; NaN loses against a number, with `.nan` it wins; -0 < +0.",
                  MinMax<true>, Algebra::kMax),
      AbsEntry(),
      CeildivEntry(),
      SelectEntry(),
      AlignEntry(),
  };
  for (OpDef& op : Conversions()) all.push_back(std::move(op));
  return all;
}

}  // namespace compiler::ops
