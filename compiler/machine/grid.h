// CTAs side by side: kernels whose CTAs wait for each other, or learn from each other, run all
// resident CTAs of the launch at once, in one space of clocks. Other kernels run CTA after CTA.
#pragma once

#include <memory>
#include <vector>

#include "compiler/machine/cta.h"

namespace compiler::machine {

class Grid {
 public:
  Grid(RunState& run, const ir::Kernel& kernel, const facts::KernelFacts& facts,
       const KernelCode& code, const facts::KernelLaunch& launch)
      : run_(run), kernel_(kernel), facts_(facts), code_(code), launch_(launch) {}

  // Runs the CTAs with these linear ids, in this order as far as they are resident.
  void Run(const std::vector<int64_t>& ctas);

 private:
  int64_t Resident(int64_t ctas) const;
  void Admit(const std::vector<int64_t>& ctas);
  bool Sweep();
  bool LeaveTogether(size_t ctas);
  void NothingMoves(size_t ctas);

  RunState& run_;
  const ir::Kernel& kernel_;
  const facts::KernelFacts& facts_;
  const KernelCode& code_;
  const facts::KernelLaunch& launch_;
  AgentSpace space_;
  std::vector<std::unique_ptr<ClusterState>> clusters_;
  std::vector<std::unique_ptr<Cta>> alive_;
  size_t admitted_ = 0;
};

}  // namespace compiler::machine
