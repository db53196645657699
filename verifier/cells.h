// Shapes and data that lead to what the small ones have not shown: the constants that decide over a
// condition are tried as sizes, and given to the elements of tensors that it reads.
#pragma once

#include <vector>

#include "verifier/coverage.h"
#include "verifier/instances.h"

namespace verifier {

struct Cells {
  std::vector<Shape> shapes;      // cheapest first
  std::vector<int64_t> integers;  // for elements of tensors; empty where no condition reads one
  std::vector<double> reals;
  bool reads() const { return !integers.empty() || !reals.empty(); }
};

// Of what is missing in kernel `kernel`.
Cells CellsOf(const ir::Program& program, const Selection& selection, size_t kernel,
              const Missing& missing);

}  // namespace verifier
