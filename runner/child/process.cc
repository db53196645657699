#include "runner/child/process.h"

#include <fcntl.h>
#include <linux/close_range.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <thread>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace runner::child {
namespace {

constexpr int64_t kErrorBytes = 64 * 1024, kErrorTailBytes = 4096;
constexpr int kExecFailed = 127, kWrappedSignal = 128, kTreeDepthMax = 8;
constexpr int64_t kNsPerS = 1'000'000'000;

std::vector<char*> Pointers(const std::vector<std::string>& strings) {
  std::vector<char*> out;
  for (const std::string& text : strings) out.push_back(const_cast<char*>(text.c_str()));
  out.push_back(nullptr);
  return out;
}

void SetLimit(int what, int64_t soft, int64_t hard) {
  if (soft <= 0) return;
  const rlimit limit{static_cast<rlim_t>(soft), static_cast<rlim_t>(hard)};
  setrlimit(static_cast<__rlimit_resource>(what), &limit);
}

// Everything between fork and exec: only async-signal-safe calls, since the parent has threads.
struct Launch {
  const SpawnOptions& options;
  char* const* argv;
  char* const* environment;
  int channel, error, null;
  pid_t parent;

  [[noreturn]] void Run() const {
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(kExecFailed);  // the parent died before the line above
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
    signal(SIGPIPE, SIG_DFL);
    dup2(null, 0);
    dup2(null, 1);
    dup2(error, 2);
    if (channel == kChannelFd)
      fcntl(channel, F_SETFD, 0);
    else
      dup2(channel, kChannelFd);
    syscall(SYS_close_range, kChannelFd + 1, ~0u, CLOSE_RANGE_CLOEXEC);
    if (options.new_network && unshare(CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS) != 0)
      _exit(kExecFailed);
    const Limits& l = options.limits;
    SetLimit(RLIMIT_CPU, l.cpu_seconds, l.cpu_seconds + 1);
    SetLimit(RLIMIT_AS, l.address_bytes, l.address_bytes);
    SetLimit(RLIMIT_FSIZE, l.file_bytes, l.file_bytes);
    SetLimit(RLIMIT_NOFILE, l.open_files, l.open_files);
    const rlimit no_core{0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
    execve(argv[0], argv, environment);
    _exit(kExecFailed);
  }
};

std::string Tail(int fd) {
  std::string text(static_cast<size_t>(kErrorBytes), '\0');
  const ssize_t n = pread(fd, text.data(), text.size(), 0);
  text.resize(n > 0 ? static_cast<size_t>(n) : 0);
  text.resize(std::min(text.size(), text.find('\0')));
  if (text.size() > static_cast<size_t>(kErrorTailBytes))
    text.erase(0, text.size() - kErrorTailBytes);
  return text;
}

// A standard error that cannot grow: what does not fit is lost, never written to a disk or a
// terminal.
absl::StatusOr<UniqueFd> ErrorFile() {
  UniqueFd fd(memfd_create("child-stderr", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!fd.valid() || ftruncate(fd.get(), kErrorBytes) != 0 ||
      fcntl(fd.get(), F_ADD_SEALS, F_SEAL_GROW | F_SEAL_SHRINK) != 0) {
    return absl::ResourceExhaustedError(absl::StrCat("spawn: memfd: ", strerror(errno)));
  }
  return fd;
}

std::string ReadProc(pid_t pid, const char* name) {
  const UniqueFd fd(open(absl::StrCat("/proc/", pid, "/", name).c_str(), O_RDONLY | O_CLOEXEC));
  char text[4096];
  const ssize_t n = fd.valid() ? read(fd.get(), text, sizeof(text) - 1) : 0;
  return std::string(text, n > 0 ? static_cast<size_t>(n) : 0);
}

// CPU time of a process and its live descendants: under bubblewrap the work is done by a
// grandchild.
int64_t TreeCpuNs(pid_t pid, int depth) {
  const std::string stat = ReadProc(pid, "stat");
  const size_t after = stat.rfind(')');
  unsigned long long user = 0, system = 0, child_user = 0, child_system = 0;
  if (after == std::string::npos || depth > kTreeDepthMax ||
      sscanf(stat.c_str() + after + 1,
             " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %llu %llu %llu %llu", &user, &system,
             &child_user, &child_system) != 4) {
    return 0;
  }
  const auto ticks = static_cast<int64_t>(user + system + child_user + child_system);
  int64_t total = ticks * (kNsPerS / sysconf(_SC_CLK_TCK));
  const std::string children = ReadProc(pid, absl::StrCat("task/", pid, "/children").c_str());
  for (absl::string_view child : absl::StrSplit(children, ' ', absl::SkipWhitespace())) {
    int child_pid = 0;
    if (absl::SimpleAtoi(child, &child_pid)) total += TreeCpuNs(child_pid, depth + 1);
  }
  return total;
}

}  // namespace

std::string Exit::ToString() const {
  if (kind == Kind::kKilled) return "killed by the supervisor";
  if (cpu_limit) return "CPU time limit";
  if (kind == Kind::kSignalled) return absl::StrCat("signal ", code, " (", strsignal(code), ")");
  // A wrapper (bubblewrap) reports its child's signal as 128 + number.
  const int wrapped = code > kWrappedSignal ? code - kWrappedSignal : 0;
  return absl::StrCat(
      "exit code ", code,
      wrapped > 0 && wrapped < NSIG
          ? absl::StrCat(", which is signal ", wrapped, " (", strsignal(wrapped), ")")
          : "");
}

absl::StatusOr<Process> Process::Spawn(const SpawnOptions& options) {
  auto ends = Channel::MakePair();
  if (!ends.ok()) return ends.status();
  auto error = ErrorFile();
  if (!error.ok()) return error.status();
  const UniqueFd null(open("/dev/null", O_RDWR | O_CLOEXEC));
  if (!null.valid()) return absl::UnavailableError("spawn: /dev/null does not open");
  const auto argv = Pointers(options.argv), environment = Pointers(options.environment);
  const Launch launch{options,    argv.data(), environment.data(), ends->second.get(), error->get(),
                      null.get(), getpid()};
  const pid_t pid = fork();
  if (pid < 0) return absl::ResourceExhaustedError(absl::StrCat("spawn: fork: ", strerror(errno)));
  if (pid == 0) launch.Run();
  setpgid(pid, pid);  // also here: whoever is first, the group exists before the first kill
  Process process;
  process.pid_ = pid;
  process.channel_ = std::move(ends->first);
  process.error_ = *std::move(error);
  process.cpu_limit_s_ = options.limits.cpu_seconds;
  process.reaped_ = false;
  return process;
}

Process::Process(Process&& other) noexcept { *this = std::move(other); }
Process& Process::operator=(Process&& other) noexcept {
  std::swap(pid_, other.pid_);
  std::swap(channel_, other.channel_);
  std::swap(error_, other.error_);
  std::swap(cpu_limit_s_, other.cpu_limit_s_);
  std::swap(reaped_, other.reaped_);
  std::swap(exit_, other.exit_);
  return *this;
}
Process::~Process() { Kill(); }

int64_t Process::CpuNs() const { return reaped_ ? exit_.cpu_ns : TreeCpuNs(pid_, 0); }

Exit Process::Reap(bool killed) {
  int status = 0;
  rusage usage{};
  while (wait4(pid_, &status, 0, &usage) < 0 && errno == EINTR) {
  }
  reaped_ = true;
  kill(-pid_, SIGKILL);  // descendants that outlived their leader
  const auto ns = [](timeval t) { return t.tv_sec * kNsPerS + t.tv_usec * 1000; };
  exit_.cpu_ns = ns(usage.ru_utime) + ns(usage.ru_stime);
  exit_.max_rss_bytes = usage.ru_maxrss * 1024;
  exit_.kind = WIFSIGNALED(status) ? Exit::Kind::kSignalled : Exit::Kind::kExited;
  exit_.code = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
  const int signal_number = WIFSIGNALED(status)           ? exit_.code
                            : exit_.code > kWrappedSignal ? exit_.code - kWrappedSignal
                                                          : 0;
  const bool at_limit = cpu_limit_s_ > 0 && exit_.cpu_ns >= cpu_limit_s_ * kNsPerS - kNsPerS / 10;
  exit_.cpu_limit = signal_number == SIGXCPU || (signal_number == SIGKILL && !killed && at_limit);
  if (killed && signal_number == SIGKILL) exit_.kind = Exit::Kind::kKilled;
  exit_.error_tail = Tail(error_.get());
  return exit_;
}

Exit Process::Kill() {
  if (reaped_) return exit_;
  const int64_t cpu_ns = CpuNs();  // descendants that nobody reaps are gone after the kill
  kill(-pid_, SIGKILL);
  Reap(true);
  exit_.cpu_ns = std::max(exit_.cpu_ns, cpu_ns);
  return exit_;
}

Exit Process::Finish(int64_t timeout_ms) {
  if (reaped_) return exit_;
  channel_.Close();
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(timeout_ms);
  for (;;) {
    siginfo_t info{};
    if (waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
        info.si_pid == pid_) {
      return Reap(false);
    }
    if (std::chrono::steady_clock::now() >= deadline) return Kill();
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
}

}  // namespace runner::child
