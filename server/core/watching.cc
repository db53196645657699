#include "server/core/watching.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace server::core {
namespace {

constexpr size_t kEventsPerFeed = 256;
constexpr int64_t kNsPerMs = 1'000'000;

}  // namespace

absl::StatusOr<uint64_t> Watching::Open(const WatchRequest& request, WatchSink sink) {
  if (static_cast<int64_t>(watchers_.size()) >= c_.limits.watchers_max) {
    return state::Error(state::Reason::kRate, "too many watchers");
  }
  if (request.from_seq < 0) return state::BadField("from_seq", "is negative");
  Watcher watcher{.cursor = request.from_seq, .sink = std::move(sink)};
  if (!request.candidate.empty()) {
    const state::Candidate* candidate = c_.state().FindCandidate(request.candidate);
    if (candidate == nullptr) return state::NotFound("candidate", request.candidate);
    watcher.candidate = candidate->id;
    watcher.subject = candidate->Name();
  } else {
    auto run = NamedRun(c_.state(), request.meta);
    if (!run.ok()) return run.status();
    if (*run != nullptr) watcher.run = (*run)->id;
  }
  watcher.heartbeat_ns = c_.ledger.NowNs() + c_.limits.heartbeat_ms * kNsPerMs;
  const uint64_t id = next_++;
  watchers_.emplace(id, std::move(watcher));
  return id;
}

std::optional<state::Progress> Watching::ProgressFor(const Watcher& watcher) const {
  if (watcher.candidate == 0) return std::nullopt;
  return state::ProgressOf(c_.state(), c_.state().candidates.at(watcher.candidate));
}

bool Watching::IsDone(const Watcher& watcher) const {
  const state::State& state = c_.state();
  if (watcher.candidate != 0) return ProgressFor(watcher)->terminal;
  if (watcher.run == 0) return false;
  const state::Run& run = state.runs.at(watcher.run);
  return run.state == store::RunState::kStopped && run.open.empty();
}

void Watching::BeatAll() {
  for (auto& [id, watcher] : watchers_) watcher.heartbeat_ns = 0;
}

Watching::Push Watching::Feed(Watcher& watcher) {
  auto events = c_.ledger.EventsAfter(watcher.cursor, kEventsPerFeed);
  if (!events.ok()) {
    watcher.sink.end(events.status());
    return Push::kEnded;
  }
  const bool any = !events->empty();
  for (const store::Event& event : *events) {
    const bool mine = watcher.candidate != 0 ? event.subject == watcher.subject
                                             : watcher.run == 0 || event.run == watcher.run;
    if (mine && !watcher.sink.item({event, c_.state().last_seq, ProgressFor(watcher)})) {
      watcher.sink.end(
          state::Error(state::Reason::kWatchLagged,
                       absl::StrCat("the receiver lags; watch again from_seq=", watcher.cursor)));
      return Push::kEnded;
    }
    watcher.cursor = event.seq;
  }
  if (watcher.cursor >= c_.state().last_seq && IsDone(watcher)) {
    watcher.sink.end(absl::OkStatus());
    return Push::kEnded;
  }
  const int64_t now = c_.ledger.NowNs();
  if (any) {
    watcher.heartbeat_ns = now + c_.limits.heartbeat_ms * kNsPerMs;
  } else if (now >= watcher.heartbeat_ns) {
    watcher.heartbeat_ns = now + c_.limits.heartbeat_ms * kNsPerMs;
    watcher.sink.item({{}, c_.state().last_seq, ProgressFor(watcher)});
    return Push::kSome;
  }
  return any ? Push::kSome : Push::kNothing;
}

bool Watching::Step() {
  bool any = false;
  for (auto it = watchers_.begin(); it != watchers_.end();) {
    const Push push = Feed(it->second);
    any = any || push != Push::kNothing;
    it = push == Push::kEnded ? watchers_.erase(it) : std::next(it);
  }
  return any;
}

int64_t Watching::NextWakeNs() const {
  int64_t next = INT64_MAX;
  for (const auto& [id, watcher] : watchers_) next = std::min(next, watcher.heartbeat_ns);
  return next;
}

void Watching::EndAll(const absl::Status& why) {
  for (auto& [id, watcher] : watchers_) watcher.sink.end(why);
  watchers_.clear();
}

}  // namespace server::core
