#include "runner/worker/command_reference.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "runner/child/process.h"
#include "runner/child/sandbox.h"
#include "runner/child/write_file.h"
#include "runner/reference/numbers.h"
#include "runner/worker/safetensors.h"

namespace runner::worker {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kAddressBytes = int64_t{32} << 30;
constexpr int64_t kMsPerSecond = 1000;

// A folder of its own, removed at the end.
struct Folder {
  std::string path;
  Folder() {
    std::string pattern = (fs::temp_directory_path() / "cake-reference-XXXXXX").string();
    if (const char* made = mkdtemp(pattern.data())) path = made;
  }
  ~Folder() {
    std::error_code error;
    if (!path.empty()) fs::remove_all(path, error);
  }
};

// Row-major, without what lies between strided elements.
NamedTensor Packed(const reference::Inputs::Tensor& tensor) {
  const auto dtype = tensor.at.tensor->dtype;
  const int64_t bytes = reference::ElementBytes(dtype);
  NamedTensor out{.type = TypeName(dtype), .shape = tensor.at.shape};
  out.bytes.resize(static_cast<size_t>(tensor.at.elements * bytes));
  for (int64_t i = 0; i < tensor.at.elements; ++i) {
    std::memcpy(out.bytes.data() + i * bytes,
                tensor.memory.data() + reference::OffsetOf(tensor.at, i) * bytes,
                static_cast<size_t>(bytes));
  }
  return out;
}

absl::Status Spawn(const contract::Command& command, const Folder& folder) {
  child::SpawnOptions options{.environment = child::CleanEnvironment()};
  for (const std::string& word : command.argv) {
    options.argv.push_back(
        absl::StrReplaceAll(word, {{"{inputs}", folder.path + "/inputs.safetensors"},
                                   {"{outputs}", folder.path + "/outputs.safetensors"}}));
  }
  if (options.argv[0].find('/') == std::string::npos) {
    options.argv[0] = "/usr/bin/" + options.argv[0];
  }
  const int64_t seconds = command.timeout_s == 0
                              ? kReferenceSecondsDefault
                              : std::min<int64_t>(command.timeout_s, kReferenceSecondsMax);
  options.limits = {.cpu_seconds = seconds * std::max<long>(1, sysconf(_SC_NPROCESSORS_ONLN)),
                    .address_bytes = kAddressBytes,
                    .file_bytes = kReferenceBytesMax};
  options.new_network = geteuid() == 0;
  auto process = child::Process::Spawn(options);
  if (!process.ok()) return process.status();
  const child::Exit exit = process->Finish(seconds * kMsPerSecond);
  if (exit.kind == child::Exit::Kind::kExited && exit.code == 0) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat("the reference command ", options.argv[0], ": ",
                                                    exit.ToString(), " ", exit.error_tail));
}

absl::Status Take(const contract::CaseTensor& output,
                  const std::map<std::string, NamedTensor>& file, reference::Inputs& inputs) {
  const std::string& name = output.tensor->name;
  const auto fault = [&](const char* what) {
    return absl::FailedPreconditionError(
        absl::StrCat("the reference command's outputs: ", name, " ", what));
  };
  const auto found = file.find(name);
  if (found == file.end()) return fault("is missing");
  if (found->second.shape != output.shape) return fault("has another shape");
  reference::Inputs::Given& given = inputs.given[name];
  given.want = Values(found->second);
  given.scale.resize(given.want.size());
  std::transform(given.want.begin(), given.want.end(), given.scale.begin(),
                 [](double value) { return std::abs(value); });
  const auto scale = file.find(name + ".scale");
  if (scale == file.end()) return absl::OkStatus();
  if (scale->second.shape != output.shape) return fault("has a scale of another shape");
  given.scale = Values(scale->second);
  return absl::OkStatus();
}

}  // namespace

std::string InputsFile(const reference::Inputs& inputs) {
  std::map<std::string, NamedTensor> all;
  for (const auto& [name, tensor] : inputs.tensors) all[name] = Packed(tensor);
  for (const auto& [name, value] : inputs.args) {
    NamedTensor& arg = all[name] = {.type = "F64"};
    arg.bytes.resize(sizeof(value));
    std::memcpy(arg.bytes.data(), &value, sizeof(value));
  }
  return WriteSafetensors(all);
}

absl::Status RunReferenceCommand(const contract::Workload& workload, reference::Inputs& inputs) {
  const contract::Command& command = workload.reference.command;
  const Folder folder;
  if (folder.path.empty() || command.argv.empty()) {
    return absl::FailedPreconditionError("the reference command has no folder, or no words");
  }
  auto status = child::WriteFileAtomically(folder.path + "/inputs.safetensors", InputsFile(inputs));
  if (status.ok()) status = Spawn(command, folder);
  if (!status.ok()) return status;
  const auto text = child::ReadWholeFile(folder.path + "/outputs.safetensors", kReferenceBytesMax);
  if (!text.ok()) return text.status();
  const auto file = ReadSafetensors(*text);
  if (!file.ok()) return absl::FailedPreconditionError(std::string(file.status().message()));
  for (const auto& [name, output] : inputs.outputs) {
    if (auto taken = Take(output, *file, inputs); !taken.ok()) return taken;
  }
  // What runs change in place is an output too.
  for (const auto& [name, tensor] : inputs.tensors) {
    if (tensor.at.tensor->role != contract::Role::kInOut) continue;
    if (auto taken = Take(tensor.at, *file, inputs); !taken.ok()) return taken;
  }
  return absl::OkStatus();
}

}  // namespace runner::worker
