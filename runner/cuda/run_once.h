// One run of a case for the oracle.
#pragma once

#include <cstdint>
#include <span>

#include "runner/child/spans.h"
#include "runner/cuda/launcher.h"

namespace runner::cuda {

struct RunMeans {
  const Driver& driver;
  CUstream stream = nullptr;
  int64_t launch_ms = 0;
};

// From an image that is in place: launch, wait, and down to `image`. `last`: what instrumented
// kernels take after all others.
Failure RunOnce(const RunMeans& means, const Module& module,
                const compiler::facts::LaunchPlan& plan, const launch::Layout& layout,
                std::span<void* const> last, std::span<std::byte> image, const DeviceMemory& memory,
                child::Spans& spans);

}  // namespace runner::cuda
