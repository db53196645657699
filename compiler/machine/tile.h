// The operands of a product as plain matrices. Internal to compiler/machine.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/machine/bytecode.h"
#include "compiler/machine/warp.h"

namespace compiler::machine {

// A tile of bits, row by row, and where it is undefined. `by_column`: stored column by column.
struct Tile {
  int64_t rows = 0, columns = 0;
  bool by_column = false;
  std::vector<uint64_t> bits;
  std::vector<bool> row_undefined, column_undefined;
  bool undefined = false;
  int32_t origin = kOriginReported;

  size_t At(int64_t row, int64_t column) const {
    return static_cast<size_t>(by_column ? column * rows + row : row * columns + column);
  }
};

// The columns of the operand's part that begins at the thread's column index `first`.
Tile GatherTile(RegisterFile& registers, const FragmentOperand& operand, int64_t first,
                int64_t rows, int64_t columns, bool by_column);

}  // namespace compiler::machine
