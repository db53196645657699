#include "runner/cuda/progress.h"

#include <algorithm>

#include "runner/launch/progress.h"

namespace runner::cuda {

using compiler::emit::ProgressWord;

Failure ProgressParameters::Make(const Driver& driver, const compiler::facts::LaunchPlan& plan,
                                 CUstream stream) {
  for (const compiler::facts::KernelLaunch& kernel : plan.kernels) {
    const int64_t ctas = kernel.skipped ? 0 : kernel.grid[0] * kernel.grid[1] * kernel.grid[2];
    const int64_t threads = std::max<int64_t>(1, ctas * kernel.block);
    const int64_t bytes = threads * static_cast<int64_t>(sizeof(ProgressWord));
    if (bytes > kProgressBytesMax) return {kErrorOutOfMemory, "make room for progress words"};
    const DeviceMemory& made = memory_.emplace_back(driver, bytes);
    if (!made.failure().ok()) return made.failure();
    const CUresult zeroed =
        driver.api().memset_d8_async(made.address(), 0, static_cast<size_t>(bytes), stream);
    if (zeroed != kSuccess) return {zeroed, "clear progress words"};
    parameters_.push_back({.records = made.address(), .limit = 1});
    last_.push_back(&parameters_.back());
  }
  return {};
}

Failure ProgressParameters::Read(const Driver& driver, size_t i,
                                 std::vector<ProgressWord>& words) const {
  words.resize(static_cast<size_t>(memory_[i].bytes()) / sizeof(ProgressWord));
  return {driver.api().memcpy_dtoh(words.data(), memory_[i].address(),
                                   words.size() * sizeof(ProgressWord)),
          "read progress words"};
}

std::string ProgressParameters::Autopsy(const Driver& driver, const launch::Elaborated& program,
                                        const compiler::facts::LaunchPlan& plan) const {
  launch::Autopsy autopsy;
  for (size_t i = 0; i < plan.kernels.size(); ++i) {
    std::vector<ProgressWord> words;
    if (plan.kernels[i].skipped) continue;
    if (!Read(driver, i, words).ok()) return "";
    launch::AddWords(program, i, words, autopsy);
  }
  return launch::ToJson(autopsy);
}

}  // namespace runner::cuda
