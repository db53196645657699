#include <fcntl.h>
#include <sqlite3.h>
#include <sys/file.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <unordered_set>

#include "absl/strings/str_cat.h"
#include "store/files.h"
#include "store/migrations.h"
#include "store/object_names.h"
#include "store/sqlite.h"
#include "store/try.h"
#include "store/upkeep.h"

namespace store {
namespace {

constexpr int64_t kRowsAtOnce = 200;  // so that no read pins the write-ahead log for long

void Fault(FsckReport& report, const ObjectHash& hash, std::string what) {
  ++report.fault_count;
  if (report.faults.size() < kMaxFaultsListed) report.faults.push_back({hash, std::move(what)});
}

struct ObjectLine {
  ObjectHash hash;
  bool is_file = false, dropped = false;
  int64_t size = 0;
  std::string bytes;
};

void CheckBytes(const std::string& dir, const ObjectLine& line, FsckReport& report) {
  ++report.objects;
  report.object_bytes += line.size;
  if (line.dropped) {
    ++report.let_go;
    return;
  }
  std::string bytes = line.bytes;
  if (line.is_file) {
    auto read = ReadObject(dir, line.hash.hex);
    if (!read.ok()) return Fault(report, line.hash, std::string(read.status().message()));
    bytes = *std::move(read);
  } else if (HashOf(bytes) != line.hash) {
    return Fault(report, line.hash, "the row has other bytes");
  }
  if (static_cast<int64_t>(bytes.size()) != line.size) {
    Fault(report, line.hash,
          absl::StrCat("has ", bytes.size(), " bytes, its row says ", line.size));
  }
}

// Every object's bytes, and the hashes of all rows.
absl::StatusOr<std::unordered_set<std::string>> CheckObjects(Database& db, const std::string& dir,
                                                             const Cancelled& cancelled,
                                                             FsckReport& report) {
  std::unordered_set<std::string> known;
  std::string after;
  for (;;) {
    std::vector<ObjectLine> lines;
    {
      Statement s = db.Use(
          "SELECT hash, bytes_inline IS NULL, dropped_us IS NOT NULL, size, bytes_inline"
          " FROM object WHERE hash > ?1 ORDER BY hash LIMIT ?2");
      s.Bind(after, kRowsAtOnce);
      for (;;) {
        CAKE_STORE_ASSIGN(const bool more, s.Step());
        if (!more) break;
        ObjectLine line;
        s.Get(line.hash).Get(line.is_file).Get(line.dropped).Get(line.size).Get(line.bytes);
        lines.push_back(std::move(line));
      }
    }
    if (lines.empty()) return known;
    after = lines.back().hash.hex;
    for (const ObjectLine& line : lines) {
      if (cancelled()) return absl::CancelledError("fsck was cancelled");
      CheckBytes(dir, line, report);
      known.insert(line.hash.hex);
    }
  }
}

int64_t StrayFiles(const std::string& dir, const std::unordered_set<std::string>& known) {
  int64_t stray = 0;
  std::error_code error;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(dir + "/objects", error)) {
    if (!entry.is_regular_file(error)) continue;
    const std::string folder = entry.path().parent_path().filename().string();
    stray += known.contains(folder + entry.path().filename().string()) ? 0 : 1;
  }
  return stray;
}

}  // namespace

absl::StatusOr<StoreFacts> LookAt(const std::string& dir) {
  StoreFacts facts{.schema_known = Migrations().back().to};
  const std::string path = absl::StrCat(dir, "/cake.db");
  CAKE_STORE_ASSIGN(std::unique_ptr<Database> db, Database::Open(path, OpenMode::kReadOnly, ""));
  CAKE_STORE_ASSIGN(facts.schema, db->Int("PRAGMA user_version"));
  CAKE_STORE_ASSIGN(facts.last_seq, db->Int("SELECT max(seq) FROM event"));
  std::error_code missing;
  facts.database_bytes = static_cast<int64_t>(std::filesystem::file_size(path, missing));
  const auto wal = std::filesystem::file_size(path + "-wal", missing);
  facts.wal_bytes = missing ? 0 : static_cast<int64_t>(wal);
  return facts;
}

std::string HolderOf(const std::string& dir) {
  const int fd = open(absl::StrCat(dir, "/lock").c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return "";
  const bool free = flock(fd, LOCK_SH | LOCK_NB) == 0;
  close(fd);
  if (free) return "";
  std::string pid;
  std::ifstream(absl::StrCat(dir, "/lock")) >> pid;
  return pid.empty() ? "of unknown number" : pid;
}

std::string_view SqliteVersion() { return sqlite3_libversion(); }

absl::StatusOr<FsckReport> Fsck(const std::string& dir, const Cancelled& cancelled) {
  FsckReport report;
  const std::string path = absl::StrCat(dir, "/cake.db");
  if (!std::filesystem::exists(path)) {
    return Error(Reason::kUnknownId, absl::StrCat("no store in ", dir));
  }
  CAKE_STORE_ASSIGN(std::unique_ptr<Database> db, Database::Open(path, OpenMode::kReadOnly, ""));
  CAKE_STORE_ASSIGN(report.schema, db->Int("PRAGMA user_version"));
  CAKE_STORE_ASSIGN(report.fold, RebuildCheck(dir));
  CAKE_STORE_ASSIGN(report.last_seq, db->Int("SELECT max(seq) FROM event"));
  // Events before rows: what an event names was stored before it.
  CAKE_STORE_ASSIGN(const NamedObjects named, NamedByEvents(*db, report.last_seq, cancelled));
  CAKE_STORE_ASSIGN(const std::unordered_set<std::string> known,
                    CheckObjects(*db, dir, cancelled, report));
  for (const auto& [hash, seq] : named) {
    if (!known.contains(hash)) {
      Fault(report, {hash}, absl::StrCat("event ", seq, " names it and there is no such object"));
    }
  }
  report.named = static_cast<int64_t>(named.size());
  report.stray_files = StrayFiles(dir, known);
  return report;
}

}  // namespace store
