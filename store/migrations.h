// Brings a database file to the schema of this program, one numbered step at a time.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "absl/status/status.h"
#include "store/sqlite.h"

namespace store {

inline constexpr int64_t kApplicationId = 0x43414b45;  // "CAKE"

struct Migration {
  int64_t to = 0;  // user_version after it; the steps are dense from 1
  std::string sql;
};

std::span<const Migration> Migrations();

// FOREIGN_FILE if the file belongs to another program; NEWER_SCHEMA, naming both versions, if it is
// past the last step; else OK. Writes nothing.
absl::Status CheckFile(Database& db, std::span<const Migration> migrations);

// Runs the missing steps, each in its own transaction. A file that has a version already is first
// copied to `<path>.v<version>.bak`. `path` "" : in memory, no copy.
absl::Status Migrate(Database& db, const std::string& path, std::span<const Migration> migrations);

}  // namespace store
