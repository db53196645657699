// Pages over a snapshot of the store.
#include <algorithm>
#include <cmath>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "server/core/page_token.h"
#include "server/core/pages.h"

namespace server::core {
namespace {

constexpr int64_t kCurvePointsDefault = 500;
constexpr int64_t kLineageDepthDefault = 16;

bool IsCorrect(store::Verdict verdict) {
  return verdict == store::Verdict::kCorrect || verdict == store::Verdict::kImproved ||
         verdict == store::Verdict::kConfirmed;
}

// What this evaluation was, by the run's objective, and whether it may be the best.
CurvePoint PointOf(const store::ScoreRow& row, store::ScoreSource objective, double best) {
  CurvePoint point{row, 0, best};
  if (objective == store::ScoreSource::kEstimated) {
    if (IsCorrect(row.verdict)) point.value = row.predicted_ns;
    if (point.value > 0 && (best <= 0 || point.value < best)) point.best = point.value;
    return point;
  }
  if (row.source == objective) point.value = row.ratio_med;
  if (row.verdict == store::Verdict::kConfirmed) point.best = std::max(best, point.value);
  return point;
}

}  // namespace

absl::StatusOr<PageOf<store::FindingRow>> FindingsPage(store::Reads& reads,
                                                       const FindingsRequest& request) {
  auto cursor = ReadCursor('f', request.page);
  if (!cursor.ok()) return cursor.status();
  auto rows = reads.FindingsBefore(request.filter, cursor->before, cursor->limit);
  if (!rows.ok()) return state::FromStore(rows.status());
  return CutPage(reads, *cursor, *std::move(rows),
                 [](const store::FindingRow& row) { return row.id; });
}

absl::StatusOr<FindingView> GetFinding(store::Reads& reads, const std::string& name) {
  const auto id = store::ParseRowName('f', name);
  if (!id) return state::NotFound("finding", name);
  auto row = reads.GetFinding(*id);
  if (!row.ok()) return state::NotFound("finding", name);
  FindingView view{*std::move(row), {}, {}};
  if (!view.row.minimised_hash.hex.empty()) {
    auto text = reads.GetObject(view.row.minimised_hash);
    if (!text.ok()) return state::FromStore(text.status());
    view.minimised = *std::move(text);
  }
  auto cases = reads.FindingCasesOf(*id, {0, kFindingCasesMax});
  if (!cases.ok()) return state::FromStore(cases.status());
  view.cases = *std::move(cases);
  return view;
}

absl::StatusOr<PageOf<store::Event>> EventsPage(store::Reads& reads, const EventsRequest& request) {
  auto cursor = ReadCursor('e', request.page);
  if (!cursor.ok()) return cursor.status();
  store::EventFilter filter{.subject = request.subject, .kind = request.kind};
  if (!request.run.empty()) {
    const auto run = store::ParseRowName('r', request.run);
    if (!run) return state::NotFound("run", request.run);
    filter.run = *run;
  }
  auto rows = reads.EventsBefore(filter, cursor->before, cursor->limit);
  if (!rows.ok()) return state::FromStore(rows.status());
  return CutPage(reads, *cursor, *std::move(rows), [](const store::Event& row) { return row.seq; });
}

namespace {

// What stands in a page's token of the filter that the page was read with.
std::string FilterMark(const EvaluationsRequest& request) {
  constexpr size_t kMark = 16;
  const store::ListedFilter& f = request.filter;
  std::string all;
  for (const std::string& word :
       {request.run, request.candidate, f.workload, f.device, f.purpose, f.protocol}) {
    absl::StrAppend(&all, word.size(), ":", word);
  }
  for (const std::string& verdict : f.verdicts) absl::StrAppend(&all, ",", verdict);
  return store::Sha256Hex(absl::StrCat(all, f.charged_only ? "+" : "-")).substr(0, kMark);
}

}  // namespace

absl::StatusOr<PageOf<store::ListedEvaluationRow>> EvaluationsPage(
    store::Reads& reads, const EvaluationsRequest& request) {
  store::ListedFilter filter = request.filter;
  if (!request.run.empty()) {
    const auto run = store::ParseRowName('r', request.run);
    if (!run || !reads.GetRun(*run).ok()) return state::NotFound("run", request.run);
    filter.run = *run;
  }
  if (!request.candidate.empty()) {
    const auto key = store::ParseCandidateName(request.candidate);
    if (!key) return state::NotFound("candidate", request.candidate);
    auto candidate = reads.GetCandidate(key->run, key->n);
    if (!candidate.ok()) return state::NotFound("candidate", request.candidate);
    filter.candidate = candidate->id;
  }
  const std::string mark = absl::StrCat(".", FilterMark(request));
  PageRequest place = request.page;
  if (!place.token.empty() && !absl::EndsWith(place.token, mark)) {
    return state::Error(state::Reason::kPageTokenStale,
                        "the page token was made for another filter");
  }
  place.token.resize(place.token.size() - std::min(place.token.size(), mark.size()));
  auto cursor = ReadCursor('v', place);
  if (!cursor.ok()) return cursor.status();
  auto rows = reads.EvaluationsBefore(filter, cursor->before, cursor->limit);
  if (!rows.ok()) return state::FromStore(rows.status());
  auto page = CutPage(reads, *cursor, *std::move(rows),
                      [](const store::ListedEvaluationRow& row) { return row.evaluation.id; });
  if (page.ok() && !page->next_token.empty()) absl::StrAppend(&page->next_token, mark);
  return page;
}

absl::StatusOr<LineageView> GetLineage(store::Reads& reads, const std::string& candidate,
                                       int64_t max_depth) {
  const auto key = store::ParseCandidateName(candidate);
  if (!key) return state::NotFound("candidate", candidate);
  auto row = reads.GetCandidate(key->run, key->n);
  if (!row.ok()) return state::NotFound("candidate", candidate);
  if (max_depth < 0 || max_depth > kLineageDepthMax) {
    return state::BadField("max_depth", "must be in 0..64");
  }
  auto links = reads.LineageEdges(row->id, max_depth == 0 ? kLineageDepthDefault : max_depth);
  if (!links.ok()) return state::FromStore(links.status());
  LineageView view{row->Name(), *std::move(links), false};
  view.truncated = static_cast<int64_t>(view.links.size()) == store::kMaxPageRows;
  return view;
}

std::vector<CurvePoint> Thin(std::vector<CurvePoint> points, int64_t max_points) {
  const auto size = static_cast<int64_t>(points.size());
  if (size <= max_points) return points;
  int64_t kept_always = 2;
  for (int64_t i = 1; i < size; ++i) kept_always += points[i].best != points[i - 1].best;
  const int64_t room = std::max<int64_t>(1, max_points - kept_always);
  const int64_t stride = (size + room - 1) / room;
  std::vector<CurvePoint> out;
  for (int64_t i = 0; i < size; ++i) {
    const bool changes = i == 0 || i + 1 == size || points[i].best != points[i - 1].best;
    const bool drawn = i % stride == 0 && static_cast<int64_t>(out.size()) < max_points;
    if (changes || drawn) out.push_back(std::move(points[i]));
  }
  return out;
}

absl::StatusOr<Curve> GetCurve(store::Reads& reads, const std::string& run, int64_t max_points) {
  const auto id = store::ParseRowName('r', run);
  if (!id) return state::NotFound("run", run);
  if (max_points < 0 || max_points > kCurvePointsMax) {
    return state::BadField("max_points", "must be in 0..2000");
  }
  auto row = reads.GetRun(*id);
  if (!row.ok()) return state::NotFound("run", run);
  Curve curve{.run = *id, .objective = row->objective};
  double best = 0;
  for (int64_t after = 0;;) {
    auto scores = reads.Scores(*id, after, store::kMaxScoreRows);
    if (!scores.ok()) return state::FromStore(scores.status());
    for (const store::ScoreRow& score : *scores) {
      curve.points.push_back(PointOf(score, curve.objective, best));
      best = curve.points.back().best;
      curve.simulated = curve.simulated || score.simulated;
      after = score.number;
    }
    if (static_cast<int64_t>(scores->size()) < store::kMaxScoreRows) break;
  }
  curve.evaluations = static_cast<int64_t>(curve.points.size());
  curve.points = Thin(std::move(curve.points), max_points == 0 ? kCurvePointsDefault : max_points);
  return curve;
}

}  // namespace server::core
