#include "server/core/intake.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "store/failpoint.h"

namespace server::core {
namespace {

using store::RunState;

constexpr int64_t kNsPerMs = 1'000'000;
constexpr size_t kParentsMax = 16;
constexpr size_t kParamsMax = 64;
constexpr size_t kParamValuesMax = 4096;
constexpr size_t kTacticBytesMax = 64;

std::string ParamsJson(const std::vector<Narrowed>& params) {
  if (params.empty()) return "";
  auto out = nlohmann::json::object();
  for (const Narrowed& param : params) out[param.name] = param.values;
  return out.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace

absl::StatusOr<Report> ReportOf(Ledger& ledger, const state::Candidate& candidate) {
  const state::Judged judged = state::JudgedOf(ledger.state(), candidate);
  Report report{judged.verdict, judged.blame, ""};
  store::ObjectHash hash = candidate.report_hash;
  if (judged.best != nullptr && !judged.best->member_report.hex.empty()) {
    hash = judged.best->member_report;
  }
  if (hash.hex.empty()) return report;
  auto text = ledger.Object(hash);
  if (!text.ok()) return text.status();
  report.member_json = *std::move(text);
  return report;
}

absl::Status Intake::Validate(const SubmitRequest& request) const {
  if (request.source.text.empty()) return state::BadField("source", "is empty");
  if (request.source.text.size() + request.source.launch_plan_json.size() > kSourceBytesMax) {
    return state::Error(state::Reason::kSourceTooLarge,
                        absl::StrCat("the source has ", request.source.text.size(),
                                     " bytes, the limit is ", kSourceBytesMax));
  }
  if (request.source.direct_cuda && !request.source.launch_plan_json.empty()) {
    return state::BadField("source.cuda.launch_plan_json",
                           "must be empty: the launch is declared in //@ lines of the source");
  }
  if (request.intent.size() > kIntentBytesMax) {
    return state::BadField("intent", "is longer than 2048 bytes");
  }
  if (request.tactic.size() > kTacticBytesMax) {
    return state::BadField("tactic", "is longer than 64 bytes");
  }
  if (request.wait_ms < 0 || request.wait_ms > kWaitMsMax) {
    return state::BadField("wait_ms", "must be in 0..40000");
  }
  if (request.parents.size() > kParentsMax) return state::BadField("parent", "more than 16");
  if (request.params.size() > kParamsMax) return state::BadField("params", "more than 64");
  for (const Narrowed& param : request.params) {
    if (param.values.empty() || param.values.size() > kParamValuesMax) {
      return state::BadField("params", "a narrowed domain has 1..4096 values");
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<int64_t> Intake::RunFor(const SubmitRequest& request) {
  auto named = NamedRun(c_.state(), request.meta);
  if (!named.ok()) return named.status();
  if (*named == nullptr) return experiments_.DefaultRun(request.workload);
  const state::Run& run = **named;
  if (!request.workload.empty()) {
    const state::Workload& workload = c_.state().workloads.at(run.workload);
    if (request.workload != workload.name && request.workload != workload.hash) {
      return state::BadField("workload", absl::StrCat(RunName(run.id), " is for ", workload.name));
    }
  }
  if (run.state == RunState::kStopped) {
    const std::string text = absl::StrCat(RunName(run.id), " is STOPPED(", run.reason, ")");
    if (run.reason.starts_with("BUDGET")) return state::Error(state::Reason::kBudgetSpent, text);
    return absl::FailedPreconditionError(text);
  }
  return run.id;
}

// Hand-written device code runs nowhere but in a closed sandbox of a GPU; without such a worker it
// would wait for ever, so it is not taken.
absl::Status Intake::CanRun(const SubmitRequest& request, const state::Run& run) const {
  const bool replayed = run.objective == store::ScoreSource::kReplay;
  if (!request.source.direct_cuda || replayed ||
      AnyWorkerFor(c_.state(), {std::string(kDirectCapability)})) {
    return absl::OkStatus();
  }
  return state::Error(state::Reason::kToolchainMissing,
                      "direct CUDA runs on a GPU worker whose sandbox has level L3; none serves");
}

absl::Status Intake::HasRoom(const state::Run& run, const Queue& queue) const {
  int64_t coming = 0;
  for (auto it = coming_.lower_bound({run.id}); it != coming_.end() && it->first.run == run.id;
       ++it)
    coming += it->second;
  const int64_t ungated = static_cast<int64_t>(run.ungated.size()) + coming;
  if (ungated >= c_.limits.ungated_max) {
    return state::Error(state::Reason::kQueueFull,
                        absl::StrCat(ungated, " candidates wait for their gates"));
  }
  if (!IsAgent(c_)) return absl::OkStatus();
  int64_t of_caller = 0;
  for (const auto& [of, count] : coming_) of_caller += of.author == queue.author ? count : 0;
  const auto known = c_.state().open_of_author.find(queue.author);
  if (known != c_.state().open_of_author.end()) of_caller += known->second;
  if (of_caller >= QuotaOf(c_).open_max) {
    return state::Error(state::Reason::kQueueFull,
                        absl::StrCat(of_caller, " candidates of this caller are not judged yet"));
  }
  const auto open = std::count_if(run.open.begin(), run.open.end(), [&](int64_t id) {
    const state::Candidate& candidate = c_.state().candidates.at(id);
    return candidate.author == queue.author && candidate.session == queue.session;
  });
  const auto mine = coming_.find(queue);
  const int64_t all = open + (mine == coming_.end() ? 0 : mine->second);
  if (all < c_.limits.agent_open_max) return absl::OkStatus();
  return state::Error(state::Reason::kQueueFull,
                      absl::StrCat(all, " candidates of this session are not judged yet"));
}

absl::StatusOr<std::pair<store::Batch, Intake::Queue>> Intake::Accept(
    const SubmitRequest& request) {
  if (auto status = Validate(request); !status.ok()) return status;
  auto run_id = RunFor(request);
  if (!run_id.ok()) return run_id.status();
  const state::Run& run = c_.state().runs.at(*run_id);
  if (auto status = CanRun(request, run); !status.ok()) return status;
  Queue queue{*run_id, c_.principal, request.meta.session};
  if (auto status = HasRoom(run, queue); !status.ok()) return status;
  store::CandidateSubmitted event{
      .run = *run_id,
      .source_hash = store::HashOf(request.source.text),
      .arm_kind = request.source.direct_cuda ? "direct-cuda" : "cake-ir",
      .author = c_.principal,
      .session = request.meta.session,
      .tactic = request.tactic,
      .intent = request.intent,
      .params_json = ParamsJson(request.params),
      .prediction_json = request.prediction_json};
  for (const std::string& name : request.parents) {
    const state::Candidate* parent = c_.state().FindCandidate(name);
    if (parent == nullptr) return state::NotFound("candidate", name);
    event.parents.push_back({parent->id, "parent"});
  }
  store::Batch batch;
  batch.objects.push_back({store::ObjectKind::kSource, request.source.text});
  batch.events.push_back(std::move(event));
  batch.idem = IdempotencyOf(c_, "Submit", request.meta);
  batch.make_reply = [](const store::CommitResult& result) {
    return absl::StrCat(result.ids.front());
  };
  return std::pair(std::move(batch), std::move(queue));
}

namespace {

absl::StatusOr<int64_t> CandidateIn(const std::string& stored_answer) {
  int64_t candidate = 0;
  if (absl::SimpleAtoi(stored_answer, &candidate)) return candidate;
  return absl::InternalError("a stored answer is not a candidate");
}

}  // namespace

void Intake::Submit(const SubmitRequest& request, Done<SubmitReply> done) {
  if (auto status = CheckRequestId(request.meta); !status.ok()) return done(status);
  if (auto status = CheckServing(c_); !status.ok()) return done(status);
  Waiter waiter{.wait_for = request.wait_for, .done = std::move(done)};
  waiter.until_ns = c_.ledger.NowNs() + request.wait_ms * kNsPerMs;
  // A repeated request has its answer, whatever is the case now: its run may have ended since. One
  // that would be taken again gets it from the writer, unless it would make a run first.
  const bool names_run = !request.meta.run.empty() || !request.meta.experiment.empty();
  absl::StatusOr<std::pair<store::Batch, Queue>> accepted = absl::UnknownError("not asked");
  if (names_run) accepted = Accept(request);
  if (!accepted.ok()) {
    auto answered = c_.ledger.Answered(IdempotencyOf(c_, "Submit", request.meta));
    if (!answered.ok()) return waiter.done(answered.status());
    if (answered->has_value()) {
      auto candidate = CandidateIn(**answered);
      if (!candidate.ok()) return waiter.done(candidate.status());
      return Wait(*candidate, std::move(waiter));
    }
    if (!names_run) accepted = Accept(request);
    if (!accepted.ok()) return waiter.done(accepted.status());
  }
  ++coming_[accepted->second];
  CAKE_FAILPOINT("server.submit.before_commit");
  c_.ledger.CommitLater(std::move(accepted->first),
                        [this, queue = accepted->second, waiter = std::move(waiter)](
                            absl::StatusOr<store::CommitResult> committed) {
                          CAKE_FAILPOINT("server.submit.after_commit");
                          if (const auto it = coming_.find(queue); --it->second == 0)
                            coming_.erase(it);
                          if (!committed.ok()) return waiter.done(committed.status());
                          auto candidate = CandidateIn(committed->reply);
                          if (!candidate.ok()) return waiter.done(candidate.status());
                          Wait(*candidate, waiter);
                        });
}

void Intake::Wait(int64_t candidate, Waiter waiter) {
  waiter.candidate = candidate;
  if (IsOver(waiter)) return waiter.done(ReplyFor(candidate));
  waiters_.push_back(std::move(waiter));
}

bool Intake::IsOver(const Waiter& waiter) const {
  const state::Candidate& candidate = c_.state().candidates.at(waiter.candidate);
  if (waiter.wait_for == WaitFor::kAck || c_.ledger.NowNs() >= waiter.until_ns) return true;
  if (waiter.wait_for == WaitFor::kGates && candidate.gates_done) return true;
  return state::ProgressOf(c_.state(), candidate).terminal;
}

absl::StatusOr<SubmitReply> Intake::ReplyFor(int64_t id) {
  const state::State& state = c_.state();
  const state::Candidate& candidate = state.candidates.at(id);
  SubmitReply reply;
  reply.candidate = candidate.Name();
  reply.content_hash = candidate.source_hash.hex;
  reply.progress = state::ProgressOf(state, candidate);
  reply.budget = state.runs.at(candidate.run).budgets;
  reply.event_seq = candidate.created_seq;
  auto report = ReportOf(c_.ledger, candidate);
  if (!report.ok()) return report.status();
  reply.report = *std::move(report);
  const bool all_known = candidate.closed() && candidate.duplicates > 0 &&
                         candidate.duplicates == static_cast<int64_t>(candidate.variants.size());
  if (all_known) {
    const state::Variant& first = state.variants.at(candidate.variants.front());
    reply.duplicate_of =
        state.candidates.at(state.variants.at(first.duplicate_of).candidate).Name();
  }
  return reply;
}

bool Intake::Step() {
  bool any = false;
  for (auto it = waiters_.begin(); it != waiters_.end();) {
    if (!IsOver(*it)) {
      ++it;
      continue;
    }
    it->done(ReplyFor(it->candidate));
    it = waiters_.erase(it);
    any = true;
  }
  return any;
}

int64_t Intake::NextWakeNs() const {
  int64_t next = INT64_MAX;
  for (const Waiter& waiter : waiters_) next = std::min(next, waiter.until_ns);
  return next;
}

void Intake::AnswerAll() {
  for (Waiter& waiter : std::exchange(waiters_, {})) waiter.done(ReplyFor(waiter.candidate));
}

}  // namespace server::core
