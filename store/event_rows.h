// Events as rows of the log's table.
#pragma once

#include <vector>

#include "absl/status/statusor.h"
#include "store/events.h"
#include "store/sqlite.h"

#define EVENT_COLUMNS "seq, at_us, run_id, subject, kind, schema, body FROM event"

namespace store {

// All rows of a bound statement over EVENT_COLUMNS; a body that cannot be read is an error of the
// whole call.
absl::StatusOr<std::vector<Event>> CollectEvents(Statement& statement);

}  // namespace store
