#include <fcntl.h>
#include <sqlite3.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"
#include "store/files.h"
#include "store/migrations.h"
#include "store/sqlite.h"
#include "store/try.h"
#include "store/upkeep.h"

namespace store {
namespace {

constexpr char kFormat[] = "cake-backup-1";
constexpr int kPagesAtOnce = 1024;  // 4 MiB between two looks at `cancelled`
constexpr int64_t kManifestBytesMax = int64_t{1} << 30;
constexpr std::string_view kDatabaseName = "cake.db", kManifestName = "manifest.json";

struct Listed {
  std::string hash;
  int64_t size = 0;
};

struct Manifest {
  BackupReport report;
  std::vector<Listed> objects;
};

absl::Status Stopped() { return absl::CancelledError("the copy was cancelled"); }

absl::Status EmptyFolder(const std::string& path) {
  std::error_code error;
  if (std::filesystem::exists(path, error) && !std::filesystem::is_empty(path, error)) {
    return Error(Reason::kBadState, absl::StrCat(path, " is not an empty folder"));
  }
  return MakeDir(path);
}

absl::Status SyncFile(const std::string& path, int flags) {
  const int fd = open(path.c_str(), flags | O_CLOEXEC);
  if (fd < 0) return absl::InternalError(absl::StrCat("open ", path, " failed"));
  if (fsync(fd) != 0) DieOfSync(path);
  close(fd);
  return absl::OkStatus();
}

// The hash of a file, read in pieces, and its size.
absl::StatusOr<Listed> HashFile(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return Error(Reason::kCorrupt, absl::StrCat(path, " is missing"));
  Sha256 hash;
  Listed out;
  std::string piece(size_t{1} << 20, '\0');
  while (in.read(piece.data(), static_cast<std::streamsize>(piece.size())), in.gcount() > 0) {
    hash.Add({piece.data(), static_cast<size_t>(in.gcount())});
    out.size += in.gcount();
  }
  out.hash = hash.Hex();
  return out;
}

// One snapshot of the file, copied page by page while others write: the read transaction that is
// opened first holds the snapshot, so the copy never has to start again.
absl::Status CopyDatabase(const std::string& from, const std::string& to,
                          const Cancelled& cancelled) {
  CAKE_STORE_ASSIGN(std::unique_ptr<Database> source,
                    Database::Open(from, OpenMode::kReadOnly, ""));
  CAKE_STORE_TRY(source->Exec("BEGIN"));
  CAKE_STORE_TRY(source->Int("SELECT max(seq) FROM event").status());
  CAKE_STORE_ASSIGN(std::unique_ptr<Database> target,
                    Database::Open(to, OpenMode::kReadWriteCreate, ""));
  sqlite3_backup* copy = sqlite3_backup_init(target->raw(), "main", source->raw(), "main");
  if (copy == nullptr) return SqliteError(target->raw(), sqlite3_errcode(target->raw()));
  int code = SQLITE_OK;
  bool stopped = false;
  while (code == SQLITE_OK && !stopped) {
    code = sqlite3_backup_step(copy, kPagesAtOnce);
    stopped = code == SQLITE_OK && cancelled();
  }
  const int finished = sqlite3_backup_finish(copy);
  if (stopped) return Stopped();
  if (finished != SQLITE_OK) return SqliteError(target->raw(), finished);
  if (code != SQLITE_DONE) return SqliteError(target->raw(), code);
  // One file without a write-ahead log, so that its hash says everything.
  return target->Exec("PRAGMA journal_mode = DELETE");
}

absl::StatusOr<std::vector<Listed>> ObjectFiles(Database& db) {
  std::vector<Listed> out;
  Statement s = db.Use(
      "SELECT hash, size FROM object WHERE bytes_inline IS NULL AND dropped_us IS NULL"
      " ORDER BY hash");
  for (;;) {
    CAKE_STORE_ASSIGN(const bool more, s.Step());
    if (!more) return out;
    s.Get(out.emplace_back().hash).Get(out.back().size);
  }
}

absl::Status CopyObjects(const std::vector<Listed>& objects, const std::string& from,
                         const std::string& to, const Cancelled& cancelled) {
  CAKE_STORE_TRY(MakeDir(to + "/objects"));
  for (const Listed& object : objects) {
    if (cancelled()) return Stopped();
    CAKE_STORE_ASSIGN(const std::string bytes, ReadObject(from, object.hash));
    CAKE_STORE_TRY(PlaceObject(to, object.hash, bytes));
  }
  return absl::OkStatus();
}

absl::Status WriteManifest(const Manifest& manifest, const std::string& to) {
  nlohmann::ordered_json out = {{"format", kFormat},
                                {"schema", manifest.report.schema},
                                {"last_seq", manifest.report.last_seq},
                                {"database", manifest.report.database_hash},
                                {"database_bytes", manifest.report.database_bytes},
                                {"objects", nlohmann::ordered_json::array()}};
  for (const Listed& object : manifest.objects) {
    out["objects"].push_back({object.hash, object.size});
  }
  const std::string path = absl::StrCat(to, "/", std::string(kManifestName));
  {
    std::ofstream file(path + ".new");
    file << out.dump() << "\n";
    if (!file.flush()) return Error(Reason::kDiskFull, absl::StrCat("cannot write ", path));
  }
  CAKE_STORE_TRY(SyncFile(path + ".new", O_RDONLY));
  std::error_code error;
  std::filesystem::rename(path + ".new", path, error);
  if (error) return absl::InternalError(absl::StrCat(path, ": ", error.message()));
  return SyncFile(to, O_RDONLY | O_DIRECTORY);
}

absl::StatusOr<Manifest> ReadManifest(const std::string& from) {
  const std::string path = absl::StrCat(from, "/", std::string(kManifestName));
  std::error_code error;
  const auto size = std::filesystem::file_size(path, error);
  if (error) {
    return Error(Reason::kUnknownId, absl::StrCat(path, ": ", error.message(),
                                                  "; a folder without manifest is no backup"));
  }
  if (static_cast<int64_t>(size) > kManifestBytesMax) {
    return Error(Reason::kTooLarge, absl::StrCat(path, " is over 1 GiB"));
  }
  std::ifstream file(path);
  const auto json = nlohmann::json::parse(file, nullptr, false);
  const auto bad = [&](std::string_view what) {
    return Error(Reason::kCorrupt, absl::StrCat(path, " ", std::string(what)));
  };
  if (!json.is_object() || json.value("format", "") != kFormat) return bad("is no manifest");
  Manifest out;
  out.report.path = from;
  out.report.schema = json.value("schema", int64_t{0});
  out.report.last_seq = json.value("last_seq", int64_t{0});
  out.report.database_hash = json.value("database", "");
  out.report.database_bytes = json.value("database_bytes", int64_t{0});
  for (const auto& object : json.value("objects", nlohmann::json::array())) {
    const bool fits = object.is_array() && object.size() == 2 && object[0].is_string() &&
                      object[1].is_number_integer();
    if (!fits || object[0].get<std::string>().size() != 64) return bad("lists what is no object");
    out.objects.push_back({object[0].get<std::string>(), object[1].get<int64_t>()});
    out.report.object_bytes += out.objects.back().size;
  }
  out.report.objects = static_cast<int64_t>(out.objects.size());
  return out;
}

}  // namespace

absl::StatusOr<BackupReport> Backup(const std::string& dir, const std::string& to,
                                    const Cancelled& cancelled) {
  CAKE_STORE_TRY(EmptyFolder(to));
  const std::string path = absl::StrCat(to, "/", std::string(kDatabaseName));
  CAKE_STORE_TRY(CopyDatabase(absl::StrCat(dir, "/", std::string(kDatabaseName)), path, cancelled));
  CAKE_STORE_TRY(SyncFile(path, O_RDONLY));
  Manifest manifest;
  BackupReport& report = manifest.report;
  report.path = to;
  {
    CAKE_STORE_ASSIGN(std::unique_ptr<Database> db, Database::Open(path, OpenMode::kReadOnly, ""));
    CAKE_STORE_ASSIGN(report.schema, db->Int("PRAGMA user_version"));
    CAKE_STORE_ASSIGN(report.last_seq, db->Int("SELECT max(seq) FROM event"));
    CAKE_STORE_ASSIGN(manifest.objects, ObjectFiles(*db));
  }
  CAKE_STORE_TRY(CopyObjects(manifest.objects, dir, to, cancelled));
  for (const Listed& object : manifest.objects) report.object_bytes += object.size;
  report.objects = static_cast<int64_t>(manifest.objects.size());
  CAKE_STORE_ASSIGN(const Listed database, HashFile(path));
  report.database_hash = database.hash;
  report.database_bytes = database.size;
  CAKE_STORE_TRY(WriteManifest(manifest, to));
  return report;
}

absl::StatusOr<RestoreReport> Restore(const std::string& from, const std::string& into,
                                      const Cancelled& cancelled) {
  RestoreReport report;
  CAKE_STORE_ASSIGN(const Manifest manifest, ReadManifest(from));
  report.from = manifest.report;
  if (report.from.schema > Migrations().back().to) {
    return Error(Reason::kNewerSchema,
                 absl::StrCat("the backup has schema version ", report.from.schema,
                              "; this program knows up to ", Migrations().back().to));
  }
  const std::string source = absl::StrCat(from, "/", std::string(kDatabaseName));
  CAKE_STORE_ASSIGN(const Listed database, HashFile(source));
  if (database.hash != report.from.database_hash) {
    return Error(Reason::kCorrupt, absl::StrCat(source, " has other bytes than the manifest says"));
  }
  CAKE_STORE_TRY(EmptyFolder(into));
  CAKE_STORE_ASSIGN(const FolderLock lock, FolderLock::Take(into));
  CAKE_STORE_TRY(CopyObjects(manifest.objects, from, into, cancelled));
  // The database comes last and by a rename: a folder that has one is whole.
  const std::string path = absl::StrCat(into, "/", std::string(kDatabaseName));
  std::error_code error;
  std::filesystem::copy_file(source, path + ".restoring", error);
  if (error) return Error(Reason::kDiskFull, absl::StrCat(path, ": ", error.message()));
  CAKE_STORE_TRY(SyncFile(path + ".restoring", O_RDONLY));
  std::filesystem::rename(path + ".restoring", path, error);
  if (error) return absl::InternalError(absl::StrCat(path, ": ", error.message()));
  CAKE_STORE_TRY(SyncFile(into, O_RDONLY | O_DIRECTORY));
  {
    CAKE_STORE_ASSIGN(std::unique_ptr<Database> db,
                      Database::Open(path, OpenMode::kReadWriteCreate, ""));
    CAKE_STORE_TRY(Migrate(*db, path, Migrations()));
  }
  CAKE_STORE_ASSIGN(report.fold, RebuildCheck(into));
  return report;
}

}  // namespace store
