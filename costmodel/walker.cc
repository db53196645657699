#include "costmodel/walker.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "compiler/facts/launch.h"
#include "compiler/facts/walk.h"
#include "compiler/ir/fragment.h"

namespace costmodel {

using compiler::ir::Expr;
using compiler::ir::ExprId;
using compiler::ir::ExprKind;
using compiler::ir::kLanes;
using compiler::ir::Pipe;
using compiler::ir::Space;
using compiler::ir::Stmt;
using compiler::ir::StmtId;
using compiler::ir::StmtKind;
using compiler::ir::ViewId;

namespace {

constexpr int kBetweenSamples = 4;
constexpr int64_t kTicketSamples = 8;
constexpr double kGoldenRatio = 0.6180339887498949;  // multiples of it modulo 1 spread evenly
constexpr int kMaxWhileIterations = 64;
constexpr int kCoarseDepth = 2;  // from here on a loop shows its first and last iteration
constexpr int64_t kMaxStatementsRun = 50'000;  // then every loop shows one iteration
constexpr double kLoopOverheadSlots = 3;       // add, compare, branch

int64_t Elements(const compiler::ir::Type& type) {
  if (type.is_fragment()) return compiler::ir::MapOf(type).Elements();
  int64_t n = 1;
  for (const int64_t extent : type.shape) n *= extent;
  return n;
}

}  // namespace

std::vector<Sample> Spread(int64_t count, int between) {
  std::vector<Sample> samples;
  if (count <= between + 2) {
    for (int64_t i = 0; i < count; ++i) samples.push_back({i, 1});
    return samples;
  }
  samples.push_back({0, 1});
  if (between == 0) {
    samples[0].weight = static_cast<double>(count - 1);
  }
  for (int i = 1; i <= between; ++i) {
    const auto at = static_cast<int64_t>(static_cast<double>(count - 1) * i / (between + 1));
    samples.push_back({at, static_cast<double>(count - 2) / between});
  }
  samples.push_back({count - 1, 1});
  return samples;
}

Walker::Walker(const compiler::ir::Program& program, const compiler::facts::Facts& facts,
               size_t kernel, const compiler::ir::LaunchValues& values, KernelCounts& counts)
    : program_(program),
      kernel_(program.kernels[kernel]),
      facts_(facts.kernels[kernel]),
      device_(facts.device),
      values_(values),
      counts_(counts),
      state_(program, program.kernels[kernel], values) {}

void Walker::Run(size_t role, int64_t warp, const int64_t (&cta)[3], double weight) {
  state_.Place(warp, cta, counts_.grid, kernel_.cluster);
  warp_ = warp;
  depth_ = 0;
  statements_run_ = 0;
  const Mask mask{.weight = weight};
  Block(kernel_.lets, mask);
  Block(kernel_.roles[role].body, mask);
  if (state_.guessed()) counts_.exact = false;
}

void Walker::Block(const std::vector<StmtId>& body, const Mask& mask) {
  if (mask.lanes == 0 || mask.weight == 0) return;
  for (const StmtId id : body) Statement(id, mask);
}

void Walker::Statement(StmtId id, const Mask& mask) {
  const Stmt& stmt = program_[id];
  if (stmt.dead) return;
  ++statements_run_;
  StatementCost& cost = counts_.statements[static_cast<size_t>(id) - counts_.first];
  cost.warp_executions += mask.weight;
  cost.lane_executions += mask.weight * std::popcount(mask.lanes);
  // A loop's bounds are its own statement's; a while condition is evaluated once an iteration.
  if (stmt.kind != StmtKind::kWhile) {
    for (const ExprId expr :
         {stmt.value, stmt.low, stmt.high, stmt.step, stmt.barrier_index, stmt.use, stmt.bytes}) {
      Cost(expr, cost, mask);
    }
  }
  for (const ExprId expr : stmt.indices) Cost(expr, cost, mask);
  switch (stmt.kind) {
    case StmtKind::kLet: state_.Declare(stmt.local, state_.Evaluate(stmt.value, mask.lanes)); break;
    case StmtKind::kAssign:
      if (stmt.indices.empty()) {
        state_.Assign(stmt.local, state_.Evaluate(stmt.value, mask.lanes), mask.lanes);
      }
      break;
    case StmtKind::kPairLet:
      state_.Forget(stmt.local);
      if (stmt.second_local != compiler::ir::LocalId::kNone) state_.Forget(stmt.second_local);
      break;
    case StmtKind::kFor: For(stmt, cost, mask); break;
    case StmtKind::kWhile: While(stmt, cost, mask); break;
    case StmtKind::kIf: If(stmt, mask); break;
    case StmtKind::kElect: Block(stmt.body, {mask.lanes & (~mask.lanes + 1), mask.weight}); break;
    case StmtKind::kOnce:
      if (warp_ == 0) Block(stmt.body, {mask.lanes & 1, mask.weight});
      break;
    case StmtKind::kOp: Instruction(stmt, cost, mask); break;
  }
}

void Walker::ForgetAssigned(const std::vector<StmtId>& body) {
  compiler::facts::ForEachStmt(program_, body, [&](StmtId, const Stmt& stmt) {
    if (stmt.kind == StmtKind::kAssign) state_.Forget(stmt.local);
  });
}

// Trip counts may differ between lanes: iteration t runs the lanes whose own count is above t.
void Walker::For(const Stmt& stmt, StatementCost& cost, const Mask& mask) {
  const LaneValue low = state_.Evaluate(stmt.low, mask.lanes);
  const LaneValue high = state_.Evaluate(stmt.high, mask.lanes);
  LaneValue step;
  step.known = true;
  step.lanes.bits.fill(1);
  if (stmt.step != ExprId::kNone) step = state_.Evaluate(stmt.step, mask.lanes);
  std::array<int64_t, kLanes> trips{};
  int64_t longest = 0;
  const bool known = low.known && high.known && step.known;
  for (size_t i = 0; i < kLanes && known; ++i) {
    const auto lo = static_cast<int64_t>(low.lanes.bits[i]);
    const auto hi = static_cast<int64_t>(high.lanes.bits[i]);
    const auto by = static_cast<int64_t>(step.lanes.bits[i]);
    if (((mask.lanes >> i) & 1) == 0 || by <= 0 || hi <= lo) continue;
    trips[i] = (hi - lo + by - 1) / by;
    longest = std::max(longest, trips[i]);
  }
  if (!known) {  // data decides: once is the guess, and the counts say that they are one
    counts_.exact = false;
    trips.fill(1);
    longest = 1;
  }
  const int between = depth_ >= kCoarseDepth ? 0 : kBetweenSamples;
  std::vector<Sample> samples = Spread(longest, between);
  if (statements_run_ > kMaxStatementsRun && longest > 1) {
    samples = {{longest / 2, static_cast<double>(longest)}};
  }
  const bool all = static_cast<int64_t>(samples.size()) == longest;
  if (!all) counts_.exact = false;
  if (!all) ++depth_;
  for (const Sample& sample : samples) {
    if (!all) ForgetAssigned(stmt.body);
    LaneValue variable{.known = known, .scattered = low.scattered || step.scattered};
    uint32_t lanes = 0;
    for (size_t i = 0; i < kLanes; ++i) {
      variable.lanes.bits[i] =
          low.lanes.bits[i] + step.lanes.bits[i] * static_cast<uint64_t>(sample.index);
      if (trips[i] > sample.index) lanes |= uint32_t{1} << i;
    }
    state_.Declare(stmt.local, variable);
    const Mask inner{mask.lanes & lanes, mask.weight * sample.weight};
    // A loop statement executes once to enter and once an iteration.
    cost.warp_executions += inner.weight;
    cost.lane_executions += inner.weight * std::popcount(inner.lanes);
    if (stmt.unroll != compiler::ir::kUnrollRegisters) {
      cost.issue_slots += kLoopOverheadSlots * inner.weight;
    }
    Block(stmt.body, inner);
  }
  if (!all) {
    ForgetAssigned(stmt.body);
    --depth_;
  }
}

// A dynamic iter: the CTAs share `count` tickets alike, and each draws one more, which ends it. The
// loop of every ticket is that of some of them, spread so that no period of the work hides in them.
void Walker::Tickets(const Stmt& stmt, StatementCost& cost, const Mask& mask, int64_t count) {
  counts_.exact = false;
  const double taken =
      static_cast<double>(count) / static_cast<double>(std::max<int64_t>(counts_.ctas, 1));
  // Where a CTA begins with a number of its own, the loop asks as often as it works.
  const bool own = std::any_of(stmt.body.begin(), stmt.body.end(), [&](StmtId id) {
    const Stmt& inner = program_[id];
    return inner.kind == StmtKind::kLet && program_[inner.value].kind == ExprKind::kLocal;
  });
  const int64_t samples = std::clamp<int64_t>(count, 1, kTicketSamples);
  const double part = mask.weight / static_cast<double>(samples);
  const Mask work{mask.lanes, part * taken}, draws{mask.lanes, part * (own ? taken : taken + 1)};
  for (int64_t k = 0; k < samples; ++k) {
    Cost(stmt.value, cost, draws);
    cost.issue_slots += kLoopOverheadSlots * draws.weight;
    const double at = 0.5 + static_cast<double>(k) * kGoldenRatio;
    const double spread = (at - std::floor(at)) * static_cast<double>(count);
    Ticket(stmt, work, draws, samples == count ? k : static_cast<int64_t>(spread));
  }
}

void Walker::Ticket(const Stmt& stmt, const Mask& work, const Mask& draws, int64_t number) {
  ForgetAssigned(stmt.body);
  for (const StmtId id : stmt.body) {
    const Stmt& inner = program_[id];
    const bool of_ticket =
        inner.kind == StmtKind::kIf && program_[inner.value].kind == ExprKind::kAnd;
    Statement(id, of_ticket ? work : draws);
    const bool names_ticket =
        inner.kind == StmtKind::kLet && (program_[inner.value].kind == ExprKind::kLoad ||
                                         program_[inner.value].kind == ExprKind::kLocal);
    if (!names_ticket) continue;
    LaneValue ticket{.known = true};
    ticket.lanes.bits.fill(static_cast<uint64_t>(number));
    state_.Declare(inner.local, ticket);
  }
  ForgetAssigned(stmt.body);
}

void Walker::While(const Stmt& stmt, StatementCost& cost, const Mask& mask) {
  if (stmt.high != ExprId::kNone) {  // how many tickets there are
    const LaneValue count = state_.Evaluate(stmt.high, mask.lanes);
    if (count.known) {
      return Tickets(stmt, cost, mask,
                     std::max<int32_t>(static_cast<int32_t>(count.lanes.bits[0]), 0));
    }
  }
  Mask active = mask;
  for (int i = 0; i < kMaxWhileIterations && active.lanes != 0; ++i) {
    Cost(stmt.value, cost, active);
    cost.issue_slots += kLoopOverheadSlots * active.weight;
    const std::optional<uint32_t> holds = state_.Holds(stmt.value, active.lanes);
    if (!holds) {
      counts_.exact = false;
      Block(stmt.body, active);
      ForgetAssigned(stmt.body);
      return;
    }
    active.lanes = *holds;
    Block(stmt.body, active);
  }
  if (active.lanes != 0) {
    counts_.exact = false;
    ForgetAssigned(stmt.body);
  }
}

void Walker::If(const Stmt& stmt, const Mask& mask) {
  const std::optional<uint32_t> holds = state_.Holds(stmt.value, mask.lanes);
  if (holds) {
    Block(stmt.body, {*holds, mask.weight});
    Block(stmt.else_body, {mask.lanes & ~*holds, mask.weight});
    return;
  }
  // Data decides: both sides run half as often.
  counts_.exact = false;
  Block(stmt.body, {mask.lanes, mask.weight / 2});
  Block(stmt.else_body, {mask.lanes, mask.weight / 2});
  ForgetAssigned(stmt.body);
  ForgetAssigned(stmt.else_body);
}

void Walker::Instruction(const Stmt& stmt, StatementCost& cost, const Mask& mask) {
  if (TensorMemory(stmt, cost, mask)) return;
  if (stmt.op->effects.product) return Product(stmt, cost, mask);
  if (stmt.op->effects.copy == compiler::ir::CopyEffect::kMatrixLoad ||
      stmt.op->effects.copy == compiler::ir::CopyEffect::kMatrixStore) {
    return MatrixCopy(stmt, cost, mask);
  }
  cost.issue_slots += stmt.op->cost.issue_slots * mask.weight;
  const bool synchronises = stmt.op->effects.sync != compiler::ir::SyncEffect::kNone;
  if (synchronises && stmt.op->effects.collective) cost.barriers += mask.weight;
  if (stmt.destination == ViewId::kNone) return;
  for (const compiler::ir::ViewIndex& index : program_[stmt.destination].index) {
    Cost(index.offset, cost, mask);
  }
  if (stmt.op->effects.atomic) {
    Atomic(stmt.destination, cost, mask);
    return;
  }
  if (stmt.source_view != ViewId::kNone) return Copy(stmt, cost, mask);
  Access(stmt.destination, stmt.op->effects.writes_memory, false, cost, mask);
}

// The memory system serves the lanes of one word one after the other; it reads and writes it.
void Walker::Atomic(ViewId view, StatementCost& cost, const Mask& mask) {
  cost.atomics += mask.weight * std::popcount(mask.lanes);
  Access(view, false, false, cost, mask);
  Access(view, true, false, cost, mask);
}

// A copy between memories: cp.async by every lane, bulk and tensor copies by one, row after row.
void Walker::Copy(const Stmt& stmt, StatementCost& cost, const Mask& mask) {
  const bool by_lane = stmt.op->effects.copy == compiler::ir::CopyEffect::kAsyncCopy;
  Mask lanes = mask;
  if (!by_lane) lanes.lanes &= ~lanes.lanes + 1;
  for (const compiler::ir::ViewIndex& index : program_[stmt.source_view].index) {
    Cost(index.offset, cost, mask);
  }
  const bool has_else = stmt.else_value != ExprId::kNone;
  const StatementCost before = cost;
  for (const ViewId id : {stmt.source_view, stmt.destination}) {
    const bool write = id == stmt.destination;
    if (by_lane || program_[id].space == Space::kShared) {
      Access(id, write, has_else && !write, cost, lanes);
    } else {
      Box(id, write, cost, lanes);
    }
  }
  // Nobody waits for one copy: the groups behind it are on their way meanwhile.
  cost.global_loads = before.global_loads;
  // A multicast load is read once, and written in every CTA whose bit is set.
  if (stmt.multicast != ExprId::kNone) {
    const LaneValue ranks = state_.Evaluate(stmt.multicast, lanes.lanes);
    const auto lane = static_cast<size_t>(std::countr_zero(lanes.lanes));
    const double others = ranks.known ? std::popcount(ranks.lanes.bits[lane]) - 1.0 : 0.0;
    cost.shared_bytes_written += others * (cost.shared_bytes_written - before.shared_bytes_written);
    cost.shared_wavefronts += others * (cost.shared_wavefronts - before.shared_wavefronts);
    cost.shared_wavefronts_ideal +=
        others * (cost.shared_wavefronts_ideal - before.shared_wavefronts_ideal);
  }
  // A store reads what it writes: the part of the box that lies inside of the tensor.
  if (!by_lane && program_[stmt.destination].space == Space::kGlobal) {
    cost.shared_bytes_read =
        before.shared_bytes_read + cost.global_bytes_written - before.global_bytes_written;
  }
}

// The part of a box that lies inside of its tensor, in whole sectors of each row.
void Walker::Box(ViewId id, bool write, StatementCost& cost, const Mask& mask) {
  const compiler::ir::View& view = program_[id];
  const compiler::ir::Tensor& tensor = program_[view.tensor];
  const int lane = std::countr_zero(mask.lanes);
  const int64_t element = std::max(1, compiler::ir::Info(tensor.dtype).bits / 8);
  int64_t rows = 1, columns = 1;
  for (size_t d = 0; d < view.index.size(); ++d) {
    const compiler::ir::ViewIndex& index = view.index[d];
    int64_t extent = 1;
    if (index.is_slice) {
      extent = compiler::facts::EvaluateLaunch(program_, index.extent, values_).value_or(1);
    }
    const int64_t limit =
        compiler::facts::EvaluateLaunch(program_, tensor.shape[d], values_).value_or(extent);
    const LaneValue offset = state_.Evaluate(index.offset, mask.lanes);
    int64_t low = 0;
    if (offset.known) low = static_cast<int64_t>(offset.lanes.bits[static_cast<size_t>(lane)]);
    if (!offset.known && index.offset != ExprId::kNone) counts_.exact = false;
    const int64_t inside =
        std::max<int64_t>(std::min(low + extent, limit) - std::max<int64_t>(low, 0), 0);
    (d + 1 == view.index.size() ? columns : rows) *= inside;
  }
  constexpr int64_t kSectorBytes = 32;
  const int64_t row_sectors = (columns * element + kSectorBytes - 1) / kSectorBytes;
  (write ? cost.global_bytes_written : cost.global_bytes_read) +=
      mask.weight * static_cast<double>(rows * columns * element);
  const double sectors = mask.weight * static_cast<double>(rows * row_sectors * kSectorBytes);
  cost.sector_bytes += sectors;
  (write ? counts_.sector_bytes_written
         : counts_.sector_bytes_read)[static_cast<int>(view.tensor)] += sectors;
}

void Walker::Operation(const Expr& expr, StatementCost& cost, const Mask& mask) {
  const auto elements = static_cast<double>(std::max(
      Elements(expr.type), expr.args.empty() ? int64_t{1} : Elements(program_[expr.args[0]].type)));
  const double slots = expr.op->cost.issue_slots * elements * mask.weight;
  cost.issue_slots += slots;
  if (expr.op->cost.pipe == Pipe::kFma) cost.fma_slots += slots;
  if (expr.op->cost.pipe == Pipe::kSfu) cost.sfu_slots += slots;
  if (expr.op->cost.pipe == Pipe::kShuffle) cost.shuffles += slots;
  // A flop is an operation on floats: index arithmetic uses the same entries.
  if (!compiler::ir::Info(expr.type.dtype).is_float) return;
  cost.flops += expr.op->cost.flops_per_lane * elements * mask.weight * std::popcount(mask.lanes);
}

void Walker::Cost(ExprId id, StatementCost& cost, const Mask& mask) {
  if (id == ExprId::kNone) return;
  const Expr& expr = program_[id];
  if (expr.kind == ExprKind::kAnd || expr.kind == ExprKind::kOr) {
    Cost(expr.args[0], cost, mask);
    const std::optional<uint32_t> left = state_.Holds(expr.args[0], mask.lanes);
    Mask right = mask;
    if (left) right.lanes = expr.kind == ExprKind::kAnd ? *left : mask.lanes & ~*left;
    if (right.lanes != 0) Cost(expr.args[1], cost, right);
    return;
  }
  for (const ExprId arg : expr.args) Cost(arg, cost, mask);
  if (expr.kind == ExprKind::kOp && expr.op != nullptr) Operation(expr, cost, mask);
  if (expr.kind == ExprKind::kTest) {
    Cost(expr.use, cost, mask);
    cost.issue_slots += expr.op->cost.issue_slots * mask.weight;
    cost.barriers += mask.weight;
  }
  if (expr.kind == ExprKind::kAtomic) {
    for (const compiler::ir::ViewIndex& index : program_[expr.view].index) {
      Cost(index.offset, cost, mask);
    }
    cost.issue_slots += expr.op->cost.issue_slots * mask.weight;
    Atomic(expr.view, cost, mask);
    return;
  }
  if (expr.kind == ExprKind::kLoad) {
    for (const compiler::ir::ViewIndex& index : program_[expr.view].index) {
      Cost(index.offset, cost, mask);
    }
    cost.issue_slots += (expr.op != nullptr ? expr.op->cost.issue_slots : 1) * mask.weight;
    Access(expr.view, false, !expr.args.empty(), cost, mask);
  }
}

WarpAccess Walker::AddressOf(const compiler::ir::View& view, bool predicated, uint32_t lanes) {
  WarpAccess access{.mask = lanes, .known = true};
  const bool global = view.space == Space::kGlobal;
  const auto slot =
      static_cast<size_t>(global ? static_cast<int>(view.tensor) : static_cast<int>(view.shared));
  const compiler::ir::DType dtype =
      global ? program_.tensors[slot].dtype : kernel_.shared[slot].dtype;
  const int64_t element_bytes = std::max(1, compiler::ir::Info(dtype).bits / 8);
  int64_t elements = 1;
  for (size_t d = 0; d < view.index.size(); ++d) {
    const compiler::ir::ViewIndex& index = view.index[d];
    int64_t extent = 1, stride = 0, limit = 0;
    if (index.is_slice) {
      extent = compiler::facts::EvaluateLaunch(program_, index.extent, values_).value_or(1);
    }
    elements *= extent;
    if (global) {
      const compiler::ir::Tensor& tensor = program_.tensors[slot];
      stride = compiler::facts::EvaluateLaunch(program_, tensor.strides[d], values_).value_or(0);
      limit = compiler::facts::EvaluateLaunch(program_, tensor.shape[d], values_).value_or(0);
    } else {
      stride = facts_.shared[slot].strides[d];
    }
    const LaneValue offset = state_.Evaluate(index.offset, lanes);
    const bool known = offset.known && !offset.scattered;
    // What is the same in all lanes may be anywhere: the lanes lie to each other as they do.
    const bool lanes_known = known || index.offset == ExprId::kNone ||
                             program_[index.offset].level <= compiler::ir::Level::kWarp;
    access.known = access.known && lanes_known;
    if (!known && index.offset != ExprId::kNone) counts_.exact = false;
    for (size_t i = 0; i < kLanes && known; ++i) {
      const auto at = static_cast<int64_t>(offset.lanes.bits[i]);
      access.address[i] += at * stride * element_bytes;
      if (predicated && global && (at < 0 || at + extent > limit)) {
        access.mask &= ~(uint32_t{1} << i);
      }
    }
  }
  if (!global && view.stage != ExprId::kNone) {
    const LaneValue stage = state_.Evaluate(view.stage, lanes);
    const int64_t stages = std::max<int64_t>(kernel_.shared[slot].stages, 1);
    for (size_t i = 0; i < kLanes && stage.known; ++i) {
      const auto at = static_cast<int64_t>(stage.lanes.bits[i]) % stages;
      access.address[i] += at * facts_.shared[slot].stage_bytes;
    }
  }
  access.bytes = elements * element_bytes;
  return access;
}

void Walker::Access(ViewId id, bool write, bool predicated, StatementCost& cost, const Mask& mask) {
  const compiler::ir::View& view = program_[id];
  const WarpAccess access = AddressOf(view, predicated, mask.lanes);
  if (!access.known) counts_.exact = false;
  const double bytes = mask.weight * static_cast<double>(access.bytes * std::popcount(access.mask));
  if (view.space == Space::kShared) {
    (write ? cost.shared_bytes_written : cost.shared_bytes_read) += bytes;
    cost.shared_wavefronts += mask.weight * static_cast<double>(SharedWavefronts(access));
    cost.shared_wavefronts_ideal += mask.weight * static_cast<double>(IdealWavefronts(access));
    if (!write) cost.shared_loads += mask.weight;
    return;
  }
  (write ? cost.global_bytes_written : cost.global_bytes_read) += bytes;
  const double sectors = mask.weight * static_cast<double>(SectorBytes(access));
  cost.sector_bytes += sectors;
  (write ? counts_.sector_bytes_written
         : counts_.sector_bytes_read)[static_cast<int>(view.tensor)] += sectors;
  if (!write) cost.global_loads += mask.weight;
}

}  // namespace costmodel
