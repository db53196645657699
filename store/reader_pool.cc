#include "store/reader_pool.h"

#include <chrono>

#include "store/try.h"

namespace store {

class ReaderPool::View : public SnapshotView {
 public:
  View(ReaderPool& pool, std::unique_ptr<Database> db)
      : pool_(pool), db_(std::move(db)), reads_(*db_, pool.dir_) {}
  ~View() override {
    db_->SetDeadline(nullptr, 0);
    db_->Exec("ROLLBACK").IgnoreError();
    pool_.GiveBack(std::move(db_));
  }
  Reads& reads() override { return reads_; }

 private:
  ReaderPool& pool_;
  std::unique_ptr<Database> db_;
  Reads reads_;
};

ReaderPool::ReaderPool(std::string path, std::string dir, std::string vfs, Clock& clock,
                       int64_t limit)
    : path_(std::move(path)),
      dir_(std::move(dir)),
      vfs_(std::move(vfs)),
      clock_(clock),
      limit_(limit) {}

absl::StatusOr<std::unique_ptr<Database>> ReaderPool::TakeOrOpen() {
  std::unique_lock lock(mutex_);
  const auto may_go = [&] { return !free_.empty() || open_ < limit_; };
  if (!given_back_.wait_for(lock, std::chrono::nanoseconds(kReaderLimitNs), may_go)) {
    return absl::UnavailableError("every reader connection is in use");
  }
  if (!free_.empty()) {
    std::unique_ptr<Database> db = std::move(free_.back());
    free_.pop_back();
    return db;
  }
  CAKE_STORE_ASSIGN(std::unique_ptr<Database> db, Database::Open(path_, OpenMode::kReadOnly, vfs_));
  ++open_;
  return db;
}

void ReaderPool::GiveBack(std::unique_ptr<Database> db) {
  std::lock_guard lock(mutex_);
  free_.push_back(std::move(db));
  given_back_.notify_one();
}

absl::StatusOr<std::unique_ptr<SnapshotView>> ReaderPool::Lend() {
  CAKE_STORE_ASSIGN(std::unique_ptr<Database> db, TakeOrOpen());
  // BEGIN alone takes no snapshot: the first read does, so it is made here.
  absl::Status status = db->Exec("BEGIN");
  if (status.ok()) status = db->Int("SELECT max(seq) FROM event").status();
  if (!status.ok()) {
    db->Exec("ROLLBACK").IgnoreError();
    GiveBack(std::move(db));
    return status;
  }
  db->SetDeadline(&clock_, clock_.MonotonicNanos() + kReaderLimitNs);
  return std::unique_ptr<SnapshotView>(new View(*this, std::move(db)));
}

}  // namespace store
