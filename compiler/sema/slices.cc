// Slices of fragments as values: `f[:, c:+n]` is a fragment of its own, whose elements are those of
// the columns c .. c + n. A thread holds them in registers next to each other, so that reading and
// writing a slice is a loop over elements that costs nothing once it is unrolled.
#include <algorithm>

#include "compiler/ir/fragment.h"
#include "compiler/sema/elaborator.h"
#include "compiler/sema/fragment.h"

namespace compiler::sema {
namespace {

constexpr diag::Def<Name> kCompoundSlice{
    "CK1212", diag::Severity::kError, diag::Category::kType, "`{0}` of a slice of a fragment",
    "fragments are assigned as a whole; elements compute one at a time, in a loop"};
constexpr diag::Def<Name> kTwoNames{
    "CK1216", diag::Severity::kError, diag::Category::kType,
    "the call has other names for columns of `{0}` that an `inout` parameter stands for",
    "a slice has registers of its own while the call runs, and goes back to its fragment behind "
    "it"};

}  // namespace

bool Elaborator::IsFragmentSlice(const text::Expr& expr, const ir::Type& type) const {
  if (!type.is_fragment() || ir::FindForm(type.form) == nullptr || expr.postfixes.empty()) {
    return false;
  }
  const text::Postfix& first = expr.postfixes[0];
  return first.kind == text::Postfix::Kind::kIndex &&
         std::any_of(first.indices.begin(), first.indices.end(), [](const text::Index& index) {
           return index.kind != text::Index::Kind::kScalar;
         });
}

// Index, among a thread's columns of the whole, of the first column of the slice.
ExprId Elaborator::FirstOfSlice(const ir::FragmentRef& ref, Span span) {
  const ir::AxisMap& axis = ir::MapOf(kernel_->locals[static_cast<size_t>(ref.local)].type).columns;
  const auto number = [&](int64_t value) { return b_.Int(value, DType::kI32, span); };
  const ExprId block = ApplyOperator("/", span, {ref.column, number(axis.tile)});
  return ApplyOperator("*", span, {block, number(axis.repeats * axis.pack)});
}

// One assignment for each element (r, e) that a thread holds of a fragment of `type`.
template <typename F>
void Elaborator::ForEachElement(const ir::Type& type, Span span, const F& assign) {
  const FragmentShape shape = PerThread(type);
  const int64_t extents[] = {shape.rows, shape.cols};
  const ir::LocalId index[] = {NewLocal("row", span, {.dtype = DType::kI32}, false),
                               NewLocal("column", span, {.dtype = DType::kI32}, false)};
  std::vector<ir::StmtId>* const outer = block_;
  std::vector<ir::StmtId> body;
  block_ = &body;
  Emit(assign(LocalValue(index[0], span), LocalValue(index[1], span)));
  for (size_t i = 2; i-- > 0;) {
    std::vector<ir::StmtId> wrapped;
    block_ = i == 0 ? outer : &wrapped;
    Emit({.kind = ir::StmtKind::kFor,
          .source = {span, 0},
          .local = index[i],
          .low = b_.Int(0, DType::kI32, span),
          .high = b_.Int(extents[i], DType::kI32, span),
          .step = b_.Int(1, DType::kI32, span),
          .body = std::move(body)});
    body = std::move(wrapped);
  }
}

ExprId Elaborator::FragmentElement(ir::LocalId local, ExprId row, ExprId column, Span span) {
  const ExprId whole = LocalValue(local, span);
  return b_.Add({.kind = ir::ExprKind::kElement,
                 .type = {.dtype = b_.TypeOf(whole).dtype},
                 .args = {whole, row, column}},
                span);
}

ExprId Elaborator::SliceValue(const text::Expr& expr, const ir::Type& whole, ir::FragmentRef* of) {
  if (!CanHoist()) {
    ReportSlice(expr.span, whole);
    return b_.Unknown(expr.span);
  }
  ir::FragmentRef ref;
  ir::Type type;
  bool known = false;
  if (!FragmentOperand(expr, ref, type, known) || !known) return b_.Unknown(expr.span);
  if (of != nullptr) *of = ref;
  const std::string name = kernel_->locals[static_cast<size_t>(ref.local)].name + "_slice";
  const ir::LocalId slice = NewLocal(name, expr.span, type, true);
  Emit({.kind = ir::StmtKind::kLet, .source = {expr.span, 0}, .local = slice});
  const ExprId first = FirstOfSlice(ref, expr.span);
  ForEachElement(type, expr.span, [&](ExprId row, ExprId column) {
    const ExprId from = ApplyOperator("+", expr.span, {first, column});
    return ir::Stmt{.kind = ir::StmtKind::kAssign,
                    .source = {expr.span, 0},
                    .local = slice,
                    .indices = {row, column},
                    .value = FragmentElement(ref.local, row, from, expr.span)};
  });
  return LocalValue(slice, expr.span);
}

void Elaborator::AssignColumns(const ir::FragmentRef& to, ir::LocalId from, Span span) {
  const ExprId first = FirstOfSlice(to, span);
  const ir::Type type = kernel_->locals[static_cast<size_t>(from)].type;
  ForEachElement(type, span, [&](ExprId row, ExprId column) {
    return ir::Stmt{.kind = ir::StmtKind::kAssign,
                    .source = {span, 0},
                    .local = to.local,
                    .indices = {row, ApplyOperator("+", span, {first, column})},
                    .value = FragmentElement(from, row, column, span)};
  });
}

// Whether what was made since `before` reads or writes the variable.
bool Elaborator::Names(ir::LocalId local, const Builder::Mark& before) const {
  for (size_t i = before.exprs; i < program_->exprs.size(); ++i) {
    const ir::Expr& expr = program_->exprs[i];
    if (expr.kind == ir::ExprKind::kLocal && expr.local == local) return true;
  }
  for (size_t i = before.stmts; i < program_->stmts.size(); ++i) {
    const ir::Stmt& stmt = program_->stmts[i];
    for (const ir::LocalId named :
         {stmt.local, stmt.fragment.local, stmt.left.local, stmt.right.local}) {
      if (named == local) return true;
    }
  }
  return false;
}

void Elaborator::ReturnSlices(const std::vector<Entity>& parameters, const Builder::Mark& before,
                              Span span) {
  for (size_t i = 0; i < parameters.size(); ++i) {
    const ir::FragmentRef& lent = parameters[i].lent;
    if (lent.local == ir::LocalId::kNone) continue;
    const auto begin = b_.ConstInt(lent.column);
    bool shared = false;
    for (size_t k = 0; k < i; ++k) {
      const ir::FragmentRef& other = parameters[k].lent;
      const auto of_other = other.local == lent.local ? b_.ConstInt(other.column) : begin;
      shared |= other.local == lent.local &&
                (!begin || !of_other ||
                 (*begin < *of_other + other.columns && *of_other < *begin + lent.columns));
    }
    const ir::Local& whole = kernel_->locals[static_cast<size_t>(lent.local)];
    if (shared || Names(lent.local, before)) {
      report_.Add(kTwoNames, span, Name{whole.name}).Label(whole.declared, "declared here");
      return;
    }
  }
  for (const Entity& parameter : parameters) {
    if (parameter.lent.local != ir::LocalId::kNone) {
      AssignColumns(parameter.lent, parameter.local, span);
    }
  }
}

// f[:, c:+n] = a scalar, or a fragment of n columns.
void Elaborator::AssignSlice(const text::Stmt& stmt) {
  ir::FragmentRef ref;
  ir::Type type;
  bool known = false;
  const bool good = FragmentOperand(*stmt.target, ref, type, known) && known;
  ExprId value = Expr(stmt.value);
  if (!good || b_.IsUnknown(value)) return;
  if (stmt.token != "=") {
    report_.Add(kCompoundSlice, stmt.span, Name{std::string(stmt.token)})
        .Fix("write a loop over its elements", {}, diag::Applicability::kManual);
    return;
  }
  value = CoerceTo(value, type, stmt.value->span);
  if (b_.IsUnknown(value)) return;
  const bool scalar = b_.TypeOf(value).is_scalar();
  ir::LocalId from = b_[value].local;
  if (b_[value].kind != ir::ExprKind::kLocal && !(scalar && b_.IsConst(value))) {
    from = NewLocal("value", stmt.value->span, b_.TypeOf(value), false);
    Emit({.kind = ir::StmtKind::kLet,
          .source = {stmt.value->span, 0},
          .local = from,
          .value = value});
    if (scalar) value = LocalValue(from, stmt.value->span);
  }
  if (!scalar) return AssignColumns(ref, from, stmt.span);
  const ExprId first = FirstOfSlice(ref, stmt.target->span);
  ForEachElement(type, stmt.span, [&](ExprId row, ExprId column) {
    const ExprId to = ApplyOperator("+", stmt.target->span, {first, column});
    return ir::Stmt{.kind = ir::StmtKind::kAssign,
                    .source = {stmt.span, 0},
                    .local = ref.local,
                    .indices = {row, to},
                    .value = value};
  });
}

}  // namespace compiler::sema
