#include "runner/worker/evaluator.h"

#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "runner/child/find_library.h"
#include "runner/child/json_field.h"
#include "runner/device/judge.h"
#include "runner/worker/job_run.h"

namespace runner::worker {
namespace {

constexpr int64_t kHealthMs = 60'000, kLoadMs = 60'000;
// Of this machine's memory, for inputs and expected outputs that are kept.
constexpr int64_t kKnownBytesMax = int64_t{32} << 30, kKnownPart = 4;

int64_t KnownBytes(const EvaluatorOptions& options) {
  if (options.known_bytes > 0) return options.known_bytes;
  return std::min(kKnownBytesMax, sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE) / kKnownPart);
}

}  // namespace

Evaluator::Evaluator(const EvaluatorOptions& options)
    : options_(options), known_cases_(KnownBytes(options)), known_marks_(KnownBytes(options)) {}

absl::StatusOr<std::unique_ptr<Evaluator>> Evaluator::Create(const EvaluatorOptions& options) {
  std::unique_ptr<Evaluator> out(new Evaluator(options));
  out->sandbox_ = child::Establish(options.worker, options.sandbox_max);
  out->eval_sandbox_ = out->sandbox_;
  if (out->sandbox_.level < options.sandbox_min) {
    return absl::FailedPreconditionError(absl::StrCat(
        "this machine sandboxes children at ", std::string(ToString(out->sandbox_.level)),
        " at best, ", std::string(ToString(options.sandbox_min)),
        " is required (--sandbox-min): ", absl::StrJoin(out->sandbox_.evidence, "; ")));
  }
  return out;
}

absl::Status Evaluator::EnsureCompiler() {
  if (compiler_ != nullptr || compiler_status_.code() != absl::StatusCode::kUnknown)
    return compiler_status_;
  compile::CompilerOptions options{.worker = options_.worker,
                                   .nvrtc = options_.libnvrtc,
                                   .sandbox = sandbox_,
                                   .environment = options_.environment,
                                   .visible = options_.visible};
  if (!options_.work_dir.empty()) options.cache = options_.work_dir + "/builds";
  auto compiler = compile::Compiler::Start(options);
  compiler_status_ = compiler.status();
  if (compiler.ok()) compiler_ = *std::move(compiler);
  return compiler_status_;
}

absl::StatusOr<std::string> Evaluator::CompilerVersion() {
  if (auto status = EnsureCompiler(); !status.ok()) return status;
  return compiler_->compiler();
}

absl::Status Evaluator::EnsureJudge(EvalChild& child) {
  if (child.has_judge() || !judge_status_.ok()) return judge_status_;
  judge_status_ = EnsureCompiler();
  if (!judge_status_.ok()) return judge_status_;
  const auto device = nlohmann::json::parse(child.device_json(), nullptr, false);
  const compile::Request request{.cuda = std::string(device::JudgeSource()),
                                 .file_name = "judge.cu",
                                 .arch = child::TextField(device, "arch")};
  const auto build = compiler_->Compile(request);
  if (!build.ok())
    judge_status_ = build.status();
  else if (build->outcome != compile::Outcome::kBuilt)
    judge_status_ = absl::InternalError(absl::StrCat("the judge does not compile: ", build->log));
  else if (const auto loaded = child.LoadJudge(build->cubin, kLoadMs); child.alive())
    judge_status_ = loaded;
  return child.has_judge() ? absl::OkStatus() : absl::UnavailableError("no judge on the device");
}

std::string Evaluator::FindCublasLt() const {
  if (!options_.libcublaslt.empty()) return options_.libcublaslt;
  // A fake device has no such library but the one that it is given.
  if (!options_.libcuda.empty()) return "none";
  return child::FindCudaLibrary({"libcublasLt.so.13", "libcublasLt.so.12"}, "cublas",
                                options_.library_path);
}

absl::StatusOr<EvalChild*> Evaluator::EnsureChild(bool fresh, int64_t launch_ms, bool library) {
  if (child_ != nullptr && child_->alive() && !fresh && child_->served() < kCandidatesPerChild &&
      child_launch_ms_ == launch_ms && child_has_library_ >= library) {
    return child_.get();
  }
  std::unique_ptr<EvalChild>& child = fresh ? fresh_child_ : child_;
  child.reset();
  auto started = StartChild(launch_ms, library);
  if (!started.ok()) return started.status();
  child = *std::move(started);
  if (!fresh) {
    child_launch_ms_ = launch_ms;
    child_has_library_ = library;
  }
  return child.get();
}

absl::StatusOr<std::unique_ptr<EvalChild>> Evaluator::StartChild(int64_t launch_ms, bool library) {
  EvalChildOptions options{.worker = options_.worker,
                           .cuda = options_.cuda,
                           .libcuda = options_.libcuda,
                           .libcupti = options_.libcupti,
                           .libcublaslt = library ? FindCublasLt() : "",
                           .library_path = options_.library_path,
                           .sandbox = eval_sandbox_,
                           .environment = options_.environment,
                           .visible = options_.visible,
                           .launch_ms = launch_ms};
  auto child = EvalChild::Start(options);
  // A driver may need more than a closed file tree shows it: one lower level is tried, once, and
  // recorded.
  if (!child.ok() && options_.cuda && eval_sandbox_.level > child::Level::kL1 &&
      options_.sandbox_min <= child::Level::kL1) {
    const std::string why(child.status().message());
    options.sandbox.level = child::Level::kL1;
    child = EvalChild::Start(options);
    if (child.ok()) {
      eval_sandbox_.evidence.push_back(absl::StrCat(
          "evaluation at L1: ", std::string(ToString(eval_sandbox_.level)), " gave: ", why));
      eval_sandbox_.level = child::Level::kL1;
    }
  }
  if (!child.ok()) return child.status();
  // Whatever ended the last child may have hurt the device: it answers for itself before it gets
  // work.
  if (auto status = (*child)->CheckHealth(kHealthMs); !status.ok()) return status;
  return child;
}

absl::StatusOr<std::unique_ptr<EvalChild>> Evaluator::StartUnder(
    const std::vector<std::string>& tool, const std::string& folder, int64_t launch_ms) const {
  EvalChildOptions options{.worker = options_.worker,
                           .cuda = options_.cuda,
                           .libcuda = options_.libcuda,
                           .libcupti = "none",  // a profiler has the counters for itself
                           .environment = options_.environment,
                           .launch_ms = launch_ms};
  options.prefix = tool;
  options.environment.push_back("TMPDIR=" + folder);
  options.environment.push_back("HOME=" + folder);
  return EvalChild::Start(options);
}

absl::StatusOr<std::unique_ptr<EvalChild>> Evaluator::StartMachine() const {
  EvalChildOptions options{.worker = options_.worker, .sandbox = sandbox_};
  return EvalChild::Start(options);
}

absl::StatusOr<std::string> Evaluator::DeviceJson() {
  auto child = EnsureChild(false, JobLimits{}.launch_ms);
  if (!child.ok()) return child.status();
  return (*child)->device_json();
}

absl::StatusOr<JobResult> Evaluator::Run(const Job& job, const Progress& progress) {
  const auto faults = contract::Lint(job.workload);
  // A calibration judges nothing, so that its contract needs no cases to judge by.
  if (!faults.empty() && job.purpose != kCalibrate) {
    return absl::InvalidArgumentError(
        absl::StrCat("contract ", job.workload.name, ": ", faults.front()));
  }
  return JobRun(*this, job, progress).Run();
}

}  // namespace runner::worker
