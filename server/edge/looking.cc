#include "server/edge/looking.h"

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "server/edge/translate_words.h"
#include "server/state/error.h"

namespace server::edge {
namespace {

constexpr int kNamedMax = 100;

uint64_t Count(int64_t value) { return static_cast<uint64_t>(value); }

template <typename In>
core::PageRequest PageOf(const In& in) {
  return {in.page_size(), in.page_token()};
}

// What every reply of a page ends with.
template <typename Page, typename Out>
void EndOf(const Page& page, Out* out) {
  out->set_next_page_token(page.next_token);
  out->set_as_of_seq(Count(page.as_of_seq));
}

void CountsOf(const std::vector<store::CountRow>& rows,
              google::protobuf::RepeatedPtrField<wire::Count>* out) {
  for (const store::CountRow& row : rows) {
    wire::Count* one = out->Add();
    one->set_word(row.word);
    one->set_count(Count(row.count));
  }
}

void FindingOf(const store::FindingRow& in, wire::Finding* out) {
  out->set_id(store::RowName('f', in.id));
  out->set_fingerprint(in.fingerprint);
  out->set_route(in.route);
  out->set_state(in.state);
  out->set_title(in.title);
  out->set_count(Count(in.count));
  out->set_first_unix_us(in.first_us);
  out->set_last_unix_us(in.last_us);
}

void PointOf(int64_t run, const core::CurvePoint& in, wire::CurvePoint* out) {
  out->set_evaluations(Count(in.row.number));
  out->set_candidate(store::CandidateName(run, in.row.n));
  out->set_binding(in.row.params_json);
  out->set_verdict(ToWire(in.row.verdict));
  out->set_active_ns(Count(in.row.active_ns));
  out->set_gpu_ns(Count(in.row.gpu_ns));
  out->set_tokens(Count(in.row.tokens));
  out->set_value(in.value);
  out->set_best(in.best);
  out->set_low(in.row.ratio_low);
  out->set_high(in.row.ratio_high);
}

void JobOf(const core::QueuedJob& in, wire::QueuedJob* out) {
  out->set_job(store::RowName('j', in.job.id));
  out->set_candidate(in.candidate);
  out->set_binding(in.binding);
  out->set_run(core::RunName(in.job.run));
  out->set_purpose(
      ParseWire<wire::Purpose>("PURPOSE_", store::ToString(in.job.purpose), wire::Purpose_Parse));
  out->set_state(std::string(store::ToString(in.job.state)));
  out->set_priority(in.job.priority);
  out->set_attempt(static_cast<uint32_t>(in.job.attempts));
  out->set_infra_losses(static_cast<uint32_t>(in.job.infra_losses));
  out->set_worker(in.worker);
  for (const std::string& need : in.job.needs) out->add_needs(need);
  out->set_waits_because(in.waits_because);
}

void DeviceOf(const core::DeviceView& in, wire::Device* out) {
  out->set_name(in.row.name);
  out->set_uuid(in.row.uuid);
  out->set_arch(in.row.arch);
  out->set_driver(in.row.driver);
  out->set_state(in.row.state);
  out->set_reason(in.row.reason);
  out->set_simulated(in.row.simulated);
  out->set_faults(Count(in.row.faults));
  for (const auto& [kernel_class, floor] : in.row.noise) {
    wire::NoiseFloor* one = out->add_noise();
    one->set_kernel_class(kernel_class);
    one->set_floor(floor);
  }
  for (const core::WorkerView& worker : in.workers) {
    wire::DeviceWorker* one = out->add_workers();
    one->set_name(worker.row.name);
    one->set_state(worker.row.state);
    one->set_candidate(worker.candidate);
    for (const std::string& word : worker.row.capabilities) one->add_capabilities(word);
  }
}

void ComparedOf(const core::Compared& in, int64_t lines, wire::ComparedCandidate* out) {
  out->set_candidate(in.candidate);
  out->set_binding(in.binding);
  out->set_workload(in.workload);
  out->set_verdict(ToWire(in.judged.verdict));
  out->set_blame(ToWire(in.judged.blame));
  out->set_objective_source(ToWire(in.objective));
  out->set_lines(Count(lines));
  for (const std::string& code : in.codes) out->add_codes(code);
}

wire::DiffKind KindOf(core::DiffKind kind) {
  switch (kind) {
    case core::DiffKind::kSame: return wire::DIFF_KIND_SAME;
    case core::DiffKind::kRemoved: return wire::DIFF_KIND_REMOVED;
    case core::DiffKind::kAdded: return wire::DIFF_KIND_ADDED;
  }
  return wire::DIFF_KIND_UNSPECIFIED;
}

void HunksOf(const std::vector<core::DiffHunk>& hunks, wire::CompareReply* out) {
  for (const core::DiffHunk& hunk : hunks) {
    wire::DiffHunk* one = out->add_hunks();
    for (const core::DiffLine& line : hunk) {
      wire::DiffLine* row = one->add_lines();
      row->set_kind(KindOf(line.kind));
      row->set_from_line(static_cast<uint32_t>(line.from_line));
      row->set_to_line(static_cast<uint32_t>(line.to_line));
      row->set_text(line.text);
    }
  }
}

}  // namespace

absl::Status Look(store::Reads& reads, const wire::ListFindingsRequest& in,
                  wire::ListFindingsReply* out) {
  auto page = core::FindingsPage(reads, {{in.state(), in.route()}, PageOf(in)});
  if (!page.ok()) return page.status();
  for (const store::FindingRow& row : page->rows) FindingOf(row, out->add_findings());
  EndOf(*page, out);
  return absl::OkStatus();
}

absl::Status Look(store::Reads& reads, const wire::GetFindingRequest& in, wire::Finding* out) {
  auto view = core::GetFinding(reads, in.finding());
  if (!view.ok()) return view.status();
  FindingOf(view->row, out);
  out->set_minimised(view->minimised);
  for (const store::FindingCaseRow& row : view->cases) {
    wire::FindingCase* one = out->add_cases();
    one->set_candidate(store::CandidateName(row.run, row.n));
    one->set_verdict(ToWire(row.verdict));
    one->set_workload(row.workload);
  }
  return absl::OkStatus();
}

absl::Status Look(store::Reads& reads, const wire::ListEventsRequest& in,
                  wire::ListEventsReply* out) {
  auto page = core::EventsPage(reads, {in.run(), in.subject(), in.kind(), PageOf(in)});
  if (!page.ok()) return page.status();
  for (const store::Event& event : page->rows) ToWire(event, out->add_events());
  EndOf(*page, out);
  return absl::OkStatus();
}

absl::Status Look(store::Reads& reads, const wire::GetLineageRequest& in, wire::Lineage* out) {
  auto view = core::GetLineage(reads, in.candidate(), in.max_depth());
  if (!view.ok()) return view.status();
  out->set_candidate(view->candidate);
  out->set_truncated(view->truncated);
  for (const store::LineageEdgeRow& row : view->links) {
    wire::LineageLink* one = out->add_links();
    one->set_child(store::CandidateName(row.child_run, row.child_n));
    one->set_parent(store::CandidateName(row.parent_run, row.parent_n));
    one->set_role(row.role);
    one->set_child_tactic(row.child_tactic);
    one->set_child_verdict(ToWire(row.child_verdict));
    one->set_parent_verdict(ToWire(row.parent_verdict));
  }
  return absl::OkStatus();
}

absl::Status Look(store::Reads& reads, const wire::GetCurveRequest& in, wire::Curve* out) {
  auto curve = core::GetCurve(reads, in.run(), in.max_points());
  if (!curve.ok()) return curve.status();
  out->set_run(core::RunName(curve->run));
  out->set_objective_source(ToWire(curve->objective));
  out->set_unit(curve->objective == store::ScoreSource::kEstimated ? "ns" : "ratio");
  out->set_evaluations(Count(curve->evaluations));
  out->set_simulated(curve->simulated);
  for (const core::CurvePoint& point : curve->points) {
    PointOf(curve->run, point, out->add_points());
  }
  return absl::OkStatus();
}

absl::Status Look(core::Core& core, const wire::GetOverviewRequest&, wire::Overview* out) {
  auto view = core.pages().GetOverview();
  if (!view.ok()) return view.status();
  out->set_as_of_seq(Count(view->as_of_seq));
  CountsOf(view->runs, out->mutable_runs());
  CountsOf(view->candidates, out->mutable_candidates());
  CountsOf(view->jobs, out->mutable_jobs());
  CountsOf(view->findings, out->mutable_findings());
  CountsOf(view->devices, out->mutable_devices());
  CountsOf(view->workers, out->mutable_workers());
  out->set_demo(view->demo);
  return absl::OkStatus();
}

absl::Status Look(core::Core& core, const wire::ListRunsRequest& in, wire::ListRunsReply* out) {
  const bool all = in.page_size() == 0 && in.page_token().empty() && in.run().empty();
  if (all) {
    auto reply = core.ListRuns(in.experiment());
    if (!reply.ok()) return reply.status();
    for (const core::RunView& run : reply->runs) ToWire(run, out->add_runs());
    out->set_as_of_seq(Count(reply->event_seq));
    return absl::OkStatus();
  }
  core::RunsRequest request{in.experiment(), in.workload(), in.run(), {}, PageOf(in)};
  if (in.state() != wire::RUN_STATE_UNSPECIFIED) {
    request.state =
        store::ParseEnum<store::RunState>(BareWord("RUN_STATE_", wire::RunState_Name(in.state())));
  }
  auto page = core.pages().Runs(request);
  if (!page.ok()) return page.status();
  for (const core::RunView& run : page->rows) ToWire(run, out->add_runs());
  EndOf(*page, out);
  return absl::OkStatus();
}

absl::Status Look(core::Core& core, const wire::ListExperimentsRequest& in,
                  wire::ListExperimentsReply* out) {
  auto page = core.pages().ExperimentsPage(PageOf(in));
  if (!page.ok()) return page.status();
  for (const core::ExperimentView& row : page->rows) {
    wire::Experiment* one = out->add_experiments();
    one->set_name(row.name);
    one->set_visibility(row.visibility);
    one->set_runs(Count(row.runs));
    one->set_running(Count(row.running));
    for (const std::string& arm : row.arms) one->add_arms(arm);
    for (const std::string& workload : row.workloads) one->add_workloads(workload);
    one->set_candidates(Count(row.candidates));
    one->set_evaluations(Count(row.evaluations));
    one->set_imported(row.imported);
  }
  EndOf(*page, out);
  return absl::OkStatus();
}

absl::Status Look(core::Core& core, const wire::ListProposalsRequest& in,
                  wire::ListProposalsReply* out) {
  if (!in.proposal().empty()) {
    auto one = core.rules().Show(in.proposal());
    if (!one.ok()) return one.status();
    ToWire(*one, out->add_proposals());
    return absl::OkStatus();
  }
  auto page = core.rules().List(PageOf(in));
  if (!page.ok()) return page.status();
  for (const core::ProposalView& view : page->rows) ToWire(view, out->add_proposals());
  EndOf(*page, out);
  return absl::OkStatus();
}

absl::Status Look(core::Core& core, const wire::ListQueueRequest& in, wire::ListQueueReply* out) {
  auto page = core.pages().Queue({in.run(), PageOf(in)});
  if (!page.ok()) return page.status();
  for (const core::QueuedJob& row : page->rows) JobOf(row, out->add_jobs());
  out->set_queued(Count(page->queued));
  out->set_leased(Count(page->leased));
  EndOf(*page, out);
  return absl::OkStatus();
}

absl::Status Look(core::Core& core, const wire::ListDevicesRequest& in,
                  wire::ListDevicesReply* out) {
  auto page = core.pages().Devices(PageOf(in));
  if (!page.ok()) return page.status();
  for (const core::DeviceView& row : page->rows) DeviceOf(row, out->add_devices());
  EndOf(*page, out);
  return absl::OkStatus();
}

absl::Status Look(core::Core& core, const wire::ListCandidatesRequest& in,
                  wire::ListCandidatesReply* out) {
  if (in.candidates_size() > kNamedMax) {
    return state::BadField("candidates", "must be at most 100");
  }
  if (in.candidates_size() > 0) {
    for (const std::string& name : in.candidates()) {
      auto view = core.GetCandidate(name, false, 1);
      if (view.ok()) ToWire(*view, out->add_candidates());
    }
    out->set_as_of_seq(Count(core.state().last_seq));
    return absl::OkStatus();
  }
  auto request = FromWire(in);
  if (!request.ok()) return request.status();
  auto page = core.ListCandidates(*request);
  if (!page.ok()) return page.status();
  ToWire(*page, out);
  return absl::OkStatus();
}

absl::Status Look(core::Core& core, const wire::GetCandidateRequest& in, wire::Candidate* out) {
  auto view = core.GetCandidate(in.candidate(), in.with_source(), in.max_variants());
  if (!view.ok()) return view.status();
  ToWire(*view, out);
  return absl::OkStatus();
}

absl::Status Look(core::Core& core, const wire::DiagnoseRequest& in, wire::DiagnoseReply* out) {
  auto reply = core.Diagnose(in.candidate());
  if (!reply.ok()) return reply.status();
  ToWire(*reply, out);
  return absl::OkStatus();
}

absl::Status Look(core::Core& core, const wire::CompareRequest& in, wire::CompareReply* out) {
  auto reply = core.Compare({in.from(), in.to(), in.context()});
  if (!reply.ok()) return reply.status();
  ComparedOf(reply->from, reply->diff.from_lines, out->mutable_from());
  ComparedOf(reply->to, reply->diff.to_lines, out->mutable_to());
  HunksOf(reply->diff.hunks, out);
  out->set_too_different(reply->diff.too_different);
  out->set_related(reply->related);
  for (const core::ComparedMetric& metric : reply->metrics) {
    wire::ComparedMetric* one = out->add_metrics();
    one->set_name(metric.metric.name);
    one->set_unit(metric.metric.unit);
    one->set_source(ToWire(metric.metric.source));
    one->set_from(metric.from);
    one->set_to(metric.metric.value);
    one->set_has_from(metric.has_from);
    one->set_has_to(metric.has_to);
  }
  return absl::OkStatus();
}

core::ExplainRequest FromWire(const wire::ExplainRequest& in) {
  return {in.candidate(), in.binding()};
}

void ToWire(const core::ExplainReply& in, wire::ExplainReply* out) {
  out->set_candidate(in.candidate);
  out->set_binding(in.binding);
  out->set_arch(in.arch);
  out->set_hardware(in.hardware);
  out->set_map_json(in.map_json);
}

}  // namespace server::edge
