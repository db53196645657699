// A thin owner of sqlite3 handles. SQL is always a literal; values are always bound.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_map>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "store/types.h"

struct sqlite3;
struct sqlite3_stmt;

namespace store {

// Binds NULL for 0, 0.0 and "".
template <typename T>
struct Optional {
  const T& value;
};
template <typename T>
Optional<T> Opt(const T& value) {
  return {value};
}

// One prepared statement in use; reset when it goes out of scope.
class Statement {
 public:
  // `owned`: finalised at its end, not kept by the connection.
  Statement(sqlite3* db, sqlite3_stmt* stmt, absl::Status prepared, bool owned = false);
  Statement(Statement&& other) noexcept;
  Statement& operator=(Statement&&) = delete;
  ~Statement();

  template <typename... Args>
  Statement& Bind(const Args&... args) {
    (BindAny(args), ...);
    return *this;
  }

  // True: a row is ready. False: done.
  absl::StatusOr<bool> Step();
  // Steps to the end, ignoring rows.
  absl::Status Run();

  int64_t Int(int column) const;
  double Real(int column) const;
  std::string Text(int column) const;  // also blobs; "" for NULL
  bool IsNull(int column) const;
  int columns() const;
  std::string ColumnName(int column) const;

  // Reads the next column of the current row into `out`; starts at column 0 after each Step.
  template <typename T>
  Statement& Get(T& out) {
    if constexpr (std::is_same_v<T, std::string>) {
      out = Text(next_column_++);
    } else if constexpr (std::is_same_v<T, ObjectHash>) {
      out.hex = Text(next_column_++);
    } else if constexpr (std::is_floating_point_v<T>) {
      out = Real(next_column_++);
    } else if constexpr (std::is_enum_v<T>) {
      out = ParseEnum<T>(Text(next_column_++)).value_or(T{});
    } else {
      out = static_cast<T>(Int(next_column_++));
    }
    return *this;
  }

 private:
  template <typename T>
  void BindAny(const T& value) {
    if constexpr (std::is_same_v<T, ObjectHash>) {
      value.hex.empty() ? BindNull() : BindText(value.hex);
    } else if constexpr (std::is_enum_v<T>) {
      const std::string_view text = ToString(value);
      text.empty() ? BindNull() : BindText(text);
    } else if constexpr (std::is_floating_point_v<T>) {
      BindReal(value);
    } else if constexpr (std::is_integral_v<T>) {
      BindInt(static_cast<int64_t>(value));  // 64-bit unsigned values keep their bits
    } else {
      BindText(std::string_view(value));
    }
  }
  template <typename T>
  void BindAny(const Optional<T>& optional) {
    optional.value == T{} ? BindNull() : BindAny(optional.value);
  }
  void BindNull();
  void BindInt(int64_t value);
  void BindReal(double value);
  void BindText(std::string_view value);

  sqlite3* db_;
  sqlite3_stmt* stmt_;
  absl::Status status_;
  bool owned_;
  int next_bind_ = 1;
  int next_column_ = 0;
};

enum class OpenMode : uint8_t { kReadWriteCreate, kReadOnly };

// One connection, used by one thread at a time. Statements are prepared once and kept.
class Database {
 public:
  static absl::StatusOr<std::unique_ptr<Database>> Open(const std::string& path, OpenMode mode,
                                                        const std::string& vfs);
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  // A statement of this text; `sql` must outlive the connection (a literal).
  Statement Use(const char* sql);
  // A statement that is used once; for text made from the schema's own names, never from values.
  Statement Once(const std::string& sql);
  // Runs a script of several statements.
  absl::Status Exec(const std::string& sql);
  // Runs one statement to its end.
  template <typename... Args>
  absl::Status Run(const char* sql, const Args&... args) {
    Statement statement = Use(sql);
    return statement.Bind(args...).Run();
  }
  // The first column of the first row; 0 if there is no row or it is NULL.
  template <typename... Args>
  absl::StatusOr<int64_t> Int(const char* sql, const Args&... args) {
    Statement statement = Use(sql);
    absl::StatusOr<bool> row = statement.Bind(args...).Step();
    if (!row.ok()) return row.status();
    return *row ? statement.Int(0) : 0;
  }
  int64_t changes() const;           // rows changed by the last statement
  bool last_error_was_sync() const;  // the last failure came from fsync
  sqlite3* raw() { return db_; }

  // Ends statements once the clock passes `deadline_ns`; 0: no limit.
  void SetDeadline(class Clock* clock, int64_t deadline_ns);

 private:
  explicit Database(sqlite3* db) : db_(db) {}
  static int OnProgress(void* self);

  sqlite3* db_;
  std::unordered_map<const char*, sqlite3_stmt*> cache_;
  class Clock* clock_ = nullptr;
  int64_t deadline_ns_ = 0;
};

// The status of a result code, with SQLite's message.
absl::Status SqliteError(sqlite3* db, int code);

}  // namespace store
