#include "server/loop/select.h"

#include <algorithm>
#include <map>

#include "server/loop/explore.h"

namespace server::loop {
namespace {

using state::Run;
using state::State;
using state::Variant;
using store::Verdict;

constexpr int64_t kRepairDepthMax = 4;  // repairs of repairs of one text
constexpr double kImprovedWorth = 4, kPassedWorth = 0.5, kTriesBefore = 2;

bool IsRight(const Variant& variant) {
  return store::VerdictRank(variant.verdict) >= store::VerdictRank(Verdict::kCorrect) &&
         variant.blame == store::Blame::kNone;
}

bool WasAccepted(const Variant& variant) {
  return !store::IsReject(variant.verdict) && variant.verdict != Verdict::kDuplicate &&
         !variant.canon_hash.empty();
}

bool Better(const State& state, const Run& run, const Variant* a, const Variant* b) {
  const double left = state.MeritOf(run, *a), right = state.MeritOf(run, *b);
  return left != right ? left > right : a->canon_hash < b->canon_hash;
}

// Rank i counts 1 / (i + 1): the first ones often, the last ones now and then.
std::optional<Parent> ByRank(const std::vector<const Variant*>& elites, std::string_view how,
                             state::Rng& rng) {
  if (elites.empty()) return std::nullopt;
  std::vector<double> weights;
  for (size_t i = 0; i < elites.size(); ++i) weights.push_back(1 / static_cast<double>(i + 1));
  return Parent{elites[DrawByWeight(weights, rng)], how};
}

// The best elite of the cell that the fewest charged evaluations fell into.
std::optional<Parent> OfRareCell(const State& state, const Run& run) {
  std::map<std::string, const Variant*> best;
  for (const auto& [island, cells] : run.archive) {
    for (const auto& [cell, elite] : cells) {
      const Variant* variant = &state.variants.at(elite.variant);
      const Variant*& known = best[cell];
      if (known == nullptr || Better(state, run, variant, known)) known = variant;
    }
  }
  const Variant* rarest = nullptr;
  int64_t fewest = INT64_MAX;
  for (const auto& [cell, variant] : best) {
    const auto it = run.visits.find(cell);
    const int64_t visits = it == run.visits.end() ? 0 : it->second;
    if (visits < fewest) {
      fewest = visits;
      rarest = variant;
    }
  }
  if (rarest == nullptr) return std::nullopt;
  return Parent{rarest, kByRareCell};
}

std::optional<Parent> OfOtherIsland(const State& state, const Run& run, const RunSpec& spec,
                                    int64_t island, state::Rng& rng) {
  if (spec.islands < 2) return std::nullopt;
  const auto step = static_cast<int64_t>(1 + rng.Below(static_cast<uint64_t>(spec.islands - 1)));
  return ByRank(ElitesOf(state, run, (island + step) % spec.islands), kByOtherIsland, rng);
}

std::optional<Parent> ByModel(const State& state, const Run& run, const Pool& pool,
                              state::Rng& rng) {
  const double best = BestPredictedNs(state, run);
  std::vector<double> weights;
  double sum = 0;
  for (const Variant* variant : pool.passed) {
    weights.push_back(Promise(*variant, best));
    sum += weights.back();
  }
  if (!(sum > 0)) return std::nullopt;
  return Parent{pool.passed[DrawByWeight(weights, rng)], kByPromise};
}

std::optional<Parent> ByDistance(const State& state, const Run& run, const Pool& pool) {
  const auto tried = TriedOf(state, run);
  const Variant* newest = nullptr;
  double farthest = 0;
  for (const Variant* variant : pool.right) {
    const double distance = Novelty(*variant, tried);
    if (distance > farthest) {
      farthest = distance;
      newest = variant;
    }
  }
  if (newest == nullptr) return std::nullopt;
  return Parent{newest, kByNovelty};
}

Parent AnyOf(const Pool& pool, state::Rng& rng) {
  const auto& from = pool.right.empty() ? pool.passed : pool.right;
  return {from[rng.Below(from.size())], pool.right.empty() ? kByPassed : kByBest};
}

}  // namespace

const std::vector<Tactic>& Tactics() {
  static const std::vector<Tactic> kTactics = {
      {"step", 6, false, true},   {"jump", 3, false, true}, {"crossover", 3, false, true, 2},
      {"random", 6, false, true}, {"stages", 1, false},     {"tile", 1, false},
      {"vector", 1, false},       {"warps", 1, false},      {"unroll", 1, true},
      {"form", 1, true},          {"fuse", 1, true},        {"unfuse", 1, true},
      {"raster", 1, true},        {"persistent", 1, true},  {"roles", 1, true},
  };
  return kTactics;
}

const Tactic* FindTactic(std::string_view name) {
  for (const Tactic& tactic : Tactics()) {
    if (tactic.name == name) return &tactic;
  }
  return nullptr;
}

std::vector<double> TacticWeights(const Run& run, bool structural, size_t parents) {
  std::vector<double> weights;
  for (const Tactic& tactic : Tactics()) {
    if ((structural && !tactic.structural) || static_cast<size_t>(tactic.parents) > parents) {
      weights.push_back(0);
      continue;
    }
    const auto it = run.tactics.find(std::string(tactic.name));
    const state::TacticReturn known = it == run.tactics.end() ? state::TacticReturn{} : it->second;
    const double worth = kTriesBefore + kImprovedWorth * static_cast<double>(known.improved) +
                         kPassedWorth * static_cast<double>(known.passed);
    weights.push_back(tactic.weight * worth / (kTriesBefore + static_cast<double>(known.tries)));
  }
  return weights;
}

Pool PoolOf(const State& state, const Run& run) {
  Pool pool;
  for (const int64_t id : run.candidates) {
    const state::Candidate& candidate = state.candidates.at(id);
    if (candidate.IsDirect()) continue;  // tactics work on typed programs
    bool accepted = false;
    for (const int64_t v : candidate.variants) {
      const Variant& variant = state.variants.at(v);
      // A twin of an earlier program of another run is as good a parent as that one.
      const bool known = variant.verdict == Verdict::kDuplicate &&
                         IsRight(state.variants.at(variant.duplicate_of));
      if (!WasAccepted(variant) && !known) continue;
      accepted = true;
      pool.passed.push_back(&variant);
      if (candidate.parents.empty()) pool.seeds.push_back(&variant);
      if (IsRight(variant)) pool.right.push_back(&variant);
    }
    const bool rejected = candidate.closed() && !accepted &&
                          store::IsReject(state::JudgedOf(state, candidate).verdict);
    if (rejected && candidate.fixable && !candidate.repaired &&
        candidate.repair_depth < kRepairDepthMax) {
      pool.broken.push_back(&candidate);
    }
  }
  return pool;
}

std::vector<const Variant*> ElitesOf(const State& state, const Run& run, int64_t island) {
  std::vector<const Variant*> elites;
  const auto it = run.archive.find(island);
  if (it == run.archive.end()) return elites;
  for (const auto& [cell, elite] : it->second) elites.push_back(&state.variants.at(elite.variant));
  std::sort(elites.begin(), elites.end(),
            [&](const Variant* a, const Variant* b) { return Better(state, run, a, b); });
  return elites;
}

std::optional<Parent> SelectParent(const State& state, const Run& run, const RunSpec& spec,
                                   const Pool& pool, int64_t island, bool explore,
                                   state::Rng& rng) {
  if (pool.passed.empty()) return std::nullopt;
  if (spec.random) {
    const auto& from = pool.seeds.empty() ? pool.passed : pool.seeds;
    return Parent{from[rng.Below(from.size())], kBySeed};
  }
  if (pool.right.empty()) return AnyOf(pool, rng);
  if (!spec.archive) {
    const auto best = std::min_element(
        pool.right.begin(), pool.right.end(),
        [&](const Variant* a, const Variant* b) { return Better(state, run, a, b); });
    return Parent{*best, kByBest};
  }
  // The four shares in their order; a source without anything falls through to the next one.
  double drawn = rng.Unit();
  if (explore) drawn = drawn < 0.4 ? 0.6 : 0.8 + (drawn - 0.4) / 3;
  if (drawn < 0.5) {
    if (auto parent = ByRank(ElitesOf(state, run, island), kByElite, rng)) return parent;
  }
  if (drawn < 0.7) {
    if (auto parent = OfRareCell(state, run)) return parent;
  }
  if (drawn < 0.8) {
    if (auto parent = OfOtherIsland(state, run, spec, island, rng)) return parent;
  }
  if (drawn >= 0.8 && drawn < 0.9) {
    if (auto parent = ByModel(state, run, pool, rng)) return parent;
  }
  if (drawn >= 0.8) {
    if (auto parent = ByDistance(state, run, pool)) return parent;
  }
  return AnyOf(pool, rng);
}

}  // namespace server::loop
