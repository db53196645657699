// Checks: the gates over a source that is no candidate, for whoever waits for them.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "server/core/expansion.h"
#include "server/core/judging.h"

namespace server::core {
namespace {

using store::Verdict;

constexpr int64_t kCheckCpuMs = 10'000;

}  // namespace

void Judging::Check(const CheckRequest& request, Done<CheckReply> done) {
  const auto checks = std::count_if(tasks_.begin(), tasks_.end(), [](const auto& entry) {
    return entry.second.kind == Kind::kCheck;
  });
  if (checks >= c_.limits.checks_max) {
    return done(state::Error(state::Reason::kRate, "too many checks are running"));
  }
  const auto mine = std::count_if(tasks_.begin(), tasks_.end(), [&](const auto& entry) {
    const Task& task = entry.second;
    return task.kind == Kind::kCheck && task.principal == c_.principal &&
           task.check.meta.session == request.meta.session;
  });
  if (IsAgent(c_) && mine >= c_.limits.agent_checks_max) {
    return done(state::Error(state::Reason::kRate,
                             absl::StrCat(mine, " checks of this session are running")));
  }
  GateRequest gate;
  gate.source = request.source.text;
  gate.direct = request.source.direct_cuda;
  gate.narrow = request.params;
  gate.rules = learnt_rules();
  gate.cpu_limit_ms = std::min(kCheckCpuMs, request.time_ms);
  if (!request.workload.empty()) {
    const state::Workload* workload = c_.state().FindWorkload(request.workload);
    const Contract* contract = workload ? c_.contracts.Find(workload->hash) : nullptr;
    if (contract == nullptr) {
      return done(state::Error(state::Reason::kUnknownWorkload,
                               absl::StrCat("no workload `", request.workload.substr(0, 64), "`")));
    }
    gate.contract_json = contract->canonical_json;
  }
  Task task{.kind = Kind::kCheck};
  task.principal = c_.principal;
  task.check = request;
  task.done = std::move(done);
  StartTask(std::move(task), std::move(gate), true);
}

void Judging::Checked(Task& task, const absl::StatusOr<GateReply>& reply) {
  CheckReply out;
  out.content_hash = store::Sha256Hex(task.check.source.text);
  store::Checked event{.principal = task.principal,
                       .session = task.check.meta.session,
                       .source_sha256 = out.content_hash};
  if (absl::IsAborted(reply.status())) {
    out.report = {Verdict::kRejectedLimit, store::Blame::kSystem, ""};
  } else if (!reply.ok()) {
    return task.done(reply.status());
  } else if (reply->members.empty()) {
    return task.done(absl::InternalError("the gate child judged nothing"));
  } else {
    const GateMember& member = reply->members.front();
    out.report = {GateVerdict(member.verdict),
                  member.verdict == "PASSED" ? store::Blame::kUnset : store::Blame::kCandidate,
                  member.report_json};
    out.canon_hash = member.canon_hash;
    out.members = reply->members_total;
    event.canon_hash = member.canon_hash;
    event.cpu_ns = reply->cpu_ns;
    for (const GateDiagnostic& d : member.diagnostics) {
      event.codes.push_back(d.code);
      event.fingerprints.push_back(d.fingerprint);
    }
  }
  event.verdict = out.report.verdict;
  store::Batch batch;
  if (task.check.keep) {
    batch.objects.push_back({store::ObjectKind::kSource, task.check.source.text});
    event.kept_source = store::HashOf(task.check.source.text);
  }
  batch.events.push_back(std::move(event));
  auto done = c_.ledger.Commit(std::move(batch));
  if (!done.ok()) return task.done(done.status());
  out.event_seq = done->last_seq;
  task.done(std::move(out));
}

}  // namespace server::core
