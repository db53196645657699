#include "server/core/core.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace server::core {

Core::Core(store::Store& store, store::Clock& clock, GateRunner& gates, CoreOptions options)
    : language_(std::move(options.language)),
      ledger_(store, clock),
      contracts_(ledger_),
      context_{ledger_, contracts_, options.limits, store.local_principal()},
      experiments_(context_),
      importing_(context_, experiments_),
      judging_(context_, experiments_, gates),
      reducing_(context_,
                [this](int64_t finding, GateRequest request) {
                  judging_.StartReduce(finding, std::move(request));
                }),
      rules_(
          context_,
          [this](uint64_t task, GateRequest request) {
            judging_.StartRule(task, std::move(request));
          },
          std::move(options.corpus)),
      intake_(context_, experiments_),
      leasing_(context_),
      watching_(context_),
      history_(context_),
      pages_(context_, experiments_),
      diagnosis_(context_),
      portfolios_(context_),
      comparing_(context_),
      explaining_(context_, gates),
      calibrating_(context_, gates),
      checks_(context_, gates),
      briefing_(context_, language_) {
  judging_.reduced = [this](int64_t finding, const absl::StatusOr<GateReply>& reply) {
    reducing_.Answered(finding, reply);
  };
  judging_.rule_answered = [this](uint64_t task, const absl::StatusOr<GateReply>& reply) {
    rules_.Answered(task, reply);
  };
  judging_.learnt_rules = [this] { return rules_.Asked(); };
  checks_.learnt_rules = judging_.learnt_rules;
  judging_.calibrations = [this](const state::Run* run) { return calibrating_.InForce(run); };
  checks_.calibrations = judging_.calibrations;
}

absl::StatusOr<std::unique_ptr<Core>> Core::Open(store::Store& store, store::Clock& clock,
                                                 GateRunner& gates, CoreOptions options) {
  const std::vector<ContractFile> files = std::move(options.contracts);
  options.corpus = CorpusOf(files);
  std::unique_ptr<Core> core(new Core(store, clock, gates, std::move(options)));
  if (auto status = core->ledger_.Load(); !status.ok()) return status;
  for (const ContractFile& file : files) {
    if (auto status = core->contracts_.Register(file); !status.ok()) return status;
  }
  if (auto status = core->contracts_.LoadKnown(); !status.ok()) return status;
  if (auto status = core->experiments_.NoteOrdered(); !status.ok()) return status;
  for (const auto& [id, run] : core->state().runs) {
    core->context_.active.Resume(id, run.active_ns);
  }
  core->leasing_.Resume();
  return core;
}

void Core::Submit(const SubmitRequest& request, Done<SubmitReply> done) {
  // An agent's turn lasts from an answer to its next call.
  context_.active.EndTurn(request.meta.session, ledger_.NowNs());
  intake_.Submit(request, [this, session = request.meta.session,
                           done = std::move(done)](absl::StatusOr<SubmitReply> reply) {
    if (reply.ok()) {
      const state::Candidate* candidate = state().FindCandidate(reply->candidate);
      context_.active.BeginTurn(candidate->run, session, ledger_.NowNs());
    }
    done(std::move(reply));
  });
}

void Core::Check(const CheckRequest& request, Done<CheckReply> done) {
  context_.active.EndTurn(request.meta.session, ledger_.NowNs());
  if (auto status = CheckServing(context_); !status.ok()) return done(status);
  if (request.source.text.size() > kSourceBytesMax) {
    return done(state::Error(state::Reason::kSourceTooLarge,
                             absl::StrCat("the source has ", request.source.text.size(),
                                          " bytes, the limit is ", kSourceBytesMax)));
  }
  checks_.Check(request, std::move(done));
}

absl::StatusOr<BriefReply> Core::Brief(const BriefRequest& request) {
  return briefing_.Brief(request);
}

absl::StatusOr<DiagnoseReply> Core::Diagnose(const std::string& candidate) {
  return diagnosis_.Diagnose(candidate);
}

absl::StatusOr<CompareReply> Core::Compare(const CompareRequest& request) {
  return comparing_.Compare(request);
}

void Core::Explain(const ExplainRequest& request, Done<ExplainReply> done) {
  explaining_.Explain(request, std::move(done));
}

absl::StatusOr<uint64_t> Core::Watch(const WatchRequest& request, WatchSink sink) {
  if (auto status = CheckServing(context_); !status.ok()) return status;
  return watching_.Open(request, std::move(sink));
}

void Core::Unwatch(uint64_t id) { watching_.Close(id); }

absl::StatusOr<CandidateView> Core::GetCandidate(const std::string& name, bool with_source,
                                                 int64_t max_members) {
  return history_.GetCandidate(name, with_source, max_members);
}

absl::StatusOr<ListReply> Core::ListCandidates(const ListRequest& request) {
  return history_.List(request);
}

absl::StatusOr<ExperimentReply> Core::ListRuns(const std::string& experiment) {
  return experiments_.List(experiment);
}

