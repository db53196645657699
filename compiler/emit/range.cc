// Intervals of launch values and what is computed from them: enough to see that an index or a loop
// bound cannot overflow 32 bits, so that the common case prints as plain C++.
#include <algorithm>

#include "compiler/emit/kernel_emitter.h"

namespace compiler::emit {
namespace {

using Wide = __int128;

constexpr int64_t kMaxCta = 2147483646;  // PTX ISA, %nctaid.x: at most 2^31 - 1
constexpr int kMaxDepth = 32;            // deeper expressions have no known range here

std::optional<Interval> Clamp(Wide low, Wide high) {
  constexpr Wide kLimit = Wide{1} << 62;
  if (low < -kLimit || high > kLimit) return std::nullopt;
  return Interval{static_cast<int64_t>(low), static_cast<int64_t>(high)};
}

std::optional<Interval> Multiply(Interval a, Interval b) {
  const Wide corners[] = {Wide{a.low} * b.low, Wide{a.low} * b.high, Wide{a.high} * b.low,
                          Wide{a.high} * b.high};
  return Clamp(*std::min_element(corners, corners + 4), *std::max_element(corners, corners + 4));
}

std::optional<Interval> Combine(std::string_view op, Interval a, Interval b) {
  if (op == "+") return Clamp(Wide{a.low} + b.low, Wide{a.high} + b.high);
  if (op == "-") return Clamp(Wide{a.low} - b.high, Wide{a.high} - b.low);
  if (op == "*") return Multiply(a, b);
  if (op == "min") return Interval{std::min(a.low, b.low), std::min(a.high, b.high)};
  if (op == "max") return Interval{std::max(a.low, b.low), std::max(a.high, b.high)};
  if (a.low < 0 || b.low <= 0) return std::nullopt;
  if (op == "/") return Interval{a.low / b.high, a.high / b.low};
  if (op == "ceildiv") return Interval{a.low > 0 ? 1 : 0, (a.high + b.low - 1) / b.low};
  if (op == "%") return Interval{0, std::min(a.high, b.high - 1)};
  return std::nullopt;
}

std::optional<Interval> OfBuiltin(ir::BuiltinValue value, int64_t warps) {
  switch (value) {
    case ir::BuiltinValue::kLane: return Interval{0, ir::kLanes - 1};
    case ir::BuiltinValue::kWarp: return Interval{0, warps - 1};
    case ir::BuiltinValue::kWg: return Interval{0, warps / 4};
    case ir::BuiltinValue::kThread: return Interval{0, warps * ir::kLanes - 1};
    case ir::BuiltinValue::kClusterRank: return Interval{0, 15};
    default: return Interval{0, kMaxCta + 1};
  }
}

}  // namespace

std::optional<Interval> KernelEmitter::Range(ir::ExprId id, int depth) const {
  if (depth > kMaxDepth) return std::nullopt;
  const ir::Expr& expr = program_[id];
  switch (expr.kind) {
    case ir::ExprKind::kInt: return Interval{expr.int_value, expr.int_value};
    case ir::ExprKind::kSymbol: {
      const ir::Symbol& symbol = program_[expr.symbol];
      if (symbol.has_range) return Interval{symbol.low, symbol.high};
      return std::nullopt;
    }
    case ir::ExprKind::kBuiltin:
      return OfBuiltin(expr.builtin, role_ == nullptr ? 32 : role_->warps);
    case ir::ExprKind::kLocal: {
      const auto found = ranges_.find(expr.local);
      if (found == ranges_.end()) return std::nullopt;
      return found->second;
    }
    case ir::ExprKind::kOp: {
      if (expr.op->name == "cvt" && ir::Info(expr.type.dtype).bits >= 32) {
        if (!ir::Info(expr.type.dtype).is_signed) return std::nullopt;
        return ir::Info(program_[expr.args[0]].type.dtype).is_integer
                   ? Range(expr.args[0], depth + 1)
                   : std::nullopt;
      }
      if (expr.args.size() != 2 || !ir::Info(expr.type.dtype).is_signed) return std::nullopt;
      const auto a = Range(expr.args[0], depth + 1);
      const auto b = Range(expr.args[1], depth + 1);
      return a && b ? Combine(expr.op->name, *a, *b) : std::nullopt;
    }
    default: return std::nullopt;
  }
}

}  // namespace compiler::emit
