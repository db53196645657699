// What a CTA remembers of its asynchronous copies, products, patched maps and requests.
#pragma once

#include <array>
#include <deque>

#include "compiler/ir/program.h"
#include "compiler/machine/event_log.h"
#include "compiler/machine/warp.h"

namespace compiler::machine {

// The last load that a queue of loads was given.
struct IssuedLoad {
  AgentId warp = 0;
  Epoch epoch = 0;
  ir::StmtId stmt = ir::StmtId::kNone;
};

// What the warps of one warpgroup have executed of products and their groups, in order; by the
// number of its first warp. Statements that all four have passed are forgotten.
struct WarpgroupOrder {
  std::deque<ir::StmtId> statements;
  int64_t forgotten = 0;
  std::array<int64_t, ir::kWarpgroupWarps> passed{};
};

// A copy through a patched map.
struct MapUse {
  AgentId agent = 0;
  Epoch epoch = 0;
  int lane = 0;
  bool load = false;
  ir::StmtId stmt = ir::StmtId::kNone;
};

// A request for the place of another CTA that was not granted.
struct Refusal {
  AgentId agent = 0;
  Epoch epoch = 0;
  ir::StmtId stmt = ir::StmtId::kNone;
};

// Tickets that a warp draws as a log says.
struct TicketReplay {
  const WarpTickets* from = nullptr;
  std::array<size_t, ir::kLanes> next{}, next_answer{};
};

// One element of one lane's atomic.
struct AtomicWord {
  int64_t offset = 0;  // of the buffer's elements
  int lane = 0;
  size_t index = 0;  // among the elements of the access
};

}  // namespace compiler::machine
