#include "server/state/shares.h"

#include <algorithm>

namespace server::state {
namespace {

constexpr int64_t kFirstCostNs = 1'000'000'000;  // of a run that nothing is known of

// The least served of those who have something to run, among the entries that `fits` chooses.
template <typename Shares, typename Fits>
void Join(Shares& shares, Share& mine, const Fits& fits) {
  if (mine.open++ > 0) return;
  int64_t least = INT64_MAX;
  for (const auto& [key, share] : shares) {
    if (&share != &mine && share.open > 0 && fits(key)) least = std::min(least, share.turn_ns);
  }
  if (least != INT64_MAX) mine.turn_ns = std::max(mine.turn_ns, least);
}

template <typename F>
void ForEach(State& state, const Job& job, const F& f) {
  f(state.experiment_shares[state.runs.at(job.run).experiment]);
  f(state.run_shares[job.run]);
  f(state.agent_shares[{job.run, state.AgentOf(job)}]);
}

}  // namespace

void ShareQueued(State& state, const Job& job) {
  const int64_t experiment = state.runs.at(job.run).experiment;
  Join(state.experiment_shares, state.experiment_shares[experiment], [](int64_t) { return true; });
  Join(state.run_shares, state.run_shares[job.run],
       [&](int64_t run) { return state.runs.at(run).experiment == experiment; });
  Join(state.agent_shares, state.agent_shares[{job.run, state.AgentOf(job)}],
       [&](const auto& key) { return key.first == job.run; });
}

void ShareCost(State& state, Job& job, int64_t ns) {
  job.cost_ns += ns;
  ForEach(state, job, [&](Share& share) {
    share.turn_ns += ns;
    share.served_ns += ns;
  });
}

void ShareEnded(State& state, const Job& job) {
  ForEach(state, job, [&](Share& share) {
    share.open = std::max<int64_t>(0, share.open - 1);
    share.jobs += job.cost_ns > 0 ? 1 : 0;
  });
}

int64_t ExpectedCostNs(const State& state, int64_t run) {
  const auto it = state.run_shares.find(run);
  if (it == state.run_shares.end() || it->second.jobs == 0) return kFirstCostNs;
  return it->second.served_ns / it->second.jobs;
}

}  // namespace server::state
