// Runs whole jobs, one after the other: build, oracle, timing, each in its own kind of child;
// judges what comes back. Lives in the job process, which the supervisor may kill at any moment.
#pragma once

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "runner/compile/compiler.h"
#include "runner/oracle/known_cases.h"
#include "runner/worker/eval_child.h"
#include "runner/worker/job.h"
#include "runner/worker/known_marks.h"

namespace runner::worker {

inline constexpr int64_t kCandidatesPerChild = 32;

struct EvaluatorOptions {
  std::string worker;  // path of the cake-worker binary
  bool cuda = false;
  std::string libcuda, libnvrtc, libcupti;
  std::string libcublaslt;     // empty: looked for where a job needs it; "none": do without
  std::string library_path;    // folders, separated by colons, that are searched before the usual
  std::string baselines;       // folder of the drivers of command baselines
  std::string work_dir;        // build and program caches; empty: none
  bool measure_noise = false;  // of the device, when the job process starts for the first time
  bool golden = false;         // the device has to get a known program right, then
  child::Level sandbox_min = child::Level::kL1;
  child::Level direct_sandbox_min = child::Level::kL3;  // of hand-written device code
  child::Level sandbox_max = child::Level::kL3;         // a lower one is for tests
  std::vector<std::string> environment;                 // of children, e.g. a fake driver's plan
  std::vector<std::string> visible;                     // more paths inside the sandbox
  std::vector<std::string> tool_folders;                // searched first for tools of the toolkit
  bool tools = true;                                    // whether tools are asked at all
  // Multiplications of an output from which on its expected values come from the device.
  int64_t reference_work_min = int64_t{1} << 31;
  // Of inputs and expected outputs that are kept for searches to come; 0: by this machine's memory.
  int64_t known_bytes = 0;
  // One program of so many that the device judges is judged from its memory too.
  uint64_t audit_share = 256;
};

class Evaluator {
 public:
  // Called when a stage begins and while it goes on.
  using Progress = std::function<void(const std::string& stage, int percent)>;

  // Probes the sandbox. FailedPrecondition: this machine's best level is below sandbox_min.
  static absl::StatusOr<std::unique_ptr<Evaluator>> Create(const EvaluatorOptions& options);

  // What the job came to. A Status only where nothing can be said of the job at all (it is
  // malformed).
  absl::StatusOr<JobResult> Run(const Job& job, const Progress& progress);

  const child::Sandbox& sandbox() const { return sandbox_; }
  // Whether hand-written device code may run here. Known once a child was started.
  bool RunsDirect() const {
    return options_.cuda && eval_sandbox_.level >= options_.direct_sandbox_min;
  }
  // Version of the compiler here ("nvrtc-13.0"), or why there is none.
  absl::StatusOr<std::string> CompilerVersion();
  // Facts of the device as JSON; starts a child for it. Unavailable: no device.
  absl::StatusOr<std::string> DeviceJson();

 private:
  friend class JobRun;
  explicit Evaluator(const EvaluatorOptions& options);
  absl::Status EnsureCompiler();
  // `library`: the child has to have cuBLASLt, where this machine does. A fresh one is started
  // beside the shared one, which keeps what it has made for the candidates to come.
  absl::StatusOr<EvalChild*> EnsureChild(bool fresh, int64_t launch_ms, bool library = false);
  absl::StatusOr<std::unique_ptr<EvalChild>> StartChild(int64_t launch_ms, bool library);
  // The judge's own code in the child. Not OK: it is not to be had here, and why.
  absl::Status EnsureJudge(EvalChild& child);
  std::string FindCublasLt() const;
  void DropChild(const EvalChild* child) {
    (child == fresh_child_.get() ? fresh_child_ : child_).reset();
  }
  // A child of the device that `tool` starts, outside the sandbox: tools reach into what they run.
  // Nothing is asked of it but one case; `folder` is where the tool may write.
  absl::StatusOr<std::unique_ptr<EvalChild>> StartUnder(const std::vector<std::string>& tool,
                                                        const std::string& folder,
                                                        int64_t launch_ms) const;
  // A child of the reference machine beside the device's: what should the device have done?
  absl::StatusOr<std::unique_ptr<EvalChild>> StartMachine() const;

  EvaluatorOptions options_;
  child::Sandbox sandbox_, eval_sandbox_;  // of compilation; of evaluation
  std::unique_ptr<compile::Compiler> compiler_;
  absl::Status compiler_status_ = absl::UnknownError("not tried");
  std::unique_ptr<EvalChild> child_, fresh_child_;
  int64_t child_launch_ms_ = 0;  // of the shared one
  bool child_has_library_ = false;
  // Baselines whose outputs were judged right here, by what and where: once is enough.
  std::set<std::string> trusted_baselines_;
  oracle::KnownCases known_cases_;
  oracle::BoundedCache<KnownMarks> known_marks_;
  launch::CanarySums canaries_;
  absl::Status judge_status_;  // why it is not asked again
  // Expected outputs from the device: device_reference.cc. The child is let go before anything is
  // timed.
  absl::Status StartReference();
  bool ExpectOnDevice(const contract::Workload& workload, const contract::Case& at,
                      const contract::CaseTensor& output, const oracle::DrawnInputs& drawn,
                      uint64_t seed, reference::Inputs::Given& given);
  std::unique_ptr<EvalChild> reference_child_;
  absl::Status reference_status_;
};

}  // namespace runner::worker
