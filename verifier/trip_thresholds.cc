#include "verifier/trip_thresholds.h"

#include <algorithm>
#include <cstdlib>
#include <optional>

#include "compiler/machine/values.h"

namespace verifier {
namespace {

namespace ir = compiler::ir;

using ir::Expr;
using ir::ExprId;
using ir::ExprKind;

constexpr int64_t kLargestConstant = int64_t{1} << 32;
constexpr int kMostTermsFollowed = 12;  // one in the other

// The number of the trip times `slope`, and a constant.
struct Affine {
  int64_t slope = 0, constant = 0;
};

class Reader {
 public:
  Reader(const ir::Program& program, const std::vector<ExprId>& fixed,
         const std::vector<bool>& counted, OwnCounter counter)
      : program_(program), fixed_(fixed), counted_(counted), counter_(counter) {}

  std::optional<Affine> Of(ExprId id, int depth = 0) const {
    const Expr& expr = program_[id];
    if (depth > kMostTermsFollowed) return std::nullopt;
    switch (expr.kind) {
      case ExprKind::kInt: return Sane({.constant = expr.int_value});
      case ExprKind::kLocal: {
        if (expr.local == counter_.local) return Affine{.slope = counter_.step};
        const auto local = static_cast<size_t>(expr.local);
        if (fixed_[local] == ExprId::kNone || counted_[local]) return std::nullopt;
        return Of(fixed_[local], depth + 1);
      }
      case ExprKind::kOp: return Operation(expr, depth);
      default: return std::nullopt;
    }
  }

 private:
  static std::optional<Affine> Sane(Affine value) {
    const auto small = [](int64_t number) {
      return number >= -kLargestConstant && number <= kLargestConstant;
    };
    if (!small(value.slope) || !small(value.constant)) return std::nullopt;
    return value;
  }

  std::optional<Affine> Operation(const Expr& expr, int depth) const {
    if (expr.args.size() != 2) return std::nullopt;
    const std::optional<Affine> left = Of(expr.args[0], depth + 1);
    const std::optional<Affine> right = Of(expr.args[1], depth + 1);
    if (!left || !right) return std::nullopt;
    switch (expr.op->algebra) {
      case ir::Algebra::kAdd:
        return Sane({left->slope + right->slope, left->constant + right->constant});
      case ir::Algebra::kSubtract:
        return Sane({left->slope - right->slope, left->constant - right->constant});
      case ir::Algebra::kMultiply: {
        if (left->slope != 0 && right->slope != 0) return std::nullopt;
        const Affine& moves = left->slope != 0 ? *left : *right;
        const int64_t by = left->slope != 0 ? right->constant : left->constant;
        Affine product;
        if (__builtin_mul_overflow(moves.slope, by, &product.slope) ||
            __builtin_mul_overflow(moves.constant, by, &product.constant)) {
          return std::nullopt;
        }
        return Sane(product);
      }
      default: return std::nullopt;
    }
  }

  const ir::Program& program_;
  const std::vector<ExprId>& fixed_;
  const std::vector<bool>& counted_;
  const OwnCounter counter_;
};

}  // namespace

int64_t FarFlips::After(ExprId id) const {
  const Expr& expr = program_[id];
  if (expr.kind != ExprKind::kOp || expr.op == nullptr) return 0;
  const bool written = expr.op->algebra >= ir::Algebra::kEqual &&
                       expr.op->algebra <= ir::Algebra::kGreaterEqual;
  const auto order = compiler::machine::OrderIn(program_, expr);
  if (!written && !order) return 0;
  const Reader reader(program_, fixed_, counted_, counter_);
  const std::optional<Affine> left = reader.Of(expr.args[written ? 0 : order->left]);
  std::optional<Affine> right;
  if (written || order->right) {
    right = reader.Of(expr.args[written ? 1 : *order->right]);
  } else {
    right = Affine{.constant = order->number};
  }
  if (!left || !right || left->slope == right->slope) return 0;
  const int64_t after =
      std::abs(left->constant - right->constant) / std::abs(left->slope - right->slope);
  if (written && after <= near_) return 0;
  const bool turns = expr.op->algebra == ir::Algebra::kModulo;
  return turns && after <= rotation_ ? 0 : after + 1;
}

}  // namespace verifier
