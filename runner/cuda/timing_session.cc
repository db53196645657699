#include "runner/cuda/timing_session.h"

#include <algorithm>
#include <array>

#include "absl/strings/str_cat.h"
#include "runner/child/crash_note.h"
#include "runner/oracle/generate.h"

namespace runner::cuda {
namespace {

constexpr int64_t kCopyAlignment = 256, kFirstRunMs = 20'000;

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

Failure TimingSession::CloneOf(CUdeviceptr from, int64_t bytes, CUdeviceptr& address) {
  const DeviceMemory& memory = memory_.emplace_back(driver_, bytes);
  if (!memory.failure().ok()) return memory.failure();
  address = memory.address();
  if (bytes == 0) return {};
  return {driver_.api().memcpy_dtod_async(address, from, static_cast<size_t>(bytes), nullptr),
          "copy an image"};
}

absl::StatusOr<Failure> TimingSession::AddProgram(std::string name, const Module& module,
                                                  compiler::facts::LaunchPlan plan,
                                                  const ImageCache::Start& start) {
  const bool first = contestants_.empty();
  if (first) {
    const auto traffic = contract::TrafficOf(*start.workload, *start.at);
    if (!traffic.ok()) return traffic.status();
    moved_bytes_ = traffic->read + traffic->written;
  }
  const auto& kept = plans_.emplace_back(std::move(plan));
  const launch::Layout& layout = layouts_.emplace_back(launch::LayOut(kept));
  Contestant contestant{.name = std::move(name), .decides = !first};
  contestant.queue = [&module, &kept, &layout](CUdeviceptr image, CUstream stream) {
    return module.Launch(kept, layout, image, stream);
  };
  // Workspaces hold what the other program left in them, as they may after any launch.
  if (!first && SameMemory(layout, layouts_.front())) {
    contestant.images = contestants_.front().images;
    contestants_.push_back(std::move(contestant));
    return Failure{};
  }
  for (int k = 0; k < kTimingImages; ++k) {
    auto filled = images_.Get(start, layout, launch::TimedRun(k));
    if (!filled.ok()) return filled.status();
    if (!filled->failure.ok()) return filled->failure;
    const CUdeviceptr from = filled->memory->address();
    first_contents_.push_back(std::move(filled->memory));
    Image& image = contestant.images.emplace_back();
    image.bytes = layout.bytes;
    if (auto failure = CloneOf(from, layout.bytes, image.address); !failure.ok()) return failure;
    for (const launch::Slot* slot : ChangedByRuns(*start.workload, layout)) {
      const auto offset = static_cast<CUdeviceptr>(slot->offset + oracle::kGuardBytes);
      image.restores.push_back(
          {.to = image.address + offset, .from = from + offset, .bytes = slot->bytes});
    }
  }
  // Our stream does not wait for the default one, which the copies belong to.
  if (const CUresult result = driver_.api().stream_synchronize(nullptr); result != kSuccess)
    return Failure{result, "copy an image"};
  contestants_.push_back(std::move(contestant));
  return Failure{};
}

absl::StatusOr<Failure> TimingSession::AddProduct(std::string name, const Product& product) {
  std::array<CUdeviceptr, 3> offsets{};
  for (const launch::Slot& slot : layouts_.front().slots) {
    for (size_t i = 0; i < Product::kTensors.size(); ++i) {
      if (!slot.workspace && slot.name == Product::kTensors[i])
        offsets[i] = static_cast<CUdeviceptr>(slot.offset + oracle::kGuardBytes);
    }
  }
  if (std::find(offsets.begin(), offsets.end(), 0) != offsets.end())
    return absl::InvalidArgumentError("the candidate has not every matrix of the product");
  Contestant contestant{.name = std::move(name), .decides = true};
  contestant.images = contestants_.front().images;
  contestant.queue = [&product, offsets](CUdeviceptr image, CUstream stream) {
    return product.Queue(image + offsets[0], image + offsets[1], image + offsets[2], stream);
  };
  contestants_.push_back(std::move(contestant));
  return Failure{};
}

void TimingSession::AddForeign(
    std::string name, std::function<Failure(size_t image, bool cold, double& ns)> foreign) {
  Contestant contestant{.name = std::move(name), .foreign = std::move(foreign), .decides = true};
  contestant.images.resize(kTimingImages);
  has_foreign_ = true;
  contestants_.push_back(std::move(contestant));
}

// Further images, each a copy of an earlier one on the device.
Failure TimingSession::Spread(std::vector<Image>& images, int count) {
  const size_t first = images.size();
  while (images.size() < static_cast<size_t>(count)) {
    Image image = images[images.size() % first];
    const CUdeviceptr from = image.address;
    if (auto failure = CloneOf(from, image.bytes, image.address); !failure.ok()) return failure;
    for (Restore& restore : image.restores) restore.to += image.address - from;
    images.push_back(std::move(image));
  }
  return {driver_.api().stream_synchronize(nullptr), "copy an image"};
}

Failure TimingSession::MakeGraphs(CUstream stream, int runs) {
  const std::vector<Image> shared = contestants_.front().images;
  std::vector<Image> spread = shared;
  if (auto failure = Spread(spread, runs); !failure.ok()) return failure;
  for (Contestant& contestant : contestants_) {
    const bool shares = contestant.images.front().address == shared.front().address;
    if (shares)
      contestant.images = spread;
    else if (auto failure = Spread(contestant.images, runs); !failure.ok())
      return failure;
    Graph& graph = graphs_.emplace_back(driver_);
    // Once before: nothing is loaded or set for the first time while a graph is made.
    child::Doing(absl::StrCat("running the ", contestant.name, " before its graph is made"));
    if (auto failure = contestant.queue(contestant.images.front().address, stream); !failure.ok())
      return failure;
    if (auto failure = Wait(driver_, stream, kFirstRunMs); !failure.ok()) return failure;
    child::Doing(absl::StrCat("making a graph of the ", contestant.name));
    contestant.renew = [&graph, queue = contestant.queue, images = contestant.images](CUstream on) {
      return graph.Capture(on, [&]() -> Failure {
        for (const Image& image : images)
          if (auto failure = queue(image.address, on); !failure.ok()) return failure;
        return {};
      });
    };
    if (auto failure = contestant.renew(stream); !failure.ok()) return failure;
    contestant.queue = [&graph](CUdeviceptr, CUstream on) { return graph.Launch(on); };
    contestant.launches = static_cast<int>(contestant.images.size());
    Image all;
    for (const Image& image : contestant.images)
      all.restores.insert(all.restores.end(), image.restores.begin(), image.restores.end());
    contestant.images = {all};
  }
  return {};
}

Failure TimingSession::AddCopy() {
  const int64_t half = std::max(kCopyAlignment, moved_bytes_ / 2 / kCopyAlignment * kCopyAlignment);
  Contestant contestant{.name = "copy", .decides = contestants_.size() == 1};
  // A copy reads the first half of an image's memory and writes the second.
  contestant.queue = [this, bytes = static_cast<size_t>(half)](CUdeviceptr image,
                                                               CUstream stream) -> Failure {
    return {driver_.api().memcpy_dtod_async(image + bytes, image, bytes, stream), "copy"};
  };
  for (int k = 0; k < kTimingImages; ++k) {
    const DeviceMemory& memory = memory_.emplace_back(driver_, 2 * half);
    if (!memory.failure().ok()) return memory.failure();
    contestant.images.push_back({memory.address(), 2 * half, {}});
  }
  copy_bytes_ = 2 * half;
  contestants_.push_back(std::move(contestant));
  return {};
}

}  // namespace runner::cuda
