#include "runner/worker/known_marks.h"

#include <algorithm>

#include "runner/oracle/fingerprint.h"
#include "runner/oracle/precision.h"
#include "runner/reference/numbers.h"

namespace runner::worker {

int64_t KnownMarks::bytes() const {
  int64_t out = 0;
  for (const auto& [name, one] : bounds) out += static_cast<int64_t>(one.bounds.size());
  return out;
}

absl::StatusOr<std::shared_ptr<const KnownMarks>> MarksOf(const contract::Workload& workload,
                                                          const contract::Case& at,
                                                          const oracle::DrawnInputs& drawn,
                                                          uint64_t key) {
  auto out = std::make_shared<KnownMarks>();
  const auto tensors = contract::TensorsOf(workload, at);
  if (!tensors.ok()) return tensors.status();
  const auto builtin = reference::FindBuiltin(workload.reference.builtin);
  if (!builtin.ok()) return builtin.status();
  for (const contract::CaseTensor& tensor : *tensors) {
    const std::string& name = tensor.tensor->name;
    if (tensor.tensor->role != contract::Role::kOut)
      out->inputs[name] = oracle::Fingerprint(key, drawn.memory.at(name), 0);
    if (tensor.tensor->role == contract::Role::kIn) continue;
    auto view = oracle::OutputViewOf(workload, at, tensor);
    if (!view.ok()) return view.status();
    const auto given = drawn.inputs.given.find(name);
    auto accepted = given == drawn.inputs.given.end()
                        ? std::nullopt
                        : oracle::AcceptedOf(*view, given->second.want, given->second.scale, 0);
    if (!accepted) {
      out->usable = false;
      return out;
    }
    out->accepted[name] = oracle::FingerprintOf(*accepted, key, 0);
    out->bounds[name] = *std::move(accepted);
    const int64_t elements = oracle::PrecisionElements(**builtin, drawn.inputs, *view);
    const bool dense = tensor.tensor->strides.empty();
    out->heads[name] =
        dense ? elements * reference::ElementBytes(tensor.tensor->dtype) : tensor.bytes;
  }
  return out;
}

bool HeadsPass(const contract::Workload& workload, const contract::Case& at,
               const oracle::DrawnInputs& drawn, const std::map<std::string, int64_t>& order,
               std::span<const std::byte> heads) {
  constexpr int64_t kElements = 4096;  // of each output
  const auto tensors = contract::TensorsOf(workload, at);
  if (!tensors.ok()) return false;
  size_t from = 0;
  for (const auto& [name, bytes] : order) {
    const auto head = heads.subspan(from, static_cast<size_t>(bytes));
    from += head.size();
    const auto tensor = std::find_if(tensors->begin(), tensors->end(),
                                     [&](const auto& t) { return t.tensor->name == name; });
    const auto given = drawn.inputs.given.find(name);
    if (tensor == tensors->end() || given == drawn.inputs.given.end()) return false;
    const auto view = oracle::OutputViewOf(workload, at, *tensor);
    if (!view.ok()) return false;
    const int64_t width = reference::ElementBytes(tensor->tensor->dtype);
    for (int64_t i = 0; i < std::min(tensor->elements, kElements); ++i) {
      const int64_t place = reference::OffsetOf(*tensor, i) * width;
      const auto at_i = static_cast<size_t>(i);
      if (place + width > bytes) break;
      if (!oracle::Passes(*view, head.data() + place, given->second.want[at_i],
                          given->second.scale[at_i]))
        return false;
    }
  }
  return true;
}

}  // namespace runner::worker
