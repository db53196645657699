// Tensor memory: its buffers, the copies between it and registers, and the products that accumulate
// in it.
#include <algorithm>
#include <optional>

#include "absl/strings/str_cat.h"
#include "compiler/ir/fragment.h"
#include "compiler/ir/tensor_memory.h"
#include "compiler/sema/elaborator.h"

namespace compiler::sema {
namespace {

using diag::Applicability;
using diag::Category;
using diag::Severity;
using ir::CopyEffect;

constexpr diag::Def<Name, Name> kBufferShape{
    "CK1440", Severity::kError, Category::kHardware,
    "`{0}` is {1}; a buffer of tensor memory has 64 or 128 rows, and columns",
    "PTX ISA, tensor memory: 128 lanes, of which a product of 64 rows uses half"};
constexpr diag::Def<Name, int64_t, int64_t> kPartOfColumn{
    "CK1441", Severity::kError, Category::kHardware,
    "a row of `{0}` begins or ends at bit {1}, which is no multiple of {2}",
    "PTX ISA, tensor memory addressing: a column is 32 bits"};
constexpr diag::Def<Name, Name> kNoAccess{
    "CK1442", Severity::kError, Category::kHardware,
    "`{0}` is tensor memory, which `{1}` does not reach",
    "threads move whole tiles by `tmem.ld` and `tmem.st`; single elements have no address"};
constexpr diag::Def<Name, Name> kNotTensorMemory{
    "CK1443", Severity::kError, Category::kType,
    "`{0}` is not tensor memory, which `{1}` names here",
    "a `tmem` of the kernel, or some of its columns"};
constexpr diag::Def<Name, Name> kTileShape{
    "CK1444", Severity::kError, Category::kType, "the view is {0}, the fragment is {1}",
    "a copy moves as many rows and columns as the fragment has"};
constexpr diag::Def<Name, Name, Name> kTileType{
    "CK1445", Severity::kError, Category::kType, "`{0}` holds {1}, the fragment {2}",
    "the instruction moves bits; a conversion is written as `cvt`"};
constexpr diag::Def<Name> kPartOfRows{"CK1446", Severity::kError, Category::kHardware,
                                      "a slice of the rows of `{0}`",
                                      "PTX ISA, tcgen05 access restrictions: each warp reaches its "
                                      "own 32 lanes, so that a view takes "
                                      "all rows, `[:, c:+n]`"};
constexpr diag::Def<Name, Name> kFragmentForm{
    "CK1447", Severity::kError, Category::kType, "`{0}` cannot move `{1}`",
    "it moves fragments `tmem.32x32b`, `tmem.16x64b`, `tmem.16x128b` and `tmem.16x256b`, over four "
    "warps"};
constexpr diag::Def<Name, Name, Name> kProductShapes{
    "CK1448", Severity::kError, Category::kType, "`umma` of {0} and {1} into {2}",
    "the left operand is [M, K], the right one [K, N], the accumulator [M, N]"};
constexpr diag::Def<Name, Name, Name, Name> kProductTypes{
    "CK1449", Severity::kError, Category::kType,
    "`umma` of {0} and {1} into {2}; with {0} on the left there is {3}",
    "PTX ISA, tcgen05.mma: the kinds multiply these types"};
constexpr diag::Def<int64_t, int64_t, int64_t> kProductColumns{
    "CK1450", Severity::kError, Category::kHardware,
    "`umma` of {0} columns with {1} rows; columns come in steps of {2}",
    "PTX ISA, tcgen05 matrix shape: N of an instruction"};
constexpr diag::Def<Name, Name, Name> kOperandSpace{
    "CK1451", Severity::kError, Category::kType, "`{0}` is in {1}; the {2} of `umma` is not",
    "the left operand is in shared or tensor memory, the right one in shared memory"};
constexpr diag::Def<Name, Name> kOperandForm{
    "CK1452", Severity::kError, Category::kHardware,
    "`{0}` is laid out as `{1}`, which no matrix descriptor describes",
    "PTX ISA, tcgen05 canonical layouts: rows of 16 bytes in the pattern of `swizzle 32`, `64` or "
    "`128`"};
constexpr diag::Def<Name, Name> kTransposedType{
    "CK1453", Severity::kError, Category::kHardware,
    "the rows of `{0}` run along the product's side and its elements are {1}",
    "PTX ISA, tcgen05: operands whose rows do not run along K have 8 or 16 bits"};
constexpr diag::Def<Name, int64_t, int64_t> kOperandBytes{
    "CK1454", Severity::kError, Category::kHardware,
    "the operand `{0}` has {1} bytes a row, which is no multiple of {2}",
    "an instruction takes 32 bytes of K, and a row lies in column panels as wide as the swizzle"};
constexpr diag::Def<Name> kOperandView{
    "CK1455", Severity::kError, Category::kType,
    "`{0}` is not sliced in its last two dimensions and no other",
    "an operand is a tile of rows and columns, and the rows of memory are contiguous"};
constexpr diag::Def<Name, int64_t, int64_t> kOperandStart{
    "CK1456", Severity::kError, Category::kHardware,
    "the operand `{0}` begins at {1}, which is no multiple of {2}",
    "the swizzle's pattern repeats after eight rows, and K goes in steps of 32 bytes"};
constexpr diag::Def<Name, int64_t> kLeftRows{
    "CK1457", Severity::kError, Category::kHardware,
    "the left operand `{0}` has {1} rows; in tensor memory it has 128",
    "a left operand in tensor memory takes one lane a row"};

constexpr int64_t kPatternRows = 8;
constexpr int64_t kTmemRows[] = {64, 128};

std::string Text(std::string_view text) { return std::string(text); }

}  // namespace

void Elaborator::Tmem(const text::KernelItem& item) {
  ir::Type type;
  ParseType(item.type, type);
  CheckInMemory(item.type.dtype, type.dtype, ir::Space::kTmem);
  const std::string name(item.name.text);
  buffers_.push_back(
      {.name = name, .space = ir::Space::kTmem, .dtype = type.dtype, .declared = item.name.span});
  Buffer& buffer = buffers_.back();
  for (int64_t extent : type.shape) {
    buffer.shape.push_back(b_.Int(extent, DType::kI32, item.name.span));
  }
  Declare(item.name, EntityKind::kBuffer).buffer = &buffer;
  if (type.dtype == DType::kUnknown || b_.dead > 0) return;
  const bool scales = ir::IsScale(type.dtype);
  if (scales && !ScaleBuffer(item, type)) return;
  const bool rows = type.shape.size() == 2 && std::find(std::begin(kTmemRows), std::end(kTmemRows),
                                                        type.shape[0]) != std::end(kTmemRows);
  if (!scales && (!rows || type.is_fragment())) {
    report_.Add(kBufferShape, item.name.span, Name{name}, Name{ir::ShapeText(type.shape)});
    return;
  }
  const int64_t bits = type.shape[1] * ir::Info(type.dtype).bits;
  if (bits % ir::kTmemColumnBits != 0) {
    report_.Add(kPartOfColumn, item.name.span, Name{name}, bits, ir::kTmemColumnBits);
    return;
  }
  buffer.tmem = static_cast<ir::TmemId>(kernel_->tmem.size());
  kernel_->tmem.push_back({.name = name,
                           .dtype = type.dtype,
                           .rows = type.shape[0],
                           .columns = type.shape[1],
                           .alternatives = alternatives_,
                           .declared = item.name.span});
}

void Elaborator::ReportTensorMemory(const ViewRef& view, std::string_view instruction, Span span) {
  if (b_.dead == 0) report_.Add(kNoAccess, span, Name{view.buffer->name}, Name{Text(instruction)});
}

bool Elaborator::TensorOperation(const text::Stmt& stmt) {
  const ir::OpDef& op = *stmt.op;
  const bool product = op.effects.product && op.effects.engine == ir::ProductEngine::kTensorMemory;
  const bool fill = op.effects.copy == CopyEffect::kTensorMemoryCopy;
  const bool copy = op.effects.copy == CopyEffect::kTensorMemoryLoad ||
                    op.effects.copy == CopyEffect::kTensorMemoryStore;
  if (!product && !copy && !fill) return false;
  ir::Stmt out{.kind = ir::StmtKind::kOp, .source = {stmt.span, 0}, .op = stmt.op};
  out.modifiers = Modifiers(op, stmt.modifiers, stmt.op_name.span);
  const bool good = product ? TensorProduct(stmt, out)
                    : fill  ? FillTensor(stmt, out)
                            : TensorCopy(stmt, out);
  if (good) {
    Emit(std::move(out));
  } else {
    b_.Unknown(stmt.span);
  }
  return true;
}

// A view of memory; false where the expression names none, which has been reported.
bool Elaborator::MemoryOperand(const text::Expr* expr, const ir::OpDef& op, ViewRef& view) {
  if (expr == nullptr) return false;
  if (!NamesMemory(*expr)) {
    const bool named = expr->kind == text::Expr::Kind::kPath;
    const Entity* entity = named ? Resolve(expr->name) : nullptr;
    if (named && (entity == nullptr || entity->kind == EntityKind::kUnknown)) return false;
    report_.Add(kNotTensorMemory, expr->span, Name{named ? Text(expr->name.text) : "this"},
                Name{Text(op.name)});
    return false;
  }
  view = View(*expr);
  if (view.unknown || view.buffer == nullptr) return false;
  return InOwnCta(view, expr->span, op.name);
}

// All rows and some columns of a buffer of tensor memory, whole 32-bit columns.
bool Elaborator::TensorTile(const ViewRef& view, const text::Expr& expr, const ir::OpDef& op,
                            std::vector<int64_t>& extents) {
  const Name name{view.buffer->name};
  if (view.buffer->space != ir::Space::kTmem) {
    report_.Add(kNotTensorMemory, expr.span, name, Name{Text(op.name)})
        .Label(view.buffer->declared, "declared here");
    return false;
  }
  if (view.buffer->tmem == ir::TmemId::kNone) return false;  // reported where declared
  const ir::TmemBuffer& buffer = kernel_->tmem[static_cast<size_t>(view.buffer->tmem)];
  if (!BoxExtents(view, expr.span, extents)) return false;
  const auto first_row = b_.ConstInt(view.index[0].offset);
  const bool whole = extents.size() == 2 && extents[0] == buffer.rows && first_row == 0;
  if (!whole || view.transposed) {
    if (b_.dead == 0) report_.Add(kPartOfRows, expr.span, name);
    return false;
  }
  const int64_t bits = ir::Info(buffer.dtype).bits;
  const auto column = b_.ConstInt(view.index[1].offset);
  for (const int64_t at : {column.value_or(0) * bits, extents[1] * bits}) {
    if (at % ir::kTmemColumnBits == 0) continue;
    if (b_.dead == 0) report_.Add(kPartOfColumn, expr.span, name, at, ir::kTmemColumnBits);
    return false;
  }
  return true;
}

bool Elaborator::TensorCopy(const text::Stmt& stmt, ir::Stmt& out) {
  const ir::OpDef& op = *stmt.op;
  RejectClauses(stmt);
  const bool load = op.effects.copy == CopyEffect::kTensorMemoryLoad;
  const text::Expr* fragment = load ? stmt.destination : stmt.source;
  const text::Expr* memory = load ? stmt.source : stmt.destination;
  if (fragment == nullptr || memory == nullptr) return false;
  ir::Type type;
  const bool known = CopiedFragment(*fragment, load, op, out.fragment, type);
  ViewRef view;
  std::vector<int64_t> extents;
  if (!MemoryOperand(memory, op, view) || !TensorTile(view, *memory, op, extents) || !known) {
    return false;
  }
  if (type.form.substr(0, 5) != "tmem.") {
    report_.Add(kFragmentForm, fragment->span, Name{Text(op.name)}, Name{ir::ToString(type)});
    return false;
  }
  if (view.buffer->dtype != type.dtype) {
    report_.Add(kTileType, memory->span, Name{view.buffer->name},
                Name{Text(ir::ToString(view.buffer->dtype))}, Name{Text(ir::ToString(type.dtype))});
    return false;
  }
  if (extents != type.shape) {
    if (b_.dead == 0) {
      report_.Add(kTileShape, memory->span, Name{ir::ShapeText(extents)},
                  Name{ir::ShapeText(type.shape)});
    }
    return false;
  }
  (load ? out.source_view : out.destination) = AddView(view, memory->span);
  return true;
}

bool Elaborator::TensorProduct(const text::Stmt& stmt, ir::Stmt& out) {
  const ir::OpDef& op = *stmt.op;
  const bool pair = ir::OfPair(out);
  if (pair && !NeedPair(stmt)) return false;
  const bool scaled = stmt.scale_a != nullptr;
  ViewRef d, a, b;
  std::vector<int64_t> d_shape;
  bool good =
      MemoryOperand(stmt.destination, op, d) && TensorTile(d, *stmt.destination, op, d_shape);
  good = MemoryOperand(stmt.left, op, a) && good;
  good = MemoryOperand(stmt.right, op, b) && good;
  if (stmt.zero != nullptr) {
    out.zero = Condition(stmt.zero);
    good = good && !b_.IsUnknown(out.zero);
  }
  if (!good) return false;
  std::vector<int64_t> a_shape, b_shape;
  const bool operands = ProductOperand(a, *stmt.left, op, "left operand", a_shape) &&
                        ProductOperand(b, *stmt.right, op, "right operand", b_shape);
  if (!operands) return false;
  if (pair && !PairRows(d, *stmt.destination, d_shape)) return false;
  // Of a pair the other half of B is in the other CTA; with 64 rows each, D folds its columns.
  const bool folds = pair && a_shape[0] == ir::kFoldedRows;
  if (folds && !FoldFits(stmt, a)) return false;
  if (pair && !folds) b_shape[1] *= 2;
  const int64_t d_rows = folds ? d_shape[0] / 2 : d_shape[0];
  if (a_shape[0] != d_rows || b_shape[1] != d_shape[1] || a_shape[1] != b_shape[0]) {
    if (b_.dead == 0) {
      report_.Add(kProductShapes, stmt.span, Name{ir::ShapeText(a_shape)},
                  Name{ir::ShapeText(b_shape)}, Name{ir::ShapeText(d_shape)});
    }
    return false;
  }
  const ir::UmmaShape* shape =
      scaled ? ScaledShape(stmt, {&d, &a, &b}, d_shape, a_shape[1], out)
             : ir::FindUmma(a.buffer->dtype, b.buffer->dtype, d.buffer->dtype);
  if (shape == nullptr && scaled) return false;
  if (shape == nullptr) {
    const std::string left = Text(ir::ToString(a.buffer->dtype));
    const std::string list = ir::UmmaTypeList(a.buffer->dtype);
    report_.Add(kProductTypes, stmt.span, Name{left}, Name{Text(ir::ToString(b.buffer->dtype))},
                Name{Text(ir::ToString(d.buffer->dtype))}, Name{list.empty() ? "none" : list});
    return false;
  }
  if (pair && !PairColumns(*shape, folds ? 2 * d_shape[1] : d_shape[1], stmt)) return false;
  if (!pair && ir::UmmaColumns(*shape, d_shape[0], d_shape[1]) == 0) {
    if (b_.dead == 0) {
      report_.Add(kProductColumns, stmt.span, d_shape[1], d_shape[0],
                  int64_t{d_shape[0] == ir::kTmemLanes ? 16 : 8});
    }
    return false;
  }
  out.accumulate = stmt.accumulate;
  out.accumulator_view = AddView(d, stmt.destination->span);
  out.left_view = AddView(a, stmt.left->span);
  out.right_view = AddView(b, stmt.right->span);
  return true;
}

// `shape`: of the operand as the product reads it, [M, K] or [K, N].
bool Elaborator::ProductOperand(const ViewRef& view, const text::Expr& expr, const ir::OpDef& op,
                                std::string_view side, std::vector<int64_t>& shape) {
  const bool left = side[0] == 'l';
  const Name name{view.buffer->name};
  if (left && view.buffer->space == ir::Space::kTmem) {
    if (!TensorTile(view, expr, op, shape)) return false;
    if (shape[0] != ir::kTmemLanes) {
      if (b_.dead == 0) report_.Add(kLeftRows, expr.span, name, shape[0]);
      return false;
    }
    return KBytesFit(view, expr, shape[1], ir::kUmmaKBytes);
  }
  if (view.buffer->space != ir::Space::kShared) {
    report_.Add(kOperandSpace, expr.span, name, Name{Text(ir::ToString(view.buffer->space))},
                Name{Text(side)});
    return false;
  }
  if (view.buffer->shared == ir::SharedId::kNone) return false;  // reported where declared
  const size_t rank = view.index.size();
  bool tile = rank >= 2;
  for (size_t d = 0; d < rank; ++d) tile = tile && view.index[d].is_slice == (d + 2 >= rank);
  if (!tile) {
    report_.Add(kOperandView, expr.span, name);
    return false;
  }
  if (!BoxExtents(view, expr.span, shape)) return false;
  const bool along_k = left != view.transposed;  // whether rows of memory run along K
  if (!TensorSharedOperand(view, expr, shape, along_k)) return false;
  if (view.transposed) std::reverse(shape.begin(), shape.end());
  return true;
}

bool Elaborator::KBytesFit(const ViewRef& view, const text::Expr& expr, int64_t elements,
                           int64_t unit) {
  const int64_t bytes = elements * ir::Info(view.buffer->dtype).bits / 8;
  if (bytes % unit == 0) return true;
  if (b_.dead == 0) {
    report_.Add(kOperandBytes, expr.span, Name{view.buffer->name}, bytes, unit)
        .Label(view.buffer->declared, "declared here");
  }
  return false;
}

// A tile of shared memory that a matrix descriptor describes; `shape` as it lies in memory.
bool Elaborator::TensorSharedOperand(const ViewRef& view, const text::Expr& expr,
                                     const std::vector<int64_t>& shape, bool along_k) {
  const ir::SharedBuffer& buffer = kernel_->shared[static_cast<size_t>(view.buffer->shared)];
  const Name name{buffer.name};
  if (buffer.form != ir::SharedForm::kSwizzle) {
    const std::string form =
        buffer.form == ir::SharedForm::kRows ? "rows" : absl::StrCat("padded ", buffer.form_amount);
    report_.Add(kOperandForm, expr.span, name, Name{form})
        .Label(buffer.declared, "declared here")
        .Fix("declare it `swizzle 128`", {}, Applicability::kManual);
    return false;
  }
  const int64_t bits = ir::Info(buffer.dtype).bits;
  // PTX ISA: factors of 4 and 6 bits run along K.
  const bool narrow =
      ir::NumbersOf(buffer.dtype) > 1 || ir::PackedTypeOf(buffer.dtype) != DType::kUnknown;
  if (!along_k && (narrow || (bits != 8 && bits != 16))) {
    report_.Add(kTransposedType, expr.span, name, Name{Text(ir::ToString(buffer.dtype))});
    return false;
  }
  const int64_t row_bytes = shape[1] * bits / 8;
  const int64_t panel = std::min(buffer.form_amount, row_bytes);
  const bool part = buffer.form_amount % std::max<int64_t>(panel, 1) != 0;
  const int64_t unit = std::max(along_k ? ir::kUmmaKBytes : 1, part ? buffer.form_amount : panel);
  if (!KBytesFit(view, expr, shape[1], unit)) return false;
  const int64_t k_rows = along_k ? kPatternRows : ir::kUmmaKBytes * 8 / bits;
  const auto row = b_.ConstInt(view.index[view.index.size() - 2].offset);
  const auto column = b_.ConstInt(view.index.back().offset);
  const int64_t starts[][2] = {
      {row.value_or(0), kPatternRows}, {shape[0], k_rows}, {column.value_or(0) * bits / 8, unit}};
  for (const auto& [at, multiple] : starts) {
    if (at % multiple == 0) continue;
    if (b_.dead == 0) report_.Add(kOperandStart, expr.span, name, at, multiple);
    return false;
  }
  return true;
}

}  // namespace compiler::sema
