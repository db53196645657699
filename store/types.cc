#include "store/types.h"

#include <charconv>
#include <cstdlib>
#include <iterator>
#include <span>

#include "absl/strings/str_cat.h"

namespace store {
namespace {

// Names in the order of each enum.
constexpr std::string_view kVerdicts[] = {"",
                                          "REJECTED_SYNTAX",
                                          "REJECTED_TYPE",
                                          "REJECTED_SAFETY",
                                          "REJECTED_HARDWARE",
                                          "REJECTED_DATA",
                                          "REJECTED_SCHEDULE",
                                          "REJECTED_UNPROVEN",
                                          "REJECTED_LIMIT",
                                          "DUPLICATE",
                                          "RANKED_OUT",
                                          "LOWERING_FAILED",
                                          "COMPILE_LIMIT",
                                          "LAUNCH_FAILED",
                                          "DEVICE_FAULT",
                                          "HANG",
                                          "WRONG_RESULT",
                                          "INCOMPLETE_OUTPUT",
                                          "OUT_OF_BOUNDS_WRITE",
                                          "INPUT_MODIFIED",
                                          "NONDETERMINISTIC",
                                          "RACE_OBSERVED",
                                          "STALE_OUTPUT",
                                          "MACHINE_DISAGREES",
                                          "CONTRACT_SUSPECT",
                                          "MEASUREMENT_FAULT",
                                          "IMPOSSIBLE_SPEED",
                                          "CORRECT",
                                          "IMPROVED",
                                          "CONFIRMED",
                                          "INFRA_WORKER_LOST",
                                          "INFRA_DEVICE",
                                          "INFRA_TOOLCHAIN",
                                          "INFRA_POISON_JOB",
                                          "CANCELLED"};
constexpr std::string_view kBlames[] = {"", "NONE", "CANDIDATE", "SYSTEM", "CONTRACT", "INFRA"};
constexpr std::string_view kPurposes[] = {"SEARCH", "CONFIRM",  "RECHECK",
                                          "AUDIT",  "BASELINE", "CALIBRATE"};
constexpr std::string_view kJobStates[] = {"QUEUED", "LEASED", "DONE", "CANCELLED", "POISONED"};
constexpr std::string_view kRunStates[] = {"CREATED", "RUNNING", "PAUSED", "CONFIRMING", "STOPPED"};
constexpr std::string_view kStages[] = {"QUEUE", "GATES", "COMPILE", "ORACLE", "TIMING", "PROFILE"};
constexpr std::string_view kStageEnds[] = {"OK", "LIMIT", "FAULT", "CANCELLED", "NOT_RUN"};
constexpr std::string_view kScoreSources[] = {"NONE",           "MEASURED",  "ESTIMATED",
                                              "MACHINE_CYCLES", "SIMULATED", "REPLAY"};
constexpr std::string_view kUsageSources[] = {"PROVIDER", "AGENT", "COUNTED", "ESTIMATED"};
constexpr std::string_view kLeaseStates[] = {"OPEN", "DONE", "LOST"};

constexpr std::span<const std::string_view> Names(Verdict) { return kVerdicts; }
constexpr std::span<const std::string_view> Names(Blame) { return kBlames; }
constexpr std::span<const std::string_view> Names(Purpose) { return kPurposes; }
constexpr std::span<const std::string_view> Names(JobState) { return kJobStates; }
constexpr std::span<const std::string_view> Names(RunState) { return kRunStates; }
constexpr std::span<const std::string_view> Names(Stage) { return kStages; }
constexpr std::span<const std::string_view> Names(StageEnd) { return kStageEnds; }
constexpr std::span<const std::string_view> Names(ScoreSource) { return kScoreSources; }
constexpr std::span<const std::string_view> Names(UsageSource) { return kUsageSources; }
constexpr std::span<const std::string_view> Names(LeaseState) { return kLeaseStates; }

template <typename E>
std::string_view NameOf(E value) {
  const auto names = Names(value);
  const size_t index = static_cast<size_t>(value);
  if (index >= names.size()) std::abort();  // a value outside its closed list is a bug of ours
  return names[index];
}

std::optional<int64_t> ParsePositive(std::string_view text) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 1) return std::nullopt;
  return value;
}

}  // namespace

