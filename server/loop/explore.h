// What a search does not know, in numbers: how unsure the model is of a program, how likely it
// beats the best, how far it lies from all that was tried.
#pragma once

#include <vector>

#include "server/state/philox.h"
#include "server/state/state.h"

namespace server::loop {

// Probability that a program with this estimate is faster than `best_ns`, its logarithm being
// normal with the estimate's 80% interval. 0 without an estimate; 0.5 where it is sure and equal.
double ChanceToBeat(const state::Variant& variant, double best_ns);

// The interval's width times ChanceToBeat: what the half of exploration that trusts the model draws
// by.
double Promise(const state::Variant& variant, double best_ns);

// The smallest distance to any of `tried`; a large number where nothing was.
double Novelty(const state::Variant& variant, const std::vector<const state::Variant*>& tried);

// An index drawn with these weights, none negative; by equal chances where all are 0. Requires
// some.
size_t DrawByWeight(const std::vector<double>& weights, state::Rng& rng);

// The newest charged programs of a run, at most kTriedMax: enough for distances.
inline constexpr size_t kTriedMax = 256;
std::vector<const state::Variant*> TriedOf(const state::State& state, const state::Run& run);

// The smallest predicted time of the programs that were found right; 0: none.
double BestPredictedNs(const state::State& state, const state::Run& run);

}  // namespace server::loop
