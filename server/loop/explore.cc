#include "server/loop/explore.h"

#include <algorithm>
#include <cmath>

namespace server::loop {
namespace {

// The normal quantile of 0.9: an 80% interval reaches so many deviations to either side.
constexpr double kDeviations80 = 1.2815515655446004;
constexpr double kFar = 1e6;

}  // namespace

double ChanceToBeat(const state::Variant& variant, double best_ns) {
  const double predicted = variant.PredictedNs();
  if (predicted <= 0 || best_ns <= 0) return 0;
  const double deviation = variant.Spread() / (2 * kDeviations80);
  const double gain = std::log(best_ns / predicted);
  if (deviation <= 0) return gain > 0 ? 1 : gain < 0 ? 0 : 0.5;
  return 0.5 * std::erfc(-gain / deviation / std::sqrt(2.0));
}

double Promise(const state::Variant& variant, double best_ns) {
  return variant.Spread() * ChanceToBeat(variant, best_ns);
}

double Novelty(const state::Variant& variant, const std::vector<const state::Variant*>& tried) {
  double nearest = kFar;
  for (const state::Variant* other : tried) {
    if (other->id == variant.id) continue;
    nearest = std::min(nearest, state::Distance(variant.features, other->features));
  }
  return nearest;
}

size_t DrawByWeight(const std::vector<double>& weights, state::Rng& rng) {
  double sum = 0;
  for (const double weight : weights) sum += weight;
  if (!(sum > 0)) return rng.Below(weights.size());
  double left = rng.Unit() * sum;
  for (size_t i = 0; i < weights.size(); ++i) {
    left -= weights[i];
    if (left < 0) return i;
  }
  // Rounding may leave a rest: the last one that can be drawn takes it.
  for (size_t i = weights.size(); i-- > 0;) {
    if (weights[i] > 0) return i;
  }
  return 0;
}

std::vector<const state::Variant*> TriedOf(const state::State& state, const state::Run& run) {
  std::vector<const state::Variant*> tried;
  for (auto it = run.candidates.rbegin(); it != run.candidates.rend(); ++it) {
    for (const int64_t id : state.candidates.at(*it).variants) {
      const state::Variant& variant = state.variants.at(id);
      if (!variant.jobs.empty()) tried.push_back(&variant);
      if (tried.size() >= kTriedMax) return tried;
    }
  }
  return tried;
}

double BestPredictedNs(const state::State& state, const state::Run& run) {
  double best = 0;
  for (const state::Variant* variant : TriedOf(state, run)) {
    const bool right =
        store::VerdictRank(variant->verdict) >= store::VerdictRank(store::Verdict::kCorrect);
    const double predicted = variant->PredictedNs();
    if (right && predicted > 0 && (best == 0 || predicted < best)) best = predicted;
  }
  return best;
}

}  // namespace server::loop
