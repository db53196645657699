// Expected outputs from the device, for sizes that take the host long: computed in a child that
// runs nobody's program, and compared with the host's own at rows of every output.
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"
#include "runner/child/json_field.h"
#include "runner/device/reference.h"
#include "runner/oracle/philox.h"
#include "runner/worker/evaluator.h"

namespace runner::worker {
namespace {

constexpr int64_t kAskMs = 120'000, kLaunchMs = 20'000;
constexpr int64_t kWorkAnElementMin = 256;  // less is done sooner than its result is copied
constexpr int64_t kRowsCompared = 5;
// Sums in double precision in another order differ by far less, what is wrong by far more.
constexpr double kAgree = 1e-9;

using reference::Inputs;

// One row of an output by the host's reference: of products as it is, of attention as that of one
// query alone, whose head would take as long as all else.
class HostRow {
 public:
  HostRow(const reference::Builtin& builtin, const Inputs& inputs, const device::PlainForm& form,
          const std::string& output)
      : builtin_(builtin), inputs_(inputs), form_(form), output_(output) {}

  bool Compute(int64_t row) {
    want.resize(static_cast<size_t>(form_.columns));
    scale.resize(want.size());
    if (form_.heads.depth == 0) {
      const int64_t begin = row * form_.columns;
      builtin_.evaluate(inputs_, output_,
                        {begin, begin + form_.columns, want.data(), scale.data()});
      return true;
    }
    return OneQuery(row);
  }
  std::vector<double> want, scale;

 private:
  // Rows from one on of a dense tensor, as a tensor of one batch and head.
  bool Take(const std::string& name, int64_t row, int64_t rows, Inputs& out) {
    const Inputs::Tensor& whole = inputs_.tensors.at(name);
    if (!whole.at.tensor->strides.empty()) return false;
    const int64_t bytes = whole.at.bytes / std::max<int64_t>(1, whole.at.elements);
    const int64_t depth = form_.heads.depth;
    Inputs::Tensor& part = out.tensors[name];
    part.at = whole.at;
    part.at.shape = {1, 1, rows, depth};
    part.at.elements = rows * depth;
    part.memory = whole.memory.subspan(static_cast<size_t>(row * depth * bytes),
                                       static_cast<size_t>(rows * depth * bytes));
    return true;
  }

  bool OneQuery(int64_t row) {
    const device::Heads& h = form_.heads;
    const int64_t s = row % h.queries, head = row / h.queries % h.heads;
    const int64_t batch = row / h.queries / h.heads;
    const int64_t key_head = batch * h.key_heads + head / (h.heads / h.key_heads);
    const int64_t seen =
        h.causal != 0 ? std::clamp<int64_t>(s + 1 + h.keys - h.queries, 0, h.keys) : h.keys;
    const auto attention = reference::FindBuiltin("attention");
    Inputs one{.args = inputs_.args};
    if (!attention.ok() || !Take("q", row, 1, one) || !Take("k", key_head * h.keys, seen, one) ||
        !Take("v", key_head * h.keys, seen, one))
      return false;
    (*attention)->evaluate(one, "o", {0, h.depth, want.data(), scale.data()});
    return true;
  }

  const reference::Builtin& builtin_;
  const Inputs& inputs_;
  const device::PlainForm& form_;
  const std::string output_;
};

bool Near(double got, double want, double size) {
  if (std::isnan(want) || std::isnan(got)) return std::isnan(want) == std::isnan(got);
  return got == want || std::abs(got - want) <= kAgree * std::max(std::abs(want), size);
}

bool Agrees(HostRow& host, const device::PlainForm& form, const Inputs::Given& given,
            uint64_t seed) {
  const int64_t rows = static_cast<int64_t>(given.want.size()) / form.columns;
  for (int64_t i = 0; i < kRowsCompared; ++i) {
    // The last row has the largest places.
    const uint64_t drawn = oracle::DeriveKey(seed, "reference rows", static_cast<uint64_t>(i));
    const int64_t row =
        i == 0 ? rows - 1 : static_cast<int64_t>(drawn % static_cast<uint64_t>(rows));
    if (!host.Compute(row)) return false;
    for (size_t c = 0; c < host.want.size(); ++c) {
      const size_t at = static_cast<size_t>(row * form.columns) + c;
      if (!Near(given.want[at], host.want[c], host.scale[c]) ||
          !Near(given.scale[at], host.scale[c], host.scale[c]))
        return false;
    }
  }
  return true;
}

}  // namespace

absl::Status Evaluator::StartReference() {
  if (reference_child_ != nullptr && reference_child_->alive()) return absl::OkStatus();
  if (auto status = EnsureCompiler(); !status.ok()) return status;
  EvalChildOptions options{.worker = options_.worker,
                           .cuda = true,
                           .libcuda = options_.libcuda,
                           .libcupti = "none",
                           .sandbox = eval_sandbox_,
                           .environment = options_.environment,
                           .visible = options_.visible,
                           .launch_ms = kLaunchMs};
  auto child = EvalChild::Start(options);
  if (!child.ok()) return child.status();
  const auto device = nlohmann::json::parse((*child)->device_json(), nullptr, false);
  const auto build = compiler_->Compile({.cuda = std::string(device::ReferenceSource()),
                                         .file_name = "reference.cu",
                                         .arch = child::TextField(device, "arch")});
  if (!build.ok()) return build.status();
  if (build->outcome != compile::Outcome::kBuilt) return absl::InternalError(build->log);
  const auto loaded = (*child)->Load(launch::kReferenceRole, build->cubin, kAskMs);
  if (!loaded.ok()) return loaded.status();
  reference_child_ = *std::move(child);
  return absl::OkStatus();
}

bool Evaluator::ExpectOnDevice(const contract::Workload& workload, const contract::Case& at,
                               const contract::CaseTensor& output, const oracle::DrawnInputs& drawn,
                               uint64_t seed, Inputs::Given& given) {
  const auto builtin = reference::FindBuiltin(workload.reference.builtin);
  if (!options_.cuda || !builtin.ok() || !reference_status_.ok() || output.elements == 0)
    return false;
  const std::string& name = output.tensor->name;
  const auto form = device::PlainFormOf(**builtin, name, drawn.inputs);
  if (!form || form->work < options_.reference_work_min ||
      form->work / output.elements < std::min(kWorkAnElementMin, options_.reference_work_min))
    return false;
  reference_status_ = StartReference();
  if (!reference_status_.ok()) return false;
  std::vector<std::span<const std::byte>> inputs;
  for (const contract::Tensor& tensor : workload.tensors) {
    if (tensor.role != contract::Role::kOut) inputs.emplace_back(drawn.memory.at(tensor.name));
  }
  const nlohmann::json request = {
      {"contract", contract::ToCanonicalJson(workload)}, {"case", at.name}, {"output", name}};
  const auto values = reference_child_->Reference(
      request.dump(), inputs, 2 * output.elements * static_cast<int64_t>(sizeof(double)), kAskMs);
  if (!values.ok()) return false;
  const auto* doubles = reinterpret_cast<const double*>(values->bytes().data());
  given.want.assign(doubles, doubles + output.elements);
  given.scale.assign(doubles + output.elements, doubles + 2 * output.elements);
  HostRow host(**builtin, drawn.inputs, *form, name);
  if (Agrees(host, *form, given, seed)) return true;
  // The host's reference is the authority: the device's is asked no more.
  reference_status_ = absl::InternalError(
      absl::StrCat("the reference on the device says otherwise of case ", at.name));
  return false;
}

}  // namespace runner::worker
