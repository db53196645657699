#include "runner/worker/serve.h"

#include <poll.h>
#include <signal.h>
#include <spdlog/spdlog.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "absl/strings/str_cat.h"
#include "runner/child/json_field.h"
#include "runner/worker/grpc_link.h"
#include "runner/worker/job_process.h"
#include "runner/worker/replay_jobs.h"

namespace runner::worker {
namespace {

using nlohmann::json;

constexpr int kDone = 0, kWorld = 3;

class SteadyClock : public Clock {
 public:
  int64_t NowMs() override {
    return std::chrono::duration_cast<std::chrono::milliseconds>(
               std::chrono::steady_clock::now().time_since_epoch())
        .count();
  }
};

std::string HostName() {
  char name[256] = {};
  return gethostname(name, sizeof(name) - 1) == 0 ? name : "host";
}

DeviceInfo DeviceOf(const ServeOptions& options, const Capabilities& found) {
  if (!options.evaluator.cuda) {
    return {
        .uuid = absl::StrCat("cpu:", HostName()), .name = "reference machine", .simulated = true};
  }
  const json in = json::parse(found.device_json, nullptr, false);
  DeviceInfo out{.uuid = child::TextField(in, "uuid"),
                 .name = child::TextField(in, "name"),
                 .arch = child::TextField(in, "arch"),
                 .driver = child::TextField(in, "driver"),
                 .simulated = !options.evaluator.libcuda.empty()};
  out.noise = found.noise;
  if (!in.is_object()) return out;
  for (const auto& [name, value] : in.items())
    out.facts[name] = value.is_string() ? value.get<std::string>() : value.dump();
  return out;
}

SupervisorOptions OptionsFor(const ServeOptions& options, DeviceInfo device) {
  SupervisorOptions out{.name = options.name,
                        .device = std::move(device),
                        .version = options.version,
                        .target = options.target,
                        .log = [](const std::string& line) { spdlog::info("{}", line); }};
  // Grows with each start, also over reboots.
  out.incarnation = static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::microseconds>(
                                              std::chrono::system_clock::now().time_since_epoch())
                                              .count());
  const bool cpu = out.device.arch.empty();
  if (out.name.empty()) out.name = absl::StrCat(HostName(), "-", cpu ? "cpu" : out.device.uuid);
  return out;
}

SupervisorOptions SupervisorOptionsOf(const ServeOptions& options, const Capabilities& found) {
  SupervisorOptions out = OptionsFor(options, DeviceOf(options, found));
  out.sandbox_level = found.sandbox_level;
  out.capabilities.push_back(options.evaluator.cuda ? absl::StrCat("run:", out.device.arch)
                                                    : "run:machine");
  if (found.direct) out.capabilities.emplace_back("direct-cuda");
  if (!found.compiler.empty()) out.capabilities.push_back(absl::StrCat("compile:", found.compiler));
  if (options.audit) out.capabilities.push_back("audit");
  return out;
}

// What `cake admin` finds a worker of this machine by: a file beside the daemon's socket with the
// worker's pid and start time, so that a pid that now is somebody else's is not taken for it.
class PidFile {
 public:
  explicit PidFile(const std::string& target) {
    if (!target.starts_with("unix:")) return;
    const auto folder = std::filesystem::path(target.substr(5)).parent_path() / "workers";
    std::error_code error;
    std::filesystem::create_directory(folder, error);
    path_ = folder / absl::StrCat(getpid(), ".pid");
    std::ofstream(path_) << getpid() << " " << StartTicks() << "\n";
  }
  ~PidFile() {
    if (!path_.empty()) unlink(path_.c_str());
  }
  PidFile(const PidFile&) = delete;
  PidFile& operator=(const PidFile&) = delete;

 private:
  // Field 22 of /proc/self/stat (proc(5)); the command in parentheses may hold blanks.
  static std::string StartTicks() {
    std::ifstream file("/proc/self/stat");
    std::string text;
    std::getline(file, text);
    std::istringstream fields(text.substr(std::min(text.size(), text.rfind(')') + 1)));
    std::string field;
    for (int i = 3; i <= 22; ++i) fields >> field;
    return field;
  }

  std::string path_;
};

int SignalFd() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGINT);
  sigprocmask(SIG_BLOCK, &set, nullptr);
  signal(SIGPIPE, SIG_IGN);
  return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

}  // namespace

namespace {

void LogLine(const std::string& line) { spdlog::info("{}", line); }

int SayWhy(const absl::Status& status) {
  fprintf(stderr, "cake-worker: %s\n", std::string(status.message()).c_str());
  return kWorld;
}

void LogFound(const ServeOptions& options, const Capabilities& found) {
  for (const std::string& line : found.sandbox_evidence) spdlog::info("sandbox {}", line);
  if (options.evaluator.sandbox_min < child::Level::kL1)
    spdlog::warn("--sandbox-min L0: candidates may run unprotected");
  for (const auto& [name, floor] : found.noise)
    spdlog::info("noise of kernels {}: gains below {:.2f}% count as none", name, 100 * floor);
  if (!found.noise_missing.empty()) spdlog::warn("{}", found.noise_missing);
  if (found.compiler.empty()) spdlog::info("no compiler: {}", found.compiler_missing);
}

// When the device is looked at again: once a day, after times that cannot be true (once an hour at
// most), and while it is quarantined.
class Looks {
 public:
  Looks(JobProcess& process, bool measures, int64_t now_ms)
      : process_(process), measures_(measures), last_ms_(now_ms) {}

