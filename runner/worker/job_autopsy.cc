// The autopsy of a hang: the program is built once more with a word for each thread that says what
// it waits for, run again, and the words are read while it hangs.
#include "absl/strings/str_cat.h"
#include "runner/contract/hash.h"
#include "runner/launch/progress.h"
#include "runner/worker/job_run.h"

namespace runner::worker {
namespace {

constexpr size_t kRowsTold = 4;

}  // namespace

std::string JobRun::Autopsy(const contract::Case& at) {
  if (!evaluator_.options_.cuda || !job_.direct_cuda.empty()) return "";
  autopsy_.name = std::string(kCheckAutopsy);
  const auto none = [&](absl::string_view why) {
    autopsy_.detail = absl::StrCat("not available: ", why);
    return std::string();
  };
  auto child = evaluator_.EnsureChild(true, job_.limits.launch_ms);
  if (!child.ok()) return none(child.status().message());
  child_ = *child;
  launch::Setup setup = SetupOf(job_.program, true);
  setup.progress = true;
  auto done = child_->Setup(setup, "autopsy", kSetupMs);
  if (!done.ok() || !done->rejected_json.empty()) return none("its build has no program");
  const auto build = evaluator_.compiler_->Compile(RequestFor(done->program, ""));
  if (!build.ok() || build->outcome != compile::Outcome::kBuilt)
    return none("its build does not compile");
  if (auto loaded = child_->Load("autopsy", build->cubin, kSetupMs); !loaded.ok())
    return none(loaded.status().message());
  const launch::CaseRequest request{.name = at.name, .role = "autopsy", .runs = RunsOf(at, true)};
  const auto run = child_->RunCase(request, job_.limits.case_wall_ms);
  // Whatever came of it, the child has hung or was about to.
  DropChild();
  if (!run.ok()) return none(run.status().message());
  if (run->reply.autopsy.empty())
    return none("its build did not hang, so the hang is a matter of timing");
  const auto autopsy = launch::AutopsyFromJson(run->reply.autopsy);
  if (!autopsy.ok()) return none(autopsy.status().message());
  result_.objects["autopsy"] = run->reply.autopsy;
  result_.hashes["autopsy"] = contract::Sha256Hex(run->reply.autopsy);
  autopsy_.outcome = oracle::Outcome::kFail;
  autopsy_.detail = launch::ToText(*autopsy, kRowsTold);
  return autopsy_.detail;
}

}  // namespace runner::worker
