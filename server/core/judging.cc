#include "server/core/judging.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"
#include "server/core/expansion.h"
#include "server/core/job_spec.h"
#include "server/routing/route.h"
#include "store/failpoint.h"

namespace server::core {
namespace {

using store::RunState;
using store::Verdict;

constexpr int kStepsPerPass = 64;  // of one run, so that one run cannot hold the others up
constexpr int64_t kBackoffNs = 1'000'000'000;

}  // namespace

std::vector<Narrowed> NarrowedFrom(const std::string& params_json) {
  std::vector<Narrowed> out;
  const auto in = nlohmann::json::parse(params_json, nullptr, false);
  if (!in.is_object()) return out;
  for (const auto& [name, values] : in.items()) {
    out.push_back({name, values.get<std::vector<std::string>>()});
  }
  return out;
}

bool Judging::Step() {
  bool any = false;
  std::vector<int64_t> live;
  for (const auto& [id, run] : c_.state().runs) {
    if (IsLive(run)) live.push_back(id);
  }
  for (const int64_t id : live) any = StepRun(id) || any;
  return any;
}

bool Judging::StepRun(int64_t id) {
  if (const auto wait = not_before_ns_.find(id); wait != not_before_ns_.end()) {
    if (c_.ledger.NowNs() < wait->second) return false;
    not_before_ns_.erase(wait);
  }
  const state::Run& run = c_.state().runs.at(id);
  auto spec = experiments_.SpecOf(run);
  if (!spec.ok()) {
    Backoff(id);
    return false;
  }
  bool any = SeedOrBaseline(run, *spec);
  // In order: what the baseline took is no input of a decision unless it is one of every decision.
  if (spec->ordered && !run.baseline_decided && run.state == RunState::kRunning) return any;
  for (int i = 0; i < kStepsPerPass && IsLive(run); ++i) {
    const auto step = loop::NextStep(c_.state(), run, *spec);
    if (!step) break;
    if (!Decide(run, *step)) return any;
    any = true;
  }
  return DispatchPending(run, *spec) || any;
}

void Judging::Backoff(int64_t run) { not_before_ns_[run] = c_.ledger.NowNs() + kBackoffNs; }

int64_t Judging::NextWakeNs() const {
  int64_t next = INT64_MAX;
  for (const auto& [run, at] : not_before_ns_) next = std::min(next, at);
  return next;
}

// Decisions and what takes effect with them, in one commit. False: the store refused.
bool Judging::Decide(const state::Run& run, const loop::Step& step) {
  std::vector<store::EventBody> events;
  int64_t number = run.decision_no;
  for (const state::Choice& choice : step.choices) {
    events.push_back(store::Decision{.run = run.id,
                                     .decision_no = ++number,
                                     .kind = choice.kind,
                                     .inputs_through_seq = c_.state().last_seq,
                                     .rng_counter = step.rng_counter,
                                     .chosen_json = state::ToJson(choice),
                                     .reasons_json = step.reasons_json});
  }
  if (step.plateau) events.push_back(*step.plateau);
  if (!step.ranked.empty()) {
    events.push_back(store::Ranked{.run = run.id, .variants = step.ranked});
  }
  for (const store::EliteChanged& elite : step.elites) events.push_back(elite);
  if (step.new_state && *step.new_state != run.state) {
    events.push_back(store::RunStateChanged{
        .run = run.id, .state = *step.new_state, .reason = step.state_reason});
  }
  if (events.empty()) return false;
  CAKE_FAILPOINT("server.decide.before");
  auto done = c_.ledger.Commit(std::move(events));
  CAKE_FAILPOINT("server.decide.after");
  if (!done.ok()) Backoff(run.id);
  return done.ok();
}

bool Judging::HasTask(Kind kind, int64_t candidate, int64_t variant) const {
  return std::any_of(tasks_.begin(), tasks_.end(), [&](const auto& entry) {
    const Task& task = entry.second;
    return task.kind == kind && task.candidate == candidate && task.variant == variant;
  });
}

bool Judging::HasTaskOf(int64_t run) const {
  return std::any_of(tasks_.begin(), tasks_.end(),
                     [&](const auto& entry) { return entry.second.run == run; });
}

bool Judging::DispatchPending(const state::Run& run, const loop::RunSpec& spec) {
  if (spec.ordered) return DispatchInOrder(run, spec);
  bool any = false;
  const auto full = [&] { return static_cast<int64_t>(tasks_.size()) >= c_.limits.gate_tasks_max; };
  for (const auto& [decision_no, choice] : run.proposals) {
    if (full()) break;
    any = StartPropose(run, decision_no, choice) || any;
  }
  for (const int64_t id : run.open) {
    if (full()) break;
    const state::Candidate& candidate = c_.state().candidates.at(id);
    if (candidate.pending && !HasTask(Kind::kExpand, id, 0)) {
      any = StartExpand(candidate, spec) || any;
    }
    for (const int64_t variant_id : candidate.variants) {
      const state::Variant& variant = c_.state().variants.at(variant_id);
      for (const auto& [purpose, decision] : variant.pending) {
        if (HasTask(Kind::kLower, id, variant_id)) continue;
        any = StartLower(variant, purpose) || any;
      }
    }
  }
  return any;
}

absl::StatusOr<GateRequest> Judging::RequestFor(const state::Candidate& candidate) {
  const state::Run& run = c_.state().runs.at(candidate.run);
  GateRequest request;
  request.direct = candidate.IsDirect();
  auto source = c_.ledger.Object(candidate.source_hash);
  if (!source.ok()) return source.status();
  request.source = *std::move(source);
  if (const Contract* contract = c_.contracts.Find(run.contract_hash)) {
    request.contract_json = contract->canonical_json;
  }
  request.calibrations = calibrations(&run);
  request.narrow = NarrowedFrom(candidate.params_json);
  request.members_max = loop::kFamilyMembersMax;
  request.sample_seed = run.seed;
  return request;
}

uint64_t Judging::StartTask(Task task, GateRequest request, bool interactive) {
  const uint64_t id = next_task_++;
  if (task.run != 0) c_.active.Open(task.run, absl::StrCat("gates ", id), c_.ledger.NowNs());
  tasks_.emplace(id, std::move(task));
  gates_.Start(id, std::move(request), interactive);
  return id;
}

double Judging::AuditShare(const loop::RunSpec& spec) const {
  return AnyWorkerFor(c_.state(), {std::string(kAuditCapability)}) ? spec.audit_share : 0;
}

bool Judging::StartExpand(const state::Candidate& candidate, const loop::RunSpec& spec) {
  auto request = RequestFor(candidate);
  if (!request.ok()) {
    Backoff(candidate.run);
    return false;
  }
  request->from = candidate.pending->from;
  request->rules = learnt_rules();
  // What evolves judges the one member that it was given; others are reached by tactics.
  if (spec.evolve) request->members_max = 1;
  // After a crash one at a time, so that the one that kills the child is known.
  request->count = crashes_.contains(candidate.id) ? 1 : candidate.pending->count;
  Task task{.kind = Kind::kExpand, .run = candidate.run, .candidate = candidate.id};
  task.from = request->from;
  StartTask(std::move(task), *std::move(request), false);
  return true;
}

void Judging::StartRule(uint64_t task_id, GateRequest request) {
  Task task{.kind = Kind::kRule};
  task.rule_task = task_id;
  StartTask(std::move(task), std::move(request), false);
}

bool Judging::StartLower(const state::Variant& variant, store::Purpose purpose) {
  const state::Candidate& candidate = c_.state().candidates.at(variant.candidate);
  auto request = RequestFor(candidate);
  if (!request.ok()) {
    Backoff(candidate.run);
    return false;
  }
  request->emit = true;
  request->binding_json = variant.params_json;
  Task task{.kind = Kind::kLower, .run = candidate.run, .candidate = candidate.id};
  task.variant = variant.id;
  task.purpose = purpose;
  StartTask(std::move(task), *std::move(request), false);
  return true;
}

bool Judging::SeedOrBaseline(const state::Run& run, const loop::RunSpec& spec) {
  const Contract* contract = c_.contracts.Find(run.contract_hash);
  if (contract == nullptr || run.state != RunState::kRunning) return false;
  bool any = false;
  if (!run.baseline_decided && baseline_started_.insert(run.id).second) {
    Task task{.kind = Kind::kBaseline, .run = run.id};
    if (contract->baseline_source.empty()) {
      BaselineJudged(task, GateReply{});
    } else {
      GateRequest request{.source = contract->baseline_source,
                          .file_name = contract->baseline_name,
                          .contract_json = contract->canonical_json,
                          .members_max = 1};
      request.calibrations = calibrations(&run);
      StartTask(std::move(task), std::move(request), false);
    }
    any = true;
  }
  if (!run.candidates.empty() || spec.open || contract->baseline_source.empty()) return any;
  store::Batch batch;
  batch.objects.push_back({store::ObjectKind::kSource, contract->baseline_source});
  state::Choice choice{.kind = std::string(state::kSeed)};
  choice.detail = contract->baseline_name;
  batch.events.push_back(store::Decision{.run = run.id,
                                         .decision_no = run.decision_no + 1,
                                         .kind = choice.kind,
                                         .inputs_through_seq = c_.state().last_seq,
                                         .chosen_json = state::ToJson(choice),
                                         .reasons_json = "{}"});
  batch.events.push_back(
      store::CandidateSubmitted{.run = run.id,
                                .source_hash = store::HashOf(contract->baseline_source),
                                .arm_kind = "cake-ir",
                                .author = c_.principal,
                                .intent = "the contract's own program, as the first family"});
  if (!c_.ledger.Commit(std::move(batch)).ok()) Backoff(run.id);
  return true;
}

void Judging::GateDone(uint64_t id, absl::StatusOr<GateReply> reply) {
  const auto it = tasks_.find(id);
  if (it == tasks_.end()) return;
  Task task = std::move(it->second);
  tasks_.erase(it);
  if (task.run != 0) c_.active.Close(task.run, absl::StrCat("gates ", id), c_.ledger.NowNs());
  if (task.kind == Kind::kBaseline) return BaselineJudged(task, reply);
  if (task.kind == Kind::kPropose) return Proposed(task, reply);
  if (task.kind == Kind::kReduce) return reduced(task.finding, reply);
  if (task.kind == Kind::kRule) return rule_answered(task.rule_task, reply);
  if (!reply.ok()) {
    if (absl::IsAborted(reply.status()))
      Crashed(task, reply.status());
    else
      Backoff(task.run);
    return;
  }
  if (task.kind == Kind::kExpand)
    Expanded(task, *reply);
  else
    Lowered(task, *reply);
}

void Judging::Expanded(const Task& task, const GateReply& reply) {
  const state::Candidate& candidate = c_.state().candidates.at(task.candidate);
  // The run may have stopped meanwhile, or the answer may be to a question asked twice.
  if (!candidate.pending || candidate.members_seen != task.from ||
      !IsLive(c_.state().runs.at(task.run))) {
    return;
  }
  if (reply.members.empty()) {
    Crashed(task, absl::InternalError("the gate child judged nothing"));
    return;
  }
  std::string default_report;
  if (candidate.gates_done) {
    auto kept = c_.ledger.Object(candidate.report_hash);
    if (kept.ok()) default_report = *std::move(kept);
  }
  auto spec = experiments_.SpecOf(c_.state().runs.at(task.run));
  if (!spec.ok()) return Backoff(task.run);
  CAKE_FAILPOINT("server.gates.before_commit");
  auto done = c_.ledger.Commit(ExpansionOf(c_.state(), candidate, reply, c_.ledger.NextVariantId(),
                                           default_report, AuditShare(*spec)));
  CAKE_FAILPOINT("server.gates.after_commit");
  if (!done.ok()) Backoff(task.run);
}

void Judging::Lowered(const Task& task, const GateReply& reply) {
  const state::Variant& variant = c_.state().variants.at(task.variant);
  const auto decided = variant.pending.find(task.purpose);
  const state::Run& run = c_.state().runs.at(task.run);
  if (decided == variant.pending.end() || !IsLive(run)) return;
  const Contract* contract = c_.contracts.Find(run.contract_hash);
  if (contract == nullptr) return Backoff(task.run);
  JobInputs inputs;
  inputs.candidate = &c_.state().candidates.at(variant.candidate);
  inputs.variant = &variant;
  inputs.contract = contract;
  inputs.lowered = &reply;
  inputs.purpose = task.purpose;
  inputs.target =
      TargetOf(c_.state(), run, *contract, reply.arch, task.purpose, inputs.candidate->IsDirect());
  inputs.contract_object = store::HashOf(contract->canonical_json);
  inputs.seed = InputsSeed(run, decided->second, task.purpose, *inputs.candidate);
  AddIncumbent(c_.state(), run, inputs);
  const std::string spec = JobSpecJson(inputs);
  int64_t round = 0;
  for (const int64_t id : variant.jobs) {
    const state::Job& job = c_.state().jobs.at(id);
    if (job.purpose == task.purpose && job.protocol == inputs.target.protocol) ++round;
  }
  store::Batch batch;
  if (!reply.cuda.empty() && !inputs.candidate->IsDirect())
    batch.objects.push_back({store::ObjectKind::kCuda, reply.cuda});
  batch.objects.push_back({store::ObjectKind::kOther, spec});
  if (!contract->baseline_source.empty()) {
    batch.objects.push_back({store::ObjectKind::kSource, contract->baseline_source});
  }
  batch.events.push_back(store::JobQueued{.variant = variant.id,
                                          .purpose = task.purpose,
                                          .protocol = inputs.target.protocol,
                                          .round = round,
                                          .priority = PriorityOf(task.purpose),
                                          .needs = inputs.target.needs,
                                          .spec_hash = store::HashOf(spec)});
  CAKE_FAILPOINT("server.queue.before_commit");
  auto done = c_.ledger.Commit(std::move(batch));
  CAKE_FAILPOINT("server.queue.after_commit");
  if (!done.ok()) Backoff(task.run);
}

// A baseline that cannot be judged leaves the run without one: nothing is then said against it.
void Judging::BaselineJudged(const Task& task, const absl::StatusOr<GateReply>& reply) {
  const state::Run& run = c_.state().runs.at(task.run);
  if (run.baseline_decided) return;
  state::Choice choice{.kind = std::string(state::kBaseline)};
  double log_ns = 0, weight = 0;
  if (reply.ok() && !reply->members.empty() && reply->members.front().verdict == "PASSED") {
    for (const GateEstimate& e : reply->members.front().estimates) {
      if (e.time_ns <= 0) continue;
      log_ns += e.weight * std::log(e.time_ns);
      weight += e.weight;
    }
  }
  if (weight > 0)
    choice.time_ns = std::exp(log_ns / weight);
  else
    choice.detail = reply.ok() ? "no estimate of the baseline" : "the baseline was not judged";
  loop::Step step;
  step.choices.push_back(choice);
  if (!Decide(run, step)) baseline_started_.erase(run.id);
}

void Judging::Crashed(const Task& task, const absl::Status& why) {
  if (++crashes_[task.candidate] < c_.limits.gate_crashes_max) return;  // the next pass tries again
  GiveUp(task, why);
}

// Our own fault, not the candidate's: it is closed so that it cannot take every child, and a
// finding says that a gate has a bug.
void Judging::GiveUp(const Task& task, const absl::Status& why) {
  const state::Candidate& candidate = c_.state().candidates.at(task.candidate);
  const std::string reason = absl::StrCat("the gate child died twice: ", why.message());
  std::vector<store::EventBody> events;
  if (task.kind == Kind::kLower) {
    events.push_back(store::VerdictRevised{.variant = task.variant,
                                           .verdict = Verdict::kRejectedLimit,
                                           .blame = store::Blame::kSystem,
                                           .reason = reason});
  } else if (!candidate.gates_done) {
    events.push_back(store::GatesDone{.candidate = candidate.id,
                                      .verdict = Verdict::kRejectedLimit,
                                      .blame = store::Blame::kSystem});
  } else {
    store::VariantsExpanded closed{.candidate = candidate.id,
                                   .members_total = candidate.members_total,
                                   .members_seen = candidate.members_seen,
                                   .last = true};
    if (candidate.variants.empty()) {
      closed.verdict = Verdict::kRejectedLimit;
      closed.blame = store::Blame::kSystem;
    }
    events.push_back(closed);
  }
  const routing::Route route{Verdict::kRejectedLimit, store::Blame::kSystem, "verifier",
                             "a gate child died of a candidate", true};
  const std::string fingerprint = routing::FailureFingerprint(
      {.stage = "GATES",
       .verdict = Verdict::kRejectedLimit,
       .code = "gate-child",
       .form = std::string_view(why.message().data(), why.message().size())});
  if (auto finding = routing::FindingAfter(c_.state(), fingerprint, candidate.id, route)) {
    events.push_back(*finding);
  }
  if (!c_.ledger.Commit(std::move(events)).ok()) Backoff(task.run);
}

}  // namespace server::core
