// Products of a warpgroup: operands in shared memory, the left one also in registers. What the
// matrix descriptors of the hardware can name decides which views are operands.
#include <algorithm>
#include <array>
#include <utility>

#include "absl/strings/str_cat.h"
#include "compiler/ir/fragment.h"
#include "compiler/sema/elaborator.h"

namespace compiler::sema {
namespace {

using diag::Applicability;
using diag::Category;
using diag::Severity;

constexpr int64_t kTransposedBits = 16;
constexpr int64_t kPatternRows = 8;  // a swizzle pattern repeats after eight rows
constexpr int64_t kChunkBytes = 16;  // of its exclusive-or

constexpr diag::Def<Name, Name, Name, Name> kWrongForm{
    "CK1400", Severity::kError, Category::kType, "`{0}` is `{1}`; the {2} of `wgmma` is {3}",
    "four warps hold the tile together, a band of 16 rows each"};
constexpr diag::Def<Name> kRightInRegisters{
    "CK1401", Severity::kError, Category::kHardware, "`{0}` lies in registers",
    "PTX ISA, wgmma.mma_async: the right operand is read from shared memory; only the left one may "
    "lie in registers"};
constexpr diag::Def<Name, Name, Name> kShapes{
    "CK1402", Severity::kError, Category::kType, "`wgmma` of {0} and {1} into {2}",
    "the left operand is [M, K], the right one [K, N], the accumulator [M, N]; a buffer of [N, K] "
    "is the right operand as `.T`"};
constexpr diag::Def<Name, Name, Name, Name> kTypes{
    "CK1403", Severity::kError, Category::kType,
    "`wgmma` of {0} and {1} into {2}; with {0} on the left there is {3}",
    "the tensor cores multiply these types"};
constexpr diag::Def<int64_t, Name> kColumns{"CK1404", Severity::kError, Category::kHardware,
                                            "{0} columns; one `wgmma` has {1}",
                                            "PTX ISA, wgmma.mma_async: the shapes that exist"};
constexpr diag::Def<int64_t, Name, int64_t> kDepth{
    "CK1405", Severity::kError, Category::kHardware,
    "a depth of {0}; `wgmma` of {1} takes {2} at a time",
    "each instruction multiplies 32 bytes of K"};
constexpr diag::Def<Name> kNotShared{
    "CK1406", Severity::kError, Category::kType, "`{0}` is not shared memory",
    "the tensor cores read operands of `wgmma` from shared memory or, the left one, from a "
    "`wgmma.a` fragment"};
constexpr diag::Def<Name, Name> kForm{
    "CK1407", Severity::kError, Category::kHardware,
    "`{0}` is `{1}`; operands of `wgmma` are `swizzle 32`, `swizzle 64` or `swizzle 128`",
    "a matrix descriptor names tiles of 8 rows whose 16-byte pieces lie in a hardware pattern; "
    "rows one behind the other are none"};
constexpr diag::Def<Name, Name> kTransposed{
    "CK1408", Severity::kError, Category::kHardware,
    "K is not the contiguous dimension of `{0}`, whose elements are {1}",
    "PTX ISA, wgmma.mma_async: only operands of 16-bit types can be transposed"};
constexpr diag::Def<Name, Name, int64_t, int64_t> kOffset{
    "CK1409", Severity::kError, Category::kHardware,
    "the operand begins at {1} {2} of `{0}`; it must begin at a multiple of {3}",
    "a matrix descriptor names whole repetitions of the swizzle pattern"};
constexpr diag::Def<Name, int64_t, int64_t, int64_t> kPanels{
    "CK1410", Severity::kError, Category::kHardware,
    "columns {1} to {2} of `{0}` cross panels of {3}",
    "a tile begins at a panel of the swizzle or lies inside of one"};
constexpr diag::Def<Name> kNotTile{
    "CK1411", Severity::kError, Category::kType,
    "`{0}` is no tile here: its last two dimensions must be slices of constant extents",
    "a matrix descriptor names rows that follow each other"};

std::string Text(std::string_view text) { return std::string(text); }

std::string FormText(const ir::SharedBuffer& buffer) {
  switch (buffer.form) {
    case ir::SharedForm::kRows: return "rows";
    case ir::SharedForm::kSwizzle: return absl::StrCat("swizzle ", buffer.form_amount);
    case ir::SharedForm::kPadded: return absl::StrCat("padded ", buffer.form_amount);
  }
  return "";
}

}  // namespace

// An operand as the product sees it. In registers there is no view.
struct Elaborator::SharedOperand {
  const text::Expr* expr = nullptr;
  ViewRef view;
  bool in_memory = false;
  bool left = false;
  DType dtype = DType::kUnknown;
  int64_t rows = 0, columns = 0;  // [M, K] or [K, N]

