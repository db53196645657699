// Shapes of register fragments: how many rows and columns of a tile one thread holds.
#pragma once

#include <algorithm>
#include <cstdint>

#include "compiler/ir/fragment.h"

namespace compiler::sema {

struct FragmentShape {
  int64_t rows = 1;
  int64_t cols = 1;
};

// From the form table; of forms that this build only types, from the tile shapes of the PTX ISA:
// wgmma holds 2 rows of n/4 columns a thread per 64-row instruction, tcgen05.ld.32x32b one row.
inline FragmentShape PerThread(const ir::Type& type) {
  if (type.shape.size() != 2) return {};
  if (ir::FindForm(type.form) != nullptr) {
    const ir::FragmentMap map = ir::MapOf(type);
    return {std::max<int64_t>(map.row_count, 1), std::max<int64_t>(map.column_count, 1)};
  }
  const int64_t m = type.shape[0];
  const int64_t n = type.shape[1];
  if (type.form.substr(0, 5) == "wgmma")
    return {std::max<int64_t>(m / 32, 1), std::max<int64_t>(n / 4, 1)};
  if (type.form == "tmem.32x32b") return {1, n};
  return {std::max<int64_t>(m / 8, 1), std::max<int64_t>(n / 4, 1)};
}

}  // namespace compiler::sema
