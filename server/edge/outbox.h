// The sending side of a stream.
#pragma once

#include <grpcpp/grpcpp.h>

#include <deque>
#include <mutex>
#include <utility>

namespace server::edge {

// Messages that wait to be written, one write at a time, and the end that comes after them. Safe
// from any thread. The reactor outlives it: it is Detach-ed in OnDone.
template <typename Reactor, typename Message>
class Outbox {
 public:
  explicit Outbox(Reactor* reactor) : reactor_(reactor) {}

  // False when `limit` messages wait already.
  bool Push(Message message, size_t limit) {
    std::lock_guard lock(mutex_);
    if (reactor_ == nullptr || finished_) return true;  // nobody reads any more
    if (queue_.size() >= limit) return false;
    queue_.push_back(std::move(message));
    Advance();
    return true;
  }

  void End(const grpc::Status& status) {
    std::lock_guard lock(mutex_);
    if (ended_) return;
    ended_ = true;
    end_ = status;
    Advance();
  }

  void WriteDone(bool ok) {
    std::lock_guard lock(mutex_);
    writing_ = false;
    queue_.pop_front();
    if (!ok) {
      queue_.clear();
      ended_ = true;
      end_ = grpc::Status(grpc::StatusCode::CANCELLED, "the client is gone");
    }
    Advance();
  }

  void Detach() {
    std::lock_guard lock(mutex_);
    reactor_ = nullptr;
  }

 private:
  void Advance() {
    if (reactor_ == nullptr || writing_ || finished_) return;
    if (!queue_.empty()) {
      writing_ = true;
      reactor_->StartWrite(&queue_.front());  // a deque: the front stays where it is
    } else if (ended_) {
      finished_ = true;
      reactor_->Finish(end_);
    }
  }

  std::mutex mutex_;
  Reactor* reactor_;
  std::deque<Message> queue_;
  bool writing_ = false, ended_ = false, finished_ = false;
  grpc::Status end_;
};

}  // namespace server::edge
