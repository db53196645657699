// The profile stage of a job: what tools of the CUDA toolkit say of the build and of a run, where
// this machine has them. It decides nothing, and its runs are not timed: they are replayed and
// slowed down by the tools.
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "runner/child/write_file.h"
#include "runner/contract/hash.h"
#include "runner/evidence/profile.h"
#include "runner/evidence/sanitizer.h"
#include "runner/evidence/sass.h"
#include "runner/evidence/tools.h"
#include "runner/worker/job_run.h"

namespace runner::worker {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kProfileMs = 180'000, kFinishMs = 30'000;
constexpr const char* kSanitizers[] = {"memcheck", "racecheck", "synccheck"};
constexpr size_t kFindingsTold = 4;

// A folder that children of a root worker, which run as another user, can write to.
struct LogFolder {
  std::string path;
  LogFolder() {
    std::string pattern = (fs::temp_directory_path() / "cake-profile-XXXXXX").string();
    if (const char* made = mkdtemp(pattern.data())) path = made;
    std::error_code error;
    fs::permissions(path, fs::perms::all, error);
  }
  ~LogFolder() {
    std::error_code error;
    if (!path.empty()) fs::remove_all(path, error);
  }
};

template <typename Kernel>
std::string Told(const std::vector<Kernel>& kernels) {
  std::vector<std::string> words;
  for (const Kernel& kernel : kernels) {
    for (const std::string& finding : FindingsOf(kernel)) {
      if (words.size() < kFindingsTold) words.push_back(absl::StrCat(kernel.name, ": ", finding));
    }
  }
  return words.empty() ? "nothing stands out" : absl::StrJoin(words, "; ");
}

}  // namespace

void JobRun::Keep(const std::string& name, const absl::StatusOr<std::string>& json,
                  const std::string& words) {
  oracle::Check check{.name = "evidence_" + name};
  if (json.ok()) {
    check.outcome = oracle::Outcome::kPass;
    check.detail = words;
    result_.objects[name] = *json;
    result_.hashes[name] = contract::Sha256Hex(*json);
  } else {
    check.detail = absl::StrCat("not available: ", json.status().message());
  }
  evidence_.push_back(std::move(check));
}

bool JobRun::Wants(std::string_view evidence) const {
  return std::find(job_.evidence.begin(), job_.evidence.end(), evidence) != job_.evidence.end();
}

void JobRun::ListSass() {
  const auto listing = evidence::Disassemble(build_.cubin, evaluator_.options_.tool_folders);
  if (!listing.ok()) return Keep("sass", listing.status(), "");
  const auto kernels = evidence::ParseSass(*listing);
  if (kernels.empty())
    return Keep("sass", absl::InvalidArgumentError("the listing has no function"), "");
  Keep("sass", evidence::ToJson(kernels), Told(kernels));
}

// The case that is run under a tool: the smallest, or for counters the one that weighs most.
const contract::Case* JobRun::CaseForTools(bool counters) const {
  const contract::Case* best = nullptr;
  for (const contract::Case* at : cases_) {
    const bool device = at->tier == contract::Tier::kDevice;
    if (best == nullptr || (counters && device && at->weight > best->weight)) best = at;
  }
  return best;
}

// Runs the case once in a child that is started by `tool`, and gives the log that it leaves.
absl::StatusOr<std::string> JobRun::RunUnder(const std::vector<std::string>& tool,
                                             const contract::Case& at) {
  const LogFolder folder;
  if (folder.path.empty()) return absl::UnavailableError("no folder for the tool's log");
  const std::string log = folder.path + "/log";
  std::vector<std::string> prefix = tool;
  prefix.insert(prefix.end(), {"--log-file", log});
  auto child = evaluator_.StartUnder(prefix, folder.path, job_.limits.launch_ms);
  if (!child.ok()) return child.status();
  launch::Setup setup = SetupOf(job_.program, true);
  setup.direct_plans = direct_plans_;
  absl::Status ran;
  if (auto done = (*child)->Setup(setup, "candidate", kProfileMs); !done.ok()) ran = done.status();
  if (ran.ok()) {
    if (auto loaded = (*child)->Load("candidate", build_.cubin, kProfileMs); !loaded.ok())
      ran = loaded.status();
  }
  const launch::CaseRequest request{.name = at.name, .runs = {RunsOf(at, true).front()}};
  if (ran.ok()) ran = (*child)->RunCase(request, kProfileMs).status();
  // Its channel closes: the child ends by itself, and the tool writes its log.
  (*child)->Finish(kFinishMs);
  auto text = child::ReadWholeFile(log, evidence::kToolOutputBytesMax);
  if (text.ok() && !text->empty()) return text;
  return ran.ok() ? absl::UnavailableError("the tool left no log") : ran;
}

void JobRun::ReadCounters() {
  const std::string tool = evidence::FindTool("ncu", evaluator_.options_.tool_folders);
  const contract::Case* at = CaseForTools(true);
  if (tool.empty()) {
    return Keep("profile",
                absl::UnavailableError(absl::StrCat("no ncu in ", evidence::ToolFolders())), "");
  }
  const auto log = RunUnder({tool, "--csv", "--page", "raw", "--target-processes", "all",
                             "--metrics", evidence::CountersWanted()},
                            *at);
  if (!log.ok()) return Keep("profile", log.status(), "");
  const auto kernels = evidence::ParseProfile(*log);
  if (!kernels.ok()) return Keep("profile", kernels.status(), "");
  Keep("profile", evidence::ToJson(*kernels),
       absl::StrCat("case ", at->name, ", ", Told(*kernels)));
}

void JobRun::Sanitize() {
  const std::string tool =
      evidence::FindTool("compute-sanitizer", evaluator_.options_.tool_folders);
  const contract::Case* at = CaseForTools(false);
  if (tool.empty()) {
    return Keep(
        "sanitizer",
        absl::UnavailableError(absl::StrCat("no compute-sanitizer in ", evidence::ToolFolders())),
        "");
  }
  std::vector<evidence::SanitizerReport> reports;
  std::string words;
  int64_t errors = 0;
  for (const char* kind : kSanitizers) {
    const auto log = RunUnder({tool, "--tool", kind, "--target-processes", "all"}, *at);
    if (!log.ok()) return Keep("sanitizer", log.status(), "");
    const auto report = evidence::ParseSanitizer(*log, kind);
    if (!report.ok()) return Keep("sanitizer", report.status(), "");
    errors += report->errors;
    absl::StrAppend(&words, words.empty() ? "" : "; ", evidence::ToText(*report));
    reports.push_back(*report);
  }
  Keep("sanitizer", evidence::ToJson(reports), absl::StrCat("case ", at->name, ", ", words));
  if (errors > 0) evidence_.back().outcome = oracle::Outcome::kFail;
}

void JobRun::Evidence() {
  const bool asked = !job_.evidence.empty() && evaluator_.options_.tools;
  if (!asked || !has_cubin_ || cases_.empty()) return;
  BeginStage("PROFILE", kProfileMs * kNsPerMs);
  if (Wants("sass")) ListSass();
  // Of this job nothing else is on the device beside the tool's child.
  // Hand-written code is not let out of its sandbox for it.
  const bool runs = evaluator_.options_.cuda && set_up_ && job_.direct_cuda.empty();
  if (runs && (Wants("profile") || Wants("sanitizer"))) {
    DropChild();
    if (Wants("profile") && result_.verdict == contract::Verdict::kCorrect) ReadCounters();
    if (Wants("sanitizer")) Sanitize();
  }
  EndStage("OK");
}

}  // namespace runner::worker
