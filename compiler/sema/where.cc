// `where`: launch guards on dims, args and strides, which the launcher enforces, and content
// contracts on integer tensors, which are reported as assumptions.
#include <algorithm>
#include <optional>

#include "compiler/sema/elaborator.h"

namespace compiler::sema {
namespace {

using diag::Category;
using diag::Severity;

constexpr diag::Def<Name> kContentOfFloat{
    "CK1063", Severity::kError, Category::kType, "a contract on `{0}`, which holds no integers",
    "contracts say which indices, lengths and ids a tensor may hold"};
constexpr diag::Def<> kGuardNotBool{"CK1064", Severity::kError, Category::kType,
                                    "this condition is neither true nor false",
                                    "`where` lists conditions: `N % 8 == 0`, `scale in 1..=4`"};

constexpr diag::Def<> kFalseGuard{
    "CK1065", Severity::kError, Category::kType, "this condition is false for this member",
    "a `where` of params only says which members of the family are legal"};

bool IsContentFunction(std::string_view name) { return name == "steps" || name == "distinct"; }

}  // namespace

// The first tensor that the expression names; content contracts are told from guards by it.
const Entity* Elaborator::TensorIn(const text::Expr* expr) {
  if (expr == nullptr) return nullptr;
  if (expr->kind == text::Expr::Kind::kPath && expr->name.text != "align") {
    const Entity* entity = Lookup(scope_, expr->name.text);
    if (entity != nullptr && entity->kind == EntityKind::kBuffer) return entity;
    for (const text::Postfix& postfix : expr->postfixes) {
      for (const text::Expr* arg : postfix.args) {
        if (const Entity* found = TensorIn(arg)) return found;
      }
    }
  }
  for (const text::Expr* operand : expr->operands) {
    if (const Entity* found = TensorIn(operand)) return found;
  }
  return nullptr;
}

// Scopes a contract: every name must be known, except a name that is a whole index, which stands
// for every value of that index.
void Elaborator::ContentExpr(const text::Expr* expr) {
  if (expr == nullptr) return;
  if (expr->kind == text::Expr::Kind::kPath) {
    const bool function = IsContentFunction(expr->name.text) || IsReserved(expr->name.text);
    if (!function) Resolve(expr->name);
    for (const text::Postfix& postfix : expr->postfixes) {
      for (const text::Expr* arg : postfix.args) ContentExpr(arg);
      for (const text::Index& index : postfix.indices) {
        const text::Expr* offset = index.offset;
        const bool bare = offset != nullptr && offset->kind == text::Expr::Kind::kPath &&
                          offset->postfixes.empty() && index.kind == text::Index::Kind::kScalar;
        if (!bare || Lookup(scope_, offset->name.text) != nullptr) {
          ContentExpr(offset);
          continue;
        }
        nodes_.push_back(
            {{.kind = EntityKind::kUnknown, .name = offset->name.text, .declared = offset->span},
             scope_});
        scope_ = &nodes_.back();
      }
    }
  }
  for (const text::Expr* operand : expr->operands) ContentExpr(operand);
}

void Elaborator::ContentContract(const text::WhereClause& clause, const Entity& tensor) {
  const Scoped block(*this);
  const ir::DTypeInfo& info = ir::Info(tensor.buffer->dtype);
  if (!info.is_integer && info.dtype != DType::kUnknown) {
    report_.Add(kContentOfFloat, clause.span, Name{tensor.buffer->name});
  }
  ContentExpr(clause.value);
  if (clause.has_range) {
    ContentExpr(clause.range.low);
    ContentExpr(clause.range.high);
  }
  ContentExpr(clause.condition);
  const std::string text = program_->source.substr(
      std::min<size_t>(clause.span.begin, program_->source.size()),
      clause.span.end > clause.span.begin ? clause.span.end - clause.span.begin : 0);
  program_->contracts.push_back({text, tensor.buffer->tensor, clause.span});
}

// `where a in lo..hi` on a bare symbol narrows the range that overflow proofs start from.
void Elaborator::NarrowRange(const text::WhereClause& clause, ExprId low, ExprId high) {
  const text::Expr& value = *clause.value;
  if (value.kind != text::Expr::Kind::kPath || !value.postfixes.empty()) return;
  const Entity* entity = Lookup(scope_, value.name.text);
  if (entity == nullptr || entity->kind != EntityKind::kSymbol) return;
  ir::Symbol& symbol = program_->symbols[static_cast<size_t>(entity->symbol)];
  const auto least = b_.ConstInt(low);
  const auto most = b_.ConstInt(high);
  if (!least || !most) return;
  symbol.low = std::max(symbol.low, *least);
  symbol.high = std::min(symbol.high, clause.range.inclusive ? *most : *most - 1);
  symbol.has_range = true;
}

void Elaborator::Where(const text::WhereClause& clause) {
  if (clause.value == nullptr) return;
  const Entity* tensor = TensorIn(clause.value);
  if (tensor == nullptr) tensor = TensorIn(clause.condition);
  if (tensor != nullptr) return ContentContract(clause, *tensor);
  const bool saved = launch_only_;
  launch_only_ = true;
  const Span span = clause.span;
  ExprId condition = ExprId::kNone;
  if (clause.has_range) {
    const ExprId value = Expr(clause.value);
    const ExprId low = Expr(clause.range.low);
    const ExprId high = Expr(clause.range.high);
    NarrowRange(clause, low, high);
    const ExprId above = ApplyOperator(">=", span, {value, low});
    const ExprId below = ApplyOperator(clause.range.inclusive ? "<=" : "<", span, {value, high});
    condition = b_.IsUnknown(above) || b_.IsUnknown(below)
                    ? b_.Unknown(span)
                    : b_.Add({.kind = ir::ExprKind::kAnd,
                              .type = {.dtype = DType::kBool},
                              .args = {above, below}},
                             span);
  } else {
    condition = Expr(clause.value);
  }
  if (clause.condition != nullptr) {
    // c if g: g is false or c holds.
    const ExprId gate = ApplyOperator("!", clause.condition->span, {Expr(clause.condition)});
    if (!b_.IsUnknown(gate) && !b_.IsUnknown(condition)) {
      condition = b_.Add(
          {.kind = ir::ExprKind::kOr, .type = {.dtype = DType::kBool}, .args = {gate, condition}},
          span);
    }
  }
  launch_only_ = saved;
  if (b_.IsUnknown(condition)) return;
  if (b_.TypeOf(condition).dtype != DType::kBool) {
    report_.Add(kGuardNotBool, clause.value->span);
    return;
  }
  const auto constant = b_.ConstInt(condition);
  if (!constant) {
    program_->guards.push_back({condition, {span, 0}});
  } else if (*constant == 0) {
    report_.Add(kFalseGuard, clause.span);
  }
}

}  // namespace compiler::sema
