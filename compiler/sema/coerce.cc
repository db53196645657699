// Types of values against types of uses: literals adapt, i32 widens to i64, everything else is an
// error.
#include <algorithm>

#include "compiler/ir/constant.h"
#include "compiler/sema/elaborator.h"

namespace compiler::sema {
namespace {

using diag::Applicability;
using diag::Category;
using diag::Severity;

constexpr diag::Def<Name, Name> kTypeMismatch{
    "CK1010", Severity::kError, Category::kType, "`{0}` expected, `{1}` found",
    "only i32 becomes i64 by itself; every other conversion is written as `cvt`"};
constexpr diag::Def<Name, Name, Name> kOperandTypes{
    "CK1011", Severity::kError, Category::kType, "`{0}` of `{1}` and `{2}`",
    "both sides have one type; only i32 becomes i64 by itself"};
constexpr diag::Def<int64_t, Name> kLiteralRange{"CK1013", Severity::kError, Category::kType,
                                                 "{0} does not fit `{1}`",
                                                 "a literal takes the type that its use asks for"};
constexpr diag::Def<Name> kIntegerForFloat{
    "CK1014", Severity::kError, Category::kType, "an integer literal where `{0}` is expected",
    "floating literals are written with a point, so that the type of a number can be seen"};

bool AllDigits(std::string_view text) {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

std::string TypeName(const ir::Type& type) { return ir::ToString(type); }

}  // namespace

ExprId Elaborator::CoerceLiteral(ExprId value, DType type, Span span) {
  const ir::Expr literal = b_[value];
  const ir::DTypeInfo& info = ir::Info(type);
  if (literal.kind == ir::ExprKind::kFloat && info.is_float) {
    return b_.Float(b_.Raw(value), type, literal.source.span, false);
  }
  if (literal.kind == ir::ExprKind::kInt && info.is_integer) {
    if (ir::Fits(type, literal.int_value)) {
      return b_.Int(literal.int_value, type, literal.source.span);
    }
    if (b_.dead == 0) {
      report_.Add(kLiteralRange, literal.source.span, literal.int_value,
                  Name{std::string(info.name)});
    }
    return b_.Unknown(span);
  }
  if (literal.kind == ir::ExprKind::kInt && info.is_float) {
    const Span at = literal.source.span;
    auto built = report_.Add(kIntegerForFloat, at, Name{std::string(info.name)});
    const std::string& source = program_->source;
    if (at.end <= source.size() && at.begin < at.end &&
        AllDigits(std::string_view(source).substr(at.begin, at.end - at.begin))) {
      built.Fix("write the number with a point", {{{at.end, at.end}, ".0"}},
                Applicability::kMachine);
    }
    return b_.Unknown(span);
  }
  report_.Add(kTypeMismatch, span, Name{std::string(info.name)}, Name{TypeName(literal.type)});
  return b_.Unknown(span);
}

ExprId Elaborator::Coerce(ExprId value, DType type, Span span) {
  const ir::Type found = b_.TypeOf(value);
  if (found.dtype == DType::kUnknown || type == DType::kUnknown) return b_.Unknown(span);
  if (found.is_scalar() && b_.IsLiteral(value)) return CoerceLiteral(value, type, span);
  if (found.is_scalar() && found.dtype == type) return value;
  if (found.is_scalar() && found.dtype == DType::kI32 && type == DType::kI64) {
    return b_.Convert(value, DType::kI64, span);
  }
  auto built = report_.Add(kTypeMismatch, span, Name{std::string(ir::ToString(type))},
                           Name{TypeName(found)});
  if (found.is_scalar() && found.dtype != DType::kBool && type != DType::kBool) {
    built.Fix("convert it",
              {{{span.begin, span.begin}, "cvt." + std::string(ir::ToString(type)) + "("},
               {{span.end, span.end}, ")"}},
              Applicability::kMaybe);
  }
  return b_.Unknown(span);
}

ExprId Elaborator::CoerceTo(ExprId value, const ir::Type& type, Span span) {
  const ir::Type found = b_.TypeOf(value);
  if (found.dtype == DType::kUnknown || type.dtype == DType::kUnknown) return b_.Unknown(span);
  if (type.is_scalar()) return Coerce(value, type.dtype, span);
  if (found.is_scalar()) return Coerce(value, type.dtype, span);  // the caller spreads it
  const bool fragments = type.is_fragment() && found.is_fragment() && found.dtype == type.dtype;
  if (fragments && !SameFragment(type, found, span)) return b_.Unknown(span);
  if (found == type || fragments) {
    if (b_[value].kind != ir::ExprKind::kArray || !b_.IsLiteral(value)) return value;
  }
  if (type.is_array() && found.shape == type.shape && b_[value].kind == ir::ExprKind::kArray) {
    std::vector<ExprId> elements = b_[value].args;
    for (ExprId& element : elements) {
      element = Coerce(element, type.dtype, span);
      if (b_.IsUnknown(element)) return b_.Unknown(span);
    }
    return b_.Add({.kind = ir::ExprKind::kArray, .type = type, .args = std::move(elements)}, span);
  }
  report_.Add(kTypeMismatch, span, Name{TypeName(type)}, Name{TypeName(found)});
  return b_.Unknown(span);
}

bool Elaborator::Unify(std::vector<ExprId*> values, Span span, std::string_view op) {
  DType target = DType::kUnknown;
  for (const ExprId* value : values) {
    if (b_.IsUnknown(*value)) return false;
    const DType type = b_.TypeOf(*value).dtype;
    if (b_.IsLiteral(*value)) continue;
    if (target == DType::kUnknown || (target == DType::kI32 && type == DType::kI64)) target = type;
    if (target != type && !(target == DType::kI64 && type == DType::kI32)) {
      report_.Add(kOperandTypes, span, Name{std::string(op)},
                  Name{std::string(ir::ToString(target))}, Name{TypeName(b_.TypeOf(*value))});
      return false;
    }
  }
  const bool literals = target == DType::kUnknown;
  for (const ExprId* value : values) {
    if (!literals) break;
    const DType type = b_.TypeOf(*value).dtype;
    if (target == DType::kUnknown || type == DType::kF32 ||
        (target == DType::kI32 && type == DType::kI64)) {
      target = type;
    }
  }
  for (ExprId* value : values) {
    if (literals && b_.TypeOf(*value).dtype == target) continue;  // stays free to adapt
    const bool stays = literals && ir::Info(target).is_integer;
    *value = Coerce(*value, target, b_[*value].source.span);
    if (b_.IsUnknown(*value)) return false;
    if (stays) b_.MarkLiteral(*value, 0);
  }
  return true;
}

}  // namespace compiler::sema
