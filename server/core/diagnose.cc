#include "server/core/diagnose.h"

#include <algorithm>
#include <iterator>

#include "absl/strings/str_cat.h"
#include "server/core/intake.h"
#include "server/core/neighbours.h"

namespace server::core {
namespace {

using state::Candidate;
using state::Variant;

std::string NextCommand(const Candidate& candidate, bool terminal) {
  return absl::StrCat(terminal ? "cake history " : "cake watch ", candidate.Name());
}

std::vector<MetricChange> Changes(const std::vector<Metric>& now, const std::vector<Metric>& then) {
  std::vector<MetricChange> out;
  for (const Metric& a : now) {
    for (const Metric& b : then) {
      if (a.name == b.name && a.source == b.source) {
        out.push_back({a.name, a.unit, a.value, b.value});
      }
    }
  }
  return out;
}

std::string BottleneckOf(const Variant& variant) {
  return variant.bottleneck.empty() ? "unknown" : variant.bottleneck;
}

}  // namespace

absl::StatusOr<std::vector<Metric>> Diagnosis::MetricsOf(const Variant& variant) {
  std::vector<Metric> metrics;
  if (!variant.member_report.hex.empty()) {
    auto text = c_.ledger.Object(variant.member_report);
    if (!text.ok()) return text.status();
    metrics = EstimatedMetrics(*text);
  }
  if (variant.PredictedNs() > 0) {
    metrics.push_back(
        {"predicted_score", "ns", variant.PredictedNs(), store::ScoreSource::kEstimated});
  }
  const auto& run = c_.state().runs.at(c_.state().candidates.at(variant.candidate).run);
  const auto source = run.objective == store::ScoreSource::kReplay ? store::ScoreSource::kReplay
                                                                   : store::ScoreSource::kMeasured;
  if (variant.time_ns > 0) metrics.push_back({"time", "ns", variant.time_ns, source});
  if (variant.ratio_low > 0) {
    metrics.push_back({"ratio_low", "", variant.ratio_low, source});
    metrics.push_back({"ratio_median", "", variant.ratio_med, source});
  }
  return metrics;
}

// What the newest finished job of the member found.
absl::Status Diagnosis::AddRun(const Variant& variant, DiagnoseReply& reply) {
  auto snapshot = c_.ledger.store().Snapshot();
  if (!snapshot.ok()) return state::FromStore(snapshot.status());
  store::Reads& reads = (*snapshot)->reads();
  for (auto it = variant.jobs.rbegin(); it != variant.jobs.rend(); ++it) {
    auto evaluation = reads.EvaluationOfJob(*it);
    if (!evaluation.ok()) return state::FromStore(evaluation.status());
    if (!evaluation->has_value()) continue;
    auto checks = reads.Checks((*evaluation)->id);
    if (!checks.ok()) return state::FromStore(checks.status());
    for (const store::CheckRow& row : *checks) {
      reply.checks.push_back({row.name, row.outcome, row.detail, row.evidence_hash});
    }
    if (!(*evaluation)->report_hash.hex.empty()) {
      auto text = reads.GetObject((*evaluation)->report_hash);
      if (!text.ok()) return text.status();
      reply.run_report_json = *std::move(text);
    }
    return absl::OkStatus();
  }
  return absl::OkStatus();
}

absl::Status Diagnosis::AddComparisons(const Candidate& candidate, const Variant* now,
                                       DiagnoseReply& reply) {
  const state::State& state = c_.state();
  const state::Run& run = state.runs.at(candidate.run);
  const auto against = [&](Against kind, const Variant* then, std::string_view none) {
    Comparison comparison{.against = kind};
    if (then == nullptr || now == nullptr) {
      comparison.none_because =
          then == nullptr ? std::string(none) : "no member of it was accepted";
    } else if (then == now) {
      comparison.none_because = "it is this one";
    } else {
      auto metrics = MetricsOf(*then);
      if (!metrics.ok()) return metrics.status();
      comparison.candidate = state.candidates.at(then->candidate).Name();
      comparison.binding = then->params_json;
      comparison.changes = Changes(reply.now, *metrics);
    }
    reply.comparisons.push_back(std::move(comparison));
    return absl::OkStatus();
  };
  const Variant* parent = nullptr;
  if (!candidate.parents.empty()) {
    parent = state::JudgedOf(state, state.candidates.at(candidate.parents.front())).best;
  }
  const Variant* previous = nullptr;
  if (candidate.n > 1) {
    const int64_t id = run.candidates[static_cast<size_t>(candidate.n - 2)];
    previous = state::JudgedOf(state, state.candidates.at(id)).best;
  }
  const Variant* best = run.best ? &state.variants.at(run.best->variant) : nullptr;
  if (auto s = against(Against::kParent, parent, "it has no accepted parent"); !s.ok()) return s;
  if (auto s = against(Against::kPrevious, previous, "no accepted candidate before it"); !s.ok()) {
    return s;
  }
  if (auto s = against(Against::kBest, best, "the run has no best yet"); !s.ok()) return s;
  Comparison baseline{.against = Against::kBaseline};
  if (run.baseline_ns > 0 && now != nullptr && now->PredictedNs() > 0) {
    baseline.candidate = "baseline program";
    baseline.changes.push_back({"predicted_score", "ns", now->PredictedNs(), run.baseline_ns});
  } else {
    baseline.none_because = "no estimate of the baseline program";
  }
  reply.comparisons.push_back(std::move(baseline));
  return absl::OkStatus();
}

absl::StatusOr<DiagnoseReply> Diagnosis::Diagnose(const std::string& name) {
  const state::State& state = c_.state();
  const Candidate* candidate = state.FindCandidate(name);
  if (candidate == nullptr) return state::NotFound("candidate", name);
  DiagnoseReply reply;
  reply.candidate = candidate->Name();
  const state::Run& run = state.runs.at(candidate->run);
  reply.objective = run.objective;
  reply.imported = ImportOf(state, run);
  reply.source_run = run.source_run;
  reply.progress = state::ProgressOf(state, *candidate);
  const state::Judged judged = state::JudgedOf(state, *candidate);
  const Variant* now = judged.best;
  // A twin of an earlier program is explained by what the earlier one did.
  if (now != nullptr && now->duplicate_of != 0) now = &state.variants.at(now->duplicate_of);
  auto report = ReportOf(c_.ledger, *candidate);
  if (!report.ok()) return report.status();
  reply.report = *std::move(report);
  if (now != nullptr) {
    reply.binding = now->params_json;
    reply.bottleneck = BottleneckOf(*now);
    auto metrics = MetricsOf(*now);
    if (!metrics.ok()) return metrics.status();
    reply.now = *std::move(metrics);
    if (auto status = AddRun(*now, reply); !status.ok()) return status;
  }
  if (auto status = AddComparisons(*candidate, now, reply); !status.ok()) return status;
  reply.advice = AdviceFrom(reply.report.member_json, reply.run_report_json, reply.checks);
  if (now != nullptr) {
    auto source = c_.ledger.Object(state.candidates.at(now->candidate).source_hash);
    if (!source.ok()) return source.status();
    // What was tried beside it is worth more than what the model alone would change.
    auto tried = AdviceOfNeighbours(state, *now, *source);
    const auto errors = std::find_if(reply.advice.begin(), reply.advice.end(), [](const Advice& a) {
      return a.fix_json.empty() && a.why.starts_with("bottleneck is");
    });
    reply.advice.insert(errors, std::make_move_iterator(tried.begin()),
                        std::make_move_iterator(tried.end()));
    reply.bottleneck_why = BottleneckWhy(reply.report.member_json);
  }
  for (const auto& [id, finding] : state.findings) {
    if (finding.candidates.contains(candidate->id)) {
      reply.findings.push_back(absl::StrCat("f-", id, " ", finding.title, " -> ", finding.route));
    }
  }
  reply.next_command = NextCommand(*candidate, reply.progress.terminal);
  return reply;
}

}  // namespace server::core
