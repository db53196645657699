#include "store/sqlite.h"

#include <sqlite3.h>

#include <cstdlib>

#include "absl/strings/str_cat.h"
#include "store/clock.h"
#include "store/error.h"

namespace store {
namespace {

constexpr int kProgressSteps = 1000;

std::string_view View(const char* text) { return text == nullptr ? "" : text; }

}  // namespace

absl::Status SqliteError(sqlite3* db, int code) {
  const std::string text = absl::StrCat("sqlite: ", sqlite3_errstr(code), db != nullptr ? ": " : "",
                                        db != nullptr ? sqlite3_errmsg(db) : "");
  switch (code & 0xff) {
    case SQLITE_FULL: return Error(Reason::kDiskFull, text);
    case SQLITE_CONSTRAINT: return Error(Reason::kBadState, text);
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB: return Error(Reason::kCorrupt, text);
    case SQLITE_INTERRUPT: return absl::DeadlineExceededError(text);
    case SQLITE_BUSY:
    case SQLITE_LOCKED: return absl::UnavailableError(text);
    case SQLITE_TOOBIG: return Error(Reason::kTooLarge, text);
    default: return absl::InternalError(absl::StrCat(text, " (", code, ")"));
  }
}

Statement::Statement(sqlite3* db, sqlite3_stmt* stmt, absl::Status prepared, bool owned)
    : db_(db), stmt_(stmt), status_(std::move(prepared)), owned_(owned) {}

Statement::Statement(Statement&& other) noexcept
    : db_(other.db_),
      stmt_(other.stmt_),
      status_(std::move(other.status_)),
      owned_(other.owned_),
      next_bind_(other.next_bind_),
      next_column_(other.next_column_) {
  other.stmt_ = nullptr;
}

Statement::~Statement() {
  if (stmt_ == nullptr) return;
  if (owned_) {
    sqlite3_finalize(stmt_);
    return;
  }
  sqlite3_reset(stmt_);
  sqlite3_clear_bindings(stmt_);
}

void Statement::BindNull() {
  if (stmt_ != nullptr) sqlite3_bind_null(stmt_, next_bind_++);
}
void Statement::BindInt(int64_t value) {
  if (stmt_ != nullptr) sqlite3_bind_int64(stmt_, next_bind_++, value);
}
void Statement::BindReal(double value) {
  if (stmt_ != nullptr) sqlite3_bind_double(stmt_, next_bind_++, value);
}
void Statement::BindText(std::string_view value) {
  if (stmt_ == nullptr) return;
  // Copied by SQLite: callers bind temporaries. A null pointer would bind NULL, so "" is literal.
  const char* data = value.empty() ? "" : value.data();
  sqlite3_bind_text64(stmt_, next_bind_++, data, value.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
}

absl::StatusOr<bool> Statement::Step() {
  if (!status_.ok()) return status_;
  next_column_ = 0;
  const int code = sqlite3_step(stmt_);
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  return SqliteError(db_, sqlite3_extended_errcode(db_));
}

absl::Status Statement::Run() {
  for (;;) {
    absl::StatusOr<bool> row = Step();
    if (!row.ok()) return row.status();
    if (!*row) return absl::OkStatus();
  }
}

int64_t Statement::Int(int column) const { return sqlite3_column_int64(stmt_, column); }
double Statement::Real(int column) const { return sqlite3_column_double(stmt_, column); }
std::string Statement::Text(int column) const {
  const void* data = sqlite3_column_blob(stmt_, column);
  const int size = sqlite3_column_bytes(stmt_, column);
  return data == nullptr ? std::string() : std::string(static_cast<const char*>(data), size);
}
bool Statement::IsNull(int column) const {
  return sqlite3_column_type(stmt_, column) == SQLITE_NULL;
}
int Statement::columns() const { return stmt_ == nullptr ? 0 : sqlite3_column_count(stmt_); }
std::string Statement::ColumnName(int column) const {
  return std::string(View(sqlite3_column_name(stmt_, column)));
}

absl::StatusOr<std::unique_ptr<Database>> Database::Open(const std::string& path, OpenMode mode,
                                                         const std::string& vfs) {
  sqlite3* raw = nullptr;
  const int flags = (mode == OpenMode::kReadOnly ? SQLITE_OPEN_READONLY
                                                 : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE) |
                    SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE | SQLITE_OPEN_URI;
  const int code = sqlite3_open_v2(path.c_str(), &raw, flags, vfs.empty() ? nullptr : vfs.c_str());
  std::unique_ptr<Database> db(new Database(raw));
  if (code != SQLITE_OK) {
    return absl::Status(SqliteError(raw, code).code(),
                        absl::StrCat("cannot open ", path, ": ", sqlite3_errstr(code)));
  }
  sqlite3_busy_timeout(raw, 5000);
  sqlite3_db_config(raw, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0, nullptr);
  return db;
}

Database::~Database() {
  for (auto& [sql, stmt] : cache_) sqlite3_finalize(stmt);
  sqlite3_close_v2(db_);
}

Statement Database::Use(const char* sql) {
  if (deadline_ns_ != 0 && clock_->MonotonicNanos() > deadline_ns_) {
    return Statement(db_, nullptr,
                     absl::DeadlineExceededError("the view is older than a view may "
                                                 "be; take a new one"));
  }
  auto found = cache_.find(sql);
  if (found != cache_.end()) {
    // Two live cursors over one statement text would share a position: a bug of ours.
    if (sqlite3_stmt_busy(found->second)) std::abort();
    return Statement(db_, found->second, absl::OkStatus());
  }
  sqlite3_stmt* stmt = nullptr;
  const int code = sqlite3_prepare_v3(db_, sql, -1, SQLITE_PREPARE_PERSISTENT, &stmt, nullptr);
  if (code != SQLITE_OK) return Statement(db_, nullptr, SqliteError(db_, code));
  cache_.emplace(sql, stmt);
  return Statement(db_, stmt, absl::OkStatus());
}

Statement Database::Once(const std::string& sql) {
  sqlite3_stmt* stmt = nullptr;
  const int code = sqlite3_prepare_v2(db_, sql.c_str(), -1, &stmt, nullptr);
  if (code != SQLITE_OK) return Statement(db_, nullptr, SqliteError(db_, code));
  return Statement(db_, stmt, absl::OkStatus(), /*owned=*/true);
}

absl::Status Database::Exec(const std::string& sql) {
  const int code = sqlite3_exec(db_, sql.c_str(), nullptr, nullptr, nullptr);
  return code == SQLITE_OK ? absl::OkStatus() : SqliteError(db_, sqlite3_extended_errcode(db_));
}

int64_t Database::changes() const { return sqlite3_changes64(db_); }

bool Database::last_error_was_sync() const {
  const int code = sqlite3_extended_errcode(db_);
  return code == SQLITE_IOERR_FSYNC || code == SQLITE_IOERR_DIR_FSYNC;
}

int Database::OnProgress(void* self) {
  auto* db = static_cast<Database*>(self);
  return db->deadline_ns_ != 0 && db->clock_->MonotonicNanos() > db->deadline_ns_ ? 1 : 0;
}

void Database::SetDeadline(Clock* clock, int64_t deadline_ns) {
  clock_ = clock;
  deadline_ns_ = deadline_ns;
  sqlite3_progress_handler(db_, deadline_ns == 0 ? 0 : kProgressSteps,
                           deadline_ns == 0 ? nullptr : &Database::OnProgress, this);
}

}  // namespace store
