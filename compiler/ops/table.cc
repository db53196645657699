#include "compiler/ops/table.h"

#include <iterator>

#include "compiler/ops/families.h"

namespace compiler::ops {
namespace {

void Append(std::vector<OpDef>& all, std::vector<OpDef> part) {
  all.insert(all.end(), std::make_move_iterator(part.begin()), std::make_move_iterator(part.end()));
}

}  // namespace

std::vector<ir::OpDef> Arithmetic() {
  std::vector<OpDef> all = Operators();
  Append(all, Functions());
  Append(all, Transcendental());
  Append(all, BitFunctions());
  return all;
}

const ir::OpTable& Table() {
  static const ir::OpTable table([] {
    std::vector<OpDef> all = Arithmetic();
    Append(all, Lanes());
    Append(all, MemoryAccess());
    Append(all, OrderedAccess());
    Append(all, AsyncCopies());
    Append(all, Matrix());
    Append(all, TensorMemory());
    Append(all, LaunchControl());
    Append(all, Synchronise());
    return all;
  }());
  return table;
}

}  // namespace compiler::ops
