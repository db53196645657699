// What accesses are made of, while they run. Internal to compiler/machine.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "compiler/machine/bytecode.h"
#include "compiler/machine/lane_units.h"
#include "compiler/machine/run_state.h"
#include "compiler/machine/shared_memory.h"

namespace compiler::machine {

// What a load or store of one warp resolves to: per lane the offset of its first element.
struct Addresses {
  std::array<int64_t, ir::kLanes> offset;  // in elements from the start of the buffer
  uint32_t valid = 0;                      // lanes that access memory
  uint32_t outside = 0;                    // lanes out of bounds
};

// Neighbouring elements of a buffer; `first` is kOutside for elements of a box that are not in
// its tensor.
struct Piece {
  int64_t first = 0, count = 0;
  int64_t lane = 0;  // in tensor memory, where `first` is a byte of this lane
};
constexpr int64_t kOutside = -1;

// Where a patched map lets a tensor end, in one dimension.
struct BoxEnd {
  size_t dimension = 0;
  int64_t at = INT64_MAX;
};

// The shadow of an access: its cells, and where its buffer begins among their bytes.
struct Shadow {
  ShadowGroup* group = nullptr;    // of global memory
  SharedRegion* region = nullptr;  // of shared memory
  RaceRules* rules = nullptr;
  int64_t base = 0;
  // Of shared memory: where the buffer begins in its region.
  int64_t InRegion() const { return base - region->begin; }
  // Of global memory: the cells that are just these bytes, of one page; none where they have to be
  // looked for one by one.
  std::span<Cell> WholeGlobal(int64_t byte, int64_t bytes, int64_t& budget_bytes) const {
    const auto unit = static_cast<uint64_t>(group->unit_bytes);
    const auto first = static_cast<uint64_t>(byte + base);
    if (((first | static_cast<uint64_t>(bytes)) & (unit - 1)) != 0) return {};
    const int shift = std::countr_zero(unit);
    return group->memory->Run(first >> shift, static_cast<size_t>(bytes) >> shift, budget_bytes);
  }
  // Of shared memory: visit(byte, cell) for each unit of these bytes, which count from `base`.
  template <typename Visit>
  void ForShared(int64_t byte, int64_t bytes, const Visit& visit) const {
    const int64_t before = InRegion();
    region->cells.ForWhole(
        byte + before, bytes, [&](const Cell& cell) { return rules->CopyOf(cell); },
        [&](int64_t at, Cell& cell) { visit(at - before, cell); });
  }
};

// Registers of neighbouring columns, from number `first` of the fragment on: which bytes of tensor
// memory each lane has.
struct TensorRun {
  const TensorCopy* copy = nullptr;
  size_t first = 0;
  int64_t count = 1;
  int64_t lane_bytes = 0;  // of tensor memory
  std::array<int64_t, ir::kLanes> lane{}, byte{};
  bool together = false;  // neighbouring lanes of tensor memory, the same bytes of each

  int64_t At(size_t thread) const { return lane[thread] * lane_bytes + byte[thread]; }
  // visit(thread, range): all of it at once where the lanes are together, else each by itself.
  template <typename Visit>
  void ForRanges(int64_t bytes, const Visit& visit) const {
    if (together) return visit(size_t{0}, TensorRange{lane[0], ir::kLanes, byte[0], bytes});
    for (size_t thread = 0; thread < lane.size(); ++thread) {
      visit(thread, TensorRange{lane[thread], 1, byte[thread], bytes});
    }
  }
};

// Where a piece of an operand stands among its elements.
struct OperandPart {
  int64_t done = 0, rows = 0, columns = 0;
  bool k_is_row = false;
  int lane = 0;  // of the warp that has issued the product
};

// One copy of one thread, as it is made: its elements in order, and whose accesses its reads and
// writes are.
struct CopyRun {
  const Copy* copy = nullptr;
  int lane = 0;
  const Access* to = nullptr;
  const Access* from = nullptr;
  std::vector<Piece> to_pieces, from_pieces;
  int64_t numbers = 1;  // in an element of the source; its pieces are in numbers
  AgentId read_agent = 0, write_agent = 0;
  Epoch epoch = 0;
  bool async_proxy = false;
};

}  // namespace compiler::machine
