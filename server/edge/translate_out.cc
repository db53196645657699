#include <google/protobuf/util/json_util.h>

#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"
#include "server/core/context.h"
#include "server/edge/translate.h"
#include "server/edge/translate_words.h"

namespace server::edge {
void BudgetOf(const std::map<std::string, state::Budget>& in, wire::BudgetLeft* out) {
  for (const auto& [kind, budget] : in) {
    wire::BudgetLine* line = out->add_lines();
    line->set_kind(kind);
    line->set_limit(static_cast<uint64_t>(budget.limit));
    line->set_spent(static_cast<uint64_t>(budget.spent));
    line->set_reserved(static_cast<uint64_t>(budget.reserved));
  }
}

namespace {

uint64_t Count(int64_t value) { return static_cast<uint64_t>(value); }

void FixFromJson(const std::string& fix_json, wire::Fix* out) {
  // The same shape as inside a report.
  const std::string report = absl::StrCat("{\"diagnostics\":[{\"fixes\":[", fix_json, "]}]}");
  wire::Report holder;
  DiagnosticsFromJson(report, &holder);
  if (holder.diagnostics_size() == 1 && holder.diagnostics(0).fixes_size() == 1) {
    *out = holder.diagnostics(0).fixes(0);
  }
}

wire::Against ToWire(core::Against against) {
  switch (against) {
    case core::Against::kParent: return wire::AGAINST_PARENT;
    case core::Against::kPrevious: return wire::AGAINST_PREVIOUS;
    case core::Against::kBest: return wire::AGAINST_BEST;
    case core::Against::kBaseline: return wire::AGAINST_BASELINE;
  }
  return wire::AGAINST_UNSPECIFIED;
}

wire::WorkerDesired ToWire(core::WorkerDesired desired) {
  switch (desired) {
    case core::WorkerDesired::kServe: return wire::WORKER_DESIRED_SERVE;
    case core::WorkerDesired::kDrain: return wire::WORKER_DESIRED_DRAIN;
    case core::WorkerDesired::kQuarantine: return wire::WORKER_DESIRED_QUARANTINE;
    case core::WorkerDesired::kUpgrade: return wire::WORKER_DESIRED_UPGRADE;
  }
  return wire::WORKER_DESIRED_UNSPECIFIED;
}

wire::Desired ToWire(core::Desired desired) {
  switch (desired) {
    case core::Desired::kContinue: return wire::DESIRED_CONTINUE;
    case core::Desired::kCancel: return wire::DESIRED_CANCEL;
    case core::Desired::kLost: return wire::DESIRED_LOST;
  }
  return wire::DESIRED_UNSPECIFIED;
}

google::protobuf::util::JsonParseOptions Lenient() {
  google::protobuf::util::JsonParseOptions options;
  options.ignore_unknown_fields = true;
  return options;
}

// The field of Event's oneof whose message has the event's kind as its name.
const google::protobuf::FieldDescriptor* BodyField(std::string_view kind) {
  const auto* oneof = wire::Event::descriptor()->FindOneofByName("body");
  for (int i = 0; i < oneof->field_count(); ++i) {
    if (oneof->field(i)->message_type()->name() == kind) return oneof->field(i);
  }
  return nullptr;
}

}  // namespace

void EvidenceOf(const state::Import& in, int64_t source_run, wire::Evidence* out) {
  ToWire(in, out);
  out->set_source_run(core::RunName(source_run));
}

wire::Verdict ToWire(store::Verdict verdict) {
  return ParseWire<wire::Verdict>("VERDICT_", store::ToString(verdict), wire::Verdict_Parse);
}

wire::Blame ToWire(store::Blame blame) {
  return ParseWire<wire::Blame>("BLAME_", store::ToString(blame), wire::Blame_Parse);
}

wire::ObjectiveSource ToWire(store::ScoreSource source) {
  return ParseWire<wire::ObjectiveSource>("OBJECTIVE_SOURCE_", store::ToString(source),
                                          wire::ObjectiveSource_Parse);
}

void ToWire(const state::Progress& in, wire::Progress* out) {
  out->set_members(Count(in.members));
  out->set_expanded(Count(in.expanded));
  out->set_rejected(Count(in.rejected));
  out->set_duplicates(Count(in.duplicates));
  out->set_ranked_out(Count(in.ranked_out));
  out->set_evaluated(Count(in.evaluated));
  out->set_cancelled(Count(in.cancelled));
  out->set_queued(Count(in.queued));
  out->set_terminal(in.terminal);
  out->set_lost(Count(in.lost));
}

void ToWire(const core::Report& in, wire::Report* out) {
  out->set_verdict(ToWire(in.verdict));
  out->set_blame(ToWire(in.blame));
  ReportFromJson(in.member_json, out);
}

void ToWire(const core::SubmitReply& in, wire::SubmitReply* out) {
  out->set_candidate(in.candidate);
  out->set_content_hash(in.content_hash);
  out->set_duplicate_of_existing(!in.duplicate_of.empty());
  out->set_duplicate_of(in.duplicate_of);
  ToWire(in.report, out->mutable_report());
  ToWire(in.progress, out->mutable_progress());
  BudgetOf(in.budget, out->mutable_budget());
  out->set_event_seq(Count(in.event_seq));
}

void ToWire(const core::CheckReply& in, wire::CheckReply* out) {
  ToWire(in.report, out->mutable_report());
  out->set_content_hash(in.content_hash);
  out->set_canon_hash(in.canon_hash);
  out->set_members(Count(in.members));
  out->set_event_seq(Count(in.event_seq));
}

void ToWire(const core::BriefReply& in, wire::BriefReply* out) {
  for (const core::BriefSection& section : in.sections) {
    wire::BriefSection* one = out->add_sections();
    one->set_name(section.name);
    one->set_text(section.text);
    one->set_tokens(static_cast<uint32_t>(section.tokens));
  }
  for (const std::string& name : in.dropped) out->add_dropped(name);
  out->set_run(in.run);
  out->set_objective_source(ToWire(in.objective));
  BudgetOf(in.budget, out->mutable_budget());
  out->set_event_seq(Count(in.event_seq));
}

void ToWire(const core::DiagnoseReply& in, wire::DiagnoseReply* out) {
  out->set_candidate(in.candidate);
  out->set_binding(in.binding);
  ToWire(in.report, out->mutable_report());
  DiagnosticsFromJson(in.run_report_json, out->mutable_report());
  for (const core::Metric& metric : in.now) {
    wire::Metric* one = out->add_now();
    one->set_name(metric.name);
    one->set_unit(metric.unit);
    one->set_value(metric.value);
    one->set_source(ToWire(metric.source));
  }
  for (const core::Comparison& comparison : in.comparisons) {
    wire::Comparison* one = out->add_comparisons();
    one->set_against(ToWire(comparison.against));
    one->set_candidate(comparison.candidate);
    one->set_binding(comparison.binding);
    one->set_none_because(comparison.none_because);
    for (const core::MetricChange& change : comparison.changes) {
      wire::MetricChange* row = one->add_changes();
      row->set_name(change.name);
      row->set_unit(change.unit);
      row->set_now(change.now);
      row->set_then(change.then);
    }
  }
  out->set_bottleneck(in.bottleneck);
  out->set_bottleneck_why(in.bottleneck_why);
  for (const core::Advice& advice : in.advice) {
    wire::Advice* one = out->add_advice();
    one->set_what(advice.what);
    one->set_why(advice.why);
    one->set_evidence(advice.evidence);
    if (!advice.fix_json.empty()) FixFromJson(advice.fix_json, one->mutable_fix());
  }
  for (const store::CheckOutcome& check : in.checks) {
    wire::CheckOutcome* one = out->add_checks();
    one->set_name(check.name);
    one->set_outcome(check.outcome);
    one->set_evidence(check.detail);
  }
  for (const std::string& finding : in.findings) out->add_findings(finding);
  out->set_objective_source(ToWire(in.objective));
  ToWire(in.progress, out->mutable_progress());
  out->set_next_command(in.next_command);
  if (in.imported) EvidenceOf(*in.imported, in.source_run, out->mutable_imported());
}

void ToWire(const core::ListReply& in, wire::ListCandidatesReply* out) {
  for (const core::CandidateView& view : in.candidates) ToWire(view, out->add_candidates());
  out->set_next_page_token(in.next_page_token);
  out->set_total(Count(in.total));
  out->set_as_of_seq(Count(in.as_of_seq));
}

// How the search went: what an experiment's report is made of.
static void SearchOf(const state::Run& run, wire::RunSummary* out) {
  out->set_arm(run.arm);
  out->set_repeat_no(static_cast<uint32_t>(run.repeat_no));
  out->mutable_score_curve()->Add(run.score_curve.begin(), run.score_curve.end());
  out->mutable_confirmed_curve()->Add(run.confirmed_curve.begin(), run.confirmed_curve.end());
  out->set_plateau_at(Count(run.plateau_at));
  out->set_plateau_point(Count(run.plateau_point));
  out->set_active_ns(Count(run.active_ns));
  out->set_replay_misses(Count(run.replay_misses));
  uint64_t cells = 0;
  for (const auto& [island, elites] : run.archive) cells += elites.size();
  out->set_cells(cells);
  for (const auto& [name, row] : run.tactics) {
    wire::TacticReturn* tactic = out->add_tactics();
    tactic->set_tactic(name);
    tactic->set_tries(Count(row.tries));
    tactic->set_barren(Count(row.barren));
    tactic->set_passed(Count(row.passed));
    tactic->set_evaluated(Count(row.evaluated));
    tactic->set_improved(Count(row.improved));
  }
}

void ToWire(const core::RunView& in, wire::RunSummary* out) {
  out->set_run(core::RunName(in.row.id));
  out->set_experiment(in.experiment);
  out->set_workload(in.workload);
  out->set_contract_hash(in.row.contract_hash);
  out->set_state(
      ParseWire<wire::RunState>("RUN_STATE_", store::ToString(in.row.state), wire::RunState_Parse));
  out->set_reason(in.row.reason);
  out->set_objective_source(ToWire(in.row.objective));
  out->set_seed(in.row.seed);
  ToWire(in.progress, out->mutable_progress());
  BudgetOf(in.row.budgets, out->mutable_budget());
  if (!in.best_candidate.empty()) {
    wire::BestSoFar* best = out->mutable_best();
    best->set_candidate(in.best_candidate);
    best->set_binding(in.best_binding);
    best->set_verdict(ToWire(in.best_verdict));
    best->set_objective_ns(in.best_ns);
    // The baseline's nanoseconds are an estimate: beside a measurement they would be compared.
    if (in.row.objective == store::ScoreSource::kEstimated) {
      best->set_baseline_ns(in.row.baseline_ns);
    }
    best->set_source(ToWire(in.row.objective));
    best->set_event_seq(Count(in.row.best->seq));
  }
  out->set_candidates(in.row.candidates.size());
  out->set_decisions(Count(in.row.decision_no));
  out->set_text(in.text);
  if (in.imported) EvidenceOf(*in.imported, in.row.source_run, out->mutable_imported());
  SearchOf(in.row, out);
}

void ToWire(const state::Import& in, wire::Evidence* out) {
  out->set_import(store::RowName('i', in.id));
  out->set_campaign(in.campaign);
  out->set_device(in.device);
  out->set_driver(in.driver);
  out->set_simulated(in.simulated);
  out->set_git(in.git);
  out->set_script(in.script);
  out->set_bundle(in.bundle);
  out->set_manifest(in.manifest_hash.hex);
}

void ToWire(const core::ImportReply& in, wire::ImportEvidenceReply* out) {
  ToWire(in.row, out->mutable_evidence());
  out->set_already(in.already);
  for (const core::RunView& run : in.runs) ToWire(run, out->add_runs());
  out->set_events(Count(in.row.events));
  out->set_left_out(Count(in.left_out));
  out->set_event_seq(Count(in.event_seq));
}

void ToWire(const core::ExperimentReply& in, wire::ExperimentReply* out) {
  out->set_experiment(in.experiment);
  for (const core::RunView& run : in.runs) ToWire(run, out->add_runs());
  out->set_event_seq(Count(in.event_seq));
}

void ToWire(const core::RegisterReply& in, wire::RegisterReply* out) {
  out->set_worker(in.worker);
  out->set_report_every_ms(static_cast<uint32_t>(in.report_every_ms));
  out->set_lease_ttl_ms(static_cast<uint32_t>(in.lease_ttl_ms));
  for (const std::string& lease : in.fenced_leases) out->add_fenced_leases(lease);
}

void ToWire(const core::AcquireReply& in, wire::AcquireReply* out) {
  out->set_desired(ToWire(in.desired));
  if (!in.grant) return;
  wire::Lease* lease = out->mutable_lease();
  lease->set_id(in.grant->lease);
  lease->set_job(in.grant->job);
  lease->set_attempt(static_cast<uint32_t>(in.grant->attempt));
  lease->set_fencing_token(Count(in.grant->fencing_token));
  lease->set_ttl_ms(static_cast<uint32_t>(in.grant->ttl_ms));
  const auto parsed = google::protobuf::util::JsonStringToMessage(in.grant->spec_json,
                                                                  lease->mutable_spec(), Lenient());
  if (parsed.ok()) {
    lease->set_purpose(lease->spec().purpose());
    *lease->mutable_child() = lease->spec().child();
  }
}

void ToWire(const core::ReportReply& in, wire::ReportReply* out) {
  for (const core::Desired desired : in.desired) out->add_desired(ToWire(desired));
  out->set_worker(ToWire(in.worker));
  out->set_next_ms(static_cast<uint32_t>(in.next_ms));
}

void ToWire(const core::CompleteReply& in, wire::CompleteReply* out) {
  out->set_verdict(ToWire(in.verdict));
  out->set_blame(ToWire(in.blame));
  out->set_final(in.final);
  out->set_event_seq(Count(in.event_seq));
}

namespace {

// What a token is known by is for the daemon alone.
std::string ShownBody(const store::EventBody& body) {
  const auto* principal = std::get_if<store::PrincipalChanged>(&body);
  if (principal == nullptr) return store::BodyToJson(body);
  store::PrincipalChanged shown = *principal;
  shown.token_hash.clear();
  return store::BodyToJson(shown);
}

}  // namespace

void ToWire(const store::Event& in, wire::Event* out) {
  out->set_seq(Count(in.seq));
  out->set_at_unix_us(in.at_us);
  if (in.run != 0) out->set_run(core::RunName(in.run));
  out->set_subject(in.subject);
  out->set_schema(static_cast<uint32_t>(store::SchemaOf(in.body)));
  out->set_kind(std::string(store::KindOf(in.body)));
  out->set_body_json(ShownBody(in.body));
  const auto* field = BodyField(out->kind());
  if (field == nullptr) return;
  google::protobuf::Message* body = out->GetReflection()->MutableMessage(out, field);
  const auto parsed =
      google::protobuf::util::JsonStringToMessage(out->body_json(), body, Lenient());
  if (!parsed.ok()) out->GetReflection()->ClearField(out, field);
}

void ToWire(const core::WatchItem& in, wire::WatchReply* out) {
  if (in.event.seq == 0)
    out->mutable_heartbeat()->set_last_seq(Count(in.last_seq));
  else
    ToWire(in.event, out->mutable_event());
  if (in.progress) ToWire(*in.progress, out->mutable_progress());
}

}  // namespace server::edge
