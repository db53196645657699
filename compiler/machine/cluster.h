// CTAs of one cluster, side by side: each names the others' shared memory and mbarriers, and all
// threads meet in the cluster's barrier (PTX ISA, barrier.cluster). Internal to compiler/machine.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "compiler/machine/bytecode.h"
#include "compiler/machine/clock.h"
#include "compiler/machine/run_state.h"

namespace compiler::machine {

class Cta;

// What the CTAs of a cluster share, by rank. The barrier has one generation that fills: no thread
// arrives again before it has waited, so the next one begins only when all have left this one.
struct ClusterState {
  explicit ClusterState(size_t size) : ctas(size), arriving(size), completed(size) {}

  struct Arrived {
    AgentId agent = 0;
    ir::StmtId stmt = ir::StmtId::kNone;
  };
  std::vector<Cta*> ctas;
  int64_t generation = 0;
  std::vector<Arrived> arrived;             // in the filling generation
  std::vector<Clocks> arriving, completed;  // what its arrivals publish, by the rank of the thread

  void Restart() {
    generation = 0;
    arrived.clear();
    for (Clocks& clocks : arriving) clocks = Clocks();
    for (Clocks& clocks : completed) clocks = Clocks();
  }
};

// Clusters of a kernel whose grid need not be followed as a whole, one after the other.
class ClusterRun {
 public:
  ClusterRun(RunState& run, const ir::Kernel& kernel, const facts::KernelFacts& facts,
             const KernelCode& code, const facts::KernelLaunch& launch);
  ~ClusterRun();

  // Runs the CTAs from the one with this linear id on to their end, or until the run is stopped.
  void Run(int64_t first_cta);

 private:
  bool Sweep();
  void NothingMoves();

  RunState& run_;
  const facts::KernelLaunch& launch_;
  ClusterState state_;
  std::vector<std::unique_ptr<Cta>> ctas_;
};

}  // namespace compiler::machine
