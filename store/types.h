// The closed lists of words that events and rows are made of. Text form is upper case, as in SQL
// and JSON.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace store {

// How a candidate or variant ended. kPending (text "") until it has.
enum class Verdict : uint8_t {
  kPending,
  kRejectedSyntax,
  kRejectedType,
  kRejectedSafety,
  kRejectedHardware,
  kRejectedData,
  kRejectedSchedule,
  kRejectedUnproven,
  kRejectedLimit,
  kDuplicate,
  kRankedOut,
  kLoweringFailed,
  kCompileLimit,
  kLaunchFailed,
  kDeviceFault,
  kHang,
  kWrongResult,
  kIncompleteOutput,
  kOutOfBoundsWrite,
  kInputModified,
  kNondeterministic,
  kRaceObserved,
  kStaleOutput,
  kMachineDisagrees,
  kContractSuspect,
  kMeasurementFault,
  kImpossibleSpeed,
  kCorrect,
  kImproved,
  kConfirmed,
  kInfraWorkerLost,
  kInfraDevice,
  kInfraToolchain,
  kInfraPoisonJob,
  kCancelled,
};

// Whose fault it is. kUnset (text "") goes with kPending.
enum class Blame : uint8_t { kUnset, kNone, kCandidate, kSystem, kContract, kInfra };

enum class Purpose : uint8_t { kSearch, kConfirm, kRecheck, kAudit, kBaseline, kCalibrate };

enum class JobState : uint8_t { kQueued, kLeased, kDone, kCancelled, kPoisoned };

enum class RunState : uint8_t { kCreated, kRunning, kPaused, kConfirming, kStopped };

enum class Stage : uint8_t { kQueue, kGates, kCompile, kOracle, kTiming, kProfile };

enum class StageEnd : uint8_t { kOk, kLimit, kFault, kCancelled, kNotRun };

// Where a score comes from; scores of different sources never share an archive, a curve or a ratio.
// kNone: the evaluation judged values only and timed nothing. kReplay: read from a table of
// recorded evaluations; what the table was made of is in the name of its device.
enum class ScoreSource : uint8_t {
  kNone,
  kMeasured,
  kEstimated,
  kMachineCycles,
  kSimulated,
  kReplay
};
// Whether a run with this objective is decided by ratios of times, and not by predictions.
inline bool HasRatios(ScoreSource source) {
  return source == ScoreSource::kMeasured || source == ScoreSource::kReplay;
}

// Who counted tokens.
enum class UsageSource : uint8_t { kProvider, kAgent, kCounted, kEstimated };

enum class LeaseState : uint8_t { kOpen, kDone, kLost };

std::string_view ToString(Verdict value);
std::string_view ToString(Blame value);
std::string_view ToString(Purpose value);
std::string_view ToString(JobState value);
std::string_view ToString(RunState value);
std::string_view ToString(Stage value);
std::string_view ToString(StageEnd value);
std::string_view ToString(ScoreSource value);
std::string_view ToString(UsageSource value);
std::string_view ToString(LeaseState value);

// The value whose ToString is `text`; nullopt if there is none. Defined for every enum above.
template <typename E>
std::optional<E> ParseEnum(std::string_view text);

// A candidate's verdict is its best variant's. Higher is better; kPending is lowest.
int VerdictRank(Verdict verdict);

// REJECTED_* of the gates.
bool IsReject(Verdict verdict);

// SHA-256 of an object that must be in the object table before an event may name it; "" is none.
struct ObjectHash {
  std::string hex;  // 64 lower-case hex digits
  bool operator==(const ObjectHash&) const = default;
};

// Names of rows as people and agents see them.
std::string CandidateName(int64_t run, int64_t n);  // "c-7-142"
struct CandidateKey {
  int64_t run = 0, n = 0;
};
std::optional<CandidateKey> ParseCandidateName(std::string_view text);

// "r-7", "j-12", "v-3", .. : one lower-case letter, a dash, a positive number.
std::string RowName(char letter, int64_t id);
std::optional<int64_t> ParseRowName(char letter, std::string_view text);

}  // namespace store
