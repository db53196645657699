// Costs of products of fragments and of the copies between fragments and shared memory.
#include <algorithm>

#include "compiler/ir/fragment.h"
#include "costmodel/walker.h"

namespace costmodel {

namespace ir = compiler::ir;

namespace {

constexpr double kHalfBits = 16;

ir::Type PartType(const ir::Kernel& kernel, const ir::FragmentRef& part) {
  ir::Type type = kernel.locals[static_cast<size_t>(part.local)].type;
  if (part.column != ir::ExprId::kNone) type.shape[1] = part.columns;
  return type;
}

}  // namespace

void Walker::Product(const ir::Stmt& stmt, StatementCost& cost, const Mask& mask) {
  const ir::Type d = PartType(kernel_, stmt.fragment);
  const ir::Type a = PartType(kernel_, stmt.left);
  const ir::Type b = PartType(kernel_, stmt.right);
  const auto m = static_cast<double>(d.shape[0]);
  const auto n = static_cast<double>(d.shape[1]);
  const auto k = static_cast<double>(a.shape[1]);
  const auto steps =
      static_cast<double>(ir::MmaSteps(a.dtype, b.dtype, d.dtype, a.shape[1]).size());
  const double tiles = m / ir::kMmaRows * n / ir::kMmaColumns;
  cost.issue_slots += stmt.op->cost.issue_slots * tiles * steps * mask.weight;
  const double flops = 2 * m * n * k * mask.weight;
  cost.product_flops += flops;
  // Operands of half the bits multiply at twice the rate, of twice the bits at half of it.
  cost.tensor_work += flops * ir::Info(a.dtype).bits / kHalfBits;
}

// Each matrix is 8 rows of 16 bytes: one wavefront where they lie in different banks.
void Walker::MatrixCopy(const ir::Stmt& stmt, StatementCost& cost, const Mask& mask) {
  const bool store = stmt.op->effects.copy == ir::CopyEffect::kMatrixStore;
  const ir::View& view = program_[store ? stmt.destination : stmt.source_view];
  for (const ir::ViewIndex& index : view.index) Cost(index.offset, cost, mask);
  const auto slot = static_cast<size_t>(view.shared);
  const ir::Type type = PartType(kernel_, stmt.fragment);
  const int64_t element_bytes = ir::Info(type.dtype).bits / 8;
  std::vector<int64_t> strides;
  for (size_t d = 0; d < view.index.size(); ++d) {
    if (view.index[d].is_slice) strides.push_back(facts_.shared[slot].strides[d] * element_bytes);
  }
  const int64_t rows = type.shape[view.transposed ? 1 : 0] / ir::kMatrixRows;
  const int64_t columns = type.shape[view.transposed ? 0 : 1] * element_bytes / ir::kMatrixRowBytes;
  const ir::MatrixBlock block = ir::BlockOf(rows, columns);
  WarpAccess access = AddressOf(view, false, mask.lanes);
  // Swizzled rows lie in different banks by construction; the addresses here are those before it.
  access.known = access.known && kernel_.shared[slot].form != ir::SharedForm::kSwizzle;
  access.bytes = ir::kMatrixRowBytes;
  access.mask = block.count() * ir::kMatrixRows == ir::kLanes
                    ? ~uint32_t{0}
                    : (uint32_t{1} << (block.count() * ir::kMatrixRows)) - 1;
  for (int64_t lane = 0; lane < ir::kLanes; ++lane) {
    access.address[static_cast<size_t>(lane)] +=
        block.RowOf(lane) * strides[0] + block.ColumnOf(lane) * ir::kMatrixRowBytes;
  }
  const double instructions =
      static_cast<double>(rows / block.rows * (columns / block.columns)) * mask.weight;
  const auto matrices = static_cast<double>(block.count());
  const double bytes = instructions * matrices * ir::kMatrixRows * ir::kMatrixRowBytes;
  cost.issue_slots += stmt.op->cost.issue_slots * instructions;
  (store ? cost.shared_bytes_written : cost.shared_bytes_read) += bytes;
  cost.shared_wavefronts += instructions * (access.known ? SharedWavefronts(access) : matrices);
  cost.shared_wavefronts_ideal += instructions * matrices;
  if (!store) cost.shared_loads += instructions;
}

}  // namespace costmodel
