// Requests and answers of the daemon as plain values. The edge translates the wire form to these
// and back; a simulation makes them directly. A Done is called exactly once, now or in a later
// step.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "server/core/gate.h"
#include "server/loop/spec.h"
#include "server/state/state.h"
#include "store/events.h"
#include "store/rows.h"

namespace server::core {

template <typename T>
using Done = std::function<void(absl::StatusOr<T>)>;

inline constexpr size_t kSourceBytesMax = 256 * 1024;
inline constexpr size_t kIntentBytesMax = 2 * 1024;
inline constexpr int64_t kWaitMsMax = 40'000;
inline constexpr int64_t kAcquireWaitMsMax = 25'000;
inline constexpr int64_t kPageRowsMax = 500;

struct Meta {
  std::string request_id, experiment, run, session;
  std::string request_hash;  // of the whole request; set by the edge
};

struct SourceText {
  bool direct_cuda = false;
  std::string text, launch_plan_json;
};

enum class WaitFor : uint8_t { kAck, kGates, kVerdict };

struct SubmitRequest {
  Meta meta;
  SourceText source;
  std::vector<std::string> parents;
  std::string workload, intent, tactic, prediction_json;
  std::vector<Narrowed> params;
  WaitFor wait_for = WaitFor::kAck;
  int64_t wait_ms = 0;
};

// The report of one member: verdict and blame as they stand, the rest as the pipeline wrote it.
struct Report {
  store::Verdict verdict = store::Verdict::kPending;
  store::Blame blame = store::Blame::kUnset;
  std::string member_json;  // "": not judged yet
};

struct SubmitReply {
  std::string candidate, content_hash, duplicate_of;
  Report report;
  state::Progress progress;
  std::map<std::string, state::Budget> budget;
  int64_t event_seq = 0;
};

struct CheckRequest {
  Meta meta;
  SourceText source;
  std::string workload;
  std::vector<Narrowed> params;
  bool keep = false;
  int64_t time_ms = INT64_MAX;  // that the caller still waits
};

struct CheckReply {
  Report report;
  std::string content_hash, canon_hash;
  int64_t members = 0, event_seq = 0;
};

struct BriefRequest {
  Meta meta;
  std::string workload;
  int64_t max_tokens = 0;
};

struct BriefSection {
  std::string name, text;
  int64_t tokens = 0;
};

struct BriefReply {
  std::vector<BriefSection> sections;
  std::vector<std::string> dropped;
  std::string run;
  store::ScoreSource objective = store::ScoreSource::kNone;
  std::map<std::string, state::Budget> budget;
  int64_t event_seq = 0;
};

// Cumulative counters of a session and a model.
struct UsageRequest {
  Meta meta;
  std::string model;
  store::UsageSource source = store::UsageSource::kAgent;
  int64_t input = 0, cached = 0, output = 0, reasoning = 0;
};

struct UsageReply {
  std::string run;
  int64_t charged_tokens = 0;
  std::map<std::string, state::Budget> budget;
  int64_t event_seq = 0;
};

struct TokenRequest {
  Meta meta;
  std::string name, role, experiment, reason;
};

// 0: what the daemon gives everybody.
struct QuotaRequest {
  Meta meta;
  std::string name, reason;
  int64_t weight = 0, checks_max = 0, open_max = 0;
};

struct QuotaReply {
  std::string name;
  int64_t weight = 0, checks_max = 0, open_max = 0;  // as they are in force
  int64_t event_seq = 0;
};

// A worker by its name, or a device by its name or uuid.
struct MachineRequest {
  Meta meta;
  std::string name, reason;
  bool undo = false;
};

struct MachineReply {
  std::string name, state;
  int64_t event_seq = 0;
};

struct TokenReply {
  std::string name, token;  // token: only in the first answer to CreateToken
  int64_t event_seq = 0;
};

struct Metric {
  std::string name, unit;
  double value = 0;
  store::ScoreSource source = store::ScoreSource::kNone;
};

struct MetricChange {
  std::string name, unit;
  double now = 0, then = 0;
};

enum class Against : uint8_t { kParent, kPrevious, kBest, kBaseline };

struct Comparison {
  Against against = Against::kParent;
  std::string candidate, binding, none_because;
  std::vector<MetricChange> changes;
};

struct Advice {
  std::string what, why, evidence;
  std::string fix_json;  // one fix of the member's report, as the pipeline wrote it; or ""
};

struct DiagnoseReply {
  std::string candidate, binding, bottleneck, next_command;
  std::string bottleneck_why;  // the shares of the resources and the statement that takes most
  Report report;
  std::string run_report_json;  // diagnostics of the run, as the worker sent them; or ""
  std::vector<Metric> now;
  std::vector<Comparison> comparisons;
  std::vector<Advice> advice;
  std::vector<store::CheckOutcome> checks;
  std::vector<std::string> findings;
  store::ScoreSource objective = store::ScoreSource::kNone;
  state::Progress progress;
  std::optional<state::Import> imported;
  int64_t source_run = 0;
};

struct Evaluated {
  store::EvaluationRow row;
  std::string device;      // name; "": none
  bool simulated = false;  // the device is no hardware
};

struct CandidateView {
  state::Candidate row;
  std::string experiment, workload, source, author, intent, tactic, duplicate_of;
  std::vector<std::string> parents;
  state::Judged judged;
  state::Progress progress;
  Report report;
  store::ScoreSource objective = store::ScoreSource::kNone;
  struct Member {
    state::Variant row;
    std::vector<state::Job> jobs;
    std::vector<Evaluated> evaluations;  // of the jobs that have ended
    // Ends of the prediction's interval over all cases, weighted as the prediction is; 0: none.
    double low_ns = 0, high_ns = 0;
    bool rank_only = false;  // some estimate's nanoseconds are no claim
  };
  std::vector<Member> members;
  std::optional<state::Import> imported;
  int64_t source_run = 0;
};

struct ListRequest {
  Meta meta;
  std::string workload;
  std::string verdict;             // "" : any
  std::string tactic, code, text;  // "" : any
  bool newest_first = false;
  int64_t page_size = 0;
  std::string page_token;
};

struct ListReply {
  std::vector<CandidateView> candidates;
  std::string next_page_token;
  int64_t total = 0, as_of_seq = 0;
};

struct RunView {
  state::Run row;
  std::string experiment, workload, text;
  state::Progress progress;
  std::string best_candidate, best_binding;
  store::Verdict best_verdict = store::Verdict::kPending;
  double best_ns = 0;
  std::optional<state::Import> imported;
};

struct CreateExperimentRequest {
  Meta meta;
  std::string name, workload, visibility;
  int64_t evaluations = 0, repeats = 1;
  int64_t tokens = 0, active_ns = 0, gpu_ns = 0;  // further budgets; 0: none
  uint64_t seed = 0;
  loop::RunSpec spec;
  std::vector<std::string> arms;  // each with `repeats` runs; empty: one arm that does `spec`
};
inline constexpr size_t kArmsMax = 8;

struct ImportRequest {
  Meta meta;
  store::ObjectHash manifest, log;
};

struct ImportReply {
  state::Import row;
  bool already = false;
  std::vector<RunView> runs;
  int64_t left_out = 0, event_seq = 0;
};

struct ExperimentReply {
  std::string experiment;
  std::vector<RunView> runs;
  int64_t event_seq = 0;
};

struct ExperimentRequest {
  Meta meta;
  std::string experiment, run, reason;
};

struct RegisterRequest {
  Meta meta;
  std::string name, uuid, device_name, arch, driver;
  bool simulated = true;
  uint64_t incarnation = 0;
  std::vector<std::string> capabilities;
  std::map<std::string, double> noise;  // class of kernel -> relative floor; at most kNoiseMax
};
inline constexpr size_t kNoiseMax = 8;

struct RegisterReply {
  std::string worker;
  int64_t report_every_ms = 0, lease_ttl_ms = 0;
  std::vector<std::string> fenced_leases;
};

struct Grant {
  std::string lease, job;
  int64_t attempt = 0, fencing_token = 0, ttl_ms = 0;
  store::Purpose purpose = store::Purpose::kSearch;
  std::string spec_json;
};

enum class WorkerDesired : uint8_t { kServe, kDrain, kQuarantine, kUpgrade };

struct AcquireReply {
  std::optional<Grant> grant;
  WorkerDesired desired = WorkerDesired::kServe;
};

struct StageClock {
  store::Stage stage = store::Stage::kQueue;
  store::StageEnd end = store::StageEnd::kOk;
  int64_t wall_ns = 0, cpu_ns = 0, limit_ns = 0;
};

struct Held {
  std::string lease;
  int64_t fencing_token = 0;
};

struct ReportRequest {
  std::string worker;
  uint64_t incarnation = 0;
  std::vector<Held> held;
  bool healthy = true;
  std::string unhealthy_reason;
};

enum class Desired : uint8_t { kContinue, kCancel, kLost };

struct ReportReply {
  std::vector<Desired> desired;
  WorkerDesired worker = WorkerDesired::kServe;
  int64_t next_ms = 0;
};

struct WorkerDiagnostic {
  std::string code, category, severity, message, role;
  int64_t span_begin = 0, span_end = 0;
};

struct CompleteRequest {
  Meta meta;
  std::string worker, lease, job;
  uint64_t incarnation = 0;
  int64_t fencing_token = 0;
  store::Verdict verdict = store::Verdict::kPending;
  std::vector<store::CheckOutcome> checks;
  std::vector<StageClock> clocks;
  std::vector<WorkerDiagnostic> diagnostics;
  std::string report_json;  // the diagnostics whole
  std::string receipt_json;
  store::ObjectHash samples;
  double ratio_med = 0, ratio_low = 0, ratio_high = 0, time_ns = 0;
  // incumbent / candidate, of the same blocks; lower end 0: none was timed.
  std::string incumbent_id;
  double incumbent_ratio_low = 0;
  std::string machine;  // "right", "wrong", "not_run"
  bool varies = false;
  std::map<std::string, std::string> build_facts;
};

struct CompleteReply {
  store::Verdict verdict = store::Verdict::kPending;
  store::Blame blame = store::Blame::kUnset;
  bool final = false;
  int64_t event_seq = 0;
};

struct WatchRequest {
  Meta meta;
  std::string candidate;
  int64_t from_seq = 0;
};

// What a watcher gets: an event, or a heartbeat (event.seq 0).
struct WatchItem {
  store::Event event;
  int64_t last_seq = 0;
  std::optional<state::Progress> progress;
};

}  // namespace server::core
