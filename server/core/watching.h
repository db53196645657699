// Streams of events to whoever watches: from a sequence number on, each event once and in order,
// whatever restarts in between.
#pragma once

#include <functional>
#include <map>

#include "server/core/context.h"

namespace server::core {

struct WatchSink {
  // False: the receiver does not keep up; the stream ends with WATCH_LAGGED.
  std::function<bool(const WatchItem&)> item;
  std::function<void(absl::Status)> end;
};

class Watching {
 public:
  explicit Watching(Context& context) : c_(context) {}

  // NOT_FOUND names a candidate or run that does not exist. The sink is used until `end` or Close.
  absl::StatusOr<uint64_t> Open(const WatchRequest& request, WatchSink sink);
  void Close(uint64_t id) { watchers_.erase(id); }

  // Every watcher's heartbeat is due now.
  void BeatAll();

  bool Step();
  int64_t NextWakeNs() const;
  void EndAll(const absl::Status& why);

 private:
  struct Watcher {
    int64_t candidate = 0, run = 0;  // 0 and 0: everything
    std::string subject;             // of the candidate's events
    int64_t cursor = 0, heartbeat_ns = 0;
    WatchSink sink;
  };
  enum class Push : uint8_t { kNothing, kSome, kEnded };

  Push Feed(Watcher& watcher);
  bool IsDone(const Watcher& watcher) const;
  std::optional<state::Progress> ProgressFor(const Watcher& watcher) const;

  Context& c_;
  uint64_t next_ = 1;
  std::map<uint64_t, Watcher> watchers_;
};

}  // namespace server::core
