// The only code that writes projections. Used on the live log and by the rebuild, so that both give
// the same tables.
#pragma once

#include <string_view>

#include "absl/status/status.h"
#include "store/events.h"
#include "store/sqlite.h"

namespace store {

// Tables that are not folded from events: written beside them in the same transaction.
inline constexpr std::string_view kExemptTables[] = {"meta", "object", "idem", "event"};

// Gives the fields that the writer assigns (ids, n, attempt, fencing token), the event's run and
// its subject, from the tables as they are. Reads only.
absl::Status Assign(Database& db, Event& event);

// Folds one event with every field assigned into the tables. Refuses one that does not follow from
// them (BAD_STATE, STALE_TOKEN, BUDGET_SPENT, ..); the caller rolls back what it wrote by then.
absl::Status Apply(Database& db, const Event& event);

// The id of the row that this event makes; 0 if it makes none that others name.
int64_t MadeId(const EventBody& body);

}  // namespace store
