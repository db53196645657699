#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "clients/cli/place.h"
#include "clients/cli/remote/connect.h"
#include "clients/cli/remote/upkeep.h"
#include "clients/cli/remote/verbs.h"
#include "clients/cli/terminal.h"

namespace clients::cli::remote {
namespace {

// Field 22 of /proc/PID/stat: a pid that now belongs to another process has another start time.
std::string StartTicks(int64_t pid) {
  std::ifstream file(absl::StrCat("/proc/", pid, "/stat"));
  std::string text;
  std::getline(file, text);
  const size_t close = text.rfind(") ");
  // A zombie has ended: only its parent has not looked yet.
  if (close == std::string::npos || text.compare(close + 2, 1, "Z") == 0) return "";
  size_t at = close + 2;
  for (int field = 3; field < 22 && at != std::string::npos; ++field) at = text.find(' ', at) + 1;
  return text.substr(at, text.find(' ', at) - at);
}

// A pid file as deploy/quickstart.sh writes it: "PID START_TICKS". 0 when it names nobody alive.
int64_t AlivePid(const std::string& path) {
  std::ifstream file(path);
  int64_t pid = 0;
  std::string ticks;
  if (!(file >> pid >> ticks) || ticks.empty() || StartTicks(pid) != ticks) return 0;
  return pid;
}

// A daemon that was started by hand has no pid file, but says its pid where clients look for it.
int64_t PidInAddress() {
  const absl::StatusOr<Address> address = FindDaemon("");
  if (!address.ok() || address->pid <= 0) return 0;
  std::ifstream file(absl::StrCat("/proc/", address->pid, "/comm"));
  std::string name;
  std::getline(file, name);
  return name == "caked" ? address->pid : 0;
}

// Workers of this machine that serve this folder's daemon, however they were started.
std::vector<int64_t> AliveWorkers() {
  std::set<int64_t> pids;
  if (const int64_t pid = AlivePid(DataFolder() + "/worker.pid"); pid != 0) pids.insert(pid);
  std::error_code error;
  for (const auto& file : std::filesystem::directory_iterator(DataFolder() + "/workers", error)) {
    if (const int64_t pid = AlivePid(file.path()); pid != 0) pids.insert(pid);
  }
  return {pids.begin(), pids.end()};
}

struct Stopped {
  const char* name;
  int64_t pid = 0;  // 0: was not running
  bool ended = true;
};

// SIGTERM, then a wait for the end; the daemon drains first.
Stopped StopProcess(const char* name, int64_t pid) {
  Stopped out{name, pid};
  if (out.pid == 0) return out;
  const std::string ticks = StartTicks(out.pid);
  kill(static_cast<pid_t>(out.pid), SIGTERM);
  for (int i = 0; i < 300; ++i) {
    if (StartTicks(out.pid) != ticks) return out;
    gpr_sleep_until(
        gpr_time_add(gpr_now(GPR_CLOCK_REALTIME), gpr_time_from_millis(100, GPR_TIMESPAN)));
  }
  out.ended = false;
  return out;
}

void PrintStopped(const Stopped& at) {
  const auto pid = static_cast<long long>(at.pid);
  if (at.pid == 0) {
    std::printf("%s: not running\n", at.name);
  } else if (at.ended) {
    std::printf("%s: stopped (pid %lld)\n", at.name, pid);
  } else {
    std::fprintf(
        stderr,
        "cake: %s (pid %lld) does not end; kill -9 %lld is safe, nothing acknowledged is lost\n",
        at.name, pid, pid);
  }
}

int Stop(const AdminOptions& options) {
  std::vector<Stopped> processes;
  for (const int64_t pid : AliveWorkers()) processes.push_back(StopProcess("worker", pid));
  if (processes.empty()) processes.push_back({"worker"});
  int64_t daemon = AlivePid(DataFolder() + "/caked.pid");
  if (daemon == 0) daemon = PidInAddress();
  processes.push_back(StopProcess("caked", daemon));
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  bool ended = true;
  for (const Stopped& at : processes) {
    if (!options.json || !at.ended) PrintStopped(at);
    json.push_back({{"name", at.name}, {"pid", at.pid}, {"ended", at.ended}});
    ended = ended && at.ended;
  }
  if (options.json) {
    std::printf("%s\n", nlohmann::ordered_json{{"processes", json}}.dump(2).c_str());
  } else {
    const bool checkout = access("deploy/quickstart.sh", X_OK) == 0;
    PrintNext(checkout ? "deploy/quickstart.sh" : "cake --help");
  }
  return ended ? kFine : kWorldAtFault;
}

}  // namespace

int Admin(const AdminOptions& options) {
  if (options.action == "stop") return Stop(options);
  if (options.action == "doctor") return Doctor(options, AliveWorkers());
  if (options.action == "fsck") return Fsck(options);
  if (options.action == "backup") return Backup(options);
  if (options.action == "restore") return Restore(options);
  if (options.action == "gc") return CollectGarbage(options);
  if (options.action == "token") return CreateToken(options);
  if (options.action == "revoke") return RevokeToken(options);
  if (options.action == "quota") return SetQuota(options);
  if (options.action == "drain") return DrainWorker(options);
  if (options.action == "quarantine") return QuarantineDevice(options);
  if (options.action == "calibration") return ActivateCalibration(options);
  return Fail(absl::InvalidArgumentError(
      absl::StrCat("admin ", options.action,
                   ": write stop, doctor, fsck, backup, restore, gc, token, revoke, quota, drain,"
                   " quarantine or calibration")));
}

}  // namespace clients::cli::remote
