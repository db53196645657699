// Experiments and their runs: creating, starting, pausing, stopping, and what a run says of itself.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "server/core/context.h"

namespace server::core {

inline constexpr int64_t kRepeatsMax = 100;

class Experiments {
 public:
  explicit Experiments(Context& context) : c_(context) {}

  absl::StatusOr<ExperimentReply> Create(const CreateExperimentRequest& request);
  absl::StatusOr<ExperimentReply> Start(const ExperimentRequest& request);
  absl::StatusOr<ExperimentReply> Pause(const ExperimentRequest& request);
  absl::StatusOr<ExperimentReply> Resume(const ExperimentRequest& request);
  // STOPPED(OPERATOR); the caller cancels what is in flight.
  absl::StatusOr<ExperimentReply> Stop(const ExperimentRequest& request);
  absl::StatusOr<ExperimentReply> Get(const ExperimentRequest& request);
  // All runs, or those of one experiment.
  absl::StatusOr<ExperimentReply> List(const std::string& experiment);

  // The always-open run of experiment `default` for a workload; made when it is first needed.
  absl::StatusOr<int64_t> DefaultRun(std::string_view workload);

  // What the run was asked to do. Kept: it never changes. Notes runs that go in order.
  absl::StatusOr<loop::RunSpec> SpecOf(const state::Run& run);
  // SpecOf of every run that has not stopped: before the first lease is granted.
  absl::Status NoteOrdered();

  RunView View(const state::Run& run) const;

 private:
  absl::StatusOr<std::vector<int64_t>> Runs(const ExperimentRequest& request) const;
  absl::StatusOr<ExperimentReply> Change(const ExperimentRequest& request, std::string_view method,
                                         store::RunState to, std::string_view reason,
                                         const std::vector<store::RunState>& from);
  ExperimentReply Reply(const std::string& experiment, const std::vector<int64_t>& runs) const;

  Context& c_;
  std::map<std::string, loop::RunSpec> specs_;  // by object hash
};

}  // namespace server::core
