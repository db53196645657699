#include "server/core/ledger.h"

#include "server/state/error.h"

namespace server::core {
namespace {

constexpr int64_t kLoadPageEvents = 500;

template <typename Map>
int64_t NextId(const Map& rows) {
  return rows.empty() ? 1 : rows.rbegin()->first + 1;
}

}  // namespace

absl::Status Ledger::Load() {
  for (;;) {
    // A page a view: a view may not stay open long enough for a large log.
    auto view = store_.Snapshot();
    if (!view.ok()) return view.status();
    auto events = (*view)->reads().EventsAfter(state_.last_seq, 0, kLoadPageEvents);
    if (!events.ok()) return events.status();
    if (events->empty()) return absl::OkStatus();
    for (const store::Event& event : *events) Take(event);
  }
}

void Ledger::Take(const store::Event& event) {
  state_.Apply(event);
  recent_.push_back(event);
  if (recent_.size() > kRecentEventsMax) recent_.pop_front();
}

absl::StatusOr<store::CommitResult> Ledger::Commit(store::Batch batch) {
  auto result = store_.Commit(std::move(batch));
  TakeLanded();  // the writer answered what came before this one earlier
  if (!result.ok()) return state::FromStore(result.status());
  if (result->replayed) return result;
  for (const store::Event& event : result->events) Take(event);
  return result;
}

absl::StatusOr<store::CommitResult> Ledger::Commit(std::vector<store::EventBody> events) {
  store::Batch batch;
  batch.events = std::move(events);
  return Commit(std::move(batch));
}

void Ledger::CommitLater(store::Batch batch, store::CommitDone done) {
  {
    std::lock_guard lock(landed_->mutex);
    ++landed_->in_flight;
  }
  store_.Enqueue(std::move(batch), [landed = landed_, done = std::move(done)](
                                       absl::StatusOr<store::CommitResult> result) {
    // Under the lock, so that whoever waits for the last answer does not end what `wake` belongs
    // to.
    std::lock_guard lock(landed->mutex);
    --landed->in_flight;
    landed->answers.push_back({std::move(result), done});
    landed->changed.notify_all();
    if (landed->wake) landed->wake();
  });
}

void Ledger::TakeLanded() {
  std::deque<Answer> answers;
  {
    std::lock_guard lock(landed_->mutex);
    answers.swap(landed_->answers);
  }
  for (Answer& answer : answers) {
    if (answer.result.ok() && !answer.result->replayed) {
      for (const store::Event& event : answer.result->events) Take(event);
    }
    taken_.push_back(std::move(answer));
  }
}

bool Ledger::TakeCommitted() {
  while (store_.stepped() && store_.WriterStep() > 0) {
  }
  TakeLanded();
  // A callback may commit, which may take more.
  bool any = false;
  while (!taken_.empty()) {
    Answer answer = std::move(taken_.front());
    taken_.pop_front();
    any = true;
    if (answer.result.ok())
      answer.done(std::move(answer.result));
    else
      answer.done(state::FromStore(answer.result.status()));
  }
  return any;
}

void Ledger::AwaitCommitted() {
  if (!store_.stepped()) {
    std::unique_lock lock(landed_->mutex);
    landed_->changed.wait(lock, [&] { return landed_->in_flight == 0; });
  }
  TakeCommitted();
}

void Ledger::OnCommitted(std::function<void()> wake) {
  std::lock_guard lock(landed_->mutex);
  landed_->wake = std::move(wake);
}

absl::StatusOr<std::unique_ptr<store::SnapshotView>> Ledger::Snapshot() {
  auto view = store_.Snapshot();
  if (!view.ok()) return state::FromStore(view.status());
  const auto seq = (*view)->reads().LastSeq();
  if (!seq.ok()) return state::FromStore(seq.status());
  for (;;) {
    TakeLanded();
    if (state_.last_seq >= *seq) return std::move(*view);
    // The writer answers a moment after what it wrote can be read.
    std::unique_lock lock(landed_->mutex);
    if (landed_->in_flight == 0 && landed_->answers.empty()) {
      return absl::InternalError("the store holds events that nobody here handed over");
    }
    landed_->changed.wait(lock, [&] { return !landed_->answers.empty(); });
  }
}

absl::StatusOr<std::optional<std::string>> Ledger::Answered(const store::Idempotency& idem) {
  auto view = store_.Snapshot();
  if (!view.ok()) return state::FromStore(view.status());
  auto row = (*view)->reads().FindReply(idem.principal, idem.method, idem.request_id);
  if (!row.ok()) return state::FromStore(row.status());
  if (!row->has_value()) return std::nullopt;
  if ((*row)->request_hash != idem.request_hash) {
    return state::Error(state::Reason::kIdempotencyReuse,
                        "this request id was used with another body");
  }
  return std::optional<std::string>((*row)->reply);
}

absl::StatusOr<std::vector<store::Event>> Ledger::EventsAfter(int64_t seq, size_t limit) {
  std::vector<store::Event> out;
  if (seq >= state_.last_seq) return out;
  if (!recent_.empty() && seq + 1 >= recent_.front().seq) {
    for (auto i = static_cast<size_t>(seq + 1 - recent_.front().seq);
         i < recent_.size() && out.size() < limit; ++i) {
      out.push_back(recent_[i]);
    }
    return out;
  }
  auto view = store_.Snapshot();
  if (!view.ok()) return state::FromStore(view.status());
  return (*view)->reads().EventsAfter(
      seq, 0, static_cast<int64_t>(std::min<size_t>(limit, store::kMaxPageRows)));
}

absl::StatusOr<std::string> Ledger::Object(const store::ObjectHash& hash) {
  if (hash.hex.empty()) return state::NotFound("object", "");
  auto view = store_.Snapshot();
  if (!view.ok()) return state::FromStore(view.status());
  return (*view)->reads().GetObject(hash);
}

int64_t Ledger::NextVariantId() const { return NextId(state_.variants); }
int64_t Ledger::NextJobId() const { return NextId(state_.jobs); }

}  // namespace server::core
