#include "runner/cuda/run_once.h"

namespace runner::cuda {

Failure RunOnce(const RunMeans& means, const Module& module,
                const compiler::facts::LaunchPlan& plan, const launch::Layout& layout,
                std::span<void* const> last, std::span<std::byte> image, const DeviceMemory& memory,
                child::Spans& spans) {
  {
    const child::Span span(spans, "child.launch");
    if (auto failure = module.Launch(plan, layout, memory.address(), means.stream, last);
        !failure.ok())
      return failure;
    if (auto failure = Wait(means.driver, means.stream, means.launch_ms); !failure.ok())
      return failure;
  }
  if (image.empty()) return {};
  const child::Span span(spans, "child.download");
  return {means.driver.api().memcpy_dtoh(image.data(), memory.address(), image.size()),
          "copy from the device"};
}

}  // namespace runner::cuda
