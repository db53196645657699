// Costs of products of fragments and of the copies between fragments and shared memory.
#include <algorithm>

#include "compiler/facts/matrix_ops.h"
#include "compiler/ir/fragment.h"
#include "compiler/ir/walk.h"
#include "costmodel/walker.h"

namespace costmodel {

namespace ir = compiler::ir;

namespace {

constexpr double kHalfBits = 16;
constexpr double kWavefrontBytes = 128;
constexpr double kRoutineBytes = 32;  // of K, that the description's routines take

ir::Type PartType(const ir::Kernel& kernel, const ir::FragmentRef& part) {
  ir::Type type = kernel.locals[static_cast<size_t>(part.local)].type;
  if (part.column != ir::ExprId::kNone) type.shape[1] = part.columns;
  return type;
}

}  // namespace

// A quarter of the warpgroup's product is this warp's. PTX ISA, wgmma: operands come from shared
// memory once an instruction, the left one too unless it lies in registers.
void Walker::WarpgroupProduct(const ir::Stmt& stmt, StatementCost& cost, const Mask& mask) {
  const ir::Type d = PartType(kernel_, stmt.fragment);
  const ir::View& right = program_[stmt.right_view];
  const size_t rank = right.index.size();
  const auto extent = [&](size_t dimension) {
    return static_cast<double>(program_[right.index[dimension].extent].int_value);
  };
  const int64_t bits = ir::Info(kernel_.shared[static_cast<size_t>(right.shared)].dtype).bits;
  const double m = static_cast<double>(d.shape[0]);
  const double n = static_cast<double>(d.shape[1]);
  const double k = extent(right.transposed ? rank - 1 : rank - 2);
  const double bytes_of_k = k * static_cast<double>(bits) / 8;
  const double weight = mask.weight / static_cast<double>(ir::kWarpgroupWarps);
  const double flops = 2 * m * n * k * weight;
  cost.product_flops += flops;
  cost.warpgroup_work += flops * static_cast<double>(bits) / kHalfBits;
  const double instructions = m / ir::kWgmmaRows * bytes_of_k / ir::kWgmmaKBytes;
  cost.issue_slots += stmt.op->cost.issue_slots * instructions * mask.weight;
  const double rows = n * m / ir::kWgmmaRows;  // of the right operand, once a block of 64 rows
  const double bytes = (rows + (stmt.left_view != ir::ViewId::kNone ? m : 0)) * bytes_of_k * weight;
  cost.shared_bytes_read += bytes;
  cost.shared_wavefronts += bytes / kWavefrontBytes;
  cost.shared_wavefronts_ideal += bytes / kWavefrontBytes;
}

void Walker::Product(const ir::Stmt& stmt, StatementCost& cost, const Mask& mask) {
  if (stmt.op->effects.engine == ir::ProductEngine::kWarpgroup) {
    return WarpgroupProduct(stmt, cost, mask);
  }
  const ir::Type d = PartType(kernel_, stmt.fragment);
  const ir::Type a = PartType(kernel_, stmt.left);
  const ir::Type b = PartType(kernel_, stmt.right);
  const auto m = static_cast<double>(d.shape[0]);
  const auto n = static_cast<double>(d.shape[1]);
  const auto k = static_cast<double>(a.shape[1]);
  const auto steps =
      static_cast<double>(ir::MmaSteps(a.dtype, b.dtype, d.dtype, a.shape[1], d.shape[0]).size());
  const auto rows = static_cast<double>(ir::MmaRowsOf(d.shape[0]));
  const double tiles = m / rows * n / ir::kMmaColumns;
  cost.issue_slots += stmt.op->cost.issue_slots * tiles * steps * mask.weight;
  const auto numbers = static_cast<double>(ir::NumbersOf(a.dtype));
  const double flops = 2 * m * n * k * numbers * mask.weight;
  cost.product_flops += flops;
  // Operands of half the bits multiply at twice the rate, of twice the bits at half of it. A tile
  // of 8 rows takes as long as one of 16.
  cost.tensor_work += flops * (static_cast<double>(ir::Info(a.dtype).bits) / numbers) / kHalfBits *
                      (ir::kMmaRows / rows);
  if (device_ == nullptr) return;
  const auto routine = static_cast<double>(
      compiler::facts::MmaRoutine(*device_, a.dtype, ir::HasModifier(stmt, "xor")));
  cost.issue_slots += routine * tiles * (rows / ir::kMmaRows) * (k / kRoutineBytes) * mask.weight;
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
  // Of a warpgroup's fragment a warp moves a quarter.
  const ir::FragmentForm& form = *ir::FindForm(type.form);
  const int64_t warps = form.scope == ir::Scope::kWg ? ir::kWarpgroupWarps : 1;
  const int64_t extents[] = {type.shape[0] / warps, type.shape[1]};
  const int64_t rows = extents[view.transposed ? 1 : 0] / ir::kMatrixRows;
  const int64_t columns = extents[view.transposed ? 0 : 1] * element_bytes / ir::kMatrixRowBytes;
  const ir::MatrixBlock block = ir::BlockOf(rows, columns, view.transposed);
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
