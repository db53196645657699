#include "store/error.h"

#include <iterator>

#include "absl/strings/cord.h"

namespace store {
namespace {

constexpr char kPayload[] = "cake.store.reason";

struct Entry {
  std::string_view name;
  absl::StatusCode code;
};

// In the order of Reason.
constexpr Entry kEntries[] = {
    {"", absl::StatusCode::kInternal},
    {"QUEUE_FULL", absl::StatusCode::kResourceExhausted},
    {"DISK_FULL", absl::StatusCode::kResourceExhausted},
    {"READ_ONLY", absl::StatusCode::kUnavailable},
    {"CLOSING", absl::StatusCode::kUnavailable},
    {"STALE_TOKEN", absl::StatusCode::kAborted},
    {"DUPLICATE_RESULT", absl::StatusCode::kAlreadyExists},
    {"RESULT_CONFLICT", absl::StatusCode::kAborted},
    {"IDEMPOTENCY_REUSE", absl::StatusCode::kFailedPrecondition},
    {"PAGE_TOKEN_STALE", absl::StatusCode::kInvalidArgument},
    {"BUDGET_SPENT", absl::StatusCode::kFailedPrecondition},
    {"BAD_STATE", absl::StatusCode::kFailedPrecondition},
    {"UNKNOWN_ID", absl::StatusCode::kNotFound},
    {"TOO_LARGE", absl::StatusCode::kInvalidArgument},
    {"LOCKED", absl::StatusCode::kFailedPrecondition},
    {"FOREIGN_FILE", absl::StatusCode::kFailedPrecondition},
    {"NEWER_SCHEMA", absl::StatusCode::kFailedPrecondition},
    {"CORRUPT", absl::StatusCode::kDataLoss},
};

}  // namespace

std::string_view ToString(Reason reason) { return kEntries[static_cast<size_t>(reason)].name; }

absl::Status Error(Reason reason, std::string_view message) {
  const Entry& entry = kEntries[static_cast<size_t>(reason)];
  absl::Status status(entry.code, absl::string_view(message.data(), message.size()));
  status.SetPayload(kPayload, absl::Cord(absl::string_view(entry.name.data(), entry.name.size())));
  return status;
}

Reason ReasonOf(const absl::Status& status) {
  const auto payload = status.GetPayload(kPayload);
  if (!payload.has_value()) return Reason::kNone;
  for (size_t i = 1; i < std::size(kEntries); ++i) {
    if (*payload == absl::string_view(kEntries[i].name.data(), kEntries[i].name.size())) {
      return static_cast<Reason>(i);
    }
  }
  return Reason::kNone;
}

}  // namespace store
