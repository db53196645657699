#include "server/core/import_map.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "server/state/decision.h"
#include "server/state/error.h"

namespace server::core {
namespace {

using store::EventBody;

template <typename Map>
int64_t NextId(const Map& rows) {
  return rows.empty() ? 1 : rows.rbegin()->first + 1;
}

int64_t NextToken(const state::State& state) {
  int64_t largest = 0;
  for (const auto& [id, lease] : state.leases) largest = std::max(largest, lease.fencing_token);
  return largest + 1;
}

// Rows of one kind: their numbers there and here.
struct Rows {
  const char* kind;
  int64_t next;
  std::map<int64_t, int64_t> known = {};
};

class Mapper {
 public:
  Mapper(const state::State& state, const ImportContext& context)
      : state_(state),
        context_(context),
        runs_{"run", NextId(state.runs)},
        experiments_{"experiment", NextId(state.experiments)},
        workloads_{"workload", NextId(state.workloads)},
        candidates_{"candidate", NextId(state.candidates)},
        variants_{"variant", NextId(state.variants)},
        jobs_{"job", NextId(state.jobs)},
        leases_{"lease", NextId(state.leases)},
        tokens_{"fencing token", NextToken(state)},
        evaluations_{"evaluation", state.last_evaluation + 1},
        workers_{"worker", NextId(state.workers)},
        devices_{"device", NextId(state.devices)},
        findings_{"finding", NextId(state.findings)} {}

  absl::StatusOr<MappedLog> Run(std::vector<LoggedEvent> log) {
    MappedLog out;
    for (LoggedEvent& event : log) {
      error_.clear();
      const bool keep = std::visit([&](auto& body) { return Map(body); }, event.body);
      if (!error_.empty()) {
        return state::BadField(absl::StrCat("events.jsonl: event ", event.seq),
                               absl::StrCat(std::string(store::KindOf(event.body)), ": ", error_));
      }
      if (!keep) {
        ++out.left_out;
        continue;
      }
      seqs_[event.seq] = context_.first_seq + static_cast<int64_t>(out.events.size());
      out.events.push_back(replacement_ ? *std::exchange(replacement_, {}) : std::move(event.body));
      out.at_us.push_back(event.at_us);
    }
    if (saw_device_ && context_.simulated == saw_real_device_) {
      return state::BadField("manifest.simulated", "does not say what the log's devices are");
    }
    out.runs = runs_.known;
    return out;
  }

 private:
  void Refuse(std::string why) {
    if (error_.empty()) error_ = std::move(why);
  }

  void Make(Rows& rows, int64_t& id) {
    if (id <= 0) return Refuse(absl::StrCat("a ", rows.kind, " without a number"));
    const auto [entry, fresh] = rows.known.try_emplace(id, rows.next);
    if (!fresh) return Refuse(absl::StrCat(rows.kind, " ", id, " is made twice"));
    ++rows.next;
    id = entry->second;
  }

  // 0 stays 0: it names nothing.
  void Ref(const Rows& rows, int64_t& id) {
    if (id == 0) return;
    const auto found = rows.known.find(id);
    if (found == rows.known.end()) {
      return Refuse(absl::StrCat("no event before it made ", rows.kind, " ", id));
    }
    id = found->second;
  }

  void Must(const Rows& rows, int64_t& id) {
    if (id == 0) Refuse(absl::StrCat("names no ", rows.kind));
    Ref(rows, id);
  }

  void Session(std::string& session) const {
    if (!session.empty()) session += context_.suffix;
  }

  void Diagnostics(std::vector<store::DiagnosticRef>& diagnostics) {
    for (auto& diagnostic : diagnostics) Ref(variants_, diagnostic.variant);
  }
  // What that machine's learnt rules said is about its proposals, which stay there.
  void Gates(std::vector<store::GateOutcome>& gates) {
    std::erase_if(gates, [](const store::GateOutcome& gate) {
      return gate.gate.starts_with(state::kRuleGate);
    });
    for (auto& gate : gates) Ref(variants_, gate.variant);
  }

