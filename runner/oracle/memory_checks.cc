#include "runner/oracle/memory_checks.h"

#include <algorithm>
#include <atomic>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "runner/oracle/generate.h"
#include "runner/reference/numbers.h"
#include "runner/reference/parallel.h"
#include "runner/reference/reference.h"

namespace runner::oracle {
namespace {

using contract::Role;

Check Made(std::string_view name, Outcome outcome, std::string detail) {
  return {std::string(name), outcome, std::move(detail)};
}

std::string BrokenGuard(const Run& run, size_t index, size_t r) {
  const Buffer& buffer = run.buffers[index];
  for (int side = 0; side < 2; ++side) {
    const auto guard = side == 0 ? buffer.before : buffer.after;
    const int64_t broken = FirstBrokenGuardByte(run.poison, static_cast<int>(index), side, guard);
    if (broken < 0) continue;
    const int64_t distance = side == 0 ? kGuardBytes - broken : broken;
    return absl::StrCat("run ", r, " wrote ", distance, " bytes ",
                        side == 0 ? "before the start of " : "after the end of ", buffer.name);
  }
  return "";
}

// The first element place between the elements of a strided output that lost its poison; -1: none.
int64_t BrokenGap(const contract::CaseTensor& tensor, const Run& run) {
  const auto dtype = tensor.tensor->dtype;
  const int64_t bytes = reference::ElementBytes(dtype);
  std::vector<bool> inside(static_cast<size_t>(tensor.bytes / bytes));
  for (int64_t i = 0; i < tensor.elements; ++i) {
    inside[static_cast<size_t>(reference::OffsetOf(tensor, i))] = true;
  }
  const int index = BufferIndex(run, tensor.tensor->name);
  const auto data = DataOf(run, tensor.tensor->name);
  for (size_t i = 0; i < inside.size(); ++i) {
    if (inside[i]) continue;
    const auto place = static_cast<int64_t>(i);
    uint64_t got = 0;
    std::memcpy(&got, data.data() + place * bytes, static_cast<size_t>(bytes));
    if (got != PoisonElement(dtype, run.poison, index, place)) return place;
  }
  return -1;
}

bool KeptPoison(const Run& run, const contract::CaseTensor& tensor, int64_t element) {
  const auto dtype = tensor.tensor->dtype;
  const int64_t bytes = reference::ElementBytes(dtype);
  const int64_t offset = reference::OffsetOf(tensor, element);
  const int index = BufferIndex(run, tensor.tensor->name);
  uint64_t got = 0;
  std::memcpy(&got, run.buffers[static_cast<size_t>(index)].data.data() + offset * bytes,
              static_cast<size_t>(bytes));
  return got == PoisonElement(dtype, run.poison, index, offset);
}

bool Repeats(const CaseView& view, const Run& run) {
  return run.input_set == view.runs[0].input_set && !run.shifted && !run.jittered;
}

}  // namespace

int BufferIndex(const Run& run, const std::string& name) {
  for (size_t i = 0; i < run.buffers.size(); ++i) {
    if (run.buffers[i].name == name) return static_cast<int>(i);
  }
  return -1;
}

std::span<const std::byte> DataOf(const Run& run, const std::string& name) {
  return run.buffers[static_cast<size_t>(BufferIndex(run, name))].data;
}

// What is written may depend on the inputs: the runs of one input set decide. One byte that is the
// poison by chance is no evidence.
bool Unwritten(const CaseView& view, const contract::CaseTensor& tensor, int64_t element) {
  constexpr int64_t kEvidenceBytes = 2;
  const int64_t bytes = reference::ElementBytes(tensor.tensor->dtype);
  for (size_t first = 0; first < view.runs.size(); ++first) {
    int64_t poisoned = 0, others = 0;
    for (size_t r = 0; r < view.runs.size() && others == 0; ++r) {
      if (view.runs[r].input_set != view.runs[first].input_set) continue;
      others += r < first || !KeptPoison(view.runs[r], tensor, element);
      ++poisoned;
    }
    if (others == 0 && poisoned * bytes >= kEvidenceBytes) return true;
  }
  return false;
}

Check CanariesIntact(const CaseView& view) {
  const bool strided = std::any_of(view.tensors.begin(), view.tensors.end(), [](const auto& one) {
    return one.tensor->role == Role::kOut && !one.tensor->strides.empty();
  });
  return Made(kCheckCanaries, Outcome::kPass,
              absl::StrCat(kGuardBytes, " bytes on both sides of each buffer",
                           strided ? ", and between strided elements" : ""));
}

Check CheckCanaries(const CaseView& view) {
  for (size_t r = 0; r < view.runs.size(); ++r) {
    const Run& run = view.runs[r];
    for (size_t i = 0; i < run.buffers.size(); ++i) {
      if (std::string fault = BrokenGuard(run, i, r); !fault.empty()) {
        return Made(kCheckCanaries, Outcome::kFail, std::move(fault));
      }
    }
    for (const contract::CaseTensor& tensor : view.tensors) {
      if (tensor.tensor->role != Role::kOut || tensor.tensor->strides.empty()) continue;
      const int64_t place = BrokenGap(tensor, run);
      if (place < 0) continue;
      return Made(kCheckCanaries, Outcome::kFail,
                  absl::StrCat("run ", r, " wrote between the elements of ", tensor.tensor->name,
                               ", ", place, " elements after its start"));
    }
  }
  return CanariesIntact(view);
}

// An element is unwritten if every run left that run's own poison there.
Check CheckWritten(const CaseView& view) {
  for (const contract::CaseTensor& tensor : view.tensors) {
    if (tensor.tensor->role != Role::kOut) continue;
    std::atomic<int64_t> count = 0, first = tensor.elements;
    reference::ParallelFor(tensor.elements, 1, view.threads, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        if (!Unwritten(view, tensor, i)) continue;
        ++count;
        int64_t seen = first;
        while (i < seen && !first.compare_exchange_weak(seen, i)) {
        }
      }
    });
    if (count == 0) continue;
    return Made(
        kCheckWritten, Outcome::kFail,
        absl::StrCat(count.load(), " of ", tensor.elements, " elements of ", tensor.tensor->name,
                     " are never written, the first is element ", first.load()));
  }
  return Made(kCheckWritten, Outcome::kPass, "");
}

