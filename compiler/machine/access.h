// What accesses are made of, while they run. Internal to compiler/machine.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "compiler/machine/bytecode.h"
#include "compiler/machine/run_state.h"
#include "compiler/machine/shared_memory.h"

namespace compiler::machine {

// What a load or store of one warp resolves to: per lane the offset of its first element.
struct Addresses {
  std::array<int64_t, ir::kLanes> offset;  // in elements from the start of the buffer
  uint32_t valid = 0;                      // lanes that access memory
  uint32_t outside = 0;                    // lanes out of bounds
};

// Of some lanes: where the bytes of each begin, and how many they are.
struct LaneBytes {
  uint32_t lanes = 0;
  std::array<int64_t, ir::kLanes> first;
  int64_t bytes = 0;
};

// Neighbouring elements of a buffer; `first` is kOutside for elements of a box that are not in
// its tensor.
struct Piece {
  int64_t first = 0, count = 0;
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
  // Of shared memory: visit(byte, cell) for each unit of these bytes, which count from `base`.
  template <typename Visit>
  void ForShared(int64_t byte, int64_t bytes, const Visit& visit) const {
    const int64_t before = base - region->begin;
    region->cells.ForWhole(
        byte + before, bytes, [&](const Cell& cell) { return rules->CopyOf(cell); },
        [&](int64_t at, Cell& cell) { visit(at - before, cell); });
  }
};

// Registers of neighbouring columns, from number `first` of the fragment on: where in tensor
// memory each lane's bytes begin.
struct TensorRun {
  const TensorCopy* copy = nullptr;
  size_t first = 0;
  int64_t count = 1;
  std::array<int64_t, ir::kLanes> at{};
};

// Where a piece of an operand stands among its elements.
struct OperandPart {
  int64_t done = 0, rows = 0, columns = 0;
  bool k_is_row = false;
};

// One copy of one thread, as it is made: its elements in order, and whose accesses its reads and
// writes are.
struct CopyRun {
  const Copy* copy = nullptr;
  int lane = 0;
  const Access* to = nullptr;
  const Access* from = nullptr;
  std::vector<Piece> to_pieces, from_pieces;
  AgentId read_agent = 0, write_agent = 0;
  Epoch epoch = 0;
  bool async_proxy = false;
};

}  // namespace compiler::machine
