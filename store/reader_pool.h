// Read-only connections, lent one at a time.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "store/sqlite.h"
#include "store/store.h"

namespace store {

class ReaderPool {
 public:
  ReaderPool(std::string path, std::string dir, std::string vfs, Clock& clock, int64_t limit);
  // UNAVAILABLE when every connection is lent for longer than a reader may live.
  absl::StatusOr<std::unique_ptr<SnapshotView>> Lend();

 private:
  class View;
  absl::StatusOr<std::unique_ptr<Database>> TakeOrOpen();
  void GiveBack(std::unique_ptr<Database> db);

  const std::string path_, dir_, vfs_;
  Clock& clock_;
  const int64_t limit_;
  std::mutex mutex_;
  std::condition_variable given_back_;
  std::vector<std::unique_ptr<Database>> free_;  // guarded by mutex_
  int64_t open_ = 0;                             // guarded by mutex_
};

}  // namespace store
