#include "server/core/context.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace server::core {
namespace {

constexpr size_t kRequestIdMin = 8, kRequestIdMax = 64;

bool IsRequestIdChar(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
         c == '_' || c == '-';
}

}  // namespace

absl::Status CheckRequestId(const Meta& meta) {
  const std::string& id = meta.request_id;
  if (id.size() < kRequestIdMin || id.size() > kRequestIdMax ||
      !std::all_of(id.begin(), id.end(), IsRequestIdChar)) {
    return state::BadField("meta.request_id", "must match ^[A-Za-z0-9._-]{8,64}$");
  }
  return absl::OkStatus();
}

absl::Status CheckServing(const Context& context) {
  if (!context.draining) return absl::OkStatus();
  return state::Error(state::Reason::kDraining, "the daemon is stopping");
}

store::Idempotency IdempotencyOf(const Context& context, std::string_view method,
                                 const Meta& meta) {
  return {context.principal, std::string(method), meta.request_id, meta.request_hash};
}

std::optional<state::Import> ImportOf(const state::State& state, const state::Run& run) {
  if (run.import == 0) return std::nullopt;
  return state.imports.at(run.import);
}

bool IsAgent(const Context& context) {
  const auto it = context.state().principals.find(context.principal);
  return it != context.state().principals.end() && it->second.role == "agent";
}

Quota QuotaOf(const Context& context) {
  Quota quota{1, context.limits.caller_checks_max, context.limits.caller_open_max};
  const auto it = context.state().principals.find(context.principal);
  if (it == context.state().principals.end()) return quota;
  if (it->second.weight > 0) quota.weight = it->second.weight;
  if (it->second.checks_max > 0) quota.checks_max = it->second.checks_max;
  if (it->second.open_max > 0) quota.open_max = it->second.open_max;
  return quota;
}

bool IsLive(const state::Run& run) {
  return run.state == store::RunState::kRunning || run.state == store::RunState::kConfirming;
}

std::string RunName(int64_t run) { return store::RowName('r', run); }

absl::StatusOr<const state::Run*> NamedRun(const state::State& state, const Meta& meta) {
  if (!meta.run.empty()) {
    const auto id = store::ParseRowName('r', meta.run);
    const auto it = id ? state.runs.find(*id) : state.runs.end();
    if (it == state.runs.end()) return state::NotFound("run", meta.run);
    return &it->second;
  }
  if (meta.experiment.empty()) return nullptr;
  const state::Experiment* experiment = state.FindExperiment(meta.experiment);
  if (experiment == nullptr) return state::NotFound("experiment", meta.experiment);
  const state::Run* found = nullptr;
  for (const auto& [id, run] : state.runs) {
    if (run.experiment != experiment->id) continue;
    if (found != nullptr) {
      return state::BadField(
          "meta.run", absl::StrCat("experiment ", meta.experiment, " has several runs: name one"));
    }
    found = &run;
  }
  return found;
}

bool IsQuarantined(const state::State& state, const state::Worker& worker) {
  const auto device = state.devices.find(worker.device);
  return worker.state == "QUARANTINE" ||
         (device != state.devices.end() && device->second.state == "QUARANTINED");
}

namespace {

bool AnyReplay(const std::vector<std::string>& words) {
  return std::any_of(words.begin(), words.end(),
                     [](const std::string& word) { return word.starts_with(kReplayCapability); });
}

}  // namespace

bool Replays(const state::Worker& worker) { return AnyReplay(worker.capabilities); }
bool IsReplayed(const state::Job& job) { return AnyReplay(job.needs); }

bool AnyWorkerFor(const state::State& state, const std::vector<std::string>& needs) {
  for (const auto& [id, worker] : state.workers) {
    if (worker.state != "SERVE" || IsQuarantined(state, worker)) continue;
    const auto has = [&](const std::string& need) {
      return std::find(worker.capabilities.begin(), worker.capabilities.end(), need) !=
             worker.capabilities.end();
    };
    if (std::all_of(needs.begin(), needs.end(), has)) return true;
  }
  return false;
}

}  // namespace server::core
