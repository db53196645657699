// Products of fragments and the copies between fragments and shared memory.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "compiler/ir/fragment.h"
#include "compiler/ir/walk.h"
#include "compiler/sema/elaborator.h"

namespace compiler::sema {
namespace {

using diag::Applicability;
using diag::Category;
using diag::Severity;

constexpr int64_t kMatrixRowBytes = 16;
constexpr int64_t kTransposedBits = 16;

constexpr diag::Def<Name, int64_t, Name> kRowPitch{
    "CK1185", Severity::kError, Category::kHardware,
    "a row of the tile of `{0}` begins at byte {1}; `{2}` moves rows of 16 B from multiples of 16 "
    "B",
    "PTX ISA, ldmatrix and stmatrix: each row address is a multiple of 16 bytes"};
constexpr diag::Def<Name, Name> kNoFragment{
    "CK1186", Severity::kError, Category::kType, "`{0}` is no fragment; `{1}` works on registers",
    "shared memory comes to the registers by `ldmatrix`, or by loads of elements"};
constexpr diag::Def<Name> kNeverWritten{"CK1188", Severity::kError, Category::kType,
                                        "`{0}` never changes", "only a `var` is written to"};
constexpr diag::Def<Name, Name, Name, Name> kWrongOperand{
    "CK1189", Severity::kError, Category::kType, "`{0}` is `{1}`; the {2} of `mma` is {3}",
    "each operand lies in the registers as its side of the instruction reads it"};
constexpr diag::Def<Name, Name, Name> kProductShapes{
    "CK1190", Severity::kError, Category::kType, "`mma` of {0} and {1} into {2}",
    "the left operand is [M, K], the right one [K, N], the accumulator [M, N]"};
constexpr diag::Def<Name, Name, Name, Name> kProductTypes{
    "CK1191", Severity::kError, Category::kType,
    "`mma` of {0} and {1} into {2}; with {0} on the left there is {3}",
    "the tensor cores multiply these types"};
constexpr diag::Def<Name, Name> kNoSaturation{
    "CK1270", Severity::kError, Category::kType, "`mma.sat` of {1} into {0}",
    "sums of integer products alone can end at the ends of their type; floats have infinities, and "
    "counts of bits are far from the end"};
constexpr diag::Def<int64_t, Name> kShortTile{
    "CK1215", Severity::kError, Category::kHardware,
    "the tile has {0} rows, and `mma` of {1} takes 16 at a time",
    "PTX ISA, mma: only integers have instructions of 8 rows"};
constexpr diag::Def<Name> kBitOperation{
    "CK1213", Severity::kError, Category::kType,
    "`mma` of {0} says what is counted: `mma.and` or `mma.xor`",
    "bits are not multiplied: the instruction counts where both are set, or where they differ"};
constexpr diag::Def<Name, Name> kNoBits{"CK1214", Severity::kError, Category::kType,
                                        "`mma.{0}` of {1}",
                                        "only products of b1x8 count bits instead of multiplying"};
constexpr diag::Def<Name, Name> kNotShared{"CK1193", Severity::kError, Category::kType,
                                           "`{0}` is not shared memory, which `{1}` moves",
                                           "the instruction takes row addresses in shared memory"};
constexpr diag::Def<Name, Name> kTileShape{
    "CK1194", Severity::kError, Category::kType, "the view is {0}, the fragment is {1}",
    "a tile has two sliced dimensions, as many rows and columns as the fragment; `.T` exchanges "
    "them"};
constexpr diag::Def<Name, Name, Name> kTileType{
    "CK1195", Severity::kError, Category::kType, "`{0}` holds {1}, the fragment {2}",
    "the instruction moves bits; a conversion is written as `cvt`"};
constexpr diag::Def<Name, Name> kNotContiguous{
    "CK1196", Severity::kError, Category::kHardware,
    "the last dimension of `{0}` is not sliced; `{1}` moves rows of 16 B",
    "the bytes of a row are neighbours, so the tile must span the contiguous dimension"};
constexpr diag::Def<Name, int64_t, Name> kTransposedType{
    "CK1197", Severity::kError, Category::kHardware,
    "`{0}` transposes elements of 16 bits; `{2}` has {1}",
    "store the buffer with its rows along the other dimension, or load element by element"};
constexpr diag::Def<Name, Name, Name> kMatrixForm{
    "CK1198", Severity::kError, Category::kHardware, "`{0}` cannot move `{1}`; it moves {2}",
    "an 8x8 tile gives each thread one 32-bit register of neighbours in a row; convert, or use "
    "`st` of elements"};

std::string Text(std::string_view text) { return std::string(text); }

// A thread's register is four neighbouring bytes of a row of the tile, or of a column for mma.b.
bool MovesByMatrix(const ir::FragmentForm& form, DType dtype) {
  const int64_t bits = ir::Info(dtype).bits;
  const ir::AxisMap axis = form.packs_rows ? form.rows(bits) : form.columns(bits);
  return bits <= 32 && axis.pack == 32 / bits;
}

std::string MatrixForms() {
  std::string list;
  for (const ir::FragmentForm& form : ir::Forms()) {
    const auto moves = [&](DType dtype) { return MovesByMatrix(form, dtype); };
    const auto count = std::count_if(form.dtypes.begin(), form.dtypes.end(), moves);
    if (count == 0) continue;
    absl::StrAppend(&list, list.empty() ? "" : ", ", Text(form.name));
    if (count == static_cast<std::ptrdiff_t>(form.dtypes.size())) continue;
    for (const DType dtype : form.dtypes) {
      if (moves(dtype)) absl::StrAppend(&list, " ", Text(ir::ToString(dtype)));
    }
  }
  return list;
}

}  // namespace

void Elaborator::MatrixOperation(const text::Stmt& stmt) {
  RejectClauses(stmt);
  ir::Stmt out{.kind = ir::StmtKind::kOp, .source = {stmt.span, 0}, .op = stmt.op};
  out.modifiers = Modifiers(*stmt.op, stmt.modifiers, stmt.op_name.span);
  const bool warpgroup = stmt.op->effects.engine == ir::ProductEngine::kWarpgroup;
  const bool good = !stmt.op->effects.product ? MatrixCopy(stmt, out)
                    : warpgroup               ? WarpgroupProduct(stmt, out)
                                              : Product(stmt, out);
  if (good) {
    Emit(std::move(out));
  } else {
    b_.Unknown(stmt.span);
  }
}

// Reports what is no fragment; `known` is false where a diagnostic has been reported.
bool Elaborator::NeedFragment(const text::Expr* expr, const ir::OpDef& op, ir::FragmentRef& out,
                              ir::Type& type) {
  if (expr == nullptr) return false;
  bool known = false;
  if (FragmentOperand(*expr, out, type, known)) return known;
  const Entity* entity = expr->kind == text::Expr::Kind::kPath ? Resolve(expr->name) : nullptr;
  const bool named = expr->kind == text::Expr::Kind::kPath;
  if (named && (entity == nullptr || entity->kind == EntityKind::kUnknown)) return false;
  report_.Add(kNoFragment, expr->span, Name{named ? Text(expr->name.text) : "this"},
              Name{Text(op.name)});
  return false;
}

bool Elaborator::NeedWritable(const text::Expr& expr) {
  const Entity* entity = Lookup(scope_, expr.name.text);
  const ir::Local& local = kernel_->locals[static_cast<size_t>(entity->local)];
  if (local.is_var && !entity->read_only) return true;
  report_.Add(kNeverWritten, expr.span, Name{local.name}).Label(local.declared, "declared here");
  return false;
}

bool Elaborator::Product(const text::Stmt& stmt, ir::Stmt& out) {
  const ir::OpDef& op = *stmt.op;
  struct Side {
    const text::Expr* expr;
    ir::FragmentRef* ref;
    std::string_view form, role;
    ir::Type type;
  };
  Side sides[] = {{stmt.destination, &out.fragment, "mma", "accumulator", {}},
                  {stmt.left, &out.left, "mma.a", "left operand", {}},
                  {stmt.right, &out.right, "mma.b", "right operand", {}}};
  bool good = true;
  for (Side& side : sides) good &= NeedFragment(side.expr, op, *side.ref, side.type);
  if (stmt.zero != nullptr) {
    out.zero = Condition(stmt.zero);
    good &= !b_.IsUnknown(out.zero);
  }
  if (!good) return false;
  for (const Side& side : sides) {
    const ir::FragmentForm& found = *ir::FindForm(side.type.form);
    const ir::FragmentForm& wanted = *ir::FindForm(side.form);
    const bool same =
        found.name == wanted.name ||
        (wanted.Holds(side.type.dtype) && ir::SameRegisters(found, wanted, side.type.dtype));
    if (same) continue;
    report_.Add(kWrongOperand, side.expr->span, Name{Text(side.expr->name.text)},
                Name{ir::ToString(side.type)}, Name{Text(side.role)}, Name{Text(side.form)});
    return false;
  }
  if (!NeedWritable(*stmt.destination)) return false;
  return ProductFits(stmt, sides[0].type, sides[1].type, sides[2].type, out);
}

bool Elaborator::ProductFits(const text::Stmt& stmt, const ir::Type& d, const ir::Type& a,
                             const ir::Type& b, ir::Stmt& out) {
  const bool shapes =
      a.shape[0] == d.shape[0] && b.shape[1] == d.shape[1] && a.shape[1] == b.shape[0];
  if (!shapes) {
    if (b_.dead == 0) {
      report_.Add(kProductShapes, stmt.span, Name{ir::ShapeText(a.shape)},
                  Name{ir::ShapeText(b.shape)}, Name{ir::ShapeText(d.shape)});
    }
    return false;
  }
  const auto steps = [&](int64_t rows) {
    return ir::MmaSteps(a.dtype, b.dtype, d.dtype, a.shape[1], rows);
  };
  if (steps(d.shape[0]).empty() && !steps(ir::kMmaRows).empty()) {
    report_.Add(kShortTile, stmt.span, d.shape[0], Name{Text(ir::ToString(a.dtype))});
    return false;
  }
  if (steps(d.shape[0]).empty()) {
    report_.Add(kProductTypes, stmt.span, Name{Text(ir::ToString(a.dtype))},
                Name{Text(ir::ToString(b.dtype))}, Name{Text(ir::ToString(d.dtype))},
                Name{ir::MmaTypeList(a.dtype)});
    return false;
  }
  const bool bits = a.dtype == DType::kB1x8;
  if ((d.dtype != DType::kI32 || bits) && ir::HasModifier(out, "sat")) {
    report_.Add(kNoSaturation, stmt.span, Name{Text(ir::ToString(d.dtype))},
                Name{Text(ir::ToString(a.dtype))});
    return false;
  }
  const bool both = ir::HasModifier(out, "and");
  if (bits != (both || ir::HasModifier(out, "xor"))) {
    if (bits) {
      report_.Add(kBitOperation, stmt.span, Name{Text(ir::ToString(a.dtype))});
    } else {
      report_.Add(kNoBits, stmt.span, Name{both ? "and" : "xor"},
                  Name{Text(ir::ToString(a.dtype))});
    }
    return false;
  }
  out.accumulate = stmt.accumulate;
  return true;
}

bool Elaborator::CopiedFragment(const text::Expr& expr, bool load, const ir::OpDef& op,
                                ir::FragmentRef& out, ir::Type& type) {
  if (load) return NeedFragment(&expr, op, out, type) && NeedWritable(expr);
  bool known = false;
  return FragmentOperand(expr, out, type, known) ? known : ConvertedOperand(expr, op, out, type);
}

bool Elaborator::MatrixCopy(const text::Stmt& stmt, ir::Stmt& out) {
  const ir::OpDef& op = *stmt.op;
  const bool load = op.effects.copy == ir::CopyEffect::kMatrixLoad;
  const text::Expr* fragment = load ? stmt.destination : stmt.source;
  const text::Expr* memory = load ? stmt.source : stmt.destination;
  if (fragment == nullptr || memory == nullptr) return false;
  ir::Type type;
  const bool known = CopiedFragment(*fragment, load, op, out.fragment, type);
  const bool named = NamesMemory(*memory);
  if (!named) {
    if (memory->kind != text::Expr::Kind::kPath) {
      report_.Add(kNotShared, memory->span, Name{"this"}, Name{Text(op.name)});
    } else if (const Entity* entity = Resolve(memory->name);
               entity != nullptr && entity->kind != EntityKind::kUnknown) {
      report_.Add(kNotShared, memory->span, Name{Text(memory->name.text)}, Name{Text(op.name)});
    }
    return false;
  }
  const ViewRef view = View(*memory);
  if (!known || view.unknown || view.buffer == nullptr) return false;
  if (!TileFits(view, *memory, type, op)) return false;
  (load ? out.source_view : out.destination) = AddView(view, memory->span);
  return true;
}

// `stmatrix v <- cvt.bf16(f)`: the converted fragment gets registers of its own.
bool Elaborator::ConvertedOperand(const text::Expr& expr, const ir::OpDef& op, ir::FragmentRef& out,
                                  ir::Type& type) {
  const ExprId value = Expr(&expr);
  if (b_.IsUnknown(value)) return false;
  type = b_.TypeOf(value);
  if (type.is_fragment() && ir::FindForm(type.form) == nullptr) return false;  // reported already
  if (!type.is_fragment()) {
    report_.Add(kNoFragment, expr.span, Name{ir::ToString(type)}, Name{Text(op.name)});
    return false;
  }
  const Span span = expr.span;
  const std::string name = absl::StrCat(Text(op.name), "_value");
  out.local = NewLocal(name, span, type, false);
  Emit({.kind = ir::StmtKind::kLet, .source = {span, 0}, .local = out.local, .value = value});
  return true;
}

bool Elaborator::TileFits(const ViewRef& view, const text::Expr& expr, const ir::Type& type,
                          const ir::OpDef& op) {
  const Name name{view.buffer->name};
  if (!InOwnCta(view, expr.span, op.name)) return false;
  if (view.buffer->space != ir::Space::kShared) {
    report_.Add(kNotShared, expr.span, name, Name{Text(op.name)});
    return false;
  }
  if (view.buffer->shared == ir::SharedId::kNone) return false;  // reported where declared
  const ir::FragmentForm& form = *ir::FindForm(type.form);
  if (!MovesByMatrix(form, type.dtype)) {
    report_.Add(kMatrixForm, expr.span, Name{Text(op.name)}, Name{ir::ToString(type)},
                Name{MatrixForms()});
    return false;
  }
  if (view.buffer->dtype != type.dtype) {
    report_.Add(kTileType, expr.span, name, Name{Text(ir::ToString(view.buffer->dtype))},
                Name{Text(ir::ToString(type.dtype))});
    return false;
  }
  return TileShapeFits(view, expr, type) && TileRowsFit(view, expr, type, op);
}

bool Elaborator::TileShapeFits(const ViewRef& view, const text::Expr& expr, const ir::Type& type) {
  std::vector<int64_t> extents;
  for (const ir::ViewIndex& index : view.index) {
    if (!index.is_slice) continue;
    extents.push_back(b_.ConstInt(index.extent).value_or(0));
  }
  if (view.transposed) std::reverse(extents.begin(), extents.end());
  if (extents == type.shape) return true;
  if (b_.dead == 0) {
    report_.Add(kTileShape, expr.span, Name{ir::ShapeText(extents)},
                Name{ir::ShapeText(type.shape)});
  }
  return false;
}

// Rows of 16 bytes that are neighbours and aligned, transposed only where the elements allow it.
bool Elaborator::TileRowsFit(const ViewRef& view, const text::Expr& expr, const ir::Type& type,
                             const ir::OpDef& op) {
  const ir::SharedBuffer& buffer = kernel_->shared[static_cast<size_t>(view.buffer->shared)];
  const Name name{view.buffer->name};
  if (!view.index.back().is_slice) {
    report_.Add(kNotContiguous, expr.span, name, Name{Text(op.name)});
    return false;
  }
  const int64_t bits = ir::Info(type.dtype).bits;
  const ir::FragmentForm& form = *ir::FindForm(type.form);
  if (form.packs_rows != view.transposed && bits != kTransposedBits) {
    report_.Add(kTransposedType, expr.span, Name{Text(op.name)}, bits,
                Name{Text(ir::ToString(type.dtype))});
    return false;
  }
  const bool padded = buffer.form == ir::SharedForm::kPadded;
  const int64_t pitch = (buffer.shape.back() + (padded ? buffer.form_amount : 0)) * bits / 8;
  const auto offset = b_.ConstInt(view.index.back().offset);
  const bool aligned = pitch % kMatrixRowBytes == 0;
  if (aligned && (!offset || *offset * bits / 8 % kMatrixRowBytes == 0)) return true;
  if (b_.dead == 0) {
    auto built = report_.Add(kRowPitch, expr.span, name, aligned ? *offset * bits / 8 : pitch,
                             Name{Text(op.name)});
    built.Label(view.buffer->declared, "declared here");
    const int64_t missing = (kMatrixRowBytes - pitch % kMatrixRowBytes) * 8 / bits;
    built.Fix(aligned ? "slice from a column that begins a row of 16 B"
                      : absl::StrCat("pad the rows: `padded ",
                                     (padded ? buffer.form_amount : 0) + missing, "`"),
              {}, Applicability::kManual);
  }
  return false;
}

}  // namespace compiler::sema
