// The closed list of machine-readable reasons why a call fails: each with one status code and one
// rule for trying again. The wire form (ErrorInfo, RetryInfo) is made from these payloads at the
// edge.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/status.h"

namespace server::state {

enum class Reason : uint8_t {
  kNone,
  kQueueFull,
  kBudgetSpent,
  kRate,
  kDiskFull,
  kReadOnly,
  kDraining,
  kStaleToken,
  kIdempotencyReuse,
  kPageTokenStale,
  kWatchLagged,
  kUnknownWorkload,
  kHiddenByExperiment,
  kRole,
  kToolchainMissing,
  kDeviceNone,
  kSourceTooLarge,
};
inline constexpr int kReasons = static_cast<int>(Reason::kSourceTooLarge) + 1;

struct ReasonRule {
  std::string_view word;       // "QUEUE_FULL"
  absl::StatusCode code;       // the only code it comes with
  int32_t retry_ms;            // after this the same call may succeed unchanged; 0: it will not
  std::string_view what_next;  // one sentence for people
};

// Defined for every reason but kNone.
const ReasonRule& RuleOf(Reason reason);

absl::Status Error(Reason reason, std::string_view message);
// kNone for a status that Error did not make.
Reason ReasonOf(const absl::Status& status);

// NOT_FOUND naming the thing: a kind ("candidate") and the name that was asked for.
absl::Status NotFound(std::string_view kind, std::string_view name);
// INVALID_ARGUMENT naming the field of the request.
absl::Status BadField(std::string_view field, std::string_view description);

struct Named {
  std::string kind, name;
};
std::optional<Named> ResourceOf(const absl::Status& status);
std::optional<Named> FieldOf(const absl::Status& status);  // kind: field, name: description

// The same failure with the reason that clients know; statuses without one pass through.
absl::Status FromStore(const absl::Status& status);

}  // namespace server::state
