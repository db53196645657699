// Why a call on the store failed, as a word that the wire form can carry.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/status.h"

namespace store {

// Closed. Each has one status code, named beside it.
enum class Reason : uint8_t {
  kNone,
  kQueueFull,         // RESOURCE_EXHAUSTED: the writer's queue is full; retry later
  kDiskFull,          // RESOURCE_EXHAUSTED: this command met a full disk; nothing of it is stored
  kReadOnly,          // UNAVAILABLE: the store takes no new work until the disk has room
  kClosing,           // UNAVAILABLE: the store is shutting down
  kStaleToken,        // ABORTED: the lease of this fencing token is no longer the job's
  kDuplicateResult,   // ALREADY_EXISTS: the same result is stored already
  kResultConflict,    // ABORTED: another result with the same token is stored already
  kIdempotencyReuse,  // FAILED_PRECONDITION: the request id was used with another body
  kPageTokenStale,    // INVALID_ARGUMENT: the page token is not one for this filter
  kBudgetSpent,       // FAILED_PRECONDITION: reserving would pass the limit
  kBadState,          // FAILED_PRECONDITION: the event does not follow from the current state
  kUnknownId,         // NOT_FOUND: a row or object that the call names does not exist
  kTooLarge,          // INVALID_ARGUMENT: a bounded size is exceeded
  kLocked,            // FAILED_PRECONDITION: another process holds the folder
  kForeignFile,       // FAILED_PRECONDITION: the file is not a store of this program
  kNewerSchema,       // FAILED_PRECONDITION: the file was written by a newer program
  kCorrupt,           // DATA_LOSS: the file contradicts itself
};

std::string_view ToString(Reason reason);  // "QUEUE_FULL", ..

// A status of the reason's code, carrying the reason.
absl::Status Error(Reason reason, std::string_view message);

// kNone for a status that Error did not make.
Reason ReasonOf(const absl::Status& status);

}  // namespace store
