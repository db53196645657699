#include <algorithm>
#include <cmath>

#include "server/loop/explore.h"
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

namespace {

std::vector<const Variant*> Ordered(const std::vector<const Variant*>& wave, bool rank,
                                    state::Rng& rng) {
  std::vector<const Variant*> order = wave;
  std::sort(order.begin(), order.end(), PredictedBefore);
  if (rank) return order;
  for (size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[rng.Below(i)]);
  return order;
}

// A share of places; what is left of a whole one is one by that chance, or few places would never
// hold what a small share is for.
int64_t Places(double share, int64_t places, state::Rng& rng) {
  const double exact = share * static_cast<double>(places);
  const double whole = std::floor(exact);
  const bool one_more = exact > whole && rng.Unit() < exact - whole;
  return static_cast<int64_t>(whole) + (one_more ? 1 : 0);
}

// Takes `count` places out of order[from ..): by turns what the model doubts and hopes for, and
// what is newest.
void TakeToExplore(const std::vector<const Variant*>& order, size_t from, int64_t count,
                   const Known& known, state::Rng& rng, std::vector<std::string>& why) {
  std::vector<size_t> rest;
  for (size_t i = from; i < order.size(); ++i) rest.push_back(i);
  std::vector<const Variant*> near = known.tried;
  near.insert(near.end(), order.begin(), order.begin() + static_cast<std::ptrdiff_t>(from));
  for (int64_t n = 0; n < count; ++n) {
    size_t taken = 0;
    if (n % 2 == 0) {
      std::vector<double> weights;
      for (const size_t i : rest) weights.push_back(Promise(*order[i], known.best_ns));
      taken = DrawByWeight(weights, rng);
    } else {
      for (size_t i = 1; i < rest.size(); ++i) {
        if (Novelty(*order[rest[i]], near) > Novelty(*order[rest[taken]], near)) taken = i;
      }
    }
    why[rest[taken]] = "EXPLORE";
    near.push_back(order[rest[taken]]);
    rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(taken));
  }
}

}  // namespace

std::vector<store::RankedVariant> RankWave(const std::vector<const Variant*>& wave,
                                           const Known& known, const RunSpec& spec,
                                           int64_t last_rank, state::Rng& rng) {
  const std::vector<const Variant*> order = Ordered(wave, spec.rank, rng);
  const auto count = static_cast<int64_t>(order.size());
  const auto share = static_cast<int64_t>(
      std::ceil(spec.keep_share * static_cast<double>(std::min(count, spec.wave_members))));
  const int64_t keep = std::min(count, std::max(share, spec.keep_min));
  // Exploring makes sense only where something would be left out.
  const int64_t explore =
      keep == count ? 0 : std::min(count - keep, Places(spec.explore_share, keep, rng));
  std::vector<std::string> why(order.size(), "OUT");
  for (int64_t i = 0; i < keep - explore; ++i) why[static_cast<size_t>(i)] = "TOP";
  TakeToExplore(order, static_cast<size_t>(keep - explore), explore, known, rng, why);
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
                             .cell = std::string(state::kRunCell),
                             .variant = variant.id,
                             .score = score};
}

std::optional<store::EliteChanged> CellEliteAfter(const state::State& state, const state::Run& run,
                                                  const Variant& variant, int64_t island,
                                                  store::Verdict verdict, double ratio_low) {
  if (store::VerdictRank(verdict) < store::VerdictRank(store::Verdict::kCorrect)) {
    return std::nullopt;
  }
  const bool measured = store::HasRatios(run.objective);
  const double score = measured ? ratio_low : -variant.PredictedNs();
  if (score == 0) return std::nullopt;
  const std::string cell = state.CellOf(variant);
  if (const auto cells = run.archive.find(island); cells != run.archive.end()) {
    if (const auto it = cells->second.find(cell); it != cells->second.end()) {
      const Variant& elite = state.variants.at(it->second.variant);
      if (elite.id == variant.id ? score == it->second.score : score < it->second.score) {
        return std::nullopt;
      }
      const bool tie = score == it->second.score;
      if (tie && variant.canon_hash >= elite.canon_hash) return std::nullopt;
    }
  }
  return store::EliteChanged{.run = run.id,
                             .source = run.objective,
                             .island = island,
                             .cell = cell,
                             .variant = variant.id,
                             .score = score};
}

}  // namespace server::loop
