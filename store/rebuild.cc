#include <algorithm>
#include <iterator>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "store/apply.h"
#include "store/collect.h"
#include "store/files.h"
#include "store/migrations.h"
#include "store/sqlite.h"
#include "store/store.h"
#include "store/try.h"

namespace store {
namespace {

struct Table {
  std::string name;
  std::vector<std::string> columns, key;
};

std::string ReadOnlyUri(const std::string& path) {
  std::string uri = "file:";
  for (const char c : path) {
    if (c == '%' || c == '?' || c == '#') {
      absl::StrAppend(&uri, "%", absl::Hex(static_cast<unsigned char>(c), absl::kZeroPad2));
    } else {
      uri += c;
    }
  }
  return absl::StrCat(uri, "?mode=ro");
}

absl::StatusOr<std::vector<Table>> ProjectionTables(Database& db) {
  CAKE_STORE_ASSIGN(std::vector<std::string> names, [&] {
    Statement s = db.Use("SELECT name FROM main.sqlite_schema WHERE type = 'table' ORDER BY 1");
    return Collect<std::string>(s, [](Statement& row, std::string& n) { row.Get(n); });
  }());
  std::vector<Table> tables;
  for (std::string& name : names) {
    if (std::count(std::begin(kExemptTables), std::end(kExemptTables), name) > 0) continue;
    Table table{std::move(name)};
    Statement s = db.Use("SELECT name, pk FROM pragma_table_info(?1, 'main') ORDER BY cid");
    s.Bind(table.name);
    for (;;) {
      CAKE_STORE_ASSIGN(const bool more, s.Step());
      if (!more) break;
      table.columns.push_back(s.Text(0));
      if (s.Int(1) > 0) table.key.push_back(s.Text(0));
    }
    tables.push_back(std::move(table));
  }
  return tables;
}

// The text of a row: every column as SQL would write it, so that types show.
std::string RowSelect(const std::vector<std::string>& columns) {
  std::vector<std::string> parts;
  for (const std::string& c : columns)
    parts.push_back(absl::StrCat("'", c, "=' || quote(", c, ")"));
  return absl::StrJoin(parts, " || ', ' || ");
}

class Checker {
 public:
  explicit Checker(std::unique_ptr<Database> scratch) : db_(std::move(scratch)) {}

  absl::StatusOr<RebuildReport> Run(const std::string& path) {
    CAKE_STORE_TRY(db_->Run("ATTACH ?1 AS live", ReadOnlyUri(path)));
    CAKE_STORE_ASSIGN(const int64_t version, db_->Int("PRAGMA live.user_version"));
    if (version != Migrations().back().to) {
      return Error(Reason::kNewerSchema,
                   absl::StrCat("the store has schema version ", version, "; this program checks ",
                                Migrations().back().to));
    }
    // One transaction: the log and the tables are read from one snapshot of the file.
    CAKE_STORE_TRY(db_->Exec("BEGIN"));
    CAKE_STORE_TRY(Fold());
    CAKE_STORE_ASSIGN(const std::vector<Table> tables, ProjectionTables(*db_));
    for (const Table& table : tables) CAKE_STORE_TRY(Compare(table));
    for (const std::string_view name : kExemptTables) report_.exempt.emplace_back(name);
    CAKE_STORE_TRY(db_->Exec("ROLLBACK"));
    return std::move(report_);
  }

 private:
  void Differ(std::string table, std::string key, std::string expected, std::string found) {
    if (report_.differences.size() >= kMaxRebuildDifferences) return;
    report_.differences.push_back(
        {std::move(table), std::move(key), std::move(expected), std::move(found)});
  }

  // Applies the log event by event. One that cannot be applied is a difference, and the last one
  // looked at: what follows it would differ for its sake.
  absl::Status Fold() {
    Statement s = db_->Use(
        "SELECT seq, at_us, run_id, subject, kind, schema, body FROM live.event ORDER BY seq");
    for (;;) {
      CAKE_STORE_ASSIGN(const bool more, s.Step());
      if (!more) return absl::OkStatus();
      Event event;
      std::string subject, kind, body;
      int64_t run = 0;
      int schema = 0;
      s.Get(event.seq).Get(event.at_us).Get(run).Get(subject).Get(kind).Get(schema).Get(body);
      absl::Status status = event.seq == report_.events + 1
                                ? ApplyStored(event, kind, schema, body)
                                : Error(Reason::kCorrupt, "the sequence number is not the next");
      if (status.ok() && (event.run != run || event.subject != subject)) {
        Differ("event", absl::StrCat("seq=", event.seq),
               absl::StrCat("run_id=", event.run, ", subject=", event.subject),
               absl::StrCat("run_id=", run, ", subject=", subject));
      }
      if (!status.ok()) {
        Differ("event", absl::StrCat("seq=", event.seq), "an event that follows from the log",
               absl::StrCat(kind, ": ", status.message()));
        return absl::OkStatus();
      }
      ++report_.events;
    }
  }