  // What is only about that machine: its people, its decisions about itself, its other evidence.
  bool Map(store::PrincipalChanged&) { return false; }
  bool Map(store::ProposalState&) { return false; }
  bool Map(store::Decided&) { return false; }
  bool Map(store::CalibrationActivated&) { return false; }
  bool Map(store::AdminAction&) { return false; }
  bool Map(store::EvidenceImported&) { return false; }

  bool Map(store::WorkloadRegistered& e) {
    for (const auto& [id, row] : state_.workloads) {
      if (row.hash != e.hash) continue;
      if (!workloads_.known.try_emplace(e.workload, id).second) Refuse("a contract made twice");
      hashes_[id] = e.hash;
      return false;
    }
    Make(workloads_, e.workload);
    hashes_[e.workload] = e.hash;
    e.imported = true;
    return true;
  }

  bool Map(store::ExperimentCreated& e) {
    Make(experiments_, e.experiment);
    e.name += context_.suffix;
    e.visibility = "CLEAN";  // its programs are no duplicates of programs here
    return true;
  }
  bool Map(store::ExperimentSealed& e) {
    Must(experiments_, e.experiment);
    return true;
  }

  bool Map(store::RunStateChanged& e) {
    if (e.state != store::RunState::kCreated) {
      Must(runs_, e.run);
      return true;
    }
    e.source_run = e.run;
    e.import = context_.import;
    Make(runs_, e.run);
    Must(experiments_, e.experiment);
    Must(workloads_, e.workload);
    if (error_.empty() && hashes_[e.workload] != e.contract_hash) {
      Refuse("the run's contract is not its workload's");
    }
    if (e.objective == store::ScoreSource::kMeasured && !saw_real_device_) {
      Refuse("objective MEASURED without a real device");
    }
    return true;
  }

  bool Map(store::Decision& e) {
    Must(runs_, e.run);
    state::Choice choice = state::ChoiceFromJson(e.kind, e.chosen_json);
    Ref(candidates_, choice.candidate);
    Ref(variants_, choice.variant);
    Ref(variants_, choice.other);
    if (choice.kind == state::kExpand && choice.candidate == 0) Refuse("expands no candidate");
    if (choice.kind == state::kEvaluate && choice.variant == 0) Refuse("evaluates no variant");
    e.chosen_json = state::ToJson(choice);
    const auto after = seqs_.upper_bound(e.inputs_through_seq);
    e.inputs_through_seq =
        after == seqs_.begin() ? context_.first_seq - 1 : std::prev(after)->second;
    return true;
  }

  bool Map(store::CandidateSubmitted& e) {
    Make(candidates_, e.candidate);
    Must(runs_, e.run);
    if (e.n <= 0) Refuse("a candidate without its number in the run");
    e.author = context_.principal;
    Session(e.session);
    for (auto& parent : e.parents) Must(candidates_, parent.candidate);
    return true;
  }

  bool Map(store::Checked& e) {
    if (e.run == 0) return false;
    Must(runs_, e.run);
    e.principal = context_.principal;
    Session(e.session);
    return true;
  }

  bool Map(store::GatesDone& e) {
    Must(candidates_, e.candidate);
    Ref(candidates_, e.duplicate_of);
    Diagnostics(e.diagnostics);
    Gates(e.gates);
    return true;
  }

  bool Map(store::VariantsExpanded& e) {
    Must(candidates_, e.candidate);
    for (auto& variant : e.variants) {
      Make(variants_, variant.variant);
      Ref(variants_, variant.duplicate_of);
    }
    Diagnostics(e.diagnostics);
    Gates(e.gates);
    return true;
  }

  bool Map(store::Estimated& e) {
    Must(variants_, e.variant);
    return true;
  }

  bool Map(store::Ranked& e) {
    Must(runs_, e.run);
    for (auto& variant : e.variants) Must(variants_, variant.variant);
    return true;
  }

  bool Map(store::JobQueued& e) {
    Make(jobs_, e.job);
    Must(variants_, e.variant);
    return true;
  }

  bool Map(store::LeaseGranted& e) {
    Must(jobs_, e.job);
    Must(workers_, e.worker);
    Ref(devices_, e.device);
    Make(leases_, e.lease);
    Make(tokens_, e.fencing_token);
    if (e.attempt <= 0) Refuse("a grant without its number");
    return true;
  }

