// Block-scaled products: buffers of scales, what copies fill them, and what scales what.
#include "absl/strings/str_cat.h"
#include "compiler/ir/tensor_memory.h"
#include "compiler/sema/elaborator.h"

namespace compiler::sema {
namespace {

using diag::Applicability;
using diag::Category;
using diag::Severity;

constexpr diag::Def<Name, Name> kBuffer{
    "CK1475", Severity::kError, Category::kHardware,
    "`{0}` holds scales and is {1}; scales have 128 or 256 rows and a multiple of 4 columns",
    "PTX ISA, tcgen05 block scaling: a word of four scales along K, of 128 rows in four columns of "
    "32 lanes"};
constexpr diag::Def<Name, Name> kNotScales{
    "CK1476", Severity::kError, Category::kType, "`{0}` holds {1}; here stand scales",
    "ue8m0 or ue4m3 in tensor memory, which `tmem.cp` brings there from the same type in shared "
    "memory"};
constexpr diag::Def<Name, int64_t, Name> kBlocks{
    "CK1477", Severity::kError, Category::kType,
    "`{0}` takes {1} blocks of [32, 16] scales; the source is {2}",
    "PTX ISA, tcgen05.cp .32x128b: 512 bytes that follow each other in `rows`, byte 16*i + 4*j + s "
    "of which is scale s of row 32*j + i"};
constexpr diag::Def<Name, Name, int64_t, int64_t> kScaleShape{
    "CK1478", Severity::kError, Category::kType,
    "`{0}` is {1}; {2} rows of the operand need scales of {3} rows, one or two for every 32 "
    "factors",
    "each scale is for 16 or 32 factors of one row; rows of scales come by 128"};
constexpr diag::Def<Name, Name, Name, int64_t, Name> kScaledTypes{
    "CK1479", Severity::kError, Category::kHardware,
    "`umma` of {0} and {1} with a scale of {2} for {3} factors; there is {4}",
    "PTX ISA, tcgen05.mma: the kinds mxf8f6f4, mxf4 and mxf4nvf4, into f32 with 128 rows"};

}  // namespace

bool Elaborator::ScaleBuffer(const text::KernelItem& item, const ir::Type& type) {
  const bool rows = type.shape.size() == 2 &&
                    (type.shape[0] == ir::kScaleRows || type.shape[0] == 2 * ir::kScaleRows);
  if (!rows || type.is_fragment() || type.shape[1] % ir::kScaleWord != 0) {
    report_.Add(kBuffer, item.name.span, Name{std::string(item.name.text)},
                Name{ir::ShapeText(type.shape)});
    return false;
  }
  return true;
}

// tmem.cp S <- V: blocks of shared memory, row by row of the view.
bool Elaborator::ScalesFit(const text::Stmt& stmt, const ViewRef& to, const ViewRef& from) {
  const ir::DType dtype = to.buffer->dtype;
  if (from.buffer->dtype != dtype || from.buffer->space != ir::Space::kShared) {
    const bool second = ir::IsScale(dtype);
    const ViewRef& wrong = second ? from : to;
    report_.Add(kNotScales, (second ? stmt.source : stmt.destination)->span,
                Name{wrong.buffer->name}, Name{std::string(ir::ToString(wrong.buffer->dtype))});
    return false;
  }
  if (from.buffer->shared == ir::SharedId::kNone) return false;  // reported where declared
  std::vector<int64_t> extents, source;
  if (!BoxExtents(to, stmt.destination->span, extents)) return false;
  if (!BoxExtents(from, stmt.source->span, source)) return false;
  const ir::SharedBuffer& buffer = kernel_->shared[static_cast<size_t>(from.buffer->shared)];
  const int64_t blocks = extents[0] / ir::kScaleRows * extents[1] / ir::kScaleWord;
  const size_t rank = from.index.size();
  int64_t taken = 1;
  for (size_t i = 0; i + 2 < source.size(); ++i) taken *= source[i];
  const bool whole_rows = extents[0] == ir::kScaleRows ||
                          extents[1] == kernel_->tmem[static_cast<size_t>(to.buffer->tmem)].columns;
  const bool fits = rank >= 2 && source.size() >= 2 && !from.transposed && whole_rows &&
                    buffer.form == ir::SharedForm::kRows && buffer.shape[rank - 1] == 16 &&
                    buffer.shape[rank - 2] == ir::kScaleLanes && source.back() == 16 &&
                    source[source.size() - 2] == ir::kScaleLanes && taken == blocks;
  if (fits) return true;
  if (b_.dead == 0) {
    report_.Add(kBlocks, stmt.source->span, Name{to.buffer->name}, blocks,
                Name{ir::ShapeText(source)});
  }
  return false;
}

// `k`: elements of the left operand along K. Null: reported.
const ir::UmmaShape* Elaborator::ScaledShape(const text::Stmt& stmt, const ProductViews& views,
                                             const std::vector<int64_t>& d_shape, int64_t k,
                                             ir::Stmt& out) {
  const ir::DType a = views.a->buffer->dtype, b = views.b->buffer->dtype;
  const int64_t factors = k * ir::NumbersOf(a);
  std::vector<int64_t> shapes[2];
  ViewRef scales[2];
  const text::Expr* exprs[] = {stmt.scale_a, stmt.scale_b};
  for (size_t i = 0; i < 2; ++i) {
    if (!MemoryOperand(exprs[i], *stmt.op, scales[i]) ||
        !TensorTile(scales[i], *exprs[i], *stmt.op, shapes[i])) {
      return nullptr;
    }
    const ViewRef& view = scales[i];
    const Name name{view.buffer->name};
    if (!ir::IsScale(view.buffer->dtype) || view.buffer->dtype != scales[0].buffer->dtype) {
      report_.Add(kNotScales, exprs[i]->span, name,
                  Name{std::string(ir::ToString(view.buffer->dtype))});
      return nullptr;
    }
    const int64_t side = d_shape[i];
    const int64_t rows = (side + ir::kScaleRows - 1) / ir::kScaleRows * ir::kScaleRows;
    const bool same =
        shapes[i][1] == shapes[0][1] && shapes[i][1] * 16 <= factors && factors % shapes[i][1] == 0;
    if (shapes[i][0] == rows && same) continue;
    if (b_.dead == 0) {
      report_.Add(kScaleShape, exprs[i]->span, name, Name{ir::ShapeText(shapes[i])}, side, rows);
    }
    return nullptr;
  }
  const int64_t block = factors / shapes[0][1];
  const ir::DType scale = scales[0].buffer->dtype;
  const ir::UmmaShape* shape = ir::FindScaledUmma(a, b, views.d->buffer->dtype, scale, block);
  if (shape == nullptr || d_shape[0] != ir::kTmemLanes) {
    report_.Add(kScaledTypes, stmt.span, Name{std::string(ir::ToString(a))},
                Name{std::string(ir::ToString(b))}, Name{std::string(ir::ToString(scale))}, block,
                Name{ir::ScaledTypeList()});
    return nullptr;
  }
  out.left_scale = AddView(scales[0], stmt.scale_a->span);
  out.right_scale = AddView(scales[1], stmt.scale_b->span);
  return shape;
}

}  // namespace compiler::sema
