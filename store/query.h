// SQL of researchers and operators: one SELECT over the documented views (VIEWS.md), fenced in.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <variant>
#include <vector>

#include "absl/status/statusor.h"
#include "store/clock.h"

namespace store {

inline constexpr size_t kQueryBytesMax = size_t{16} << 10;
inline constexpr int64_t kQueryRowsDefault = 1000, kQueryRowsMax = 10'000;
inline constexpr int64_t kQueryLimitNs = 5'000'000'000;
inline constexpr int64_t kQueryResultBytesMax = int64_t{4} << 20;

using QueryCell = std::variant<std::monostate, int64_t, double, std::string>;

struct QueryResult {
  std::vector<std::string> columns;
  std::vector<std::vector<QueryCell>> rows;
  bool truncated = false;  // more rows, or more bytes, than are returned
  int64_t as_of_seq = 0;
};

struct QueryLimits {
  int64_t rows_max = kQueryRowsDefault;  // 1..kQueryRowsMax
  int64_t deadline_ns = kQueryLimitNs;   // from now
  std::function<bool()> cancelled = [] { return false; };
};

// Takes an answer row by row: `columns` comes once, first; a `row` that says no ends it.
struct QuerySink {
  std::function<void(const std::vector<std::string>& names, int64_t as_of_seq)> columns;
  std::function<bool(const std::vector<QueryCell>&)> row;
};

// The same as RunQuery without a limit of rows. The sink must not wait: the log cannot shrink while
// somebody reads it.
absl::Status StreamQuery(const std::string& dir, const std::string& sql, const QueryLimits& limits,
                         Clock& clock, const QuerySink& sink);

// On a connection of its own that can only read. INVALID_ARGUMENT with SQLite's words for what is
// no single SELECT, or touches what is not documented; DEADLINE_EXCEEDED past its time.
absl::StatusOr<QueryResult> RunQuery(const std::string& dir, const std::string& sql,
                                     const QueryLimits& limits, Clock& clock);

}  // namespace store
