#include "verifier/ranges.h"

#include <algorithm>

#include "compiler/ir/fragment.h"
#include "verifier/analysis.h"

namespace verifier {
namespace {

using compiler::ir::Algebra;
using ir::Expr;
using ir::ExprId;
using ir::ExprKind;
using ir::Range;

constexpr int64_t kWide = int64_t{1} << 62;

Range WholeOf(ir::DType dtype) {
  const Interval range = RangeOfDType(dtype);
  return {std::max(range.low, -kWide), std::min(range.high, kWide)};
}

Range Meet(Range a, Range b) {
  const Range met{std::max(a.low, b.low), std::min(a.high, b.high)};
  return met.low <= met.high ? met : b;
}

// Unsigned numbers wrap; that signed ones do not is for others to show.
Range Fit(Range range, ir::DType dtype) {
  const Range whole = WholeOf(dtype);
  return range.low >= whole.low && range.high <= whole.high ? range : whole;
}

Algebra AlgebraOf(const Expr& expr) {
  return expr.kind == ExprKind::kOp && expr.op != nullptr ? expr.op->algebra : Algebra::kOpaque;
}

}  // namespace

Ranges::Ranges(const ir::Program& program, const ir::Kernel& kernel,
               const compiler::facts::KernelLaunch& launch, const ir::LaunchValues& values)
    : program_(program), kernel_(kernel), launch_(launch), values_(values) {
  for (const ir::Local& local : kernel.locals) locals_.push_back(WholeOf(local.type.dtype));
}

Range Ranges::Builtin(ir::BuiltinValue builtin) const {
  const int64_t ctas = launch_.grid[0] * launch_.grid[1] * launch_.grid[2];
  const int64_t clusters = ctas / std::max<int64_t>(kernel_.cluster, 1);
  switch (builtin) {
    case ir::BuiltinValue::kLane: return {0, ir::kLanes - 1};
    case ir::BuiltinValue::kWarp: return {0, warps_ - 1};
    case ir::BuiltinValue::kWg: return {0, (warps_ - 1) / ir::kWarpgroupWarps};
    case ir::BuiltinValue::kThread: return {0, warps_ * ir::kLanes - 1};
    case ir::BuiltinValue::kCta: return {0, ctas - 1};
    case ir::BuiltinValue::kCtaX: return {0, launch_.grid[0] - 1};
    case ir::BuiltinValue::kCtaY: return {0, launch_.grid[1] - 1};
    case ir::BuiltinValue::kCtaZ: return {0, launch_.grid[2] - 1};
    case ir::BuiltinValue::kCtas: return {ctas, ctas};
    case ir::BuiltinValue::kClusterId: return {0, std::max<int64_t>(clusters - 1, 0)};
    case ir::BuiltinValue::kClusterRank: return {0, std::max<int64_t>(kernel_.cluster - 1, 0)};
    case ir::BuiltinValue::kClusters: return {clusters, clusters};
  }
  return WholeOf(ir::DType::kI32);
}

// What contracts say of every element of the tensor.
Range Ranges::Element(const Expr& load) const {
  Range range = WholeOf(load.type.dtype);
  const ir::View& view = program_[load.view];
  if (view.space != ir::Space::kGlobal || program_[view.tensor].written_by_program) return range;
  for (const ir::ContentContract& contract : program_.contracts) {
    const bool every = contract.kind == ir::ContentContract::Kind::kRange &&
                       contract.tensor == view.tensor && contract.condition == ExprId::kNone &&
                       std::all_of(contract.index.begin(), contract.index.end(),
                                   [](ExprId index) { return index == ExprId::kNone; });
    if (!every) continue;
    // An end may name the index itself, which is no name of the kernel.
    const auto end = [&](ExprId id) {
      return id != ExprId::kNone && program_[id].level <= ir::Level::kLaunch;
    };
    if (end(contract.low)) range.low = std::max(range.low, Of(contract.low).low);
    if (end(contract.high)) range.high = std::min(range.high, Of(contract.high).high);
  }
  return range.low <= range.high ? range : WholeOf(load.type.dtype);
}

Range Ranges::Operation(const Expr& expr) const {
  const Range whole = WholeOf(expr.type.dtype);
  const Algebra algebra = AlgebraOf(expr);
  if (!ir::Info(expr.type.dtype).is_integer || expr.args.empty()) return whole;
  const Range a = Of(expr.args[0]);
  if (expr.args.size() == 1) {
    const bool integer = ir::Info(program_[expr.args[0]].type.dtype).is_integer;
    if (algebra == Algebra::kConvert && integer) return Fit(a, expr.type.dtype);
    if (algebra == Algebra::kNegate) return Fit({-a.high, -a.low}, expr.type.dtype);
    return whole;
  }
  const Range b = Of(expr.args[1]);
  if (expr.args.size() == 3 && algebra == Algebra::kSelect) {
    const Range c = Of(expr.args[2]);
    return {std::min(b.low, c.low), std::max(b.high, c.high)};
  }
  if (expr.args.size() != 2) return whole;
  if (algebra == Algebra::kAnd && a.low >= 0 && b.low >= 0) return {0, std::min(a.high, b.high)};
  const std::optional<Range> range = ir::RangeOf(algebra, a, b);
  return range ? Fit(*range, expr.type.dtype) : whole;
}

Range Ranges::Of(ExprId id) const {
  if (id == ExprId::kNone) return {-kWide, kWide};
  const Expr& expr = program_[id];
  const Range whole = WholeOf(expr.type.dtype);
  if (!expr.type.is_scalar()) return whole;
  switch (expr.kind) {
    case ExprKind::kInt: return {expr.int_value, expr.int_value};
    case ExprKind::kSymbol: {
      if (!ir::Info(expr.type.dtype).is_integer) return whole;
      const int64_t value = values_.values[static_cast<size_t>(expr.symbol)];
      return {value, value};
    }
    case ExprKind::kBuiltin: return Builtin(expr.builtin);
    case ExprKind::kLocal: return locals_[static_cast<size_t>(expr.local)];
    case ExprKind::kOp: return Operation(expr);
    case ExprKind::kLoad: return Element(expr);
    case ExprKind::kRow:
    case ExprKind::kColumn: {
      const ir::Type& tile = kernel_.locals[static_cast<size_t>(expr.local)].type;
      return {0, tile.shape[expr.kind == ExprKind::kRow ? 0 : 1] - 1};
    }
    default: return whole;
  }
}

std::optional<bool> Ranges::Truth(ExprId condition) const {
  const Expr& expr = program_[condition];
  const bool both = expr.kind == ExprKind::kAnd;
  if (both || expr.kind == ExprKind::kOr) {
    const std::optional<bool> left = Truth(expr.args[0]), right = Truth(expr.args[1]);
    if (left == !both || right == !both) return !both;
    return left && right ? std::optional(both) : std::nullopt;
  }
  if (expr.args.size() != 2 || !ir::Info(program_[expr.args[0]].type.dtype).is_integer) {
    return std::nullopt;
  }
  const Range a = Of(expr.args[0]), b = Of(expr.args[1]);
  const auto decided = [](bool always, bool never) {
    return always || never ? std::optional(always) : std::nullopt;
  };
  switch (AlgebraOf(expr)) {
    case Algebra::kLess: return decided(a.high < b.low, a.low >= b.high);
    case Algebra::kLessEqual: return decided(a.high <= b.low, a.low > b.high);
    case Algebra::kGreater: return decided(a.low > b.high, a.high <= b.low);
    case Algebra::kGreaterEqual: return decided(a.low >= b.high, a.high < b.low);
    default: return std::nullopt;
  }
}

void Ranges::Declare(const ir::Stmt& stmt) {
  if (stmt.kind != ir::StmtKind::kLet || stmt.local == ir::LocalId::kNone) return;
  const auto local = static_cast<size_t>(stmt.local);
  const ir::Local& declared = kernel_.locals[local];
  if (!declared.is_var && declared.type.is_scalar()) locals_[local] = Of(stmt.value);
}

std::optional<int64_t> Ranges::EnterLoop(const ir::Stmt& loop) {
  if (loop.kind != ir::StmtKind::kFor) return std::nullopt;
  const Range low = Of(loop.low), high = Of(loop.high);
  const Range step = loop.step == ExprId::kNone ? Range{1, 1} : Of(loop.step);
  if (loop.local != ir::LocalId::kNone) {
    const auto local = static_cast<size_t>(loop.local);
    locals_[local] = Meet({low.low, std::max(low.low, high.high - 1)},
                          WholeOf(kernel_.locals[local].type.dtype));
  }
  if (step.low <= 0) return std::nullopt;
  const __int128 room = static_cast<__int128>(high.high) - low.low;
  if (room <= 0) return 0;
  const __int128 trips = (room - 1) / step.low + 1;
  return trips > kWide ? std::nullopt : std::optional(static_cast<int64_t>(trips));
}

void Ranges::Narrow(ExprId name, Range to, std::vector<std::pair<size_t, Range>>& before) {
  const Expr& expr = program_[name];
  if (expr.kind != ExprKind::kLocal || !expr.type.is_scalar()) return;
  const auto local = static_cast<size_t>(expr.local);
  if (kernel_.locals[local].is_var) return;
  before.emplace_back(local, locals_[local]);
  locals_[local] = Meet(to, locals_[local]);
}

std::vector<std::pair<size_t, Range>> Ranges::EnterTrue(ExprId condition) {
  std::vector<std::pair<size_t, Range>> before;
  std::vector<ExprId> pending{condition};
  while (!pending.empty()) {
    const Expr& expr = program_[pending.back()];
    pending.pop_back();
    if (expr.kind == ExprKind::kAnd)
      pending.insert(pending.end(), expr.args.begin(), expr.args.end());
    const Algebra algebra = AlgebraOf(expr);
    if (expr.args.size() != 2 || !ir::Info(program_[expr.args[0]].type.dtype).is_integer) continue;
    const Range a = Of(expr.args[0]), b = Of(expr.args[1]);
    const bool less = algebra == Algebra::kLess || algebra == Algebra::kLessEqual;
    const bool greater = algebra == Algebra::kGreater || algebra == Algebra::kGreaterEqual;
    const int64_t off = algebra == Algebra::kLess || algebra == Algebra::kGreater ? 1 : 0;
    if (algebra == Algebra::kEqual) Narrow(expr.args[0], b, before);
    if (less) Narrow(expr.args[0], {-kWide, b.high - off}, before);
    if (less) Narrow(expr.args[1], {a.low + off, kWide}, before);
    if (greater) Narrow(expr.args[0], {b.low + off, kWide}, before);
    if (greater) Narrow(expr.args[1], {-kWide, a.high - off}, before);
  }
  return before;
}

void Ranges::Leave(const std::vector<std::pair<size_t, Range>>& before) {
  for (size_t i = before.size(); i-- > 0;) locals_[before[i].first] = before[i].second;
}

}  // namespace verifier