Check Repeated(const CaseView& view) {
  const bool repeated = std::any_of(view.runs.begin() + 1, view.runs.end(),
                                    [&](const Run& run) { return Repeats(view, run); });
  return Made(kCheckRepeat, repeated ? Outcome::kPass : Outcome::kNotRun,
              repeated ? "bitwise" : "only one run of each input set");
}

Check CheckRepeat(const CaseView& view) {
  const Run& base = view.runs[0];
  for (size_t r = 1; r < view.runs.size(); ++r) {
    const Run& run = view.runs[r];
    if (!Repeats(view, run)) continue;
    for (const contract::CaseTensor& tensor : view.tensors) {
      if (tensor.tensor->role == Role::kIn) continue;
      const auto a = DataOf(base, tensor.tensor->name), b = DataOf(run, tensor.tensor->name);
      const int64_t bytes = reference::ElementBytes(tensor.tensor->dtype);
      for (int64_t i = 0; i < tensor.elements; ++i) {
        const int64_t at = reference::OffsetOf(tensor, i) * bytes;
        if (std::memcmp(a.data() + at, b.data() + at, static_cast<size_t>(bytes)) == 0) continue;
        // Unwritten elements hold each run's own poison: they are the other check's finding.
        if (tensor.tensor->role == Role::kOut && Unwritten(view, tensor, i)) continue;
        return Made(kCheckRepeat, Outcome::kFail,
                    absl::StrCat("runs 0 and ", r, " on the same inputs differ from byte ", at,
                                 " of ", tensor.tensor->name));
      }
    }
  }
  return Repeated(view);
}

bool SameOutputs(const CaseView& view, const Run& a, const Run& b) {
  return std::all_of(
      view.tensors.begin(), view.tensors.end(), [&](const contract::CaseTensor& tensor) {
        if (tensor.tensor->role == Role::kIn) return true;
        const auto x = DataOf(a, tensor.tensor->name), y = DataOf(b, tensor.tensor->name);
        if (tensor.tensor->strides.empty()) return std::equal(x.begin(), x.end(), y.begin());
        const int64_t bytes = reference::ElementBytes(tensor.tensor->dtype);
        for (int64_t i = 0; i < tensor.elements; ++i) {
          const int64_t at = reference::OffsetOf(tensor, i) * bytes;
          if (std::memcmp(x.data() + at, y.data() + at, static_cast<size_t>(bytes)) != 0)
            return false;
        }
        return true;
      });
}

}  // namespace runner::oracle