  bool Due(const Supervisor& worker, int64_t now_ms) const {
    const int64_t since = now_ms - last_ms_;
    if (worker.quarantined()) return since >= kReadmitMs;
    const bool drifted = worker.measurement_faults() > faults_ && since >= kDriftMs;
    return measures_ && (since >= kPassportMs || drifted);
  }

  // Blocks for as long as the look takes. A device that fails it stays as it is.
  void Look(Supervisor& worker, int64_t now_ms) {
    last_ms_ = now_ms;
    faults_ = worker.measurement_faults();
    const auto found = process_.Describe();
    if (!found.ok()) spdlog::warn("another look at the device: {}", Text(found.status()));
    for (const auto& [name, floor] : found.ok() ? found->noise : std::map<std::string, double>())
      spdlog::info("noise of kernels {}: gains below {:.2f}% count as none", name, 100 * floor);
    worker.Resume(found.ok() ? found->noise : std::map<std::string, double>(),
                  found.ok() && worker.quarantined());
  }

 private:
  static constexpr int64_t kPassportMs = 24 * 3'600'000, kDriftMs = 3'600'000, kReadmitMs = 60'000;
  static std::string Text(const absl::Status& status) { return std::string(status.message()); }

  JobProcess& process_;
  const bool measures_;
  int64_t last_ms_, faults_ = 0;
};

int ServeJobs(const std::string& target, const SupervisorOptions& supervisor_options, Spawner& jobs,
              const child::UniqueFd& signals, Looks* looks = nullptr) {
  SteadyClock clock;
  const PidFile pid_file(target);
  auto opened = GrpcLink::Open(target);
  if (!opened.ok()) return SayWhy(opened.status());
  GrpcLink& link = **opened;
  Supervisor worker(clock, link, jobs, supervisor_options);
  spdlog::info("worker {} serves {}", supervisor_options.name, target);
  bool drained = false;
  auto state = worker.state();
  for (;;) {
    const int64_t next = worker.Step();
    if (worker.state() != state) spdlog::debug("state {}", static_cast<int>(worker.state()));
    state = worker.state();
    if (state == Supervisor::State::kStopped) return kDone;
    if (looks != nullptr && looks->Due(worker, clock.NowMs())) worker.Hold();
    if (looks != nullptr && worker.resting()) {
      looks->Look(worker, clock.NowMs());
      continue;
    }
    pollfd fds[] = {
        {signals.get(), POLLIN, 0}, {link.wake_fd(), POLLIN, 0}, {jobs.fd(), POLLIN, 0}};
    // An idle job process is only waited on while a job runs: its end in between is found at the
    // next start.
    const nfds_t count = state == Supervisor::State::kRunning ? 3 : 2;
    poll(fds, count, static_cast<int>(std::max<int64_t>(0, next - clock.NowMs())));
    signalfd_siginfo info{};
    if (read(signals.get(), &info, sizeof(info)) != static_cast<ssize_t>(sizeof(info))) continue;
    if (drained) return kDone;
    drained = true;
    spdlog::info("draining: the current lease is finished first");
    worker.Drain();
    // A long poll for the next lease would hold us for its whole time.
    if (!worker.holds_lease()) return kDone;
  }
}

absl::StatusOr<replay::Recorder> Record(const ServeOptions& options, const DeviceInfo& device) {
  const bool real = options.evaluator.cuda && !device.simulated;
  return replay::Recorder::Open(
      options.record, {.name = device.name,
                       .arch = device.arch,
                       .driver = device.driver,
                       .uuid = device.uuid,
                       .times = real ? replay::Times::kMeasured : replay::Times::kSynthetic,
                       .noise = device.noise});
}

int ServeReplay(const ServeOptions& options, const child::UniqueFd& signals) {
  auto table = replay::Table::Load(options.replay);
  if (!table.ok()) return SayWhy(table.status());
  SupervisorOptions out = OptionsFor(options, ReplayDevice(*table));
  out.sandbox_level = "nothing runs";
  out.capabilities = {absl::StrCat("replay:", table->header().arch)};
  spdlog::info("{}: {} entries, times {}", options.replay, table->size(),
               std::string(replay::ToString(table->header().times)));
  ReplayJobs jobs(*std::move(table), LogLine);
  const int code = ServeJobs(options.target, out, jobs, signals);
  spdlog::info("replay: {} answered, {} not recorded", jobs.answered(), jobs.missing());
  return code;
}

}  // namespace

int Serve(const ServeOptions& options) {
  const child::UniqueFd signals(SignalFd());  // before any thread exists
  if (!options.replay.empty()) return ServeReplay(options, signals);
  JobProcess jobs(options.evaluator);
  const auto found = jobs.Describe();
  if (!found.ok()) return SayWhy(found.status());
  LogFound(options, *found);
  const SupervisorOptions supervisor_options = SupervisorOptionsOf(options, *found);
  Looks looks(jobs, options.evaluator.measure_noise, SteadyClock().NowMs());
  Looks* again = options.evaluator.cuda ? &looks : nullptr;
  if (options.record.empty())
    return ServeJobs(options.target, supervisor_options, jobs, signals, again);
  auto recorder = Record(options, supervisor_options.device);
  if (!recorder.ok()) return SayWhy(recorder.status());
  RecordingJobs recording(jobs, *std::move(recorder), LogLine);
  return ServeJobs(options.target, supervisor_options, recording, signals, again);
}

}  // namespace runner::worker
