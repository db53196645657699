// Page tokens of lists that are read from the newest row on: the name of the last row of the page,
// such as f-120. Ids only grow, so that rows which come later never appear on a later page.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "server/core/pages.h"
#include "server/state/error.h"

namespace server::core {

inline constexpr int64_t kRowsDefault = 50;

struct Cursor {
  char letter = 0;
  int64_t before = 0;  // 0: from the newest on
  int64_t size = 0;    // rows of the page
  int64_t limit = 0;   // to ask for: one more says whether there is a next page
};

// PAGE_TOKEN_STALE for a token of another list.
inline absl::StatusOr<Cursor> ReadCursor(char letter, const PageRequest& page) {
  if (page.size < 0 || page.size > kPageRowsMax) {
    return state::BadField("page_size", "must be in 0..500");
  }
  Cursor cursor{.letter = letter, .size = page.size == 0 ? kRowsDefault : page.size};
  cursor.limit = std::min(cursor.size + 1, store::kMaxPageRows);
  // The store reads 500 rows at most: a page has one less, so that the end is always seen.
  cursor.size = std::min(cursor.size, cursor.limit - 1);
  if (page.token.empty()) return cursor;
  const auto before = store::ParseRowName(letter, page.token);
  if (!before) {
    return state::Error(state::Reason::kPageTokenStale,
                        "the page token was not made for this list");
  }
  cursor.before = *before;
  return cursor;
}

// The page of what was read by a cursor; `id_of(row)` is what the token names.
template <typename Row, typename IdOf>
PageOf<Row> CutRows(const Cursor& cursor, std::vector<Row> rows, IdOf id_of) {
  PageOf<Row> page;
  page.rows = std::move(rows);
  if (static_cast<int64_t>(page.rows.size()) > cursor.size) {
    page.rows.resize(static_cast<size_t>(cursor.size));
    page.next_token = store::RowName(cursor.letter, id_of(page.rows.back()));
  }
  return page;
}

template <typename Row, typename IdOf>
absl::StatusOr<PageOf<Row>> CutPage(store::Reads& reads, const Cursor& cursor,
                                    std::vector<Row> rows, IdOf id_of) {
  PageOf<Row> page = CutRows(cursor, std::move(rows), id_of);
  auto seq = reads.LastSeq();
  if (!seq.ok()) return state::FromStore(seq.status());
  page.as_of_seq = *seq;
  return page;
}

}  // namespace server::core
