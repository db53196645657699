#include "runner/worker/job_run.h"

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"
#include "runner/child/json_field.h"
#include "runner/contract/hash.h"
#include "runner/cuda/driver_api.h"
#include "runner/launch/assumed.h"
#include "runner/oracle/philox.h"
#include "runner/worker/program_cache.h"

namespace runner::worker {
namespace {

using contract::Verdict;

constexpr int64_t kSetupMs = 60'000, kLoadMs = 60'000;
constexpr int64_t kFreshInputsBytesMax = int64_t{1}
                                         << 30;  // larger cases get two runs instead of three
constexpr int64_t kNsPerMs = 1'000'000;

int64_t NowNs() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

launch::Setup SetupOf(const Job& job, const launch::ProgramText& program, bool emit) {
  launch::Setup setup{.workload = job.workload,
                      .program = program,
                      .seed = job.seed,
                      .emit = emit,
                      .cases = job.cases};
  return setup;
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

JobRun::JobRun(Evaluator& evaluator, const Job& job, const Evaluator::Progress& progress)
    : evaluator_(evaluator), job_(job), progress_(progress) {
  result_.job = job.id;
  result_.protocol = job.protocol.empty() ? job.workload.protocol : job.protocol;
  if (!evaluator.options_.cuda) result_.protocol = "machine-v1";
  result_.sandbox_level = std::string(ToString(evaluator.sandbox_.level));
  result_.sandbox_evidence = evaluator.sandbox_.evidence;
  const std::string& text = job.direct_cuda.empty() ? job.program.source : job.direct_cuda;
  result_.hashes["source"] = contract::Sha256Hex(text);
  result_.hashes["contract"] = contract::Hash(job.workload);
  if (job.baseline) result_.hashes["baseline"] = contract::Sha256Hex(job.baseline->source);
}

absl::StatusOr<JobResult> JobRun::Run() {
  if (auto status = ChooseCases(); !status.ok()) return status;
  if (SetUp() && Build() && LoadModules() && (job_.purpose == kCalibrate || Oracle())) Timing();
  Finish();
  return std::move(result_);
}

absl::Status JobRun::ChooseCases() {
  for (const contract::Case& at : job_.workload.cases) {
    const bool named = std::find(job_.cases.begin(), job_.cases.end(), at.name) != job_.cases.end();
    const bool wanted =
        job_.cases.empty() && (evaluator_.options_.cuda || at.tier == contract::Tier::kMachine);
    if (named || wanted) cases_.push_back(&at);
  }
  if (cases_.size() < std::max<size_t>(1, job_.cases.size())) {
    return absl::InvalidArgumentError(
        absl::StrCat("the job names a case that contract ", job_.workload.name, " has not"));
  }
  return absl::OkStatus();
}

bool JobRun::Say(Verdict verdict, std::string detail) {
  result_.verdict = verdict;
  result_.blame = contract::DefaultBlame(verdict);
  result_.detail = std::move(detail);
  return verdict == Verdict::kCorrect;
}

bool JobRun::Infra(Verdict verdict, std::string detail) {
  EndStage("FAULT");
  return Say(verdict, std::move(detail));
}

void JobRun::BeginStage(const std::string& name, int64_t limit_ns) {
  stage_ = {.stage = name, .limit_ns = limit_ns};
  stage_start_ns_ = NowNs();
  stage_cpu_ns_ = child_ != nullptr && child_->alive() ? child_->CpuNs() : 0;
  progress_(name, 0);
}

void JobRun::EndStage(const std::string& end) {
  if (stage_.stage.empty()) return;
  stage_.wall_ns = NowNs() - stage_start_ns_;
  if (stage_.cpu_ns == 0 && child_ != nullptr && child_->alive())
    stage_.cpu_ns = std::max<int64_t>(0, child_->CpuNs() - stage_cpu_ns_);
  stage_.end = end;
  result_.stages.push_back(std::move(stage_));
  stage_ = {};
}

bool JobRun::SetUp() {
  BeginStage("COMPILE", job_.limits.compile_cpu_s * 1000 * kNsPerMs);
  auto child = evaluator_.EnsureChild(job_.fresh_child, job_.limits.launch_ms);
  if (!child.ok()) return Infra(Verdict::kInfraDevice, std::string(child.status().message()));
  child_ = *child;
  result_.sandbox_level = std::string(ToString(evaluator_.eval_sandbox_.level));
  result_.sandbox_evidence = evaluator_.eval_sandbox_.evidence;
  result_.device_json = child_->device_json();
  if (!job_.direct_cuda.empty() && evaluator_.eval_sandbox_.level < child::Level::kL3) {
    return Infra(Verdict::kInfraToolchain,
                 "direct CUDA needs sandbox level L3; this machine gives " + result_.sandbox_level);
  }
  const bool emit = evaluator_.EnsureCompiler().ok();
  launch::Setup setup = SetupOf(job_, job_.program, emit);
  setup.direct_plans = job_.direct_plans;
  auto done = child_->Setup(setup, "candidate", kSetupMs);
  if (!done.ok()) return Infra(Verdict::kInfraDevice, std::string(done.status().message()));
  if (!done->rejected_json.empty()) {
    result_.diagnostics_json = done->rejected_json;
    EndStage("FAULT");
    return Say(Verdict::kRejectedData,
               "the program does not elaborate, or does not fit the contract");
  }
  program_ = std::move(done->program);
  result_.hashes["canonical"] = program_.canonical_hash;
  if (!evaluator_.options_.work_dir.empty() && contract::IsSha256Hex(program_.canonical_hash)) {
    const CachedProgram cached{job_.program.source, job_.program.program, job_.program.file,
                               job_.program.arch, job_.program.binding};
    const auto put =
        PutProgram(evaluator_.options_.work_dir + "/programs", program_.canonical_hash, cached);
    if (!put.ok()) return Infra(Verdict::kInfraToolchain, std::string(put.message()));
  }
  for (const contract::Case* at : cases_) {
    const auto refused = program_.refused.find(at->name);
    if (refused == program_.refused.end()) continue;
    EndStage("FAULT");
    return Say(Verdict::kRejectedData, absl::StrCat("case ", at->name, ": ", refused->second));
  }
  set_up_ = true;
  return true;
}

const compile::Build* JobRun::BuildOne(const launch::ProgramReply& program,
                                       const std::string& direct_cuda, compile::Build& build) {
  compile::Request request{.cuda = direct_cuda.empty() ? program.cuda : direct_cuda,
                           .file_name = job_.program.file + ".cu",
                           .arch = job_.program.arch,
                           .options = program.options};
  if (request.arch.empty()) {
    const auto device = nlohmann::json::parse(result_.device_json, nullptr, false);
    request.arch = evaluator_.options_.cuda ? child::TextField(device, "arch", program.target)
                                            : program.target;
  }
  evaluator_.compiler_->LimitCpu(job_.limits.compile_cpu_s);
  auto done = evaluator_.compiler_->Compile(request);
  if (!done.ok()) {
    Infra(Verdict::kInfraToolchain, std::string(done.status().message()));
    return nullptr;
  }
  build = *std::move(done);
  stage_.cpu_ns += build.cpu_ns;
  if (build.outcome == compile::Outcome::kBuilt) return &build;
  const bool limit = build.outcome == compile::Outcome::kLimit;
  EndStage(limit ? "LIMIT" : "FAULT");
  result_.objects["log"] = build.log;
  Say(limit ? Verdict::kCompileLimit : Verdict::kLoweringFailed,
      build.reason.empty() ? compile::ErrorLines(build.log) : build.reason);
  // What passed the gates and does not compile is ours to explain; hand-written CUDA its author's.
  if (!direct_cuda.empty()) result_.blame = contract::Blame::kCandidate;
  return nullptr;
}

bool JobRun::Build() {
  if (auto status = evaluator_.EnsureCompiler(); !status.ok()) {
    if (evaluator_.options_.cuda)
      return Infra(Verdict::kInfraToolchain, std::string(status.message()));
    EndStage("NOT_RUN");  // values need no compiler
    return true;
  }
  const compile::Build* built = BuildOne(program_, job_.direct_cuda, build_);
  if (!build_.key.empty()) result_.build_json = BuildJson(build_);
  if (built == nullptr) return false;
  has_cubin_ = true;
  const std::string& cuda = job_.direct_cuda.empty() ? program_.cuda : job_.direct_cuda;
  result_.hashes["cuda"] = contract::Sha256Hex(cuda);
  result_.hashes["cubin"] = contract::Sha256Hex(build_.cubin);
  result_.objects["cuda"] = cuda;
  result_.objects["cubin"] = build_.cubin;
  result_.objects["ptx"] = build_.ptx;
  result_.objects["log"] = build_.log;
  if (!evaluator_.options_.cuda || !job_.baseline) {
    EndStage("OK");
    return true;
  }
  auto baseline = child_->Setup(SetupOf(job_, *job_.baseline, true), "baseline", kSetupMs);
  if (!baseline.ok()) return Infra(Verdict::kInfraDevice, std::string(baseline.status().message()));
  if (!baseline->rejected_json.empty())
    return Infra(Verdict::kInfraToolchain, "the baseline program does not elaborate");
  baseline_program_ = std::move(baseline->program);
  if (BuildOne(baseline_program_, "", baseline_build_) == nullptr)
    return Infra(Verdict::kInfraToolchain, "the baseline does not compile");
  has_baseline_ = true;
  EndStage("OK");
  return true;
}

bool JobRun::LoadModules() {
  if (!evaluator_.options_.cuda) return true;
  for (const bool baseline : {false, true}) {
    if (baseline && !has_baseline_) continue;
    auto loaded = child_->Load(baseline ? "baseline" : "candidate",
                               baseline ? baseline_build_.cubin : build_.cubin, kLoadMs);
    if (!loaded.ok()) return Infra(Verdict::kInfraDevice, std::string(loaded.status().message()));
    const auto reply = nlohmann::json::parse(*loaded, nullptr, false);
    if (!reply.is_object() || !reply.contains("error")) continue;
    const int64_t code = child::IntegerField(reply, "code");
    evaluator_.DropChild();
    if (baseline || code == cuda::kErrorNoBinaryForGpu || cuda::kErrorOutOfMemory == code) {
      return Infra(Verdict::kInfraDevice, child::TextField(reply, "error"));
    }
    return Say(Verdict::kLaunchFailed, child::TextField(reply, "error"));
  }
  return true;
}

bool JobRun::Restart() {
  evaluator_.DropChild();
  child_ = nullptr;
  auto child = evaluator_.EnsureChild(true, job_.limits.launch_ms);
  if (!child.ok()) return Say(Verdict::kInfraDevice, std::string(child.status().message()));
  child_ = *child;
  stage_cpu_ns_ = 0;
  launch::Setup setup = SetupOf(job_, job_.program, has_cubin_);
  setup.direct_plans = job_.direct_plans;
  auto done = child_->Setup(setup, "candidate", kSetupMs);
  if (done.ok() && has_baseline_)
    done = child_->Setup(SetupOf(job_, *job_.baseline, true), "baseline", kSetupMs);
  if (!done.ok()) return Say(Verdict::kInfraDevice, std::string(done.status().message()));
  return LoadModules();
}

std::vector<launch::RunSpec> JobRun::RunsOf(const contract::Case& at) const {
  int64_t bytes = 0;
  const auto tensors = contract::TensorsOf(job_.workload, at);
  for (const auto& tensor : tensors.ok() ? *tensors : std::vector<contract::CaseTensor>())
    bytes += tensor.bytes;
  const auto poison = [&](uint64_t i) { return oracle::DeriveKey(job_.seed, "poison", i); };
  // The same inputs twice with other poison (and, on the machine, another order of warps), then new
  // inputs.
  std::vector<launch::RunSpec> runs = {{poison(0), 0, 0}, {poison(1), 0, poison(2)}};
  if (bytes <= kFreshInputsBytesMax) runs.push_back({poison(3), 1, 0});
  return runs;
}

void JobRun::FromDeath(const absl::Status& status, CaseOutcome& outcome) {
  outcome.detail = std::string(status.message());
  const child::Exit exit = child_->exit();
  evaluator_.DropChild();
  child_ = nullptr;
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
  if (reply.sticky) {
    evaluator_.DropChild();
    child_ = nullptr;
  }
}

void JobRun::Attempt(const contract::Case& at, CaseOutcome& outcome) {
  const launch::CaseRequest request{at.name, RunsOf(at)};
  outcome = {.name = at.name,
             .tier = std::string(ToString(at.tier)),
             .set = std::string(ToString(at.set))};
  auto run = child_->RunCase(request, job_.limits.case_wall_ms);
  if (!run.ok()) return FromDeath(run.status(), outcome);
  FromReply(*run, outcome);
  if (outcome.verdict != Verdict::kCorrect) return;
  Judge(at, request, *run, outcome);
}

void JobRun::Judge(const contract::Case& at, const launch::CaseRequest& request, const CaseRun& run,
                   CaseOutcome& outcome) const {
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
    runs.push_back(
        launch::ViewOf(run.reply.layout, request.runs[i], image.subspan(i * bytes, bytes)));
  }
  auto judged = oracle::JudgeCase(job_.workload, at, job_.seed, runs, 0);
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

// The failing case where the machine can run it, else every machine-tier case until one is wrong.
void JobRun::AskMachine() {
  if (!job_.direct_cuda.empty()) return;  // there is no interpreter for it
  const contract::Case* failed = result_.cases.empty()
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
  auto machine = evaluator_.StartMachine();
  if (!machine.ok() || cases.empty()) return;
  auto done = (*machine)->Setup(SetupOf(job_, job_.program, false), "candidate", kSetupMs);
  if (!done.ok() || !done->rejected_json.empty()) return;
  for (const contract::Case* at : cases) {
    const launch::CaseRequest request{at->name, RunsOf(*at)};
    auto run = (*machine)->RunCase(request, job_.limits.case_wall_ms);
    if (!run.ok()) return;
    CaseOutcome outcome;
    const bool finished = run->reply.outcome == launch::CaseReply::Outcome::kFinished;
    if (finished) Judge(*at, request, *run, outcome);
    if (!finished || outcome.verdict != Verdict::kCorrect) {
      result_.machine = "wrong";
      if (!run->reply.diagnostics.empty()) result_.diagnostics_json = run->reply.diagnostics;
      return;
    }
  }
  result_.machine = "right";
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
  for (const oracle::Check& check : outcome.checks) {
    const bool repeat = check.name == oracle::kCheckRepeat;
    result_.varies = result_.varies || (repeat && check.outcome == oracle::Outcome::kFail);
  }
  const bool correct = outcome.verdict == Verdict::kCorrect;
  if (!correct) Say(outcome.verdict, absl::StrCat("case ", at.name, ": ", outcome.detail));
  result_.cases.push_back(std::move(outcome));
  return correct;
}

bool JobRun::Oracle() {
  BeginStage("ORACLE", job_.limits.case_wall_ms * kNsPerMs * static_cast<int64_t>(cases_.size()));
  bool correct = true;
  for (size_t i = 0; i < cases_.size() && correct; ++i) {
    progress_("ORACLE", static_cast<int>(100 * i / cases_.size()));
    correct = JudgeCase(*cases_[i]);
  }
  const bool infra = result_.blame == contract::Blame::kInfra;
  if (!evaluator_.options_.cuda && !infra) result_.machine = correct ? "right" : "wrong";
  EndStage(infra ? "FAULT" : "OK");
  if (!correct)
    evaluator_.DropChild();  // a shared child dies with the first candidate that does not pass
  if (!correct) child_ = nullptr;
  return correct;
}

void JobRun::Aggregate() {
  using oracle::Outcome;
  const auto add = [&](std::string_view name, auto detail_of, auto wanted) {
    oracle::Check out{.name = std::string(name)};
    int64_t passed = 0;
    for (const CaseOutcome& at : result_.cases) {
      const auto [outcome, detail] = detail_of(at);
      if (!wanted(at) || outcome == Outcome::kNotRun) continue;
      if (outcome == Outcome::kFail && out.outcome != Outcome::kFail) {
        out = {std::string(name), Outcome::kFail, absl::StrCat("case ", at.name, ": ", detail)};
      }
      passed += outcome == Outcome::kPass;
      if (out.outcome == Outcome::kNotRun) out.outcome = Outcome::kPass;
    }
    if (out.outcome == Outcome::kPass) out.detail = absl::StrCat(passed, " cases");
    result_.checks.push_back(std::move(out));
  };
  using Found = std::pair<Outcome, std::string>;
  const auto any = [](const CaseOutcome&) { return true; };
  const auto whole = [](const CaseOutcome& at) -> Found {
    return {at.verdict == Verdict::kCorrect ? Outcome::kPass : Outcome::kFail, at.detail};
  };
  add("shape_cases", whole, any);
  add("adversarial_inputs", whole, [&](const CaseOutcome& at) {
    const contract::Case* c = contract::FindCase(job_.workload, at.name);
    return c != nullptr && !c->variant.empty();
  });
  for (std::string_view name : {oracle::kCheckCanaries, oracle::kCheckInputs, oracle::kCheckWritten,
                                oracle::kCheckRepeat, oracle::kCheckFresh, oracle::kCheckCorrect}) {
    add(
        name,
        [&](const CaseOutcome& at) -> Found {
          for (const auto& check : at.checks)
            if (check.name == name) return {check.outcome, check.detail};
          return {Outcome::kNotRun, ""};
        },
        any);
  }
  for (std::string_view name : {"jittered", "misaligned_bases"}) {
    result_.checks.push_back({std::string(name), Outcome::kNotRun, "this worker does not do it"});
  }
}

void JobRun::Finish() {
  if (result_.verdict == Verdict::kCorrect) result_.blame = contract::Blame::kNone;
  Aggregate();
  if (child_ != nullptr && child_->alive()) result_.child_served = child_->served();
  result_.child_fresh = job_.fresh_child || result_.child_served <= 1;
  if (!result_.timings.empty()) {
    result_.objects["samples"] = SamplesJson(result_);
    result_.hashes["samples"] = contract::Sha256Hex(result_.objects["samples"]);
  }
}

}  // namespace runner::worker
