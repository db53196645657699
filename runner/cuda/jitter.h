// What the kernels of an instrumented build take after their parameters: here only the seed of
// their delays. Of their log only the first record of each warp finds room, and nobody reads it.
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "compiler/emit/event_log.h"
#include "compiler/facts/launch.h"
#include "runner/cuda/launcher.h"

namespace runner::cuda {

class JitterParameters {
 public:
  // One parameter a kernel of the plan. The memory behind them lives as long as this.
  Failure Make(const Driver& driver, const compiler::facts::LaunchPlan& plan, uint32_t seed,
               CUstream stream);
  std::span<void* const> last() const { return last_; }

 private:
  std::deque<DeviceMemory> memory_;
  std::deque<compiler::emit::EventLogParameter> parameters_;
  std::vector<void*> last_;
};

}  // namespace runner::cuda
