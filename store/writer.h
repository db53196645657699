// Group commit as a function that is stepped: takes what is queued, writes it in one transaction,
// answers. No thread of its own, so that a simulation can drive it.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "store/files.h"
#include "store/sqlite.h"
#include "store/store.h"

namespace store {

struct StoredObject {
  ObjectHash hash;
  ObjectKind kind = ObjectKind::kOther;
  int64_t size = 0;
  bool is_inline = true;
  std::string bytes;  // of an inline one; the others are placed already
};

struct Command {
  Batch batch;
  std::vector<StoredObject> objects;  // made from batch.objects
  CommitDone done;
  size_t bytes = 0;  // what it holds of the queue's bound
};

class Writer {
 public:
  Writer(std::unique_ptr<Database> db, std::string dir, Clock& clock, DiskReserve reserve,
         int64_t restart_wal_bytes);

  // OK: `command` was taken and will be answered once. Else the refusal; it is not called.
  absl::Status Push(Command& command);
  // Commits one group. Returns how many commands it answered.
  size_t Step();
  // Blocks until something is queued or Close is called. False: closed and drained.
  bool WaitForWork();
  // Refuses further commands; what is queued is still written.
  void Close();

  // The disk was full: gives up the reserve and takes only ends of held work.
  void EnterReadOnly();
  // Takes the reserve, if there is room for it, and serves. A writer starts without it.
  void TryRecover();

  Stats stats();
  int64_t wal_bytes() const { return wal_bytes_.load(std::memory_order_relaxed); }
  Database& db() { return *db_; }

 private:
  struct Answer {
    absl::StatusOr<CommitResult> result = absl::UnknownError("not run");
  };

  std::vector<Command> TakeGroup();
  // Runs the commands in one transaction. A status: the transaction is lost and nothing is stored.
  absl::Status RunGroup(std::vector<Command>& group, size_t begin, size_t end,
                        std::vector<Answer>& answers);
  // One at a time, after the group was lost.
  void RunEachAlone(std::vector<Command>& group, std::vector<Answer>& answers);
  absl::StatusOr<CommitResult> RunInSavepoint(Command& command);
  absl::StatusOr<CommitResult> RunCommand(Command& command);
  absl::Status WriteEvents(Batch& batch, CommitResult& result);
  absl::StatusOr<bool> Replay(const Idempotency& idem, CommitResult& result);
  absl::Status WriteObjects(const Command& command, int64_t at_us);
  absl::Status LetObjectsGo(const LetGo& let_go, int64_t at_us, CommitResult& result);
  // Of one that went: its file, unless the object was stored again in the same group.
  void TrashFile(const ObjectHash& hash);
  absl::Status ObjectsExist(const std::vector<ObjectHash>& objects);
  void RestartLargeWal();
  void DieIfSyncFailed();
  bool TransactionLost();
  static int OnWal(void* self, sqlite3* db, const char* name, int pages);

  std::unique_ptr<Database> db_;
  const std::string dir_;
  Clock& clock_;
  const int64_t restart_wal_bytes_;
  std::mutex reserve_mutex_;
  DiskReserve reserve_;                 // guarded by reserve_mutex_
  std::atomic<bool> read_only_ = true;  // until the reserve is held
  std::atomic<int64_t> wal_bytes_ = 0;
  int64_t page_bytes_ = 4096;

  std::mutex mutex_;
  std::condition_variable work_;
  std::deque<Command> queue_;  // guarded by mutex_, as are the next four
  size_t queued_bytes_ = 0;
  bool closed_ = false;
  Stats stats_;
};

}  // namespace store
