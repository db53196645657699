#include "server/core/history.h"

#include <algorithm>
#include <cmath>

#include "server/core/intake.h"

namespace server::core {
namespace {

constexpr int64_t kPageRowsDefault = 50;
constexpr int64_t kMembersDefault = 64;

}  // namespace

absl::StatusOr<CandidateView> History::View(const state::Candidate& candidate,
                                            const store::CandidateRow& row) const {
  const state::State& state = c_.state();
  const state::Run& run = state.runs.at(candidate.run);
  CandidateView view;
  view.row = candidate;
  view.experiment = state.experiments.at(run.experiment).name;
  view.workload = state.workloads.at(run.workload).name;
  view.author = "local";
  view.intent = row.intent;
  view.tactic = row.tactic;
  view.judged = state::JudgedOf(state, candidate);
  view.progress = state::ProgressOf(state, candidate);
  view.objective = run.objective;
  view.imported = ImportOf(state, run);
  view.source_run = run.source_run;
  for (const int64_t parent : candidate.parents) {
    view.parents.push_back(state.candidates.at(parent).Name());
  }
  if (view.judged.best != nullptr && view.judged.best->duplicate_of != 0) {
    const state::Variant& first = state.variants.at(view.judged.best->duplicate_of);
    view.duplicate_of = state.candidates.at(first.candidate).Name();
  }
  return view;
}

absl::StatusOr<CandidateView::Member> History::MemberOf(const state::Variant& variant,
                                                        store::Reads& reads) const {
  CandidateView::Member member{.row = variant};
  for (const int64_t id : variant.jobs) {
    member.jobs.push_back(c_.state().jobs.at(id));
    auto evaluation = reads.EvaluationOfJob(id);
    if (!evaluation.ok()) return state::FromStore(evaluation.status());
    if (!evaluation->has_value()) continue;
    Evaluated one{**std::move(evaluation), {}, false};
    const auto device = c_.state().devices.find(one.row.device);
    if (device != c_.state().devices.end()) {
      one.device = device->second.name;
      one.simulated = device->second.simulated;
    }
    member.evaluations.push_back(std::move(one));
  }
  auto estimates = reads.Estimates(variant.id);
  if (!estimates.ok()) return state::FromStore(estimates.status());
  double low = 0, high = 0, weight = 0;
  std::string shape;
  for (const store::EstimateRow& one : *estimates) {
    // Rows of a case stand together, the newest first.
    if (one.shape == shape || one.low_ns <= 0 || one.high_ns <= 0) continue;
    shape = one.shape;
    low += one.weight * std::log(one.low_ns);
    high += one.weight * std::log(one.high_ns);
    weight += one.weight;
    member.rank_only |= one.coverage != "CALIBRATED";
  }
  if (weight > 0) {
    member.low_ns = std::exp(low / weight);
    member.high_ns = std::exp(high / weight);
  }
  return member;
}

absl::StatusOr<CandidateView> History::GetCandidate(const std::string& name, bool with_source,
                                                    int64_t max_members) {
  const state::Candidate* candidate = c_.state().FindCandidate(name);
  if (candidate == nullptr) return state::NotFound("candidate", name);
  auto snapshot = c_.ledger.store().Snapshot();
  if (!snapshot.ok()) return state::FromStore(snapshot.status());
  auto row = (*snapshot)->reads().GetCandidate(candidate->id);
  if (!row.ok()) return row.status();
  auto view = View(*candidate, *row);
  if (!view.ok()) return view;
  auto report = ReportOf(c_.ledger, *candidate);
  if (!report.ok()) return report.status();
  view->report = *std::move(report);
  if (with_source) {
    auto source = c_.ledger.Object(candidate->source_hash);
    if (!source.ok()) return source.status();
    view->source = *std::move(source);
  }
  const auto limit = static_cast<size_t>(
      std::clamp<int64_t>(max_members == 0 ? kMembersDefault : max_members, 1, kPageRowsMax));
  std::vector<const state::Variant*> members;
  for (const int64_t id : candidate->variants) members.push_back(&c_.state().variants.at(id));
  // Best first, so that a short list says most.
  std::stable_sort(members.begin(), members.end(), [](const auto* a, const auto* b) {
    const int left = store::VerdictRank(a->verdict), right = store::VerdictRank(b->verdict);
    return left != right ? left > right : a->PredictedNs() < b->PredictedNs();
  });
  if (members.size() > limit) members.resize(limit);
  for (const state::Variant* variant : members) {
    auto member = MemberOf(*variant, (*snapshot)->reads());
    if (!member.ok()) return member.status();
    view->members.push_back(*std::move(member));
  }
  return view;
}

absl::StatusOr<ListReply> History::List(const ListRequest& request) {
  store::CandidateFilter filter;
  filter.verdict = request.verdict;
  filter.workload = request.workload;
  filter.tactic = request.tactic;
  filter.diagnostic_code = request.code;
  filter.text = request.text;
  filter.newest_first = request.newest_first;
  auto run = NamedRun(c_.state(), request.meta);
  if (!run.ok()) return run.status();
  if (*run != nullptr) filter.run = (*run)->id;
  if (request.page_size < 0 || request.page_size > kPageRowsMax) {
    return state::BadField("page_size", "must be in 0..500");
  }
  auto snapshot = c_.ledger.Snapshot();
  if (!snapshot.ok()) return snapshot.status();
  auto page = (*snapshot)->reads().ListCandidates(
      filter, request.page_size == 0 ? kPageRowsDefault : request.page_size, request.page_token);
  if (!page.ok()) return state::FromStore(page.status());
  ListReply reply;
  reply.next_page_token = page->next_token;
  reply.as_of_seq = page->as_of_seq;
  for (const store::CandidateRow& row : page->rows) {
    auto view = View(c_.state().candidates.at(row.id), row);
    if (!view.ok()) return view.status();
    reply.candidates.push_back(*std::move(view));
  }
  reply.total = filter.run != 0
                    ? static_cast<int64_t>(c_.state().runs.at(filter.run).candidates.size())
                    : static_cast<int64_t>(c_.state().candidates.size());
  return reply;
}

}  // namespace server::core
