#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "absl/strings/numbers.h"
#include "server/state/decision.h"
#include "server/state/loop_fold.h"
#include "server/state/shares.h"
#include "server/state/state.h"

namespace server::state {
namespace {

using store::JobState;
using store::Verdict;

// One overload an event kind. Kinds that change nothing the daemon decides by share the template.
class Folder {
 public:
  Folder(State& state, const store::Event& event) : s_(state), event_(event) {}

  template <typename Other>
  void operator()(const Other&) {}

  void operator()(const store::PrincipalChanged& e) {
    s_.principals[e.principal] = {e.principal, e.experiment, e.name,       e.role,    e.token_hash,
                                  e.revoked,   e.weight,     e.checks_max, e.open_max};
  }

  void operator()(const store::WorkloadRegistered& e) {
    s_.workloads[e.workload] = {e.workload, e.name, e.hash, e.canon_hash, e.imported};
  }

  void operator()(const store::EvidenceImported& e) {
    s_.imports[e.import] = {e.import, e.manifest_hash, e.campaign, e.git,       e.script,
                            e.bundle, e.device,        e.driver,   e.simulated, e.events};
  }

  void operator()(const store::ExperimentCreated& e) {
    s_.experiments[e.experiment] = {e.experiment, e.name, e.visibility};
  }

  void operator()(const store::RunStateChanged& e) {
    Run& run = s_.runs[e.run];
    run.state = e.state;
    run.reason = e.reason;
    if (e.state == store::RunState::kRunning && run.objective == store::ScoreSource::kEstimated &&
        !run.calibrations) {
      run.calibrations = s_.CalibrationsInForce();
    }
    if (e.state == store::RunState::kStopped) {
      for (const int64_t candidate : std::set<int64_t>(run.open)) Touch(candidate);
    }
    if (e.state != store::RunState::kCreated) return;
    run.id = e.run;
    run.experiment = e.experiment;
    run.workload = e.workload;
    run.contract_hash = e.contract_hash;
    run.arm = e.arm;
    run.repeat_no = e.repeat_no;
    run.seed = e.seed;
    run.objective = e.objective;
    run.spec_hash = e.spec_hash;
    for (const auto& budget : e.budgets) run.budgets[budget.kind].limit = budget.limit;
    run.import = e.import;
    run.source_run = e.source_run;
  }

  void operator()(const store::Decision& e) {
    Run& run = s_.runs.at(e.run);
    run.decision_no = e.decision_no;
    const Choice choice = ChoiceFromJson(e.kind, e.chosen_json);
    if (choice.kind == kExpand) {
      s_.candidates.at(choice.candidate).pending =
          PendingExpand{e.decision_no, choice.from, choice.count};
    } else if (choice.kind == kEvaluate) {
      Variant& v = s_.variants.at(choice.variant);
      v.pending[choice.purpose] = e.decision_no;
      if (choice.purpose == store::Purpose::kSearch) {
        ++(v.why == "EXPLORE" ? run.started_explore : run.started_top);
      }
      Touch(v.candidate);
    } else if (choice.kind == kBaseline) {
      run.baseline_decided = true;
      run.baseline_ns = choice.time_ns;
    } else {
      FoldDecision(s_, run, e.decision_no, choice);
    }
  }

  void operator()(const store::CandidateSubmitted& e) {
    Candidate& c = s_.candidates[e.candidate];
    c.id = e.candidate;
    c.run = e.run;
    c.n = e.n;
    c.author = e.author;
    c.created_seq = event_.seq;
    c.created_us = event_.at_us;
    c.source_hash = e.source_hash;
    c.arm_kind = e.arm_kind;
    c.session = e.session;
    c.params_json = e.params_json;
    c.tactic = e.tactic;
    c.island = e.island;
    for (const auto& parent : e.parents) c.parents.push_back(parent.candidate);
    Run& run = s_.runs.at(e.run);
    run.candidates.push_back(e.candidate);
    if (e.decision_no != 0) FoldProposed(s_, run, c, e.decision_no);
    Touch(e.candidate);
  }

  void operator()(const store::VariantsExpanded& e) {
    Candidate& c = s_.candidates.at(e.candidate);
    c.members_total = e.members_total;
    c.members_seen = e.members_seen;
    c.expanded = e.last;
    if (e.verdict != Verdict::kPending) {
      c.gates_verdict = e.verdict;
      c.gates_blame = e.blame;
    }
    c.pending.reset();
    for (const auto& group : e.rejected) c.rejected += group.count;
    for (const auto& group : e.rejected) c.rejected_codes.insert(group.code);
    for (const auto& row : e.variants) AddVariant(c, row);
    if (s_.runs.at(c.run).import == 0) FoldRuleGates(s_, e.gates, false);
    for (const auto& d : e.diagnostics) {
      if (d.severity == "finding") NoteFailure(d.fingerprint, c.id);
    }
    Touch(c.id);
  }

