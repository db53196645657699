// The progress words of a build for autopsies: memory of the device that is read while its kernel
// hangs.
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <vector>

#include "compiler/emit/event_log.h"
#include "compiler/facts/launch.h"
#include "runner/cuda/launcher.h"
#include "runner/launch/elaborate.h"

namespace runner::cuda {

// Of one launch; a larger one gets no autopsy.
inline constexpr int64_t kProgressBytesMax = int64_t{1} << 30;

class ProgressParameters {
 public:
  // One parameter a kernel of the plan, its words cleared.
  Failure Make(const Driver& driver, const compiler::facts::LaunchPlan& plan, CUstream stream);
  std::span<void* const> last() const { return last_; }

  // JSON of launch::Autopsy: where everybody stands now; empty: the words cannot be read.
  std::string Autopsy(const Driver& driver, const launch::Elaborated& program,
                      const compiler::facts::LaunchPlan& plan) const;

 private:
  // The words of the i-th kernel of the plan as they are now. The copy is made by the default
  // stream, which does not wait for a stream that was made non-blocking (CUDA driver API,
  // cuStreamCreate): the kernel may still run.
  Failure Read(const Driver& driver, size_t i,
               std::vector<compiler::emit::ProgressWord>& words) const;

  std::deque<DeviceMemory> memory_;
  std::deque<compiler::emit::EventLogParameter> parameters_;
  std::vector<void*> last_;
};

}  // namespace runner::cuda
