// The probe child and the search for the highest level that works on this machine.
#include <errno.h>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "runner/child/json_field.h"
#include "runner/child/sandbox.h"

namespace runner::child {
namespace {

constexpr uint8_t kProbeFrame = 1;
constexpr int64_t kProbeMs = 20'000;

std::string NetworkNamespace() {
  char link[128];
  const ssize_t n = readlink("/proc/self/ns/net", link, sizeof(link));
  return n > 0 ? std::string(link, static_cast<size_t>(n)) : "";
}

// Each try as a hostile child would make it; true: refused.
bool SocketDenied() {
  const int fd = socket(AF_INET, SOCK_DGRAM, 0);
  if (fd >= 0) close(fd);
  return fd < 0;
}
bool OpenDenied() {
  const int fd = open("/etc/passwd", O_RDONLY);
  if (fd >= 0) close(fd);
  return fd < 0;
}
bool ForkDenied() {
  const auto pid = syscall(SYS_clone, SIGCHLD, nullptr, nullptr, nullptr, nullptr);
  if (pid == 0) _exit(0);
  if (pid > 0) waitpid(static_cast<pid_t>(pid), nullptr, 0);
  return pid < 0;
}
bool ExecDenied() {
  // A path that exists nowhere: allowed means ENOENT, refused means EPERM.
  execl("/cake-no-such-program", "x", nullptr);
  return errno == EPERM;
}

struct Tried {
  bool proven = false;
  std::string evidence;
};

// What the facts prove for a level.
Tried Judge(Level level, const ProbeFacts& facts) {
  std::vector<std::string> missing;
  const auto need = [&](bool holds, const char* what) {
    if (!holds) missing.push_back(what);
  };
  need(facts.socket_denied, "socket was allowed");
  need(facts.open_denied, "open(/etc/passwd) was allowed");
  need(facts.ptrace_denied, "ptrace was allowed");
  need(facts.fork_denied, "fork was allowed");
  need(facts.exec_denied, "exec was allowed");
  need(facts.no_new_privs, "no_new_privs is off");
  need(geteuid() != 0 || facts.uid != 0, "uid is root");
  if (level >= Level::kL2) {
    need(!facts.network_namespace.empty() && facts.network_namespace != NetworkNamespace(),
         "the network is ours");
  }
  if (level == Level::kL3) {
    need(!facts.passwd_visible, "/etc/passwd is in its file tree");
    need(facts.pid < 100, "it sees our process ids");
  }
  if (missing.empty()) {
    return {true, absl::StrCat(std::string(ToString(level)),
                               ": socket, open, ptrace, fork and exec refused; uid ", facts.uid)};
  }
  return {false, absl::StrCat(std::string(ToString(level)), ": ", absl::StrJoin(missing, ", "))};
}

absl::StatusOr<ProbeFacts> ParseFacts(const std::string& payload) {
  const auto in = nlohmann::json::parse(payload, nullptr, false);
  if (!in.is_object()) return absl::DataLossError("the probe's report does not parse");
  const auto flag = [&](const char* name) { return FlagField(in, name); };
  return ProbeFacts{.socket_denied = flag("socket_denied"),
                    .open_denied = flag("open_denied"),
                    .ptrace_denied = flag("ptrace_denied"),
                    .fork_denied = flag("fork_denied"),
                    .exec_denied = flag("exec_denied"),
                    .no_new_privs = flag("no_new_privs"),
                    .passwd_visible = FlagField(in, "passwd_visible", true),
                    .uid = IntegerField(in, "uid"),
                    .pid = IntegerField(in, "pid"),
                    .network_namespace = TextField(in, "network_namespace")};
}

absl::StatusOr<ProbeFacts> RunProbe(const std::string& worker, const Sandbox& sandbox) {
  SpawnOptions options{.argv = {worker, "--probe-child", std::string(ToString(sandbox.level))},
                       .environment = CleanEnvironment()};
  options.limits.cpu_seconds = 10;
  Wrap(sandbox, {.read_only = {worker}}, options);
  auto process = Process::Spawn(options);
  if (!process.ok()) return process.status();
  auto frame = process->channel().Receive(kProbeMs);
  if (!frame.ok()) return frame.status();
  if (!frame->has_value()) {
    const Exit exit = process->Finish(1000);
    return absl::UnavailableError(
        absl::StrCat("no report: ", exit.ToString(), " ", exit.error_tail));
  }
  process->Finish(1000);
  return ParseFacts((*frame)->payload);
}

// The system's, or one carried beside the worker to a machine that has none.
std::string FindBubblewrap(const std::string& worker) {
  const std::string carried = (std::filesystem::path(worker).parent_path() / "bwrap").string();
  for (const std::string& path :
       {std::string("/usr/bin/bwrap"), std::string("/usr/local/bin/bwrap"), carried}) {
    if (access(path.c_str(), X_OK) == 0) return path;
  }
  return "";
}

// The folder of libraries that a device bundle puts beside its programs ($ORIGIN/../lib), if there.
std::string CarriedLibraries(const std::string& program) {
  std::error_code error;
  const auto lib = std::filesystem::path(program).parent_path().parent_path() / "lib";
  return std::filesystem::is_directory(lib, error) ? lib.string() : "";
}

}  // namespace

int ProbeChildMain(Level level) {
  Channel channel{UniqueFd(kChannelFd)};
  struct stat about {};
  ProbeFacts facts{.passwd_visible = stat("/etc/passwd", &about) == 0,
                   .pid = getpid(),
                   .network_namespace = NetworkNamespace()};
  const absl::Status entered = EnterSandbox(level, Filter::kComputeOnly);
  nlohmann::json out;
  if (!entered.ok()) out["error"] = std::string(entered.message());
  facts.uid = geteuid();
  facts.socket_denied = SocketDenied();
  facts.open_denied = OpenDenied();
  facts.fork_denied = ForkDenied();
  facts.exec_denied = ExecDenied();
  // Filters of level L1 forbid prctl as a question too; only a filtered process is refused here.
  const int bit = prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0);
  facts.no_new_privs = bit == 1 || (bit < 0 && errno == EPERM);
  facts.ptrace_denied = ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) < 0;
  out.update({{"socket_denied", facts.socket_denied},
              {"open_denied", facts.open_denied},
              {"ptrace_denied", facts.ptrace_denied},
              {"fork_denied", facts.fork_denied},
              {"exec_denied", facts.exec_denied},
              {"no_new_privs", facts.no_new_privs},
              {"passwd_visible", facts.passwd_visible},
              {"uid", facts.uid},
              {"pid", facts.pid},
              {"network_namespace", facts.network_namespace}});
  return channel.Send(kProbeFrame, out.dump()).ok() ? 0 : 1;
}

