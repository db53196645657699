// What happened, as plain structs: the closed list of event kinds. Events are the truth; every
// table is folded from them by Apply (apply.h).
//
// Ids are row numbers. An id field marked "assigned" may be 0 in a batch: the writer gives the next
// one before the event is stored. Times of an event are its row's `at_us`; bodies hold durations
// only. Nothing bulky: texts go into objects, events name them by hash.
//
// A field is never removed or renamed. A new field gets a default that old bodies mean, and raises
// its struct's kSchema.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "absl/status/statusor.h"
#include "store/types.h"

namespace store {

// ---- Principals, workloads, experiments, runs

struct PrincipalChanged {
  static constexpr std::string_view kKind = "PrincipalChanged";
  static constexpr int kSchema = 1;
  int64_t principal = 0;  // assigned
  std::string name;
  std::string role;        // agent | worker | operator | researcher | all
  std::string token_hash;  // "" : no token (the local socket)
  int64_t experiment = 0;  // scope; 0: all
  bool revoked = false;
};

struct WorkloadRegistered {
  static constexpr std::string_view kKind = "WorkloadRegistered";
  static constexpr int kSchema = 1;
  int64_t workload = 0;  // assigned
  std::string name;
  std::string hash;       // of the canonical form; unique
  ObjectHash text_hash;   // the file's bytes
  ObjectHash canon_hash;  // the canonical JSON, when stored as an object
};

struct ExperimentCreated {
  static constexpr std::string_view kKind = "ExperimentCreated";
  static constexpr int kSchema = 1;
  int64_t experiment = 0;  // assigned
  std::string name;        // unique
  ObjectHash spec_hash;
  std::string visibility;  // OPEN | CLEAN
};

struct ExperimentSealed {
  static constexpr std::string_view kKind = "ExperimentSealed";
  static constexpr int kSchema = 1;
  int64_t experiment = 0;
  std::string state;  // PREREGISTERED | SEALED
};

struct BudgetLimit {
  std::string kind;  // evaluations | tokens | active_ns | gpu_ns
  int64_t limit = 0;
};

// The first one of a run (state CREATED) makes it and must carry every field; later ones carry run,
// state and reason.
struct RunStateChanged {
  static constexpr std::string_view kKind = "RunState";
  static constexpr int kSchema = 1;
  int64_t run = 0;  // assigned when CREATED
  RunState state = RunState::kCreated;
  std::string reason;  // STOPPED: TARGET | PLATEAU | BUDGET(kind) | EXHAUSTED | OPERATOR; PAUSED:
                       // OPERATOR | INFRA_DOWN
  int64_t experiment = 0;
  std::string arm;
  int64_t repeat_no = 0;
  uint64_t seed = 0;
  int64_t workload = 0;
  std::string contract_hash;
  ScoreSource objective = ScoreSource::kNone;
  ObjectHash spec_hash;
  std::vector<BudgetLimit> budgets;
};

// Written before its effect. decision_no is dense from 1 in each run and checked.
struct Decision {
  static constexpr std::string_view kKind = "Decision";
  static constexpr int kSchema = 1;
  int64_t run = 0;
  int64_t decision_no = 0;
  std::string kind;
  int64_t inputs_through_seq = 0;
  uint64_t rng_counter = 0;
  std::string chosen_json;
  std::string reasons_json;
};

// ---- Candidates

struct ParentRef {
  int64_t candidate = 0;
  std::string role;  // "parent" | "crossover" | ..
};

struct CandidateSubmitted {
  static constexpr std::string_view kKind = "CandidateSubmitted";
  static constexpr int kSchema = 1;
  int64_t candidate = 0;  // assigned
  int64_t run = 0;
  int64_t n = 0;  // assigned, dense in the run
  ObjectHash source_hash;
  std::string arm_kind;  // cake-ir | direct-cuda
  int64_t author = 0;    // principal
  std::string session;
  std::string tactic;
  std::string intent;  // at most kMaxIntentBytes
  std::string params_json;
  std::string prediction_json;
  std::vector<ParentRef> parents;
};

struct Checked {
  static constexpr std::string_view kKind = "Checked";
  static constexpr int kSchema = 1;
  int64_t run = 0;  // 0: no run
  int64_t principal = 0;
  std::string session;
  std::string source_sha256;  // identity only; the source is not stored unless kept
  ObjectHash kept_source;
  std::string canon_hash;
  Verdict verdict = Verdict::kPending;
  std::vector<std::string> codes;
  std::vector<std::string> fingerprints;
  int64_t cpu_ns = 0;
};

struct DiagnosticRef {
  int64_t variant = 0;  // 0: of the whole family
  std::string code;
  std::string category;
  std::string severity;
  std::string rule_id;
  int64_t span_begin = 0, span_end = 0;
  std::string fingerprint;
  std::string message;  // one line, for lists; the whole diagnostic is in body_hash
  ObjectHash body_hash;
};

struct GateOutcome {
  int64_t variant = 0;  // 0: the gate judged the family
  std::string gate;
  std::string verifier_rev;
  std::string ruleset_hash;
  std::string outcome;  // PASS | REJECT | UNKNOWN
  bool audit = false;
  int64_t wall_ns = 0;
};

// Ends the gates of a candidate. A candidate without it is gate work.
struct GatesDone {
  static constexpr std::string_view kKind = "GatesDone";
  static constexpr int kSchema = 1;
  int64_t candidate = 0;
  Verdict verdict = Verdict::kPending;  // kPending: passed
  Blame blame = Blame::kUnset;
  std::string canon_hash;    // of the family
  std::string struct_hash;   // literals and params masked
  int64_t duplicate_of = 0;  // candidate, with verdict kDuplicate
  ObjectHash report_hash;
  int64_t wall_ns = 0, cpu_ns = 0;
  std::vector<DiagnosticRef> diagnostics;
  std::vector<GateOutcome> gates;
};

struct NewVariant {
  int64_t variant = 0;  // assigned
  std::string binding_hash;
  std::string params_json;
  std::string canon_hash;    // of the program with its params bound
  int64_t duplicate_of = 0;  // variant, with verdict kDuplicate
  Verdict verdict = Verdict::kPending;
  Blame blame = Blame::kUnset;
};

struct RejectedGroup {  // members that never become rows
  std::string code;
  int64_t count = 0;
  std::string witness_params_json;
};

// Members of a family that go on, or are audited. May come several times for one candidate; `last`
// closes it.
struct VariantsExpanded {
  static constexpr std::string_view kKind = "VariantsExpanded";
  static constexpr int kSchema = 1;
  int64_t candidate = 0;
  int64_t members_total = 0;
  int64_t members_seen = 0;  // cursor after this event
  bool last = false;
  Verdict verdict = Verdict::kPending;  // the family's, with `last`, when no member passed
  Blame blame = Blame::kUnset;
  std::vector<NewVariant> variants;
  std::vector<RejectedGroup> rejected;
  std::vector<GateOutcome> gates;
  std::vector<DiagnosticRef> diagnostics;
};

struct Estimated {
  static constexpr std::string_view kKind = "Estimated";
  static constexpr int kSchema = 1;
  int64_t variant = 0;
  std::string shape;  // the case's name
  std::string calibration;
  std::string model_rev;
  double time_ns = 0, low_ns = 0, high_ns = 0;
  double weight = 1;  // of the case in the score
  std::string bottleneck;
  std::string runner_up;
  std::string coverage;  // CALIBRATED | RANK_ONLY
  ObjectHash body_hash;
};

struct RankedVariant {
  int64_t variant = 0;
  int64_t rank = 0;  // 1 is best
  bool kept = false;
  std::string why;  // TOP | EXPLORE | AUDIT | OUT
};

// Members that are not kept get RANKED_OUT, blame NONE.
struct Ranked {
  static constexpr std::string_view kKind = "Ranked";
  static constexpr int kSchema = 1;
  int64_t run = 0;
  std::vector<RankedVariant> variants;
};

// ---- Jobs and leases

struct JobQueued {
  static constexpr std::string_view kKind = "JobQueued";
  static constexpr int kSchema = 1;
  int64_t job = 0;  // assigned
  int64_t variant = 0;
  Purpose purpose = Purpose::kSearch;
  std::string protocol;
  int64_t round = 0;
  int64_t priority = 0;  // higher first
  int64_t not_before_us = 0;
  std::vector<std::string> needs;  // worker capabilities, all of them
  ObjectHash spec_hash;
};

struct LeaseGranted {
  static constexpr std::string_view kKind = "LeaseGranted";
  static constexpr int kSchema = 1;
  int64_t lease = 0;  // assigned
  int64_t job = 0;    // must be QUEUED
  int64_t worker = 0;
  uint64_t incarnation = 0;
  int64_t device = 0;         // 0: no device
  int64_t attempt = 0;        // assigned: the number of this grant of the job, from 1
  int64_t fencing_token = 0;  // assigned: one counter for the whole store
};

struct LeaseLost {
  static constexpr std::string_view kKind = "LeaseLost";
  static constexpr int kSchema = 1;
  int64_t job = 0;
  int64_t fencing_token = 0;  // must be the job's current one
  std::string reason;         // EXPIRED | INCARNATION | RELEASED | DRAINED | CANCELLED | DEVICE
  bool infra = true;          // does not use up an attempt
  JobState then = JobState::kQueued;  // QUEUED, CANCELLED or POISONED
  int64_t not_before_us = 0;
};

struct StageEnded {
  static constexpr std::string_view kKind = "StageEnded";
  static constexpr int kSchema = 1;
  int64_t job = 0;
  int64_t fencing_token = 0;  // must be the job's current one
  Stage stage = Stage::kQueue;
  int64_t wall_ns = 0, cpu_ns = 0, limit_ns = 0;
  StageEnd end = StageEnd::kOk;
};

struct BuildDone {
  static constexpr std::string_view kKind = "BuildDone";
  static constexpr int kSchema = 1;
  std::string key;  // source + options + NVRTC + architecture
  int64_t variant = 0;
  std::string arch, nvrtc;
  ObjectHash cuda_hash, cubin_hash, log_hash;
  int64_t regs = 0, spill_bytes = 0, smem_bytes = 0;
  bool ok = false;
};

struct CheckOutcome {
  std::string name;
  std::string outcome;  // PASS | FAIL | SKIP
  std::string detail;   // one line
  ObjectHash evidence_hash;
};

// Ends a job. Without a lease (fencing_token 0) only CANCELLED and INFRA_POISON_JOB are possible.
struct EvaluationDone {
  static constexpr std::string_view kKind = "EvaluationDone";
  static constexpr int kSchema = 1;
  int64_t evaluation = 0;  // assigned
  int64_t job = 0;
  int64_t fencing_token = 0;
  Verdict verdict = Verdict::kPending;
  Blame blame = Blame::kUnset;
  std::string contract_hash;
  int64_t device = 0;
  ScoreSource source = ScoreSource::kNone;
  bool replayed = false;
  bool oracle_completed = false;
  double ratio_med = 0, ratio_low = 0, ratio_high = 0;  // baseline / candidate; 0: no ratio
  double time_ns = 0;                                   // median of the candidate; 0: none
  ObjectHash receipt_hash, samples_hash, report_hash;
  int64_t active_ns = 0;  // of the run so far
  std::vector<CheckOutcome> checks;
  std::vector<DiagnosticRef> diagnostics;
};

// A later judgement; the evaluation's own row stays as it was.
struct VerdictRevised {
  static constexpr std::string_view kKind = "VerdictRevised";
  static constexpr int kSchema = 1;
  int64_t variant = 0;
  int64_t evaluation = 0;  // 0: the verdict of the gates or the ranking
  Verdict verdict = Verdict::kPending;
  Blame blame = Blame::kUnset;
  std::string reason;
};

struct LateEvidence {
  static constexpr std::string_view kKind = "LateEvidence";
  static constexpr int kSchema = 1;
  int64_t job = 0;
  int64_t fencing_token = 0;
  ObjectHash body_hash;
};

// ---- The loop

struct EliteChanged {
  static constexpr std::string_view kKind = "EliteChanged";
  static constexpr int kSchema = 1;
  int64_t run = 0;
  ScoreSource source = ScoreSource::kNone;
  int64_t island = 0;
  std::string cell;
  int64_t variant = 0;
  double score = 0;  // higher is better: ratio's lower end, or -predicted ns
};

struct PlateauDetected {
  static constexpr std::string_view kKind = "PlateauDetected";
  static constexpr int kSchema = 1;
  int64_t run = 0;
  int64_t detected_at = 0;  // on the budget axis
  int64_t point = 0;        // the last gain before
};

struct BudgetReserved {
  static constexpr std::string_view kKind = "BudgetReserved";
  static constexpr int kSchema = 1;
  int64_t run = 0;
  std::string kind;
  int64_t amount = 0;
  int64_t job = 0;
};

struct BudgetSettled {
  static constexpr std::string_view kKind = "BudgetSettled";
  static constexpr int kSchema = 1;
  int64_t run = 0;
  std::string kind;
  int64_t reserved = 0;  // gives this much of the reservation back
  int64_t spent = 0;     // and spends this much
  int64_t job = 0;
};

struct BudgetRefunded {
  static constexpr std::string_view kKind = "BudgetRefunded";
  static constexpr int kSchema = 1;
  int64_t run = 0;
  std::string kind;
  int64_t amount = 0;
  int64_t job = 0;
};

// Cumulative counters: the table keeps the largest of each, so that a retry never counts twice.
struct UsageReported {
  static constexpr std::string_view kKind = "UsageReported";
  static constexpr int kSchema = 1;
  int64_t run = 0;
  std::string session, model;
  UsageSource source = UsageSource::kAgent;
  int64_t input = 0, cached = 0, output = 0, reasoning = 0;
};

// ---- Findings and proposals

struct FindingOpened {
  static constexpr std::string_view kKind = "FindingOpened";
  static constexpr int kSchema = 1;
  int64_t finding = 0;  // assigned
  std::string fingerprint;
  std::string route;  // candidate | verifier | cost-model | vocabulary | contract | worker
  std::string title;
  std::vector<int64_t> candidates;
};

struct FindingUpdated {
  static constexpr std::string_view kKind = "FindingUpdated";
  static constexpr int kSchema = 1;
  int64_t finding = 0;
  std::string state;                // "" : unchanged
  std::vector<int64_t> candidates;  // further cases
  ObjectHash minimised_hash;
};

struct GateRun {
  std::string gate, corpus_hash, verifier_rev, outcome;
  ObjectHash body_hash;
};

struct ProposalState {
  static constexpr std::string_view kKind = "ProposalState";
  static constexpr int kSchema = 1;
  int64_t proposal = 0;  // assigned when `kind` is set and the proposal is new
  std::string kind;      // rule | calibration | primitive | tactic
  int64_t rev = 0;
  std::string name;
  ObjectHash body_hash;
  std::string state;
  int64_t author = 0;
  std::vector<GateRun> gate_runs;
};

struct Decided {
  static constexpr std::string_view kKind = "Decided";
  static constexpr int kSchema = 1;
  int64_t proposal = 0;
  int64_t rev = 0;
  int64_t who = 0;
  std::string verdict;  // APPROVE | REJECT | UNDO
  std::string reason;
};

struct CalibrationActivated {
  static constexpr std::string_view kKind = "CalibrationActivated";
  static constexpr int kSchema = 1;
  int64_t calibration = 0;  // assigned
  std::string device_arch;
  std::string version;
  ObjectHash body_hash;
};

// ---- Machines and people

struct NoiseFloor {
  std::string kernel_class;
  double floor = 0;  // relative
};

struct DeviceState {
  static constexpr std::string_view kKind = "DeviceState";
  static constexpr int kSchema = 1;
  int64_t device = 0;  // assigned when the uuid is new
  std::string uuid;
  std::string name, arch, driver;
  std::string state;  // HEALTHY | SUSPECT | QUARANTINED | GONE
  bool simulated = false;
  std::vector<NoiseFloor> noise;
};

struct WorkerState {
  static constexpr std::string_view kKind = "WorkerState";
  static constexpr int kSchema = 1;
  int64_t worker = 0;  // assigned when the name is new
  std::string name;
  uint64_t incarnation = 0;
  std::string state;  // SERVE | DRAIN | QUARANTINE | UPGRADE | GONE
  int64_t device = 0;
  std::vector<std::string> capabilities;
};

struct AdminAction {
  static constexpr std::string_view kKind = "AdminAction";
  static constexpr int kSchema = 1;
  int64_t who = 0;
  std::string action;  // EXPORT_PORTFOLIO makes a portfolio row
  std::string subject;
  std::string reason;
  ObjectHash object_hash;
};

using EventBody =
    std::variant<PrincipalChanged, WorkloadRegistered, ExperimentCreated, ExperimentSealed,
                 RunStateChanged, Decision, CandidateSubmitted, Checked, GatesDone,
                 VariantsExpanded, Estimated, Ranked, JobQueued, LeaseGranted, LeaseLost,
                 StageEnded, BuildDone, EvaluationDone, VerdictRevised, LateEvidence, EliteChanged,
                 PlateauDetected, BudgetReserved, BudgetSettled, BudgetRefunded, UsageReported,
                 FindingOpened, FindingUpdated, ProposalState, Decided, CalibrationActivated,
                 DeviceState, WorkerState, AdminAction>;
inline constexpr size_t kEventKinds = std::variant_size_v<EventBody>;

// A stored event.
struct Event {
  int64_t seq = 0;
  int64_t at_us = 0;
  int64_t run = 0;  // 0: of no run
  std::string subject;
  EventBody body;
};

std::string_view KindOf(const EventBody& body);
int SchemaOf(const EventBody& body);

// Kind name and current schema of the i-th alternative of EventBody, i < kEventKinds.
std::string_view KindName(size_t index);
int KindSchema(size_t index);
// A default body of the i-th alternative.
EventBody DefaultBody(size_t index);

// Canonical JSON (RFC 8785; integers past 2^53 as strings). Every field is written.
std::string BodyToJson(const EventBody& body);

// Reads what any BodyToJson of schema <= the current one wrote. Unknown kinds, fields and newer
// schemas are DATA_LOSS with the kind named; a missing field keeps its default.
absl::StatusOr<EventBody> BodyFromJson(std::string_view kind, int schema, std::string_view json);

// INVALID_ARGUMENT naming the field when a text is not UTF-8, a number not finite or an object hash
// malformed. Adds the object hashes that the body names to `objects`, if given.
absl::Status CheckBody(const EventBody& body, std::vector<ObjectHash>* objects);

}  // namespace store
