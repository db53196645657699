#include "store/writer.h"

#include <sqlite3.h>

#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "store/apply.h"
#include "store/error.h"
#include "store/failpoint.h"
#include "store/try.h"

namespace store {
namespace {

constexpr int64_t kYoungAgainUs = int64_t{3600} * 1'000'000;

}  // namespace

Writer::Writer(std::unique_ptr<Database> db, std::string dir, Clock& clock, DiskReserve reserve,
               int64_t restart_wal_bytes)
    : db_(std::move(db)),
      dir_(std::move(dir)),
      clock_(clock),
      restart_wal_bytes_(restart_wal_bytes),
      reserve_(std::move(reserve)) {
  page_bytes_ = db_->Int("PRAGMA page_size").value_or(page_bytes_);
  sqlite3_wal_hook(db_->raw(), &Writer::OnWal, this);
}

int Writer::OnWal(void* self, sqlite3*, const char*, int pages) {
  auto* writer = static_cast<Writer*>(self);
  writer->wal_bytes_.store(pages * writer->page_bytes_, std::memory_order_relaxed);
  return SQLITE_OK;
}

absl::Status Writer::Push(Command& command) {
  std::lock_guard lock(mutex_);
  if (closed_) return Error(Reason::kClosing, "the store is closing");
  if (queue_.size() >= kMaxQueuedCommands || queued_bytes_ + command.bytes > kMaxQueuedBytes) {
    return Error(Reason::kQueueFull, absl::StrCat("the writer has ", queue_.size(),
                                                  " commands waiting; send again later"));
  }
  queued_bytes_ += command.bytes;
  queue_.push_back(std::move(command));
  work_.notify_one();
  return absl::OkStatus();
}

bool Writer::WaitForWork() {
  std::unique_lock lock(mutex_);
  work_.wait(lock, [&] { return closed_ || !queue_.empty(); });
  return !queue_.empty();
}

void Writer::Close() {
  std::lock_guard lock(mutex_);
  closed_ = true;
  work_.notify_all();
}

std::vector<Command> Writer::TakeGroup() {
  std::lock_guard lock(mutex_);
  std::vector<Command> group;
  while (!queue_.empty() && group.size() < kMaxCommandsPerBatch) {
    queued_bytes_ -= queue_.front().bytes;
    group.push_back(std::move(queue_.front()));
    queue_.pop_front();
  }
  return group;
}

size_t Writer::Step() {
  std::vector<Command> group = TakeGroup();
  if (group.empty()) return 0;
  RestartLargeWal();
  const int64_t begin = clock_.MonotonicNanos();
  std::vector<Answer> answers(group.size());
  const absl::Status whole = RunGroup(group, 0, group.size(), answers);
  if (!whole.ok()) {
    if (ReasonOf(whole) == Reason::kDiskFull) EnterReadOnly();
    RunEachAlone(group, answers);
  }
  CAKE_FAILPOINT("store.commit.after");
  {
    std::lock_guard lock(mutex_);
    stats_.commits += 1;
    stats_.commands += static_cast<int64_t>(group.size());
    stats_.last_commit_ns = clock_.MonotonicNanos() - begin;
    for (const Answer& answer : answers) stats_.refused += answer.result.ok() ? 0 : 1;
  }
  // Only what is durably without a row; a crash before this leaves files that the next look finds.
  for (const Answer& answer : answers) {
    if (!answer.result.ok()) continue;
    for (const ObjectHash& hash : answer.result->gone) TrashFile(hash);
  }
  for (size_t i = 0; i < group.size(); ++i) group[i].done(std::move(answers[i].result));
  CAKE_FAILPOINT("store.commit.answered");
  return group.size();
}

absl::Status Writer::RunGroup(std::vector<Command>& group, size_t begin, size_t end,
                              std::vector<Answer>& answers) {
  absl::Status status = db_->Exec("BEGIN IMMEDIATE");
  if (!status.ok()) return status;
  CAKE_FAILPOINT("store.commit.begin");
  for (size_t i = begin; i < end; ++i) {
    answers[i].result = RunInSavepoint(group[i]);
    if (TransactionLost()) return answers[i].result.status();
  }
  CAKE_FAILPOINT("store.commit.before");
  status = db_->Exec("COMMIT");
  if (status.ok()) return status;
  DieIfSyncFailed();
  if (!TransactionLost()) db_->Exec("ROLLBACK").IgnoreError();
  return status;
}

void Writer::RunEachAlone(std::vector<Command>& group, std::vector<Answer>& answers) {
  for (size_t i = 0; i < group.size(); ++i) {
    const absl::Status status = RunGroup(group, i, i + 1, answers);
    if (!status.ok()) answers[i].result = status;
  }
}

// SQLite rolls the whole transaction back by itself after some errors (a full disk, for one).
bool Writer::TransactionLost() { return sqlite3_get_autocommit(db_->raw()) != 0; }

absl::StatusOr<CommitResult> Writer::RunInSavepoint(Command& command) {
  if (read_only_.load() && !command.batch.ends_held_work) {
    return Error(Reason::kReadOnly, "the disk is full: the store takes no new work");
  }
  CAKE_STORE_TRY(db_->Exec("SAVEPOINT command"));
  absl::StatusOr<CommitResult> result = RunCommand(command);
  CAKE_FAILPOINT("store.commit.applied");
  if (!result.ok()) {
    DieIfSyncFailed();
    if (TransactionLost()) return result;
    CAKE_STORE_TRY(db_->Exec("ROLLBACK TO command"));
  }
  CAKE_STORE_TRY(db_->Exec("RELEASE command"));
  return result;
}

absl::StatusOr<CommitResult> Writer::RunCommand(Command& command) {
  CommitResult result;
  Batch batch = command.batch;  // a copy: the group may have to run again
  if (batch.idem) {
    CAKE_STORE_ASSIGN(const bool replayed, Replay(*batch.idem, result));
    if (replayed) return result;
  }
  const int64_t at_us = clock_.UnixMicros();
  CAKE_STORE_TRY(WriteObjects(command, at_us));
  CAKE_STORE_TRY(LetObjectsGo(batch.let_go, at_us, result));
  if (batch.prepare) {
    Reads reads(*db_, dir_);
    CAKE_STORE_TRY(batch.prepare(reads, batch.events));
  }
  CAKE_STORE_TRY(WriteEvents(batch, result));
  result.reply = batch.make_reply ? batch.make_reply(result) : std::move(batch.reply);
  if (batch.idem) {
    CAKE_STORE_TRY(
        db_->Run("INSERT INTO idem(principal_id, method, request_id, request_hash, reply, at_us)"
                 " VALUES(?1, ?2, ?3, ?4, CAST(?5 AS BLOB), ?6)",
                 batch.idem->principal, batch.idem->method, batch.idem->request_id,
                 batch.idem->request_hash, result.reply, at_us));
  }
  return result;
}

absl::StatusOr<bool> Writer::Replay(const Idempotency& idem, CommitResult& result) {
  Reads reads(*db_, dir_);
  CAKE_STORE_ASSIGN(const std::optional<IdemRow> row,
                    reads.FindReply(idem.principal, idem.method, idem.request_id));
  if (!row) return false;
  if (row->request_hash != idem.request_hash) {
    return Error(Reason::kIdempotencyReuse,
                 absl::StrCat("request id ", idem.request_id, " was used with another request"));
  }
  result.reply = row->reply;
  result.replayed = true;
  return true;
}

absl::Status Writer::WriteObjects(const Command& command, int64_t at_us) {
  for (const StoredObject& object : command.objects) {
    const std::string kind(ToString(object.kind));
    CAKE_STORE_TRY(db_->Run(
        "INSERT INTO object(hash, bytes_inline, size, kind, created_us)"
        " VALUES(?1, CASE WHEN ?2 THEN CAST(?3 AS BLOB) END, ?4, ?5, ?6)"
        // Stored again: what was let go comes back, and what nothing names yet is young again.
        " ON CONFLICT(hash) DO UPDATE SET bytes_inline = excluded.bytes_inline,"
        " created_us = excluded.created_us, dropped_us = NULL"
        " WHERE dropped_us IS NOT NULL OR created_us < excluded.created_us - ?7",
        object.hash, object.is_inline, object.bytes, object.size, kind, at_us, kYoungAgainUs));
    if (!object.is_inline && !EnsurePlaced(dir_, object.hash.hex)) {
      return Error(Reason::kCorrupt,
                   absl::StrCat("the file of object ", object.hash.hex, " is gone; send it again"));
    }
  }
  return absl::OkStatus();
}

namespace {

// Objects that an event after `seq` names.
absl::StatusOr<std::set<std::string>> NamedAfter(Database& db, int64_t seq) {
  std::set<std::string> named;
  Statement s = db.Use("SELECT kind, schema, body FROM event WHERE seq > ?1");
  s.Bind(seq);
  for (;;) {
    CAKE_STORE_ASSIGN(const bool more, s.Step());
    if (!more) return named;
    CAKE_STORE_ASSIGN(const EventBody body,
                      BodyFromJson(s.Text(0), static_cast<int>(s.Int(1)), s.Text(2)));
    std::vector<ObjectHash> objects;
    CAKE_STORE_TRY(CheckBody(body, &objects));
    for (const ObjectHash& object : objects) named.insert(object.hex);
  }
}

}  // namespace

absl::Status Writer::LetObjectsGo(const LetGo& let_go, int64_t at_us, CommitResult& result) {
  // Looked up after the commit, where it shows whether a row has come since.
  result.gone = let_go.strays;
  if (let_go.unnamed.empty() && let_go.expired.empty()) return absl::OkStatus();
  CAKE_STORE_ASSIGN(const std::set<std::string> named, NamedAfter(*db_, let_go.seen_through_seq));
  const auto take = [&](const ObjectHash& hash, const absl::Status& done) {
    if (done.ok() && db_->changes() > 0) result.gone.push_back(hash);
    return done;
  };
  for (const ObjectHash& hash : let_go.unnamed) {
    if (named.contains(hash.hex)) continue;
    CAKE_STORE_TRY(take(hash, db_->Run("DELETE FROM object WHERE hash = ?1 AND created_us <= ?2",
                                       hash, let_go.created_before_us)));
  }
  for (const ObjectHash& hash : let_go.expired) {
    if (named.contains(hash.hex)) continue;
    CAKE_STORE_TRY(take(hash, db_->Run("UPDATE object SET bytes_inline = NULL, dropped_us = ?2"
                                       " WHERE hash = ?1 AND dropped_us IS NULL"
                                       " AND created_us <= ?3",
                                       hash, at_us, let_go.seen_at_us)));
  }
  return absl::OkStatus();
}

// Every row is written on this thread, which also brings its file back from the trash, so a row
// that is not here now cannot have been promised to anybody.
void Writer::TrashFile(const ObjectHash& hash) {
  const auto held =
      db_->Int("SELECT count(*) FROM object WHERE hash = ?1 AND dropped_us IS NULL", hash);
  if (held.ok() && *held == 0) MoveToTrash(dir_, hash.hex);
}

absl::Status Writer::ObjectsExist(const std::vector<ObjectHash>& objects) {
  for (const ObjectHash& hash : objects) {
    CAKE_STORE_ASSIGN(const int64_t found,
                      db_->Int("SELECT count(*) FROM object WHERE hash = ?1", hash));
    if (found == 0) {
      return Error(Reason::kUnknownId,
                   absl::StrCat("an event names the object ", hash.hex, ", which is not stored"));
    }
  }
  return absl::OkStatus();
}

namespace {

absl::Status CheckIntent(const EventBody& body) {
  const auto* submitted = std::get_if<CandidateSubmitted>(&body);
  if (submitted == nullptr || submitted->intent.size() <= kMaxIntentBytes) return absl::OkStatus();
  return Error(Reason::kTooLarge, absl::StrCat("an intent has at most ", kMaxIntentBytes,
                                               " bytes, not ", submitted->intent.size()));
}

}  // namespace

absl::Status Writer::WriteEvents(Batch& batch, CommitResult& result) {
  if (batch.events.size() > kMaxEventsPerCommand) {
    return Error(Reason::kTooLarge, absl::StrCat("a command has at most ", kMaxEventsPerCommand,
                                                 " events, not ", batch.events.size()));
  }
  CAKE_STORE_ASSIGN(int64_t seq, db_->Int("SELECT max(seq) FROM event"));
  for (size_t i = 0; i < batch.events.size(); ++i) {
    const int64_t at_us = i < batch.at_us.size() ? batch.at_us[i] : clock_.UnixMicros();
    Event event{.seq = ++seq, .at_us = at_us, .body = std::move(batch.events[i])};
    std::vector<ObjectHash> objects;
    CAKE_STORE_TRY(CheckBody(event.body, &objects));
    CAKE_STORE_TRY(CheckIntent(event.body));
    CAKE_STORE_TRY(ObjectsExist(objects));
    CAKE_STORE_TRY(Assign(*db_, event));
    CAKE_STORE_TRY(
        db_->Run("INSERT INTO event(seq, at_us, run_id, kind, subject, schema, body)"
                 " VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7)",
                 event.seq, event.at_us, Opt(event.run), KindOf(event.body), event.subject,
                 SchemaOf(event.body), BodyToJson(event.body)));
    CAKE_STORE_TRY(Apply(*db_, event));
    if (result.first_seq == 0) result.first_seq = seq;
    result.last_seq = seq;
    result.ids.push_back(MadeId(event.body));
    result.events.push_back(std::move(event));
  }
  return absl::OkStatus();
}

void Writer::RestartLargeWal() {
  if (wal_bytes() < restart_wal_bytes_) return;
  CAKE_FAILPOINT("store.checkpoint.before");
  const int code =
      sqlite3_wal_checkpoint_v2(db_->raw(), nullptr, SQLITE_CHECKPOINT_RESTART, nullptr, nullptr);
  if (code != SQLITE_OK) DieIfSyncFailed();
  if (code == SQLITE_OK) wal_bytes_.store(0, std::memory_order_relaxed);
  CAKE_FAILPOINT("store.checkpoint.after");
}

void Writer::DieIfSyncFailed() {
  if (db_->last_error_was_sync()) DieOfSync("the database");
}

void Writer::EnterReadOnly() {
  std::lock_guard lock(reserve_mutex_);
  read_only_.store(true);
  reserve_.Release();
}

void Writer::TryRecover() {
  std::lock_guard lock(reserve_mutex_);
  if (read_only_.load() && reserve_.Acquire()) read_only_.store(false);
}

Stats Writer::stats() {
  std::lock_guard lock(mutex_);
  Stats stats = stats_;
  stats.queued_commands = queue_.size();
  stats.queued_bytes = queued_bytes_;
  stats.wal_bytes = wal_bytes();
  stats.health = read_only_.load() ? Health::kReadOnly : Health::kServing;
  return stats;
}

}  // namespace store
