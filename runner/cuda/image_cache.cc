#include "runner/cuda/image_cache.h"

#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"
#include "runner/oracle/generate.h"

namespace runner::cuda {
namespace {

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
  const std::span<std::byte> bytes = staging_.Take(layout.bytes);
  ClearGaps(layout, bytes);
  auto filled = launch::FillRun(*start.workload, *start.at, layout, run, start.seed, bytes, 0);
  if (!filled.ok()) return filled;
  while (!kept_.empty() && bytes_ + layout.bytes > bytes_max_) {
    bytes_ -= kept_.back().memory->bytes();
    kept_.pop_back();
  }
  auto memory = std::make_shared<const DeviceMemory>(driver_, layout.bytes);
  if (!memory->failure().ok()) return Found{.failure = memory->failure()};
  if (auto failure = Upload(driver_, memory->address(), bytes); !failure.ok())
    return Found{.failure = failure};
  if (Keeps(layout.bytes)) {
    kept_.push_front({key, memory});
    bytes_ += layout.bytes;
  }
  return Found{.memory = std::move(memory)};
}

}  // namespace runner::cuda
