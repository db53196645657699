#include "runner/worker/foreign_baseline.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "runner/child/json_field.h"
#include "runner/child/sandbox.h"
#include "runner/child/write_file.h"
#include "runner/launch/image.h"
#include "runner/oracle/compare.h"
#include "runner/oracle/generate.h"
#include "runner/reference/numbers.h"
#include "runner/worker/command_reference.h"
#include "runner/worker/safetensors.h"

namespace runner::worker {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr int kImages = 2;
constexpr size_t kLineBytesMax = 64 * 1024;
constexpr int64_t kMsPerSecond = 1000, kFinishMs = 2'000, kOpenFiles = 4096;

// A word without a slash, in the worker's own PATH.
std::string Executable(const std::string& word) {
  if (word.find('/') != std::string::npos) return word;
  const char* path = std::getenv("PATH");
  for (absl::string_view folder : absl::StrSplit(path == nullptr ? "/usr/bin" : path, ':')) {
    const std::string file = absl::StrCat(folder, "/", word);
    if (access(file.c_str(), X_OK) == 0) return file;
  }
  return absl::StrCat("/usr/bin/", word);
}

std::vector<std::string> Environment(const std::string& home, const std::string& cache) {
  std::vector<std::string> out = child::CleanEnvironment();
  // What its packages are found by; what they compile goes where it may.
  for (const char* name : {"PATH", "PYTHONPATH", "CUDA_HOME"}) {
    const char* value = std::getenv(name);
    if (value != nullptr) out.push_back(absl::StrCat(name, "=", value));
  }
  for (const char* name : {"TRITON_CACHE_DIR", "TORCHINDUCTOR_CACHE_DIR", "TORCH_EXTENSIONS_DIR"})
    out.push_back(absl::StrCat(name, "=", cache));
  out.push_back(absl::StrCat("HOME=", home));
  out.emplace_back("PYTHONDONTWRITEBYTECODE=1");
  return out;
}

absl::Status Fault(absl::string_view what) {
  return absl::FailedPreconditionError(absl::StrCat("the baseline's program: ", what));
}

}  // namespace

ForeignBaseline::ForeignBaseline(const contract::Workload& workload, const contract::Case& at,
                                 uint64_t seed)
    : workload_(workload), at_(at), seed_(seed) {}

ForeignBaseline::~ForeignBaseline() {
  if (process_ != nullptr) {
    constexpr absl::string_view kClose = "{\"op\": \"close\"}\n";
    const ssize_t sent = send(process_->channel().fd(), kClose.data(), kClose.size(), MSG_NOSIGNAL);
    process_->Finish(sent > 0 ? kFinishMs : 0);
  }
  std::error_code error;
  if (!folder_.empty()) fs::remove_all(folder_, error);
}

absl::StatusOr<std::unique_ptr<ForeignBaseline>> ForeignBaseline::Open(
    const contract::Command& command, const ForeignPlaces& places,
    const contract::Workload& workload, const contract::Case& at, uint64_t seed,
    int64_t flush_bytes) {
  std::unique_ptr<ForeignBaseline> out(new ForeignBaseline(workload, at, seed));
  auto status = out->Start(command, places);
  if (status.ok()) status = out->Introduce(command, flush_bytes);
  if (!status.ok()) return status;
  return out;
}

