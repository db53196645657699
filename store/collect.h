// What every typed read shares: stepping a statement into rows.
#pragma once

#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "store/error.h"
#include "store/reads.h"
#include "store/sqlite.h"
#include "store/try.h"

namespace store {

// All rows of a bound statement; `fill(statement, row)` reads one.
template <typename Row, typename Fill>
absl::StatusOr<std::vector<Row>> Collect(Statement& statement, Fill fill) {
  std::vector<Row> rows;
  for (;;) {
    absl::StatusOr<bool> more = statement.Step();
    if (!more.ok()) return more.status();
    if (!*more) return rows;
    fill(statement, rows.emplace_back());
  }
}

template <typename Row, typename Fill>
absl::StatusOr<std::optional<Row>> CollectOptional(Statement& statement, Fill fill) {
  absl::StatusOr<bool> more = statement.Step();
  if (!more.ok()) return more.status();
  if (!*more) return std::optional<Row>();
  Row row;
  fill(statement, row);
  return std::optional<Row>(std::move(row));
}

// UNKNOWN_ID naming `what` and `id` when there is no row.
template <typename Row, typename Fill>
absl::StatusOr<Row> CollectOne(Statement& statement, Fill fill, const char* what, int64_t id) {
  absl::StatusOr<std::optional<Row>> row = CollectOptional<Row>(statement, fill);
  if (!row.ok()) return row.status();
  if (!row->has_value()) return Error(Reason::kUnknownId, absl::StrCat("no ", what, " ", id));
  return **std::move(row);
}

inline absl::Status CheckLimit(int64_t limit) {
  if (limit >= 1 && limit <= kMaxPageRows) return absl::OkStatus();
  return Error(Reason::kTooLarge,
               absl::StrCat("a page has 1 to ", kMaxPageRows, " rows, not ", limit));
}

}  // namespace store
