// The log and its fold, kept in step: the only way that the daemon's state changes. One thread.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
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
  Ledger(store::Store& store, store::Clock& clock) : store_(store), clock_(clock) {}

  // Folds the whole log. Once, before anything else.
  absl::Status Load();

  const state::State& state() const { return state_; }
  store::Store& store() { return store_; }
  int64_t NowNs() { return clock_.MonotonicNanos(); }
  int64_t NowUs() { return clock_.UnixMicros(); }

  // Durable when it returns OK; the state is then past the events. Errors carry state::Reason.
  absl::StatusOr<store::CommitResult> Commit(store::Batch batch);
  absl::StatusOr<store::CommitResult> Commit(std::vector<store::EventBody> events);

  // What this request was answered before, or nullopt. IDEMPOTENCY_REUSE if its body differs.
  absl::StatusOr<std::optional<std::string>> Answered(const store::Idempotency& idem);

  // Events after `seq`, at most `limit`, from memory where they are still there.
  absl::StatusOr<std::vector<store::Event>> EventsAfter(int64_t seq, size_t limit);

  absl::StatusOr<std::string> Object(const store::ObjectHash& hash);

  // The id that the next row of a kind will get: this ledger is the only writer.
  int64_t NextVariantId() const;
  int64_t NextJobId() const;

 private:
  void Take(const store::Event& event);

  store::Store& store_;
  store::Clock& clock_;
  state::State state_;
  std::deque<store::Event> recent_;
};

}  // namespace server::core