std::string_view ToString(Verdict value) { return NameOf(value); }
std::string_view ToString(Blame value) { return NameOf(value); }
std::string_view ToString(Purpose value) { return NameOf(value); }
std::string_view ToString(JobState value) { return NameOf(value); }
std::string_view ToString(RunState value) { return NameOf(value); }
std::string_view ToString(Stage value) { return NameOf(value); }
std::string_view ToString(StageEnd value) { return NameOf(value); }
std::string_view ToString(ScoreSource value) { return NameOf(value); }
std::string_view ToString(UsageSource value) { return NameOf(value); }
std::string_view ToString(LeaseState value) { return NameOf(value); }

template <typename E>
std::optional<E> ParseEnum(std::string_view text) {
  const auto names = Names(E{});
  for (size_t i = 0; i < names.size(); ++i) {
    if (names[i] == text) return static_cast<E>(i);
  }
  return std::nullopt;
}
template std::optional<Verdict> ParseEnum(std::string_view);
template std::optional<Blame> ParseEnum(std::string_view);
template std::optional<Purpose> ParseEnum(std::string_view);
template std::optional<JobState> ParseEnum(std::string_view);
template std::optional<RunState> ParseEnum(std::string_view);
template std::optional<Stage> ParseEnum(std::string_view);
template std::optional<StageEnd> ParseEnum(std::string_view);
template std::optional<ScoreSource> ParseEnum(std::string_view);
template std::optional<UsageSource> ParseEnum(std::string_view);
template std::optional<LeaseState> ParseEnum(std::string_view);

int VerdictRank(Verdict verdict) {
  switch (verdict) {
    case Verdict::kPending: return 0;
    case Verdict::kCancelled: return 1;
    case Verdict::kDuplicate: return 2;
    case Verdict::kRejectedSyntax:
    case Verdict::kRejectedType:
    case Verdict::kRejectedSafety:
    case Verdict::kRejectedHardware:
    case Verdict::kRejectedData:
    case Verdict::kRejectedSchedule:
    case Verdict::kRejectedUnproven:
    case Verdict::kRejectedLimit: return 3;
    case Verdict::kRankedOut: return 4;
    case Verdict::kLoweringFailed:
    case Verdict::kCompileLimit: return 5;
    case Verdict::kLaunchFailed:
    case Verdict::kDeviceFault:
    case Verdict::kHang:
    case Verdict::kWrongResult:
    case Verdict::kIncompleteOutput:
    case Verdict::kOutOfBoundsWrite:
    case Verdict::kInputModified:
    case Verdict::kNondeterministic:
    case Verdict::kRaceObserved:
    case Verdict::kStaleOutput: return 6;
    case Verdict::kMeasurementFault:
    case Verdict::kInfraWorkerLost:
    case Verdict::kInfraDevice:
    case Verdict::kInfraToolchain:
    case Verdict::kInfraPoisonJob: return 7;
    case Verdict::kMachineDisagrees:
    case Verdict::kContractSuspect:
    case Verdict::kImpossibleSpeed: return 8;
    case Verdict::kCorrect: return 9;
    case Verdict::kImproved: return 10;
    case Verdict::kConfirmed: return 11;
  }
  std::abort();
}

bool IsReject(Verdict verdict) { return VerdictRank(verdict) == 3; }

std::string CandidateName(int64_t run, int64_t n) { return absl::StrCat("c-", run, "-", n); }

std::optional<CandidateKey> ParseCandidateName(std::string_view text) {
  if (text.substr(0, 2) != "c-") return std::nullopt;
  const std::string_view rest = text.substr(2);
  const size_t dash = rest.find('-');
  if (dash == std::string_view::npos) return std::nullopt;
  const auto run = ParsePositive(rest.substr(0, dash));
  const auto n = ParsePositive(rest.substr(dash + 1));
  if (!run || !n) return std::nullopt;
  return CandidateKey{*run, *n};
}

std::string RowName(char letter, int64_t id) {
  return absl::StrCat(std::string(1, letter), "-", id);
}

std::optional<int64_t> ParseRowName(char letter, std::string_view text) {
  if (text.size() < 3 || text[0] != letter || text[1] != '-') return std::nullopt;
  return ParsePositive(text.substr(2));
}

}  // namespace store
