// The job process's side of an evaluation child: it starts one, asks, and knows how it ended.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "runner/child/memory_file.h"
#include "runner/child/process.h"
#include "runner/child/sandbox.h"
#include "runner/launch/frames.h"

namespace runner::worker {

struct EvalChildOptions {
  std::string worker;  // path of the cake-worker binary
  bool cuda = false;
  std::string libcuda, libcupti;  // empty: the usual names; libcupti "none": do without
  std::string libcublaslt;        // empty: no baseline is a library's product
  std::string library_path;       // folders to look for CUPTI in before the usual
  child::Sandbox sandbox;
  std::vector<std::string> environment;  // added to the clean one
  std::vector<std::string> visible;
  std::vector<std::string> prefix;           // a tool's command that starts the child
  int64_t launch_ms = 10'000;                // a launch that takes longer hangs
  int64_t address_bytes = int64_t{8} << 30;  // of a reference machine; never set for CUDA
};

struct CaseRun {
  launch::CaseReply reply;
  child::Mapping image;  // reply.runs_done runs
};

class EvalChild {
 public:
  // Unavailable: no child, or no device behind it, in words.
  static absl::StatusOr<std::unique_ptr<EvalChild>> Start(const EvalChildOptions& options);

  const std::string& device_json() const { return device_json_; }
  int64_t served() const { return served_; }
  int64_t CpuNs() const { return process_->CpuNs(); }
  pid_t pid() const { return process_->pid(); }

  // Errors of every call: Aborted: the child died (see `exit`); DeadlineExceeded: it was killed for
  // its wall time; Unavailable: it says that the world failed. After any of them the child is gone.
  // Setup: the program's reply, or its diagnostics as JSON.
  struct SetupResult {
    launch::ProgramReply program;
    std::string rejected_json;
  };
  absl::StatusOr<SetupResult> Setup(const launch::Setup& setup, std::string_view role,
                                    int64_t timeout_ms);
  // Loaded functions as JSON, or {"error": .., "code": n}.
  absl::StatusOr<std::string> Load(std::string_view role, const std::string& cubin,
                                   int64_t timeout_ms);
  absl::StatusOr<CaseRun> RunCase(const launch::CaseRequest& request, int64_t timeout_ms);
  // The same in two steps: between them the child works, and takes nothing else.
  absl::Status BeginCase(const launch::CaseRequest& request);
  absl::StatusOr<CaseRun> EndCase(const launch::CaseRequest& request, int64_t timeout_ms);
  // Raw samples as JSON, the image of the last timed run, and what else was asked for behind it.
  struct TimingRun {
    std::string json;
    child::Mapping image;
  };
  // Answers a request for one sample of a baseline that another process runs; JSON in and out.
  using Foreign = std::function<std::string(const std::string& request_json)>;
  absl::StatusOr<TimingRun> Time(const std::string& request_json, int64_t timeout_ms,
                                 const Foreign& foreign = {});
  // The judge's code, compiled for this device. FailedPrecondition: the driver does not load it.
  absl::Status LoadJudge(const std::string& cubin, int64_t timeout_ms);
  bool has_judge() const { return has_judge_; }
  // Bounds of one input set, for marks: the outputs in order, low before high. Whether the device
  // has room is told by Knows; it may let go of older ones.
  absl::Status Keep(const std::string& known,
                    const std::vector<std::pair<std::string, std::span<const std::byte>>>& outputs,
                    int64_t timeout_ms);
  bool Knows(const std::string& known) const { return known_.contains(known); }
  // An output by the device's form of a reference, whose code was loaded: cuda/reference_run.h.
  absl::StatusOr<child::Mapping> Reference(const std::string& request_json,
                                           const std::vector<std::span<const std::byte>>& inputs,
                                           int64_t bytes, int64_t timeout_ms);
  absl::Status CheckHealth(int64_t timeout_ms);
  // Lets the child end by itself; kills it after so long.
  void Finish(int64_t timeout_ms);

  bool alive() const { return alive_; }
  const child::Exit& exit() const { return exit_; }

 private:
  explicit EvalChild(child::Process process)
      : process_(std::make_unique<child::Process>(std::move(process))) {}
  absl::StatusOr<child::Frame> Ask(uint8_t type, std::string_view payload, int64_t timeout_ms);
  absl::StatusOr<child::Frame> Answer(int64_t timeout_ms);
  // The same with memory beside the question.
  absl::StatusOr<child::Frame> AskWith(uint8_t type, std::string_view payload,
                                       const std::vector<std::span<const std::byte>>& memory,
                                       int64_t timeout_ms);

  std::unique_ptr<child::Process> process_;
  std::string device_json_;
  int64_t served_ = 0;
  bool alive_ = true, has_judge_ = false;
  std::set<std::string> known_;
  child::Exit exit_;
};

}  // namespace runner::worker
