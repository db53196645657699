// `where`: launch guards on dims, args and strides, which the launcher enforces, and content
// contracts on integer tensors, which are reported as assumptions.
#include <algorithm>
#include <optional>

#include "compiler/sema/elaborator.h"

namespace compiler::sema {
namespace {

using diag::Category;
using diag::Severity;

constexpr diag::Def<> kGuardNotBool{"CK1064", Severity::kError, Category::kType,
                                    "this condition is neither true nor false",
                                    "`where` lists conditions: `N % 8 == 0`, `scale in 1..=4`"};

constexpr diag::Def<> kFalseGuard{
    "CK1065", Severity::kError, Category::kType, "this condition is false for this member",
    "a `where` of params only says which members of the family are legal"};

constexpr int64_t kMaxAlignmentBytes = 4096;
constexpr diag::Def<int64_t> kAlignForm{
    "CK1246", Severity::kError, Category::kType,
    "an alignment is required as `align(x) % B == 0`, B a power of two up to {0}",
    "the launcher checks where a tensor's memory begins; nothing else of an address can be asked"};

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

// `plan in a..b`: a guard for each element of an arg array.
bool Elaborator::ArrayGuard(const text::WhereClause& clause) {
  const text::Expr& value = *clause.value;
  if (value.kind != text::Expr::Kind::kPath || !value.postfixes.empty() || !clause.has_range ||
      clause.condition != nullptr) {
    return false;
  }
  const Entity* entity = Lookup(scope_, value.name.text);
  if (entity == nullptr || entity->kind != EntityKind::kSymbol) return false;
  const int64_t elements = (*program_)[entity->symbol].elements;
  if (elements == 0) return false;
  const bool saved = launch_only_;
  launch_only_ = true;
  const ExprId low = Expr(clause.range.low), high = Expr(clause.range.high);
  NarrowRange(clause, low, high);
  const ir::Type type{.dtype = (*program_)[entity->symbol].dtype};
  const ExprId whole = b_.Add({.kind = ir::ExprKind::kSymbol,
                               .type = {.dtype = type.dtype, .shape = {elements}},
                               .symbol = entity->symbol},
                              value.span);
  for (int64_t k = 0; k < elements && !b_.IsUnknown(low) && !b_.IsUnknown(high); ++k) {
    const ExprId element = b_.Add({.kind = ir::ExprKind::kElement,
                                   .type = type,
                                   .args = {whole, b_.Int(k, DType::kI32, value.span)}},
                                  value.span);
    const ExprId above = ApplyOperator(">=", clause.span, {element, low});
    const ExprId below =
        ApplyOperator(clause.range.inclusive ? "<=" : "<", clause.span, {element, high});
    if (b_.IsUnknown(above) || b_.IsUnknown(below)) break;
    program_->guards.push_back({above, {clause.span, 0}});
    program_->guards.push_back({below, {clause.span, 0}});
  }
  launch_only_ = saved;
  return true;
}

// `align(x) % 128 == 0`: where the tensor's memory begins, which the launcher checks.
bool Elaborator::AlignGuard(const text::WhereClause& clause) {
  const text::Expr& whole = *clause.value;
  const auto is_align = [](const text::Expr& e) {
    return e.kind == text::Expr::Kind::kPath && e.name.text == "align";
  };
  const auto names_align = [&](const auto& self, const text::Expr* e) -> bool {
    if (e == nullptr) return false;
    if (is_align(*e)) return true;
    return std::any_of(e->operands.begin(), e->operands.end(),
                       [&](const text::Expr* operand) { return self(self, operand); });
  };
  if (!names_align(names_align, clause.value) || Lookup(scope_, "align") != nullptr) return false;
  const text::Expr* remainder = whole.operands.empty() ? nullptr : whole.operands[0];
  const bool form = whole.kind == text::Expr::Kind::kBinary && whole.token == "==" &&
                    !clause.has_range && clause.condition == nullptr && remainder != nullptr &&
                    remainder->kind == text::Expr::Kind::kBinary && remainder->token == "%" &&
                    is_align(*remainder->operands[0]);
  const Entity* tensor = nullptr;
  if (form) {
    const std::vector<text::Postfix>& call = remainder->operands[0]->postfixes;
    if (call.size() == 1 && call[0].kind == text::Postfix::Kind::kCall &&
        call[0].args.size() == 1 && call[0].args[0]->kind == text::Expr::Kind::kPath &&
        call[0].args[0]->postfixes.empty()) {
      tensor = Lookup(scope_, call[0].args[0]->name.text);
    }
  }
  const int64_t bytes = form ? ConstOf(remainder->operands[1], 0) : 0;
  const bool zero = form && b_.ConstInt(Expr(whole.operands[1])) == 0;
  if (tensor == nullptr || tensor->kind != EntityKind::kBuffer || !zero || bytes < 1 ||
      bytes > kMaxAlignmentBytes || (bytes & (bytes - 1)) != 0) {
    report_.Add(kAlignForm, clause.span, kMaxAlignmentBytes);
    return true;
  }
  ir::Tensor& aligned = program_->tensors[static_cast<size_t>(tensor->buffer->tensor)];
  aligned.alignment = std::max(aligned.alignment, bytes);
  return true;
}

void Elaborator::Where(const text::WhereClause& clause) {
  if (clause.value == nullptr) return;
  if (ArrayGuard(clause) || AlignGuard(clause)) return;
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
