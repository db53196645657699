// Runs the core: one thread that takes calls from the edges in order and steps it when time comes.
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "server/core/core.h"

namespace server::edge {

inline constexpr size_t kQueuedCallsMax = 4096;

class CoreThread {
 public:
  using Call = std::function<void(core::Core&)>;

  CoreThread(std::unique_ptr<core::Core> core, store::Clock& clock);
  ~CoreThread() { Stop(); }

  // QUEUE_FULL when too many calls wait, DRAINING after Stop: the call is then not run.
  absl::Status Post(Call call);
  // Runs even when the queue is full: answers of the gate children.
  void PostAlways(Call call);
  // Drains the core, answers everybody, and ends the thread.
  void Stop();

 private:
  void Run();

  std::unique_ptr<core::Core> core_;
  store::Clock& clock_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::vector<Call> queue_;
  bool stopping_ = false;
  bool committed_ = false;  // the store has answers for the core
  std::thread thread_;
};

}  // namespace server::edge
