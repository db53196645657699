// Rows of the projections, as the typed reads return them. 0 and "" stand for SQL NULL.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "store/types.h"

namespace store {

struct PrincipalRow {
  int64_t id = 0;
  std::string name, role, token_hash;
  int64_t experiment = 0;
  int64_t revoked_us = 0;
  int64_t weight = 0, checks_max = 0, open_max = 0;  // 0: the daemon's
};

struct WorkloadRow {
  int64_t id = 0;
  std::string name, hash;
  ObjectHash text_hash, canon_hash;
  int64_t created_us = 0;
};

struct ExperimentRow {
  int64_t id = 0;
  std::string name;
  ObjectHash spec_hash;
  std::string state, visibility;
  int64_t preregistered_us = 0;
};

struct RunRow {
  int64_t id = 0, experiment = 0;
  std::string arm;
  int64_t repeat_no = 0;
  uint64_t seed = 0;
  RunState state = RunState::kCreated;
  std::string reason;
  int64_t decision_no = 0;
  int64_t workload = 0;
  std::string contract_hash;
  ScoreSource objective = ScoreSource::kNone;
  ObjectHash spec_hash;
  int64_t plateau_detected_at = 0, plateau_point = 0;
  int64_t created_us = 0, changed_us = 0;
  int64_t candidates = 0;  // submitted so far; equals the largest n
};

struct CandidateRow {
  int64_t id = 0, run = 0, n = 0;
  ObjectHash source_hash;
  std::string canon_hash, struct_hash;
  std::string arm_kind;
  int64_t author = 0;
  std::string session, tactic, intent, params_json, prediction_json;
  Verdict verdict = Verdict::kPending;  // of its best variant, or of the gates
  Blame blame = Blame::kUnset;
  int64_t duplicate_of = 0;
  double best_ratio_low = 0;
  ObjectHash report_hash;
  bool gates_done = false, expanded = false;
  int64_t members_total = 0, members_seen = 0;
  int64_t created_us = 0, created_seq = 0;
  std::string Name() const { return CandidateName(run, n); }
};

struct VariantRow {
  int64_t id = 0, candidate = 0;
  std::string binding_hash, params_json, canon_hash;
  int64_t duplicate_of = 0;
  Verdict verdict = Verdict::kPending;
  Blame blame = Blame::kUnset;
  int64_t rank = 0;  // 0: not ranked
  std::string rank_why;
};

struct DiagnosticRow {
  int64_t id = 0, candidate = 0, variant = 0;
  int64_t evaluation = 0;  // 0: of the gates
  std::string code, category, severity, rule_id;
  int64_t span_begin = 0, span_end = 0;
  std::string fingerprint, message;
  ObjectHash body_hash;
};

struct RejectedGroupRow {
  int64_t candidate = 0;
  std::string code;
  int64_t count = 0;
  std::string witness_params_json;
};

struct GateResultRow {
  int64_t candidate = 0, variant = 0;
  std::string gate, verifier_rev, ruleset_hash, outcome;
  bool audit = false;
  int64_t wall_ns = 0;
};

struct EstimateRow {
  int64_t variant = 0;
  std::string shape, calibration, model_rev;
  double time_ns = 0, low_ns = 0, high_ns = 0, weight = 1;
  std::string bottleneck, runner_up, coverage;
  ObjectHash body_hash;
};

struct JobRow {
  int64_t id = 0, variant = 0, candidate = 0, run = 0;
  Purpose purpose = Purpose::kSearch;
  std::string protocol;
  int64_t round = 0;
  JobState state = JobState::kQueued;
  int64_t priority = 0;
  int64_t attempt = 0;       // grants so far
  int64_t infra_losses = 0;  // of them, lost to the infrastructure
  int64_t lost_devices = 0;  // different devices among those
  int64_t fencing_token = 0, lease = 0, worker = 0;
  int64_t not_before_us = 0, queued_us = 0;
  std::vector<std::string> needs;
  ObjectHash spec_hash;
};

struct LeaseRow {
  int64_t id = 0, job = 0, fencing_token = 0, attempt = 0;
  int64_t worker = 0;
  uint64_t incarnation = 0;
  int64_t device = 0;
  LeaseState state = LeaseState::kOpen;
  std::string reason;
  int64_t granted_us = 0, ended_us = 0;
};

struct StageClockRow {
  int64_t job = 0, attempt = 0;
  Stage stage = Stage::kQueue;
  int64_t wall_ns = 0, cpu_ns = 0, limit_ns = 0;
  StageEnd end = StageEnd::kOk;
};

struct CheckRow {
  std::string name, outcome, detail;
  ObjectHash evidence_hash;
};

struct EvaluationRow {
  int64_t id = 0, job = 0, variant = 0, candidate = 0, run = 0;
  Purpose purpose = Purpose::kSearch;
  std::string contract_hash, protocol;
  int64_t round = 0, device = 0;
  Verdict verdict = Verdict::kPending, first_verdict = Verdict::kPending;  // now; as it came
  Blame blame = Blame::kUnset, first_blame = Blame::kUnset;
  ScoreSource source = ScoreSource::kNone;
  bool replayed = false, charged = false;
  double ratio_med = 0, ratio_low = 0, ratio_high = 0, time_ns = 0;
  ObjectHash receipt_hash, samples_hash, report_hash;
  int64_t active_ns = 0, fencing_token = 0;
  int64_t at_us = 0, seq = 0;
};

struct BuildRow {
  std::string key;
  int64_t variant = 0;
  std::string arch, nvrtc;
  ObjectHash cuda_hash, cubin_hash, log_hash;
  int64_t regs = 0, spill_bytes = 0, smem_bytes = 0;
  bool ok = false;
};

struct EliteRow {
  int64_t run = 0;
  ScoreSource source = ScoreSource::kNone;
  int64_t island = 0;
  std::string cell;
  int64_t variant = 0;
  double score = 0;
  int64_t seq = 0;
};

struct BudgetRow {
  int64_t run = 0;
  std::string kind;
  int64_t limit = 0, reserved = 0, spent = 0;
};

struct UsageRow {
  int64_t run = 0;
  std::string session, model;
  UsageSource source = UsageSource::kAgent;
  int64_t input = 0, cached = 0, output = 0, reasoning = 0;
};

struct FindingRow {
  int64_t id = 0;
  std::string fingerprint, route, state, title;
  int64_t count = 0, first_us = 0, last_us = 0;
  ObjectHash minimised_hash;
};

struct ProposalRow {
  int64_t id = 0;
  std::string kind, name;
  int64_t rev = 0;
  ObjectHash body_hash;
  std::string state;
  int64_t author = 0;
};

struct DeviceRow {
  int64_t id = 0;
  std::string uuid, name, arch, driver, state;
  bool simulated = false;
};

struct WorkerRow {
  int64_t id = 0;
  std::string name;
  uint64_t incarnation = 0;
  std::string state;
  int64_t device = 0;
  std::vector<std::string> capabilities;
};

// A run's best by one source. MEASURED: the largest lower end among IMPROVED and CONFIRMED;
// ESTIMATED: the least predicted time among CORRECT and better. `found` says whether there is one.
struct BestRow {
  bool found = false;
  ScoreSource source = ScoreSource::kNone;
  int64_t candidate = 0, variant = 0, n = 0;
  std::string params_json;
  Verdict verdict = Verdict::kPending;
  double ratio_low = 0, ratio_med = 0, ratio_high = 0;             // MEASURED
  double predicted_ns = 0, predicted_low = 0, predicted_high = 0;  // ESTIMATED; weighted geomean
};

// One charged evaluation of a run, in event order.
struct CurveRow {
  int64_t charged_evaluations = 0;  // 1, 2, ..
  int64_t charged_tokens = 0, active_ns = 0, gpu_ns = 0;
  double best_ratio_med = 0, best_ratio_low = 0;  // running max over CONFIRMED; 0 before the first
  double best_predicted_ns = 0;                   // running min over CORRECT and better; 0 before
  int64_t candidate = 0, event_seq = 0;
};

struct LineageRow {
  int64_t child = 0, parent = 0;
  std::string role;
  int64_t depth = 0;  // steps from the asked candidate
};

}  // namespace store
