#include "server/core/portfolio_pick.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "server/core/portfolio.h"
#include "server/state/error.h"

namespace server::core {
namespace {

using nlohmann::json;
using store::Verdict;

// What was confirmed goes before what was seen once, whatever its figures.
bool Before(const Finalist& a, const Finalist& b) {
  const int left = store::VerdictRank(a.verdict), right = store::VerdictRank(b.verdict);
  if (left != right) return left > right;
  if (a.merit != b.merit) return a.merit > b.merit;
  return a.variant < b.variant;
}

double Median(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// Times of one series of a case; those with a cold cache where there are any.
double TimeOf(const json& series) {
  if (!series.is_object()) return 0;
  for (const char* name : {"cold_ns", "warm_ns", "events_ns"}) {
    const auto found = series.find(name);
    if (found == series.end() || !found->is_array() || found->empty()) continue;
    std::vector<double> values;
    for (const json& one : *found) {
      if (one.is_number()) values.push_back(one.get<double>());
    }
    return Median(std::move(values));
  }
  return 0;
}

// Baseline over candidate in each case that both were timed in.
std::map<std::string, double> RatiosOf(const std::string& samples) {
  std::map<std::string, double> out;
  const json in = json::parse(samples, nullptr, false);
  if (!in.is_object() || !in.contains("cases") || !in["cases"].is_array()) return out;
  for (const json& one : in["cases"]) {
    if (!one.is_object() || !one.contains("candidate") || !one.contains("baseline")) continue;
    const double mine = TimeOf(one["candidate"]), base = TimeOf(one["baseline"]);
    if (mine > 0 && base > 0) out[one.value("case", "")] = base / mine;
  }
  return out;
}

void KeepBest(std::vector<Finalist>& finalists) {
  std::sort(finalists.begin(), finalists.end(), Before);
  std::set<int64_t> seen;
  std::erase_if(finalists, [&](const Finalist& one) { return !seen.insert(one.variant).second; });
  if (finalists.size() > kFinalistsMax) finalists.resize(kFinalistsMax);
}

// A shape gets another program only from among those that are as well confirmed as the best.
void Route(DevicePick& pick, const runner::contract::Workload& workload) {
  if (pick.finalists.empty()) return;
  const Finalist& best = pick.finalists.front();
  const double gain = 1 + std::max(kRouteGainMin, pick.noise);
  for (const auto* one : RoutedCases(workload)) {
    const auto now = best.by_case.find(one->name);
    if (now == best.by_case.end()) continue;
    double most = now->second * gain;
    for (size_t i = 1; i < pick.finalists.size(); ++i) {
      const Finalist& other = pick.finalists[i];
      const auto then = other.by_case.find(one->name);
      if (other.verdict != best.verdict || then == other.by_case.end() || then->second <= most) {
        continue;
      }
      most = then->second;
      pick.routes[one->name] = i;
    }
  }
}

// Evaluations on devices, by device name and what the figures are.
absl::StatusOr<std::vector<DevicePick>> Measured(const state::State& state, store::Reads& reads,
                                                 const Contract& contract,
                                                 const std::set<int64_t>& runs) {
  std::map<std::string, DevicePick> picks;
  store::ListedFilter filter{.workload = contract.workload.name};
  filter.verdicts = {"CORRECT", "IMPROVED", "CONFIRMED"};
  int64_t before = 0;
  for (int64_t read = 0; read < kEvaluationsReadMax;) {
    auto rows = reads.EvaluationsBefore(filter, before, store::kMaxPageRows);
    if (!rows.ok()) return state::FromStore(rows.status());
    for (const store::ListedEvaluationRow& row : *rows) {
      const store::EvaluationRow& e = row.evaluation;
      before = e.id;
      if (e.ratio_low <= 0 || e.contract_hash != contract.hash || !runs.contains(e.run)) continue;
      const auto device = state.devices.find(e.device);
      if (device == state.devices.end()) continue;
      DevicePick& pick = picks[row.device_name + "\n" + std::string(store::ToString(e.source))];
      pick.device = row.device_name;
      pick.arch = device->second.arch;
      pick.simulated = row.simulated;
      pick.source = e.source;
      pick.noise = std::max(pick.noise, device->second.LargestNoise());
      pick.finalists.push_back({.variant = e.variant,
                                .job = e.job,
                                .verdict = e.verdict,
                                .merit = e.ratio_low,
                                .receipt = e.receipt_hash,
                                .samples = e.samples_hash,
                                .ratio_low = e.ratio_low,
                                .ratio_med = e.ratio_med,
                                .ratio_high = e.ratio_high,
                                .time_ns = e.time_ns});
    }
    read += static_cast<int64_t>(rows->size());
    if (static_cast<int64_t>(rows->size()) < store::kMaxPageRows) break;
  }
  std::vector<DevicePick> out;
  for (auto& [key, pick] : picks) {
    KeepBest(pick.finalists);
    for (Finalist& one : pick.finalists) {
      if (one.samples.hex.empty()) continue;
      if (auto samples = reads.GetObject(one.samples); samples.ok()) {
        one.by_case = RatiosOf(*samples);
      }
    }
    out.push_back(std::move(pick));
  }
  return out;
}

// Right on the reference machine, ordered by what the cost model says: no device has seen them.
absl::StatusOr<DevicePick> Predicted(const state::State& state, store::Reads& reads,
                                     const std::set<int64_t>& runs) {
  DevicePick pick{.source = store::ScoreSource::kEstimated};
  for (const int64_t run : runs) {
    if (state.runs.at(run).objective != store::ScoreSource::kEstimated) continue;
    for (const int64_t candidate : state.runs.at(run).candidates) {
      for (const int64_t id : state.candidates.at(candidate).variants) {
        const state::Variant& variant = state.variants.at(id);
        const bool right =
            store::VerdictRank(variant.verdict) >= store::VerdictRank(Verdict::kCorrect);
        if (!right || variant.PredictedNs() <= 0 || variant.jobs.empty()) continue;
        const state::Job& job = state.jobs.at(variant.jobs.back());
        pick.finalists.push_back({.variant = id,
                                  .job = job.id,
                                  .verdict = variant.verdict,
                                  .merit = 1 / variant.PredictedNs(),
                                  .receipt = job.receipt_hash,
                                  .time_ns = variant.PredictedNs()});
      }
    }
  }
  KeepBest(pick.finalists);
  for (Finalist& one : pick.finalists) {
    auto estimates = reads.Estimates(one.variant);
    if (!estimates.ok()) return state::FromStore(estimates.status());
    for (const store::EstimateRow& row : *estimates) {  // the newest of a case first
      if (row.time_ns > 0) one.by_case.try_emplace(row.shape, 1 / row.time_ns);
    }
  }
  return pick;
}

}  // namespace

std::vector<const runner::contract::Case*> RoutedCases(const runner::contract::Workload& workload) {
  std::vector<const runner::contract::Case*> device, any;
  for (const auto& one : workload.cases) {
    if (one.set != runner::contract::Set::kSearch) continue;
    any.push_back(&one);
    if (one.tier == runner::contract::Tier::kDevice) device.push_back(&one);
  }
  return device.empty() ? any : device;
}

absl::StatusOr<std::vector<DevicePick>> PickPortfolio(const state::State& state,
                                                      store::Reads& reads, const Contract& contract,
                                                      const std::vector<int64_t>& runs) {
  const std::set<int64_t> of(runs.begin(), runs.end());
  auto picks = Measured(state, reads, contract, of);
  if (!picks.ok()) return picks;
  auto predicted = Predicted(state, reads, of);
  if (!predicted.ok()) return predicted.status();
  if (!predicted->finalists.empty()) picks->push_back(*std::move(predicted));
  for (DevicePick& pick : *picks) Route(pick, contract.workload);
  return picks;
}

}  // namespace server::core
