#include "server/core/compare.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "server/core/diagnose.h"
#include "server/core/intake.h"

namespace server::core {
namespace {

constexpr int64_t kContextLines = 3;
constexpr size_t kAncestorsMax = 4096;

std::vector<std::string> CodesOf(const std::string& member_json) {
  std::set<std::string> codes;
  const auto report = nlohmann::json::parse(member_json, nullptr, false);
  if (report.is_object() && report.contains("diagnostics")) {
    for (const auto& one : report["diagnostics"]) {
      if (one.is_object() && one.contains("code") && one["code"].is_string()) {
        codes.insert(one["code"].get<std::string>());
      }
    }
  }
  return {codes.begin(), codes.end()};
}

std::vector<ComparedMetric> Pair(const std::vector<Metric>& from, const std::vector<Metric>& to) {
  std::vector<ComparedMetric> out;
  for (const Metric& metric : to) out.push_back({metric, 0, false, true});
  for (const Metric& metric : from) {
    const auto same = std::find_if(out.begin(), out.end(), [&](const ComparedMetric& one) {
      return one.metric.name == metric.name && one.metric.source == metric.source;
    });
    if (same == out.end()) {
      out.push_back({metric, metric.value, true, false});
      out.back().metric.value = 0;
    } else {
      same->from = metric.value;
      same->has_from = true;
    }
  }
  return out;
}

}  // namespace

struct Comparing::Side {
  Compared row;
  int64_t id = 0;
  std::string source;
  std::vector<Metric> metrics;
};

absl::StatusOr<Comparing::Side> Comparing::Read(const std::string& name) {
  const state::State& state = c_.state();
  const state::Candidate* candidate = state.FindCandidate(name);
  if (candidate == nullptr) return state::NotFound("candidate", name);
  const state::Run& run = state.runs.at(candidate->run);
  Side side;
  side.id = candidate->id;
  side.row.candidate = candidate->Name();
  side.row.workload = state.workloads.at(run.workload).name;
  side.row.objective = run.objective;
  side.row.judged = state::JudgedOf(state, *candidate);
  auto source = c_.ledger.Object(candidate->source_hash);
  if (!source.ok()) return source.status();
  side.source = *std::move(source);
  auto report = ReportOf(c_.ledger, *candidate);
  if (!report.ok()) return report.status();
  side.row.codes = CodesOf(report->member_json);
  side.metrics = EstimatedMetrics(report->member_json);
  const state::Variant* best = side.row.judged.best;
  if (best == nullptr) return side;
  side.row.binding = best->params_json;
  if (best->PredictedNs() > 0) {
    side.metrics.push_back(
        {"predicted_score", "ns", best->PredictedNs(), store::ScoreSource::kEstimated});
  }
  const auto source_of =
      store::HasRatios(run.objective) ? run.objective : store::ScoreSource::kMeasured;
  if (best->time_ns > 0) side.metrics.push_back({"time", "ns", best->time_ns, source_of});
  if (best->ratio_med > 0) {
    side.metrics.push_back({"ratio_low", "", best->ratio_low, source_of});
    side.metrics.push_back({"ratio_median", "", best->ratio_med, source_of});
  }
  return side;
}

bool Comparing::IsAncestor(int64_t ancestor, int64_t of) const {
  std::set<int64_t> seen = {of};
  std::vector<int64_t> open = {of};
  while (!open.empty() && seen.size() < kAncestorsMax) {
    const int64_t now = open.back();
    open.pop_back();
    if (now == ancestor) return true;
    for (const int64_t parent : c_.state().candidates.at(now).parents) {
      if (seen.insert(parent).second) open.push_back(parent);
    }
  }
  return false;
}

absl::StatusOr<CompareReply> Comparing::Compare(const CompareRequest& request) {
  if (request.context < 0 || request.context > kContextLinesMax) {
    return state::BadField("context", "must be in 0..1000");
  }
  auto from = Read(request.from);
  if (!from.ok()) return from.status();
  auto to = Read(request.to);
  if (!to.ok()) return to.status();
  CompareReply reply;
  reply.diff =
      DiffTexts(from->source, to->source, request.context == 0 ? kContextLines : request.context);
  reply.metrics = Pair(from->metrics, to->metrics);
  reply.related =
      from->id != to->id && (IsAncestor(from->id, to->id) || IsAncestor(to->id, from->id));
  reply.from = std::move(from->row);
  reply.to = std::move(to->row);
  return reply;
}

}  // namespace server::core