  absl::Status ApplyStored(Event& event, const std::string& kind, int schema,
                           const std::string& body) {
    CAKE_STORE_ASSIGN(event.body, BodyFromJson(kind, schema, body));
    CAKE_STORE_TRY(Assign(*db_, event));
    return Apply(*db_, event);
  }

  absl::Status Compare(const Table& table) {
    report_.tables.push_back(table.name);
    CAKE_STORE_ASSIGN(const int64_t rows, [&]() -> absl::StatusOr<int64_t> {
      Statement s = db_->Once(absl::StrCat("SELECT count(*) FROM live.", table.name));
      CAKE_STORE_ASSIGN(const bool found, s.Step());
      return found ? s.Int(0) : 0;
    }());
    report_.rows += rows;
    CAKE_STORE_TRY(OneSide(table, "main", "live", /*expected=*/true));
    return OneSide(table, "live", "main", /*expected=*/false);
  }

  // Rows of `from` that `other` has not. A row that differs shows on both sides: it is reported
  // once, from the side of the log.
  absl::Status OneSide(const Table& table, const char* from, const char* other, bool expected) {
    const std::string columns = absl::StrJoin(table.columns, ", ");
    Statement s = db_->Once(absl::StrCat(
        "SELECT ", RowSelect(table.key), ", ", RowSelect(table.columns), " FROM (SELECT ", columns,
        " FROM ", from, ".", table.name, " EXCEPT SELECT ", columns, " FROM ", other, ".",
        table.name, ") LIMIT ", kMaxRebuildDifferences));
    for (;;) {
      CAKE_STORE_ASSIGN(const bool more, s.Step());
      if (!more) return absl::OkStatus();
      const std::string key = s.Text(0), row = s.Text(1);
      CAKE_STORE_ASSIGN(const std::string counterpart, Counterpart(table, other, key));
      if (expected) {
        Differ(table.name, key, row, counterpart);
      } else if (counterpart == kNoRow) {
        Differ(table.name, key, kNoRow, row);
      }
    }
  }

  absl::StatusOr<std::string> Counterpart(const Table& table, const char* side,
                                          const std::string& key) {
    Statement s = db_->Once(absl::StrCat("SELECT ", RowSelect(table.columns), " FROM ", side, ".",
                                         table.name, " WHERE ", RowSelect(table.key), " = ?1"));
    CAKE_STORE_ASSIGN(const bool found, s.Bind(key).Step());
    return found ? s.Text(0) : kNoRow;
  }

  static constexpr char kNoRow[] = "no row";
  std::unique_ptr<Database> db_;
  RebuildReport report_;
};

absl::StatusOr<std::string> IntegrityOf(const std::string& path) {
  CAKE_STORE_ASSIGN(std::unique_ptr<Database> db, Database::Open(path, OpenMode::kReadOnly, ""));
  Statement s = db->Use("PRAGMA integrity_check(1)");
  CAKE_STORE_ASSIGN(const bool found, s.Step());
  if (!found) return std::string("no answer");
  if (s.Text(0) != "ok") return s.Text(0);
  Statement keys = db->Use("PRAGMA foreign_key_check");
  CAKE_STORE_ASSIGN(const bool broken, keys.Step());
  return broken ? absl::StrCat("table ", keys.Text(0), " breaks a foreign key") : "ok";
}

}  // namespace

absl::StatusOr<RebuildReport> RebuildCheck(const std::string& dir) {
  const std::string path = absl::StrCat(dir, "/cake.db");
  CAKE_STORE_ASSIGN(const std::string integrity, IntegrityOf(path));
  // "" is a temporary file: a long log does not have to fit into memory.
  CAKE_STORE_ASSIGN(std::unique_ptr<Database> scratch,
                    Database::Open("", OpenMode::kReadWriteCreate, ""));
  CAKE_STORE_TRY(Migrate(*scratch, "", Migrations()));
  CAKE_STORE_TRY(scratch->Exec("PRAGMA foreign_keys = ON; PRAGMA synchronous = OFF"));
  CAKE_STORE_ASSIGN(RebuildReport report, Checker(std::move(scratch)).Run(path));
  report.integrity = integrity;
  return report;
}

}  // namespace store
