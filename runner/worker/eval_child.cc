#include "runner/worker/eval_child.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"
#include "runner/child/find_library.h"
#include "runner/child/json_field.h"
#include "runner/child/pack.h"

namespace runner::worker {
namespace {

constexpr int64_t kStartMs = 120'000, kFinishMs = 1'000;

// The device nodes of NVIDIA's driver, for a child in a file tree of its own.
std::vector<std::string> DeviceNodes() {
  std::vector<std::string> out;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator("/dev", error)) {
    const std::string name = entry.path().filename();
    if (name.rfind("nvidia", 0) == 0) out.push_back(entry.path());
  }
  return out;
}

std::string FolderOf(const std::string& path) { return std::filesystem::path(path).parent_path(); }

child::SpawnOptions SpawnOptionsOf(const EvalChildOptions& options) {
  child::SpawnOptions spawn{
      .argv = {options.worker, "--eval-child", std::string(ToString(options.sandbox.level)),
               options.cuda ? "cuda" : "cpu", options.libcuda, options.libcupti,
               std::to_string(options.launch_ms), options.libcublaslt},
      .environment = child::CleanEnvironment()};
  spawn.environment.insert(spawn.environment.end(), options.environment.begin(),
                           options.environment.end());
  spawn.limits.open_files = 4096;
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  if (!options.cuda) spawn.limits.address_bytes = options.address_bytes;
#endif
  child::Visible visible{.read_only = {options.worker}};
  if (options.cuda) visible.devices = DeviceNodes();
  for (const std::string& path : {options.libcuda, options.libcupti, options.libcublaslt}) {
    if (path.find('/') != std::string::npos) visible.read_only.push_back(FolderOf(path));
  }
  visible.read_only.insert(visible.read_only.end(), options.visible.begin(), options.visible.end());
  child::Wrap(options.sandbox, visible, spawn);
  spawn.argv.insert(spawn.argv.begin(), options.prefix.begin(), options.prefix.end());
  return spawn;
}

}  // namespace

absl::StatusOr<std::unique_ptr<EvalChild>> EvalChild::Start(const EvalChildOptions& options) {
  EvalChildOptions found = options;
  if (found.cuda && found.libcupti.empty()) {
    // Found out here: a child in a closed file tree only sees what it is given.
    found.libcupti = child::FindCudaLibrary({"libcupti.so.13", "libcupti.so.12"}, "cuda_cupti",
                                            options.library_path);
    if (found.libcupti.empty()) found.libcupti = "none";
  }
  auto process = child::Process::Spawn(SpawnOptionsOf(found));
  if (!process.ok()) return process.status();
  std::unique_ptr<EvalChild> out(new EvalChild(*std::move(process)));
  auto frame = out->Answer(kStartMs);
  if (!frame.ok() && frame.status().code() == absl::StatusCode::kAborted) {
    return absl::UnavailableError(absl::StrCat("the evaluation child does not start: ",
                                               out->exit_.ToString(), " ", out->exit_.error_tail));
  }
  if (!frame.ok()) return absl::UnavailableError(std::string(frame.status().message()));
  if (frame->type != launch::kReadyFrame)
    return absl::UnavailableError("the evaluation child sent no greeting");
  out->device_json_ = frame->payload;
  return out;
}

absl::StatusOr<child::Frame> EvalChild::Answer(int64_t timeout_ms) {
  auto frame = process_->channel().Receive(timeout_ms);
  if (frame.ok() && frame->has_value() && (*frame)->type != launch::kFailedFrame)
    return *std::move(*frame);
  alive_ = false;
  if (frame.ok() && frame->has_value()) {
    exit_ = process_->Finish(kFinishMs);
    return absl::UnavailableError((*frame)->payload);
  }
  if (!frame.ok() && frame.status().code() == absl::StatusCode::kDeadlineExceeded) {
    exit_ = process_->Kill();
    return absl::DeadlineExceededError(
        absl::StrCat("the evaluation child did not answer for ", timeout_ms, " ms"));
  }
  exit_ = frame.ok() ? process_->Finish(kFinishMs) : process_->Kill();
  return absl::AbortedError(
      absl::StrCat("the evaluation child died: ", exit_.ToString(), " ", exit_.error_tail));
}

absl::StatusOr<child::Frame> EvalChild::Ask(uint8_t type, std::string_view payload,
                                            int64_t timeout_ms) {
  if (!alive_) return absl::AbortedError("the evaluation child is gone");
  // A child that dies while it is written to is found by the read.
  const absl::Status sent = process_->channel().Send(type, payload);
  if (!sent.ok() && sent.code() != absl::StatusCode::kUnavailable) return sent;
  return Answer(timeout_ms);
}

absl::StatusOr<EvalChild::SetupResult> EvalChild::Setup(const launch::Setup& setup,
                                                        std::string_view role, int64_t timeout_ms) {
  if (role == "candidate") ++served_;
  auto frame = Ask(launch::kSetupFrame, child::Pack({role, launch::ToJson(setup)}), timeout_ms);
  if (!frame.ok()) return frame.status();
  if (frame->type == launch::kRejectedFrame) return SetupResult{.rejected_json = frame->payload};
  auto reply = launch::ProgramReplyFromJson(frame->payload);
  if (!reply.ok()) return reply.status();
  return SetupResult{.program = *std::move(reply)};
}

