// The job process: one evaluator behind a channel, resident over jobs, replaced after it dies. The
// supervisor's real Spawner, and the main function on the other side.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runner/child/process.h"
#include "runner/worker/evaluator.h"
#include "runner/worker/supervisor.h"

namespace runner::worker {

// What the job process found when it started.
struct Capabilities {
  std::string device_json;              // of the CUDA device; empty on the reference machine
  std::map<std::string, double> noise;  // class of kernel -> floor; empty where it was not measured
  std::string noise_missing;            // why
  std::string compiler;                 // "nvrtc-13.0", or empty
  std::string compiler_missing;         // why
  bool direct = false;                  // hand-written device code may run
  std::string sandbox_level;
  std::vector<std::string> sandbox_evidence;
};

class JobProcess : public Spawner {
 public:
  explicit JobProcess(const EvaluatorOptions& options) : options_(options) {}

  // Starts the process and waits for what it finds: also the noise, where that is asked for. A GPU
  // has to get a program right first whose results are known. Unavailable: no device, a wrong one,
  // or a sandbox below the minimum.
  absl::StatusOr<Capabilities> Describe();

  absl::Status Start(const Job& job) override;
  std::optional<JobEvent> Poll() override;
  void Kill() override;
  absl::Status Probe() override {
    return process_ != nullptr ? absl::OkStatus() : Spawn(false, true).status();
  }
  int fd() const override { return process_ ? process_->channel().fd() : -1; }
  pid_t pid() const { return process_ ? process_->pid() : -1; }

 private:
  absl::StatusOr<Capabilities> Spawn(bool measure_noise, bool golden);

  EvaluatorOptions options_;
  std::unique_ptr<child::Process> process_;
  bool running_ = false;
};

// The main function of `cake-worker --judge-child` with the supervisor's own flags.
int JobProcessMain(const EvaluatorOptions& options);

}  // namespace runner::worker
