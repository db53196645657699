#include "server/edge/core_thread.h"

#include <algorithm>
#include <chrono>

namespace server::edge {
namespace {

constexpr int64_t kSleepMinNs = 2'000'000, kSleepMaxNs = 1'000'000'000;
constexpr int kStepsMax = 64;  // before calls are looked at again

}  // namespace

CoreThread::CoreThread(std::unique_ptr<core::Core> core, store::Clock& clock)
    : core_(std::move(core)), clock_(clock) {
  core_->OnCommitted([this] {
    {
      std::lock_guard lock(mutex_);
      committed_ = true;
    }
    wake_.notify_one();
  });
  thread_ = std::thread([this] { Run(); });
}

absl::Status CoreThread::Post(Call call) {
  {
    std::lock_guard lock(mutex_);
    if (stopping_) return state::Error(state::Reason::kDraining, "the daemon is stopping");
    if (queue_.size() >= kQueuedCallsMax) {
      return state::Error(state::Reason::kQueueFull, "too many calls are waiting");
    }
    queue_.push_back(std::move(call));
  }
  wake_.notify_one();
  return absl::OkStatus();
}

void CoreThread::PostAlways(Call call) {
  {
    std::lock_guard lock(mutex_);
    queue_.push_back(std::move(call));
  }
  wake_.notify_one();
}

void CoreThread::Stop() {
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_one();
  if (thread_.joinable()) thread_.join();
}

void CoreThread::Run() {
  std::vector<Call> calls;
  for (;;) {
    {
      std::unique_lock lock(mutex_);
      const int64_t sleep_ns =
          std::clamp(core_->NextWakeNs() - clock_.MonotonicNanos(), kSleepMinNs, kSleepMaxNs);
      wake_.wait_for(lock, std::chrono::nanoseconds(sleep_ns),
                     [&] { return stopping_ || committed_ || !queue_.empty(); });
      committed_ = false;
      calls.swap(queue_);
      if (stopping_ && calls.empty()) break;
    }
    for (Call& call : calls) call(*core_);
    calls.clear();
    for (int i = 0; i < kStepsMax && core_->Step(); ++i) {
    }
  }
  core_->Drain();
  core_->OnCommitted(nullptr);
}

}  // namespace server::edge
