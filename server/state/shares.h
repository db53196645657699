// Deficit round robin as a fold: who has had how much of the devices. Called by Apply and by
// nothing else.
#pragma once

#include "server/state/state.h"

namespace server::state {

// A job was queued: whoever had nothing to run until now stands where the least served one stands.
void ShareQueued(State& state, const Job& job);
// So much time of a device went into it.
void ShareCost(State& state, Job& job, int64_t ns);
// It has ended, with whatever result.
void ShareEnded(State& state, const Job& job);

// What one more job of the run will cost: the mean of those before it.
int64_t ExpectedCostNs(const State& state, int64_t run);

}  // namespace server::state
