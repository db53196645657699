// Copies of four rows that need not be neighbours: `tma.gather4`.
#include "compiler/sema/elaborator.h"

namespace compiler::sema {
namespace {

using diag::Applicability;
using diag::Category;
using diag::Severity;

constexpr diag::Def<Name> kSource{
    "CK1482", Severity::kError, Category::kType,
    "`{0}` is no source of `tma.gather4`, which is `x[[a, b, c, d], k:+n]`",
    "PTX ISA, cp.async.bulk.tensor .tile::gather4: rows of a tensor of two dimensions"};
constexpr diag::Def<Name> kRows{"CK1483", Severity::kError, Category::kType,
                                "the rows of `tma.gather4` are {0}",
                                "PTX ISA, .tile::gather4: four coordinates of 32 bits, one a row"};

constexpr size_t kRowCount = 4;

}  // namespace

// Four numbers: `[a, b, c, d]`, or a register array.
bool Elaborator::GatherRows(const text::Index& index, std::vector<ExprId>& rows) {
  const ExprId value = Expr(index.offset);
  if (b_.IsUnknown(value)) return false;
  const ir::Type type = b_.TypeOf(value);
  const bool four = index.kind == text::Index::Kind::kScalar && type.is_array() &&
                    type.shape == std::vector<int64_t>{kRowCount} && type.dtype == DType::kI32;
  if (!four) {
    report_.Add(kRows, index.span, Name{ir::ToString(type)})
        .Fix("give four i32: `[a, b, c, d]`", {}, Applicability::kManual);
    return false;
  }
  if (b_[value].kind == ir::ExprKind::kArray) {
    rows = b_[value].args;
    return true;
  }
  ir::LocalId local = b_[value].local;
  if (b_[value].kind != ir::ExprKind::kLocal) {
    local = NewLocal("rows", index.span, type, false);
    Emit({.kind = ir::StmtKind::kLet, .source = {index.span, 0}, .local = local, .value = value});
  }
  for (size_t i = 0; i < kRowCount; ++i) {
    const ExprId at = b_.Int(static_cast<int64_t>(i), DType::kI32, index.span);
    rows.push_back(b_.Add({.kind = ir::ExprKind::kElement,
                           .type = {.dtype = DType::kI32},
                           .args = {LocalValue(local, index.span), at}},
                          index.span));
  }
  return true;
}

// The tensor's side: as far as extents go a box of four rows from the first one on.
bool Elaborator::GatherView(const text::Stmt& stmt, ViewRef& from, std::vector<ExprId>& rows) {
  const text::Expr& source = *stmt.source;
  const Entity* entity = source.kind == text::Expr::Kind::kPath ? Resolve(source.name) : nullptr;
  if (entity == nullptr || entity->kind == EntityKind::kUnknown) return false;
  const Name name{std::string(source.name.text)};
  const bool indexed = entity->kind == EntityKind::kBuffer &&
                       entity->buffer->space == ir::Space::kGlobal &&
                       entity->buffer->shape.size() == 2 && source.postfixes.size() == 1 &&
                       source.postfixes[0].kind == text::Postfix::Kind::kIndex &&
                       source.postfixes[0].indices.size() == 2 && source.remote == nullptr;
  if (!indexed) {
    report_.Add(kSource, source.span, name);
    return false;
  }
  from.buffer = entity->buffer;
  const std::vector<text::Index>& indices = source.postfixes[0].indices;
  if (indices[0].kind != text::Index::Kind::kScalar) {
    report_.Add(kRows, indices[0].span, Name{"a slice"})
        .Fix("give four i32: `[a, b, c, d]`", {}, Applicability::kManual);
    return false;
  }
  if (!GatherRows(indices[0], rows)) return false;
  from.index.push_back({rows[0], b_.Int(kRowCount, DType::kI32, source.span), true});
  const ExprId zero = b_.Int(0, DType::kI32, source.span);
  if (indices[1].kind == text::Index::Kind::kAll) {
    from.index.push_back({zero, entity->buffer->shape[1], true});
    return true;
  }
  if (indices[1].kind != text::Index::Kind::kSlice) {
    report_.Add(kSource, source.span, name);
    return false;
  }
  const ExprId offset = Integer(indices[1].offset), extent = Integer(indices[1].extent);
  if (b_.IsUnknown(offset) || b_.IsUnknown(extent)) return false;
  from.index.push_back({offset, extent, true});
  return true;
}

void Elaborator::GatherCopy(const text::Stmt& stmt) {
  if (stmt.destination == nullptr || stmt.source == nullptr) return;
  ir::Stmt out{.kind = ir::StmtKind::kOp, .source = {stmt.span, 0}, .op = stmt.op};
  bool good = CopyClauses(stmt, out);
  const ViewRef to = View(*stmt.destination);
  ViewRef from;
  good = GatherView(stmt, from, out.gather_rows) && good && !to.unknown;
  good = good && CopySides(stmt, to, from) && BoxCopy(stmt, to, from);
  if (good) {
    out.destination = AddView(to, stmt.destination->span);
    out.source_view = AddView(from, stmt.source->span);
    good = LoadsOn(stmt, to, out);
  }
  if (!good) {
    b_.Unknown(stmt.span);
    return;
  }
  Emit(std::move(out));
}

}  // namespace compiler::sema
