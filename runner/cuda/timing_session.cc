#include "runner/cuda/timing_session.h"

#include <algorithm>

#include "runner/oracle/generate.h"

namespace runner::cuda {
namespace {

constexpr int64_t kCopyAlignment = 256;

// The buffers of a layout that a run changes and whose contents are part of its result or input.
std::vector<const launch::Slot*> ChangedByRuns(const contract::Workload& workload,
                                               const launch::Layout& layout) {
  std::vector<const launch::Slot*> out;
  for (const launch::Slot& slot : layout.slots) {
    if (slot.workspace || slot.bytes == 0) continue;
    const contract::Tensor* tensor = contract::FindTensor(workload, slot.name);
    if (tensor != nullptr && tensor->role != contract::Role::kIn) out.push_back(&slot);
  }
  return out;
}

bool SameMemory(const launch::Layout& a, const launch::Layout& b) {
  return a.bytes == b.bytes &&
         std::equal(a.slots.begin(), a.slots.end(), b.slots.begin(), b.slots.end(),
                    [](const launch::Slot& x, const launch::Slot& y) {
                      return x.name == y.name && x.dtype == y.dtype && x.bytes == y.bytes &&
                             x.offset == y.offset && x.workspace == y.workspace;
                    });
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
  // Workspaces hold what the other program left in them, as they may after any launch.
  if (!contestants_.empty() && SameMemory(layout, layouts_.front())) {
    contestant.images = contestants_.front().images;
    contestants_.push_back(std::move(contestant));
    return Failure{};
  }
  std::vector<std::byte> bytes(static_cast<size_t>(layout.bytes));
  for (int k = 0; k < kTimingImages; ++k) {
    const auto status = launch::FillRun(workload, at, layout, launch::TimedRun(k), seed, bytes, 0);
    if (!status.ok()) return status;
    Image& image = contestant.images.emplace_back();
    if (auto failure = Place(bytes, image.address); !failure.ok()) return failure;
    for (const launch::Slot* slot : ChangedByRuns(workload, layout)) {
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