absl::Status ForeignBaseline::Start(const contract::Command& command, const ForeignPlaces& places) {
  std::string pattern = (fs::temp_directory_path() / "cake-baseline-XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr || command.argv.empty())
    return Fault("there is no folder or no command for it");
  folder_ = pattern;
  const std::string cache = places.cache.empty() ? folder_ : places.cache;
  std::error_code error;
  fs::create_directories(cache, error);
  child::SpawnOptions options{.environment = Environment(folder_, cache)};
  for (const std::string& word : command.argv)
    options.argv.push_back(absl::StrReplaceAll(word, {{"{baselines}", places.baselines}}));
  options.argv[0] = Executable(options.argv[0]);
  options.limits.open_files = kOpenFiles;
  answer_ms_ = kMsPerSecond * (command.timeout_s == 0 ? kForeignSecondsDefault
                                                      : static_cast<int64_t>(command.timeout_s));
  auto process = child::Process::Spawn(options);
  if (!process.ok()) return process.status();
  process_ = std::make_unique<child::Process>(*std::move(process));
  return absl::OkStatus();
}

absl::Status ForeignBaseline::Introduce(const contract::Command& command, int64_t flush_bytes) {
  const auto tensors = contract::TensorsOf(workload_, at_);
  if (!tensors.ok()) return tensors.status();
  json request = {{"op", "open"},
                  {"case", at_.name},
                  {"dims", at_.dims},
                  {"args", contract::ArgsOf(workload_, at_)},
                  {"images", json::array()},
                  {"outputs", json::array()},
                  {"changed", json::array()},
                  {"flush_bytes", flush_bytes}};
  for (int k = 0; k < kImages; ++k) {
    const auto drawn =
        oracle::DrawInputs(workload_, at_, *tensors, seed_, launch::TimedRun(k).input_set, 0);
    if (!drawn.ok()) return drawn.status();
    const std::string file = absl::StrCat(folder_, "/image", k, ".safetensors");
    if (auto status = child::WriteFileAtomically(file, InputsFile(drawn->inputs)); !status.ok())
      return status;
    request["images"].push_back(file);
  }
  for (const contract::CaseTensor& tensor : *tensors) {
    if (tensor.tensor->role == contract::Role::kIn) continue;
    const std::string dtype(compiler::ir::Info(tensor.tensor->dtype).name);
    request["outputs"].push_back(
        {{"name", tensor.tensor->name}, {"dtype", dtype}, {"shape", tensor.shape}});
    if (tensor.tensor->role == contract::Role::kInOut)
      request["changed"].push_back(tensor.tensor->name);
  }
  const auto answer = Ask(request.dump());
  if (!answer.ok()) return answer.status();
  const json said = json::parse(*answer);
  comparable_ = child::FlagField(said, "comparable", true);
  facts_json_ = json({{"name", child::TextField(said, "name")},
                      {"versions", said.value("versions", json::object())},
                      {"argv", command.argv},
                      {"comparable", comparable_}})
                    .dump();
  return absl::OkStatus();
}

absl::StatusOr<std::string> ForeignBaseline::ReadLine() {
  const int fd = process_->channel().fd();
  for (;;) {
    if (const size_t end = buffered_.find('\n'); end != std::string::npos) {
      std::string line = buffered_.substr(0, end);
      buffered_.erase(0, end + 1);
      return line;
    }
    if (buffered_.size() > kLineBytesMax) return Fault("an answer is too long");
    pollfd waiting{.fd = fd, .events = POLLIN};
    if (poll(&waiting, 1, static_cast<int>(answer_ms_)) <= 0)
      return Fault(absl::StrCat("no answer for ", answer_ms_, " ms"));
    char bytes[4096];
    const ssize_t n = recv(fd, bytes, sizeof(bytes), 0);
    if (n <= 0) {
      const child::Exit exit = process_->Finish(kFinishMs);
      return Fault(absl::StrCat("it ended: ", exit.ToString(), " ", exit.error_tail));
    }
    buffered_.append(bytes, static_cast<size_t>(n));
  }
}

// Its whole answer, once it says that it did what it was asked for.
absl::StatusOr<std::string> ForeignBaseline::Ask(const std::string& request_json) {
  const std::string line = request_json + "\n";
  for (size_t at = 0; at < line.size();) {
    const ssize_t n =
        send(process_->channel().fd(), line.data() + at, line.size() - at, MSG_NOSIGNAL);
    if (n <= 0) {
      const child::Exit exit = process_->Finish(kFinishMs);
      return Fault(absl::StrCat("it ended: ", exit.ToString(), " ", exit.error_tail));
    }
    at += static_cast<size_t>(n);
  }
  auto answer = ReadLine();
  if (!answer.ok()) return answer;
  const json said = json::parse(*answer, nullptr, false);
  if (child::FlagField(said, "ok")) return answer;
  if (const std::string missing = child::TextField(said, "missing"); !missing.empty())
    return absl::UnavailableError(missing);
  return Fault(child::TextField(said, "error", "its answer does not parse"));
}

std::string ForeignBaseline::Sample(const std::string& request_json) {
  json request = json::parse(request_json, nullptr, false);
  request["op"] = "sample";
  const auto answer = Ask(request.dump());
  if (!answer.ok()) return json({{"error", std::string(answer.status().message())}}).dump();
  return *answer;
}

absl::StatusOr<oracle::Run> ForeignBaseline::Outputs() {
  const std::string path = folder_ + "/outputs.safetensors";
  const json request = {{"op", "outputs"}, {"image", 0}, {"file", path}};
  if (const auto answer = Ask(request.dump()); !answer.ok()) return answer.status();
  const auto text = child::ReadWholeFile(path, kReferenceBytesMax);
  if (!text.ok()) return text.status();
  const auto file = ReadSafetensors(*text);
  if (!file.ok()) return Fault(absl::string_view(file.status().message()));
  const auto tensors = contract::TensorsOf(workload_, at_);
  if (!tensors.ok()) return tensors.status();
  const launch::RunSpec spec = launch::TimedRun(0);
  oracle::Run run{.poison = spec.poison, .input_set = spec.input_set};
  for (const contract::CaseTensor& tensor : *tensors) {
    const auto index = static_cast<int>(run.buffers.size());
    for (const int64_t bytes : {oracle::kGuardBytes, tensor.bytes, oracle::kGuardBytes})
      memory_.emplace_back(static_cast<size_t>(bytes));
    auto* parts = &memory_[memory_.size() - 3];
    oracle::FillGuard(spec.poison, index, 0, parts[0]);
    oracle::FillGuard(spec.poison, index, 1, parts[2]);
    if (tensor.tensor->role == contract::Role::kIn) {
      auto status = oracle::FillInput(workload_, at_, tensor, seed_, spec.input_set, parts[1], 0);
      if (!status.ok()) return status;
    } else {
      const auto found = file->find(tensor.tensor->name);
      if (found == file->end() || found->second.shape != tensor.shape)
        return Fault(
            absl::StrCat("output ", tensor.tensor->name, " is missing or of another shape"));
      const int64_t bytes = reference::ElementBytes(tensor.tensor->dtype);
      if (static_cast<int64_t>(found->second.bytes.size()) != tensor.elements * bytes)
        return Fault(absl::StrCat("output ", tensor.tensor->name, " is of another type"));
      for (int64_t i = 0; i < tensor.elements; ++i)
        std::memcpy(parts[1].data() + reference::OffsetOf(tensor, i) * bytes,
                    found->second.bytes.data() + i * bytes, static_cast<size_t>(bytes));
    }
    // Not yet views: the vectors may still move.
    run.buffers.push_back({.name = tensor.tensor->name});
  }
  for (size_t i = 0; i < run.buffers.size(); ++i) {
    auto* parts = &memory_[memory_.size() - 3 * (run.buffers.size() - i)];
    run.buffers[i].before = parts[0];
    run.buffers[i].data = parts[1];
    run.buffers[i].after = parts[2];
  }
  return run;
}

}  // namespace runner::worker