absl::StatusOr<std::string> EvalChild::Load(std::string_view role, const std::string& cubin,
                                            int64_t timeout_ms) {
  auto frame = Ask(launch::kLoadFrame, child::Pack({role, cubin}), timeout_ms);
  if (!frame.ok()) return frame.status();
  return frame->payload;
}

absl::StatusOr<CaseRun> EvalChild::RunCase(const launch::CaseRequest& request, int64_t timeout_ms) {
  if (auto begun = BeginCase(request); !begun.ok()) return begun;
  return EndCase(request, timeout_ms);
}

absl::Status EvalChild::BeginCase(const launch::CaseRequest& request) {
  if (!alive_) return absl::AbortedError("the evaluation child is gone");
  // A child that dies while it is written to is found by the read.
  const absl::Status sent = process_->channel().Send(launch::kCaseFrame, launch::ToJson(request));
  return sent.code() == absl::StatusCode::kUnavailable ? absl::OkStatus() : sent;
}

absl::StatusOr<CaseRun> EvalChild::EndCase(const launch::CaseRequest& request, int64_t timeout_ms) {
  auto frame = Answer(timeout_ms);
  if (!frame.ok()) return frame.status();
  CaseRun run;
  auto reply = launch::CaseReplyFromJson(frame->payload);
  if (!reply.ok()) return reply.status();
  run.reply = *std::move(reply);
  if (frame->fds.empty()) return run;
  auto image = child::MapSealed(frame->fds[0].get(), launch::ImageBytes(run.reply, request));
  if (!image.ok()) return image.status();
  run.image = *std::move(image);
  return run;
}

absl::StatusOr<EvalChild::TimingRun> EvalChild::Time(const std::string& request_json,
                                                     int64_t timeout_ms, const Foreign& foreign) {
  auto frame = Ask(launch::kTimingFrame, request_json, timeout_ms);
  while (frame.ok() && frame->type == launch::kForeignFrame) {
    const std::string reply = foreign ? foreign(frame->payload) : R"({"error": "there is none"})";
    frame = Ask(launch::kForeignDoneFrame, reply, timeout_ms);
  }
  if (!frame.ok()) return frame.status();
  TimingRun run{.json = frame->payload};
  if (frame->fds.empty()) return run;
  const off_t bytes = lseek(frame->fds[0].get(), 0, SEEK_END);
  auto image = child::MapSealed(frame->fds[0].get(), bytes);
  if (!image.ok()) return image.status();
  run.image = *std::move(image);
  return run;
}

absl::Status EvalChild::LoadJudge(const std::string& cubin, int64_t timeout_ms) {
  const auto reply = Load(launch::kJudgeRole, cubin, timeout_ms);
  if (!reply.ok()) return reply.status();
  const auto json = nlohmann::json::parse(*reply, nullptr, false);
  has_judge_ = json.is_object() && !json.contains("error");
  return has_judge_ ? absl::OkStatus()
                    : absl::FailedPreconditionError(child::TextField(json, "error"));
}

absl::StatusOr<child::Frame> EvalChild::AskWith(
    uint8_t type, std::string_view payload, const std::vector<std::span<const std::byte>>& memory,
    int64_t timeout_ms) {
  if (!alive_) return absl::AbortedError("the evaluation child is gone");
  int64_t bytes = 0;
  for (const auto& part : memory) bytes += static_cast<int64_t>(part.size());
  auto file = child::MemoryFile::Create("beside", bytes);
  if (!file.ok()) return file.status();
  auto to = file->bytes().begin();
  for (const auto& part : memory) to = std::copy(part.begin(), part.end(), to);
  auto fd = std::move(*file).Seal();
  if (!fd.ok()) return fd.status();
  const int fds[] = {fd->get()};
  const absl::Status sent = process_->channel().Send(type, payload, fds);
  if (!sent.ok() && sent.code() != absl::StatusCode::kUnavailable) return sent;
  return Answer(timeout_ms);
}

absl::Status EvalChild::Keep(
    const std::string& known,
    const std::vector<std::pair<std::string, std::span<const std::byte>>>& outputs,
    int64_t timeout_ms) {
  launch::KeepRequest request{.known = known};
  std::vector<std::span<const std::byte>> memory;
  for (const auto& [name, bounds] : outputs) {
    request.outputs.emplace_back(name, bounds.size());
    memory.push_back(bounds);
  }
  const auto frame = AskWith(launch::kKeepFrame, launch::ToJson(request), memory, timeout_ms);
  if (!frame.ok()) return frame.status();
  const auto reply = nlohmann::json::parse(frame->payload, nullptr, false);
  const auto kept = child::TextsField(reply, "kept");
  known_ = {kept.begin(), kept.end()};
  return absl::OkStatus();
}

absl::StatusOr<child::Mapping> EvalChild::Reference(
    const std::string& request_json, const std::vector<std::span<const std::byte>>& inputs,
    int64_t bytes, int64_t timeout_ms) {
  const auto frame = AskWith(launch::kReferenceFrame, request_json, inputs, timeout_ms);
  if (!frame.ok()) return frame.status();
  if (frame->fds.size() != 1) return absl::InternalError("a reference without values");
  return child::MapSealed(frame->fds[0].get(), bytes);
}

void EvalChild::Finish(int64_t timeout_ms) {
  if (alive_) exit_ = process_->Finish(timeout_ms);
  alive_ = false;
}

absl::Status EvalChild::CheckHealth(int64_t timeout_ms) {
  auto frame = Ask(launch::kHealthFrame, "", timeout_ms);
  return frame.ok() ? absl::OkStatus() : frame.status();
}

}  // namespace runner::worker
