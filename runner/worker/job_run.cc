#include "runner/worker/job_run.h"

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "runner/child/find_library.h"
#include "runner/child/json_field.h"
#include "runner/compile/ptx_scan.h"
#include "runner/contract/hash.h"
#include "runner/cuda/driver_api.h"
#include "runner/launch/direct.h"
#include "runner/oracle/hidden.h"
#include "runner/worker/program_cache.h"

namespace runner::worker {
namespace {

using contract::Verdict;

constexpr int64_t kLoadMs = 60'000;

int64_t NowNs() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

}  // namespace

JobRun::JobRun(Evaluator& evaluator, const Job& job, const Evaluator::Progress& progress)
    : evaluator_(evaluator), job_(job), progress_(progress) {
  result_.job = job.id;
  result_.protocol = job.protocol.empty() ? job.workload.protocol : job.protocol;
  if (!evaluator.options_.cuda) result_.protocol = "machine-v1";
  result_.sandbox_level = std::string(ToString(evaluator.sandbox_.level));
  result_.sandbox_evidence = evaluator.sandbox_.evidence;
  const std::string& text = job.direct_cuda.empty() ? job.program.source : job.direct_cuda;
  result_.hashes["source"] = contract::Sha256Hex(text);
  result_.hashes["job"] = contract::Sha256Hex(contract::CanonicalJson(ToJson(job)));
  result_.hashes["contract"] = contract::Hash(job.workload);
  if (job.baseline) result_.hashes["baseline"] = contract::Sha256Hex(job.baseline->source);
  if (job.incumbent) result_.hashes["incumbent"] = contract::Sha256Hex(job.incumbent->source);
  for (contract::Case& at : oracle::HiddenCases(job.workload, job.seed, job.hidden_sizes)) {
    if (!job.cases.empty()) job_.cases.push_back(at.name);
    job_.workload.cases.push_back(std::move(at));
  }
}

void JobRun::DropChild() {
  if (child_ != nullptr) evaluator_.DropChild(child_);
  child_ = nullptr;
}

void JobRun::DropHidden(const std::string& name) {
  std::erase_if(cases_, [&](const contract::Case* at) { return at->name == name; });
  std::erase(job_.cases, name);
}

launch::Setup JobRun::SetupOf(const launch::ProgramText& program, bool emit) const {
  return {.workload = job_.workload,
          .program = program,
          .seed = job_.seed,
          .emit = emit,
          .cases = job_.cases};
}

absl::StatusOr<JobResult> JobRun::Run() {
  if (auto status = ChooseCases(); !status.ok()) return status;
  const bool judged = job_.purpose != kCalibrate;
  if (SetUp() && Build() && LoadModules() && (!judged || (Oracle() && Jitter() && Confirmed())))
    Timing();
  if (FailedOnDevice()) AskMachine();
  Evidence();
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
  const child::Span whole(result_.spans, "set_up");
  const bool direct = !job_.direct_cuda.empty();
  if (direct && !evaluator_.options_.cuda) {
    return Infra(Verdict::kInfraDevice, "direct CUDA runs on a GPU alone");
  }
  auto child = evaluator_.EnsureChild(IsFresh(), job_.limits.launch_ms, has_library());
  if (!child.ok()) return Infra(Verdict::kInfraDevice, std::string(child.status().message()));
  child_ = *child;
  if (has_library() && evaluator_.FindCublasLt().empty()) {
    return Infra(Verdict::kInfraToolchain, absl::StrCat("cuBLASLt is not installed: looked in ",
                                                        evaluator_.options_.library_path, " and ",
                                                        child::CudaLibraryFolders("cublas")));
  }
  result_.sandbox_level = std::string(ToString(evaluator_.eval_sandbox_.level));
  result_.sandbox_evidence = evaluator_.eval_sandbox_.evidence;
  result_.device_json = child_->device_json();
  if (direct && evaluator_.eval_sandbox_.level < evaluator_.options_.direct_sandbox_min) {
    return Infra(Verdict::kInfraToolchain,
                 absl::StrCat("direct CUDA needs sandbox level ",
                              std::string(ToString(evaluator_.options_.direct_sandbox_min)),
                              "; this machine gives ", result_.sandbox_level));
  }
  if (direct && !PlanDirect()) return false;
  const bool emit = evaluator_.EnsureCompiler().ok();
  launch::Setup setup = SetupOf(job_.program, emit);
  setup.direct_plans = direct_plans_;
  auto done = [&] {
    const child::Span span(result_.spans, "ask.setup");
    return child_->Setup(setup, "candidate", kSetupMs);
  }();
  if (!done.ok()) return Infra(Verdict::kInfraDevice, std::string(done.status().message()));
  if (!done->rejected_json.empty()) {
    result_.diagnostics_json = done->rejected_json;
    EndStage("FAULT");
    return Say(Verdict::kRejectedData,
               "the program does not elaborate, or does not fit the contract");
  }
  program_ = std::move(done->program);
  if (!direct) result_.hashes["canonical"] = program_.canonical_hash;
  if (!KeepProgram(job_.program, program_.canonical_hash)) return false;
  const std::vector<const contract::Case*> planned = cases_;
  for (const contract::Case* at : planned) {
    const auto refused = program_.refused.find(at->name);
    if (refused == program_.refused.end()) continue;
    if (at->name.starts_with(oracle::kHiddenPrefix)) {
      DropHidden(at->name);
      continue;
    }
    EndStage("FAULT");
    return Say(Verdict::kRejectedData, absl::StrCat("case ", at->name, ": ", refused->second));
  }
  set_up_ = true;
  return true;
}

bool JobRun::KeepProgram(const launch::ProgramText& text, const std::string& hash) {
  if (evaluator_.options_.work_dir.empty() || !contract::IsSha256Hex(hash)) return true;
  const CachedProgram cached{text.source, text.program, text.file, text.arch, text.binding};
  const auto put = PutProgram(evaluator_.options_.work_dir + "/programs", hash, cached);
  return put.ok() || Infra(Verdict::kInfraToolchain, std::string(put.message()));
}

bool JobRun::PlanDirect() {
  const auto refuse = [&](const absl::Status& status) {
    EndStage("FAULT");
    Say(Verdict::kRejectedData, std::string(status.message()));
    return false;
  };
  const auto program = launch::ParseDirect(job_.direct_cuda);
  if (!program.ok()) return refuse(program.status());
  const auto device = nlohmann::json::parse(result_.device_json, nullptr, false);
  const int64_t sms = child::IntegerField(device, "multiprocessors");
  const std::vector<const contract::Case*> wanted = cases_;
  for (const contract::Case* at : wanted) {
    const auto plan = launch::PlanDirect(*program, job_.workload, *at, sms);
    if (!plan.ok() && at->name.starts_with(oracle::kHiddenPrefix)) {
      DropHidden(at->name);
      continue;
    }
    if (!plan.ok()) return refuse(plan.status());
    direct_plans_[at->name] = compiler::facts::ToJson(*plan);
  }
  return true;
}

compile::Request JobRun::RequestFor(const launch::ProgramReply& program,
                                    const std::string& direct_cuda) const {
  compile::Request request{.cuda = direct_cuda.empty() ? program.cuda : direct_cuda,
                           .file_name = job_.program.file + ".cu",
                           .arch = job_.program.arch,
                           .options = program.options};
  if (request.arch.empty()) {
    const auto device = nlohmann::json::parse(result_.device_json, nullptr, false);
    request.arch = evaluator_.options_.cuda ? child::TextField(device, "arch", program.target)
                                            : program.target;
  }
  return request;
}

const compile::Build* JobRun::BuildOne(const launch::ProgramReply& program,
                                       const std::string& direct_cuda, compile::Build& build) {
  const compile::Request request = RequestFor(program, direct_cuda);
  evaluator_.compiler_->LimitCpu(job_.limits.compile_cpu_s);
  auto done = [&] {
    const child::Span span(result_.spans, "ask.compile");
    return evaluator_.compiler_->Compile(request);
  }();
  if (!done.ok()) {
    Infra(Verdict::kInfraToolchain, std::string(done.status().message()));
    return nullptr;
  }
  build = *std::move(done);
  stage_.cpu_ns += build.cpu_ns;
  if (build.outcome == compile::Outcome::kBuilt) {
    const auto findings =
        direct_cuda.empty() ? std::vector<std::string>() : compile::ScanPtx(build.ptx);
    if (findings.empty()) return &build;
    EndStage("FAULT");
    Say(Verdict::kRejectedSafety, absl::StrCat("direct CUDA: ", absl::StrJoin(findings, "; ")));
    return nullptr;
  }
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
  if (evaluator_.options_.cuda && !BuildRivals()) return false;
  EndStage("OK");
  return true;
}

bool JobRun::BuildRivals() {
  if (job_.incumbent) rivals_.push_back({.role = "incumbent", .text = &*job_.incumbent});
  if (job_.baseline) rivals_.push_back({.role = "baseline", .text = &*job_.baseline});
  for (Rival& rival : rivals_) {
    auto program = child_->Setup(SetupOf(*rival.text, true), rival.role, kSetupMs);
    if (!program.ok()) return Infra(Verdict::kInfraDevice, std::string(program.status().message()));
    if (!program->rejected_json.empty()) {
      return Infra(Verdict::kInfraToolchain,
                   absl::StrCat("the ", rival.role, " program does not elaborate"));
    }
    if (!KeepProgram(*rival.text, program->program.canonical_hash)) return false;
    if (BuildOne(program->program, "", rival.build) == nullptr)
      return Infra(Verdict::kInfraToolchain, absl::StrCat("the ", rival.role, " does not compile"));
  }
  return true;
}

bool JobRun::LoadModules() {
  if (!evaluator_.options_.cuda) return true;
  std::vector<std::pair<std::string, const std::string*>> cubins = {{"candidate", &build_.cubin}};
  for (const Rival& rival : rivals_) cubins.emplace_back(rival.role, &rival.build.cubin);
  const child::Span span(result_.spans, "ask.load");
  for (const auto& [role, cubin] : cubins) {
    auto loaded = child_->Load(role, *cubin, kLoadMs);
    if (!loaded.ok()) return Infra(Verdict::kInfraDevice, std::string(loaded.status().message()));
    const auto reply = nlohmann::json::parse(*loaded, nullptr, false);
    if (!reply.is_object() || !reply.contains("error")) continue;
    const int64_t code = child::IntegerField(reply, "code");
    DropChild();
    if (role != "candidate" || code == cuda::kErrorNoBinaryForGpu ||
        code == cuda::kErrorOutOfMemory) {
      return Infra(Verdict::kInfraDevice, child::TextField(reply, "error"));
    }
    return Say(Verdict::kLaunchFailed, child::TextField(reply, "error"));
  }
  return true;
}

bool JobRun::Restart() {
  DropChild();
  begun_.reset();
  auto child = evaluator_.EnsureChild(IsFresh(), job_.limits.launch_ms, has_library());
  if (!child.ok()) return Say(Verdict::kInfraDevice, std::string(child.status().message()));
  child_ = *child;
  stage_cpu_ns_ = 0;
  launch::Setup setup = SetupOf(job_.program, has_cubin_);
  setup.direct_plans = direct_plans_;
  auto done = child_->Setup(setup, "candidate", kSetupMs);
  for (const Rival& rival : rivals_)
    if (done.ok()) done = child_->Setup(SetupOf(*rival.text, true), rival.role, kSetupMs);
  if (!done.ok()) return Say(Verdict::kInfraDevice, std::string(done.status().message()));
  return LoadModules();
}

void JobRun::Finish() {
  if (result_.verdict == Verdict::kCorrect) result_.blame = contract::Blame::kNone;
  Aggregate();
  if (child_ != nullptr && child_->alive()) result_.child_served = child_->served();
  result_.child_fresh = job_.fresh_child || result_.child_served <= 1;
  if (IsFresh()) DropChild();
  if (!result_.timings.empty()) {
    result_.objects["samples"] = SamplesJson(result_);
    result_.hashes["samples"] = contract::Sha256Hex(result_.objects["samples"]);
  }
}

}  // namespace runner::worker
