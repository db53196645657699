#include "verifier/overflowing.h"

#include <algorithm>

#include "verifier/lets.h"

namespace verifier {

Overflowing::Overflowing(const ir::Program& program, const KernelAnalysis& analysis)
    : program_(program) {
  for (const Requirement& requirement : analysis.requirements) {
    if (requirement.kind == Requirement::Kind::kOverflow && !requirement.proved) {
      exprs_.insert(requirement.expr);
    }
  }
  if (!exprs_.empty()) lets_ = LetValues(program, program.kernels[analysis.kernel]);
}

bool Overflowing::Before(ir::ExprId expr) const {
  if (exprs_.empty()) return false;
  return AnyPart(program_, lets_, expr, [&](ir::ExprId part) { return exprs_.contains(part); });
}

bool Overflowing::Reaches(ir::ViewId view) const {
  if (exprs_.empty()) return false;
  const std::vector<ir::ViewIndex>& indices = program_[view].index;
  return std::any_of(indices.begin(), indices.end(), [&](const ir::ViewIndex& index) {
    return index.offset != ir::ExprId::kNone &&
           (exprs_.contains(index.offset) || Before(index.offset));
  });
}

}  // namespace verifier