void Wrap(const Sandbox& sandbox, const Visible& visible, SpawnOptions& options) {
  if (sandbox.level == Level::kL2) options.new_network = true;
  if (sandbox.level != Level::kL3) return;
  std::vector<std::string> argv = {sandbox.bubblewrap, "--unshare-pid", "--unshare-net",
                                   "--unshare-ipc",    "--unshare-uts", "--die-with-parent",
                                   "--new-session"};
  const auto add = [&](std::initializer_list<std::string> words) {
    argv.insert(argv.end(), words);
  };
  if (geteuid() == 0) {
    // As root no user namespace is asked for: some kernels refuse it, and the child drops its uid
    // itself.
    add({"--cap-drop", "ALL", "--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"});
  } else {
    add({"--unshare-user"});
  }
  add({"--ro-bind", "/usr", "/usr"});
  for (const char* folder : {"/lib", "/lib64", "/lib32", "/bin"}) {
    char target[256];
    const ssize_t n = readlink(folder, target, sizeof(target));
    if (n > 0)
      add({"--symlink", std::string(target, static_cast<size_t>(n)), folder});
    else if (access(folder, F_OK) == 0)
      add({"--ro-bind", folder, folder});
  }
  add({"--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp", "--chdir", "/"});
  // Where the loader looks for a driver that lies outside the usual folders.
  if (access("/etc/ld.so.cache", R_OK) == 0) {
    add({"--ro-bind", "/etc/ld.so.cache", "/etc/ld.so.cache"});
  }
  std::vector<std::string> read_only = visible.read_only;
  if (!options.argv.empty()) {
    const std::string libraries = CarriedLibraries(options.argv[0]);
    if (!libraries.empty()) read_only.push_back(libraries);
  }
  for (const std::string& path : read_only) {
    if (path.rfind("/usr/", 0) != 0) add({"--ro-bind", path, path});  // /usr is there as a whole
  }
  if (!visible.devices.empty() && access("/sys", F_OK) == 0)
    add({"--ro-bind", "/sys", "/sys"});  // drivers read it
  for (const std::string& path : visible.devices) add({"--dev-bind", path, path});
  add({"--"});
  argv.insert(argv.end(), options.argv.begin(), options.argv.end());
  options.argv = std::move(argv);
}

Sandbox Establish(const std::string& worker, Level wanted) {
  Sandbox found;
  for (Level level : {Level::kL3, Level::kL2, Level::kL1}) {
    if (level > wanted) continue;
    Sandbox sandbox{.level = level};
    if (level == Level::kL3) sandbox.bubblewrap = FindBubblewrap(worker);
    if (level == Level::kL3 && sandbox.bubblewrap.empty()) {
      found.evidence.push_back("L3: bubblewrap is not installed");
      continue;
    }
    const auto facts = RunProbe(worker, sandbox);
    const Tried tried = facts.ok()
                            ? Judge(level, *facts)
                            : Tried{false, absl::StrCat(std::string(ToString(level)), ": ",
                                                        std::string(facts.status().message()))};
    found.evidence.push_back(tried.evidence);
    if (!tried.proven) continue;
    found.level = level;
    found.bubblewrap = sandbox.bubblewrap;
    return found;
  }
  return found;
}

}  // namespace runner::child