  // K runs along the rows of memory, not along the contiguous dimension.
  bool transposed() const { return left == view.transposed; }
};

bool Elaborator::WarpgroupProduct(const text::Stmt& stmt, ir::Stmt& out) {
  ir::Type d;
  bool good = NeedFragment(stmt.destination, *stmt.op, out.fragment, d);
  SharedOperand a{.expr = stmt.left, .left = true};
  SharedOperand b{.expr = stmt.right};
  good &= LeftOfWarpgroup(stmt, out, a);
  good &= NeedSharedOperand(stmt.right, b);
  if (stmt.zero != nullptr) {
    out.zero = Condition(stmt.zero);
    good &= !b_.IsUnknown(out.zero);
  }
  if (!good) return false;
  if (ir::FindForm(d.form) != ir::FindForm("wgmma")) {
    report_.Add(kWrongForm, stmt.destination->span, Name{Text(stmt.destination->name.text)},
                Name{ir::ToString(d)}, Name{"accumulator"}, Name{"wgmma"});
    return false;
  }
  if (!NeedWritable(*stmt.destination) || !WarpgroupFits(stmt, d, a, b)) return false;
  const int64_t k_bytes = ir::kWgmmaKBytes;
  if (a.in_memory && !OperandLies(a, k_bytes)) return false;
  if (!OperandLies(b, k_bytes)) return false;
  if (a.in_memory) out.left_view = AddView(a.view, stmt.left->span);
  out.right_view = AddView(b.view, stmt.right->span);
  out.accumulate = stmt.accumulate;
  return true;
}

// Registers or shared memory.
bool Elaborator::LeftOfWarpgroup(const text::Stmt& stmt, ir::Stmt& out, SharedOperand& operand) {
  if (stmt.left == nullptr) return false;
  ir::Type type;
  bool known = false;
  if (!FragmentOperand(*stmt.left, out.left, type, known)) {
    return NeedSharedOperand(stmt.left, operand);
  }
  if (!known) return false;
  const ir::FragmentForm& found = *ir::FindForm(type.form);
  const ir::FragmentForm& wanted = *ir::FindForm("wgmma.a");
  if (!wanted.Holds(type.dtype) || !ir::SameRegisters(found, wanted, type.dtype)) {
    report_.Add(kWrongForm, stmt.left->span, Name{Text(stmt.left->name.text)},
                Name{ir::ToString(type)}, Name{"left operand"}, Name{"wgmma.a, or shared memory"});
    return false;
  }
  operand.dtype = type.dtype;
  operand.rows = type.shape[0];
  operand.columns = type.shape[1];
  return true;
}

bool Elaborator::NeedSharedOperand(const text::Expr* expr, SharedOperand& operand) {
  if (expr == nullptr || expr->kind != text::Expr::Kind::kPath) return false;
  const Entity* entity = Resolve(expr->name);
  if (entity == nullptr || entity->kind == EntityKind::kUnknown) return false;
  const Name name{Text(expr->name.text)};
  if (!NamesMemory(*expr)) {
    const bool fragment = entity->kind == EntityKind::kLocal &&
                          kernel_->locals[static_cast<size_t>(entity->local)].type.is_fragment();
    fragment ? report_.Add(kRightInRegisters, expr->span, name)
             : report_.Add(kNotShared, expr->span, name);
    return false;
  }
  operand.view = View(*expr);
  const ViewRef& view = operand.view;
  if (view.unknown || view.buffer == nullptr) return false;
  if (!InOwnCta(view, expr->span, "wgmma")) return false;
  if (view.buffer->space != ir::Space::kShared) {
    report_.Add(kNotShared, expr->span, name);
    return false;
  }
  if (view.buffer->shared == ir::SharedId::kNone) return false;  // reported where declared
  std::vector<int64_t> extents;
  for (const ir::ViewIndex& index : view.index) {
    if (index.is_slice) extents.push_back(b_.ConstInt(index.extent).value_or(0));
  }
  const bool tile = extents.size() == 2 && view.index.back().is_slice &&
                    view.index[view.index.size() - 2].is_slice && extents[0] > 0 && extents[1] > 0;
  if (!tile) {
    if (b_.dead == 0) report_.Add(kNotTile, expr->span, Name{view.buffer->name});
    return false;
  }
  if (view.transposed) std::swap(extents[0], extents[1]);
  operand.in_memory = true;
  operand.dtype = view.buffer->dtype;
  operand.rows = extents[0];
  operand.columns = extents[1];
  return true;
}

bool Elaborator::WarpgroupFits(const text::Stmt& stmt, const ir::Type& d, const SharedOperand& a,
                               const SharedOperand& b) {
  if (b_.dead > 0) return true;
  if (a.rows != d.shape[0] || b.columns != d.shape[1] || a.columns != b.rows) {
    report_.Add(kShapes, stmt.span, Name{ir::ShapeText(std::array{a.rows, a.columns})},
                Name{ir::ShapeText(std::array{b.rows, b.columns})}, Name{ir::ShapeText(d.shape)});
    return false;
  }
  const ir::WgmmaShape* shape = ir::FindWgmma(a.dtype, b.dtype, d.dtype);
  if (shape == nullptr) {
    report_.Add(kTypes, stmt.span, Name{Text(ir::ToString(a.dtype))},
                Name{Text(ir::ToString(b.dtype))}, Name{Text(ir::ToString(d.dtype))},
                Name{ir::WgmmaTypeList(a.dtype)});
    return false;
  }
  if (!ir::WgmmaHasColumns(*shape, d.shape[1])) {
    const bool integers = d.dtype == DType::kI32;
    report_.Add(kColumns, stmt.span, d.shape[1],
                Name{integers ? "8, 16, 24, 32 and from there multiples of 16 up to 256"
                              : "multiples of 8 up to 256"});
    return false;
  }
  if (a.columns % shape->k != 0) {
    report_.Add(kDepth, stmt.span, a.columns, Name{Text(ir::ToString(a.dtype))}, shape->k);
    return false;
  }
  return true;
}

// Whether a matrix descriptor can name the operand. Offsets that are not constant are checked by
// the proofs and on the machine.
bool Elaborator::OperandLies(const SharedOperand& operand, int64_t bytes_of_k) {
  const ViewRef& view = operand.view;
  const ir::SharedBuffer& buffer = kernel_->shared[static_cast<size_t>(view.buffer->shared)];
  if (b_.dead > 0) return true;
  const Span span = operand.expr->span;
  const Name name{buffer.name};
  if (buffer.form != ir::SharedForm::kSwizzle) {
    report_.Add(kForm, span, name, Name{FormText(buffer)})
        .Label(buffer.declared, "declared here")
        .Fix("declare it `swizzle 128`, or 64 or 32 where its rows are shorter", {},
             Applicability::kManual);
    return false;
  }
  if (buffer.form_amount <= 0) return false;  // reported where it was declared
  const int64_t bits = ir::Info(operand.dtype).bits;
  if (operand.transposed() && bits != kTransposedBits) {
    report_.Add(kTransposed, span, name, Name{Text(ir::ToString(operand.dtype))})
        .Fix(operand.left ? "store the buffer as [M, K]"
                          : "store the buffer as [N, K] and multiply by its `.T`",
             {}, Applicability::kManual);
    return false;
  }
  const int64_t panel = std::max<int64_t>(buffer.form_amount * 8 / bits, 1);
  const auto column = b_.ConstInt(view.index.back().offset);
  const int64_t extent = b_.ConstInt(view.index.back().extent).value_or(0);
  const int64_t unit = (operand.transposed() ? kChunkBytes : bytes_of_k) * 8 / bits;
  if (column && *column % unit != 0) {
    report_.Add(kOffset, span, name, Name{"column"}, *column, unit);
    return false;
  }
  const bool across =
      column && operand.transposed() && *column % panel != 0 && *column % panel + extent > panel;
  if (across) {
    report_.Add(kPanels, span, name, *column, *column + extent, panel);
    return false;
  }
  const size_t rows = view.index.size() - 2;
  const auto row = b_.ConstInt(view.index[rows].offset);
  const bool leading = rows > 0 && buffer.shape[rows] % kPatternRows != 0;
  if (leading || (row && *row % kPatternRows != 0)) {
    report_.Add(kOffset, span, name, Name{"row"}, leading ? buffer.shape[rows] : *row,
                kPatternRows);
    return false;
  }
  return true;
}

}  // namespace compiler::sema
