// Contracts on the contents of integer tensors: from the clause to a structured statement that the
// proofs and the generators of inputs read. What does not fit the forms is kept as text.
#include <algorithm>
#include <utility>

#include "compiler/sema/elaborator.h"

namespace compiler::sema {
namespace {

using diag::Category;
using diag::Severity;
using Kind = ir::ContentContract::Kind;

constexpr diag::Def<Name> kContentOfFloat{
    "CK1063", Severity::kError, Category::kType, "a contract on `{0}`, which holds no integers",
    "contracts say which indices, lengths and ids a tensor may hold"};
constexpr diag::Def<Name, int64_t, int64_t> kContractRank{
    "CK1241", Severity::kError, Category::kType, "`{0}` has {1} dimensions, and {2} are indexed",
    "a contract speaks of elements: each dimension has an index, or none has"};
constexpr diag::Def<Name, int64_t> kStepsOfRank{
    "CK1242", Severity::kError, Category::kType, "`steps({0})`: `{0}` has {1} dimensions",
    "steps are the differences of neighbours in a tensor of one dimension"};
constexpr diag::Def<Name> kSteplessForm{
    "CK1243", Severity::kError, Category::kType, "`{0}` says nothing by itself",
    "`steps(t) in a..b` bounds the differences; `distinct(t)` stands alone"};

constexpr std::string_view kMirrored[][2] = {
    {"<", ">"}, {"<=", ">="}, {">", "<"}, {">=", "<="}, {"==", "=="}};

bool IsCall(const text::Expr& expr, std::string_view name) {
  return expr.kind == text::Expr::Kind::kPath && expr.name.text == name &&
         expr.postfixes.size() == 1 && expr.postfixes[0].kind == text::Postfix::Kind::kCall &&
         expr.postfixes[0].args.size() == 1;
}

bool IsBareName(const text::Expr* expr) {
  return expr != nullptr && expr->kind == text::Expr::Kind::kPath && expr->postfixes.empty();
}

}  // namespace

// The bound index of dimension `d`: an i32, like every index.
ExprId Elaborator::BoundIndex(size_t d, Span span) {
  return b_.Add({.kind = ir::ExprKind::kLocal,
                 .type = {.dtype = DType::kI32},
                 .level = ir::Level::kLane,
                 .local = static_cast<ir::LocalId>(d)},
                span);
}

// A value inside a contract; kNone where it is no expression of launch values, bound indices and
// elements of integer tensors.
ExprId Elaborator::ContractValue(const text::Expr* expr) {
  if (expr == nullptr) return ExprId::kNone;
  if (TensorIn(expr) == nullptr) {
    const bool saved = std::exchange(launch_only_, true);
    const ExprId value = Expr(expr);
    launch_only_ = saved;
    return b_.IsUnknown(value) ? ExprId::kNone : value;
  }
  if (expr->kind == text::Expr::Kind::kBinary || expr->kind == text::Expr::Kind::kUnary) {
    std::vector<ExprId> args;
    for (const text::Expr* operand : expr->operands) {
      args.push_back(ContractValue(operand));
      if (args.back() == ExprId::kNone) return ExprId::kNone;
    }
    if (expr->token == "&&" || expr->token == "||") {
      return b_.Add({.kind = expr->token == "&&" ? ir::ExprKind::kAnd : ir::ExprKind::kOr,
                     .type = {.dtype = DType::kBool},
                     .args = std::move(args)},
                    expr->span);
    }
    const ExprId value = ApplyOperator(expr->token, expr->span, std::move(args));
    return b_.IsUnknown(value) ? ExprId::kNone : value;
  }
  return ContractElement(*expr);
}

// `n[b]`: one element of an integer tensor.
ExprId Elaborator::ContractElement(const text::Expr& expr) {
  const Entity* entity =
      expr.kind == text::Expr::Kind::kPath ? Lookup(scope_, expr.name.text) : nullptr;
  if (entity == nullptr || entity->kind != EntityKind::kBuffer || expr.postfixes.size() != 1 ||
      expr.postfixes[0].kind != text::Postfix::Kind::kIndex ||
      entity->buffer->tensor == ir::TensorId::kNone) {
    return ExprId::kNone;
  }
  const std::vector<text::Index>& indices = expr.postfixes[0].indices;
  if (indices.size() != entity->buffer->shape.size()) return ExprId::kNone;
  ir::View view{.tensor = entity->buffer->tensor, .source = {expr.span, 0}};
  for (const text::Index& index : indices) {
    if (index.kind != text::Index::Kind::kScalar) return ExprId::kNone;
    const ExprId offset = ContractValue(index.offset);
    if (offset == ExprId::kNone) return ExprId::kNone;
    view.index.push_back({.offset = offset});
  }
  return b_.Add({.kind = ir::ExprKind::kLoad,
                 .type = {.dtype = entity->buffer->dtype},
                 .level = ir::Level::kLane,
                 .view = b_.AddView(std::move(view)),
                 .op = ops_.Find("ld")},
                expr.span);
}

// Declares the names that stand for every index of a dimension, and gives the index of each
// dimension; false if the view is none of elements.
bool Elaborator::ContractIndices(const text::Expr& view, const Buffer& buffer,
                                 ir::ContentContract& out) {
  const size_t rank = buffer.shape.size();
  out.index.assign(rank, ExprId::kNone);
  if (view.postfixes.empty()) return true;
  if (view.postfixes.size() != 1 || view.postfixes[0].kind != text::Postfix::Kind::kIndex) {
    return false;
  }
  const std::vector<text::Index>& indices = view.postfixes[0].indices;
  if (indices.size() != rank) {
    report_.Add(kContractRank, view.span, Name{buffer.name}, static_cast<int64_t>(rank),
                static_cast<int64_t>(indices.size()));
    return false;
  }
  for (size_t d = 0; d < rank; ++d) {
    const text::Expr* offset = indices[d].offset;
    if (indices[d].kind == text::Index::Kind::kAll) continue;
    if (indices[d].kind != text::Index::Kind::kScalar) return false;
    if (IsBareName(offset) && Lookup(scope_, offset->name.text) == nullptr &&
        !IsReserved(offset->name.text)) {
      nodes_.push_back({{.kind = EntityKind::kValue,
                         .name = offset->name.text,
                         .declared = offset->span,
                         .value = BoundIndex(d, offset->span)},
                        scope_});
      scope_ = &nodes_.back();
      continue;
    }
    out.index[d] = ContractValue(offset);
    if (out.index[d] == ExprId::kNone) return false;
  }
  return true;
}

// `t[..] in a..b`, `t[..] == e`, `t[..] < e`: what the range of the element is.
bool Elaborator::ContractRange(const text::WhereClause& clause, const text::Expr& view,
                               const Buffer& buffer, ir::ContentContract& out) {
  if (!ContractIndices(view, buffer, out)) return false;
  const auto below = [&](ExprId value) {
    return ApplyOperator("-", clause.span, {value, b_.Int(1, b_.TypeOf(value).dtype, clause.span)});
  };
  if (clause.has_range) {
    out.low = ContractValue(clause.range.low);
    out.high = ContractValue(clause.range.high);
    if (out.low == ExprId::kNone || out.high == ExprId::kNone) return false;
    if (!clause.range.inclusive) out.high = below(out.high);
    return true;
  }
  const text::Expr& whole = *clause.value;
  const bool left = whole.operands[0] == &view;
  std::string_view op = whole.token;
  for (const auto& [written, mirrored] : kMirrored) {
    if (!left && whole.token == written) op = mirrored;
  }
  const ExprId other = ContractValue(whole.operands[left ? 1 : 0]);
  if (other == ExprId::kNone) return false;
  if (op == "==" || op == ">=") out.low = other;
  if (op == "==" || op == "<=") out.high = other;
  if (op == "<") out.high = below(other);
  if (op == ">") {
    out.low =
        ApplyOperator("+", clause.span, {other, b_.Int(1, b_.TypeOf(other).dtype, clause.span)});
  }
  return out.low != ExprId::kNone || out.high != ExprId::kNone;
}

// The view that a clause speaks of: the value itself, or one side of its comparison.
const text::Expr* Elaborator::ContractSubject(const text::WhereClause& clause) {
  const auto is_view = [&](const text::Expr* expr) {
    if (expr->kind != text::Expr::Kind::kPath) return false;
    const Entity* entity = Lookup(scope_, expr->name.text);
    return entity != nullptr && entity->kind == EntityKind::kBuffer;
  };
  if (clause.has_range) return is_view(clause.value) ? clause.value : nullptr;
  if (clause.value->kind != text::Expr::Kind::kBinary) return nullptr;
  const bool comparison =
      std::any_of(std::begin(kMirrored), std::end(kMirrored),
                  [&](const auto& pair) { return pair[0] == clause.value->token; });
  if (!comparison) return nullptr;
  for (const text::Expr* side : clause.value->operands) {
    if (is_view(side)) return side;
  }
  return nullptr;
}

Kind Elaborator::ContractForm(const text::WhereClause& clause, const Buffer& buffer,
                              ir::ContentContract& out) {
  const text::Expr& value = *clause.value;
  for (const std::string_view function : {"steps", "distinct"}) {
    if (!IsCall(value, function) || !IsBareName(value.postfixes[0].args[0])) continue;
    const bool steps = function == "steps";
    if (steps != clause.has_range) {
      report_.Add(kSteplessForm, clause.span,
                  Name{std::string(function) + "(" + buffer.name + ")"});
      return Kind::kOpaque;
    }
    if (!steps) return Kind::kDistinct;
    if (buffer.shape.size() != 1) {
      report_.Add(kStepsOfRank, clause.span, Name{buffer.name},
                  static_cast<int64_t>(buffer.shape.size()));
      return Kind::kOpaque;
    }
    out.low = ContractValue(clause.range.low);
    out.high = ContractValue(clause.range.high);
    if (out.low == ExprId::kNone || out.high == ExprId::kNone) return Kind::kOpaque;
    if (!clause.range.inclusive) {
      out.high = ApplyOperator("-", clause.span,
                               {out.high, b_.Int(1, b_.TypeOf(out.high).dtype, clause.span)});
    }
    return Kind::kSteps;
  }
  const text::Expr* view = ContractSubject(clause);
  if (view == nullptr || Lookup(scope_, view->name.text)->buffer != &buffer) return Kind::kOpaque;
  return ContractRange(clause, *view, buffer, out) ? Kind::kRange : Kind::kOpaque;
}

void Elaborator::ContentContract(const text::WhereClause& clause, const Entity& named) {
  // The tensor that the clause speaks of; others may stand in bounds and conditions.
  const text::Expr* subject = ContractSubject(clause);
  const Entity& tensor = subject != nullptr ? *Lookup(scope_, subject->name.text) : named;
  const Scoped block(*this);
  const Buffer& buffer = *tensor.buffer;
  const ir::DTypeInfo& info = ir::Info(buffer.dtype);
  if (!info.is_integer && info.dtype != DType::kUnknown) {
    report_.Add(kContentOfFloat, clause.span, Name{buffer.name});
  }
  const size_t found_before = report_.diagnostics().size();
  {
    const Scoped names(*this);  // every name must be known, whatever the form
    ContentExpr(clause.value);
    if (clause.has_range) {
      ContentExpr(clause.range.low);
      ContentExpr(clause.range.high);
    }
    ContentExpr(clause.condition);
  }
  const std::string text = program_->source.substr(
      std::min<size_t>(clause.span.begin, program_->source.size()),
      clause.span.end > clause.span.begin ? clause.span.end - clause.span.begin : 0);
  ir::ContentContract out{.text = text, .tensor = buffer.tensor, .span = clause.span};
  if (!info.is_integer || report_.diagnostics().size() != found_before) {
    program_->contracts.push_back(std::move(out));
    return;
  }
  out.kind = ContractForm(clause, buffer, out);
  if (clause.condition != nullptr && out.kind != Kind::kOpaque) {
    out.condition = ContractValue(clause.condition);
    // A condition of steps or of the whole set would have to name its neighbours.
    if (out.condition == ExprId::kNone || out.kind != Kind::kRange) out.kind = Kind::kOpaque;
  }
  program_->contracts.push_back(std::move(out));
}

}  // namespace compiler::sema