  void operator()(const store::GatesDone& e) {
    Candidate& c = s_.candidates.at(e.candidate);
    c.gates_done = true;
    c.gates_verdict = e.verdict;
    c.gates_blame = e.blame;
    c.report_hash = e.report_hash;
    c.duplicate_of = e.duplicate_of;
    c.struct_hash = e.struct_hash;
    c.fixable = e.fixable;
    if (s_.runs.at(c.run).import == 0) FoldRuleGates(s_, e.gates, true);
    if (e.verdict != Verdict::kPending) c.pending.reset();
    Touch(c.id);
  }

  void operator()(const store::Estimated& e) {
    Variant& v = s_.variants.at(e.variant);
    if (e.time_ns > 0) {
      v.log_ns += e.weight * std::log(e.time_ns);
      v.weight += e.weight;
      v.log_low += e.weight * std::log(e.low_ns > 0 ? e.low_ns : e.time_ns);
      v.log_high += e.weight * std::log(e.high_ns > 0 ? e.high_ns : e.time_ns);
    }
    v.bottleneck = e.bottleneck;
    if (!e.body_hash.hex.empty()) v.member_report = e.body_hash;
  }

  void operator()(const store::Ranked& e) {
    std::set<int64_t> touched;
    for (const auto& row : e.variants) {
      Variant& v = s_.variants.at(row.variant);
      touched.insert(v.candidate);
      v.rank = row.rank;
      v.kept = row.kept;
      v.why = row.why;
      if (row.kept) continue;
      v.verdict = Verdict::kRankedOut;
      v.blame = store::Blame::kNone;
      v.pending.clear();
    }
    Run& run = s_.runs.at(e.run);
    for (const auto& row : e.variants) run.last_rank = std::max(run.last_rank, row.rank);
    if (!s_.variants.empty()) run.ranked_through = s_.variants.rbegin()->first;
    for (const int64_t candidate : touched) Touch(candidate);
  }

  void operator()(const store::JobQueued& e) {
    Variant& v = s_.variants.at(e.variant);
    Job& job = s_.jobs[e.job];
    job.id = e.job;
    job.variant = e.variant;
    job.run = s_.candidates.at(v.candidate).run;
    job.round = e.round;
    job.priority = e.priority;
    job.not_before_us = e.not_before_us;
    job.purpose = e.purpose;
    job.protocol = e.protocol;
    job.needs = e.needs;
    job.spec_hash = e.spec_hash;
    v.jobs.push_back(e.job);
    s_.queued_jobs.insert(e.job);
    v.pending.erase(e.purpose);
    ShareQueued(s_, job);
    Touch(v.candidate);
  }

  void operator()(const store::StageEnded& e) {
    const bool on_device = e.stage == store::Stage::kOracle || e.stage == store::Stage::kTiming ||
                           e.stage == store::Stage::kProfile;
    if (on_device) ShareCost(s_, s_.jobs.at(e.job), e.wall_ns);
  }

  void operator()(const store::LeaseGranted& e) {
    Job& job = s_.jobs.at(e.job);
    job.state = JobState::kLeased;
    job.attempts = e.attempt;
    job.lease = e.lease;
    job.worker = e.worker;
    job.fencing_token = e.fencing_token;
    s_.queued_jobs.erase(e.job);
    s_.open_leases.insert(e.lease);
    s_.leases[e.lease] = {e.lease,  e.job,     e.worker,      e.fencing_token,
                          e.device, e.attempt, e.incarnation, true};
  }

  void operator()(const store::LeaseLost& e) {
    Job& job = s_.jobs.at(e.job);
    Lease& lease = s_.leases.at(job.lease);
    lease.open = false;
    s_.open_leases.erase(lease.id);
    if (e.then == JobState::kQueued) s_.queued_jobs.insert(e.job);
    job.state = e.then;
    job.not_before_us = e.not_before_us;
    job.lease = 0;
    Touch(s_.variants.at(job.variant).candidate);
    if (!e.infra) return;
    ++job.infra_losses;
    job.lost_devices.insert(lease.device != 0 ? lease.device : -lease.worker);
    const auto device = s_.devices.find(lease.device);
    if (device != s_.devices.end() && !WasGivenBack(e.reason)) ++device->second.faults;
  }

