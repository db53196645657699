#include "runner/cuda/timing_session.h"

#include <algorithm>

#include "runner/oracle/generate.h"

namespace runner::cuda {
namespace {

constexpr int64_t kCopyAlignment = 256;

// The buffers of a layout that a run both reads and changes.
std::vector<const launch::Slot*> ChangedInPlace(const contract::Workload& workload,
                                                const launch::Layout& layout) {
  std::vector<const launch::Slot*> out;
  for (const launch::Slot& slot : layout.slots) {
    if (slot.workspace || slot.bytes == 0) continue;
    const contract::Tensor* tensor = contract::FindTensor(workload, slot.name);
    if (tensor != nullptr && tensor->role == contract::Role::kInOut) out.push_back(&slot);
  }
  return out;
}

}  // namespace

Failure TimingSession::Place(std::span<const std::byte> bytes, CUdeviceptr& address) {
  const DeviceMemory& memory = memory_.emplace_back(driver_, static_cast<int64_t>(bytes.size()));
  if (!memory.failure().ok()) return memory.failure();
  address = memory.address();
  return Upload(driver_, address, bytes);
}

absl::StatusOr<Failure> TimingSession::AddProgram(const Module& module,
                                                  compiler::facts::LaunchPlan plan,
                                                  const contract::Workload& workload,
                                                  const contract::Case& at, uint64_t seed) {
  if (contestants_.empty()) {
    const auto traffic = contract::TrafficOf(workload, at);
    if (!traffic.ok()) return traffic.status();
    moved_bytes_ = traffic->read + traffic->written;
  }
  plans_.push_back(std::move(plan));
  layouts_.push_back(launch::LayOut(plans_.back()));
  const launch::Layout& layout = layouts_.back();
  Contestant contestant{.module = &module, .plan = &plans_.back(), .layout = &layout};
  std::vector<std::byte> bytes(static_cast<size_t>(layout.bytes));
  for (int k = 0; k < kTimingImages; ++k) {
    const auto status = launch::FillRun(workload, at, layout, launch::TimedRun(k), seed, bytes, 0);
    if (!status.ok()) return status;
    Image& image = contestant.images.emplace_back();
    if (auto failure = Place(bytes, image.address); !failure.ok()) return failure;
    for (const launch::Slot* slot : ChangedInPlace(workload, layout)) {
      const auto offset = static_cast<CUdeviceptr>(slot->offset + oracle::kGuardBytes);
      Restore restore{.to = image.address + offset, .bytes = slot->bytes};
      if (auto failure = Place(launch::DataOf(*slot, bytes), restore.from); !failure.ok())
        return failure;
      image.restores.push_back(restore);
    }
  }
  contestants_.push_back(std::move(contestant));
  return Failure{};
}

Failure TimingSession::AddCopy() {
  const int64_t half = std::max(kCopyAlignment, moved_bytes_ / 2 / kCopyAlignment * kCopyAlignment);
  Contestant contestant{.copy_bytes = half};
  for (int k = 0; k < kTimingImages; ++k) {
    const DeviceMemory& memory = memory_.emplace_back(driver_, 2 * half);
    if (!memory.failure().ok()) return memory.failure();
    contestant.images.push_back({memory.address(), {}});
  }
  copy_bytes_ = 2 * half;
  contestants_.push_back(std::move(contestant));
  return {};
}

}  // namespace runner::cuda
