// After how many trips of a loop a comparison with a constant has its other outcome.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/ir/program.h"

namespace verifier {

struct OwnCounter {
  compiler::ir::LocalId local = compiler::ir::LocalId::kNone;
  int64_t step = 1;
};

// `fixed`, by LocalId: what a let is. `counted`, by LocalId: variables of the loop and of loops
// inside. All must outlive it. What written comparisons are at most `near` trips away from, and
// remainders by at most `rotation`, is not far.
class FarFlips {
 public:
  FarFlips(const compiler::ir::Program& program, const std::vector<compiler::ir::ExprId>& fixed,
           const std::vector<bool>& counted, OwnCounter counter, int64_t near, int64_t rotation)
      : program_(program),
        fixed_(fixed),
        counted_(counted),
        counter_(counter),
        near_(near),
        rotation_(rotation) {}

  // 0 where the expression compares nothing, where both sides move alike, where launches, threads
  // or data move one, and where it is not far.
  int64_t After(compiler::ir::ExprId id) const;

 private:
  const compiler::ir::Program& program_;
  const std::vector<compiler::ir::ExprId>& fixed_;
  const std::vector<bool>& counted_;
  const OwnCounter counter_;
  const int64_t near_, rotation_;
};

}  // namespace verifier
