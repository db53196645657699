// Queries of people, a few at a time, on threads of their own: neither gRPC's threads nor the
// core's wait for them.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>

#include "absl/status/status.h"
#include "server/edge/translate.h"
#include "store/store.h"

namespace server::edge {

inline constexpr int kQueriesMax = 4;

class Queries {
 public:
  explicit Queries(store::Store& store) : store_(store) {}
  ~Queries();  // stops what runs and waits for it

  // `done` is called once; RATE at once when too many run. `in` may go, `out` lives until then.
  void Start(const wire::QueryRequest& in, wire::QueryReply* out, int64_t left_ns,
             std::function<bool()> gone, std::function<void(absl::Status)> done);
  // Every row as lines of text, in parts; the last part says that it is the last. `part` is false
  // where there is no room for it, which ends the export with RATE.
  void Export(const std::string& sql, wire::ExportFormat format, std::function<bool()> gone,
              std::function<bool(wire::ExportReply)> part, std::function<void(absl::Status)> done);

  // The bytes of exports that wait for their readers, whose queries may have ended.
  const std::shared_ptr<std::atomic<uint64_t>>& held() const { return held_; }

 private:
  // Runs `work` on a thread of its own, with what says whether to stop, and hands its end on.
  void Run(std::function<absl::Status(const std::function<bool()>& stop)> work,
           std::function<bool()> gone, std::function<void(absl::Status)> done);

  store::Store& store_;
  std::mutex mutex_;
  std::condition_variable ended_;
  int running_ = 0;  // guarded by mutex_, as is stopping_
  bool stopping_ = false;
  const std::shared_ptr<std::atomic<uint64_t>> held_ = std::make_shared<std::atomic<uint64_t>>(0);
};

}  // namespace server::edge
