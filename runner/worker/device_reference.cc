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

bool Near(double got, double want, double size) {
  if (std::isnan(want) || std::isnan(got)) return std::isnan(want) == std::isnan(got);
  return got == want || std::abs(got - want) <= kAgree * std::max(std::abs(want), size);
}

// An output by the host's reference around some of its rows: a granule as it is, but of attention
// one query alone, whose head would take as long as all else.
class HostRows {
 public:
  HostRows(const reference::Builtin& builtin, const Inputs& inputs, const device::PlainForm& form,
           const contract::Compare& compare, const Inputs::Given& given)
      : builtin_(builtin), inputs_(inputs), form_(form), compare_(compare), given_(given) {}

  bool Agree(int64_t row) {
    begin_ = row * form_.columns;
    int64_t end = begin_ + form_.columns;
    const bool alone = form_.kernel == device::kAttentionKernel;
    if (!alone) {
      const int64_t granule = builtin_.granule(inputs_, compare_.output);
      begin_ = begin_ / granule * granule;
      end = std::max(end, begin_ + granule);
    }
    want_.resize(static_cast<size_t>(end - begin_));
    scale_.resize(want_.size());
    if (compare_.metric == contract::Metric::kRegret) return ChosenAsWell(end);
    if (!alone) {
      builtin_.evaluate(inputs_, compare_.output, {begin_, end, want_.data(), scale_.data()});
    } else if (!OneQuery(row)) {
      return false;
    }
    for (size_t i = 0; i < want_.size(); ++i) {
      const size_t at = static_cast<size_t>(begin_) + i;
      if (!Near(given_.want[at], want_[i], scale_[i]) ||
          !Near(given_.scale[at], scale_[i], scale_[i]))
        return false;
    }
    return true;
  }

 private:
  // Of elements that are equally good either may be chosen.
  bool ChosenAsWell(int64_t end) {
    std::vector<int64_t> got;
    for (int64_t at = begin_; at < end; ++at)
      got.push_back(std::llround(given_.want[static_cast<size_t>(at)]));
    std::vector<double> loss(got.size());
    builtin_.regret(inputs_, compare_.output, {begin_, end, want_.data(), scale_.data()},
                    got.data(), loss.data());
    for (size_t i = 0; i < loss.size(); ++i) {
      if (loss[i] > kAgree * scale_[i] ||
          !Near(given_.scale[static_cast<size_t>(begin_) + i], scale_[i], scale_[i]))
        return false;
    }
    return true;
  }

  // Rows from one on of a dense tensor, as a tensor of one batch and head.
  bool Take(const std::string& name, int64_t row, int64_t rows, Inputs& out) {
    const Inputs::Tensor& whole = inputs_.tensors.at(name);
    if (!whole.at.tensor->strides.empty()) return false;
    const int64_t bytes = whole.at.bytes / std::max<int64_t>(1, whole.at.elements);
    const int64_t depth = form_.shape.n[device::kDepth];
    Inputs::Tensor& part = out.tensors[name];
    part.at = whole.at;
    part.at.shape = {1, 1, rows, depth};
    part.at.elements = rows * depth;
    part.memory = whole.memory.subspan(static_cast<size_t>(row * depth * bytes),
                                       static_cast<size_t>(rows * depth * bytes));
    return true;
  }

  bool OneQuery(int64_t row) {
    const auto& n = form_.shape.n;
    const int64_t queries = n[device::kQueries], heads = n[device::kHeads];
    const int64_t keys = n[device::kKeys], depth = n[device::kDepth];
    const int64_t s = row % queries, head = row / queries % heads, batch = row / queries / heads;
    const int64_t key_head = batch * n[device::kKeyHeads] + head / (heads / n[device::kKeyHeads]);
    const int64_t seen =
        n[device::kCausal] != 0 ? std::clamp<int64_t>(s + 1 + keys - queries, 0, keys) : keys;
    const auto attention = reference::FindBuiltin("attention");
    Inputs one{.args = inputs_.args};
    if (!attention.ok() || !Take("q", row, 1, one) || !Take("k", key_head * keys, seen, one) ||
        !Take("v", key_head * keys, seen, one))
      return false;
    (*attention)->evaluate(one, "o", {0, depth, want_.data(), scale_.data()});
    return true;
  }

  const reference::Builtin& builtin_;
  const Inputs& inputs_;
  const device::PlainForm& form_;
  const contract::Compare& compare_;
  const Inputs::Given& given_;
  int64_t begin_ = 0;
  std::vector<double> want_, scale_;
};

bool Agrees(HostRows host, int64_t rows, uint64_t seed) {
  for (int64_t i = 0; i < kRowsCompared; ++i) {
    // The last row has the largest places.
    const uint64_t drawn = oracle::DeriveKey(seed, "reference rows", static_cast<uint64_t>(i));
    const int64_t row =
        i == 0 ? rows - 1 : static_cast<int64_t>(drawn % static_cast<uint64_t>(rows));
    if (!host.Agree(row)) return false;
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
  const auto build = compiler_->Compile({.cuda = device::ReferenceSource(),
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
  const contract::Compare& compare = *contract::FindCompare(workload, name);
  const HostRows host(**builtin, drawn.inputs, *form, compare, given);
  if (Agrees(host, output.elements / form->columns, seed)) return true;
  // The host's reference is the authority: the device's is asked no more.
  reference_status_ = absl::InternalError(
      absl::StrCat("the reference on the device says otherwise of case ", at.name));
  return false;
}

}  // namespace runner::worker
