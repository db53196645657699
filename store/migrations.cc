#include "store/migrations.h"

#include <unistd.h>

#include <vector>

#include "absl/strings/str_cat.h"
#include "store/error.h"
#include "store/failpoint.h"
#include "store/try.h"

namespace store {

std::string_view Embedded(std::string_view name);  // generated from the .sql files

namespace {

absl::Status Copy(Database& db, const std::string& path, int64_t version) {
  const std::string copy = absl::StrCat(path, ".v", version, ".bak");
  unlink(copy.c_str());  // what an attempt that was cut short left; VACUUM INTO wants no file
  CAKE_STORE_TRY(db.Run("VACUUM INTO ?1", copy));
  CAKE_FAILPOINT("store.migrate.copied");
  return absl::OkStatus();
}

absl::Status RunStep(Database& db, const Migration& step) {
  const std::string script = absl::StrCat(step.sql, "\nPRAGMA user_version = ", step.to,
                                          ";\nPRAGMA application_id = ", kApplicationId, ";");
  CAKE_STORE_TRY(db.Exec("BEGIN IMMEDIATE"));
  absl::Status status = db.Exec(script);
  CAKE_FAILPOINT("store.migrate.before_commit");
  if (status.ok()) status = db.Exec("COMMIT");
  if (!status.ok()) {
    db.Exec("ROLLBACK").IgnoreError();
    return absl::Status(status.code(),
                        absl::StrCat("migration to version ", step.to, ": ", status.message()));
  }
  return absl::OkStatus();
}

}  // namespace

std::span<const Migration> Migrations() {
  static const std::vector<Migration> steps = {
      {1, absl::StrCat(std::string(Embedded("schema.sql")), std::string(Embedded("views.sql")))},
      {2, std::string(Embedded("schema_2.sql"))},
      {3, std::string(Embedded("schema_3.sql"))},
      {4, std::string(Embedded("schema_4.sql"))},
      {5, std::string(Embedded("schema_5.sql"))}};
  return steps;
}

absl::Status CheckFile(Database& db, std::span<const Migration> migrations) {
  CAKE_STORE_ASSIGN(const int64_t application, db.Int("PRAGMA application_id"));
  CAKE_STORE_ASSIGN(const int64_t version, db.Int("PRAGMA user_version"));
  CAKE_STORE_ASSIGN(const int64_t objects, db.Int("SELECT count(*) FROM sqlite_schema"));
  const bool fresh = application == 0 && version == 0 && objects == 0;
  if (!fresh && application != kApplicationId) {
    return Error(Reason::kForeignFile,
                 absl::StrCat("the file has application id ", application, ", not ", kApplicationId,
                              ": it is not a store of this program"));
  }
  const int64_t newest = migrations.back().to;
  if (version > newest) {
    return Error(Reason::kNewerSchema, absl::StrCat("the store has schema version ", version,
                                                    "; this program knows up to ", newest));
  }
  return absl::OkStatus();
}

absl::Status Migrate(Database& db, const std::string& path, std::span<const Migration> migrations) {
  CAKE_STORE_TRY(CheckFile(db, migrations));
  CAKE_STORE_ASSIGN(const int64_t version, db.Int("PRAGMA user_version"));
  if (version == migrations.back().to) return absl::OkStatus();
  if (version > 0 && !path.empty()) CAKE_STORE_TRY(Copy(db, path, version));
  for (const Migration& step : migrations) {
    if (step.to > version) CAKE_STORE_TRY(RunStep(db, step));
  }
  return absl::OkStatus();
}

}  // namespace store
