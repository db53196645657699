// The one place where state lives: an event log and the tables folded from it, in one SQLite file,
// and content-addressed objects beside it. Every write goes through Commit.
//
//   auto store = store::Store::Open({.dir = "/var/lib/cake"});
//   store::Batch batch;
//   batch.objects.push_back({store::ObjectKind::kSource, text});
//   batch.events.push_back(store::CandidateSubmitted{.run = 7, .source_hash = ..});
//   absl::StatusOr<store::CommitResult> done = (*store)->Commit(std::move(batch));
//   auto view = (*store)->Snapshot();
//   auto row = view->reads().GetCandidate(done->ids[0]);
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "store/clock.h"
#include "store/error.h"
#include "store/events.h"
#include "store/reads.h"
#include "store/rows.h"
#include "store/types.h"

namespace store {

inline constexpr size_t kMaxQueuedCommands = 4096;
inline constexpr size_t kMaxQueuedBytes = size_t{16} << 20;
inline constexpr size_t kMaxCommandsPerBatch = 128;
inline constexpr size_t kMaxEventsPerCommand = 16384;
inline constexpr size_t kMaxInlineObjectBytes = size_t{64} << 10;
inline constexpr size_t kMaxObjectBytes = size_t{256} << 20;
inline constexpr size_t kMaxSourceBytes = size_t{256} << 10;
inline constexpr size_t kMaxIntentBytes = size_t{2} << 10;
inline constexpr int64_t kReaderLimitNs = 5'000'000'000;

// What an object is. A source is inline in the database whatever its size.
enum class ObjectKind : uint8_t {
  kSource,
  kReport,
  kCuda,
  kCubin,
  kLog,
  kSamples,
  kReceipt,
  kOther
};
std::string_view ToString(ObjectKind kind);

struct Object {
  ObjectKind kind = ObjectKind::kOther;
  std::string bytes;
};

// SHA-256 in lower-case hex.
std::string Sha256Hex(std::string_view bytes);
ObjectHash HashOf(std::string_view bytes);

struct CommitResult {
  int64_t first_seq = 0, last_seq = 0;  // 0 when the batch had no events
  std::vector<int64_t> ids;             // one an event: the row it made, 0 if it made none
  std::vector<Event> events;            // as stored: every assigned field is filled in
  std::vector<ObjectHash> gone;         // of Batch.let_go: those that went
  std::string reply;                    // of the idempotency key, new or replayed
  bool replayed = false;                // the request was answered before: nothing was written
};

// A request that must have one effect however often it is sent.
struct Idempotency {
  int64_t principal = 0;
  std::string method;
  std::string request_id;
  std::string request_hash;
};

// Objects that may go, as a look at the store through `seen_through_seq` found. The writer keeps
// those that a later event names or that were stored again since.
struct LetGo {
  std::vector<ObjectHash> unnamed;  // nothing names them: row and bytes
  std::vector<ObjectHash> expired;  // their bytes only
  std::vector<ObjectHash> strays;   // files without a row, or whose row has let go of its bytes
  int64_t seen_through_seq = 0;
  int64_t created_before_us = 0;  // of the unnamed: a younger one stays
  int64_t seen_at_us = 0;         // of the expired: one stored again after the look stays
};

// One command: it happens whole or not at all.
struct Batch {
  std::vector<EventBody> events;  // applied in order; a refused one refuses the command
  std::vector<Object> objects;    // stored before the events that name them
  std::vector<int64_t> at_us;     // when each event happened, if that was not now; else empty
  std::optional<Idempotency> idem;
  std::string reply;  // kept under `idem`
  // Makes the reply once ids are known; replaces `reply`. Must not call the store.
  std::function<std::string(const CommitResult&)> make_reply;
  // Runs in the writer's transaction before `events` are applied, and may fill them from what it
  // reads there; its error refuses the command. Must not call the store.
  std::function<absl::Status(Reads&, std::vector<EventBody>&)> prepare;
  LetGo let_go;
  // The command ends held work, so it is accepted while the store is READ_ONLY.
  bool ends_held_work = false;
};

using CommitDone = std::function<void(absl::StatusOr<CommitResult>)>;

struct Options {
  std::string dir;         // made when missing; "" : in memory, for one thread, without threads
  Clock* clock = nullptr;  // SystemClock() if null
  // Writer and checkpoint threads. Without them nothing is written until WriterStep is called.
  bool threads = true;
  int64_t disk_reserve_bytes = int64_t{256} << 20;  // 0: no reserve file
  std::string vfs;                                  // SQLite VFS to use; "" : the default
  int64_t max_reader_connections = 16;
  // The log is copied into the database beside the writer past the first size; past the second one
  // the writer waits until all of it is, so that it cannot grow without bound.
  int64_t passive_wal_bytes = int64_t{16} << 20;
  int64_t restart_wal_bytes = int64_t{256} << 20;
};

enum class Health : uint8_t { kServing, kReadOnly };

struct Stats {
  size_t queued_commands = 0, queued_bytes = 0;
  int64_t commits = 0, commands = 0, refused = 0;
  int64_t last_commit_ns = 0;  // of the newest batch, by Options.clock; admission reads it
  int64_t wal_bytes = 0;
  Health health = Health::kServing;
};

// A consistent view. Takes one reader connection until it is destroyed; its calls answer
// DEADLINE_EXCEEDED once kReaderLimitNs have passed, so that no reader pins the log.
class SnapshotView {
 public:
  virtual ~SnapshotView() = default;
  virtual Reads& reads() = 0;
};

class Store {
 public:
  // Opens or makes the store, takes its lock, migrates an older file (after a copy). LOCKED names
  // the process that holds it; NEWER_SCHEMA both versions.
  static absl::StatusOr<std::unique_ptr<Store>> Open(Options options);
  virtual ~Store() = default;

  // Returns when the command is durable or refused. Without threads it steps the writer itself.
  virtual absl::StatusOr<CommitResult> Commit(Batch batch) = 0;
  // Queues; `done` is called from the writer once. A full queue answers QUEUE_FULL at once.
  virtual void Enqueue(Batch batch, CommitDone done) = 0;
  // It has no threads: who uses it steps it.
  virtual bool stepped() const = 0;
  // Without threads: commits one group of what is queued. Returns how many commands it answered.
  virtual size_t WriterStep() = 0;
  // Without threads: what the checkpoint thread does each 250 ms.
  virtual void MaintenanceStep() = 0;

  // Stores one object by itself.
  virtual absl::StatusOr<ObjectHash> Put(ObjectKind kind, std::string bytes) = 0;
  virtual absl::StatusOr<std::unique_ptr<SnapshotView>> Snapshot() = 0;

  virtual Stats stats() = 0;
  // Principal `local`: all roles, the holder of the UNIX socket.
  virtual int64_t local_principal() const = 0;
  virtual const std::string& dir() const = 0;
};

struct RebuildDifference {
  std::string table, key, expected, found;  // expected: from the log; found: in the file
};

struct RebuildReport {
  int64_t events = 0;
  int64_t rows = 0;  // compared
  std::vector<std::string> tables, exempt;
  std::vector<RebuildDifference> differences;  // at most kMaxRebuildDifferences
  std::string integrity;                       // SQLite's own check; "ok"
  bool equal() const { return differences.empty() && integrity == "ok"; }
};
inline constexpr size_t kMaxRebuildDifferences = 20;

// Folds the event log of the store in `dir` into a scratch file and compares every projection row
// by row. Opens read-only, so it may run beside a daemon.
absl::StatusOr<RebuildReport> RebuildCheck(const std::string& dir);

}  // namespace store
