// One cause, one finding: what is computed from a number that may leave its type needs no finding
// of its own.
#pragma once

#include <set>

#include "verifier/analysis.h"

namespace verifier {

class Overflowing {
 public:
  Overflowing(const ir::Program& program, const KernelAnalysis& analysis);

  // Whether something that makes up the expression, lets followed, is not shown to fit its type.
  bool Before(ir::ExprId expr) const;
  // The same of an index of the view, or the index itself.
  bool Reaches(ir::ViewId view) const;

 private:
  const ir::Program& program_;
  std::vector<ir::ExprId> lets_;
  std::set<ir::ExprId> exprs_;
};

}  // namespace verifier
