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

// From the form table; at least one of each, so that a tile that was refused raises nothing more.
inline FragmentShape PerThread(const ir::Type& type) {
  if (type.shape.size() != 2 || ir::FindForm(type.form) == nullptr) return {};
  const ir::FragmentMap map = ir::MapOf(type);
  return {std::max<int64_t>(map.row_count, 1), std::max<int64_t>(map.column_count, 1)};
}

}  // namespace compiler::sema
