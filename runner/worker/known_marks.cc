#include "runner/worker/known_marks.h"

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
    if (tensor.tensor->role == contract::Role::kIn) {
      out->inputs[name] = oracle::Fingerprint(key, drawn.memory.at(name), 0);
      continue;
    }
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

}  // namespace runner::worker
