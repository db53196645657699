// Operators and functions of the instruction table: operand kinds, types, modifiers, results.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "compiler/sema/elaborator.h"
#include "compiler/text/parse.h"

namespace compiler::sema {
namespace {

using diag::Applicability;
using diag::Category;
using diag::Severity;
using ir::ArgKind;

constexpr diag::Def<Name, int64_t, int64_t> kArgumentCount{
    "CK1008", Severity::kError, Category::kType, "`{0}` takes {1} arguments, {2} given",
    "the operands of each instruction are a fixed list"};
constexpr diag::Def<Name, Name> kDoesNotCompute{
    "CK1012", Severity::kError, Category::kType, "`{0}` does not compute on `{1}`",
    "each instruction names the types it computes on; 16-bit floats only convert and move"};
constexpr diag::Def<Name> kBoolNeeded{"CK1015", Severity::kError, Category::kType,
                                      "a condition is needed, `{0}` found",
                                      "a number is no condition; compare it"};
constexpr diag::Def<Name, Name> kUnknownModifier{
    "CK1029", Severity::kError, Category::kType, "`{0}` has no modifier `{1}` here",
    "the modifiers of each instruction are a fixed list, in a fixed order, each at most once"};
constexpr diag::Def<Name, Name> kMissingModifier{
    "CK1030", Severity::kError, Category::kType, "`{0}` needs a modifier such as `{1}`",
    "the modifier is part of what the instruction does and has no default"};
constexpr diag::Def<Name> kInstructionNotHere{
    "CK1031", Severity::kError, Category::kLowering, "`{0}` is not in this build",
    "the instruction table has its syntax only; nothing here can run, check or lower it"};
constexpr diag::Def<Name, Name> kArrayOperand{
    "CK1049", Severity::kError, Category::kType, "`{0}` of the register array `{1}`",
    "whole arrays are set, copied, converted, loaded and stored; everything else is a loop over "
    "elements"};
constexpr diag::Def<int64_t> kGroupWidth{"CK1045", Severity::kError, Category::kType,
                                         "a group of {0} lanes; 2, 4, 8, 16 or 32 are possible",
                                         "lane groups are aligned powers of two inside a warp"};
constexpr diag::Def<Name> kNotAnExpression{"CK1067", Severity::kError, Category::kType,
                                           "`{0}` is an instruction, not a value",
                                           "it stands as a statement of its own"};
constexpr diag::Def<> kConstOperand{"CK1068", Severity::kError, Category::kType,
                                    "this operand must be an integer constant",
                                    "the instruction encodes it as an immediate"};

bool IsGeneric(ArgKind kind) {
  return kind == ArgKind::kAny || kind == ArgKind::kNumeric || kind == ArgKind::kInteger ||
         kind == ArgKind::kFloat || kind == ArgKind::kF32;
}

DType TwiceAsWide(DType dtype) {
  if (dtype == DType::kI32) return DType::kI64;
  return dtype == DType::kU32 ? DType::kU64 : DType::kUnknown;
}

}  // namespace

void Elaborator::ReportInstruction(Span span, std::string_view name) {
  if (b_.dead > 0 || !absent_.emplace(span.begin, span.end).second) return;
  report_.Add(kInstructionNotHere, span, Name{std::string(name)});
}

std::vector<std::string_view> Elaborator::Modifiers(const ir::OpDef& op,
                                                    const std::vector<text::Ident>& words,
                                                    Span span) {
  std::vector<std::string_view> out;
  size_t next = 0;
  std::vector<std::string_view> known;
  for (const ir::ModifierGroup& group : op.modifiers) {
    known.insert(known.end(), group.words.begin(), group.words.end());
  }
  std::vector<bool> used(op.modifiers.size(), false);
  for (const text::Ident& word : words) {
    bool found = false;
    for (size_t g = next; g < op.modifiers.size() && !found; ++g) {
      const auto& choices = op.modifiers[g].words;
      const auto it = std::find(choices.begin(), choices.end(), word.text);
      if (it == choices.end()) continue;
      out.push_back(*it);
      used[g] = found = true;
      next = g + 1;
    }
    if (found) continue;
    const std::string nearest = text::Nearest(word.text, known);
    auto built = report_.Add(kUnknownModifier, word.span, Name{std::string(op.name)},
                             Name{std::string(word.text)});
    if (!nearest.empty()) {
      built.Fix("use `" + nearest + "`", {{word.span, nearest}}, Applicability::kMaybe);
    }
    return out;
  }
  for (size_t g = 0; g < op.modifiers.size(); ++g) {
    if (used[g] || !op.modifiers[g].required || op.modifiers[g].words.empty()) continue;
    report_.Add(kMissingModifier, span, Name{std::string(op.name)},
                Name{std::string(op.modifiers[g].words[0])});
    break;
  }
  return out;
}

bool Elaborator::CheckKind(const ir::OpDef& op, ArgKind kind, ExprId arg) {
  const ir::Type& type = b_.TypeOf(arg);
  const ir::DTypeInfo& info = ir::Info(type.dtype);
  const Span span = b_[arg].source.span;
  if (kind == ArgKind::kBool) {
    if (type.is_scalar() && type.dtype == DType::kBool) return true;
    report_.Add(kBoolNeeded, span, Name{ir::ToString(type)});
    return false;
  }
  if (kind == ArgKind::kConstInteger) {
    if (info.is_integer && b_.ConstInt(arg)) return true;
    report_.Add(kConstOperand, span);
    return false;
  }
  if (!type.is_scalar() && op.result != ir::ResultRule::kFromModifier) {
    report_.Add(kArrayOperand, span, Name{std::string(op.name)}, Name{ir::ToString(type)});
    return false;
  }
  const bool kind_fits = kind == ArgKind::kAny || (kind == ArgKind::kInteger && info.is_integer) ||
                         (kind == ArgKind::kFloat && info.is_float) ||
                         (kind == ArgKind::kF32 && type.dtype == DType::kF32) ||
                         (kind == ArgKind::kNumeric && (info.is_integer || info.is_float));
  const bool listed = op.dtypes.empty() ||
                      std::find(op.dtypes.begin(), op.dtypes.end(), type.dtype) != op.dtypes.end();
  if (kind_fits && listed) return true;
  if (type.dtype == DType::kUnknown) return false;  // reported where declared
  auto built =
      report_.Add(kDoesNotCompute, span, Name{std::string(op.name)}, Name{std::string(info.name)});
  if (type.dtype == DType::kF16 || type.dtype == DType::kBF16) {
    built.Fix("convert it to f32 first",
              {{{span.begin, span.begin}, "cvt.f32("}, {{span.end, span.end}, ")"}},
              Applicability::kMaybe);
  }
  return false;
}

bool Elaborator::CheckArgs(const ir::OpDef& op, std::vector<ExprId>& args, Span span) {
  std::vector<ExprId*> generic;
  for (size_t i = 0; i < args.size(); ++i) {
    if (b_.IsUnknown(args[i])) return false;
    if (i >= op.args.size() || !IsGeneric(op.args[i])) continue;
    if (op.args[i] == ArgKind::kF32 && b_.IsLiteral(args[i])) {
      args[i] = Coerce(args[i], DType::kF32, b_[args[i]].source.span);
      if (b_.IsUnknown(args[i])) return false;
    }
    generic.push_back(&args[i]);
  }
  const bool scalars = std::all_of(generic.begin(), generic.end(),
                                   [&](const ExprId* id) { return b_.TypeOf(*id).is_scalar(); });
  if (op.one_type && scalars && !Unify(generic, span, op.name)) return false;
  for (size_t i = 0; i < args.size() && i < op.args.size(); ++i) {
    if (op.args[i] == ArgKind::kTwiceAsWide) {
      const DType wide = TwiceAsWide(b_.TypeOf(args[0]).dtype);
      args[i] = Coerce(args[i], wide, b_[args[i]].source.span);
      if (b_.IsUnknown(args[i])) return false;
      continue;
    }
    if (op.args[i] != ArgKind::kView && !CheckKind(op, op.args[i], args[i])) return false;
  }
  return true;
}

ir::Type Elaborator::ResultType(const ir::OpDef& op, const std::vector<ExprId>& args,
                                const std::vector<std::string_view>& modifiers) {
  ir::Type first;
  for (size_t i = 0; i < args.size() && i < op.args.size(); ++i) {
    first = b_.TypeOf(args[i]);
    if (IsGeneric(op.args[i])) break;
  }
  switch (op.result) {
    case ir::ResultRule::kSameAsArgs:
    case ir::ResultRule::kPair:
    case ir::ResultRule::kElementOfView: return first;
    case ir::ResultRule::kBool: return {.dtype = DType::kBool};
    case ir::ResultRule::kU32: return {.dtype = DType::kU32};
    case ir::ResultRule::kI32: return {.dtype = DType::kI32};
    case ir::ResultRule::kTwiceAsWide: return {.dtype = TwiceAsWide(first.dtype)};
    case ir::ResultRule::kFromModifier: {
      const DType dtype = modifiers.empty()
                              ? DType::kUnknown
                              : ir::ParseDType(modifiers[0]).value_or(DType::kUnknown);
      return RegroupedType(op, args.empty() ? ir::Type{} : b_.TypeOf(args[0]), dtype);
    }
    case ir::ResultRule::kNone: return {};
  }
  return {};
}

ExprId Elaborator::ApplyOperator(std::string_view token, Span span, std::vector<ExprId> args) {
  for (ExprId arg : args) {
    if (b_.IsUnknown(arg)) return b_.Unknown(span);
  }
  const ir::OpDef* op = ops_.FindOperator(token, static_cast<int>(args.size()));
  if (op == nullptr || !op->Available()) {
    ReportInstruction(span, token);
    return b_.Unknown(span);
  }
  if (!CheckArgs(*op, args, span)) return b_.Unknown(span);
  ir::Type type = ResultType(*op, args, {});
  if (!CheckUse(*op, args, type, {}, span)) return b_.Unknown(span);
  return b_.Op(op, std::move(args), std::move(type), span);
}

ExprId Elaborator::FunctionPath(const text::Expr& expr, bool& found) {
  std::vector<std::string_view> parts{expr.name.text};
  size_t members = 0;
  while (members < expr.postfixes.size() &&
         expr.postfixes[members].kind == text::Postfix::Kind::kMember) {
    parts.push_back(expr.postfixes[members++].member.text);
  }
  size_t taken = 0;
  const ir::OpDef* op = ops_.FindLongest(parts, &taken);
  found = op != nullptr;
  if (!found) return ExprId::kNone;
  if (op->form != ir::Form::kFunction || members >= expr.postfixes.size() ||
      expr.postfixes[members].kind != text::Postfix::Kind::kCall) {
    report_.Add(kNotAnExpression, expr.span, Name{std::string(op->name)});
    return b_.Unknown(expr.span);
  }
  std::vector<text::Ident> words;
  for (size_t i = taken - 1; i < members; ++i) words.push_back(expr.postfixes[i].member);
  return ApplyFunction(expr, *op, words, expr.postfixes[members]);
}

bool Elaborator::TakeWidth(const ir::OpDef& op, const text::Postfix& call, size_t count,
                           int& width) {
  if (!op.width_arg || count != op.args.size()) return true;
  const text::Expr* expr = call.args.back();
  const ExprId id = Expr(expr);
  if (b_.IsUnknown(id)) return false;
  const auto value = b_.ConstInt(id);
  if (!value || b_.TypeOf(id).dtype == DType::kBool) {
    report_.Add(kConstOperand, expr->span);
    return false;
  }
  if (*value < 2 || *value > ir::kLanes || (*value & (*value - 1)) != 0) {
    if (b_.dead == 0) report_.Add(kGroupWidth, expr->span, *value);
    return false;
  }
  width = static_cast<int>(*value);
  return true;
}

ExprId Elaborator::ApplyFunction(const text::Expr& expr, const ir::OpDef& op,
                                 const std::vector<text::Ident>& words, const text::Postfix& call) {
  if (op.Available() && op.effects.atomic) return Atomic(expr, op, words, call);
  const std::vector<std::string_view> modifiers = Modifiers(op, words, expr.span);
  const size_t given = call.args.size();
  if (op.effects.sync != ir::SyncEffect::kNone && given == 1) return TestCall(expr, op, call);
  const size_t most = op.args.size();
  const size_t least = most - std::min(most, static_cast<size_t>(op.optional_args));
  int width = ir::kLanes;
  bool good = TakeWidth(op, call, given, width);
  const size_t operands = op.width_arg && given == most && most > 0 ? most - 1 : given;
  std::vector<ExprId> args;
  ir::Stmt outside;
  for (size_t i = 0; i < operands; ++i) {
    if (i < most && op.args[i] == ArgKind::kView) {
      OutsideOperand(call.args[i], outside);
    } else {
      args.push_back(Expr(call.args[i]));
    }
  }
  if (given < least || given > most) {
    report_.Add(kArgumentCount, expr.span, Name{std::string(op.name)},
                static_cast<int64_t>(given < least ? least : most), static_cast<int64_t>(given));
    return b_.Unknown(expr.span);
  }
  const bool has_view = !op.args.empty() && op.args[0] == ArgKind::kView;
  if (!op.Available() || has_view) {
    ReportInstruction(expr.span, op.name);
    return b_.Unknown(expr.span);
  }
  if (!good || !CheckArgs(op, args, expr.span)) return b_.Unknown(expr.span);
  ir::Type type = ResultType(op, args, modifiers);
  if (type.dtype == DType::kUnknown) return b_.Unknown(expr.span);
  if (ir::PackedTypeOf(type.dtype) != ir::DType::kUnknown) {
    CheckPlace({ir::ToString(type.dtype), expr.span}, type.dtype, ir::Space::kRegister);
    return b_.Unknown(expr.span);
  }
  if (type.is_fragment() && !ConvertedFragment(op, args[0], type, expr.span)) {
    return b_.Unknown(expr.span);
  }
  if (!CheckUse(op, args, type, modifiers, expr.span)) return b_.Unknown(expr.span);
  return b_.Op(&op, std::move(args), std::move(type), expr.span, modifiers, width);
}

}  // namespace compiler::sema
