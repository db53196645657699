// What the daemon knows, as a fold of the event log: the same events in the same order give the
// same value, so a restart continues where the log ends. Nothing here is changed but by Apply.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "server/state/decision.h"
#include "server/state/features.h"
#include "server/state/proposal.h"
#include "store/events.h"
#include "store/types.h"

namespace server::state {

struct Workload {
  int64_t id = 0;
  std::string name, hash;
  store::ObjectHash canon_hash;  // the contract's canonical JSON
  bool imported = false;         // found by its hash only, never by its name
  bool operator==(const Workload&) const = default;
};

struct Experiment {
  int64_t id = 0;
  std::string name, visibility;  // OPEN | CLEAN
  bool operator==(const Experiment&) const = default;
};

// Who may call, by the hash of a bearer token.
struct Principal {
  int64_t id = 0, experiment = 0;  // experiment: sees this one only; 0: all
  std::string name, role, token_hash;
  bool revoked = false;
  int64_t weight = 0, checks_max = 0, open_max = 0;  // its quota; 0: the daemon's
  bool operator==(const Principal&) const = default;
};

// Rates of the cost model for one architecture: store/events.h keeps them, costmodel reads them.
struct Calibration {
  int64_t id = 0;
  std::string arch, version;
  store::ObjectHash body;
  std::string Name() const { return arch + "@" + version; }
  bool operator==(const Calibration&) const = default;
};
// The version that stands for the data sheet's rates.
inline constexpr std::string_view kDataSheet = "0";

// Of one architecture.
struct Calibrations {
  std::vector<Calibration> in_force;  // the last one is; those before it are what undoing leads to
  int64_t newest = 0;                 // version that was given last
  bool operator==(const Calibrations&) const = default;
};

struct Budget {
  int64_t limit = 0, reserved = 0, spent = 0;
  int64_t settled = 0, least = 0;  // how often something was spent, and the least of it
  int64_t Left() const { return limit - spent - reserved; }
  // What the next step will take: the mean of those before it. 0: nothing is known.
  int64_t Expected() const { return settled > 0 ? spent / settled : 0; }
  bool operator==(const Budget&) const = default;
};

// How much of the devices somebody has had: an experiment, a run of it, an agent of that.
// `turn_ns` is what the next one is chosen by: the cost so far, raised to that of the least served
// when somebody comes who had nothing to run, so that idling saves nothing up.
struct Share {
  int64_t turn_ns = 0, served_ns = 0;
  int64_t jobs = 0;  // that have cost something
  int64_t open = 0;  // queued or leased now
  bool operator==(const Share&) const = default;
};

// The cell of EliteChanged that means the whole run; every other one is a cell of the archive.
inline constexpr std::string_view kRunCell = "run";

// The check of a device that answers from recorded evaluations: FAIL where it has none.
inline constexpr std::string_view kReplayCheck = "recorded";

// The best of a run by its own objective; higher is better.
struct Elite {
  int64_t variant = 0, seq = 0;
  double score = 0;
  bool operator==(const Elite&) const = default;
};

// What the candidates of one tactic came to.
struct TacticReturn {
  int64_t tries = 0, barren = 0, passed = 0, evaluated = 0, improved = 0;
  bool operator==(const TacticReturn&) const = default;
};

// All descendants of one seed, as far as the rule on forced structure looks.
struct LineageRow {
  int64_t param_only = 0;     // charged children since `base` whose structure is their parent's
  double base = 0, best = 0;  // merit
  int64_t forced = 0;         // so many of the next proposals must change the structure
  bool operator==(const LineageRow&) const = default;
};

inline constexpr int64_t kParamOnlyMax = 8, kForcedChildren = 4;
inline constexpr double kParamOnlyGainMin = 1.01;

struct Run {
  int64_t id = 0, experiment = 0, workload = 0;
  std::string contract_hash, arm;
  int64_t repeat_no = 0;
  uint64_t seed = 0;
  store::RunState state = store::RunState::kCreated;
  std::string reason;
  store::ScoreSource objective = store::ScoreSource::kNone;
  store::ObjectHash spec_hash;
  int64_t decision_no = 0;
  std::map<std::string, Budget> budgets;  // by kind
  std::vector<int64_t> candidates;        // in order of n
  std::set<int64_t> open;                 // of them: those that are not terminal
  std::set<int64_t> ungated;              // of the open ones: those that wait for their gates
  int64_t last_rank = 0;
  int64_t ranked_through = 0;  // variants up to this one have taken part in a ranking
  int64_t started_top = 0, started_explore = 0;  // members whose evaluation was decided
  std::optional<Elite> best;
  double baseline_ns = 0;  // predicted by the model of this run; 0: not known yet
  bool baseline_decided = false;
  int64_t plateau_at = 0, plateau_point = 0;
  double best_confirmed = 0;  // lower end of the ratio
  // After each charged evaluation, in order: best_confirmed, and the cell of what was evaluated.
  std::vector<double> confirmed_curve;
  std::vector<std::string> charged_cells;
  // The best score after each charged evaluation, by the run's own objective; 0: none yet.
  std::vector<double> score_curve;
  int64_t active_ns = 0;
  int64_t tokens = 0;                   // charged: input and output, all sessions
  std::vector<int64_t> charged_tokens;  // of that, at each charged evaluation
  // By session and model: input, output. Counters are cumulative, so the largest counts.
  std::map<std::string, std::pair<int64_t, int64_t>> usage;
  std::map<int64_t, Choice> proposals;  // by decision: decided, without effect yet
  int64_t proposed = 0;                 // all of them
  int64_t barren = 0;  // proposals since the last one that gave a new accepted program
  int64_t migrations = 0;
  int64_t replay_misses = 0;  // evaluations that a replay device had no samples for
  std::map<std::string, TacticReturn> tactics;
  std::map<int64_t, std::map<std::string, Elite>> archive;  // by island and cell
  std::map<std::string, int64_t> visits;                    // charged evaluations by cell
  std::map<int64_t, LineageRow> lineages;                   // by their seed
  int64_t import = 0, source_run = 0;  // the evidence it came with, its number there
  // What a run that is scored by predictions predicts with: fixed when it starts, or its scores
  // could not be compared. By architecture.
  std::optional<std::map<std::string, Calibration>> calibrations;
  bool operator==(const Run&) const = default;
};

// A step that a Decision announced and whose effect is not in the log yet.
struct PendingExpand {
  int64_t decision_no = 0, from = 0, count = 0;
  bool operator==(const PendingExpand&) const = default;
};

struct Candidate {
  int64_t id = 0, run = 0, n = 0, author = 0, created_seq = 0, created_us = 0;
  store::ObjectHash source_hash, report_hash;
  std::string arm_kind, session, tactic, params_json, struct_hash;
  int64_t island = 0, parent_variant = 0, repair_depth = 0;
  bool fixable = false, repaired = false;  // machine-applicable fixes; a repair was decided
  std::vector<int64_t> parents, variants;
  std::set<std::string> rejected_codes;
  int64_t members_total = 0, members_seen = 0, rejected = 0, duplicates = 0, duplicate_of = 0;
  bool gates_done = false;  // the default member was judged
  bool expanded = false;    // the whole family was
  store::Verdict gates_verdict = store::Verdict::kPending;
  store::Blame gates_blame = store::Blame::kUnset;
  std::optional<PendingExpand> pending;
  bool closed() const {  // no member is left to judge
    return expanded || (gates_done && gates_verdict != store::Verdict::kPending);
  }
  std::string Name() const { return store::CandidateName(run, n); }
  // Hand-written device code: no gate knows its code, so it is never shown without saying so.
  bool IsDirect() const { return arm_kind == "direct-cuda"; }
  bool operator==(const Candidate&) const = default;
};

struct Variant {
  int64_t id = 0, candidate = 0, duplicate_of = 0;
  std::string params_json, canon_hash;
  store::Verdict verdict = store::Verdict::kPending;
  store::Blame blame = store::Blame::kUnset;
  int64_t rank = 0;
  bool kept = false;
  bool audit = false;  // the gates rejected it; it was drawn to be run all the same
  std::string why, bottleneck;
  double log_ns = 0, weight = 0;     // of the estimates: sum of weight x log(ns), sum of weights
  double log_low = 0, log_high = 0;  // the same of the interval's ends
  Features features;
  store::ObjectHash member_report;
  std::vector<int64_t> jobs;
  // Purposes decided whose job is not queued yet, with the decision that said so.
  std::map<store::Purpose, int64_t> pending;
  double ratio_low = 0, ratio_med = 0, time_ns = 0;  // measured; 0: not
  double PredictedNs() const;                        // weighted geometric mean; 0: no estimate
  bool AwaitsAudit() const { return audit && jobs.empty() && pending.empty(); }
  double Spread() const;  // log of the interval's upper end over its lower one
  bool operator==(const Variant&) const = default;
};

struct Job {
  int64_t id = 0, variant = 0, run = 0, round = 0, priority = 0, not_before_us = 0;
  store::Purpose purpose = store::Purpose::kSearch;
  std::string protocol;
  store::JobState state = store::JobState::kQueued;
  std::vector<std::string> needs;
  store::ObjectHash spec_hash;
  int64_t attempts = 0;  // grants, infrastructure losses included
  int64_t infra_losses = 0;
  std::set<int64_t> lost_devices;
  int64_t lease = 0, worker = 0, fencing_token = 0;  // the newest grant's
  bool charged_reservation = false;                  // an evaluation is reserved for it
  std::map<std::string, int64_t> reserved;           // of budgets of time, by kind
  int64_t cost_ns = 0;                               // time on a device, all attempts
  store::ObjectHash receipt_hash;                    // of the accepted result
  int64_t done_seq = 0;
  store::Verdict verdict = store::Verdict::kPending;
  store::Blame blame = store::Blame::kUnset;
  bool operator==(const Job&) const = default;
};

struct Lease {
  int64_t id = 0, job = 0, worker = 0, fencing_token = 0, device = 0, attempt = 0;
  uint64_t incarnation = 0;
  bool open = false;
  bool operator==(const Lease&) const = default;
};

struct Device {
  int64_t id = 0;
  std::string uuid, name, arch, driver, state;
  bool simulated = false;
  std::map<std::string, double> noise;  // class of kernel -> relative floor
  std::string reason;                   // of its state
  int64_t faults = 0;                   // jobs lost on it since one ended there as it should
  bool operator==(const Device&) const = default;

