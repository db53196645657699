#include "verifier/learnt/database.h"

#include <sqlite3.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <memory>

#include "absl/strings/str_cat.h"
#include "verifier/learnt/rule.h"

namespace verifier::learnt {
namespace {

// None of them makes a value much larger than its arguments, reads a file, tells the time or draws
// a number.
constexpr std::string_view kFunctions[] = {
    "abs",   "avg",        "coalesce", "count", "glob",  "group_concat", "ifnull", "iif",
    "instr", "length",     "like",     "lower", "max",   "min",          "nullif", "rank",
    "round", "row_number", "substr",   "sum",   "total", "trim",         "typeof", "upper"};

constexpr int kStepsBetweenLooks = 1000;

bool IsTable(std::string_view name) {
  const auto tables = Tables();
  return std::any_of(tables.begin(), tables.end(),
                     [&](const Table& table) { return table.name == name; });
}

// Which tables a query reads. SQLite names a common table expression or an alias by what is below
// it, so every name here is a stored table's.
struct Gate {
  std::set<std::string>* tables = nullptr;
};

int Allow(void* self, int action, const char* first, const char* second, const char*, const char*) {
  const auto text = [](const char* word) { return std::string_view(word ? word : ""); };
  switch (action) {
    case SQLITE_SELECT:
    case SQLITE_RECURSIVE: return SQLITE_OK;
    case SQLITE_READ: {
      // Columns of sub-queries have no table of the schema; their own reads are asked for too.
      if (text(first).starts_with("sqlite_") || text(first).starts_with("pragma_")) {
        return SQLITE_DENY;
      }
      auto* gate = static_cast<Gate*>(self);
      if (IsTable(text(first)) && gate->tables != nullptr) gate->tables->emplace(first);
      return SQLITE_OK;
    }
    case SQLITE_FUNCTION: {
      std::string name(text(second));
      std::transform(name.begin(), name.end(), name.begin(),
                     [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
      const auto* const known = std::find(std::begin(kFunctions), std::end(kFunctions), name);
      return known == std::end(kFunctions) ? SQLITE_DENY : SQLITE_OK;
    }
    default: return SQLITE_DENY;
  }
}

// Counts the looks; past the last one the query ends.
struct Meter {
  int64_t looks = 0;
};

int CountLook(void* self) {
  auto* meter = static_cast<Meter*>(self);
  return ++meter->looks * kStepsBetweenLooks > kQueryStepsMax ? 1 : 0;
}

// What a query can pile up is the steps it may take times the length of one value.
void SetQueryLimits(sqlite3* db) {
  sqlite3_limit(db, SQLITE_LIMIT_LENGTH, 16 * 1024);
  sqlite3_limit(db, SQLITE_LIMIT_SQL_LENGTH, static_cast<int>(kQueryBytesMax));
  sqlite3_limit(db, SQLITE_LIMIT_COLUMN, 100);
  sqlite3_limit(db, SQLITE_LIMIT_EXPR_DEPTH, 64);
  sqlite3_limit(db, SQLITE_LIMIT_COMPOUND_SELECT, 8);
  sqlite3_limit(db, SQLITE_LIMIT_VDBE_OP, 25'000);
  sqlite3_limit(db, SQLITE_LIMIT_ATTACHED, 0);
  sqlite3_limit(db, SQLITE_LIMIT_FUNCTION_ARG, 16);
  sqlite3_limit(db, SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 200);
  sqlite3_limit(db, SQLITE_LIMIT_VARIABLE_NUMBER, 0);
  sqlite3_limit(db, SQLITE_LIMIT_TRIGGER_DEPTH, 0);
  sqlite3_limit(db, SQLITE_LIMIT_WORKER_THREADS, 0);
}

// What fails here is our own statement.
void Must(sqlite3* db, int code) {
  if (code == SQLITE_OK || code == SQLITE_DONE || code == SQLITE_ROW) return;
  std::fprintf(stderr, "facts of a candidate: %s\n", sqlite3_errmsg(db));
  std::abort();
}

struct Finalize {
  void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};
using StatementPtr = std::unique_ptr<sqlite3_stmt, Finalize>;

class Inserter : public Rows {
 public:
  Inserter(sqlite3* db, const Table& table) : db_(db) {
    std::string slots;
    for (size_t i = 0; i < table.columns.size(); ++i) slots += i == 0 ? "?" : ",?";
    const std::string sql =
        absl::StrCat("INSERT INTO ", std::string(table.name), " VALUES(", slots, ")");
    sqlite3_stmt* raw = nullptr;
    Must(db_, sqlite3_prepare_v2(db_, sql.c_str(), -1, &raw, nullptr));
    statement_.reset(raw);
  }

  void Add(std::initializer_list<Cell> cells) override {
    sqlite3_stmt* s = statement_.get();
    if (static_cast<int>(cells.size()) != sqlite3_bind_parameter_count(s)) std::abort();
    int at = 0;
    for (const Cell& cell : cells) {
      ++at;
      if (const auto* number = std::get_if<int64_t>(&cell)) {
        Must(db_, sqlite3_bind_int64(s, at, *number));
      } else if (const auto* text = std::get_if<std::string_view>(&cell)) {
        // The text outlives the step that reads it.
        Must(db_, sqlite3_bind_text(s, at, text->data() ? text->data() : "",
                                    static_cast<int>(text->size()), SQLITE_STATIC));
      } else {
        Must(db_, sqlite3_bind_null(s, at));
      }
    }
    Must(db_, sqlite3_step(s));
    Must(db_, sqlite3_reset(s));
  }

 private:
  sqlite3* db_;
  StatementPtr statement_;
};

absl::Status FailedQuery(sqlite3* db, int code) {
  if (code == SQLITE_INTERRUPT) {
    return absl::ResourceExhaustedError(
        absl::StrCat("the query took more than ", kQueryStepsMax, " steps of SQLite's machine"));
  }
  if (code == SQLITE_NOMEM || code == SQLITE_FULL || code == SQLITE_TOOBIG) {
    return absl::ResourceExhaustedError("the query needs too much memory");
  }
  const std::string words = sqlite3_errmsg(db);
  if (code == SQLITE_AUTH) {
    return absl::InvalidArgumentError(
        absl::StrCat(words, ": a rule is one SELECT over the tables of FACTS.md"));
  }
  return absl::InvalidArgumentError(words);
}

Answer::Value ValueAt(sqlite3_stmt* statement, int column) {
  switch (sqlite3_column_type(statement, column)) {
    case SQLITE_NULL: return {};
    case SQLITE_INTEGER: return int64_t{sqlite3_column_int64(statement, column)};
    case SQLITE_FLOAT: return sqlite3_column_double(statement, column);
    default: {
      const auto* data = static_cast<const char*>(sqlite3_column_blob(statement, column));
      const int size = sqlite3_column_bytes(statement, column);
      return std::string(data ? data : "", static_cast<size_t>(size));
    }
  }
}

absl::StatusOr<Answer> RunRuleQuery(sqlite3* db, const std::string& query, const Meter& meter) {
  sqlite3_stmt* raw = nullptr;
  const char* rest = nullptr;
  int code = sqlite3_prepare_v2(db, query.data(), static_cast<int>(query.size()), &raw, &rest);
  const StatementPtr statement(raw);
  if (code != SQLITE_OK) return FailedQuery(db, code);
  if (raw == nullptr) return absl::InvalidArgumentError("there is no statement");
  if (sqlite3_stmt_isexplain(raw) != 0) return absl::InvalidArgumentError("no EXPLAIN");
  const std::string_view tail(rest, static_cast<size_t>(query.data() + query.size() - rest));
  if (tail.find_first_not_of(" \t\r\n;") != std::string_view::npos) {
    return absl::InvalidArgumentError("a rule is one statement");
  }
  Answer answer;
  for (int i = 0; i < sqlite3_column_count(raw); ++i) {
    answer.columns.emplace_back(sqlite3_column_name(raw, i));
  }
  while ((code = sqlite3_step(raw)) == SQLITE_ROW) {
    if (answer.rows.size() == kAnswerRowsMax) {
      answer.more = true;
      break;
    }
    auto& row = answer.rows.emplace_back();
    for (int i = 0; i < sqlite3_column_count(raw); ++i) row.push_back(ValueAt(raw, i));
  }
  if (code != SQLITE_DONE && code != SQLITE_ROW) return FailedQuery(db, code);
  answer.steps = meter.looks + 1;
  return answer;
}

}  // namespace

FactBase::FactBase() {
  Must(nullptr, sqlite3_open_v2(":memory:", &db_,
                                SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_MEMORY |
                                    SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE,
                                nullptr));
  // Sorting goes to no file either; nothing is rolled back.
  Must(db_, sqlite3_exec(db_,
                         "PRAGMA temp_store = MEMORY; PRAGMA journal_mode = OFF;"
                         "PRAGMA synchronous = OFF; PRAGMA trusted_schema = OFF",
                         nullptr, nullptr, nullptr));
  std::string schema = "BEGIN;";
  for (const Table& table : Tables()) absl::StrAppend(&schema, TableSql(table), ";");
  Must(db_, sqlite3_exec(db_, (schema + "COMMIT").c_str(), nullptr, nullptr, nullptr));
}

FactBase::~FactBase() { sqlite3_close_v2(db_); }

void FactBase::Fill(const Source& source, const std::set<std::string>& tables) {
  Must(db_, sqlite3_exec(db_, "BEGIN", nullptr, nullptr, nullptr));
  for (const Table& table : Tables()) {
    if (!tables.contains(std::string(table.name))) continue;
    Inserter rows(db_, table);
    table.fill(source, rows);
  }
  Must(db_, sqlite3_exec(db_, "COMMIT; PRAGMA query_only = ON", nullptr, nullptr, nullptr));
}

absl::StatusOr<Answer> FactBase::Ask(const std::string& query, std::set<std::string>* tables) {
  if (query.size() > kQueryBytesMax) {
    return absl::InvalidArgumentError(
        absl::StrCat("the query has ", query.size(), " bytes, the limit is ", kQueryBytesMax));
  }
  SetQueryLimits(db_);
  Gate gate{tables};
  Meter meter;
  sqlite3_set_authorizer(db_, &Allow, &gate);
  sqlite3_progress_handler(db_, kStepsBetweenLooks, &CountLook, &meter);
  auto answer = RunRuleQuery(db_, query, meter);
  sqlite3_progress_handler(db_, 0, nullptr, nullptr);
  sqlite3_set_authorizer(db_, nullptr, nullptr);
  return answer;
}

}  // namespace verifier::learnt
