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
#include "store/events_candidate.h"
#include "store/events_run.h"
#include "store/types.h"

namespace store {

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
  static constexpr int kSchema = 2;
  int64_t proposal = 0;  // assigned when `kind` is set and the proposal is new
  std::string kind;      // rule | calibration | primitive | tactic
  int64_t rev = 0;
  std::string name;
  ObjectHash body_hash;
  std::string state;
  int64_t author = 0;
  std::vector<GateRun> gate_runs;
  std::string code;               // rules: the diagnostic code that is theirs
  std::vector<int64_t> failures;  // candidates that it was made from
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
  static constexpr int kSchema = 2;
  int64_t device = 0;  // assigned when the uuid is new
  std::string uuid;
  std::string name, arch, driver;
  std::string state;  // HEALTHY | SUSPECT | QUARANTINED | GONE
  bool simulated = false;
  std::vector<NoiseFloor> noise;
  std::string reason;  // of a state that is not HEALTHY, one line
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

// Evidence of another machine became part of this log: once for each manifest. Its runs follow in
// the same transaction and name it.
struct EvidenceImported {
  static constexpr std::string_view kKind = "EvidenceImported";
  static constexpr int kSchema = 1;
  int64_t import = 0;  // assigned
  int64_t who = 0;
  ObjectHash manifest_hash, log_hash;
  std::string campaign, git, script, bundle, device, driver;
  bool simulated = false;
  int64_t events = 0;  // in its log
};

using EventBody =
    std::variant<PrincipalChanged, WorkloadRegistered, ExperimentCreated, ExperimentSealed,
                 RunStateChanged, Decision, CandidateSubmitted, Checked, GatesDone,
                 VariantsExpanded, Estimated, Ranked, JobQueued, LeaseGranted, LeaseLost,
                 StageEnded, BuildDone, EvaluationDone, VerdictRevised, LateEvidence, EliteChanged,
                 PlateauDetected, BudgetReserved, BudgetSettled, BudgetRefunded, UsageReported,
                 FindingOpened, FindingUpdated, ProposalState, Decided, CalibrationActivated,
                 DeviceState, WorkerState, AdminAction, EvidenceImported>;
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