  // The relative gain below which a comparison of kernels of this class says nothing; of a class
  // that was not measured the largest there is, 0 where nothing was.
  double NoiseFloor(std::string_view kernel_class) const;
  double LargestNoise() const;
};

struct Worker {
  int64_t id = 0, device = 0;
  std::string name, state;
  uint64_t incarnation = 0;
  std::vector<std::string> capabilities;
  bool operator==(const Worker&) const = default;
};

struct Finding {
  int64_t id = 0;
  std::string fingerprint, route, title, state;
  std::set<int64_t> candidates;
  bool operator==(const Finding&) const = default;
};

// Evidence of another machine that is part of the log.
struct Import {
  int64_t id = 0;
  store::ObjectHash manifest_hash;
  std::string campaign, git, script, bundle, device, driver;
  bool simulated = false;
  int64_t events = 0;
  bool operator==(const Import&) const = default;
};

// Where a program counts as the same: one contract, one visibility, one kind of score.
struct DedupeKey {
  std::string contract_hash, canon_hash;
  int64_t run = 0;  // 0: all runs of OPEN experiments; runs of CLEAN ones see only themselves
  store::ScoreSource objective = store::ScoreSource::kNone;
  auto operator<=>(const DedupeKey&) const = default;
};

struct State {
  int64_t last_seq = 0;
  int64_t last_evaluation = 0;
  std::map<int64_t, Import> imports;
  std::map<int64_t, Workload> workloads;
  std::map<int64_t, Experiment> experiments;
  std::map<int64_t, Run> runs;
  std::map<int64_t, Candidate> candidates;
  std::map<int64_t, Variant> variants;
  std::map<int64_t, Job> jobs;
  std::map<int64_t, Lease> leases;
  std::map<int64_t, Worker> workers;
  std::map<int64_t, Device> devices;
  std::map<int64_t, Finding> findings;
  std::map<int64_t, Proposal> proposals;
  std::map<std::string, Calibrations> calibrations;  // by architecture
  std::map<std::string, std::vector<int64_t>>
      failures;  // fingerprint -> candidates, first seen first
  std::map<int64_t, Principal> principals;
  std::map<int64_t, int64_t> open_of_author;  // how many of Run::open are whose
  std::map<int64_t, Share> experiment_shares, run_shares;
  std::map<std::pair<int64_t, std::string>, Share> agent_shares;  // by run and AgentOf
  std::set<int64_t> queued_jobs, open_leases;
  std::map<DedupeKey, int64_t> first_of;  // -> variant
  bool operator==(const State&) const = default;

