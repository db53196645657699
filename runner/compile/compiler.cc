#include "runner/compile/compiler.h"

#include <charconv>
#include <chrono>
#include <filesystem>

#include "absl/strings/str_cat.h"
#include "runner/child/pack.h"
#include "runner/compile/frames.h"

namespace runner::compile {
namespace {

constexpr int64_t kStartMs = 60'000, kFinishMs = 2'000;
constexpr size_t kCubinBytesMax = 16 << 20;

int64_t NowNs() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

int64_t Number(const std::string& text) {
  int64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

}  // namespace

std::string_view ToString(Outcome outcome) {
  constexpr std::string_view kWords[] = {"built", "refused", "limit", "crashed"};
  return kWords[static_cast<size_t>(outcome)];
}

absl::StatusOr<std::unique_ptr<Compiler>> Compiler::Start(const CompilerOptions& options) {
  auto library = FindNvrtc(options.nvrtc);
  if (!library.ok()) return library.status();
  std::unique_ptr<Compiler> compiler(new Compiler(options));
  compiler->library_ = *library;
  if (auto status = compiler->EnsureChild(); !status.ok()) return status;
  return compiler;
}

absl::Status Compiler::EnsureChild() {
  if (process_ != nullptr && served_ < kCompilesPerChild) return absl::OkStatus();
  if (process_ != nullptr) process_->Finish(kFinishMs);
  process_.reset();
  served_ = 0;
  child::SpawnOptions spawn{
      .argv = {options_.worker, "--compile-child", std::string(ToString(options_.sandbox.level)),
               library_, std::to_string(options_.cpu_seconds)},
      .environment = child::CleanEnvironment()};
#if defined(__SANITIZE_ADDRESS__)
  // NVRTC 13.0 copies from behind the end of a buffer of its own. The sanitizer is for our code:
  // it does not look into the heap of a child whose work is a library built without it.
  for (std::string& variable : spawn.environment) {
    if (variable.starts_with("ASAN_OPTIONS=")) variable += ":poison_heap=0";
  }
#endif
  spawn.environment.insert(spawn.environment.end(), options_.environment.begin(),
                           options_.environment.end());
  spawn.limits.cpu_seconds = (options_.cpu_seconds + 2) * kCompilesPerChild;
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  spawn.limits.address_bytes = options_.address_bytes;  // sanitizers reserve terabytes
#endif
  child::Visible visible{.read_only = {options_.worker}};
  const std::string folder = std::filesystem::path(library_).parent_path();
  // The library's real place too: its name is often a link.
  std::error_code error;
  const auto real = std::filesystem::canonical(library_, error);
  visible.read_only.push_back(folder);
  if (!error && real.parent_path() != folder) visible.read_only.push_back(real.parent_path());
  visible.read_only.insert(visible.read_only.end(), options_.visible.begin(),
                           options_.visible.end());
  child::Wrap(options_.sandbox, visible, spawn);
  auto process = child::Process::Spawn(spawn);
  if (!process.ok()) return process.status();
  auto frame = process->channel().Receive(kStartMs);
  if (!frame.ok()) return frame.status();
  if (!frame->has_value()) {
    const child::Exit exit = process->Finish(kFinishMs);
    return absl::UnavailableError(
        absl::StrCat("the compile child does not start: ", exit.ToString(), " ", exit.error_tail));
  }
  if ((*frame)->type != kHelloFrame) return absl::UnavailableError((*frame)->payload);
  compiler_ = absl::StrCat("nvrtc-", (*frame)->payload);
  process_ = std::make_unique<child::Process>(*std::move(process));
  return absl::OkStatus();
}

void Compiler::LimitCpu(int64_t cpu_seconds) {
  if (cpu_seconds == options_.cpu_seconds) return;
  options_.cpu_seconds = cpu_seconds;
  if (process_ != nullptr) process_->Finish(kFinishMs);
  process_.reset();
}

absl::StatusOr<Build> Compiler::Compile(const Request& request) {
  Build build{.key = BuildKey(request, compiler_), .compiler = compiler_};
  if (auto cached = cache_.Get(build.key)) {
    build.cubin = std::move(cached->cubin);
    build.ptx = std::move(cached->ptx);
    build.log = std::move(cached->log);
    build.kernels = ParsePtxasLog(build.log);
    build.cached = true;
    return build;
  }
  if (auto status = EnsureChild(); !status.ok()) return status;
  auto done = Ask(request, std::move(build));
  if (done.ok() && done->outcome == Outcome::kBuilt) {
    if (auto status = cache_.Put(done->key, {done->cubin, done->ptx, done->log}); !status.ok())
      return status;
  }
  return done;
}

absl::StatusOr<Build> Compiler::Ask(const Request& request, Build build) {
  std::vector<std::string_view> parts = {request.cuda, request.file_name, request.arch};
  parts.insert(parts.end(), request.options.begin(), request.options.end());
  const int64_t start = NowNs();
  ++served_;
  auto sent = process_->channel().Send(kRequestFrame, child::Pack(parts));
  auto frame = sent.ok()
                   ? process_->channel().Receive(options_.wall_ms)
                   : absl::StatusOr<std::optional<child::Frame>>(std::optional<child::Frame>());
  build.wall_ns = NowNs() - start;
  if (!frame.ok() && frame.status().code() == absl::StatusCode::kDeadlineExceeded) {
    build = Died(std::move(build), true);
    if (build.cpu_ns < options_.cpu_seconds * 500'000'000) {
      return absl::UnavailableError(
          "the compile child got too little CPU time: the machine is starved");
    }
    return build;
  }
  if (!frame.ok() || !frame->has_value()) return Died(std::move(build), false);
  auto reply = child::Unpack((*frame)->payload);
  if ((*frame)->type != kResultFrame || !reply || reply->size() != 5 ||
      (*reply)[3].size() > kCubinBytesMax) {
    build = Died(std::move(build), true);
    build.outcome = Outcome::kCrashed;
    build.reason = "the compile child sent something that is no result";
    return build;
  }
  const auto result = Number((*reply)[0]);
  build.cpu_ns = Number((*reply)[1]);
  build.log = std::move((*reply)[2]);
  build.cubin = std::move((*reply)[3]);
  build.ptx = std::move((*reply)[4]);
  build.kernels = ParsePtxasLog(build.log);
  if (result == kNvrtcSuccess) return build;
  build.outcome = result == kNvrtcErrorOutOfMemory ? Outcome::kLimit : Outcome::kRefused;
  if (build.outcome == Outcome::kLimit) build.reason = "the compiler ran out of its memory limit";
  if (build.log.empty()) build.log = absl::StrCat("NVRTC error ", result);
  process_->Finish(kFinishMs);  // whatever a refused source did to this child goes with it
  process_.reset();
  return build;
}

Build Compiler::Died(Build build, bool kill) {
  const child::Exit exit = kill ? process_->Kill() : process_->Finish(kFinishMs);
  process_.reset();
  build.cpu_ns = exit.cpu_ns;
  const bool memory = exit.max_rss_bytes > options_.address_bytes / 2;
  build.outcome = kill || exit.cpu_limit || memory ? Outcome::kLimit : Outcome::kCrashed;
  build.reason = exit.cpu_limit ? absl::StrCat("more than ", options_.cpu_seconds, " s of CPU time")
                 : memory       ? "the compiler ran out of its memory limit"
                                : exit.ToString();
  return build;
}

}  // namespace runner::compile
