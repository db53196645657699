#include "runner/launch/marks.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "runner/oracle/fingerprint.h"
#include "runner/oracle/generate.h"

namespace runner::launch {
namespace {

using oracle::kGuardBytes;

constexpr size_t kCanariesMax = 1 << 14;
constexpr int kData = 2;  // Part::side

const contract::Tensor* TensorOf(const Slot& slot, const contract::Workload& workload) {
  return slot.workspace ? nullptr : contract::FindTensor(workload, slot.name);
}

MarksFault Fault(MarksFault::Kind kind, std::string what) { return {kind, std::move(what)}; }

// One run by itself.
class RunCheck {
 public:
  RunCheck(const MarksOrder& order, const contract::Workload& workload, const Layout& layout,
           CanarySums& canaries)
      : order_(order), workload_(workload), layout_(layout), canaries_(canaries) {}

  MarksFault Of(size_t r, const RunSpec& run, const RunMarks& marks) {
    const auto parts = ConstantParts(layout_, workload_);
    const auto slots = OutputSlots(layout_, workload_);
    if (marks.after.size() != parts.size() || marks.outputs.size() != slots.size() ||
        (!order_.timed && marks.before.size() != parts.size()))
      return Fault(MarksFault::Kind::kKept, absl::StrCat("marks of run ", r, " are missing"));
    if (auto fault = OfStarts(r, marks); fault.kind != MarksFault::Kind::kNone) return fault;
    for (size_t i = 0; i < parts.size(); ++i) {
      const uint64_t want = Want(order_.runs[r], run, parts[i]);
      const std::string& name = layout_.slots[static_cast<size_t>(parts[i].slot)].name;
      if (!order_.timed && marks.before[i] != want)
        return Fault(MarksFault::Kind::kKept,
                     absl::StrCat("run ", r, " began with another ", name));
      if (marks.after[i] != want)
        return Fault(MarksFault::Kind::kProgram,
                     absl::StrCat("run ", r, " changed ", name, " or what is around it"));
    }
    for (size_t i = 0; i < slots.size(); ++i) {
      const Slot& slot = layout_.slots[static_cast<size_t>(slots[i])];
      if (auto fault = OfOutput(r, slot, marks.outputs[i]); fault.kind != MarksFault::Kind::kNone)
        return fault;
    }
    return {};
  }

 private:
  uint64_t Want(const MarksOrder::Run& run, const RunSpec& spec, const Part& part) {
    if (part.side != kData) return canaries_.Of(order_.key, spec.poison, part.slot, part.side);
    const auto sum = run.inputs.find(layout_.slots[static_cast<size_t>(part.slot)].name);
    return sum == run.inputs.end() ? 0 : sum->second;
  }

  // Right elements that stood in an output from the start are nobody's work.
  MarksFault OfStarts(size_t r, const RunMarks& marks) const {
    if (order_.timed) return {};
    const auto slots = StartSlots(layout_, workload_);
    if (marks.starts.size() != slots.size())
      return Fault(MarksFault::Kind::kKept, absl::StrCat("marks of run ", r, " are missing"));
    for (size_t i = 0; i < slots.size(); ++i) {
      const Slot& slot = layout_.slots[static_cast<size_t>(slots[i])];
      const auto contents = order_.runs[r].inputs.find(slot.name);
      const bool poisoned = BeginsPoisoned(slot, workload_);
      const bool known = poisoned || contents != order_.runs[r].inputs.end();
      if (known && marks.starts[i] == (poisoned ? 0 : contents->second)) continue;
      return Fault(MarksFault::Kind::kKept,
                   absl::StrCat("run ", r, " began with another ", slot.name));
    }
    return {};
  }

