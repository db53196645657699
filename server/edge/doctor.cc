// What a machine and a data folder are like, as far as can be seen without changing them.
#include <grpc/grpc.h>
#include <openssl/crypto.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "absl/strings/str_cat.h"
#include "runner/child/find_library.h"
#include "server/edge/admin.h"

namespace server::edge {
namespace {

constexpr int64_t kMiB = int64_t{1} << 20;
constexpr int64_t kFreeWarnBytes = 2048 * kMiB, kFreeFailBytes = 64 * kMiB;
constexpr rlim_t kFilesMin = 1024;

class Examination {
 public:
  explicit Examination(wire::DoctorReply* out) : out_(out) {}

  void Say(const char* name, wire::CheckState state, std::string detail, std::string remedy = "") {
    wire::DoctorCheck* check = out_->add_checks();
    check->set_name(name);
    check->set_state(state);
    check->set_detail(std::move(detail));
    check->set_remedy(std::move(remedy));
  }
  void Fine(const char* name, std::string detail) {
    Say(name, wire::CHECK_STATE_OK, std::move(detail));
  }
  void Warn(const char* name, std::string detail, std::string remedy) {
    Say(name, wire::CHECK_STATE_WARN, std::move(detail), std::move(remedy));
  }
  void Fail(const char* name, std::string detail, std::string remedy) {
    Say(name, wire::CHECK_STATE_FAIL, std::move(detail), std::move(remedy));
  }

 private:
  wire::DoctorReply* out_;
};

std::string FirstLine(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

void Versions(Examination& say) {
  utsname system{};
  uname(&system);
  say.Fine("system", absl::StrCat(system.sysname, " ", system.release, " ", system.machine));
  say.Fine("libraries",
           absl::StrCat("SQLite ", std::string(store::SqliteVersion()), ", gRPC ",
                        grpc_version_string(), ", ", OpenSSL_version(OPENSSL_VERSION)));
}

void Environment(Examination& say) {
  const char* armed = std::getenv("CAKE_FAILPOINTS");
  if (armed != nullptr && *armed != '\0') {
    say.Warn("environment", absl::StrCat("CAKE_FAILPOINTS is set: ", armed),
             "unset it: it kills this process on purpose");
  } else {
    say.Fine("environment", "no failpoint is armed");
  }
  rlimit files{};
  getrlimit(RLIMIT_NOFILE, &files);
  if (files.rlim_cur < kFilesMin) {
    say.Warn("open files", absl::StrCat("at most ", files.rlim_cur), "ulimit -n 4096");
  } else {
    say.Fine("open files", absl::StrCat("at most ", files.rlim_cur));
  }
}

void Folder(const std::string& dir, Examination& say) {
  struct stat info {};
  if (stat(dir.c_str(), &info) != 0) {
    return say.Fail("folder", absl::StrCat(dir, " does not exist"),
                    absl::StrCat("caked --data-dir ", dir, " makes it"));
  }
  if (access(dir.c_str(), R_OK | W_OK | X_OK) != 0) {
    return say.Fail("folder", absl::StrCat(dir, " cannot be written by uid ", geteuid()),
                    absl::StrCat("run as uid ", info.st_uid));
  }
  if ((info.st_mode & S_IWOTH) != 0) {
    return say.Warn("folder", absl::StrCat(dir, " can be written by everybody"),
                    absl::StrCat("chmod o-w ", dir));
  }
  say.Fine("folder", absl::StrCat(dir, ", of uid ", info.st_uid));
}

void Disk(const std::string& dir, Examination& say) {
  struct statvfs space {};
  if (statvfs(dir.c_str(), &space) != 0) return;
  const int64_t free = static_cast<int64_t>(space.f_bavail) * static_cast<int64_t>(space.f_frsize);
  const std::string text =
      absl::StrCat(free / kMiB, " MiB and ", static_cast<int64_t>(space.f_favail), " files free");
  const std::string remedy = "cake admin gc --apply, or a larger disk";
  const bool no_files = space.f_files > 0 && space.f_favail < 1000;
  if (free < kFreeFailBytes || no_files) return say.Fail("disk", text, remedy);
  if (free < kFreeWarnBytes) return say.Warn("disk", text, remedy);
  say.Fine("disk", text);
}

void Schema(const std::string& dir, Examination& say) {
  if (!std::filesystem::exists(dir + "/cake.db")) {
    return say.Warn("store", "no store in this folder yet", "caked makes one");
  }
  auto facts = store::LookAt(dir);
  if (!facts.ok()) {
    return say.Fail("store", std::string(facts.status().message()), "cake admin fsck");
  }
  const std::string text =
      absl::StrCat("schema version ", facts->schema, " of ", facts->schema_known, ", event ",
                   facts->last_seq, ", ", facts->database_bytes / kMiB, " MiB, write-ahead log ",
                   facts->wal_bytes / kMiB, " MiB");
  if (facts->schema > facts->schema_known) {
    return say.Fail("store", text, "use the newer program that wrote it");
  }
  say.Fine("store", text);
}

void Live(store::Store* live, const std::string& dir, Examination& say) {
  if (live == nullptr) {
    const std::string holder = store::HolderOf(dir);
    if (holder.empty()) return say.Fine("daemon", "none has this folder");
    return say.Warn("daemon", absl::StrCat("process ", holder, " has this folder, but no address"),
                    absl::StrCat("see its log, or kill ", holder));
  }
  const store::Stats stats = live->stats();
  if (stats.health != store::Health::kServing) {
    return say.Fail("daemon", "READ_ONLY: the disk is full", "free disk space; it recovers itself");
  }
  say.Fine("daemon", absl::StrCat("serving, last commit ", stats.last_commit_ns / 1000, " us, ",
                                  stats.queued_commands, " commands wait"));
}

void Machine(Examination& say) {
  const std::string nvrtc =
      runner::child::FindCudaLibrary({"libnvrtc.so.13", "libnvrtc.so.12"}, "cuda_nvrtc");
  if (nvrtc.empty()) {
    say.Warn("compiler", "no NVRTC: programs run on the reference machine only",
             "apt-get install the packages of deploy/packages.txt, or pip's cuda_nvrtc");
  } else {
    say.Fine("compiler", nvrtc);
  }
  const std::string driver = FirstLine("/proc/driver/nvidia/version");
  if (driver.empty()) {
    say.Warn("driver", "no NVIDIA driver: nothing is measured, results are ESTIMATED",
             "run cake-worker on a machine with a GPU");
  } else {
    say.Fine("driver", driver);
  }
  const bool bubblewrap = access("/usr/bin/bwrap", X_OK) == 0;
  if (bubblewrap) return say.Fine("sandbox", "/usr/bin/bwrap");
  say.Warn("sandbox", "no bubblewrap: children get level L2 at most, direct CUDA is refused",
           "apt-get install bubblewrap");
}

}  // namespace

void Examine(const std::string& data_dir, store::Store* live, wire::DoctorReply* out) {
  Examination say(out);
  out->set_live(live != nullptr);
  Versions(say);
  Environment(say);
  Folder(data_dir, say);
  Disk(data_dir, say);
  Schema(data_dir, say);
  Live(live, data_dir, say);
  Machine(say);
}

}  // namespace server::edge