  void operator()(const store::EvaluationDone& e) {
    Job& job = s_.jobs.at(e.job);
    s_.last_evaluation = std::max(s_.last_evaluation, e.evaluation);
    if (const auto lease = s_.leases.find(job.lease); lease != s_.leases.end()) {
      const auto device = s_.devices.find(lease->second.device);
      if (device != s_.devices.end()) device->second.faults = 0;
    }
    CloseJob(job, e);
    Variant& v = s_.variants.at(job.variant);
    // An audit or re-check judges the gates and the oracle; an infrastructure end or a cancellation
    // does not undo what an evaluation found.
    const bool judges =
        job.purpose != store::Purpose::kAudit && job.purpose != store::Purpose::kRecheck;
    const bool says_nothing = e.blame == store::Blame::kInfra || e.verdict == Verdict::kCancelled;
    const bool unknown = v.verdict == Verdict::kPending || v.blame == store::Blame::kInfra;
    if (judges && (unknown || !says_nothing)) {
      v.verdict = e.verdict;
      v.blame = e.blame;
    }
    if (e.time_ns > 0) v.time_ns = e.time_ns;
    if (e.ratio_low > 0) {
      v.ratio_low = e.ratio_low;
      v.ratio_med = e.ratio_med;
    }
    Run& run = s_.runs.at(job.run);
    if (run.import == 0) FoldRuleTruth(s_, v.id, e.verdict, e.blame);
    run.active_ns = std::max(run.active_ns, e.active_ns);
    if (e.verdict == Verdict::kConfirmed)
      run.best_confirmed = std::max(run.best_confirmed, e.ratio_low);
    if (e.oracle_completed &&
        (e.blame == store::Blame::kCandidate || e.blame == store::Blame::kNone)) {
      run.confirmed_curve.push_back(run.best_confirmed);
      run.charged_cells.push_back(s_.CellOf(v));
      run.charged_tokens.push_back(run.tokens);
      FoldCharged(s_, run, v);
    }
    for (const auto& check : e.checks) {
      if (check.name == kReplayCheck && check.outcome == "FAIL") ++run.replay_misses;
    }
    for (const auto& d : e.diagnostics) {
      const bool counts = d.severity == "error" || d.severity == "finding";
      if (counts && !d.fingerprint.empty()) NoteFailure(d.fingerprint, v.candidate);
    }
    Touch(v.candidate);
  }

  void operator()(const store::VerdictRevised& e) {
    Variant& v = s_.variants.at(e.variant);
    v.verdict = e.verdict;
    v.blame = e.blame;
    v.pending.clear();
    Touch(v.candidate);
  }

  void operator()(const store::EliteChanged& e) {
    Run& run = s_.runs.at(e.run);
    const Elite elite{e.variant, event_.seq, e.score};
    if (e.cell != kRunCell) {
      run.archive[e.island][e.cell] = elite;
      return;
    }
    run.best = elite;
  }

  void operator()(const store::PlateauDetected& e) {
    Run& run = s_.runs.at(e.run);
    run.plateau_at = e.detected_at;
    run.plateau_point = e.point;
  }

  void operator()(const store::UsageReported& e) {
    const auto it = s_.runs.find(e.run);
    if (it == s_.runs.end()) return;
    Run& run = it->second;
    auto& [input, output] = run.usage[e.session + "\n" + e.model];
    run.tokens -= input + output;
    input = std::max(input, e.input);
    output = std::max(output, e.output);
    run.tokens += input + output;
  }

  void operator()(const store::BudgetReserved& e) {
    s_.runs.at(e.run).budgets[e.kind].reserved += e.amount;
    if (e.job == 0) return;
    Job& job = s_.jobs.at(e.job);
    if (e.kind == "evaluations")
      job.charged_reservation = true;
    else
      job.reserved[e.kind] += e.amount;
  }

  void operator()(const store::BudgetSettled& e) {
    Run& run = s_.runs.at(e.run);
    Budget& budget = run.budgets[e.kind];
    budget.reserved -= e.reserved;
    budget.spent += e.spent;
    if (e.spent > 0) {
      budget.least = budget.settled == 0 ? e.spent : std::min(budget.least, e.spent);
      ++budget.settled;
    }
    Release(e.job, e.kind);
  }

  void operator()(const store::BudgetRefunded& e) {
    s_.runs.at(e.run).budgets[e.kind].reserved -= e.amount;
    Release(e.job, e.kind);
  }

  // A version that is in force below others ends those above it; the data sheet's ends all.
  void operator()(const store::CalibrationActivated& e) {
    Calibrations& of_arch = s_.calibrations[e.device_arch];
    int64_t number = 0;
    if (absl::SimpleAtoi(e.version, &number)) of_arch.newest = std::max(of_arch.newest, number);
    std::vector<Calibration>& stack = of_arch.in_force;
    const auto known = std::find_if(stack.begin(), stack.end(), [&](const Calibration& one) {
      return one.version == e.version;
    });
    if (e.version == kDataSheet) {
      stack.clear();
    } else if (known != stack.end()) {
      stack.erase(known + 1, stack.end());
    } else {
      stack.push_back({e.calibration, e.device_arch, e.version, e.body_hash});
    }
  }

