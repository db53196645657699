#include "store/store.h"

#include <sqlite3.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "store/failpoint.h"
#include "store/files.h"
#include "store/migrations.h"
#include "store/reader_pool.h"
#include "store/sqlite.h"
#include "store/try.h"
#include "store/writer.h"

namespace store {
namespace {

constexpr char kDatabaseFile[] = "cake.db";
constexpr auto kMaintenancePeriod = std::chrono::milliseconds(250);
constexpr size_t kCommandOverheadBytes = 512;  // of an event in the queue, about

// An in-memory store has one connection, so its views are live and not snapshots.
class LiveView : public SnapshotView {
 public:
  explicit LiveView(Database& db) : reads_(db, "") {}
  Reads& reads() override { return reads_; }

 private:
  Reads reads_;
};

absl::Status SetPragmas(Database& db) {
  return db.Exec(
      "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON;"
      " PRAGMA wal_autocheckpoint = 0; PRAGMA journal_size_limit = 67108864;"
      " PRAGMA trusted_schema = OFF;");
}

absl::StatusOr<std::unique_ptr<Database>> OpenDatabase(const std::string& path,
                                                       const std::string& vfs) {
  CAKE_STORE_ASSIGN(std::unique_ptr<Database> db, Database::Open(path.empty() ? ":memory:" : path,
                                                                 OpenMode::kReadWriteCreate, vfs));
  CAKE_STORE_TRY(CheckFile(*db, Migrations()));  // before anything is written into it
  CAKE_STORE_TRY(SetPragmas(*db));
  CAKE_STORE_TRY(Migrate(*db, path, Migrations()));
  return db;
}

class StoreImpl : public Store {
 public:
  StoreImpl(Options options, FolderLock lock, std::unique_ptr<Database> db,
            std::unique_ptr<Database> checkpoint_db)
      : options_(std::move(options)),
        lock_(std::move(lock)),
        clock_(*options_.clock),
        checkpoint_db_(std::move(checkpoint_db)),
        readers_(absl::StrCat(options_.dir, "/", kDatabaseFile), options_.dir, options_.vfs, clock_,
                 options_.max_reader_connections),
        writer_(std::move(db), options_.dir, clock_,
                DiskReserve(absl::StrCat(options_.dir, "/reserve"),
                            in_memory() ? 0 : options_.disk_reserve_bytes),
                options_.restart_wal_bytes) {}

  ~StoreImpl() override {
    writer_.Close();
    if (writer_thread_.joinable()) writer_thread_.join();
    while (writer_.Step() > 0) {
    }
    {
      std::lock_guard lock(stop_mutex_);
      stopped_ = true;
    }
    stop_.notify_all();
    if (maintenance_thread_.joinable()) maintenance_thread_.join();
  }

  absl::Status Start() {
    CAKE_STORE_TRY(
        writer_.db().Run("INSERT INTO meta(key, value) VALUES('page_key', ?1)"
                         " ON CONFLICT DO NOTHING",
                         RandomHex(32)));
    writer_.TryRecover();
    CAKE_STORE_TRY(FindLocal());
    if (!options_.threads) return absl::OkStatus();
    writer_thread_ = std::thread([this] {
      while (writer_.WaitForWork()) writer_.Step();
    });
    maintenance_thread_ = std::thread([this] { RunMaintenance(); });
    return absl::OkStatus();
  }

  absl::StatusOr<CommitResult> Commit(Batch batch) override {
    if (!options_.threads) return CommitHere(std::move(batch));
    std::mutex mutex;
    std::condition_variable ready;
    std::optional<absl::StatusOr<CommitResult>> answer;
    Enqueue(std::move(batch), [&](absl::StatusOr<CommitResult> result) {
      std::lock_guard lock(mutex);
      answer = std::move(result);
      ready.notify_one();
    });
    std::unique_lock lock(mutex);
    ready.wait(lock, [&] { return answer.has_value(); });
    return *std::move(answer);
  }

  void Enqueue(Batch batch, CommitDone done) override {
    Command command;
    command.done = std::move(done);
    absl::Status status = Prepare(std::move(batch), command);
    if (status.ok()) status = writer_.Push(command);
    if (!status.ok()) command.done(status);
  }

  bool stepped() const override { return !options_.threads; }
  size_t WriterStep() override { return writer_.Step(); }

  void MaintenanceStep() override {
    writer_.TryRecover();
    if (checkpoint_db_ == nullptr || writer_.wal_bytes() < options_.passive_wal_bytes) return;
    CAKE_FAILPOINT("store.checkpoint.before");
    const int code = sqlite3_wal_checkpoint_v2(checkpoint_db_->raw(), nullptr,
                                               SQLITE_CHECKPOINT_PASSIVE, nullptr, nullptr);
    if (code != SQLITE_OK && checkpoint_db_->last_error_was_sync()) DieOfSync("the database");
    CAKE_FAILPOINT("store.checkpoint.after");
  }

  absl::StatusOr<ObjectHash> Put(ObjectKind kind, std::string bytes) override {
    const ObjectHash hash = HashOf(bytes);
    Batch batch;
    batch.objects.push_back({kind, std::move(bytes)});
    CAKE_STORE_TRY(Commit(std::move(batch)).status());
    return hash;
  }

