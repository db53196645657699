#include "store/query.h"

#include <sqlite3.h>

#include <algorithm>
#include <iterator>

#include "absl/strings/str_cat.h"
#include "store/error.h"
#include "store/files.h"
#include "store/sqlite.h"
#include "store/try.h"

namespace store {
namespace {

// Everything else is refused. None of them makes a value much larger than its arguments, reads a
// file, or tells of the machine.
constexpr std::string_view kFunctions[] = {
    "abs",          "avg",        "coalesce",    "count",      "cume_dist",    "date",
    "datetime",     "dense_rank", "first_value", "floor",      "glob",         "group_concat",
    "ifnull",       "iif",        "instr",       "json_each",  "json_extract", "json_remove",
    "->",           "->>",        "lag",         "last_value", "lead",         "length",
    "like",         "ln",         "log",         "log10",      "log2",         "lower",
    "ltrim",        "max",        "min",         "nth_value",  "ntile",        "nullif",
    "percent_rank", "pow",        "power",       "rank",       "round",        "row_number",
    "rtrim",        "sign",       "sqrt",        "strftime",   "substr",       "substring",
    "sum",          "time",       "total",       "trim",       "typeof",       "unixepoch",
    "upper",        "ceil",       "ceiling",     "exp",        "julianday"};

// Tables that hold secrets or other people's bytes: keys, tokens' hashes, replies, objects.
constexpr std::string_view kHiddenTables[] = {"meta", "idem", "object"};

template <typename List>
bool Holds(const List& list, std::string_view word) {
  return std::find(std::begin(list), std::end(list), word) != std::end(list);
}

// Bodies of events show everything but what a token is known by, so a question reads them through a
// view of this connection, which stands before the stored v_event and alone may read the column.
// SQLite says through which view a column is read, but by a name, which a common table expression
// can take: nobody can take one that is drawn for each question.
struct Rules {
  std::string door;  // the view that reads event.body
};

absl::Status MakeViews(Database& db, const Rules& rules) {
  return db.Exec(absl::StrCat(
      "CREATE TEMP VIEW ", rules.door, " AS SELECT seq, at_us, CASE WHEN run_id IS NULL THEN NULL",
      " ELSE 'r-' || run_id END AS run, kind, subject, schema, CASE kind WHEN 'PrincipalChanged'",
      " THEN json_remove(body, '$.token_hash') ELSE body END AS body, run_id FROM main.event;",
      "CREATE TEMP VIEW v_event AS SELECT * FROM ", rules.door));
}

// A column of a table or of a view. SQLite asks for the tables below a view too; a name of a common
// table expression can stand for any stored view's, so what a view may read everybody may: what
// must not be read is hidden by table and column, wherever the question comes from.
int MayRead(const Rules& rules, std::string_view table, std::string_view column,
            std::string_view database, std::string_view through) {
  // An empty database is a column of a sub-query.
  if (database == "temp")
    return table == "v_event" || table == rules.door ? SQLITE_OK : SQLITE_DENY;
  if (table.starts_with("sqlite_") || table.starts_with("pragma_")) return SQLITE_DENY;
  if (Holds(kHiddenTables, table)) return SQLITE_DENY;
  if (table == "principal" && column == "token_hash") return SQLITE_DENY;
  if (table == "event" && column == "body" && through != rules.door) return SQLITE_DENY;
  return SQLITE_OK;
}

int Authorize(void* rules, int action, const char* first, const char* second, const char* database,
              const char* through) {
  const auto text = [](const char* word) { return std::string_view(word ? word : ""); };
  switch (action) {
    case SQLITE_SELECT:
    case SQLITE_RECURSIVE: return SQLITE_OK;
    case SQLITE_READ:
      return MayRead(*static_cast<const Rules*>(rules), text(first), text(second), text(database),
                     text(through));
    case SQLITE_FUNCTION: {
      std::string name(text(second));
      std::transform(name.begin(), name.end(), name.begin(),
                     [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
      return Holds(kFunctions, name) ? SQLITE_OK : SQLITE_DENY;
    }
    default: return SQLITE_DENY;
  }
}

void SetLimits(sqlite3* db) {
  sqlite3_limit(db, SQLITE_LIMIT_LENGTH, 1 << 20);
  sqlite3_limit(db, SQLITE_LIMIT_SQL_LENGTH, static_cast<int>(kQueryBytesMax));
  sqlite3_limit(db, SQLITE_LIMIT_COLUMN, 200);
  sqlite3_limit(db, SQLITE_LIMIT_EXPR_DEPTH, 64);
  sqlite3_limit(db, SQLITE_LIMIT_COMPOUND_SELECT, 16);
  sqlite3_limit(db, SQLITE_LIMIT_VDBE_OP, 50'000);
  sqlite3_limit(db, SQLITE_LIMIT_ATTACHED, 0);
  sqlite3_limit(db, SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 1000);
  sqlite3_limit(db, SQLITE_LIMIT_VARIABLE_NUMBER, 0);
  sqlite3_limit(db, SQLITE_LIMIT_WORKER_THREADS, 0);
}

struct Watchdog {
  Clock& clock;
  int64_t end_ns;
  const std::function<bool()>& cancelled;
};

constexpr int kOpsBetweenLooks = 2000;

int Look(void* self) {
  const auto* dog = static_cast<Watchdog*>(self);
  return dog->clock.MonotonicNanos() >= dog->end_ns || dog->cancelled() ? 1 : 0;
}

QueryCell CellOf(sqlite3_stmt* statement, int column) {
  switch (sqlite3_column_type(statement, column)) {
    case SQLITE_NULL: return {};
    case SQLITE_INTEGER: return int64_t{sqlite3_column_int64(statement, column)};
    case SQLITE_FLOAT: return sqlite3_column_double(statement, column);
    default: {
      const void* data = sqlite3_column_blob(statement, column);
      const auto size = static_cast<size_t>(sqlite3_column_bytes(statement, column));
      return std::string(static_cast<const char*>(data), data == nullptr ? 0 : size);
    }
  }
}

absl::Status Refused(sqlite3* db, int code) {
  if (code == SQLITE_INTERRUPT) {
    return absl::DeadlineExceededError(
        "the query was stopped: it took too long, or its caller left");
  }
  const std::string words = sqlite3_errmsg(db);
  if (code == SQLITE_AUTH) {
    return absl::InvalidArgumentError(
        absl::StrCat(words, "; only the views of VIEWS.md and the functions listed there"));
  }
  return absl::InvalidArgumentError(words);
}

struct Finalize {
  void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};

absl::Status Run(sqlite3* db, const std::string& sql, int64_t as_of_seq, const QuerySink& sink) {
  sqlite3_stmt* raw = nullptr;
  const char* rest = nullptr;
  int code = sqlite3_prepare_v2(db, sql.data(), static_cast<int>(sql.size()), &raw, &rest);
  const std::unique_ptr<sqlite3_stmt, Finalize> statement(raw);
  if (code != SQLITE_OK) return Refused(db, code);
  if (raw == nullptr) return absl::InvalidArgumentError("no statement");
  const std::string_view tail(rest, static_cast<size_t>(sql.data() + sql.size() - rest));
  if (tail.find_first_not_of(" \t\r\n;") != std::string_view::npos) {
    return absl::InvalidArgumentError("one statement at a time");
  }
  std::vector<std::string> names;
  for (int i = 0; i < sqlite3_column_count(raw); ++i) {
    names.emplace_back(sqlite3_column_name(raw, i));
  }
  sink.columns(names, as_of_seq);
  while ((code = sqlite3_step(raw)) == SQLITE_ROW) {
    std::vector<QueryCell> row;
    for (size_t i = 0; i < names.size(); ++i) row.push_back(CellOf(raw, static_cast<int>(i)));
    if (!sink.row(row)) return absl::OkStatus();
  }
  return code == SQLITE_DONE ? absl::OkStatus() : Refused(db, code);
}

int64_t BytesOf(const std::vector<QueryCell>& row) {
  int64_t bytes = 0;
  for (const QueryCell& cell : row) {
    if (const auto* text = std::get_if<std::string>(&cell)) {
      bytes += static_cast<int64_t>(text->size());
    }
  }
  return bytes;
}

}  // namespace

absl::Status StreamQuery(const std::string& dir, const std::string& sql, const QueryLimits& limits,
                         Clock& clock, const QuerySink& sink) {
  if (sql.size() > kQueryBytesMax) {
    return absl::InvalidArgumentError(
        absl::StrCat("the query has ", sql.size(), " bytes, the limit is ", kQueryBytesMax));
  }
  CAKE_STORE_ASSIGN(std::unique_ptr<Database> db,
                    Database::Open(absl::StrCat(dir, "/cake.db"), OpenMode::kReadOnly, ""));
  // Sorting must not go to files of this machine.
  CAKE_STORE_TRY(db->Exec("PRAGMA temp_store = MEMORY"));
  Rules rules{absl::StrCat("events_", RandomHex(16))};
  CAKE_STORE_TRY(MakeViews(*db, rules));
  CAKE_STORE_TRY(db->Exec("PRAGMA query_only = ON; BEGIN"));
  CAKE_STORE_ASSIGN(const int64_t seq, db->Int("SELECT max(seq) FROM event"));
  SetLimits(db->raw());
  Watchdog dog{clock, clock.MonotonicNanos() + std::min(limits.deadline_ns, kQueryLimitNs),
               limits.cancelled};
  sqlite3_progress_handler(db->raw(), kOpsBetweenLooks, &Look, &dog);
  sqlite3_set_authorizer(db->raw(), &Authorize, &rules);
  const absl::Status status = Run(db->raw(), sql, seq, sink);
  sqlite3_set_authorizer(db->raw(), nullptr, nullptr);
  sqlite3_progress_handler(db->raw(), 0, nullptr, nullptr);
  return status;
}

absl::StatusOr<QueryResult> RunQuery(const std::string& dir, const std::string& sql,
                                     const QueryLimits& limits, Clock& clock) {
  if (limits.rows_max < 1 || limits.rows_max > kQueryRowsMax) {
    return absl::InvalidArgumentError(absl::StrCat("max_rows must be in 1..", kQueryRowsMax));
  }
  QueryResult result;
  int64_t bytes = 0;
  const auto full = [&] {
    return static_cast<int64_t>(result.rows.size()) == limits.rows_max ||
           bytes > kQueryResultBytesMax;
  };
  QuerySink sink;
  sink.columns = [&](const std::vector<std::string>& names, int64_t as_of_seq) {
    result.columns = names;
    result.as_of_seq = as_of_seq;
  };
  sink.row = [&](const std::vector<QueryCell>& row) {
    result.truncated = full();
    if (result.truncated) return false;
    bytes += BytesOf(row);
    result.rows.push_back(row);
    return true;
  };
  CAKE_STORE_TRY(StreamQuery(dir, sql, limits, clock, sink));
  return result;
}

}  // namespace store
