#include "runner/cuda/reference_run.h"

#include <algorithm>
#include <deque>
#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"
#include "runner/child/json_field.h"
#include "runner/device/reference.h"

namespace runner::cuda {
namespace {

constexpr unsigned kBlock = 128;
// Of one launch: it has to end long before launches count as hanging, and its values are in memory
// twice.
constexpr int64_t kWorkMax = int64_t{1} << 35, kElementsMax = int64_t{1} << 24;

absl::Status Said(const Driver& driver, const Failure& failure) {
  if (failure.ok()) return absl::OkStatus();
  return absl::UnavailableError(absl::StrCat(failure.what, ": ", driver.NameOf(failure.result)));
}

struct Uploaded {
  reference::Inputs inputs;
  std::deque<DeviceMemory> memory;
  std::map<std::string, CUdeviceptr> addresses;
};

absl::Status Upload(const Driver& driver, const contract::Workload& workload,
                    const contract::Case& at, std::span<const std::byte> bytes,
                    const std::vector<contract::CaseTensor>& tensors, Uploaded& out) {
  out.inputs.args = contract::ArgsOf(workload, at);
  size_t from = 0;
  for (const contract::CaseTensor& tensor : tensors) {
    if (tensor.tensor->role == contract::Role::kOut) {
      out.inputs.outputs[tensor.tensor->name] = tensor;
      continue;
    }
    const auto size = static_cast<size_t>(tensor.bytes);
    if (size > bytes.size() - from) return absl::InvalidArgumentError("inputs are too short");
    const auto mine = bytes.subspan(from, size);
    from += size;
    const DeviceMemory& memory = out.memory.emplace_back(driver, tensor.bytes);
    Failure failure = memory.failure();
    if (failure.ok()) failure = cuda::Upload(driver, memory.address(), mine);
    if (!failure.ok()) return Said(driver, failure);
    out.addresses[tensor.tensor->name] = memory.address();
    out.inputs.tensors[tensor.tensor->name] = {.at = tensor, .memory = mine};
  }
  return absl::OkStatus();
}

// Pieces of whole rows, one after the other, into `out`: values, then scales.
absl::Status RunPieces(const ReferenceMeans& means, device::PlainForm& form, int64_t elements,
                       std::span<std::byte> out) {
  const int64_t rows = elements / form.columns;
  const int64_t work_a_row = std::max<int64_t>(1, form.work / std::max<int64_t>(1, rows));
  int64_t step = std::min(kElementsMax / form.columns, kWorkMax / work_a_row);
  step = std::clamp<int64_t>(step / form.row_step * form.row_step, form.row_step,
                             std::max<int64_t>(rows, form.row_step));
  const int64_t half = step * form.columns * static_cast<int64_t>(sizeof(double));
  const DeviceMemory memory(means.driver, 2 * half);
  if (!memory.failure().ok()) return Said(means.driver, memory.failure());
  const size_t whole = out.size() / 2;
  for (int64_t row = 0; row < rows; row += step) {
    const int64_t count = std::min(step, rows - row);
    device::PieceView piece{.begin = row * form.columns,
                            .end = (row + count) * form.columns,
                            .columns = form.columns,
                            .want = memory.address(),
                            .scale = memory.address() + static_cast<uint64_t>(half)};
    auto parameters = form.Parameters(piece);
    const int64_t threads = (count + form.row_step - 1) / form.row_step * form.threads_a_row;
    const auto blocks = static_cast<unsigned>((threads + kBlock - 1) / kBlock);
    Failure failure =
        means.module.LaunchOne(form.kernel, {blocks, 1, 1}, kBlock, parameters, means.stream);
    if (failure.ok()) failure = Wait(means.driver, means.stream, means.launch_ms);
    if (!failure.ok()) return Said(means.driver, failure);
    const auto bytes = static_cast<size_t>(count * form.columns) * sizeof(double);
    const size_t to = static_cast<size_t>(piece.begin) * sizeof(double);
    const DriverApi& api = means.driver.api();
    CUresult result = api.memcpy_dtoh(out.data() + to, piece.want, bytes);
    if (result == kSuccess) result = api.memcpy_dtoh(out.data() + whole + to, piece.scale, bytes);
    if (result != kSuccess) return Said(means.driver, {result, "copy from the device"});
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<child::MemoryFile> RunReference(const ReferenceMeans& means,
                                               const std::string& request,
                                               std::span<const std::byte> inputs) {
  const auto asked = nlohmann::json::parse(request, nullptr, false);
  const auto workload = contract::FromJson(child::TextField(asked, "contract"));
  if (!workload.ok()) return workload.status();
  const contract::Case* at = contract::FindCase(*workload, child::TextField(asked, "case"));
  const auto builtin = reference::FindBuiltin(workload->reference.builtin);
  if (!builtin.ok() || at == nullptr) return absl::InvalidArgumentError("no reference of a case");
  const auto tensors = contract::TensorsOf(*workload, *at);
  if (!tensors.ok()) return tensors.status();
  Uploaded uploaded;
  auto status = Upload(means.driver, *workload, *at, inputs, *tensors, uploaded);
  if (!status.ok()) return status;
  const std::string output = child::TextField(asked, "output");
  auto form = device::PlainFormOf(**builtin, output, uploaded.inputs);
  const auto tensor = std::find_if(tensors->begin(), tensors->end(),
                                   [&](const auto& t) { return t.tensor->name == output; });
  if (!form || tensor == tensors->end())
    return absl::InvalidArgumentError("the reference has no plain form of the output");
  for (size_t i = 0; i < form->views.size(); ++i)
    form->views[i].address = uploaded.addresses.at(form->tensors[i]);
  auto file = child::MemoryFile::Create(
      "values", 2 * tensor->elements * static_cast<int64_t>(sizeof(double)));
  if (!file.ok()) return file;
  status = RunPieces(means, *form, tensor->elements, file->bytes());
  if (!status.ok()) return status;
  return file;
}

}  // namespace runner::cuda
