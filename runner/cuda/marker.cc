#include "runner/cuda/marker.h"

#include <algorithm>
#include <utility>

#include "runner/device/judge.h"
#include "runner/oracle/generate.h"

namespace runner::cuda {
namespace {

constexpr unsigned kBlock = 256;
constexpr int64_t kWordsAThread = 4, kBlocksMax = 1024;

int64_t BlocksFor(int64_t items) {
  const int64_t each = kBlock * kWordsAThread;
  return std::clamp<int64_t>((items + each - 1) / each, 1, kBlocksMax);
}

}  // namespace

Failure Marker::Load(const std::string& cubin) {
  module_.emplace(driver_);
  auto failure =
      module_->Load(cubin, {device::kPartsKernel, device::kOutputKernel, device::kPoisonKernel});
  if (!failure.ok()) module_.reset();
  return failure;
}

Failure Marker::Keep(const launch::KeepRequest& request, std::span<const std::byte> bytes) {
  const auto all = static_cast<int64_t>(bytes.size());
  kept_.Forget(request.known);
  auto bounds = std::make_shared<Bounds>(DeviceMemory(driver_, all));
  if (!bounds->memory.failure().ok()) return bounds->memory.failure();
  int64_t offset = 0;
  for (const auto& [name, size] : request.outputs) {
    bounds->outputs[name] = {offset, size};
    offset += size;
  }
  if (offset != all) return {kErrorInvalidValue, "bounds of other outputs"};
  if (auto failure = Upload(driver_, bounds->memory.address(), bytes); !failure.ok())
    return failure;
  kept_.Keep(request.known, std::move(bounds), all);
  return {};
}

bool Marker::Begin(const launch::MarksOrder& order, const contract::Workload& workload,
                   const launch::Layout& layout) {
  bounds_.clear();
  workload_ = &workload;
  key_ = order.key;
  if (!module_ || order.runs.empty()) return false;
  const auto slots = launch::OutputSlots(layout, workload);
  parts_ = launch::ConstantParts(layout, workload).size();
  starts_ = launch::StartSlots(layout, workload).size();
  outputs_ = slots.size();
  for (const auto& run : order.runs) {
    auto bounds = kept_.Find(run.known);
    if (bounds == nullptr) return false;
    for (const int slot : slots) {
      const launch::Slot& at = layout.slots[static_cast<size_t>(slot)];
      const auto output = bounds->outputs.find(at.name);
      if (output == bounds->outputs.end() || output->second.bytes != 2 * at.bytes ||
          !device::OutputOf(at.dtype, 0, 0))
        return false;
    }
    bounds_.push_back(std::move(bounds));
  }
  const auto bytes = WordsOfRun() * static_cast<int64_t>(order.runs.size() * sizeof(uint64_t));
  if (!words_ || words_->bytes() < bytes) words_.emplace(driver_, bytes);
  return words_->failure().ok() &&
         driver_.api().memset_d8_async(words_->address(), 0, static_cast<size_t>(bytes), stream_) ==
             kSuccess;
}

int64_t Marker::WordsOfRun() const {
  return static_cast<int64_t>(2 * parts_ + starts_ + outputs_ * device::kMarks);
}

CUdeviceptr Marker::WordAt(size_t run, int64_t word) const {
  return words_->address() +
         static_cast<CUdeviceptr>((static_cast<int64_t>(run) * WordsOfRun() + word) *
                                  static_cast<int64_t>(sizeof(uint64_t)));
}

Failure Marker::Queue(const char* kernel, int64_t blocks, int64_t rows,
                      std::vector<void*> parameters) {
  return module_->LaunchOne(kernel, {static_cast<unsigned>(blocks), static_cast<unsigned>(rows), 1},
                            kBlock, parameters, stream_);
}

Failure Marker::Parts(const launch::Layout& layout, CUdeviceptr image, CUdeviceptr sums) {
  const auto parts = launch::ConstantParts(layout, *workload_);
  for (size_t first = 0; first < parts.size(); first += device::kPartsMax) {
    const size_t count = std::min<size_t>(device::kPartsMax, parts.size() - first);
    device::Parts some;
    int64_t longest = 0;
    for (size_t i = 0; i < count; ++i) {
      const launch::Part& part = parts[first + i];
      some.part[i] = {image + static_cast<CUdeviceptr>(part.offset),
                      static_cast<uint64_t>(part.bytes)};
      longest = std::max(longest, part.bytes);
    }
    CUdeviceptr to = sums + first * sizeof(uint64_t);
    const auto words = (longest + 7) / 8;
    if (auto failure = Queue(device::kPartsKernel, BlocksFor(words), static_cast<int64_t>(count),
                             {&some, &key_, &to});
        !failure.ok())
      return failure;
  }
  return {};
}

// One word a slot: the fingerprint of contents, or how much of the poison is not there.
Failure Marker::Starts(const launch::Layout& layout, const launch::RunSpec& run, CUdeviceptr image,
                       CUdeviceptr sums) {
  for (const int number : launch::StartSlots(layout, *workload_)) {
    const launch::Slot& slot = layout.slots[static_cast<size_t>(number)];
    const CUdeviceptr data = image + static_cast<CUdeviceptr>(slot.offset + oracle::kGuardBytes);
    CUdeviceptr to = std::exchange(sums, sums + sizeof(uint64_t));
    auto poison = device::OutputOf(slot.dtype, run.poison, number);
    Failure failure;
    if (!launch::BeginsPoisoned(slot, *workload_)) {
      device::Parts one{.part = {{data, static_cast<uint64_t>(slot.bytes)}}};
      failure = Queue(device::kPartsKernel, BlocksFor((slot.bytes + 7) / 8), 1, {&one, &key_, &to});
    } else if (poison && slot.bytes > 0) {
      poison->data = data;
      poison->places = static_cast<uint64_t>(slot.bytes) / poison->width;
      failure = Queue(device::kPoisonKernel, BlocksFor(static_cast<int64_t>(poison->places)), 1,
                      {&*poison, &to});
    }
    if (!failure.ok()) return failure;
  }
  return {};
}

Failure Marker::Before(size_t r, const launch::Layout& layout, const launch::RunSpec& run,
                       CUdeviceptr image) {
  if (auto failure = Parts(layout, image, WordAt(r, 0)); !failure.ok()) return failure;
  return Starts(layout, run, image, WordAt(r, static_cast<int64_t>(2 * parts_)));
}

Failure Marker::After(size_t r, const launch::Layout& layout, const launch::RunSpec& run,
                      CUdeviceptr image) {
  if (auto failure = Parts(layout, image, WordAt(r, static_cast<int64_t>(parts_))); !failure.ok())
    return failure;
  const auto slots = launch::OutputSlots(layout, *workload_);
  for (size_t i = 0; i < slots.size(); ++i) {
    const launch::Slot& slot = layout.slots[static_cast<size_t>(slots[i])];
    if (slot.bytes == 0) continue;
    const auto& kept = bounds_[r]->outputs.at(slot.name);
    device::Output output = *device::OutputOf(slot.dtype, run.poison, slots[i]);
    output.data = image + static_cast<CUdeviceptr>(slot.offset + oracle::kGuardBytes);
    output.low = bounds_[r]->memory.address() + static_cast<CUdeviceptr>(kept.offset);
    output.high = output.low + static_cast<CUdeviceptr>(slot.bytes);
    output.places = static_cast<uint64_t>(slot.bytes) / output.width;
    output.key = key_;
    CUdeviceptr to = WordAt(r, static_cast<int64_t>(2 * parts_ + starts_ + i * device::kMarks));
    if (auto failure = Queue(device::kOutputKernel, BlocksFor(static_cast<int64_t>(output.places)),
                             1, {&output, &to});
        !failure.ok())
      return failure;
  }
  return {};
}

Failure Marker::Read(int64_t limit_ms, std::vector<launch::RunMarks>& marks) const {
  if (auto failure = Wait(driver_, stream_, limit_ms); !failure.ok()) return failure;
  std::vector<uint64_t> words(static_cast<size_t>(WordsOfRun()) * bounds_.size());
  const CUresult result =
      driver_.api().memcpy_dtoh(words.data(), words_->address(), words.size() * sizeof(uint64_t));
  if (result != kSuccess) return {result, "copy marks from the device"};
  auto at = words.begin();
  const auto take = [&](size_t count) {
    std::vector<uint64_t> out(at, at + static_cast<std::ptrdiff_t>(count));
    at += static_cast<std::ptrdiff_t>(count);
    return out;
  };
  for (size_t r = 0; r < bounds_.size(); ++r) {
    launch::RunMarks& run = marks.emplace_back();
    run.before = take(parts_);
    run.after = take(parts_);
    run.starts = take(starts_);
    for (size_t i = 0; i < outputs_; ++i) {
      const auto one = take(device::kMarks);
      run.outputs.push_back({one[device::kWrong], one[device::kBetween], one[device::kPoisoned],
                             one[device::kOutputs], one[device::kAccepted]});
    }
  }
  return {};
}

}  // namespace runner::cuda
