// Requests of cluster launch control: `clc.try_cancel`.
#include "compiler/sema/elaborator.h"

namespace compiler::sema {
namespace {

using diag::Applicability;
using diag::Category;
using diag::Severity;

constexpr diag::Def<Name, Name> kAnswer{
    "CK1480", Severity::kError, Category::kType,
    "`{0}`: the answer to `clc.try_cancel` is 16 bytes that lie side by side, two of u64; this is "
    "{1}",
    "PTX ISA, clusterlaunchcontrol.try_cancel: a 16-byte value in shared memory of the CTA, which "
    "`clc.cta` reads as two words"};
constexpr diag::Def<int64_t> kToAll{
    "CK1481", Severity::kError, Category::kHardware,
    "`clc.try_cancel` with a `multicast` that is not the constant {0}",
    "PTX ISA, clusterlaunchcontrol.try_cancel .multicast::cluster::all: the answer goes to every "
    "CTA of the cluster or to the one that asks"};

constexpr int64_t kAnswerWords = 2;

}  // namespace

void Elaborator::LaunchCancel(const text::Stmt& stmt) {
  if (stmt.operand == nullptr) return;
  ir::Stmt out{.kind = ir::StmtKind::kOp, .source = {stmt.span, 0}, .op = stmt.op};
  bool good = CopyClauses(stmt, out);
  ViewRef to;
  std::vector<int64_t> extents;
  good = MemoryOperand(stmt.operand, *stmt.op, to) && good;
  good = good && BoxExtents(to, stmt.operand->span, extents);
  const bool live =
      good && to.buffer->space == ir::Space::kShared && to.buffer->shared != ir::SharedId::kNone;
  const bool words =
      live && to.buffer->dtype == DType::kU64 && extents == std::vector<int64_t>{kAnswerWords} &&
      !to.transposed &&
      kernel_->shared[static_cast<size_t>(to.buffer->shared)].form == ir::SharedForm::kRows;
  if (good && !words) {
    const bool declared = to.buffer->space != ir::Space::kShared || live;
    if (declared && b_.dead == 0) {
      const ir::Type type{.dtype = to.buffer->dtype, .shape = extents};
      report_.Add(kAnswer, stmt.operand->span, Name{to.buffer->name}, Name{ir::ToString(type)})
          .Label(to.buffer->declared, "declared here")
          .Fix("declare it `u64[2]`", {}, Applicability::kManual);
    }
    good = false;
  }
  if (good && out.multicast != ExprId::kNone) {
    const int64_t all = (int64_t{1} << kernel_->cluster) - 1;
    if (b_.ConstInt(out.multicast) != all) {
      report_.Add(kToAll, stmt.multicast->span, all)
          .Fix("name every CTA", {{stmt.multicast->span, std::to_string(all)}},
               Applicability::kMaybe);
      good = false;
    }
  }
  if (good) {
    out.destination = AddView(to, stmt.operand->span);
    good = LoadsOn(stmt, to, out);
  }
  if (!good) {
    b_.Unknown(stmt.span);
    return;
  }
  Emit(std::move(out));
}

}  // namespace compiler::sema
