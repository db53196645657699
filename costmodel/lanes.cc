#include "costmodel/lanes.h"

#include <algorithm>
#include <bit>

#include "compiler/ir/fragment.h"

namespace costmodel {

using compiler::ir::BuiltinValue;
using compiler::ir::Expr;
using compiler::ir::ExprId;
using compiler::ir::ExprKind;
using compiler::ir::kLanes;
using compiler::ir::LaneVector;

namespace {

LaneValue Uniform(int64_t value) {
  LaneValue v{.known = true};
  v.lanes.bits.fill(static_cast<uint64_t>(value));
  return v;
}

bool SameInAll(const LaneVector& lanes, uint32_t mask) {
  const auto first = lanes.bits[static_cast<size_t>(std::countr_zero(mask))];
  for (size_t lane = 0; lane < kLanes; ++lane) {
    if (((mask >> lane) & 1) != 0 && lanes.bits[lane] != first) return false;
  }
  return true;
}

}  // namespace

void LaneState::Place(int64_t warp, const int64_t (&cta)[3], const int64_t (&grid)[3],
                      int64_t cluster) {
  warp_ = warp;
  cluster_ = std::max<int64_t>(cluster, 1);
  for (int d = 0; d < 3; ++d) {
    cta_[d] = cta[d];
    grid_[d] = grid[d];
  }
}

LaneValue LaneState::Builtin(BuiltinValue builtin) const {
  const int64_t linear = cta_[0] + grid_[0] * (cta_[1] + grid_[1] * cta_[2]);
  const int64_t ctas = grid_[0] * grid_[1] * grid_[2];
  switch (builtin) {
    case BuiltinValue::kWarp: return Uniform(warp_);
    case BuiltinValue::kWg: return Uniform(warp_ / 4);
    case BuiltinValue::kCta: return Uniform(linear);
    case BuiltinValue::kCtaX: return Uniform(cta_[0]);
    case BuiltinValue::kCtaY: return Uniform(cta_[1]);
    case BuiltinValue::kCtaZ: return Uniform(cta_[2]);
    case BuiltinValue::kCtas: return Uniform(ctas);
    case BuiltinValue::kClusterId: return Uniform(linear / cluster_);
    case BuiltinValue::kClusterRank: return Uniform(linear % cluster_);
    case BuiltinValue::kClusters: return Uniform(ctas / cluster_);
    case BuiltinValue::kLane:
    case BuiltinValue::kThread: break;
  }
  LaneValue v{.known = true};
  const int64_t base = builtin == BuiltinValue::kThread ? warp_ * kLanes : 0;
  for (int i = 0; i < kLanes; ++i) {
    v.lanes.bits[static_cast<size_t>(i)] = static_cast<uint64_t>(base + i);
  }
  return v;
}

LaneValue LaneState::Operation(const Expr& expr, uint32_t mask) const {
  if (expr.op == nullptr || expr.op->meaning == nullptr) return {};
  std::vector<LaneValue> in;
  std::vector<const LaneVector*> pointers;
  for (const ExprId arg : expr.args) {
    in.push_back(Evaluate(arg, mask));
    if (!in.back().known) return {};
  }
  LaneValue out;
  for (const LaneValue& value : in) {
    pointers.push_back(&value.lanes);
    out.scattered |= value.scattered;
  }
  LaneVector second;
  LaneVector* const outs[2] = {&out.lanes, &second};
  const std::string_view error = expr.op->meaning(
      {.in = pointers,
       .out = outs,
       .operand_type = expr.args.empty() ? expr.type.dtype : program_[expr.args[0]].type.dtype,
       .result_type = expr.type.dtype,
       .modifiers = expr.modifiers,
       .width = expr.width,
       .mask = mask});
  out.known = error.empty();
  return out;
}

LaneValue LaneState::Load(const Expr& expr, uint32_t mask) const {
  const compiler::ir::View& view = program_[expr.view];
  if (view.space != compiler::ir::Space::kGlobal || mask == 0) return {};
  std::vector<LaneValue> indices;
  bool scattered = false;
  for (const compiler::ir::ViewIndex& index : view.index) {
    indices.push_back(Evaluate(index.offset, mask));
    if (!indices.back().known) return {};
    scattered = scattered || indices.back().scattered || !SameInAll(indices.back().lanes, mask);
  }
  LaneValue out{.known = true, .scattered = scattered};
  std::vector<int64_t> index(indices.size());
  for (size_t lane = 0; lane < kLanes; ++lane) {
    if (((mask >> lane) & 1) == 0) continue;
    for (size_t d = 0; d < indices.size(); ++d)
      index[d] = static_cast<int64_t>(indices[d].lanes.bits[lane]);
    const std::optional<int64_t> element = contents_.Element(view.tensor, index);
    if (!element) return {};
    out.lanes.bits[lane] = static_cast<uint64_t>(*element);
  }
  guessed_ = true;
  return out;
}

LaneValue LaneState::Coordinate(const Expr& expr, uint32_t mask) const {
  LaneValue value = Evaluate(expr.args[0], mask);
  const compiler::ir::FragmentMap map =
      compiler::ir::MapOf(kernel_.locals[static_cast<size_t>(expr.local)].type);
  const compiler::ir::AxisMap& axis = expr.kind == ExprKind::kRow ? map.rows : map.columns;
  for (size_t i = 0; i < kLanes && value.known; ++i) {
    const auto index = static_cast<int64_t>(value.lanes.bits[i]);
    value.lanes.bits[i] = static_cast<uint64_t>(axis.Coordinate(
        index, warp_ % compiler::ir::kWarpgroupWarps * kLanes + static_cast<int64_t>(i)));
  }
  return value;
}

LaneValue LaneState::Evaluate(ExprId id, uint32_t mask) const {
  if (id == ExprId::kNone) return {};
  const Expr& expr = program_[id];
  if (!expr.type.is_scalar()) return {};
  if (compiler::ir::Info(expr.type.dtype).is_float) return {};
  switch (expr.kind) {
    case ExprKind::kInt: return Uniform(expr.int_value);
    case ExprKind::kSymbol: return Uniform(values_.values[static_cast<size_t>(expr.symbol)]);
    case ExprKind::kBuiltin: return Builtin(expr.builtin);
    case ExprKind::kLocal: return locals_[static_cast<size_t>(expr.local)];
    case ExprKind::kOp: return Operation(expr, mask);
    case ExprKind::kLoad: return Load(expr, mask);
    case ExprKind::kRow:
    case ExprKind::kColumn: return Coordinate(expr, mask);
    case ExprKind::kAnd:
    case ExprKind::kOr: {
      const LaneValue left = Evaluate(expr.args[0], mask);
      if (!left.known) return {};
      const bool is_and = expr.kind == ExprKind::kAnd;
      uint32_t rest = 0;
      for (int i = 0; i < kLanes; ++i) {
        if ((left.lanes.bits[static_cast<size_t>(i)] != 0) == is_and) rest |= uint32_t{1} << i;
      }
      if ((rest & mask) == 0) return left;
      LaneValue out = Evaluate(expr.args[1], rest & mask);
      if (!out.known) return {};
      out.scattered |= left.scattered;
      for (int i = 0; i < kLanes; ++i) {
        if (((rest >> i) & 1) == 0) out.lanes.bits[static_cast<size_t>(i)] = is_and ? 0 : 1;
      }
      return out;
    }
    default: return {};
  }
}

void LaneState::Declare(compiler::ir::LocalId local, const LaneValue& value) {
  locals_[static_cast<size_t>(local)] = value;
}

void LaneState::Assign(compiler::ir::LocalId local, const LaneValue& value, uint32_t mask) {
  LaneValue& at = locals_[static_cast<size_t>(local)];
  if (mask == ~uint32_t{0}) {
    at = value;
    return;
  }
  at.known = at.known && value.known;
  at.scattered = at.scattered || value.scattered;
  for (int i = 0; i < kLanes; ++i) {
    const auto lane = static_cast<size_t>(i);
    if ((mask >> i) & 1) at.lanes.bits[lane] = value.lanes.bits[lane];
  }
}

std::optional<uint32_t> LaneState::Holds(ExprId condition, uint32_t mask) const {
  const LaneValue value = Evaluate(condition, mask);
  if (!value.known) return std::nullopt;
  uint32_t holds = 0;
  for (int i = 0; i < kLanes; ++i) {
    if (value.lanes.bits[static_cast<size_t>(i)] != 0) holds |= uint32_t{1} << i;
  }
  return holds & mask;
}

}  // namespace costmodel
