#include "verifier/injective.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "compiler/facts/walk.h"

namespace verifier {
namespace {

constexpr int kMaxOrders = 64;  // of dimensions, tried from the last one outwards

class Apart {
 public:
  Apart(KernelAnalysis& analysis, size_t tensor)
      : atoms_(analysis.atoms),
        prover_(analysis.atoms),
        limits_(analysis.limits[tensor]),
        strides_(analysis.strides[tensor]),
        facts_(analysis.launch) {
    // An element exists, so no extent is 0.
    for (const Linear& limit : limits_) facts_.push_back(Shift(limit, -1));
    for (size_t d = limits_.size(); d-- > 0;) {
      if (!(limits_[d].is_constant() && limits_[d].constant == 1)) open_.push_back(d);
    }
  }

  // Some order of the dimensions, innermost first, in which each stride reaches over all that lies
  // inside it.
  bool Holds() { return Order(Linear::Constant(1)); }

  // Whether the stride of `d` reaches over a row of `inner`, or is at least 1 without one.
  bool Reaches(size_t d, std::optional<size_t> inner) {
    std::optional<Linear> row = Linear::Constant(1);
    if (inner) row = atoms_.Product(strides_[*inner], limits_[*inner]);
    return row && prover_.AtMost(*row, strides_[d], facts_);
  }
  const std::vector<size_t>& open() const { return open_; }  // last dimension first

 private:
  // `span`: from the first to behind the last element of the dimensions already placed.
  bool Order(const Linear& span) {
    if (open_.empty()) return true;
    for (size_t i = 0; i < open_.size(); ++i) {
      const size_t d = open_[i];
      if (++tried_ > kMaxOrders) return false;
      if (!prover_.AtMost(span, strides_[d], facts_)) continue;
      const std::optional<Linear> steps = atoms_.Product(strides_[d], Shift(limits_[d], -1));
      const std::optional<Linear> wider = steps ? Plus(span, *steps) : std::nullopt;
      if (!wider) continue;
      open_.erase(open_.begin() + static_cast<std::ptrdiff_t>(i));
      const bool rest = Order(*wider);
      open_.insert(open_.begin() + static_cast<std::ptrdiff_t>(i), d);
      if (rest) return true;
    }
    return false;
  }

  Atoms& atoms_;
  Prover prover_;
  const std::vector<Linear>&limits_, &strides_;
  Facts facts_;
  std::vector<size_t> open_;
  int tried_ = 0;
};

std::string Factor(const ir::Program& program, ir::ExprId id) {
  const std::string text(compiler::facts::TextOf(program, program[id].source.span));
  const bool plain = std::all_of(text.begin(), text.end(),
                                 [](char c) { return absl::ascii_isalnum(c) || c == '_'; });
  return plain ? text : absl::StrCat("(", text, ")");
}

}  // namespace

std::optional<std::string> MissingStrideGuard(const ir::Program& program, KernelAnalysis& analysis,
                                              size_t tensor) {
  const ir::Tensor& declared = program.tensors[tensor];
  if (!declared.declared_strides) return std::nullopt;  // row-major by construction
  Apart apart(analysis, tensor);
  if (apart.Holds()) return std::nullopt;
  std::string missing;
  std::optional<size_t> inner;
  for (const size_t d : apart.open()) {
    const bool reaches = apart.Reaches(d, inner);
    if (!reaches && analysis.strides[tensor][d].is_constant()) return "";
    if (!reaches) {
      absl::StrAppend(&missing, missing.empty() ? "" : ", ", Factor(program, declared.strides[d]),
                      " >= ");
      if (!inner) {
        absl::StrAppend(&missing, "1");
      } else {
        const Linear& stride = analysis.strides[tensor][*inner];
        const bool one = stride.is_constant() && stride.constant == 1;
        absl::StrAppend(&missing,
                        one ? "" : absl::StrCat(Factor(program, declared.strides[*inner]), "*"),
                        Factor(program, declared.shape[*inner]));
      }
    }
    inner = d;
  }
  return missing;
}

}  // namespace verifier
