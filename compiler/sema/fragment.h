// Shapes of register fragments: how many rows and columns of a tile one thread holds.
#pragma once

#include <algorithm>
#include <cstdint>

#include "compiler/ir/types.h"

namespace compiler::sema {

struct FragmentShape {
  int64_t rows = 1;
  int64_t cols = 1;
};

// From the tile shapes of the PTX ISA: a warp's m16n8 accumulator holds 2 rows of n/4 columns a
// thread, wgmma the same per 64-row instruction, tcgen05.ld.32x32b one row a thread.
inline FragmentShape PerThread(const ir::Type& type) {
  if (type.shape.size() != 2) return {};
  const int64_t m = type.shape[0];
  const int64_t n = type.shape[1];
  if (type.form.substr(0, 5) == "wgmma")
    return {std::max<int64_t>(m / 32, 1), std::max<int64_t>(n / 4, 1)};
  if (type.form.substr(0, 3) == "mma")
    return {std::max<int64_t>(m / 8, 1), std::max<int64_t>(n / 4, 1)};
  if (type.form == "tmem.32x32b") return {1, n};
  return {std::max<int64_t>(m / 8, 1), std::max<int64_t>(n / 4, 1)};
}

}  // namespace compiler::sema
