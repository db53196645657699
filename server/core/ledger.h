// The log and its fold, kept in step: the only way that the daemon's state changes. One thread.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "server/state/state.h"
#include "store/clock.h"
#include "store/store.h"

namespace server::core {

// Events kept in memory for watchers that are nearly up to date.
inline constexpr size_t kRecentEventsMax = 8192;

class Ledger {
 public:
  Ledger(store::Store& store, store::Clock& clock)
      : store_(store), clock_(clock), landed_(std::make_shared<Landed>()) {}

  // Folds the whole log. Once, before anything else.
  absl::Status Load();

  const state::State& state() const { return state_; }
  store::Store& store() { return store_; }
  int64_t NowNs() { return clock_.MonotonicNanos(); }
  int64_t NowUs() { return clock_.UnixMicros(); }

  // Durable when it returns OK; the state is then past the events. Errors carry state::Reason.
  absl::StatusOr<store::CommitResult> Commit(store::Batch batch);
  absl::StatusOr<store::CommitResult> Commit(std::vector<store::EventBody> events);

  // Hands the command to the writer and goes on, so that commands of many callers share one write
  // to the disk. The writer takes commands in the order of these calls, Commit's included. `done`
  // is called once from TakeCommitted, with the state past the events.
  void CommitLater(store::Batch batch, store::CommitDone done);
  // Calls what CommitLater was given, for everything that is durable now. True if there was any.
  bool TakeCommitted();
  // The same, after waiting for everything that was handed over.
  void AwaitCommitted();
  // `wake` is called from the writer when TakeCommitted has something to do.
  void OnCommitted(std::function<void()> wake);

  // What is durable now, and the state no older than that: an id that was read there is one that
  // state() knows. Without this a command that is written and not taken yet would be missing there.
  absl::StatusOr<std::unique_ptr<store::SnapshotView>> Snapshot();

  // What this request was answered before, or nullopt. IDEMPOTENCY_REUSE if its body differs.
  absl::StatusOr<std::optional<std::string>> Answered(const store::Idempotency& idem);

  // Events after `seq`, at most `limit`, from memory where they are still there.
  absl::StatusOr<std::vector<store::Event>> EventsAfter(int64_t seq, size_t limit);

  absl::StatusOr<std::string> Object(const store::ObjectHash& hash);

  // The id that the next row of a kind will get: this ledger is the only writer.
  int64_t NextVariantId() const;
  int64_t NextJobId() const;

 private:
  struct Answer {
    absl::StatusOr<store::CommitResult> result;
    store::CommitDone done;
  };
  // What the writer answered and the state has not taken yet. The writer may outlive the ledger.
  struct Landed {
    std::mutex mutex;
    std::condition_variable changed;
    std::deque<Answer> answers;  // guarded by mutex, as are the next two
    size_t in_flight = 0;        // handed over, not answered
    std::function<void()> wake;
  };

  void Take(const store::Event& event);
  // Brings the state past what is durable; its callers wait in `taken_` for TakeCommitted.
  void TakeLanded();

  store::Store& store_;
  store::Clock& clock_;
  std::shared_ptr<Landed> landed_;
  std::deque<Answer> taken_;
  state::State state_;
  std::deque<store::Event> recent_;
};

}  // namespace server::core
