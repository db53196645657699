#include "compiler/facts/launch_eval.h"

#include <array>
#include <bit>
#include <optional>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "compiler/facts/walk.h"

namespace compiler::facts {
namespace {

class Evaluator {
 public:
  Evaluator(const ir::Program& program, const ir::Kernel* kernel, const ir::LaunchValues& values)
      : program_(program), kernel_(kernel), values_(values) {}

  absl::StatusOr<int64_t> Value(ir::ExprId id) {
    if (id == ir::ExprId::kNone) return absl::InvalidArgumentError("no expression");
    const ir::Expr& expr = program_[id];
    switch (expr.kind) {
      case ir::ExprKind::kInt: return expr.int_value;
      case ir::ExprKind::kFloat: return FloatBits(expr);
      case ir::ExprKind::kSymbol: return values_.values[static_cast<size_t>(expr.symbol)];
      case ir::ExprKind::kLocal: return LocalValue(expr);
      case ir::ExprKind::kElement: return ArgElement(expr);
      case ir::ExprKind::kAnd:
      case ir::ExprKind::kOr: return ShortCircuit(expr);
      case ir::ExprKind::kOp: {
        if (expr.args.size() > kMaxLaunchOperands) return NotLaunch(expr);
        std::array<int64_t, kMaxLaunchOperands> args;
        for (size_t i = 0; i < expr.args.size(); ++i) {
          const absl::StatusOr<int64_t> value = Value(expr.args[i]);
          if (!value.ok()) return value;
          args[i] = *value;
        }
        return EvaluateOp(program_, expr, std::span(args).first(expr.args.size()));
      }
      default: return NotLaunch(expr);
    }
  }

 private:
  absl::StatusOr<int64_t> ArgElement(const ir::Expr& expr) {
    const ir::Expr& whole = program_[expr.args[0]];
    if (whole.kind != ir::ExprKind::kSymbol) return NotLaunch(expr);
    const absl::StatusOr<int64_t> index = Value(expr.args[1]);
    if (!index.ok()) return index;
    const auto symbol = static_cast<size_t>(whole.symbol);
    const bool bound = symbol < values_.arrays.size();
    const auto count = bound ? static_cast<int64_t>(values_.arrays[symbol].size()) : 0;
    if (*index < 0 || *index >= count) {
      return absl::OutOfRangeError(absl::StrCat("index ", *index, " of ", count, " elements in `",
                                                std::string(TextOf(program_, expr.source.span)),
                                                "`"));
    }
    return values_.arrays[symbol][static_cast<size_t>(*index)];
  }

  absl::Status NotLaunch(const ir::Expr& expr) const {
    return absl::InvalidArgumentError(absl::StrCat(
        "`", std::string(TextOf(program_, expr.source.span)), "` is not known at launch"));
  }

  absl::StatusOr<int64_t> FloatBits(const ir::Expr& expr) const {
    if (expr.type.dtype != ir::DType::kF32) return NotLaunch(expr);
    return std::bit_cast<uint32_t>(static_cast<float>(expr.float_value));
  }

  absl::StatusOr<int64_t> ShortCircuit(const ir::Expr& expr) {
    const absl::StatusOr<int64_t> left = Value(expr.args[0]);
    if (!left.ok()) return left;
    const bool decided = (*left != 0) == (expr.kind == ir::ExprKind::kOr);
    if (decided) return *left != 0;
    const absl::StatusOr<int64_t> right = Value(expr.args[1]);
    if (!right.ok()) return right;
    return *right != 0;
  }

  // Lets are evaluated in source order, so that a long chain of them needs no deep recursion.
  absl::StatusOr<int64_t> LocalValue(const ir::Expr& expr) {
    if (kernel_ == nullptr) return NotLaunch(expr);
    const auto local = static_cast<size_t>(expr.local);
    if (locals_.empty()) locals_.resize(kernel_->locals.size());
    while (local < locals_.size() && !locals_[local] && next_let_ < kernel_->lets.size()) {
      const ir::Stmt& let = program_[kernel_->lets[next_let_++]];
      if (let.kind != ir::StmtKind::kLet || let.value == ir::ExprId::kNone) continue;
      if (program_[let.value].level > ir::Level::kLaunch) continue;
      const absl::StatusOr<int64_t> value = Value(let.value);
      if (value.ok()) locals_[static_cast<size_t>(let.local)] = *value;
      if (!value.ok() && let.local == expr.local) return value;
    }
    if (local >= locals_.size() || !locals_[local]) return NotLaunch(expr);
    return *locals_[local];
  }

  const ir::Program& program_;
  const ir::Kernel* kernel_;
  const ir::LaunchValues& values_;
  std::vector<std::optional<int64_t>> locals_;
  size_t next_let_ = 0;
};

}  // namespace

absl::StatusOr<int64_t> EvaluateOp(const ir::Program& program, const ir::Expr& expr,
                                   std::span<const int64_t> args) {
  if (expr.op == nullptr || expr.op->meaning == nullptr || args.size() > kMaxLaunchOperands) {
    return absl::InvalidArgumentError(absl::StrCat(
        "`", std::string(TextOf(program, expr.source.span)), "` has no value in this build"));
  }
  // Only the first lane counts, and what it holds is said below: the others are left alone.
  static thread_local std::array<ir::LaneVector, kMaxLaunchOperands> in;
  static thread_local std::array<ir::LaneVector, 2> out;
  std::array<const ir::LaneVector*, kMaxLaunchOperands> in_pointers;
  for (size_t i = 0; i < args.size(); ++i) {
    in[i].bits[0] = static_cast<uint64_t>(args[i]);
    in[i].undefined = 0;
    in_pointers[i] = &in[i];
  }
  for (ir::LaneVector& result : out) result.bits[0] = result.undefined = 0;
  ir::LaneVector* const out_pointers[2] = {&out[0], &out[1]};
  const ir::DType operand_type =
      expr.args.empty() ? expr.type.dtype : program[expr.args[0]].type.dtype;
  const std::string_view error = expr.op->meaning({.in = std::span(in_pointers).first(args.size()),
                                                   .out = out_pointers,
                                                   .operand_type = operand_type,
                                                   .result_type = expr.type.dtype,
                                                   .modifiers = expr.modifiers,
                                                   .width = expr.width,
                                                   .mask = 1});
  if (!error.empty()) {
    return absl::OutOfRangeError(absl::StrCat(std::string(error), " in `",
                                              std::string(TextOf(program, expr.source.span)), "`"));
  }
  return static_cast<int64_t>(out[0].bits[0]);
}

absl::StatusOr<int64_t> EvaluateLaunch(const ir::Program& program, ir::ExprId expr,
                                       const ir::LaunchValues& values) {
  return Evaluator(program, nullptr, values).Value(expr);
}

absl::StatusOr<int64_t> EvaluateKernelLaunch(const ir::Program& program, const ir::Kernel& kernel,
                                             ir::ExprId expr, const ir::LaunchValues& values) {
  return Evaluator(program, &kernel, values).Value(expr);
}

}  // namespace compiler::facts
