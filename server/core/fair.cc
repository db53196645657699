// Whose job is next: deficit round robin over experiments, the runs of one, the agents of that, on
// the time of devices that each has had; inside an agent's queue by priority, then by age.
#include <algorithm>
#include <tuple>

#include "server/core/leasing.h"
#include "server/state/shares.h"

namespace server::core {
namespace {

bool HasAll(const std::vector<std::string>& has, const std::vector<std::string>& needs) {
  return std::all_of(needs.begin(), needs.end(), [&](const std::string& need) {
    return std::find(has.begin(), has.end(), need) != has.end();
  });
}

// Whether a job of the run is decided and not queued yet.
bool HasPending(const state::State& state, int64_t run) {
  for (const int64_t id : state.runs.at(run).open) {
    for (const int64_t variant : state.candidates.at(id).variants) {
      if (!state.variants.at(variant).pending.empty()) return true;
    }
  }
  return false;
}

// What the jobs that are out will cost beyond what is known of them.
struct Out {
  std::map<int64_t, int64_t> experiments, runs;
  std::map<std::pair<int64_t, std::string>, int64_t> agents;
};

Out OutNow(const state::State& state) {
  Out out;
  for (const int64_t lease : state.open_leases) {
    const state::Job& job = state.jobs.at(state.leases.at(lease).job);
    const int64_t ns = std::max<int64_t>(1, state::ExpectedCostNs(state, job.run) - job.cost_ns);
    out.experiments[state.runs.at(job.run).experiment] += ns;
    out.runs[job.run] += ns;
    out.agents[{job.run, state.AgentOf(job)}] += ns;
  }
  return out;
}

template <typename Shares, typename OutMap, typename Key>
int64_t TurnOf(const Shares& shares, const OutMap& out, const Key& key) {
  const auto share = shares.find(key);
  const auto extra = out.find(key);
  return (share == shares.end() ? 0 : share->second.turn_ns) +
         (extra == out.end() ? 0 : extra->second);
}

}  // namespace

std::vector<const state::Job*> Leasing::Runnable(const state::Worker& worker) const {
  const state::State& state = c_.state();
  const int64_t now_us = c_.ledger.NowUs();
  std::vector<const state::Job*> runnable;
  std::set<int64_t> seen;  // ordered runs of which an earlier job waits or runs
  for (const int64_t lease : state.open_leases) {
    seen.insert(state.jobs.at(state.leases.at(lease).job).run);
  }
  for (const int64_t id : state.queued_jobs) {
    const state::Job& job = state.jobs.at(id);
    // In order: results come in the order of the slots, after all of them have their jobs.
    if (c_.ordered_runs.contains(job.run) &&
        (!seen.insert(job.run).second || HasPending(state, job.run))) {
      continue;
    }
    if (job.not_before_us <= now_us && IsLive(state.runs.at(job.run)) &&
        HasAll(worker.capabilities, job.needs)) {
      runnable.push_back(&job);
    }
  }
  return runnable;
}

const state::Job* Leasing::Choose(const state::Worker& worker) const {
  const state::State& state = c_.state();
  const std::vector<const state::Job*> runnable = Runnable(worker);
  if (runnable.empty()) return nullptr;
  const Out out = OutNow(state);
  using Place =
      std::tuple<int64_t, int64_t, int64_t, int64_t, int64_t, std::string, int64_t, int64_t>;
  const state::Job* best = nullptr;
  Place first;
  for (const state::Job* job : runnable) {
    const int64_t experiment = state.runs.at(job->run).experiment;
    std::string agent = state.AgentOf(*job);
    const int64_t agent_turn = TurnOf(state.agent_shares, out.agents, std::pair(job->run, agent));
    Place place{TurnOf(state.experiment_shares, out.experiments, experiment),
                experiment,
                TurnOf(state.run_shares, out.runs, job->run),
                job->run,
                agent_turn,
                std::move(agent),
                -job->priority,
                job->id};
    if (best != nullptr && first <= place) continue;
    best = job;
    first = std::move(place);
  }
  return best;
}

}  // namespace server::core
