// Looking after a store as a whole: whether it is sound, a copy of it, what may go.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "store/store.h"

namespace store {

// Asked between steps; true ends the work with CANCELLED.
using Cancelled = std::function<bool()>;

// What the folder shows without a lock.
struct StoreFacts {
  int64_t schema = 0, schema_known = 0;  // of the file, of this program
  int64_t last_seq = 0, database_bytes = 0, wal_bytes = 0;
};
absl::StatusOr<StoreFacts> LookAt(const std::string& dir);

// The pid of the process that holds the folder's lock; "": nobody does.
std::string HolderOf(const std::string& dir);

std::string_view SqliteVersion();

struct ObjectFault {
  ObjectHash hash;
  std::string what;  // "its file is missing", ..
};
inline constexpr size_t kMaxFaultsListed = 100;

struct FsckReport {
  RebuildReport fold;
  int64_t schema = 0, last_seq = 0;
  int64_t objects = 0, object_bytes = 0, let_go = 0;  // let_go: retention has taken their bytes
  int64_t named = 0;                                  // objects that events name
  int64_t stray_files = 0;                            // without a row: what gc takes
  int64_t fault_count = 0;
  std::vector<ObjectFault> faults;  // at most kMaxFaultsListed: bytes, and names without an object
  bool sound() const { return fold.equal() && fault_count == 0; }
};

// Folds the log and compares every table, reads every object and compares its hash, looks for
// events that name an object which is not there. Opens read-only, so it may run beside a daemon;
// the write-ahead log grows while it compares.
absl::StatusOr<FsckReport> Fsck(const std::string& dir, const Cancelled& cancelled);

struct BackupReport {
  std::string path, database_hash;
  int64_t schema = 0, last_seq = 0, database_bytes = 0, objects = 0, object_bytes = 0;
};

// A copy of the database as it is at one moment, then the objects that it names, then a manifest of
// hashes; a folder without manifest is no backup. `to` must be missing or empty. May run beside a
// daemon.
absl::StatusOr<BackupReport> Backup(const std::string& dir, const std::string& to,
                                    const Cancelled& cancelled);

struct RestoreReport {
  BackupReport from;
  RebuildReport fold;
};

// Makes a store of a backup in `into`, which must be missing or empty: every hash of the manifest
// is checked, an older schema is migrated, the log is folded and compared. NEWER_SCHEMA names both
// versions.
absl::StatusOr<RestoreReport> Restore(const std::string& from, const std::string& into,
                                      const Cancelled& cancelled);

inline constexpr int64_t kUsPerHour = int64_t{3600} * 1'000'000;

struct GarbagePolicy {
  int64_t unnamed_hours = 24;     // objects and files that nothing names
  int64_t log_hours = 30 * 24;    // bytes of logs
  int64_t cubin_hours = 7 * 24;   // bytes of cubins, but those of the best of each run
  int64_t trash_hours = 24;       // in the trash
  int64_t objects_max = 100'000;  // of each kind, at once
  bool apply = false;             // else nothing is changed
};

struct GarbageCount {
  int64_t count = 0, bytes = 0;
};

struct GarbageReport {
  GarbageCount unnamed, logs, cubins;  // objects
  GarbageCount files;                  // files without a row
  GarbageCount trash;                  // files of the trash whose time is over
  int64_t kept = 0;                    // objects that something names
  bool limited = false;                // objects_max was reached: run it again
  bool applied = false;
};

// What nothing names any more goes to the trash, with rows; logs and cubins lose their bytes after
// their time, their rows stay; the trash is emptied of what has been there long enough. What the
// text of a kept object names is kept too.
absl::StatusOr<GarbageReport> CollectGarbage(Store& store, Clock& clock,
                                             const GarbagePolicy& policy,
                                             const Cancelled& cancelled);

}  // namespace store
