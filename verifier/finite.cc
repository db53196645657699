#include "verifier/finite.h"

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "compiler/facts/launch_eval.h"
#include "compiler/ir/fragment.h"
#include "verifier/lets.h"

namespace verifier {
namespace {

namespace ir = compiler::ir;
using ir::Expr;
using ir::ExprId;
using ir::ExprKind;

constexpr int64_t kMaxPlaces = 4096;
constexpr int kMaxNodes = 64;  // of one value, lets written out
constexpr size_t kMaxOperands = 4;

struct Place {
  int64_t rank = 0, warp = 0, lane = 0;
};

// Which parts of its place an expression reads.
struct Reads {
  bool rank = false, warp = false, lane = false;
};

class Enumerated {
 public:
  Enumerated(const ir::Program& program, const ir::Kernel& kernel)
      : program_(program), lets_(LetValues(program, kernel)) {}

  // False: something else than the place decides.
  bool Read(ExprId id, Reads& reads) {
    if (id == ExprId::kNone || ++nodes_ > kMaxNodes) return false;
    const Expr& expr = program_[id];
    if (!expr.type.is_scalar() || !ir::Info(expr.type.dtype).is_integer) return false;
    switch (expr.kind) {
      case ExprKind::kInt: return true;
      case ExprKind::kLocal: return Read(lets_[static_cast<size_t>(expr.local)], reads);
      case ExprKind::kBuiltin:
        switch (expr.builtin) {
          case ir::BuiltinValue::kClusterRank: return reads.rank = true;
          case ir::BuiltinValue::kLane: return reads.lane = true;
          case ir::BuiltinValue::kWarp:
          case ir::BuiltinValue::kWg: return reads.warp = true;
          case ir::BuiltinValue::kThread: return reads.warp = reads.lane = true;
          default: return false;
        }
      case ExprKind::kOp:
        if (expr.op == nullptr || expr.op->meaning == nullptr || expr.op->effects.collective ||
            expr.args.size() > kMaxOperands) {
          return false;
        }
        return std::all_of(expr.args.begin(), expr.args.end(),
                           [&](ExprId arg) { return Read(arg, reads); });
      default: return false;
    }
  }

  std::optional<int64_t> At(ExprId id, const Place& place) const {
    const Expr& expr = program_[id];
    switch (expr.kind) {
      case ExprKind::kInt: return expr.int_value;
      case ExprKind::kLocal: return At(lets_[static_cast<size_t>(expr.local)], place);
      case ExprKind::kBuiltin:
        switch (expr.builtin) {
          case ir::BuiltinValue::kClusterRank: return place.rank;
          case ir::BuiltinValue::kLane: return place.lane;
          case ir::BuiltinValue::kWarp: return place.warp;
          case ir::BuiltinValue::kWg: return place.warp / ir::kWarpgroupWarps;
          default: return place.warp * ir::kLanes + place.lane;
        }
      default: break;
    }
    std::array<int64_t, kMaxOperands> args{};
    for (size_t i = 0; i < expr.args.size(); ++i) {
      const std::optional<int64_t> value = At(expr.args[i], place);
      if (!value) return std::nullopt;
      args[i] = *value;
    }
    const auto value =
        compiler::facts::EvaluateOp(program_, expr, std::span(args).first(expr.args.size()));
    return value.ok() ? std::optional(*value) : std::nullopt;
  }

 private:
  const ir::Program& program_;
  const std::vector<ExprId> lets_;
  int nodes_ = 0;
};

}  // namespace

std::optional<Interval> FiniteRange(const ir::Program& program, const ir::Kernel& kernel,
                                    int64_t warps, ExprId expr) {
  if (expr == ExprId::kNone) return std::nullopt;
  Enumerated values(program, kernel);
  Reads reads;
  if (!values.Read(expr, reads)) return std::nullopt;
  const int64_t ranks = reads.rank ? std::max<int64_t>(kernel.cluster, 1) : 1;
  const int64_t lanes = reads.lane ? ir::kLanes : 1;
  if (!reads.warp) warps = 1;
  if (ranks * warps * lanes > kMaxPlaces) return std::nullopt;
  std::optional<Interval> range;
  for (Place at; at.rank < ranks; ++at.rank) {
    for (at.warp = 0; at.warp < warps; ++at.warp) {
      for (at.lane = 0; at.lane < lanes; ++at.lane) {
        const std::optional<int64_t> value = values.At(expr, at);
        if (!value) return std::nullopt;
        range = range ? Hull(*range, {*value, *value}) : Interval{*value, *value};
      }
    }
  }
  return range;
}

}  // namespace verifier
