// The oracle stage of a job: runs every case in the evaluation child, judges what comes back.
#include <algorithm>
#include <atomic>
#include <nlohmann/json.hpp>
#include <thread>

#include "absl/strings/str_cat.h"
#include "runner/cuda/driver_api.h"
#include "runner/launch/assumed.h"
#include "runner/oracle/generate.h"
#include "runner/oracle/hidden.h"
#include "runner/oracle/philox.h"
#include "runner/worker/command_reference.h"
#include "runner/worker/job_run.h"

namespace runner::worker {
namespace {

using contract::Verdict;

// Larger cases get no run on fresh inputs.
constexpr int64_t kFreshInputsBytesMax = int64_t{1} << 30;
constexpr int kJitterSeeds = 2;     // of delays, for each case; one for those without fresh inputs
constexpr size_t kMachinesMax = 8;  // reference machines of one job, side by side

int64_t BytesOf(const contract::Workload& workload, const contract::Case& at) {
  int64_t bytes = 0;
  const auto tensors = contract::TensorsOf(workload, at);
  for (const auto& tensor : tensors.ok() ? *tensors : std::vector<contract::CaseTensor>())
    bytes += tensor.bytes;
  return bytes;
}

}  // namespace

Verdict VerdictOfFinding(std::string_view code) {
  if (code >= "CK2020" && code <= "CK2024") return Verdict::kRaceObserved;
  if (code >= "CK2030" && code <= "CK2042") return Verdict::kHang;
  if (code >= "CK2010" && code <= "CK2014") return Verdict::kNondeterministic;
  if (code >= "CK6200" && code <= "CK6299") return Verdict::kHang;
  if (code == launch::kBrokenAssumption) return Verdict::kLaunchFailed;
  return Verdict::kDeviceFault;
}

// The same inputs twice with other poison (and, on the machine, another order of warps), then new
// inputs where the last ones lay. Small cases go on: a few elements changed, and on a device
// buffers that begin as far off as the program admits.
std::vector<launch::RunSpec> JobRun::RunsOf(const contract::Case& at, bool device) const {
  const auto key = [&](uint64_t i) { return oracle::DeriveKey(job_.seed, "poison", i); };
  std::vector<launch::RunSpec> runs = {{.poison = key(0)},
                                       {.poison = key(1), .schedule_seed = key(2)}};
  if (BytesOf(job_.workload, at) <= kFreshInputsBytesMax) {
    runs.push_back({.poison = key(3), .input_set = 1, .same_memory = true});
  }
  if (at.tier != contract::Tier::kMachine) return runs;
  runs.push_back({.poison = key(4), .input_set = oracle::kPerturbedSets, .same_memory = true});
  if (device) runs.push_back({.poison = key(5), .shifted = true});
  return runs;
}

void JobRun::FromDeath(const absl::Status& status, CaseOutcome& outcome) {
  outcome.detail = std::string(status.message());
  const child::Exit exit = child_->exit();
  DropChild();
  if (status.code() == absl::StatusCode::kDeadlineExceeded) {
    // A machine that did not run the child blames nobody; a GPU hang uses no CPU time.
    const bool starved =
        !evaluator_.options_.cuda && exit.cpu_ns < job_.limits.case_wall_ms * kNsPerMs / 10;
    outcome.verdict = starved ? Verdict::kInfraDevice : Verdict::kHang;
    return;
  }
  outcome.verdict = Verdict::kInfraDevice;
}

void JobRun::FromReply(const CaseRun& run, CaseOutcome& outcome) {
  using Outcome = launch::CaseReply::Outcome;
  const launch::CaseReply& reply = run.reply;
  outcome.detail = reply.code.empty() ? reply.detail : absl::StrCat(reply.code, ": ", reply.detail);
  if (!reply.diagnostics.empty() && result_.diagnostics_json.empty())
    result_.diagnostics_json = reply.diagnostics;
  switch (reply.outcome) {
    case Outcome::kFinished: break;
    case Outcome::kFault: outcome.verdict = VerdictOfFinding(reply.code); break;
    case Outcome::kDeadlock:
    case Outcome::kLimit: outcome.verdict = Verdict::kHang; break;
    case Outcome::kDriverError:
      if (reply.driver_error == cuda::kErrorEccUncorrectable ||
          reply.driver_error == cuda::kErrorOutOfMemory) {
        outcome.verdict = Verdict::kInfraDevice;
      } else {
        outcome.verdict = reply.sticky ? Verdict::kDeviceFault : Verdict::kLaunchFailed;
      }
      break;
  }
  if (reply.sticky) DropChild();
}

absl::StatusOr<CaseRun> JobRun::TakeCase(const launch::CaseRequest& request) {
  const child::Span span(result_.spans, "ask.case");
  const bool begun = begun_ && begun_->name == request.name;
  begun_.reset();
  auto run = begun ? child_->EndCase(request, job_.limits.case_wall_ms)
                   : child_->RunCase(request, job_.limits.case_wall_ms);
  // Whatever ended badly may have hurt the child: it is looked at first.
  const bool fine = run.ok() && run->reply.outcome == launch::CaseReply::Outcome::kFinished;
  if (!fine || next_ == nullptr) return run;
  launch::CaseRequest next = RequestOf(*next_);
  if (child_->BeginCase(next).ok()) begun_ = std::move(next);
  return run;
}

void JobRun::Attempt(const contract::Case& at, CaseOutcome& outcome) {
  launch::CaseRequest request = begun_ && begun_->name == at.name ? *begun_ : RequestOf(at);
  outcome = {.name = at.name,
             .tier = std::string(ToString(at.tier)),
             .set = std::string(ToString(at.set))};
  auto run = TakeCase(request);
  if (!run.ok()) return FromDeath(run.status(), outcome);
  FromReply(*run, outcome);
  if (outcome.verdict != Verdict::kCorrect) return;
  const Marked marked = TakeMarks(at, request, run->reply, std::as_const(run->image).bytes());
  if (marked == Marked::kPassed) return JudgeMarked(at, request, *run, outcome);
  if (marked == Marked::kDamaged) {
    // Nobody is judged by what somebody else may have damaged.
    if (!Restart()) {
      outcome.verdict = Verdict::kInfraDevice;
      return;
    }
    request.marks.reset();
    run = TakeCase(request);
    if (!run.ok()) return FromDeath(run.status(), outcome);
    FromReply(*run, outcome);
    if (outcome.verdict != Verdict::kCorrect) return;
  }
  Judge(at, request, *run, outcome);
  if (marked == Marked::kAudit) Compare(at, outcome.verdict == Verdict::kCorrect);
}

void JobRun::Judge(const contract::Case& at, const launch::CaseRequest& request, const CaseRun& run,
                   CaseOutcome& outcome) {
  const child::Span span(result_.spans, "judge.case");
  std::vector<oracle::Run> runs;
  const auto bytes = static_cast<size_t>(run.reply.layout.bytes);
  const std::span<const std::byte> image = run.image.bytes();
  if (static_cast<size_t>(run.reply.runs_done) != request.runs.size() ||
      image.size() < bytes * request.runs.size()) {
    outcome.verdict = Verdict::kInfraDevice;
    outcome.detail = "the evaluation child returned fewer runs than it was asked for";
    return;
  }
  for (size_t i = 0; i < request.runs.size(); ++i) {
    runs.push_back(launch::ViewOf(launch::LayoutOf(run.reply.layout, request.runs[i]),
                                  request.runs[i], image.subspan(i * bytes, bytes)));
  }
  const oracle::KnownScope known = Known();
  TakeJudgement(
      oracle::JudgeCase(job_.workload, at, job_.seed, runs, 0, RunReferenceCommand, &known),
      outcome);
}

void JobRun::TakeJudgement(absl::StatusOr<oracle::CaseResult> judged, CaseOutcome& outcome) {
  if (!judged.ok()) {
    outcome.verdict = Verdict::kContractSuspect;
    outcome.detail = std::string(judged.status().message());
    return;
  }
  outcome.verdict = judged->verdict;
  outcome.checks = std::move(judged->checks);
  outcome.difference = std::move(judged->difference);
  for (const auto& check : outcome.checks) {
    if (check.outcome == oracle::Outcome::kFail && outcome.detail.empty())
      outcome.detail = check.detail;
  }
}

bool JobRun::FailedOnDevice() const {
  return evaluator_.options_.cuda && !result_.cases.empty() && result_.machine == "not_run" &&
         contract::DefaultBlame(result_.verdict) == contract::Blame::kCandidate;
}

// The failing case where the machine can run it, else every machine-tier case until one is wrong.
void JobRun::AskMachine() {
  if (!job_.direct_cuda.empty()) return;  // there is no interpreter for it
  const contract::Case* failed = result_.verdict == Verdict::kCorrect
                                     ? nullptr
                                     : contract::FindCase(job_.workload, result_.cases.back().name);
  std::vector<const contract::Case*> cases;
  for (const contract::Case& at : job_.workload.cases) {
    if (at.tier != contract::Tier::kMachine) continue;
    if (&at == failed)
      cases.assign(1, &at);
    else if (cases.size() != 1 || cases[0] != failed)
      cases.push_back(&at);
  }
  if (cases.empty()) return;
  const child::Span span(result_.spans, "machine");
  std::vector<OnMachine> runs = RunOnMachine(cases);
  for (size_t i = 0; i < cases.size(); ++i) {
    const auto outcome = JudgeMachine(*cases[i], runs[i]);
    if (!outcome) return;
    if (outcome->verdict == Verdict::kCorrect) continue;
    result_.machine = "wrong";
    machine_ = *outcome;
    return;
  }
  result_.machine = "right";
}

std::vector<JobRun::OnMachine> JobRun::RunOnMachine(
    const std::vector<const contract::Case*>& cases) {
  std::vector<OnMachine> runs(cases.size());
  std::atomic<size_t> next = 0;
  const launch::Setup setup = SetupOf(job_.program, false);
  const auto serve = [&] {
    auto machine = evaluator_.StartMachine();
    if (!machine.ok()) return;
    const auto done = (*machine)->Setup(setup, "candidate", kSetupMs);
    if (!done.ok() || !done->rejected_json.empty()) return;
    for (size_t i = next++; i < cases.size() && (*machine)->alive(); i = next++) {
      const launch::CaseRequest request{.name = cases[i]->name, .runs = RunsOf(*cases[i], false)};
      runs[i] = (*machine)->RunCase(request, job_.limits.case_wall_ms);
    }
  };
  const size_t cores = std::max(1u, std::thread::hardware_concurrency());
  std::vector<std::jthread> others;
  for (size_t k = 1; k < std::min({cases.size(), cores / 2, kMachinesMax}); ++k)
    others.emplace_back(serve);
  serve();
  others.clear();  // joined
  return runs;
}

// nullopt: the machine has nothing to say of the case, being too slow for it or gone.
std::optional<CaseOutcome> JobRun::JudgeMachine(const contract::Case& at, OnMachine& run) {
  if (!run || !run->ok()) return std::nullopt;
  const CaseRun& ran = **run;
  if (ran.reply.outcome == launch::CaseReply::Outcome::kLimit) return std::nullopt;
  CaseOutcome outcome{.name = at.name};
  if (ran.reply.outcome == launch::CaseReply::Outcome::kFinished) {
    Judge(at, {.name = at.name, .runs = RunsOf(at, false)}, ran, outcome);
    return outcome;
  }
  const bool fault = ran.reply.outcome == launch::CaseReply::Outcome::kFault;
  outcome.verdict = fault ? VerdictOfFinding(ran.reply.code) : Verdict::kHang;
  outcome.detail = absl::StrCat(ran.reply.code, ": ", ran.reply.detail);
  if (!ran.reply.diagnostics.empty()) result_.diagnostics_json = ran.reply.diagnostics;
  return outcome;
}

// Nothing is said for good that the machine says otherwise of: what is right on one device by luck
// is wrong by what its program means.
bool JobRun::Confirmed() {
  if (!evaluator_.options_.cuda || job_.purpose != "CONFIRM") return true;
  BeginStage("ORACLE", job_.limits.case_wall_ms * kNsPerMs);
  AskMachine();
  EndStage("OK");
  if (result_.machine != "wrong") return true;
  return Say(machine_.verdict,
             absl::StrCat("case ", machine_.name, ", on the reference machine: ", machine_.detail));
}

bool JobRun::JudgeCase(const contract::Case& at) {
  CaseOutcome outcome;
  Attempt(at, outcome);
  // The machine is deterministic: only a device gets a second chance, in a clean child.
  const Verdict first = outcome.verdict;
  if (contract::NeedsSecondAttempt(first) && evaluator_.options_.cuda && job_.attempts > 1) {
    const std::string detail = outcome.detail;
    if (!Restart()) return false;
    Attempt(at, outcome);
    result_.varies = result_.varies || outcome.verdict != first;
    if (outcome.verdict == Verdict::kCorrect)
      outcome.detail =
          absl::StrCat("the first attempt ended in ", std::string(ToString(first)), ": ", detail);
  }
  // Where the reference itself has nothing to say of a size, nobody is judged by it.
  const bool hidden = at.name.starts_with(oracle::kHiddenPrefix);
  if (hidden && outcome.verdict == Verdict::kContractSuspect) return true;
  for (const oracle::Check& check : outcome.checks) {
    const bool repeat = check.name == oracle::kCheckRepeat;
    result_.varies = result_.varies || (repeat && check.outcome == oracle::Outcome::kFail);
  }
  const bool correct = outcome.verdict == Verdict::kCorrect;
  if (outcome.verdict == Verdict::kHang) {
    if (const std::string where = Autopsy(at); !where.empty())
      absl::StrAppend(&outcome.detail, ": ", where);
  }
  if (!correct) Say(outcome.verdict, absl::StrCat("case ", at.name, ": ", outcome.detail));
  result_.cases.push_back(std::move(outcome));
  return correct;
}

bool JobRun::Oracle() {
  BeginStage("ORACLE", job_.limits.case_wall_ms * kNsPerMs * static_cast<int64_t>(cases_.size()));
  bool correct = true;
  for (size_t i = 0; i < cases_.size() && correct; ++i) {
    progress_("ORACLE", static_cast<int>(100 * i / cases_.size()));
    next_ = i + 1 < cases_.size() ? cases_[i + 1] : nullptr;
    correct = JudgeCase(*cases_[i]);
    LetGo();
  }
  const bool infra = result_.blame == contract::Blame::kInfra;
  if (!evaluator_.options_.cuda && !infra) result_.machine = correct ? "right" : "wrong";
  EndStage(infra ? "FAULT" : "OK");
  next_ = nullptr;
  begun_.reset();
  if (!correct) DropChild();  // a shared child dies with the first candidate that does not pass
  return correct;
}

// The same program built once more, with delays where its warps meet: only where a worker is asked
// for more than a search needs, since it takes a second compilation.
bool JobRun::Jitter() {
  if (!evaluator_.options_.cuda || !job_.jitter || !job_.direct_cuda.empty()) return true;
  BeginStage("ORACLE", job_.limits.case_wall_ms * kNsPerMs * static_cast<int64_t>(cases_.size()));
  launch::Setup setup = SetupOf(job_.program, true);
  setup.instrument = true;
  auto done = child_->Setup(setup, "jitter", kSetupMs);
  if (!done.ok()) return Infra(Verdict::kInfraDevice, std::string(done.status().message()));
  compile::Build build;
  if (!done->rejected_json.empty() || BuildOne(done->program, "", build) == nullptr) {
    return Infra(Verdict::kInfraToolchain, "the build with delays does not compile");
  }
  auto loaded = child_->Load("jitter", build.cubin, kSetupMs);
  if (!loaded.ok()) return Infra(Verdict::kInfraDevice, std::string(loaded.status().message()));
  bool correct = true;
  for (const contract::Case* at : cases_) correct = correct && JitterCase(*at);
  EndStage("OK");
  return correct;
}

bool JobRun::JitterCase(const contract::Case& at) {
  const auto key = [&](uint64_t i) { return oracle::DeriveKey(job_.seed, "jitter", i); };
  launch::CaseRequest request{.name = at.name, .role = "jitter", .runs = {{.poison = key(0)}}};
  const uint64_t seeds = BytesOf(job_.workload, at) <= kFreshInputsBytesMax ? kJitterSeeds : 1;
  for (uint64_t k = 1; k <= seeds; ++k) {
    request.runs.push_back(
        {.poison = key(2 * k), .jitter_seed = static_cast<uint32_t>(key(2 * k + 1)) | 1});
  }
  CaseOutcome outcome{.name = at.name,
                      .tier = std::string(ToString(at.tier)),
                      .set = std::string(ToString(at.set))};
  auto run = child_->RunCase(request, job_.limits.case_wall_ms);
  if (!run.ok()) {
    FromDeath(run.status(), outcome);
  } else {
    FromReply(*run, outcome);
    if (outcome.verdict == Verdict::kCorrect) Judge(at, request, *run, outcome);
  }
  const auto mine = std::find_if(result_.cases.begin(), result_.cases.end(),
                                 [&](const CaseOutcome& judged) { return judged.name == at.name; });
  for (oracle::Check& check : mine->checks) {
    for (const oracle::Check& found : outcome.checks) {
      if (check.name == oracle::kCheckJitter && found.name == check.name) check = found;
    }
  }
  if (outcome.verdict == Verdict::kCorrect) return true;
  // It is right without delays: whatever goes wrong with them is a matter of order.
  result_.varies = true;
  mine->verdict = contract::DefaultBlame(outcome.verdict) == contract::Blame::kInfra
                      ? outcome.verdict
                      : Verdict::kRaceObserved;
  mine->detail = absl::StrCat("with delays: ", outcome.detail);
  return Say(mine->verdict, absl::StrCat("case ", at.name, ", with delays: ", outcome.detail));
}

}  // namespace runner::worker
