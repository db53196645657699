#include "runner/cuda/timing_session.h"

#include <algorithm>

namespace runner::cuda {
namespace {

constexpr int64_t kCopyAlignment = 256;

}  // namespace

absl::StatusOr<Failure> TimingSession::AddProgram(const Module& module,
                                                  compiler::facts::LaunchPlan plan,
                                                  const contract::Workload& workload,
                                                  const contract::Case& at, uint64_t seed) {
  plans_.push_back(std::move(plan));
  layouts_.push_back(launch::LayOut(plans_.back()));
  const launch::Layout& layout = layouts_.back();
  Contestant contestant{.module = &module, .plan = &plans_.back(), .layout = &layout};
  std::vector<std::byte> image(static_cast<size_t>(layout.bytes));
  for (int k = 0; k < kTimingImages; ++k) {
    const auto status = launch::FillRun(workload, at, layout, launch::TimedRun(k), seed, image, 0);
    if (!status.ok()) return status;
    const DeviceMemory& memory = memory_.emplace_back(driver_, layout.bytes);
    if (!memory.failure().ok()) return memory.failure();
    contestant.images.push_back(memory.address());
    if (auto failure = Upload(driver_, memory.address(), image); !failure.ok()) return failure;
  }
  contestants_.push_back(std::move(contestant));
  return Failure{};
}

Failure TimingSession::AddCopy() {
  int64_t moved = 0;
  for (const launch::Slot& slot : layout().slots) moved += slot.workspace ? 0 : slot.bytes;
  const int64_t half = std::max(kCopyAlignment, moved / 2 / kCopyAlignment * kCopyAlignment);
  Contestant contestant{.copy_bytes = half};
  for (int k = 0; k < kTimingImages; ++k) {
    const DeviceMemory& memory = memory_.emplace_back(driver_, 2 * half);
    if (!memory.failure().ok()) return memory.failure();
    contestant.images.push_back(memory.address());
  }
  copy_bytes_ = 2 * half;
  contestants_.push_back(std::move(contestant));
  return {};
}

}  // namespace runner::cuda