absl::StatusOr<ExperimentReply> Core::CreateExperiment(const CreateExperimentRequest& request) {
  return experiments_.Create(request);
}

absl::StatusOr<ExperimentReply> Core::StartExperiment(const ExperimentRequest& request) {
  return experiments_.Start(request);
}

absl::StatusOr<ExperimentReply> Core::PauseExperiment(const ExperimentRequest& request) {
  return experiments_.Pause(request);
}

absl::StatusOr<ExperimentReply> Core::ResumeExperiment(const ExperimentRequest& request) {
  return experiments_.Resume(request);
}

absl::StatusOr<ExperimentReply> Core::StopExperiment(const ExperimentRequest& request) {
  auto reply = experiments_.Stop(request);
  if (!reply.ok()) return reply;
  for (const RunView& run : reply->runs) {
    const std::string why = request.reason.empty() ? "OPERATOR" : request.reason;
    if (auto status = leasing_.CancelRun(run.row.id, why); !status.ok()) return status;
  }
  return experiments_.Get(request);
}

absl::StatusOr<ExperimentReply> Core::GetExperiment(const ExperimentRequest& request) {
  return experiments_.Get(request);
}

absl::StatusOr<ImportReply> Core::ImportEvidence(const ImportRequest& request) {
  return importing_.Import(request);
}

absl::StatusOr<std::optional<std::string>> Core::AdminAnswered(std::string_view method,
                                                               const Meta& meta) {
  if (auto status = CheckRequestId(meta); !status.ok()) return status;
  return ledger_.Answered(IdempotencyOf(context_, method, meta));
}

absl::StatusOr<int64_t> Core::NoteAdmin(std::string_view method, const Meta& meta,
                                        std::string subject, std::string_view reason,
                                        std::string reply) {
  store::Batch batch;
  batch.idem = IdempotencyOf(context_, method, meta);
  batch.events.push_back(
      store::AdminAction{.who = context_.principal,
                         .action = std::string(method),
                         .subject = std::move(subject),
                         .reason = std::string(reason.substr(0, kIntentBytesMax))});
  batch.reply = std::move(reply);
  auto done = ledger_.Commit(std::move(batch));
  if (!done.ok()) return done.status();
  return done->last_seq;
}

absl::StatusOr<RegisterReply> Core::Register(const RegisterRequest& request) {
  return leasing_.Register(request);
}

void Core::Acquire(const std::string& worker, uint64_t incarnation, int64_t wait_ms,
                   Done<AcquireReply> done) {
  leasing_.Acquire(worker, incarnation, wait_ms, std::move(done));
}

void Core::Report(const ReportRequest& request, Done<ReportReply> done) {
  leasing_.Report(request, std::move(done));
}

absl::StatusOr<CompleteReply> Core::Complete(const CompleteRequest& request) {
  return leasing_.Complete(request);
}

absl::StatusOr<store::ObjectHash> Core::PutObject(store::ObjectKind kind, std::string bytes) {
  auto hash = ledger_.store().Put(kind, std::move(bytes));
  if (!hash.ok()) return state::FromStore(hash.status());
  return hash;
}

absl::StatusOr<std::string> Core::GetObject(const store::ObjectHash& hash) {
  auto bytes = ledger_.Object(hash);
  if (absl::IsNotFound(bytes.status())) return state::NotFound("object", hash.hex);
  return bytes;
}

void Core::GateDone(uint64_t id, absl::StatusOr<GateReply> reply) {
  if (Explaining::Owns(id)) return explaining_.GateDone(id, std::move(reply));
  if (Calibrating::Owns(id)) return calibrating_.GateDone(id, reply);
  if (Checks::Owns(id)) return checks_.GateDone(id, std::move(reply));
  judging_.GateDone(id, std::move(reply));
}

bool Core::Step() {
  bool any = ledger_.TakeCommitted();
  any = leasing_.Step() || any;
  if (!context_.draining) any = rules_.Step() || any;
  if (!context_.draining) any = judging_.Step() || any;
  if (!context_.draining) any = reducing_.Step() || any;
  // Those who wait are answered after everything that might answer them.
  any = intake_.Step() || any;
  return watching_.Step() || any;
}

int64_t Core::NextWakeNs() const {
  return std::min(
      {leasing_.NextWakeNs(), judging_.NextWakeNs(), intake_.NextWakeNs(), watching_.NextWakeNs()});
}

void Core::Drain() {
  context_.draining = true;
  ledger_.AwaitCommitted();
  leasing_.AnswerAll();
  intake_.AnswerAll();
  rules_.AnswerAll(state::Error(state::Reason::kDraining, "the daemon is stopping"));
  calibrating_.AnswerAll(state::Error(state::Reason::kDraining, "the daemon is stopping"));
  explaining_.AnswerAll(state::Error(state::Reason::kDraining, "the daemon is stopping"));
  checks_.AnswerAll(state::Error(state::Reason::kDraining, "the daemon is stopping"));
  watching_.EndAll(state::Error(state::Reason::kDraining, "the daemon is stopping"));
}

}  // namespace server::core
