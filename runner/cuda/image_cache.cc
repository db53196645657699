#include "runner/cuda/image_cache.h"

#include <algorithm>
#include <set>
#include <vector>

#include "absl/strings/str_cat.h"
#include "runner/oracle/generate.h"

namespace runner::cuda {
namespace {

// A small input is made sooner than it is copied.
constexpr int64_t kInputBytesMin = 64 << 10;

std::string InputKey(const ImageCache::Start& start, const std::string& name,
                     const launch::RunSpec& run) {
  return absl::StrCat(start.contract_hash, " ", start.at->name, " ", start.seed, " ", run.input_set,
                      " ", name);
}

// The slots of the inputs that are worth keeping by themselves.
std::vector<const launch::Slot*> InputSlots(const contract::Workload& workload,
                                            const launch::Layout& layout) {
  std::vector<const launch::Slot*> out;
  for (const launch::Slot& slot : layout.slots) {
    if (slot.workspace || slot.bytes < kInputBytesMin) continue;
    const contract::Tensor* tensor = contract::FindTensor(workload, slot.name);
    if (tensor != nullptr && tensor->role != contract::Role::kOut) out.push_back(&slot);
  }
  return out;
}

CUdeviceptr DataAt(CUdeviceptr image, const launch::Slot& slot) {
  return image + static_cast<CUdeviceptr>(slot.offset + oracle::kGuardBytes);
}

std::string KeyOf(const ImageCache::Start& start, const launch::Layout& layout,
                  const launch::RunSpec& run) {
  std::string key = absl::StrCat(start.contract_hash, " ", start.at->name, " ", start.seed, " ",
                                 run.poison, " ", run.input_set);
  for (const launch::Slot& slot : layout.slots) {
    absl::StrAppend(&key, " ", slot.name, ":", static_cast<int>(slot.dtype), ":", slot.bytes, ":",
                    slot.offset, slot.workspace ? "w" : "");
  }
  return key;
}

// What lies between buffers is the same for everybody: nothing of the image before.
void ClearGaps(const launch::Layout& layout, std::span<std::byte> image) {
  int64_t from = 0;
  const auto clear = [&](int64_t to) {
    std::fill(image.begin() + from, image.begin() + std::max(from, to), std::byte{0});
  };
  for (const launch::Slot& slot : layout.slots) {
    clear(slot.offset);
    from = slot.offset + slot.bytes + 2 * oracle::kGuardBytes;
  }
  clear(layout.bytes);
}

}  // namespace

Failure ImageCache::Copy(CUdeviceptr to, CUdeviceptr from, int64_t bytes) const {
  CUresult result =
      driver_.api().memcpy_dtod_async(to, from, static_cast<size_t>(bytes), nullptr);
  if (result == kSuccess) result = driver_.api().stream_synchronize(nullptr);
  return {result, "copy an input"};
}

ImageCache::Inputs ImageCache::KnownInputs(const Start& start, const launch::Layout& layout,
                                           const launch::RunSpec& run) {
  Inputs out;
  for (const launch::Slot* slot : InputSlots(*start.workload, layout)) {
    auto known = inputs_.Find(InputKey(start, slot->name, run));
    if (known != nullptr && known->bytes() == slot->bytes) out[slot->name] = std::move(known);
  }
  return out;
}

// Known inputs get into the image, the others out of it; without room for them they are not kept.
Failure ImageCache::KeepInputs(const Start& start, const launch::Layout& layout,
                               const launch::RunSpec& run, const Inputs& known,
                               CUdeviceptr image) {
  for (const launch::Slot* slot : InputSlots(*start.workload, layout)) {
    const CUdeviceptr data = DataAt(image, *slot);
    if (const auto found = known.find(slot->name); found != known.end()) {
      if (auto failure = Copy(data, found->second->address(), slot->bytes); !failure.ok())
        return failure;
      continue;
    }
    ++drawn_;
    auto memory = std::make_shared<const DeviceMemory>(driver_, slot->bytes);
    if (!memory->failure().ok()) continue;
    if (auto failure = Copy(memory->address(), data, slot->bytes); !failure.ok()) return failure;
    inputs_.Keep(InputKey(start, slot->name, run), std::move(memory), slot->bytes);
  }
  return {};
}

absl::StatusOr<ImageCache::Found> ImageCache::Get(const Start& start, const launch::Layout& layout,
                                                  const launch::RunSpec& run) {
  const std::string key = KeyOf(start, layout, run);
  const auto found =
      std::find_if(kept_.begin(), kept_.end(), [&](const Kept& kept) { return kept.key == key; });
  if (found != kept_.end()) {
    kept_.splice(kept_.begin(), kept_, found);
    ++hits_;
    return Found{.memory = kept_.front().memory};
  }
  const Inputs known = KnownInputs(start, layout, run);
  std::set<std::string> left;
  for (const auto& [name, memory] : known) left.insert(name);
  const std::span<std::byte> bytes = staging_.Take(layout.bytes);
  ClearGaps(layout, bytes);
  auto filled =
      launch::FillRun(*start.workload, *start.at, layout, run, start.seed, bytes, 0, left);
  if (!filled.ok()) return filled;
  while (!kept_.empty() && bytes_ + layout.bytes > bytes_max_) {
    bytes_ -= kept_.back().memory->bytes();
    kept_.pop_back();
  }
  auto memory = std::make_shared<const DeviceMemory>(driver_, layout.bytes);
  if (!memory->failure().ok()) return Found{.failure = memory->failure()};
  if (auto failure = Upload(driver_, memory->address(), bytes); !failure.ok())
    return Found{.failure = failure};
  if (auto failure = KeepInputs(start, layout, run, known, memory->address()); !failure.ok())
    return Found{.failure = failure};
  if (Keeps(layout.bytes)) {
    kept_.push_front({key, memory});
    bytes_ += layout.bytes;
  }
  return Found{.memory = std::move(memory)};
}

}  // namespace runner::cuda
