#include "runner/cuda/jitter.h"

#include <algorithm>

#include "compiler/ir/op_def.h"

namespace runner::cuda {

using compiler::emit::EventLogRecord;

Failure JitterParameters::Make(const Driver& driver, const compiler::facts::LaunchPlan& plan,
                               uint32_t seed, CUstream stream) {
  for (const compiler::facts::KernelLaunch& kernel : plan.kernels) {
    const int64_t ctas = kernel.skipped ? 0 : kernel.grid[0] * kernel.grid[1] * kernel.grid[2];
    const int64_t warps = std::max<int64_t>(1, ctas * kernel.block / compiler::ir::kLanes);
    for (const size_t bytes : {sizeof(EventLogRecord), sizeof(uint32_t)}) {
      const int64_t all = warps * static_cast<int64_t>(bytes);
      const DeviceMemory& made = memory_.emplace_back(driver, all);
      if (!made.failure().ok()) return made.failure();
      const CUresult zeroed =
          driver.api().memset_d8_async(made.address(), 0, static_cast<size_t>(all), stream);
      if (zeroed != kSuccess) return {zeroed, "clear a log"};
    }
    parameters_.push_back({.records = memory_[memory_.size() - 2].address(),
                           .counts = memory_.back().address(),
                           .limit = 1,
                           .seed = seed});
    last_.push_back(&parameters_.back());
  }
  return {};
}

}  // namespace runner::cuda
