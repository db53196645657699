#include "server/routing/route.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "absl/strings/str_cat.h"
#include "store/store.h"

namespace server::routing {
namespace {

using store::Blame;
using store::Verdict;

bool IsInfra(Verdict verdict) {
  return verdict == Verdict::kInfraWorkerLost || verdict == Verdict::kInfraDevice ||
         verdict == Verdict::kInfraToolchain || verdict == Verdict::kInfraPoisonJob ||
         verdict == Verdict::kMeasurementFault;
}

bool IsWrong(Verdict verdict) {
  return verdict == Verdict::kWrongResult || verdict == Verdict::kIncompleteOutput ||
         verdict == Verdict::kStaleOutput || verdict == Verdict::kInputModified ||
         verdict == Verdict::kMachineDisagrees;
}

bool IsFault(Verdict verdict) {
  return verdict == Verdict::kDeviceFault || verdict == Verdict::kHang ||
         verdict == Verdict::kLaunchFailed || verdict == Verdict::kOutOfBoundsWrite;
}

bool IsRight(Verdict verdict) {
  return store::VerdictRank(verdict) >= store::VerdictRank(Verdict::kCorrect);
}

Route WrongOnDevice(const Evidence& e) {
  if (e.on_machine || e.machine == Machine::kWrong) {
    const Verdict verdict =
        e.verdict == Verdict::kMachineDisagrees ? Verdict::kWrongResult : e.verdict;
    return {verdict, Blame::kCandidate, "candidate", "wrong numbers", false};
  }
  if (e.machine == Machine::kRight) {
    return {Verdict::kMachineDisagrees, Blame::kSystem, "lowering",
            "right on the machine, wrong on the device", true};
  }
  return {e.verdict, Blame::kCandidate, "verifier", "wrong on a device, machine not run", false};
}

}  // namespace

Route RouteOf(const Evidence& e) {
  const Verdict v = e.verdict;
  if (IsInfra(v)) return {v, Blame::kInfra, "worker", "", false};
  if (v == Verdict::kCancelled) return {v, Blame::kNone, "", "", false};
  if (e.gates == Gates::kRejected) {
    if (e.audit && IsRight(v)) {
      return {v, Blame::kSystem, "verifier", "rejected, but right when run", true};
    }
    return {v, Blame::kCandidate, "candidate", "", false};
  }
  if (e.gates == Gates::kNone && !IsRight(v)) return {v, Blame::kCandidate, "candidate", "", false};
  if (v == Verdict::kLoweringFailed) {
    return {v, Blame::kSystem, "vocabulary", "passed the gates, refused by the assembler", true};
  }
  if (v == Verdict::kCompileLimit) {
    return {v, Blame::kSystem, "verifier", "passed the gates, over a compile limit", true};
  }
  if (v == Verdict::kContractSuspect) {
    return {v, Blame::kContract, "contract", "wrong within twice the tolerance", true};
  }
  if (v == Verdict::kImpossibleSpeed) {
    return {v, Blame::kNone, "oracle", "faster than physics", true};
  }
  if (v == Verdict::kRaceObserved || v == Verdict::kNondeterministic || (e.varies && IsWrong(v))) {
    return {v, Blame::kSystem, "verifier", "accepted, but its results vary", true};
  }
  if (IsFault(v)) {
    if (e.proved) return {v, Blame::kSystem, "verifier", "a proved property failed", true};
    return {v, Blame::kCandidate, "verifier", "fault that the gates did not foresee", false};
  }
  if (IsWrong(v)) return WrongOnDevice(e);
  return {v, Blame::kNone, "", "", false};
}

std::string_view PropertyOf(Verdict verdict) {
  switch (verdict) {
    case Verdict::kDeviceFault:
    case Verdict::kOutOfBoundsWrite: return "bounds";
    case Verdict::kHang: return "deadlock";
    case Verdict::kRaceObserved:
    case Verdict::kNondeterministic: return "races";
    case Verdict::kLaunchFailed: return "resources";
    default: return "";
  }
}

bool IsProved(std::string_view member_report_json, std::string_view property) {
  if (property.empty()) return false;
  const auto report = nlohmann::json::parse(member_report_json, nullptr, false);
  if (!report.is_object() || !report.contains("properties")) return false;
  for (const auto& entry : report["properties"]) {
    if (!entry.is_object()) continue;
    if (entry.value("property", "") == property && entry.value("how", "") == "proved") return true;
  }
  return false;
}

std::string FailureFingerprint(std::string_view stage, Verdict verdict, std::string_view code,
                               std::string_view place) {
  const std::string key = std::string(stage) + '\n' + std::string(store::ToString(verdict)) + '\n' +
                          std::string(code) + '\n' + std::string(place);
  return store::Sha256Hex(key).substr(0, 16);
}

std::optional<store::EventBody> FindingAfter(const state::State& state,
                                             const std::string& fingerprint, int64_t candidate,
                                             const Route& route) {
  for (const auto& [id, finding] : state.findings) {
    if (finding.fingerprint != fingerprint) continue;
    if (finding.candidates.contains(candidate)) return std::nullopt;
    return store::FindingUpdated{.finding = id, .candidates = {candidate}};
  }
  if (route.title.empty()) return std::nullopt;
  std::set<int64_t> cases = {candidate};
  if (const auto it = state.failures.find(fingerprint); it != state.failures.end()) {
    cases.insert(it->second.begin(), it->second.end());
  }
  std::set<int64_t> lineages;
  for (const int64_t one : cases) lineages.insert(state.Lineage(one));
  const bool enough =
      cases.size() >= kFindingCandidatesMin && lineages.size() >= kFindingLineagesMin;
  if (!enough && !route.at_once) return std::nullopt;
  return store::FindingOpened{.fingerprint = fingerprint,
                              .route = std::string(route.to),
                              .title = std::string(route.title),
                              .candidates = {cases.begin(), cases.end()}};
}

}  // namespace server::routing
