#include "runner/contract/verdict.h"

#include <array>

namespace runner::contract {
namespace {

constexpr std::array<std::string_view, kVerdicts> kVerdictWords = {
    "REJECTED_SYNTAX",   "REJECTED_TYPE",     "REJECTED_SAFETY",
    "REJECTED_HARDWARE", "REJECTED_DATA",     "REJECTED_SCHEDULE",
    "REJECTED_UNPROVEN", "REJECTED_LIMIT",    "DUPLICATE",
    "RANKED_OUT",        "LOWERING_FAILED",   "COMPILE_LIMIT",
    "LAUNCH_FAILED",     "DEVICE_FAULT",      "HANG",
    "WRONG_RESULT",      "INCOMPLETE_OUTPUT", "OUT_OF_BOUNDS_WRITE",
    "INPUT_MODIFIED",    "NONDETERMINISTIC",  "RACE_OBSERVED",
    "STALE_OUTPUT",      "MACHINE_DISAGREES", "CONTRACT_SUSPECT",
    "MEASUREMENT_FAULT", "IMPOSSIBLE_SPEED",  "CORRECT",
    "IMPROVED",          "CONFIRMED",         "INFRA_WORKER_LOST",
    "INFRA_DEVICE",      "INFRA_TOOLCHAIN",   "INFRA_POISON_JOB",
    "CANCELLED"};
constexpr std::array<std::string_view, kBlames> kBlameWords = {"CANDIDATE", "SYSTEM", "CONTRACT",
                                                               "INFRA", "NONE"};

template <typename Enum, size_t kCount>
std::optional<Enum> Find(const std::array<std::string_view, kCount>& words, std::string_view word) {
  for (size_t i = 0; i < kCount; ++i) {
    if (words[i] == word) return static_cast<Enum>(i);
  }
  return std::nullopt;
}

}  // namespace

std::string_view ToString(Verdict verdict) { return kVerdictWords[static_cast<size_t>(verdict)]; }
std::string_view ToString(Blame blame) { return kBlameWords[static_cast<size_t>(blame)]; }
std::optional<Verdict> ParseVerdict(std::string_view word) {
  return Find<Verdict>(kVerdictWords, word);
}
std::optional<Blame> ParseBlame(std::string_view word) { return Find<Blame>(kBlameWords, word); }

Blame DefaultBlame(Verdict verdict) {
  switch (verdict) {
    case Verdict::kRejectedSyntax:
    case Verdict::kRejectedType:
    case Verdict::kRejectedSafety:
    case Verdict::kRejectedHardware:
    case Verdict::kRejectedData:
    case Verdict::kRejectedSchedule:
    case Verdict::kRejectedUnproven:
    case Verdict::kRejectedLimit:
    case Verdict::kDuplicate:
    case Verdict::kLaunchFailed:
    case Verdict::kDeviceFault:
    case Verdict::kHang:
    case Verdict::kWrongResult:
    case Verdict::kIncompleteOutput:
    case Verdict::kOutOfBoundsWrite:
    case Verdict::kInputModified:
    case Verdict::kNondeterministic:
    case Verdict::kRaceObserved:
    case Verdict::kStaleOutput: return Blame::kCandidate;
    case Verdict::kLoweringFailed:
    case Verdict::kCompileLimit:  // as with a refusal: the gates let it pass
    case Verdict::kMachineDisagrees: return Blame::kSystem;
    case Verdict::kContractSuspect: return Blame::kContract;
    case Verdict::kMeasurementFault:
    case Verdict::kInfraWorkerLost:
    case Verdict::kInfraDevice:
    case Verdict::kInfraToolchain:
    case Verdict::kInfraPoisonJob: return Blame::kInfra;
    case Verdict::kRankedOut:
    case Verdict::kImpossibleSpeed:
    case Verdict::kCorrect:
    case Verdict::kImproved:
    case Verdict::kConfirmed:
    case Verdict::kCancelled: return Blame::kNone;
  }
  return Blame::kNone;
}

bool NeedsSecondAttempt(Verdict verdict) {
  return verdict == Verdict::kHang || verdict == Verdict::kDeviceFault;
}

std::string_view ToString(Source source) {
  constexpr std::array<std::string_view, 4> kWords = {"MEASURED", "ESTIMATED", "MACHINE_CYCLES",
                                                      "SIMULATED"};
  return kWords[static_cast<size_t>(source)];
}

}  // namespace runner::contract
