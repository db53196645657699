#include "server/core/leasing.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "server/core/budgets.h"
#include "server/routing/route.h"
#include "store/failpoint.h"

namespace server::core {
namespace {

using store::JobState;
using store::RunState;

constexpr int64_t kNsPerMs = 1'000'000;

std::string LeaseName(int64_t id) { return store::RowName('l', id); }
std::string JobName(int64_t id) { return store::RowName('j', id); }

absl::Status Stale(std::string_view what) { return state::Error(state::Reason::kStaleToken, what); }

}  // namespace

void Leasing::Resume() {
  const int64_t now = c_.ledger.NowNs();
  for (const int64_t lease : c_.state().open_leases) {
    expires_ns_[lease] = now + c_.limits.lease_ttl_ms * kNsPerMs;
    const int64_t run = c_.state().jobs.at(c_.state().leases.at(lease).job).run;
    c_.active.Open(run, LeaseName(lease), now);
  }
  for (const auto& [id, worker] : c_.state().workers) seen_ns_[id] = now;
}

void Leasing::Acquire(const std::string& name, uint64_t incarnation, int64_t wait_ms,
                      Done<AcquireReply> done) {
  if (auto status = CheckServing(c_); !status.ok()) return done(status);
  auto worker = Live(name, incarnation);
  if (!worker.ok()) return done(worker.status());
  std::list<Poll> older;
  for (auto it = polls_.begin(); it != polls_.end();) {
    const auto next = std::next(it);
    if (it->worker == *worker) older.splice(older.end(), polls_, it);
    it = next;
  }
  for (Poll& poll : older) poll.done(AcquireReply{});
  Poll poll{.worker = *worker, .incarnation = incarnation, .done = std::move(done)};
  poll.until_ns = c_.ledger.NowNs() + std::clamp<int64_t>(wait_ms, 0, kAcquireWaitMsMax) * kNsPerMs;
  auto granted = TryGrant(poll);
  if (!granted.ok()) return poll.done(granted.status());
  if (!*granted) polls_.push_back(std::move(poll));
}

// True if the poll was answered.
absl::StatusOr<bool> Leasing::TryGrant(Poll& poll) {
  const state::Worker& worker = c_.state().workers.at(poll.worker);
  if (worker.incarnation != poll.incarnation) {
    poll.done(Stale("another incarnation of this worker is registered"));
    return true;
  }
  const bool quarantined = IsQuarantined(c_.state(), worker);
  if (worker.state == "DRAIN" || quarantined) {
    poll.done(AcquireReply{std::nullopt,
                           quarantined ? WorkerDesired::kQuarantine : WorkerDesired::kDrain});
    return true;
  }
  const state::Job* job = Choose(worker);
  if (job == nullptr) return false;
  auto spec = c_.ledger.Object(job->spec_hash);
  if (!spec.ok()) return spec.status();
  std::vector<store::EventBody> events;
  events.push_back(store::LeaseGranted{.job = job->id,
                                       .worker = poll.worker,
                                       .incarnation = poll.incarnation,
                                       .device = worker.device});
  const state::Run& run = c_.state().runs.at(job->run);
  for (auto& reserved : ReserveFor(run, *job)) events.push_back(std::move(reserved));
  const store::Purpose purpose = job->purpose;
  CAKE_FAILPOINT("server.grant.before_commit");
  auto done = c_.ledger.Commit(std::move(events));
  CAKE_FAILPOINT("server.grant.after_commit");
  if (!done.ok()) return done.status();
  const auto& granted = std::get<store::LeaseGranted>(done->events.front().body);
  expires_ns_[granted.lease] = c_.ledger.NowNs() + c_.limits.lease_ttl_ms * kNsPerMs;
  c_.active.Open(run.id, LeaseName(granted.lease), c_.ledger.NowNs());
  Grant grant{.lease = LeaseName(granted.lease),
              .job = JobName(granted.job),
              .attempt = granted.attempt,
              .fencing_token = granted.fencing_token,
              .ttl_ms = c_.limits.lease_ttl_ms,
              .purpose = purpose,
              .spec_json = *std::move(spec)};
  poll.done(AcquireReply{std::move(grant), WorkerDesired::kServe});
  return true;
}

ReportReply Leasing::Answer(const ReportRequest& request) const {
  const state::State& state = c_.state();
  const state::Worker* worker = state.FindWorker(request.worker);
  const bool current = worker != nullptr && worker->incarnation == request.incarnation;
  ReportReply reply;
  reply.next_ms = c_.limits.report_hold_ms;
  for (const Held& held : request.held) {
    const auto id = store::ParseRowName('l', held.lease);
    const auto lease = id ? state.leases.find(*id) : state.leases.end();
    if (!current || lease == state.leases.end() ||
        lease->second.fencing_token != held.fencing_token) {
      reply.desired.push_back(Desired::kLost);
    } else if (lease->second.open) {
      reply.desired.push_back(Desired::kContinue);
    } else {
      const state::Job& job = state.jobs.at(lease->second.job);
      const bool mine = job.fencing_token == held.fencing_token;
      // Its result is in: the report and the result crossed on the way.
      if (mine && job.state == JobState::kDone)
        reply.desired.push_back(Desired::kContinue);
      else if (job.state == JobState::kCancelled)
        reply.desired.push_back(Desired::kCancel);
      else
        reply.desired.push_back(Desired::kLost);
    }
  }
  if (current && worker->state == "DRAIN") reply.worker = WorkerDesired::kDrain;
  if (current && IsQuarantined(state, *worker)) reply.worker = WorkerDesired::kQuarantine;
  return reply;
}

void Leasing::Renew(const ReportRequest& request) {
  const ReportReply reply = Answer(request);
  for (size_t i = 0; i < request.held.size(); ++i) {
    if (reply.desired[i] != Desired::kContinue) continue;
    const auto lease = store::ParseRowName('l', request.held[i].lease);
    expires_ns_[*lease] = c_.ledger.NowNs() + c_.limits.lease_ttl_ms * kNsPerMs;
  }
}

bool Leasing::Urgent(const ReportRequest& request, const ReportReply& reply) const {
  const bool wants = reply.worker != WorkerDesired::kServe ||
                     std::any_of(reply.desired.begin(), reply.desired.end(),
                                 [](Desired desired) { return desired != Desired::kContinue; });
  const state::State& state = c_.state();
  const bool over = !request.held.empty() &&
                    std::none_of(request.held.begin(), request.held.end(), [&](const Held& held) {
                      const auto id = store::ParseRowName('l', held.lease);
                      const auto lease = id ? state.leases.find(*id) : state.leases.end();
                      return lease != state.leases.end() && lease->second.open;
                    });
  // A worker whose result is in asks for its next job only after the answer to its last report.
  return wants || over;
}

void Leasing::Report(const ReportRequest& request, Done<ReportReply> done) {
  const state::Worker* worker = c_.state().FindWorker(request.worker);
  if (worker == nullptr) return done(state::NotFound("worker", request.worker));
  const bool current = worker->incarnation == request.incarnation;
  if (current) {
    if (auto live = Live(request.worker, request.incarnation); !live.ok()) {
      return done(live.status());
    }
    if (auto status = HeedHealth(request); !status.ok()) return done(status);
    Renew(request);
  }
  ReportReply reply = Answer(request);
  if (Urgent(request, reply) || c_.draining) return done(std::move(reply));
  HeldReport held{request, c_.ledger.NowNs() + c_.limits.report_hold_ms * kNsPerMs,
                  std::move(done)};
  reports_.push_back(std::move(held));
}

namespace {

// A comparison with what is no number decides at random, and JSON cannot hold one.
absl::Status CheckNumbers(const CompleteRequest& request) {
  const std::pair<const char*, double> numbers[] = {
      {"ratio_med", request.ratio_med},
      {"ratio_low", request.ratio_low},
      {"ratio_high", request.ratio_high},
      {"time_ns", request.time_ns},
      {"incumbent_ratio_low", request.incumbent_ratio_low}};
  for (const auto& [name, value] : numbers) {
    if (!std::isfinite(value) || value < 0) return state::BadField(name, "must be finite, from 0");
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<CompleteReply> Leasing::Complete(const CompleteRequest& request) {
  if (auto status = CheckNumbers(request); !status.ok()) return status;
  const state::State& state = c_.state();
  const auto id = store::ParseRowName('j', request.job);
  const auto it = id ? state.jobs.find(*id) : state.jobs.end();
  if (it == state.jobs.end()) return state::NotFound("job", request.job);
  const state::Job& job = it->second;
  const store::ObjectHash receipt =
      request.receipt_json.empty() ? store::ObjectHash{} : store::HashOf(request.receipt_json);
  if (job.state == JobState::kDone && job.fencing_token == request.fencing_token) {
    if (receipt == job.receipt_hash)
      return CompleteReply{job.verdict, job.blame, true, job.done_seq};
    const routing::Route route{job.verdict, store::Blame::kInfra, "worker",
                               "a worker sent two results for one lease", true};
    const std::string fingerprint =
        routing::FailureFingerprint({.stage = "LEASE",
                                     .verdict = job.verdict,
                                     .code = "two-results",
                                     .form = store::RowName('w', job.worker)});
    if (auto finding = routing::FindingAfter(state, fingerprint,
                                             state.variants.at(job.variant).candidate, route)) {
      if (auto done = c_.ledger.Commit({*finding}); !done.ok()) return done.status();
    }
    return Stale("this lease has another result already");
  }
  if (job.state != JobState::kLeased || job.fencing_token != request.fencing_token) {
    store::Batch late;
    late.ends_held_work = true;
    const std::string& body = request.receipt_json.empty() ? request.lease : request.receipt_json;
    late.objects.push_back({store::ObjectKind::kReceipt, body});
    late.events.push_back(store::LateEvidence{
        .job = job.id, .fencing_token = request.fencing_token, .body_hash = store::HashOf(body)});
    if (auto done = c_.ledger.Commit(std::move(late)); !done.ok()) return done.status();
    return Stale("this lease is no longer the job's; the result is kept as late evidence");
  }
  auto known = KnownOf(job, request);
  if (!known.ok()) return known.status();
  auto outcome = OutcomeOf(state, job, request, *known);
  if (!outcome.ok()) return outcome.status();
  const int64_t lease = job.lease;
  CAKE_FAILPOINT("server.complete.before_commit");
  auto done = c_.ledger.Commit(std::move(outcome->batch));
  CAKE_FAILPOINT("server.complete.after_commit");
  if (!done.ok()) return done.status();
  expires_ns_.erase(lease);
  // An attempt that infrastructure lost was no activity.
  const bool lost = !outcome->reply.final && outcome->reply.blame == store::Blame::kInfra;
  if (lost)
    c_.active.Cancel(job.run, LeaseName(lease), c_.ledger.NowNs());
  else
    c_.active.Close(job.run, LeaseName(lease), c_.ledger.NowNs());
  outcome->reply.event_seq = done->last_seq;
  return outcome->reply;
}

absl::Status Leasing::CountUpload(const std::string& lease, int64_t fencing_token, int64_t bytes) {
  const auto id = store::ParseRowName('l', lease);
  const auto it = id ? c_.state().leases.find(*id) : c_.state().leases.end();
  if (it == c_.state().leases.end() || !it->second.open ||
      it->second.fencing_token != fencing_token) {
    return Stale("evidence comes with an open lease and its token");
  }
  std::erase_if(uploaded_,
                [&](const auto& row) { return !c_.state().open_leases.contains(row.first); });
  int64_t& so_far = uploaded_[it->first];
  if (so_far + bytes > kLeaseBytesMax) {
    return state::Error(state::Reason::kRate, absl::StrCat(lease, " has sent ", so_far, " of ",
                                                           kLeaseBytesMax, " bytes of evidence"));
  }
  so_far += bytes;
  return absl::OkStatus();
}

absl::StatusOr<KnownOfJob> Leasing::KnownOf(const state::Job& job, const CompleteRequest& request) {
  KnownOfJob known{.now_us = c_.ledger.NowUs(), .backoff_us = c_.limits.infra_backoff_us};
  known.active_ns = c_.active.TotalNs(job.run, c_.ledger.NowNs());
  const state::Variant& variant = c_.state().variants.at(job.variant);
  if (!variant.member_report.hex.empty()) {
    auto text = c_.ledger.Object(variant.member_report);
    if (!text.ok()) return text.status();
    known.member_report_json = *std::move(text);
  }
  if (!request.diagnostics.empty()) {
    auto source = c_.ledger.Object(c_.state().candidates.at(variant.candidate).source_hash);
    if (!source.ok()) return source.status();
    known.source = *std::move(source);
  }
  return known;
}

std::vector<store::EventBody> Leasing::CancelEvents(const state::Job& job,
                                                    std::string_view reason) const {
  std::vector<store::EventBody> events;
  if (job.state == JobState::kLeased) {
    events.push_back(store::LeaseLost{.job = job.id,
                                      .fencing_token = job.fencing_token,
                                      .reason = "CANCELLED",
                                      .infra = false,
                                      .then = JobState::kCancelled});
    for (auto& refund : RefundsOf(job)) events.push_back(std::move(refund));
  }
  store::EvaluationDone done{.job = job.id,
                             .verdict = store::Verdict::kCancelled,
                             .blame = store::Blame::kNone,
                             .contract_hash = c_.state().runs.at(job.run).contract_hash};
  done.checks.push_back({.name = "cancelled", .outcome = "SKIP", .detail = std::string(reason)});
  events.push_back(std::move(done));
  return events;
}

absl::Status Leasing::CancelRun(int64_t run_id, std::string_view reason) {
  const state::State& state = c_.state();
  const state::Run& run = state.runs.at(run_id);
  store::Batch batch;
  batch.ends_held_work = true;
  store::Ranked left_out{.run = run_id};
  int64_t rank = run.last_rank;
  for (const int64_t candidate : run.candidates) {
    for (const int64_t id : state.candidates.at(candidate).variants) {
      const state::Variant& variant = state.variants.at(id);
      bool working = false;
      for (const int64_t job_id : variant.jobs) {
        const state::Job& job = state.jobs.at(job_id);
        if (job.state != JobState::kQueued && job.state != JobState::kLeased) continue;
        working = true;
        for (auto& event : CancelEvents(job, reason)) batch.events.push_back(std::move(event));
      }
      if (working || variant.verdict != store::Verdict::kPending) continue;
      left_out.variants.push_back({id, variant.rank != 0 ? variant.rank : ++rank, false, "OUT"});
    }
  }
  if (!left_out.variants.empty()) batch.events.push_back(std::move(left_out));
  if (batch.events.empty()) return absl::OkStatus();
  return c_.ledger.Commit(std::move(batch)).status();
}

bool Leasing::Step() {
  bool any = ExpireLeases();
  any = NoteGoneWorkers() || any;
  any = WatchInfrastructure() || any;
  any = AnswerPolls() || any;
  return AnswerReports() || any;
}

bool Leasing::ExpireLeases() {
  const int64_t now = c_.ledger.NowNs();
  bool any = false;
  for (auto it = expires_ns_.begin(); it != expires_ns_.end();) {
    const auto [lease, at] = *it;
    if (!c_.state().open_leases.contains(lease)) {
      it = expires_ns_.erase(it);
      continue;
    }
    ++it;
    if (now < at) continue;
    const state::Job& job = c_.state().jobs.at(c_.state().leases.at(lease).job);
    store::Batch batch;
    batch.ends_held_work = true;
    batch.events = LostEvents(c_.state(), job, "EXPIRED", true, 0);
    CAKE_FAILPOINT("server.lost.before_commit");
    const bool done = c_.ledger.Commit(std::move(batch)).ok();
    CAKE_FAILPOINT("server.lost.after_commit");
    if (!done) return any;  // the store takes nothing now; the lease is still over its time later
    c_.active.Cancel(job.run, LeaseName(lease), now);
    expires_ns_.erase(lease);
    any = true;
  }
  return any;
}

bool Leasing::AnswerPolls() {
  const int64_t now = c_.ledger.NowNs();
  bool any = false;
  for (auto it = polls_.begin(); it != polls_.end();) {
    auto granted = TryGrant(*it);
    const bool late = now >= it->until_ns;
    if (!granted.ok())
      it->done(granted.status());
    else if (!*granted && late)
      it->done(AcquireReply{});
    const bool answered = !granted.ok() || *granted || late;
    any = any || answered;
    it = answered ? polls_.erase(it) : std::next(it);
  }
  return any;
}

bool Leasing::AnswerReports() {
  const int64_t now = c_.ledger.NowNs();
  bool any = false;
  for (auto it = reports_.begin(); it != reports_.end();) {
    ReportReply reply = Answer(it->request);
    if (!Urgent(it->request, reply) && now < it->until_ns) {
      ++it;
      continue;
    }
    Renew(it->request);
    it->done(std::move(reply));
    it = reports_.erase(it);
    any = true;
  }
  return any;
}

int64_t Leasing::NextWakeNs() const {
  int64_t next = INT64_MAX;
  for (const auto& [lease, at] : expires_ns_) next = std::min(next, at);
  for (const auto& [worker, at] : seen_ns_) {
    const auto it = c_.state().workers.find(worker);
    if (it != c_.state().workers.end() && it->second.state != "GONE") {
      next = std::min(next, at + kGoneAfterNs);
    }
  }
  for (const auto& [run, since] : idle_since_ns_) {
    if (!IsLive(c_.state().runs.at(run))) continue;
    next = std::min(next, since + c_.limits.infra_down_ms * kNsPerMs);
  }
  for (const Poll& poll : polls_) next = std::min(next, poll.until_ns);
  for (const HeldReport& report : reports_) next = std::min(next, report.until_ns);
  const int64_t now_us = c_.ledger.NowUs();
  for (const int64_t id : c_.state().queued_jobs) {
    const int64_t at = c_.state().jobs.at(id).not_before_us;
    if (at > now_us) next = std::min(next, c_.ledger.NowNs() + (at - now_us) * 1000);
  }
  return next;
}

void Leasing::AnswerAll() {
  for (Poll& poll : std::exchange(polls_, {})) poll.done(AcquireReply{});
  for (HeldReport& report : std::exchange(reports_, {})) report.done(Answer(report.request));
}

}  // namespace server::core
