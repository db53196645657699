// What happened to a candidate, and whose fault it was: the closed lists as
// plain enums, for code that knows no wire format. `ToString` gives the bare words of JSON, SQL and
// the command line.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace runner::contract {

enum class Verdict : uint8_t {
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
inline constexpr int kVerdicts = static_cast<int>(Verdict::kCancelled) + 1;

enum class Blame : uint8_t { kCandidate, kSystem, kContract, kInfra, kNone };
inline constexpr int kBlames = static_cast<int>(Blame::kNone) + 1;

std::string_view ToString(Verdict verdict);  // "REJECTED_SYNTAX"
std::string_view ToString(Blame blame);      // "CANDIDATE"
std::optional<Verdict> ParseVerdict(std::string_view word);
std::optional<Blame> ParseBlame(std::string_view word);

// Blame before any routing: of the verdict alone. The daemon's routing table may revise it.
Blame DefaultBlame(Verdict verdict);

// Final only after a second attempt on a clean child: a hang or a device fault may be the device's.
bool NeedsSecondAttempt(Verdict verdict);

// Where a score comes from; scores of different sources never share a column, a curve or a ratio.
enum class Source : uint8_t { kMeasured, kEstimated, kMachineCycles, kSimulated };
std::string_view ToString(Source source);

}  // namespace runner::contract