  bool Map(store::LeaseLost& e) {
    Must(jobs_, e.job);
    Must(tokens_, e.fencing_token);
    return true;
  }
  bool Map(store::StageEnded& e) {
    Must(jobs_, e.job);
    Must(tokens_, e.fencing_token);
    return true;
  }

  // Late evidence may carry any token: one that was never given says nothing here.
  bool Map(store::LateEvidence& e) {
    Must(jobs_, e.job);
    if (!tokens_.known.contains(e.fencing_token)) e.fencing_token = 0;
    Ref(tokens_, e.fencing_token);
    return true;
  }

  bool Map(store::BuildDone& e) {
    e.key += context_.suffix;
    Ref(variants_, e.variant);
    return true;
  }

  bool Map(store::EvaluationDone& e) {
    Make(evaluations_, e.evaluation);
    Must(jobs_, e.job);
    Ref(tokens_, e.fencing_token);
    if (e.source == store::ScoreSource::kMeasured && !real_devices_.contains(e.device)) {
      Refuse("a measurement without a real device");
    }
    Ref(devices_, e.device);
    Diagnostics(e.diagnostics);
    return true;
  }

  bool Map(store::VerdictRevised& e) {
    Must(variants_, e.variant);
    Ref(evaluations_, e.evaluation);
    return true;
  }

  bool Map(store::EliteChanged& e) {
    Must(runs_, e.run);
    Must(variants_, e.variant);
    return true;
  }

  bool Map(store::PlateauDetected& e) {
    Must(runs_, e.run);
    return true;
  }

  template <typename Budget>
  bool MapBudget(Budget& e) {
    Must(runs_, e.run);
    Ref(jobs_, e.job);
    return true;
  }
  bool Map(store::BudgetReserved& e) { return MapBudget(e); }
  bool Map(store::BudgetSettled& e) { return MapBudget(e); }
  bool Map(store::BudgetRefunded& e) { return MapBudget(e); }

  bool Map(store::UsageReported& e) {
    Must(runs_, e.run);
    e.session += context_.suffix;
    return true;
  }

  bool Map(store::FindingOpened& e) {
    for (int64_t& candidate : e.candidates) Must(candidates_, candidate);
    for (const auto& [id, row] : state_.findings) {
      if (row.fingerprint != e.fingerprint) continue;
      if (!findings_.known.try_emplace(e.finding, id).second) Refuse("a finding made twice");
      replacement_ = store::FindingUpdated{.finding = id, .candidates = e.candidates};
      return true;
    }
    Make(findings_, e.finding);
    return true;
  }

  bool Map(store::FindingUpdated& e) {
    Must(findings_, e.finding);
    for (int64_t& candidate : e.candidates) Must(candidates_, candidate);
    if (state_.findings.contains(e.finding)) e.state.clear();  // what it is here, people said here
    return true;
  }

  // A device that is known here keeps the state that it has here; another one is not here.
  bool Map(store::DeviceState& e) {
    saw_device_ = true;
    saw_real_device_ = saw_real_device_ || !e.simulated;
    if (!e.simulated) real_devices_.insert(e.device);
    e.state = "GONE";
    if (const auto mine = devices_.known.find(e.device); mine != devices_.known.end()) {
      e.device = mine->second;
      return !state_.devices.contains(e.device);
    }
    for (const auto& [id, row] : state_.devices) {
      if (row.uuid != e.uuid) continue;
      devices_.known.emplace(e.device, id);
      return false;
    }
    Make(devices_, e.device);
    return true;
  }

  bool Map(store::WorkerState& e) {
    if (workers_.known.contains(e.worker))
      Ref(workers_, e.worker);
    else
      Make(workers_, e.worker);
    Ref(devices_, e.device);
    e.name += context_.suffix;
    e.state = "GONE";
    return true;
  }

