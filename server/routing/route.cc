#include "server/routing/route.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "absl/strings/str_cat.h"
#include "store/store.h"

namespace server::routing {
namespace {

using store::Blame;
using store::Verdict;

constexpr std::string_view kProofWrong = "a proved property failed";

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

bool IsVariation(Verdict verdict) {
  return verdict == Verdict::kRaceObserved || verdict == Verdict::kNondeterministic;
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

// A right program teaches too: the model when it was wrong of it, the tactic when it gained
// nothing.
Route OfRight(const Evidence& e) {
  Route route{e.verdict, Blame::kNone, "", "", false};
  if (e.mispredicted) {
    route.to = "cost-model";
    route.title = "measured outside three predicted intervals: refit";
    route.candidates_min = kRefitCandidatesMin;
  } else if (e.misattributed) {
    route.to = "cost-model";
    route.title = "the profile shows another bottleneck than predicted";
  } else if (e.advised && !e.gained) {
    route.to = "tactic";
  }
  return route;
}

}  // namespace

Route RouteOf(const Evidence& e) {
  const Verdict v = e.verdict;
  if (IsInfra(v)) return {v, Blame::kInfra, "worker", "", false};
  if (v == Verdict::kCancelled) return {v, Blame::kNone, "", "", false};
  if (e.device_suspect) return {Verdict::kMeasurementFault, Blame::kInfra, "worker", "", false};
  if (e.gates == Gates::kRejected) {
    if (e.audit && IsRight(v) && !e.varies) {
      return {v, Blame::kSystem, "verifier", "rejected, but right when run", true};
    }
    return {v, Blame::kCandidate, "candidate", "", false};
  }
  if (e.gates == Gates::kNone && !IsRight(v)) return {v, Blame::kCandidate, "candidate", "", false};
  const bool wrong_there = e.on_machine || e.machine == Machine::kWrong;
  if (wrong_there && (IsWrong(v) || IsVariation(v))) return WrongOnDevice(e);
  if (v == Verdict::kLoweringFailed) {
    if (e.over_limit) {
      return {v, Blame::kSystem, "verifier", "passed the gates, over a limit of the hardware",
              true};
    }
    return {v, Blame::kSystem, "vocabulary", "passed the gates, refused by the assembler", true};
  }
  if (v == Verdict::kCompileLimit) {
    return {v, Blame::kSystem, "verifier", "passed the gates, over a compile limit", true};
  }
  if (IsVariation(v) || (e.varies && !IsFault(v))) {
    // The gates answer for what is right where it runs in order; of another program nobody knows
    // whether its values are.
    if (e.machine == Machine::kNotRun)
      return {v, Blame::kCandidate, "verifier", "results vary, machine not run", false};
    return {v, Blame::kSystem, "verifier", "accepted, but its results vary", true};
  }
  if (IsFault(v)) {
    if (e.proved) return {v, Blame::kSystem, "verifier", kProofWrong, true};
    return {v, Blame::kCandidate, "verifier", "fault that the gates did not foresee", false};
  }
  if (IsWrong(v)) return WrongOnDevice(e);
  if (v == Verdict::kContractSuspect) {
    return {v, Blame::kContract, "contract", "wrong within twice the tolerance", true};
  }
  if (v == Verdict::kImpossibleSpeed) {
    return {v, Blame::kNone, "oracle", "faster than physics", true};
  }
  return IsRight(v) ? OfRight(e) : Route{v, Blame::kNone, "", "", false};
}

Route VocabularyRoute(Verdict verdict) {
  Route route{verdict, Blame::kCandidate, "vocabulary", "a form that the gates cannot resolve",
              false};
  route.candidates_min = kVocabularyLineagesMin;
  route.lineages_min = kVocabularyLineagesMin;
  return route;
}

bool Mispredicted(double measured_ns, double predicted_ns, double spread_log) {
  if (measured_ns <= 0 || predicted_ns <= 0 || spread_log <= 0) return false;
  // The interval reaches half its width to either side.
  return std::abs(std::log(measured_ns / predicted_ns)) > 3 * (spread_log / 2);
}

std::string SoundnessTitle(std::string_view property) {
  return absl::StrCat(std::string(kProofWrong), ": ", std::string(property));
}

bool IsSoundness(std::string_view title) { return title.starts_with(kProofWrong); }

bool IsDistrusted(const state::State& state, std::string_view property) {
  const std::string title = SoundnessTitle(property);
  return std::any_of(state.findings.begin(), state.findings.end(), [&](const auto& entry) {
    return entry.second.title == title && entry.second.state != "CLOSED";
  });
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

std::string FailureFingerprint(const Failure& failure) {
  std::string key;
  for (const std::string_view part : {failure.stage, store::ToString(failure.verdict), failure.code,
                                      failure.form, failure.roles}) {
    key += std::string(part) + '\n';
  }
  return store::Sha256Hex(key).substr(0, 16);
}

std::string FormAt(std::string_view source, int64_t begin, int64_t end) {
  if (begin < 0 || end <= begin || end > static_cast<int64_t>(source.size())) return "";
  const auto separates = [](char c) { return c == '\n' || c == ';' || c == '{' || c == '}'; };
  auto at = static_cast<size_t>(begin);
  while (at > 0 && !separates(source[at - 1])) --at;
  while (at < source.size() && (source[at] == ' ' || source[at] == '\t')) ++at;
  size_t stop = at;
  const auto in_word = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '.';
  };
  while (stop < source.size() && in_word(source[stop])) ++stop;
  return std::string(source.substr(at, std::min<size_t>(stop - at, 32)));
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
  const bool enough = cases.size() >= route.candidates_min && lineages.size() >= route.lineages_min;
  if (!enough && !route.at_once) return std::nullopt;
  return store::FindingOpened{.fingerprint = fingerprint,
                              .route = std::string(route.to),
                              .title = std::string(route.title),
                              .candidates = {cases.begin(), cases.end()}};
}

}  // namespace server::routing