  void operator()(const store::FindingOpened& e) {
    s_.findings[e.finding] = {e.finding, e.fingerprint, e.route,
                              e.title,   "OPEN",        {e.candidates.begin(), e.candidates.end()}};
  }

  void operator()(const store::FindingUpdated& e) {
    Finding& finding = s_.findings.at(e.finding);
    finding.candidates.insert(e.candidates.begin(), e.candidates.end());
    if (!e.state.empty()) finding.state = e.state;
  }

  void operator()(const store::ProposalState& e) { Fold(s_, e); }
  void operator()(const store::Decided& e) { Fold(s_, e); }

  void operator()(const store::DeviceState& e) {
    Device& device = s_.devices[e.device];
    device = {e.device, e.uuid,       e.name,      e.arch,
              e.driver, e.state,      e.simulated, std::move(device.noise),
              e.reason, device.faults};
    if (e.state == "HEALTHY") device.faults = 0;
    for (const auto& noise : e.noise) device.noise[noise.kernel_class] = noise.floor;
  }

  void operator()(const store::WorkerState& e) {
    s_.workers[e.worker] = {e.worker, e.device, e.name, e.state, e.incarnation, e.capabilities};
  }

 private:
  void Release(int64_t id, const std::string& kind) {
    if (id == 0) return;
    Job& job = s_.jobs.at(id);
    if (kind == "evaluations")
      job.charged_reservation = false;
    else
      job.reserved.erase(kind);
  }

  // By how many the set grew.
  static int64_t Keep(std::set<int64_t>& set, int64_t id, bool in) {
    if (in) return set.insert(id).second ? 1 : 0;
    return -static_cast<int64_t>(set.erase(id));
  }

  // Keeps Run::open what ProgressOf says, and Run::ungated with it.
  void Touch(int64_t candidate) {
    const Candidate& c = s_.candidates.at(candidate);
    Run& run = s_.runs.at(c.run);
    const bool open = !ProgressOf(s_, c).terminal;
    s_.open_of_author[c.author] += Keep(run.open, candidate, open);
    Keep(run.ungated, candidate, open && !c.gates_done);
  }

  void AddVariant(Candidate& c, const store::NewVariant& row) {
    Variant& v = s_.variants[row.variant];
    v.id = row.variant;
    v.candidate = c.id;
    v.duplicate_of = row.duplicate_of;
    v.params_json = row.params_json;
    v.canon_hash = row.canon_hash;
    v.verdict = row.verdict;
    v.blame = row.blame;
    v.features = FeaturesFromJson(row.features);
    c.variants.push_back(row.variant);
    if (row.verdict == Verdict::kDuplicate) {
      ++c.duplicates;
      return;
    }
    // A rejected member has a row only because it is audited.
    v.audit = store::IsReject(row.verdict);
    if (row.verdict != Verdict::kPending) return;
    FoldPassed(s_.runs.at(c.run), c);
    if (!row.canon_hash.empty()) {
      s_.first_of.try_emplace(s_.KeyOf(s_.runs.at(c.run), row.canon_hash), row.variant);
    }
  }

  void CloseJob(Job& job, const store::EvaluationDone& e) {
    if (job.lease != 0) {
      s_.leases.at(job.lease).open = false;
      s_.open_leases.erase(job.lease);
    }
    s_.queued_jobs.erase(job.id);
    ShareEnded(s_, job);
    job.state = e.verdict == Verdict::kCancelled        ? JobState::kCancelled
                : e.verdict == Verdict::kInfraPoisonJob ? JobState::kPoisoned
                                                        : JobState::kDone;
    job.lease = 0;
    job.receipt_hash = e.receipt_hash;
    job.done_seq = event_.seq;
    job.verdict = e.verdict;
    job.blame = e.blame;
  }

  void NoteFailure(const std::string& fingerprint, int64_t candidate) {
    auto& cases = s_.failures[fingerprint];
    if (std::find(cases.begin(), cases.end(), candidate) == cases.end()) cases.push_back(candidate);
  }

  State& s_;
  const store::Event& event_;
};

}  // namespace

void State::Apply(const store::Event& event) {
  if (event.seq != last_seq + 1) {
    std::fprintf(stderr, "server: event %lld applied after %lld\n",
                 static_cast<long long>(event.seq), static_cast<long long>(last_seq));
    std::abort();
  }
  std::visit(Folder(*this, event), event.body);
  last_seq = event.seq;
}

}  // namespace server::state