  const state::State& state_;
  const ImportContext& context_;
  Rows runs_, experiments_, workloads_, candidates_, variants_, jobs_, leases_, tokens_,
      evaluations_, workers_, devices_, findings_;
  std::map<int64_t, std::string> hashes_;  // of contracts, by our numbers
  std::map<int64_t, int64_t> seqs_;        // theirs -> ours
  std::set<int64_t> real_devices_;         // by their numbers
  bool saw_device_ = false, saw_real_device_ = false;
  std::optional<EventBody> replacement_;  // instead of the event just mapped
  std::string error_;                     // of the event at hand
};

constexpr std::string_view kEvaluations = "evaluations";

void CancelJob(const state::Job& job, const state::Run& run, std::vector<EventBody>& out) {
  if (job.state == store::JobState::kLeased) {
    out.push_back(store::LeaseLost{.job = job.id,
                                   .fencing_token = job.fencing_token,
                                   .reason = "CANCELLED",
                                   .infra = false,
                                   .then = store::JobState::kCancelled});
    if (job.charged_reservation) {
      out.push_back(store::BudgetRefunded{
          .run = run.id, .kind = std::string(kEvaluations), .amount = 1, .job = job.id});
    }
  } else if (job.state != store::JobState::kQueued) {
    return;
  }
  out.push_back(store::EvaluationDone{.job = job.id,
                                      .verdict = store::Verdict::kCancelled,
                                      .blame = store::Blame::kNone,
                                      .contract_hash = run.contract_hash});
}

void CloseCandidate(const state::Candidate& c, std::vector<EventBody>& out) {
  if (!c.gates_done) {
    out.push_back(store::GatesDone{
        .candidate = c.id, .verdict = store::Verdict::kCancelled, .blame = store::Blame::kNone});
  } else if (!c.closed()) {
    store::VariantsExpanded last{.candidate = c.id,
                                 .members_total = c.members_total,
                                 .members_seen = c.members_seen,
                                 .last = true};
    if (c.variants.empty()) {
      last.verdict = store::Verdict::kCancelled;
      last.blame = store::Blame::kNone;
    }
    out.push_back(last);
  }
}

void CloseRun(const state::State& state, const state::Run& run, std::vector<EventBody>& out) {
  store::Ranked left_out{.run = run.id};
  int64_t rank = run.last_rank;
  for (const int64_t id : run.candidates) {
    const state::Candidate& candidate = state.candidates.at(id);
    for (const int64_t variant_id : candidate.variants) {
      const state::Variant& variant = state.variants.at(variant_id);
      const size_t before = out.size();
      for (const int64_t job : variant.jobs) CancelJob(state.jobs.at(job), run, out);
      if (out.size() != before || variant.verdict != store::Verdict::kPending) continue;
      left_out.variants.push_back(
          {variant_id, variant.rank != 0 ? variant.rank : ++rank, false, "OUT"});
    }
    CloseCandidate(candidate, out);
  }
  if (!left_out.variants.empty()) out.push_back(std::move(left_out));
  if (run.state == store::RunState::kStopped) return;
  out.push_back(store::RunStateChanged{
      .run = run.id, .state = store::RunState::kStopped, .reason = "IMPORTED"});
}

// A finding may be of the store that the log comes into; the fold of the log alone lacks it.
bool IsOfFindings(const EventBody& body) {
  return std::holds_alternative<store::FindingOpened>(body) ||
         std::holds_alternative<store::FindingUpdated>(body);
}

}  // namespace

absl::StatusOr<MappedLog> MapLog(const state::State& state, const ImportContext& context,
                                 std::vector<LoggedEvent> log) {
  return Mapper(state, context).Run(std::move(log));
}

absl::Status CloseOpenWork(int64_t first_seq, MappedLog& log) {
  state::State alone;
  alone.last_seq = first_seq - 1;
  // The fold takes for granted what the store checks before an event is in the log; here it is the
  // other way round, so what it throws is a fault of the evidence.
  try {
    for (size_t i = 0; i < log.events.size(); ++i) {
      store::Event event{.seq = alone.last_seq + 1, .at_us = log.at_us[i]};
      if (IsOfFindings(log.events[i])) continue;
      event.body = log.events[i];
      alone.Apply(event);
    }
  } catch (const std::exception&) {
    return state::BadField("events.jsonl", absl::StrCat("event ", alone.last_seq - first_seq + 2,
                                                        " does not follow from those before it"));
  }
  const int64_t at_us = log.at_us.empty() ? 0 : log.at_us.back();
  for (const auto& [id, run] : alone.runs) CloseRun(alone, run, log.events);
  log.at_us.resize(log.events.size(), at_us);
  return absl::OkStatus();
}

}  // namespace server::core
