#include <algorithm>
#include <cmath>

#include "server/loop/plan.h"

namespace server::loop {

using state::Variant;

// An unknown prediction is no reason to go first.
bool PredictedBefore(const Variant* a, const Variant* b) {
  const double left = a->PredictedNs() > 0 ? a->PredictedNs() : HUGE_VAL;
  const double right = b->PredictedNs() > 0 ? b->PredictedNs() : HUGE_VAL;
  if (left != right) return left < right;
  return a->canon_hash < b->canon_hash;
}

std::vector<store::RankedVariant> RankWave(const std::vector<const Variant*>& wave,
                                           const RunSpec& spec, int64_t last_rank,
                                           state::Rng& rng) {
  std::vector<const Variant*> order = wave;
  std::sort(order.begin(), order.end(), PredictedBefore);
  const auto count = static_cast<int64_t>(order.size());
  const auto share = static_cast<int64_t>(std::ceil(spec.keep_share * static_cast<double>(count)));
  const int64_t keep = std::min(count, std::max(share, spec.keep_min));
  // Exploring makes sense only where something would be left out.
  const int64_t explore =
      keep == count ? 0
                    : std::min(count - keep, static_cast<int64_t>(std::floor(
                                                 spec.explore_share * static_cast<double>(keep))));
  std::vector<std::string> why(order.size(), "OUT");
  for (int64_t i = 0; i < keep - explore; ++i) why[static_cast<size_t>(i)] = "TOP";
  std::vector<size_t> rest;
  for (auto i = static_cast<size_t>(keep - explore); i < order.size(); ++i) rest.push_back(i);
  for (int64_t i = 0; i < explore; ++i) {
    const size_t drawn = rng.Below(rest.size());
    why[rest[drawn]] = "EXPLORE";
    rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(drawn));
  }
  std::vector<store::RankedVariant> ranked;
  for (size_t i = 0; i < order.size(); ++i) {
    ranked.push_back(
        {order[i]->id, last_rank + static_cast<int64_t>(i) + 1, why[i] != "OUT", why[i]});
  }
  return ranked;
}

std::optional<store::EliteChanged> EliteAfter(const state::State& state, const state::Run& run,
                                              const Variant& variant, store::Verdict verdict,
                                              double ratio_low) {
  using store::Verdict;
  double score = 0;
  if (store::HasRatios(run.objective)) {
    if (verdict != Verdict::kImproved && verdict != Verdict::kConfirmed) return std::nullopt;
    score = ratio_low;
  } else {
    if (store::VerdictRank(verdict) < store::VerdictRank(Verdict::kCorrect)) return std::nullopt;
    if (variant.PredictedNs() <= 0) return std::nullopt;
    score = -variant.PredictedNs();
  }
  if (run.best) {
    if (run.best->variant == variant.id || score < run.best->score) return std::nullopt;
    const Variant& best = state.variants.at(run.best->variant);
    if (score == run.best->score && variant.canon_hash >= best.canon_hash) return std::nullopt;
  }
  return store::EliteChanged{.run = run.id,
                             .source = run.objective,
                             .island = 0,
                             .cell = "run",
                             .variant = variant.id,
                             .score = score};
}

std::optional<Plateau> FindPlateau(const std::vector<double>& curve,
                                   const std::vector<std::string>& cells, int64_t budget,
                                   double noise_floor) {
  const auto window =
      std::max<int64_t>(32, static_cast<int64_t>(std::ceil(0.2 * static_cast<double>(budget))));
  const double growth = 1 + std::max(0.01, 2 * noise_floor);
  const auto best_at = [&](int64_t x) { return x == 0 ? 0.0 : curve[static_cast<size_t>(x - 1)]; };
  for (int64_t x = 2 * window; x <= static_cast<int64_t>(curve.size()); ++x) {
    const double before = best_at(x - window);
    if (before <= 0 || best_at(x) / before >= growth) continue;
    const auto first = cells.begin() + static_cast<std::ptrdiff_t>(x - window);
    std::vector<std::string> tried(first, first + static_cast<std::ptrdiff_t>(window));
    std::sort(tried.begin(), tried.end());
    if (std::unique(tried.begin(), tried.end()) - tried.begin() < 3) continue;
    int64_t point = x;
    while (point > 1 && best_at(point) == best_at(point - 1)) --point;
    return Plateau{x, point};
  }
  return std::nullopt;
}

}  // namespace server::loop
