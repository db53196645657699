// The gate children: so many processes, one thread each that waits for it. A child that dies or
// takes too long is replaced; the request that killed it is answered ABORTED.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "runner/child/process.h"
#include "server/core/gate.h"

namespace server::gates {

struct PoolOptions {
  std::vector<std::string> argv;  // how a child is started
  int children = 2;
  int64_t memory_bytes = int64_t{4} << 30;
  int64_t requests_per_child = 256;  // then it is replaced: a leak cannot grow for ever
  int64_t cpu_seconds_per_child = 600;
};

class Pool : public core::GateRunner {
 public:
  using Sink = std::function<void(uint64_t, absl::StatusOr<core::GateReply>)>;

  // `sink` is called from the pool's threads.
  Pool(PoolOptions options, Sink sink);
  ~Pool() override;  // kills the children; what was not answered stays unanswered

  void Start(uint64_t id, core::GateRequest request, bool interactive) override;

 private:
  struct Item {
    uint64_t id = 0;
    core::GateRequest request;
    bool queued = false;  // taken from the line that nobody waits for
  };

  void Serve();
  std::optional<Item> Take();
  bool MayTakeQueued() const;
  void Ended(const Item& item);
  absl::StatusOr<core::GateReply> Ask(std::optional<runner::child::Process>& child,
                                      const core::GateRequest& request);

  PoolOptions options_;
  Sink sink_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<Item> interactive_, queue_;
  int queued_running_ = 0, in_a_row_ = 0;
  std::chrono::steady_clock::time_point last_interactive_ = {};
  bool stopping_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace server::gates
