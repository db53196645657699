// Barriers as generation objects: the number of completed generations is unbounded, a parity is the
// business of the lowering. Named barriers and the scopes of `sync` are the first clients.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "compiler/ir/program.h"
#include "compiler/machine/clock.h"

namespace compiler::machine {

// One warp's part in a generation.
struct Contribution {
  AgentId agent = 0;
  int role = 0;
  ir::StmtId stmt = ir::StmtId::kNone;
  bool waits = false;
};

struct Barrier {
  std::string name;  // as a finding calls it: "full[1]", "sync cta"
  ir::Scope scope = ir::Scope::kCta;
  bool named = false;
  int32_t declared = -1;  // BarrierId of a named barrier
  int role = -1;          // of `sync role`, `sync wg`
  int group = 0;          // warpgroup of `sync wg`
  int64_t needed_threads = 0;

  int64_t generation = 0;       // completed generations = number of the one that is filling
  int64_t arrived_threads = 0;  // in the filling generation
  std::vector<Contribution> contributions;
  Clocks arriving;   // join of what the contributions publish
  Clocks completed;  // what the last completed generation published

  void Restart(size_t agents) {
    generation = 0;
    arrived_threads = 0;
    contributions.clear();
    arriving.Reset(agents);
    completed.Reset(agents);
  }
};

}  // namespace compiler::machine
