// Which program the next one is made from, and by which tactic: pure functions of the fold and of
// numbers drawn for one decision.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "server/loop/spec.h"
#include "server/state/philox.h"
#include "server/state/state.h"

namespace server::loop {

// The named ways to make a program from others. What each does to a text is the generators' matter
// (server/generators); the loop knows how many parents it takes and whether it changes the
// structure.
struct Tactic {
  std::string_view name;
  double weight = 1;        // before anything is known of its return
  bool structural = false;  // meant to change the structure
  bool params = false;      // another member of the parent's family
  int parents = 1;
};
const std::vector<Tactic>& Tactics();
const Tactic* FindTactic(std::string_view name);

// The chance of each tactic, in the order of Tactics(): its weight times what its candidates came
// to so far. Only structural ones if `structural`; none that needs more parents than there are.
std::vector<double> TacticWeights(const state::Run& run, bool structural, size_t parents);

// How a parent was found.
inline constexpr std::string_view kByElite = "ELITE", kByRareCell = "RARE_CELL",
                                  kByOtherIsland = "OTHER_ISLAND", kByPromise = "PROMISE",
                                  kByNovelty = "NOVELTY", kByBest = "BEST", kBySeed = "SEED",
                                  kByRepair = "REPAIR", kByPassed = "PASSED";

// Programs of a run that a proposal can start from.
struct Pool {
  std::vector<const state::Variant*> right;   // found right by an evaluation
  std::vector<const state::Variant*> passed;  // accepted by the gates; those of `right` too
  std::vector<const state::Variant*> seeds;   // of `passed`: of candidates that somebody handed in
  std::vector<const state::Candidate*> broken;  // rejected, fixable, not repaired yet
};
Pool PoolOf(const state::State& state, const state::Run& run);

struct Parent {
  const state::Variant* variant = nullptr;
  std::string_view how;
};

// 50% an elite of the island by rank, 20% the elite of the least visited cell, 10% an elite of
// another island, 20% exploration: half by the model's doubt times its promise, half by novelty. A
// source that has nothing gives way to the next. `explore`: exploration and rare cells only, as
// when a plateau shows in too few cells. nullopt: nothing was accepted yet.
std::optional<Parent> SelectParent(const state::State& state, const state::Run& run,
                                   const RunSpec& spec, const Pool& pool, int64_t island,
                                   bool explore, state::Rng& rng);

// The elites of an island, best first, ties by canonical hash.
std::vector<const state::Variant*> ElitesOf(const state::State& state, const state::Run& run,
                                            int64_t island);

}  // namespace server::loop
