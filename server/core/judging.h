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

// The narrowed domains of a candidate, as they are stored: {"BN": ["64", "128"]}.
std::vector<Narrowed> NarrowedFrom(const std::string& params_json);

class Judging {
 public:
  Judging(Context& context, Experiments& experiments, GateRunner& gates)
      : c_(context), experiments_(experiments), gates_(gates) {}

  // One pass over the runs; true if anything changed or was started.
  bool Step();
  // The answer to a request that was started.
  void GateDone(uint64_t id, absl::StatusOr<GateReply> reply);

  // Leaves units out of the program of a finding; the answer goes to `reduced`.
  void StartReduce(int64_t finding, GateRequest request);
  std::function<void(int64_t finding, const absl::StatusOr<GateReply>&)> reduced;
  // A request of a learnt rule's gates; the answer goes to `rule_answered`.
  void StartRule(uint64_t task, GateRequest request);
  std::function<void(uint64_t task, const absl::StatusOr<GateReply>&)> rule_answered;
  // What candidates are asked now.
  std::function<std::vector<GateRule>()> learnt_rules = [] { return std::vector<GateRule>{}; };

  // What members of the run are estimated with.
  std::function<std::vector<GateCalibration>(const state::Run*)> calibrations =
      [](const state::Run*) { return std::vector<GateCalibration>{}; };

  size_t in_flight() const { return tasks_.size(); }
  int64_t NextWakeNs() const;

 private:
  enum class Kind : uint8_t { kExpand, kLower, kBaseline, kPropose, kReduce, kRule };
  struct Task {
    Kind kind = Kind::kExpand;
    int64_t run = 0, candidate = 0, variant = 0, from = 0;
    int64_t decision_no = 0;  // of a proposal
    int64_t finding = 0;
    uint64_t rule_task = 0;
    store::Purpose purpose = store::Purpose::kSearch;
  };

  bool StepRun(int64_t run);
  bool Decide(const state::Run& run, const loop::Step& step);
  bool DispatchPending(const state::Run& run, const loop::RunSpec& spec);
  bool DispatchInOrder(const state::Run& run, const loop::RunSpec& spec);
  bool SeedOrBaseline(const state::Run& run, const loop::RunSpec& spec);
  bool StartExpand(const state::Candidate& candidate, const loop::RunSpec& spec);
  bool StartPropose(const state::Run& run, int64_t decision_no, const state::Choice& choice);
  bool StartLower(const state::Variant& variant, store::Purpose purpose);
  uint64_t StartTask(Task task, GateRequest request, bool interactive);
  absl::StatusOr<GateRequest> RequestFor(const state::Candidate& candidate);
  // The share of rejected members that are run: none while no worker audits.
  double AuditShare(const loop::RunSpec& spec) const;

  void Expanded(const Task& task, const GateReply& reply);
  void Lowered(const Task& task, const GateReply& reply);
  void Proposed(const Task& task, const absl::StatusOr<GateReply>& reply);
  void NoteBarren(const state::Run& run, int64_t decision_no, std::string_view why);
  void BaselineJudged(const Task& task, const absl::StatusOr<GateReply>& reply);
  void Crashed(const Task& task, const absl::Status& why);
  void GiveUp(const Task& task, const absl::Status& why);
  bool HasTask(Kind kind, int64_t candidate, int64_t variant) const;
  bool HasTaskOf(int64_t run) const;
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
