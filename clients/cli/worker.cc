#include "clients/cli/worker.h"

#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <sstream>

#include "absl/strings/str_cat.h"
#include "clients/cli/input.h"
#include "clients/cli/place.h"
#include "clients/cli/terminal.h"

namespace clients::cli {
namespace {

// Two files of our own, removed at the end.
struct JobFiles {
  std::string folder, job, result;
  JobFiles() {
    char pattern[] = "/tmp/cake-run-XXXXXX";
    if (const char* made = mkdtemp(pattern)) folder = made;
    job = folder + "/job.json";
    result = folder + "/result.json";
  }
  ~JobFiles() {
    unlink(job.c_str());
    unlink(result.c_str());
    rmdir(folder.c_str());
  }
};

int Spawn(const std::string& device, const JobFiles& files) {
  const std::string worker = FolderOfThisProgram() + "/cake-worker";
  const std::string work_dir = DataFolder() + "/cache", receipts = ReceiptsFolder();
  const pid_t child = fork();
  if (child == 0) {
    execl(worker.c_str(), worker.c_str(), "--device", device.c_str(), "--job", files.job.c_str(),
          "--out", files.result.c_str(), "--work-dir", work_dir.c_str(), "--receipts",
          receipts.c_str(), static_cast<char*>(nullptr));
    _exit(127);
  }
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) < 0 || !WIFEXITED(status)) return kWorldAtFault;
  return WEXITSTATUS(status);
}

}  // namespace

std::string ReceiptsFolder() { return DataFolder() + "/receipts"; }

absl::StatusOr<WorkerRun> RunWorker(const std::string& device, const std::string& job) {
  const JobFiles files;
  if (absl::Status written = WriteWholeFile(files.job, job); !written.ok()) return written;
  WorkerRun run;
  run.code = Spawn(device, files);
  std::ifstream file(files.result);
  std::stringstream text;
  text << file.rdbuf();
  run.result = nlohmann::json::parse(text.str(), nullptr, false);
  if (run.result.is_object()) return run;
  return absl::UnavailableError(absl::StrCat("cake-worker gave no result (exit code ", run.code,
                                             "); is it beside this program?"));
}

}  // namespace clients::cli
