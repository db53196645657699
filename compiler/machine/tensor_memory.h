// Tensor memory of one CTA, and what is on its way to and from it (PTX ISA, tcgen05). Every copy
// and product is an access of a queue, not of the warp that asks for it: a warp knows its copies to
// be done by `tmem.wait`, everybody the products before an `umma.commit` by the event it arrives
// on.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "compiler/machine/bytecode.h"
#include "compiler/machine/lane_units.h"
#include "compiler/machine/shadow.h"

namespace compiler::machine {

// A register that a load fills: what it holds once the warp has waited.
struct PendingRegister {
  Register reg = kNoRegister;
  int32_t in_flight = 0;  // origin while it is on its way
  uint32_t undefined = 0;
  int32_t origin = 0;
};

struct WarpTensor {
  Epoch loads = 1, stores = 1;                // of what is issued now
  Epoch issued_loads = 0, issued_stores = 0;  // of the last ones
  ir::StmtId last_load = ir::StmtId::kNone, last_store = ir::StmtId::kNone;
  std::vector<PendingRegister> pending;
  // Products: epoch e is number e, from 1 on. Those of one accumulator, shape and kind follow each
  // other (PTX ISA, pipelined tcgen05 instructions); `accumulators` says of each which it is.
  std::vector<uint64_t> accumulators;
  ir::StmtId last_product = ir::StmtId::kNone;

  void Restart() { *this = WarpTensor(); }
};

struct TensorMemory {
  int64_t columns = 0;           // of 32 bits, allocated
  std::vector<std::byte> bytes;  // lane after lane; empty where no contents matter
  LaneUnits<int32_t> origins, owners;
  LaneUnits<Cell> cells;
  RaceRules rules;
  std::vector<WarpTensor> warps;
  ir::StmtId idle_commit = ir::StmtId::kNone;  // the last one by a warp without products

  struct Needs {
    bool contents = true, origins = true, races = true;
  };
  void Make(const ir::Kernel& kernel, int64_t allocated_columns, size_t warps, const Needs& needs);
  void Restart();
  // visit(lane, byte, cell) for each unit of these bytes.
  template <typename Visit>
  void ForCells(const TensorRange& range, const Visit& visit) {
    cells.ForWhole(
        range, [&](const Cell& cell) { return rules.CopyOf(cell); }, visit);
  }
};

}  // namespace compiler::machine