  MarksFault OfOutput(size_t r, const Slot& slot, const OutputMarks& marks) const {
    const auto& accepted = order_.runs[r].accepted;
    const auto sum = accepted.find(slot.name);
    if (sum == accepted.end() || sum->second != marks.accepted)
      return Fault(MarksFault::Kind::kKept,
                   absl::StrCat("run ", r, " was compared with other bounds of ", slot.name));
    const bool out = contract::FindTensor(workload_, slot.name)->role == contract::Role::kOut;
    if (marks.wrong == 0 && marks.between == 0 && (!out || marks.poisoned == 0)) return {};
    return Fault(MarksFault::Kind::kProgram,
                 absl::StrCat("run ", r, ": ", marks.wrong, " elements of ", slot.name,
                              " are outside their bounds, ", marks.between,
                              " places between elements changed, ", marks.poisoned,
                              " elements hold what was there before"));
  }

  const MarksOrder& order_;
  const contract::Workload& workload_;
  const Layout& layout_;
  CanarySums& canaries_;
};

bool SameOutputs(const RunMarks& a, const RunMarks& b) {
  return std::equal(a.outputs.begin(), a.outputs.end(), b.outputs.begin(), b.outputs.end(),
                    [](const auto& x, const auto& y) { return x.outputs == y.outputs; });
}

}  // namespace

std::vector<Part> ConstantParts(const Layout& layout, const contract::Workload& workload) {
  std::vector<Part> out;
  for (size_t i = 0; i < layout.slots.size(); ++i) {
    const Slot& slot = layout.slots[i];
    const auto number = static_cast<int>(i);
    const contract::Tensor* tensor = TensorOf(slot, workload);
    out.push_back({number, 0, slot.offset, kGuardBytes});
    if (tensor != nullptr && tensor->role == contract::Role::kIn)
      out.push_back({number, kData, slot.offset + kGuardBytes, slot.bytes});
    out.push_back({number, 1, slot.offset + kGuardBytes + slot.bytes, kGuardBytes});
  }
  return out;
}

std::vector<int> OutputSlots(const Layout& layout, const contract::Workload& workload) {
  std::vector<int> out;
  for (size_t i = 0; i < layout.slots.size(); ++i) {
    const contract::Tensor* tensor = TensorOf(layout.slots[i], workload);
    if (tensor != nullptr && tensor->role != contract::Role::kIn)
      out.push_back(static_cast<int>(i));
  }
  return out;
}

std::vector<int> StartSlots(const Layout& layout, const contract::Workload& workload) {
  std::vector<int> out;
  for (size_t i = 0; i < layout.slots.size(); ++i) {
    const contract::Tensor* tensor = TensorOf(layout.slots[i], workload);
    if (tensor == nullptr || tensor->role != contract::Role::kIn)
      out.push_back(static_cast<int>(i));
  }
  return out;
}

bool BeginsPoisoned(const Slot& slot, const contract::Workload& workload) {
  const contract::Tensor* tensor = TensorOf(slot, workload);
  return tensor == nullptr || tensor->role == contract::Role::kOut;
}

uint64_t CanarySums::Of(uint64_t key, uint64_t poison, int slot, int side) {
  if (sums_.size() >= kCanariesMax) sums_.clear();
  const auto [found, made] = sums_.try_emplace({key, poison, slot, side}, 0);
  if (made) {
    std::vector<std::byte> canary(kGuardBytes);
    oracle::FillGuard(poison, slot, side, canary);
    found->second = oracle::Fingerprint(key, canary, 1);
  }
  return found->second;
}

MarksFault FaultOf(const MarksOrder& order, const contract::Workload& workload,
                   const Layout& layout, const std::vector<RunSpec>& runs,
                   const std::vector<RunMarks>& marks, CanarySums& canaries) {
  if (runs.empty() || order.runs.size() != runs.size() || marks.size() != runs.size())
    return Fault(MarksFault::Kind::kKept, "there are marks of other runs");
  RunCheck check(order, workload, layout, canaries);
  for (size_t r = 0; r < runs.size(); ++r) {
    if (auto fault = check.Of(r, runs[r], marks[r]); fault.kind != MarksFault::Kind::kNone)
      return fault;
    const bool again = runs[r].input_set == runs[0].input_set &&
                       workload.determinism == contract::Determinism::kBitwise;
    if (again && !SameOutputs(marks[r], marks[0]))
      return Fault(MarksFault::Kind::kProgram,
                   absl::StrCat("run ", r, " left other outputs than run 0"));
  }
  return {};
}

}  // namespace runner::launch
