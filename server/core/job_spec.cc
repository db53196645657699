#include "server/core/job_spec.h"

#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"
#include "compiler/arch/device.h"
#include "server/core/context.h"
#include "server/state/philox.h"
#include "store/store.h"

namespace server::core {
namespace {

using nlohmann::json;

enum class Serving : uint8_t { kMeasures, kSimulates, kReplays };

// The architecture of a serving worker that may run the program; "" if there is none.
std::string ServingArch(const state::State& state, std::string_view program_arch, Serving kind) {
  for (const auto& [id, worker] : state.workers) {
    const auto device = state.devices.find(worker.device);
    if (worker.state != "SERVE" || device == state.devices.end()) continue;
    const state::Device& d = device->second;
    const Serving serving = Replays(worker) ? Serving::kReplays
                            : d.simulated   ? Serving::kSimulates
                                            : Serving::kMeasures;
    if (serving != kind || d.state != "HEALTHY" || d.arch.empty()) continue;
    if (compiler::arch::Admits(program_arch, d.arch)) return d.arch;
  }
  return "";
}

// The reference machine times nothing, so it needs no baseline.
std::string BaselineHash(const JobInputs& in) {
  const bool timed = in.target.protocol != kMachineProtocol;
  return timed && !in.contract->baseline_source.empty()
             ? store::HashOf(in.contract->baseline_source).hex
             : "";
}

json BindingJson(const state::Variant& variant) {
  json binding = json::object();
  const json values = json::parse(variant.params_json, nullptr, false);
  if (values.is_object()) {
    for (const auto& [name, value] : values.items()) binding[name] = value.dump();
  }
  return binding;
}

}  // namespace

std::string IncumbentId(const state::Variant& variant) { return absl::StrCat("v-", variant.id); }

JobTarget TargetOf(const state::State& state, const state::Run& run, const Contract& contract,
                   std::string_view program_arch, store::Purpose purpose, bool direct) {
  JobTarget target;
  if (store::HasRatios(run.objective)) {
    const bool replayed = run.objective == store::ScoreSource::kReplay;
    target.arch =
        ServingArch(state, program_arch, replayed ? Serving::kReplays : Serving::kMeasures);
    if (target.arch.empty()) target.arch = std::string(program_arch);
    target.protocol = contract.workload.protocol;
    target.needs = {
        absl::StrCat(replayed ? std::string(kReplayCapability) : std::string("run:"), target.arch)};
    if (purpose == store::Purpose::kAudit) target.needs.push_back(std::string(kAuditCapability));
    target.cases = MachineCases(contract);
    const auto device = DeviceCases(contract, purpose == store::Purpose::kConfirm);
    target.cases.insert(target.cases.end(), device.begin(), device.end());
    if (direct && !replayed) target.needs.emplace_back(kDirectCapability);
    return target;
  }
  target.protocol = std::string(kMachineProtocol);
  target.cases = MachineCases(contract);
  target.needs = {std::string(kMachineCapability)};
  if (purpose == store::Purpose::kAudit) target.needs.push_back(std::string(kAuditCapability));
  if (!direct && AnyWorkerFor(state, target.needs)) return target;
  target.arch = ServingArch(state, program_arch, Serving::kSimulates);
  if (!target.arch.empty()) target.needs = {absl::StrCat("run:", target.arch)};
  if (direct) target.needs.emplace_back(kDirectCapability);
  return target;
}

std::string JobSpecJson(const JobInputs& in) {
  const GateReply& lowered = *in.lowered;
  const bool confirm = in.purpose == store::Purpose::kConfirm;
  json spec = {
      {"candidate", in.candidate->Name()},
      {"canonical_ir", in.candidate->IsDirect() ? "" : in.candidate->source_hash.hex},
      {"binding", BindingJson(*in.variant)},
      {"cuda", lowered.cuda.empty() ? "" : store::HashOf(lowered.cuda).hex},
      {"arch", in.target.arch.empty() ? lowered.arch : in.target.arch},
      {"compile_options", lowered.compile_options},
      {"contract_hash", in.contract->hash},
      {"contract", in.contract_object.hex},
      {"cases", in.target.cases},
      {"protocol", in.target.protocol},
      {"seed", absl::StrCat(in.seed)},
      {"seeds_commit", store::Sha256Hex(absl::StrCat(in.seed))},
      {"purpose", absl::StrCat("PURPOSE_", std::string(store::ToString(in.purpose)))},
      {"child",
       {{"fresh", confirm || in.purpose == store::Purpose::kAudit || in.candidate->IsDirect()},
        {"sandbox_min", in.candidate->IsDirect() ? "L3" : "L1"},
        {"memory_bytes", "4294967296"},
        {"max_candidates", 32}}},
      {"needs", in.target.needs},
      {"program_id", lowered.program_id},
      {"baseline", BaselineHash(in)},
  };
  if (in.incumbent != nullptr) {
    spec["incumbent"] = in.incumbent_of->source_hash.hex;
    spec["incumbent_binding"] = BindingJson(*in.incumbent);
    spec["incumbent_id"] = IncumbentId(*in.incumbent);
  }
  return spec.dump();
}

void AddIncumbent(const state::State& state, const state::Run& run, JobInputs& inputs) {
  if (inputs.purpose != store::Purpose::kSearch || inputs.target.protocol == kMachineProtocol ||
      !run.best || run.best->variant == inputs.variant->id)
    return;
  const state::Variant& best = state.variants.at(run.best->variant);
  const state::Candidate& candidate = state.candidates.at(best.candidate);
  if (candidate.IsDirect()) return;
  inputs.incumbent = &best;
  inputs.incumbent_of = &candidate;
}

uint64_t InputsSeed(const state::Run& run, int64_t decision, store::Purpose purpose,
                    const state::Candidate& candidate) {
  constexpr int64_t kCandidatesASeed = 64;
  constexpr uint64_t kNoRun = 0;  // runs count from 1
  const bool shares = purpose == store::Purpose::kSearch && !candidate.IsDirect();
  const int64_t started = run.started_top + run.started_explore;
  state::Rng rng(run.seed, shares ? kNoRun : static_cast<uint64_t>(run.id),
                 static_cast<uint64_t>(shares ? (started - 1) / kCandidatesASeed : decision),
                 state::DrawFor::kInputs);
  return rng.Next() >> 11;  // exact as a JSON number
}

int64_t PriorityOf(store::Purpose purpose) {
  switch (purpose) {
    case store::Purpose::kRecheck: return 50;
    case store::Purpose::kConfirm: return 40;
    case store::Purpose::kBaseline: return 30;
    case store::Purpose::kSearch: return 20;
    case store::Purpose::kCalibrate: return 15;
    case store::Purpose::kAudit: return 10;
  }
  return 0;
}

}  // namespace server::core
