// Events of candidates, their jobs, leases and evaluations. See events.h.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "store/types.h"

namespace store {

// ---- Candidates

struct ParentRef {
  int64_t candidate = 0;
  std::string role;  // "parent" | "crossover" | ..
};

struct CandidateSubmitted {
  static constexpr std::string_view kKind = "CandidateSubmitted";
  static constexpr int kSchema = 2;
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
  int64_t island = 0;
  int64_t decision_no = 0;  // the proposal that it carries out; 0: somebody handed it in
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
  static constexpr int kSchema = 2;
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
  bool fixable = false;  // its errors have machine-applicable fixes
};

struct NewVariant {
  int64_t variant = 0;  // assigned
  std::string binding_hash;
  std::string params_json;
  std::string canon_hash;    // of the program with its params bound
  int64_t duplicate_of = 0;  // variant, with verdict kDuplicate
  Verdict verdict = Verdict::kPending;
  Blame blame = Blame::kUnset;
  std::string features;  // how the program is built, as one JSON object of numbers and words
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
  static constexpr int kSchema = 2;
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
  std::string detail;  // what the worker said of it, if it said anything
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

}  // namespace store