  // Events come in order, each once; anything else is our bug.
  void Apply(const store::Event& event);

  // The newest of a name; evidence does not change what a name means here.
  const Workload* FindWorkload(std::string_view name_or_hash) const;
  const Import* FindImport(std::string_view manifest_hash) const;
  const Experiment* FindExperiment(std::string_view name) const;
  const Candidate* FindCandidate(std::string_view name) const;  // "c-7-142"
  const Worker* FindWorker(std::string_view name) const;
  // What the cost model predicts with now, by architecture.
  std::map<std::string, Calibration> CalibrationsInForce() const;
  // Who a job is run for within its run: author and session of its candidate.
  std::string AgentOf(const Job& job) const;
  DedupeKey KeyOf(const Run& run, std::string_view canon_hash) const;
  // The archive's cell; of a program without known features: its structure and its bottleneck.
  std::string CellOf(const Variant& variant) const;
  // The run's objective as a positive number, larger is better: the lower end of the measured
  // ratio, or a million over the predicted nanoseconds. 0: neither.
  double MeritOf(const Run& run, const Variant& variant) const;
  // The oldest ancestor by first parents: what a lineage is named by.
  int64_t Lineage(int64_t candidate) const;
};

// Whether a lease ended because its worker stopped in order: that says nothing about the device.
inline bool WasGivenBack(std::string_view reason) {
  return reason == "RELEASED" || reason == "DRAINED" || reason == "CANCELLED";
}

// Counts of one candidate's family. `terminal`: no further event will come by itself.
struct Progress {
  int64_t members = 0, expanded = 0, rejected = 0, duplicates = 0, ranked_out = 0, evaluated = 0,
          cancelled = 0, lost = 0, queued = 0;
  bool terminal = false;
};
Progress ProgressOf(const State& state, const Candidate& candidate);
Progress ProgressOf(const State& state, const Run& run);

// The verdict of a candidate is that of its best variant, else that of its gates.
struct Judged {
  store::Verdict verdict = store::Verdict::kPending;
  store::Blame blame = store::Blame::kUnset;
  const Variant* best = nullptr;
};
Judged JudgedOf(const State& state, const Candidate& candidate);

}  // namespace server::state
