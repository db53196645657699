// Carries the runs forward: asks the loop what is next, has members judged and lowered by the gate
// children, and turns their answers into events.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "server/core/context.h"
#include "server/core/experiments.h"
#include "server/core/gate.h"
#include "server/loop/plan.h"

namespace server::core {

class Judging {
 public:
  Judging(Context& context, Experiments& experiments, GateRunner& gates)
      : c_(context), experiments_(experiments), gates_(gates) {}

  // One pass over the runs; true if anything changed or was started.
  bool Step();
  // The answer to a request that was started.
  void GateDone(uint64_t id, absl::StatusOr<GateReply> reply);
  // Judges the default member of a source that is no candidate.
  void Check(const CheckRequest& request, Done<CheckReply> done);

  size_t in_flight() const { return tasks_.size(); }
  int64_t NextWakeNs() const;

 private:
  enum class Kind : uint8_t { kExpand, kLower, kBaseline, kCheck };
  struct Task {
    Kind kind = Kind::kExpand;
    int64_t run = 0, candidate = 0, variant = 0, from = 0;
    store::Purpose purpose = store::Purpose::kSearch;
    CheckRequest check;
    Done<CheckReply> done;
  };

  bool StepRun(int64_t run);
  bool Decide(const state::Run& run, const loop::Step& step);
  bool DispatchPending(const state::Run& run);
  bool SeedOrBaseline(const state::Run& run, const loop::RunSpec& spec);
  bool StartExpand(const state::Candidate& candidate);
  bool StartLower(const state::Variant& variant, store::Purpose purpose);
  uint64_t StartTask(Task task, GateRequest request, bool interactive);
  absl::StatusOr<GateRequest> RequestFor(const state::Candidate& candidate);

  void Expanded(const Task& task, const GateReply& reply);
  void Lowered(const Task& task, const GateReply& reply);
  void BaselineJudged(const Task& task, const absl::StatusOr<GateReply>& reply);
  void Checked(Task& task, const absl::StatusOr<GateReply>& reply);
  void Crashed(const Task& task, const absl::Status& why);
  void GiveUp(const Task& task, const absl::Status& why);
  bool HasTask(Kind kind, int64_t candidate, int64_t variant) const;
  void Backoff(int64_t run);

  Context& c_;
  Experiments& experiments_;
  GateRunner& gates_;
  uint64_t next_task_ = 1;
  std::map<uint64_t, Task> tasks_;
  std::map<int64_t, int64_t> crashes_;        // by candidate
  std::map<int64_t, int64_t> not_before_ns_;  // by run, after a failing world
  std::set<int64_t> baseline_started_;
};

}  // namespace server::core
