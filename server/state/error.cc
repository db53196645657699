#include "server/state/error.h"

#include <array>
#include <cstdlib>

#include "absl/strings/cord.h"
#include "absl/strings/str_cat.h"
#include "store/error.h"

namespace server::state {
namespace {

constexpr absl::string_view kReasonUrl = "cake/reason";
constexpr absl::string_view kResourceUrl = "cake/resource";
constexpr absl::string_view kFieldUrl = "cake/field";

using absl::StatusCode;

constexpr std::array<ReasonRule, kReasons> kRules = {{
    {"", StatusCode::kUnknown, 0, ""},
    {"QUEUE_FULL", StatusCode::kResourceExhausted, 500, "send the same call again a little later"},
    {"BUDGET_SPENT", StatusCode::kFailedPrecondition, 0, "start another run or raise the budget"},
    {"RATE", StatusCode::kResourceExhausted, 1000, "send fewer calls at a time"},
    {"DISK_FULL", StatusCode::kUnavailable, 5000, "free disk space under the data folder"},
    {"READ_ONLY", StatusCode::kUnavailable, 5000, "free disk space; the daemon recovers by itself"},
    {"DRAINING", StatusCode::kUnavailable, 2000,
     "the daemon is stopping; call again when it is up"},
    {"STALE_TOKEN", StatusCode::kAborted, 0, "drop this work: its lease is no longer yours"},
    {"IDEMPOTENCY_REUSE", StatusCode::kFailedPrecondition, 0, "use a new request id"},
    {"PAGE_TOKEN_STALE", StatusCode::kInvalidArgument, 0, "start again from the first page"},
    {"WATCH_LAGGED", StatusCode::kOutOfRange, 0, "watch again from the sequence number given"},
    {"UNKNOWN_WORKLOAD", StatusCode::kNotFound, 0, "register it: caked --workloads DIR"},
    {"HIDDEN_BY_EXPERIMENT", StatusCode::kPermissionDenied, 0, "this experiment does not show it"},
    {"ROLE", StatusCode::kPermissionDenied, 0, "use a token with the role that the call needs"},
    {"TOOLCHAIN_MISSING", StatusCode::kFailedPrecondition, 0, "install what the message names"},
    {"DEVICE_NONE", StatusCode::kUnavailable, 5000, "start a worker with the device"},
    {"SOURCE_TOO_LARGE", StatusCode::kInvalidArgument, 0, "make the source smaller"},
}};

absl::string_view View(std::string_view text) { return {text.data(), text.size()}; }

std::optional<Named> Payload(const absl::Status& status, absl::string_view url) {
  const auto payload = status.GetPayload(url);
  if (!payload) return std::nullopt;
  const std::string text(*payload);
  const size_t cut = text.find('\n');
  if (cut == std::string::npos) return std::nullopt;
  return Named{text.substr(0, cut), text.substr(cut + 1)};
}

Reason Translate(store::Reason reason) {
  switch (reason) {
    case store::Reason::kQueueFull: return Reason::kQueueFull;
    case store::Reason::kDiskFull: return Reason::kDiskFull;
    case store::Reason::kReadOnly: return Reason::kReadOnly;
    case store::Reason::kClosing: return Reason::kDraining;
    case store::Reason::kStaleToken:
    case store::Reason::kResultConflict: return Reason::kStaleToken;
    case store::Reason::kIdempotencyReuse: return Reason::kIdempotencyReuse;
    case store::Reason::kPageTokenStale: return Reason::kPageTokenStale;
    case store::Reason::kBudgetSpent: return Reason::kBudgetSpent;
    default: return Reason::kNone;
  }
}

}  // namespace

const ReasonRule& RuleOf(Reason reason) { return kRules[static_cast<size_t>(reason)]; }

absl::Status Error(Reason reason, std::string_view message) {
  absl::Status status(RuleOf(reason).code, View(message));
  status.SetPayload(kReasonUrl, absl::Cord(absl::StrCat(static_cast<int>(reason))));
  return status;
}

Reason ReasonOf(const absl::Status& status) {
  const auto payload = status.GetPayload(kReasonUrl);
  if (!payload) return Reason::kNone;
  return static_cast<Reason>(std::atoi(std::string(*payload).c_str()));
}

absl::Status NotFound(std::string_view kind, std::string_view name) {
  absl::Status status =
      absl::NotFoundError(absl::StrCat("no ", View(kind), " `", View(name.substr(0, 100)), "`"));
  status.SetPayload(kResourceUrl, absl::Cord(absl::StrCat(View(kind), "\n", View(name))));
  return status;
}

absl::Status BadField(std::string_view field, std::string_view description) {
  absl::Status status =
      absl::InvalidArgumentError(absl::StrCat(View(field), ": ", View(description)));
  status.SetPayload(kFieldUrl, absl::Cord(absl::StrCat(View(field), "\n", View(description))));
  return status;
}

std::optional<Named> ResourceOf(const absl::Status& status) {
  return Payload(status, kResourceUrl);
}

std::optional<Named> FieldOf(const absl::Status& status) { return Payload(status, kFieldUrl); }

absl::Status FromStore(const absl::Status& status) {
  if (status.ok()) return status;
  const Reason reason = Translate(store::ReasonOf(status));
  if (reason == Reason::kNone) return status;
  return Error(reason, std::string(status.message()));
}

}  // namespace server::state
