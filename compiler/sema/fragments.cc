// Fragments: their types, members, slices and conversions. The form table (ir/fragment.h) says what
// a form can hold; what it cannot is reported with the forms that can.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "compiler/ir/fragment.h"
#include "compiler/sema/elaborator.h"
#include "compiler/sema/fragment.h"

namespace compiler::sema {
namespace {

using diag::Category;
using diag::Severity;

constexpr int64_t kRegistersOfThread = 255;
constexpr int64_t kLargestExtent = int64_t{1} << 20;  // far beyond what fits in registers

constexpr diag::Def<int64_t, Name, Name, int64_t> kExtentUnit{
    "CK1180", Severity::kError, Category::kType, "{0} {1} of `{2}`, which is made of {3} at a time",
    "a fragment is whole instruction tiles; what is left over has no registers"};
constexpr diag::Def<Name, Name, Name> kFormType{
    "CK1181", Severity::kError, Category::kType, "`{0}` has no `{1}` elements; it holds {2}",
    "the tensor cores read and write these types in this form"};
constexpr diag::Def<Name, int64_t, int64_t> kTooManyRegisters{
    "CK1182", Severity::kError, Category::kType,
    "`{0}` takes {1} registers of each thread; a thread has {2}",
    "a fragment has no address: what does not fit in registers cannot exist"};
constexpr diag::Def<Name, Name> kOtherRegisters{
    "CK1183", Severity::kError, Category::kType, "`{0}` expected, `{1}` found",
    "the threads hold other elements in this form or shape; only shared memory moves them, or a "
    "conversion between forms that agree"};
constexpr diag::Def<Name> kSliceAsValue{
    "CK1184", Severity::kError, Category::kType, "a slice of the fragment `{0}` is no value here",
    "slices are operands of products and matrix copies; elements are named one at a time"};
constexpr diag::Def<Name, int64_t> kSliceUnit{
    "CK1187", Severity::kError, Category::kType,
    "a slice of `{0}` is `[:, c:+n]` with c and n multiples of {1} inside the tile",
    "an instruction reads and writes whole tiles of columns"};
constexpr diag::Def<Name, Name> kConvertedForm{
    "CK1192", Severity::kError, Category::kType,
    "`{0}` of `{1}` has the registers of no fragment form",
    "a conversion keeps each element in its thread, and no form of that type deals the tile out "
    "like this; go through shared memory"};
constexpr diag::Def<Name, int64_t, int64_t> kMemberRange{
    "CK1199", Severity::kError, Category::kType, "`{0}` {1} of {2} a thread",
    "f.rows and f.cols count what one thread holds"};

}  // namespace

// `mma f32[16, 64]`: reports what the form cannot hold.
bool Elaborator::FragmentType(const text::TypeExpr& written, ir::Type& type) {
  const ir::FragmentForm& form = *ir::FindForm(type.form);
  if (type.dtype == DType::kUnknown) return false;
  const bool report = b_.dead == 0;
  if (!form.Holds(type.dtype)) {
    std::string list;
    for (const DType dtype : form.dtypes) {
      absl::StrAppend(&list, list.empty() ? "" : ", ", std::string(ir::ToString(dtype)));
    }
    if (report) {
      report_.Add(kFormType, written.dtype.span, Name{std::string(form.name)},
                  Name{std::string(ir::ToString(type.dtype))}, Name{list});
    }
    return false;
  }
  const int64_t bits = ir::Info(type.dtype).bits;
  const int64_t units[] = {form.RowsOf(bits, type.shape[0]).tile, form.columns(bits).tile};
  for (size_t d = 0; d < 2; ++d) {
    if (type.shape[d] % units[d] == 0) continue;
    if (report) {
      report_.Add(
          kExtentUnit, written.shape[d]->span, type.shape[d], Name{d == 0 ? "rows" : "columns"},
          Name{absl::StrCat(std::string(form.name), " ", std::string(ir::ToString(type.dtype)))},
          units[d]);
    }
    return false;
  }
  ir::Type bounded = type;  // extents come from the text: their product must not overflow
  for (int64_t& extent : bounded.shape) extent = std::min(extent, kLargestExtent);
  const int64_t registers = ir::MapOf(bounded).Registers();
  if (registers > kRegistersOfThread) {
    if (report) {
      report_.Add(kTooManyRegisters, written.span, Name{ir::ToString(type)}, registers,
                  kRegistersOfThread);
    }
    return false;
  }
  return true;
}

// f.row(r), f.col(e).
ExprId Elaborator::FragmentCoordinate(const text::Expr& expr, ir::LocalId local, bool row) {
  const std::vector<text::Expr*>& written = expr.postfixes[1].args;
  std::vector<ExprId> args;
  for (const text::Expr* arg : written) args.push_back(Integer(arg));
  const ir::Type type = kernel_->locals[static_cast<size_t>(local)].type;
  const FragmentShape shape = PerThread(type);
  if (b_.IsUnknown(args[0])) return args[0];
  const int64_t count = row ? shape.rows : shape.cols;
  if (const auto index = b_.ConstInt(args[0]); index && (*index < 0 || *index >= count)) {
    if (b_.dead == 0) {
      report_.Add(kMemberRange, written[0]->span, Name{row ? "row" : "column"}, *index, count);
    }
    return b_.Unknown(expr.span);
  }
  return b_.Add({.kind = row ? ir::ExprKind::kRow : ir::ExprKind::kColumn,
                 .type = {.dtype = DType::kI32},
                 .local = local,
                 .args = std::move(args)},
                expr.span);
}

void Elaborator::ReportSlice(Span span, const ir::Type& type) {
  if (b_.dead == 0) report_.Add(kSliceAsValue, span, Name{ir::ToString(type)});
}

// The forms must deal the tile out to the same registers; the message says what was expected.
bool Elaborator::SameFragment(const ir::Type& wanted, const ir::Type& found, Span span) {
  const ir::FragmentForm* a = ir::FindForm(wanted.form);
  const ir::FragmentForm* b = ir::FindForm(found.form);
  if (a == nullptr || b == nullptr) return true;  // reported where they were declared
  if (wanted.shape == found.shape && (a == b || ir::SameRegisters(*a, *b, wanted.dtype))) {
    return true;
  }
  if (b_.dead == 0) {
    report_.Add(kOtherRegisters, span, Name{ir::ToString(wanted)}, Name{ir::ToString(found)});
  }
  return false;
}

// The type of a converted fragment: its form follows from the element type.
bool Elaborator::ConvertedFragment(const ir::OpDef& op, ExprId from, ir::Type& type, Span span) {
  const ir::Type source = b_.TypeOf(from);
  if (ir::FindForm(source.form) == nullptr) return true;
  const bool converts = op.algebra == ir::Algebra::kConvert;
  const std::string_view form =
      converts ? ir::ConvertedForm(source.form, source.dtype, type.dtype) : std::string_view();
  if (form.empty()) {
    if (b_.dead == 0) {
      const std::string name =
          absl::StrCat(std::string(op.name), ".", std::string(ir::ToString(type.dtype)));
      report_.Add(kConvertedForm, span, Name{name}, Name{ir::ToString(source)});
    }
    return false;
  }
  type.form = form;
  return true;
}

// A fragment or `f[:, c:+n]`. False and no diagnostic where the expression names none.
bool Elaborator::FragmentOperand(const text::Expr& expr, ir::FragmentRef& out, ir::Type& type,
                                 bool& known) {
  known = false;
  const Entity* entity =
      expr.kind == text::Expr::Kind::kPath ? Lookup(scope_, expr.name.text) : nullptr;
  if (entity == nullptr || entity->kind != EntityKind::kLocal) return false;
  const ir::Local& local = kernel_->locals[static_cast<size_t>(entity->local)];
  if (!local.type.is_fragment()) return false;
  if (ir::FindForm(local.type.form) == nullptr) return true;  // reported where it was declared
  if (Resolve(expr.name) == nullptr) return true;
  type = local.type;
  out.local = entity->local;
  if (expr.postfixes.empty()) {
    known = true;
    return true;
  }
  const int64_t unit = ir::MapOf(type).columns.tile;
  const text::Postfix& postfix = expr.postfixes[0];
  const bool slice = expr.postfixes.size() == 1 && postfix.kind == text::Postfix::Kind::kIndex &&
                     postfix.indices.size() == 2 &&
                     postfix.indices[0].kind == text::Index::Kind::kAll &&
                     postfix.indices[1].kind == text::Index::Kind::kSlice;
  if (!slice) {
    report_.Add(kSliceUnit, expr.span, Name{local.name}, unit);
    return true;
  }
  const ExprId column = Integer(postfix.indices[1].offset);
  const int64_t columns = ConstOf(postfix.indices[1].extent, 0);
  if (b_.IsUnknown(column)) return true;
  const auto first = b_.ConstInt(column);
  const bool fits =
      columns > 0 && columns % unit == 0 && columns <= type.shape[1] &&
      (!first || (*first >= 0 && *first % unit == 0 && *first + columns <= type.shape[1]));
  if (!fits) {
    if (b_.dead == 0) report_.Add(kSliceUnit, expr.span, Name{local.name}, unit);
    return true;
  }
  out.column = column;
  out.columns = columns;
  type.shape[1] = columns;
  known = true;
  return true;
}

}  // namespace compiler::sema
