#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>

#include "absl/strings/str_cat.h"
#include "clients/cli/place.h"
#include "clients/cli/remote/connect.h"
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
  if (close == std::string::npos) return "";
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

// SIGTERM, then a wait for the end; the daemon drains first.
bool StopProcess(const char* name) {
  const std::string path = absl::StrCat(DataFolder(), "/", name, ".pid");
  const int64_t pid = AlivePid(path);
  if (pid == 0) {
    std::printf("%s: not running\n", name);
    return true;
  }
  kill(static_cast<pid_t>(pid), SIGTERM);
  for (int i = 0; i < 300; ++i) {
    if (AlivePid(path) == 0) {
      std::printf("%s: stopped (pid %lld)\n", name, static_cast<long long>(pid));
      return true;
    }
    gpr_sleep_until(
        gpr_time_add(gpr_now(GPR_CLOCK_REALTIME), gpr_time_from_millis(100, GPR_TIMESPAN)));
  }
  std::fprintf(
      stderr,
      "cake: %s (pid %lld) does not end; kill -9 %lld is safe, nothing acknowledged is lost\n",
      name, static_cast<long long>(pid), static_cast<long long>(pid));
  return false;
}

int Stop() {
  const bool worker = StopProcess("worker");
  const bool daemon = StopProcess("caked");
  PrintNext("deploy/quickstart.sh");
  return worker && daemon ? kFine : kWorldAtFault;
}

int Doctor(const AdminOptions& options) {
  absl::StatusOr<Client> client = Connect(options.connect);
  if (!client.ok()) return Fail(client.status());
  cake::v1::ListRunsReply reply;
  auto context = Deadline(10);
  const grpc::Status status = client->history->ListRuns(context.get(), {}, &reply);
  if (!status.ok()) return FailCall(status, client->address);
  std::printf(
      "daemon answers at %s, event %llu, %d runs\nlive page: %s/\nworker of this folder: %s\n",
      client->address.grpc.c_str(), static_cast<unsigned long long>(reply.as_of_seq()),
      reply.runs_size(), client->address.http.c_str(),
      AlivePid(DataFolder() + "/worker.pid") != 0 ? "running" : "not running");
  PrintNext("cake history runs");
  return kFine;
}

}  // namespace

int Admin(const AdminOptions& options) {
  if (options.action == "stop") return Stop();
  if (options.action == "doctor") return Doctor(options);
  return Fail(
      absl::InvalidArgumentError(absl::StrCat("admin ", options.action, ": write stop or doctor")));
}

}  // namespace clients::cli::remote
