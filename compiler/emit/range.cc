// Ranges of launch values and what is computed from them: enough to see that an index or a loop
// bound cannot overflow 32 bits, so that the common case prints as plain C++.
#include "compiler/emit/kernel_emitter.h"

namespace compiler::emit {
namespace {

constexpr int64_t kMaxCta = 2147483646;  // PTX ISA, %nctaid.x: at most 2^31 - 1
constexpr int kMaxDepth = 32;            // deeper expressions have no known range here

std::optional<ir::Range> OfBuiltin(ir::BuiltinValue value, int64_t warps) {
  switch (value) {
    case ir::BuiltinValue::kLane: return ir::Range{0, ir::kLanes - 1};
    case ir::BuiltinValue::kWarp: return ir::Range{0, warps - 1};
    case ir::BuiltinValue::kWg: return ir::Range{0, warps / 4};
    case ir::BuiltinValue::kThread: return ir::Range{0, warps * ir::kLanes - 1};
    case ir::BuiltinValue::kClusterRank: return ir::Range{0, 15};
    default: return ir::Range{0, kMaxCta + 1};
  }
}

}  // namespace

std::optional<ir::Range> KernelEmitter::Range(ir::ExprId id, int depth) const {
  if (depth > kMaxDepth) return std::nullopt;
  const ir::Expr& expr = program_[id];
  switch (expr.kind) {
    case ir::ExprKind::kInt: return ir::Range{expr.int_value, expr.int_value};
    case ir::ExprKind::kSymbol: {
      const ir::Symbol& symbol = program_[expr.symbol];
      if (symbol.has_range) return ir::Range{symbol.low, symbol.high};
      return std::nullopt;
    }
    case ir::ExprKind::kBuiltin:
      return OfBuiltin(expr.builtin, role_ == nullptr ? 32 : role_->warps);
    case ir::ExprKind::kLocal: {
      const auto found = ranges_.find(expr.local);
      if (found == ranges_.end()) return std::nullopt;
      return found->second;
    }
    case ir::ExprKind::kRow:
    case ir::ExprKind::kColumn: {
      const ir::Type& type = FragmentType(expr.local);
      return ir::Range{0, type.shape[expr.kind == ir::ExprKind::kRow ? 0 : 1] - 1};
    }
    case ir::ExprKind::kOp: {
      if (expr.op->algebra == ir::Algebra::kConvert && ir::Info(expr.type.dtype).bits >= 32) {
        if (!ir::Info(expr.type.dtype).is_signed) return std::nullopt;
        return ir::Info(program_[expr.args[0]].type.dtype).is_integer
                   ? Range(expr.args[0], depth + 1)
                   : std::nullopt;
      }
      if (expr.args.size() != 2 || !ir::Info(expr.type.dtype).is_signed) return std::nullopt;
      const auto a = Range(expr.args[0], depth + 1);
      const auto b = Range(expr.args[1], depth + 1);
      return a && b ? ir::RangeOf(expr.op->algebra, *a, *b) : std::nullopt;
    }
    default: return std::nullopt;
  }
}

}  // namespace compiler::emit