  absl::StatusOr<std::unique_ptr<SnapshotView>> Snapshot() override {
    if (in_memory()) return std::unique_ptr<SnapshotView>(new LiveView(writer_.db()));
    return readers_.Lend();
  }

  Stats stats() override { return writer_.stats(); }
  int64_t local_principal() const override { return local_; }
  const std::string& dir() const override { return options_.dir; }

 private:
  bool in_memory() const { return options_.dir.empty(); }

  absl::StatusOr<CommitResult> CommitHere(Batch batch) {
    std::optional<absl::StatusOr<CommitResult>> answer;
    Enqueue(std::move(batch), [&](absl::StatusOr<CommitResult> result) { answer = result; });
    while (!answer && writer_.Step() > 0) {
    }
    return *std::move(answer);
  }

  // Hashes the objects and makes the large ones durable, on the caller's thread.
  absl::Status Prepare(Batch batch, Command& command) {
    for (Object& object : batch.objects) {
      StoredObject stored{.hash = HashOf(object.bytes),
                          .kind = object.kind,
                          .size = static_cast<int64_t>(object.bytes.size())};
      CAKE_STORE_TRY(CheckSize(object));
      stored.is_inline = in_memory() || object.kind == ObjectKind::kSource ||
                         object.bytes.size() <= kMaxInlineObjectBytes;
      if (stored.is_inline) {
        stored.bytes = std::move(object.bytes);
      } else {
        absl::Status placed = PlaceObject(options_.dir, stored.hash.hex, object.bytes);
        if (ReasonOf(placed) == Reason::kDiskFull) writer_.EnterReadOnly();
        CAKE_STORE_TRY(placed);
      }
      command.bytes += stored.bytes.size();
      command.objects.push_back(std::move(stored));
    }
    batch.objects.clear();
    command.bytes += batch.reply.size() + kCommandOverheadBytes * (1 + batch.events.size());
    command.batch = std::move(batch);
    return absl::OkStatus();
  }

  static absl::Status CheckSize(const Object& object) {
    const size_t limit = object.kind == ObjectKind::kSource ? kMaxSourceBytes : kMaxObjectBytes;
    if (object.bytes.size() <= limit) return absl::OkStatus();
    return Error(Reason::kTooLarge,
                 absl::StrCat("an object of kind ", std::string(ToString(object.kind)), " has ",
                              object.bytes.size(), " bytes; the limit is ", limit));
  }

  absl::Status FindLocal() {
    CAKE_STORE_ASSIGN(local_, writer_.db().Int("SELECT id FROM principal WHERE name = 'local'"));
    if (local_ != 0) return absl::OkStatus();
    Batch batch;
    batch.events.push_back(PrincipalChanged{.name = "local", .role = "all"});
    CAKE_STORE_ASSIGN(const CommitResult made, CommitHere(std::move(batch)));
    local_ = made.ids[0];
    return absl::OkStatus();
  }

  void RunMaintenance() {
    std::unique_lock lock(stop_mutex_);
    while (!stop_.wait_for(lock, kMaintenancePeriod, [&] { return stopped_; })) {
      lock.unlock();
      MaintenanceStep();
      lock.lock();
    }
  }

  Options options_;
  FolderLock lock_;
  Clock& clock_;
  std::unique_ptr<Database> checkpoint_db_;
  ReaderPool readers_;
  Writer writer_;
  int64_t local_ = 0;
  std::thread writer_thread_, maintenance_thread_;
  std::mutex stop_mutex_;
  std::condition_variable stop_;
  bool stopped_ = false;  // guarded by stop_mutex_
};

}  // namespace

std::string_view ToString(ObjectKind kind) {
  constexpr std::string_view kNames[] = {"source", "report",  "cuda",    "cubin",
                                         "log",    "samples", "receipt", "other"};
  return kNames[static_cast<size_t>(kind)];
}

ObjectHash HashOf(std::string_view bytes) { return {Sha256Hex(bytes)}; }

absl::StatusOr<std::unique_ptr<Store>> Store::Open(Options options) {
  if (options.clock == nullptr) options.clock = &SystemClock();
  FolderLock lock;
  std::string path;
  if (options.dir.empty()) {
    options.threads = false;
  } else {
    CAKE_STORE_TRY(MakeDir(absl::StrCat(options.dir, "/objects")));
    CAKE_STORE_ASSIGN(lock, FolderLock::Take(options.dir));
    path = absl::StrCat(options.dir, "/", kDatabaseFile);
  }
  CAKE_STORE_ASSIGN(std::unique_ptr<Database> db, OpenDatabase(path, options.vfs));
  std::unique_ptr<Database> checkpoint_db;
  if (!path.empty()) {
    CAKE_STORE_ASSIGN(checkpoint_db, Database::Open(path, OpenMode::kReadWriteCreate, options.vfs));
    CAKE_STORE_TRY(checkpoint_db->Exec("PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 0"));
  }
  auto store = std::make_unique<StoreImpl>(std::move(options), std::move(lock), std::move(db),
                                           std::move(checkpoint_db));
  CAKE_STORE_TRY(store->Start());
  return store;
}

}  // namespace store
