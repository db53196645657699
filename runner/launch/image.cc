#include "runner/launch/image.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "runner/oracle/generate.h"

namespace runner::launch {
namespace {

using oracle::kGuardBytes;

size_t Size(int64_t value) { return static_cast<size_t>(value); }

}  // namespace

Layout LayOut(const compiler::facts::LaunchPlan& plan) {
  Layout layout;
  for (const auto& tensor : plan.tensors) {
    layout.slots.push_back({.name = tensor.name,
                            .dtype = tensor.dtype,
                            .bytes = tensor.bytes,
                            .offset = layout.bytes,
                            .workspace = tensor.direction == compiler::ir::Direction::kWorkspace,
                            .zero = tensor.zero,
                            .alignment = tensor.alignment});
    const int64_t end = layout.bytes + tensor.bytes + 2 * kGuardBytes + kSlotAlignment;
    layout.bytes = (end + kSlotAlignment - 1) / kSlotAlignment * kSlotAlignment;
  }
  return layout;
}

Layout LayoutOf(const Layout& layout, const RunSpec& run) {
  Layout out = layout;
  for (Slot& slot : out.slots) {
    if (run.shifted && slot.alignment < kSlotAlignment) slot.offset += slot.alignment;
  }
  return out;
}

std::span<std::byte> DataOf(const Slot& slot, std::span<std::byte> image) {
  return image.subspan(Size(slot.offset + kGuardBytes), Size(slot.bytes));
}

absl::Status FillRun(const contract::Workload& workload, const contract::Case& at,
                     const Layout& layout, const RunSpec& run, uint64_t seed,
                     std::span<std::byte> image, int threads, const std::set<std::string>& left) {
  const auto tensors = contract::TensorsOf(workload, at);
  if (!tensors.ok()) return tensors.status();
  for (size_t i = 0; i < layout.slots.size(); ++i) {
    const Slot& slot = layout.slots[i];
    const auto data = DataOf(slot, image);
    oracle::FillGuard(run.poison, static_cast<int>(i), 0,
                      image.subspan(Size(slot.offset), kGuardBytes));
    oracle::FillGuard(run.poison, static_cast<int>(i), 1,
                      image.subspan(Size(slot.offset + kGuardBytes + slot.bytes), kGuardBytes));
    const auto tensor =
        std::find_if(tensors->begin(), tensors->end(), [&](const contract::CaseTensor& t) {
          return !slot.workspace && t.tensor->name == slot.name;
        });
    if (!slot.workspace && (tensor == tensors->end() || tensor->bytes != slot.bytes)) {
      return absl::FailedPreconditionError(
          absl::StrCat("buffer ", slot.name, " is not the contract's"));
    }
    if (!slot.workspace && tensor->tensor->role != contract::Role::kOut) {
      if (left.contains(slot.name)) continue;
      auto status = oracle::FillInput(workload, at, *tensor, seed, run.input_set, data, threads);
      if (!status.ok()) return status;
    } else {
      oracle::FillPoison(slot.dtype, run.poison, static_cast<int>(i), data, threads);
    }
  }
  return absl::OkStatus();
}

oracle::Run ViewOf(const Layout& layout, const RunSpec& run, std::span<const std::byte> image) {
  oracle::Run out{.poison = run.poison,
                  .input_set = run.input_set,
                  .shifted = run.shifted,
                  .jittered = run.jitter_seed != 0};
  for (const Slot& slot : layout.slots) {
    out.buffers.push_back(
        {.name = slot.name,
         .before = image.subspan(Size(slot.offset), kGuardBytes),
         .data = image.subspan(Size(slot.offset + kGuardBytes), Size(slot.bytes)),
         .after = image.subspan(Size(slot.offset + kGuardBytes + slot.bytes), kGuardBytes)});
  }
  return out;
}

}  // namespace runner::launch
