// The dims of a program from concrete tensor shapes.
#include <optional>
#include <set>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "compiler/facts/launch.h"
#include "compiler/facts/walk.h"

namespace compiler::facts {
namespace {

// scale * dim + offset with a constant scale and offset; `dim` none: the constant `offset`.
struct Affine {
  ir::SymbolId dim = ir::SymbolId::kNone;
  int64_t scale = 0, offset = 0;
};

// Constants come from the text: nothing when one leaves 61 bits, so that an extent minus an offset
// and its quotient stay in 64.
std::optional<Affine> Bounded(ir::SymbolId dim, __int128 scale, __int128 offset) {
  constexpr __int128 kLimit = __int128{1} << 61;
  if (scale < -kLimit || scale > kLimit || offset < -kLimit || offset > kLimit) return std::nullopt;
  return Affine{dim, static_cast<int64_t>(scale), static_cast<int64_t>(offset)};
}

std::optional<Affine> AffineOf(const ir::Program& program, ir::ExprId id) {
  const ir::Expr& expr = program[id];
  if (expr.kind == ir::ExprKind::kInt) {
    return Bounded(ir::SymbolId::kNone, 0, expr.int_value);
  }
  if (expr.kind == ir::ExprKind::kSymbol) {
    if (program[expr.symbol].kind != ir::SymbolKind::kDim) return std::nullopt;
    return Affine{.dim = expr.symbol, .scale = 1};
  }
  if (expr.kind != ir::ExprKind::kOp || expr.args.size() != 2) return std::nullopt;
  const std::optional<Affine> a = AffineOf(program, expr.args[0]);
  const std::optional<Affine> b = AffineOf(program, expr.args[1]);
  if (!a || !b) return std::nullopt;
  if (expr.op->algebra == ir::Algebra::kMultiply) {
    const Affine& factor = a->scale == 0 ? *a : *b;
    const Affine& term = a->scale == 0 ? *b : *a;
    if (factor.scale != 0) return std::nullopt;
    const __int128 by = factor.offset;
    return Bounded(term.dim, by * term.scale, by * term.offset);
  }
  if (a->scale != 0 && b->scale != 0) return std::nullopt;
  if (expr.op->algebra == ir::Algebra::kAdd) {
    return Bounded(a->scale != 0 ? a->dim : b->dim, __int128{a->scale} + b->scale,
                   __int128{a->offset} + b->offset);
  }
  if (expr.op->algebra == ir::Algebra::kSubtract && b->scale == 0) {
    return Bounded(a->dim, a->scale, __int128{a->offset} - b->offset);
  }
  return std::nullopt;
}

struct Known {
  int64_t value = 0;
  std::string from;  // "`x` extent 0, declared `M`" | "the case"
};

class Solver {
 public:
  Solver(const ir::Program& program, const std::map<std::string, std::vector<int64_t>>& shapes)
      : program_(program), shapes_(shapes) {}

  absl::StatusOr<std::map<std::string, int64_t>> Run(const std::map<std::string, int64_t>& known) {
    for (const auto& [name, value] : known) dims_[name] = {value, "the case"};
    if (absl::Status s = CheckNames(); !s.ok()) return s;
    for (const ir::Tensor& tensor : program_.tensors) {
      if (tensor.direction == ir::Direction::kWorkspace) continue;
      for (size_t d = 0; d < tensor.shape.size(); ++d) {
        if (absl::Status s = Solve(tensor, d); !s.ok()) return s;
      }
    }
    std::map<std::string, int64_t> solved;
    ir::LaunchValues values;
    for (const ir::Symbol& symbol : program_.symbols) {
      const auto found = dims_.find(symbol.name);
      values.values.push_back(found == dims_.end() ? 0 : found->second.value);
      if (symbol.kind != ir::SymbolKind::kDim) continue;
      if (found == dims_.end()) {
        return absl::FailedPreconditionError(absl::StrCat(
            "dim `", symbol.name, "` follows from no extent and the case does not give it"));
      }
      solved[symbol.name] = found->second.value;
    }
    if (absl::Status s = CheckOthers(values); !s.ok()) return s;
    return solved;
  }

 private:
  absl::Status CheckNames() const {
    std::set<std::string_view> wanted;
    for (const ir::Tensor& tensor : program_.tensors) {
      if (tensor.direction == ir::Direction::kWorkspace) continue;
      wanted.insert(tensor.name);
      const auto given = shapes_.find(tensor.name);
      if (given == shapes_.end()) {
        return absl::FailedPreconditionError(absl::StrCat("program `", program_.name,
                                                          "` declares tensor `", tensor.name,
                                                          "`, which the case does not have"));
      }
      if (given->second.size() != tensor.shape.size()) {
        return absl::FailedPreconditionError(
            absl::StrCat("tensor `", tensor.name, "` is declared with ", tensor.shape.size(),
                         " dimensions; the case gives ", given->second.size()));
      }
    }
    for (const auto& [name, shape] : shapes_) {
      if (!wanted.contains(name)) {
        return absl::FailedPreconditionError(absl::StrCat("the case has tensor `", name,
                                                          "`, which program `", program_.name,
                                                          "` does not declare"));
      }
    }
    return absl::OkStatus();
  }

  std::string Place(const ir::Tensor& tensor, size_t d) const {
    return absl::StrCat("extent ", d, " of `", tensor.name, "`, declared `",
                        std::string(TextOf(program_, program_[tensor.shape[d]].source.span)), "`");
  }

  absl::Status Solve(const ir::Tensor& tensor, size_t d) {
    const std::optional<Affine> affine = AffineOf(program_, tensor.shape[d]);
    const int64_t extent = shapes_.at(tensor.name)[d];
    if (!affine || affine->scale == 0) return absl::OkStatus();  // checked when all dims are known
    const std::string& name = program_[affine->dim].name;
    const int64_t rest = extent - affine->offset;
    if (rest % affine->scale != 0) {
      return absl::FailedPreconditionError(
          absl::StrCat(Place(tensor, d), ", is ", extent, ": no value of `", name, "` gives that"));
    }
    const Known found{rest / affine->scale, Place(tensor, d)};
    const auto [before, inserted] = dims_.emplace(name, found);
    if (!inserted && before->second.value != found.value) {
      return absl::FailedPreconditionError(absl::StrCat("`", name, "` is ", before->second.value,
                                                        " by ", before->second.from, ", and ",
                                                        found.value, " by ", found.from));
    }
    return absl::OkStatus();
  }

  absl::Status CheckOthers(const ir::LaunchValues& values) const {
    for (const ir::Tensor& tensor : program_.tensors) {
      if (tensor.direction == ir::Direction::kWorkspace) continue;
      for (size_t d = 0; d < tensor.shape.size(); ++d) {
        const absl::StatusOr<int64_t> declared = EvaluateLaunch(program_, tensor.shape[d], values);
        if (!declared.ok()) return declared.status();
        const int64_t given = shapes_.at(tensor.name)[d];
        if (*declared != given) {
          return absl::FailedPreconditionError(
              absl::StrCat(Place(tensor, d), ", is ", *declared, "; the case gives ", given));
        }
      }
    }
    return absl::OkStatus();
  }

  const ir::Program& program_;
  const std::map<std::string, std::vector<int64_t>>& shapes_;
  std::map<std::string, Known> dims_;
};

}  // namespace

absl::StatusOr<std::map<std::string, int64_t>> SolveDims(
    const ir::Program& program, const std::map<std::string, std::vector<int64_t>>& shapes,
    const std::map<std::string, int64_t>& known) {
  return Solver(program, shapes).Run(known);
}

}  // namespace compiler::facts
