// Costs of tensor memory: products into it, and the copies between it and fragments.
#include "compiler/facts/tmem.h"
#include "compiler/ir/fragment.h"
#include "compiler/ir/tensor_memory.h"
#include "costmodel/walker.h"

namespace costmodel {

namespace ir = compiler::ir;

namespace {

constexpr double kHalfBits = 16;
constexpr double kWavefrontBytes = 128;

double Extent(const ir::Program& program, const ir::View& view, size_t from_last) {
  const ir::ExprId extent = view.index[view.index.size() - 1 - from_last].extent;
  return static_cast<double>(program[extent].int_value);
}

}  // namespace

bool Walker::TensorMemory(const ir::Stmt& stmt, StatementCost& cost, const Mask& mask) {
  if (!compiler::facts::UsesTensorMemory(*stmt.op)) return false;
  for (const ir::ViewId id : {stmt.destination, stmt.source_view, stmt.accumulator_view,
                              stmt.left_view, stmt.right_view}) {
    if (id == ir::ViewId::kNone) continue;
    for (const ir::ViewIndex& index : program_[id].index) Cost(index.offset, cost, mask);
  }
  if (stmt.op->effects.copy == ir::CopyEffect::kTensorMemoryCopy) {
    const ir::View& to = program_[stmt.destination];
    const double ctas = ir::OfPair(stmt) ? 2 : 1;
    const ir::DType dtype = kernel_.tmem[static_cast<size_t>(to.tmem)].dtype;
    const double element = ir::Info(dtype).bits / 8.0;
    const double bytes =
        Extent(program_, to, 1) * Extent(program_, to, 0) * element * ctas * mask.weight;
    // Bytes of an instruction: a block of scales, or 32 of each row of a tile.
    const int64_t each =
        ir::IsScale(dtype) ? ir::kScaleBlockBytes : ir::kTmemLanes * ir::kUmmaKBytes;
    cost.issue_slots += stmt.op->cost.issue_slots * bytes / static_cast<double>(each);
    cost.shared_bytes_read += bytes;
    cost.shared_wavefronts += bytes / kWavefrontBytes;
    cost.shared_wavefronts_ideal += bytes / kWavefrontBytes;
    return true;
  }
  if (!stmt.op->effects.product) {
    // The registers of an instruction take turns on the path to tensor memory.
    const ir::Type& type = kernel_.locals[static_cast<size_t>(stmt.fragment.local)].type;
    const auto registers = static_cast<double>(ir::MapOf(type).Registers());
    cost.issue_slots += stmt.op->cost.issue_slots * registers * mask.weight;
    return true;
  }
  const ir::View& d = program_[stmt.accumulator_view];
  const ir::View& left = program_[stmt.left_view];
  const ir::UmmaShape* shape = ir::UmmaOf(program_, kernel_, stmt);
  if (shape == nullptr) return true;
  const ir::DType a = shape->a;
  const bool pair = ir::OfPair(stmt);
  const double m = Extent(program_, d, 1), n = Extent(program_, d, 0);
  const auto numbers = static_cast<double>(ir::NumbersOf(a));
  const double k = Extent(program_, left, left.transposed ? 1 : 0) * numbers;
  const double blocks = pair ? 1
                             : n / static_cast<double>(ir::UmmaColumns(
                                       *shape, static_cast<int64_t>(m), static_cast<int64_t>(n)));
  cost.issue_slots +=
      stmt.op->cost.issue_slots * blocks * k / static_cast<double>(shape->k) * mask.weight;
  // One thread of a pair multiplies for both CTAs, each on its own SM.
  const double ctas = pair ? 2 : 1;
  const double flops = 2 * m * n * k * ctas * mask.weight;
  cost.product_flops += flops;
  // PTX ISA, data path layout F: tiles of 64 rows use half of the data path, for as long.
  const double used = m / static_cast<double>(ir::kTmemLanes);
  cost.warpgroup_work += flops / used * ir::Info(a).bits / numbers / kHalfBits;
  // Each element of an operand in shared memory is read once a product; of the right operand of a
  // pair each CTA reads its half.
  const double element = ir::Info(a).bits / 8.0 / numbers;
  const double of_left = ir::FoldsColumns(program_, stmt) ? m : m * ctas;
  const double rows = left.space == ir::Space::kShared ? of_left + n : n;
  const double bytes = rows * k * element * mask.weight;
  cost.shared_bytes_read += bytes;
  cost.shared_wavefronts += bytes / kWavefrontBytes;
  cost.shared_wavefronts_ideal += bytes / kWavefrontBytes;
  return true;
}

}  // namespace costmodel
