// `tmem.cp`: tiles and scales from shared memory to tensor memory.
#include "absl/strings/str_cat.h"
#include "compiler/ir/tensor_memory.h"
#include "compiler/sema/elaborator.h"

namespace compiler::sema {
namespace {

using diag::Category;
using diag::Severity;

constexpr diag::Def<Name, Name> kSource{
    "CK1491", Severity::kError, Category::kHardware, "`tmem.cp` from `{0}`, which is in {1}",
    "PTX ISA, tcgen05.cp: it copies shared memory to tensor memory; threads move values by "
    "`tmem.ld` and `tmem.st`"};
constexpr diag::Def<Name, Name, Name, Name> kTypes{
    "CK1492", Severity::kError, Category::kType, "`{0}` holds {1}, `{2}` {3}",
    "the copy moves numbers as they are, those of 6 and 4 bits from padded rows to a byte each; a "
    "conversion goes by registers"};
constexpr diag::Def<Name, Name> kShapes{
    "CK1493", Severity::kError, Category::kType, "`tmem.cp` of {0} to {1}",
    "PTX ISA, tcgen05.cp .128x256b: 128 rows of shared memory, each to the lane of its number, and "
    "as many columns as the destination takes"};

}  // namespace

// Scales, or a tile as products have it for their left operand.
bool Elaborator::FillTensor(const text::Stmt& stmt, ir::Stmt& out) {
  const ir::OpDef& op = *stmt.op;
  RejectClauses(stmt);
  if (ir::OfPair(out) && !NeedPair(stmt)) return false;
  ViewRef to, from;
  std::vector<int64_t> extents, shape;
  bool good = MemoryOperand(stmt.destination, op, to);
  good = MemoryOperand(stmt.source, op, from) && good;
  if (!good || !TensorTile(to, *stmt.destination, op, extents)) return false;
  const ir::DType held = to.buffer->dtype, brought = from.buffer->dtype;
  const Name name{from.buffer->name};
  const Span span = stmt.source->span;
  if (ir::IsScale(held) || ir::IsScale(brought)) {
    if (!ScalesFit(stmt, to, from)) return false;
  } else if (from.buffer->space != ir::Space::kShared) {
    report_.Add(kSource, span, name, Name{std::string(ir::ToString(from.buffer->space))})
        .Label(from.buffer->declared, "declared here");
    return false;
  } else if (held != brought) {
    report_.Add(kTypes, span, name, Name{std::string(ir::ToString(brought))}, Name{to.buffer->name},
                Name{std::string(ir::ToString(held))});
    return false;
  } else if (!ProductOperand(from, *stmt.source, op, "left operand", shape)) {
    return false;
  } else if (from.transposed || shape != extents || shape[0] != ir::kTmemLanes) {
    if (b_.dead > 0) return false;
    report_.Add(kShapes, span,
                Name{absl::StrCat(ir::ShapeText(shape), from.transposed ? " transposed" : "")},
                Name{ir::ShapeText(extents)});
    return false;
  }
  out.destination = AddView(to, stmt.destination->span);
  out.source_view = AddView(from, span);
  return true;
}

}  // namespace compiler::sema
