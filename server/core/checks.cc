#include "server/core/checks.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "server/core/expansion.h"

namespace server::core {
namespace {

using store::Verdict;

constexpr int64_t kCheckCpuMs = 10'000, kNsPerMs = 1'000'000;
constexpr size_t kOpenMax = 512, kOpenBytesMax = size_t{64} << 20;

absl::Status TooMany(std::string_view what) { return state::Error(state::Reason::kRate, what); }

}  // namespace

absl::Status Checks::HasRoom(const CheckRequest& request) const {
  size_t all = open_.size();
  for (const auto& [key, rows] : followers_) all += rows.size();
  if (all >= kOpenMax || bytes_ + request.source.text.size() > kOpenBytesMax) {
    return TooMany("too many checks are waiting");
  }
  int64_t mine = 0, of_session = 0;
  const auto count = [&](const Open& open) {
    if (open.caller != c_.principal) return;
    ++mine;
    of_session += open.request.meta.session == request.meta.session ? 1 : 0;
  };
  for (const auto& [id, open] : open_) count(open);
  for (const auto& [key, rows] : followers_) std::for_each(rows.begin(), rows.end(), count);
  if (mine >= QuotaOf(c_).checks_max) {
    return TooMany(absl::StrCat(mine, " checks of this caller are running or waiting"));
  }
  if (IsAgent(c_) && of_session >= c_.limits.agent_checks_max) {
    return TooMany(absl::StrCat(of_session, " checks of this session are running"));
  }
  return absl::OkStatus();
}

absl::StatusOr<GateRequest> Checks::GateFor(const CheckRequest& request) const {
  GateRequest gate;
  gate.source = request.source.text;
  gate.direct = request.source.direct_cuda;
  gate.narrow = request.params;
  gate.rules = learnt_rules();
  gate.calibrations = calibrations(nullptr);
  if (request.workload.empty()) return gate;
  const state::Workload* workload = c_.state().FindWorkload(request.workload);
  const Contract* contract = workload ? c_.contracts.Find(workload->hash) : nullptr;
  if (contract == nullptr) {
    return state::Error(state::Reason::kUnknownWorkload,
                        absl::StrCat("no workload `", request.workload.substr(0, 64), "`"));
  }
  gate.contract_json = contract->canonical_json;
  return gate;
}

void Checks::Check(const CheckRequest& request, Done<CheckReply> done) {
  auto gate = GateFor(request);
  if (!gate.ok()) return done(gate.status());
  Open open{.caller = c_.principal, .request = request, .done = std::move(done)};
  open.key = CheckMemory::KeyOf(*gate);
  if (const auto known = memory_.Find(open.key)) return Answer(std::move(open), *known, 0);
  if (auto status = HasRoom(request); !status.ok()) return open.done(status);
  open.gate = *std::move(gate);
  const int64_t wait_ms = std::min(kCheckCpuMs, request.time_ms);
  open.until_ns = c_.ledger.NowNs() + wait_ms * kNsPerMs;
  open.weight = QuotaOf(c_).weight;
  bytes_ += request.source.text.size();
  Enqueue(std::move(open));
  StartNext();
}

void Checks::Enqueue(Open open) {
  const auto [rows, first] = followers_.try_emplace(open.key);
  if (!first) return rows->second.push_back(std::move(open));
  const uint64_t id = next_id_++;
  line_.Push(open.caller, open.weight, id);
  open_.emplace(id, std::move(open));
}

std::vector<Checks::Open> Checks::TakeFollowers(const std::string& key) {
  auto row = followers_.extract(key);
  return row.empty() ? std::vector<Open>{} : std::move(row.mapped());
}

void Checks::StartNext() {
  while (running_ < c_.limits.check_slots) {
    const auto id = line_.Pop();
    if (!id) return;
    Open& open = open_.at(*id);
    const int64_t now = c_.ledger.NowNs(), left_ms = (open.until_ns - now) / kNsPerMs;
    if (left_ms <= 0) {
      line_.Dropped(open.caller);
      bytes_ -= open.request.source.text.size();
      const auto done = std::move(open.done);
      for (Open& follower : TakeFollowers(std::string(open.key))) Enqueue(std::move(follower));
      open_.erase(*id);
      done(absl::DeadlineExceededError("the check waited as long as its caller would"));
      continue;
    }
    ++running_;
    open.started_ns = now;
    open.gate.cpu_limit_ms = left_ms;
    gates_.Start(*id, std::move(open.gate), true);
  }
}

void Checks::GateDone(uint64_t id, absl::StatusOr<GateReply> reply) {
  const auto it = open_.find(id);
  if (it == open_.end()) return;
  Open open = std::move(it->second);
  open_.erase(it);
  --running_;
  bytes_ -= open.request.source.text.size();
  // Of a child that died only the time since its start is known: it may have run all of it.
  const int64_t cpu_ns = reply.ok() ? reply->cpu_ns : c_.ledger.NowNs() - open.started_ns;
  line_.Ended(open.caller, cpu_ns);
  if (reply.ok() && !reply->members.empty()) memory_.Keep(open.key, *reply);
  for (Open& follower : TakeFollowers(open.key)) {
    // A child may have died of the little time that the first caller had.
    if (absl::IsAborted(reply.status())) {
      Enqueue(std::move(follower));
      continue;
    }
    bytes_ -= follower.request.source.text.size();
    Answer(std::move(follower), reply, 0);
  }
  Answer(std::move(open), reply, cpu_ns);
  StartNext();
}

void Checks::Answer(Open open, const absl::StatusOr<GateReply>& reply, int64_t cpu_ns) {
  CheckReply out;
  out.content_hash = store::Sha256Hex(open.request.source.text);
  store::Checked event{.principal = open.caller,
                       .session = open.request.meta.session,
                       .source_sha256 = out.content_hash,
                       .cpu_ns = cpu_ns};
  if (absl::IsAborted(reply.status())) {
    out.report = {Verdict::kRejectedLimit, store::Blame::kSystem, ""};
  } else if (!reply.ok()) {
    return open.done(reply.status());
  } else if (reply->members.empty()) {
    return open.done(absl::InternalError("the gate child judged nothing"));
  } else {
    const GateMember& member = reply->members.front();
    out.report = {GateVerdict(member.verdict),
                  member.verdict == "PASSED" ? store::Blame::kUnset : store::Blame::kCandidate,
                  member.report_json};
    out.canon_hash = member.canon_hash;
    out.members = reply->members_total;
    event.canon_hash = member.canon_hash;
    for (const GateDiagnostic& d : member.diagnostics) {
      event.codes.push_back(d.code);
      event.fingerprints.push_back(d.fingerprint);
    }
  }
  event.verdict = out.report.verdict;
  store::Batch batch;
  if (open.request.keep) {
    batch.objects.push_back({store::ObjectKind::kSource, open.request.source.text});
    event.kept_source = store::HashOf(open.request.source.text);
  }
  batch.events.push_back(std::move(event));
  c_.ledger.CommitLater(std::move(batch), [out = std::move(out), done = std::move(open.done)](
                                              absl::StatusOr<store::CommitResult> committed) {
    if (!committed.ok()) return done(committed.status());
    CheckReply answer = out;
    answer.event_seq = committed->last_seq;
    done(std::move(answer));
  });
}

void Checks::AnswerAll(const absl::Status& status) {
  for (auto& [id, open] : std::exchange(open_, {})) open.done(status);
  for (auto& [key, rows] : std::exchange(followers_, {})) {
    for (Open& open : rows) open.done(status);
  }
}

}  // namespace server::core
