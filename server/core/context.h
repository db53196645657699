// What the parts of the core share, and the checks that every call makes.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "server/core/active_time.h"
#include "server/core/api.h"
#include "server/core/contracts.h"
#include "server/core/ledger.h"
#include "server/state/error.h"

namespace server::core {

struct Limits {
  int64_t lease_ttl_ms = 30'000;
  int64_t report_hold_ms = 5'000;
  int64_t infra_down_ms = 600'000;
  int64_t infra_backoff_us = 1'000'000;
  int64_t ungated_max = 512;     // candidates waiting for their gates, of one run
  int64_t gate_tasks_max = 8;    // handed to the gate children at a time
  int64_t check_slots = 8;       // Check calls that run at a time; more wait in line
  int64_t gate_crashes_max = 2;  // on one candidate
  int64_t watchers_max = 2048;
  int64_t caller_checks_max = 32;  // of a principal that has no quota of its own
  int64_t caller_open_max = 256;
  int64_t agent_open_max = 8;  // candidates of one session of an agent's token
  int64_t agent_checks_max = 2;
  int64_t shadow_candidates_min = 500;  // that a learnt rule is asked of before it is reviewed
  int64_t heartbeat_ms = 10'000;
};

struct Context {
  Ledger& ledger;
  Contracts& contracts;
  Limits limits;
  int64_t principal = 0;  // who makes the call that is being answered; else `local`
  bool draining = false;
  ActiveTime active = {};
  std::set<int64_t> ordered_runs = {};  // whose jobs are granted one after the other

  const state::State& state() const { return ledger.state(); }
};

// ^[A-Za-z0-9._-]{8,64}$
absl::Status CheckRequestId(const Meta& meta);
// DRAINING while the daemon stops.
absl::Status CheckServing(const Context& context);

store::Idempotency IdempotencyOf(const Context& context, std::string_view method, const Meta& meta);

// The run that a call means: by name, by experiment, or null when it names neither. NOT_FOUND names
// what does not exist; an experiment with several runs needs the run's name.
absl::StatusOr<const state::Run*> NamedRun(const state::State& state, const Meta& meta);

// Whether the call is made with an agent's token, which has limits of its own.
bool IsAgent(const Context& context);

// What the principal that makes the call may have open, all its sessions together.
struct Quota {
  int64_t weight = 1;      // its part of the gates' CPU time beside the others'
  int64_t checks_max = 0;  // running and waiting
  int64_t open_max = 0;    // candidates that are not judged yet; asked of agents
};
Quota QuotaOf(const Context& context);

// RUNNING or CONFIRMING: its jobs are given out.
bool IsLive(const state::Run& run);

// "r-7"
std::string RunName(int64_t run);

// The evidence that the run came with; nullopt: it ran here.
std::optional<state::Import> ImportOf(const state::State& state, const state::Run& run);

// Whether the worker's device gets no work: it lost too many jobs, or its worker says that it is
// ill.
bool IsQuarantined(const state::State& state, const state::Worker& worker);

// A worker that answers from recorded evaluations has this capability with its architecture, and
// none to run anything: a job that needs it gets replayed answers and nothing else does.
inline constexpr std::string_view kReplayCapability = "replay:";
// Of a GPU worker whose sandbox is closed enough for hand-written device code.
inline constexpr std::string_view kDirectCapability = "direct-cuda";
bool Replays(const state::Worker& worker);
bool IsReplayed(const state::Job& job);

// Workers that serve, on a device that is not quarantined, and have every capability of `needs`.
bool AnyWorkerFor(const state::State& state, const std::vector<std::string>& needs);

}  // namespace server::core
