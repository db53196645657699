// The daemon as a state machine on one thread: calls come in as plain values, time is the clock's,
// gate work is somebody else's, and everything that is remembered goes through the store. A program
// that calls these functions in the same order with the same answers gets the same log.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "server/core/brief.h"
#include "server/core/calibrating.h"
#include "server/core/checks.h"
#include "server/core/compare.h"
#include "server/core/context.h"
#include "server/core/diagnose.h"
#include "server/core/experiments.h"
#include "server/core/explaining.h"
#include "server/core/history.h"
#include "server/core/import.h"
#include "server/core/intake.h"
#include "server/core/judging.h"
#include "server/core/leasing.h"
#include "server/core/pages.h"
#include "server/core/portfolio.h"
#include "server/core/reducing.h"
#include "server/core/rules.h"
#include "server/core/watching.h"

namespace server::core {

struct CoreOptions {
  Limits limits;
  std::vector<ContractFile> contracts;
  std::string language;               // the reference text that Brief hands out
  std::vector<CorpusProgram> corpus;  // that no learnt rule may refuse; set by Open
};

class Core {
 public:
  // Folds the log, registers the contracts, and takes up what was in flight.
  static absl::StatusOr<std::unique_ptr<Core>> Open(store::Store& store, store::Clock& clock,
                                                    GateRunner& gates, CoreOptions options);

  // Agents.
  void Submit(const SubmitRequest& request, Done<SubmitReply> done);
  void Check(const CheckRequest& request, Done<CheckReply> done);
  absl::StatusOr<BriefReply> Brief(const BriefRequest& request);
  absl::StatusOr<DiagnoseReply> Diagnose(const std::string& candidate);
  absl::StatusOr<CompareReply> Compare(const CompareRequest& request);
  void Explain(const ExplainRequest& request, Done<ExplainReply> done);
  absl::StatusOr<UsageReply> ReportUsage(const UsageRequest& request);
  absl::StatusOr<uint64_t> Watch(const WatchRequest& request, WatchSink sink);
  void Unwatch(uint64_t id);
  // History.
  absl::StatusOr<CandidateView> GetCandidate(const std::string& name, bool with_source,
                                             int64_t max_members);
  absl::StatusOr<ListReply> ListCandidates(const ListRequest& request);
  absl::StatusOr<ExperimentReply> ListRuns(const std::string& experiment);
  // Operators.
  absl::StatusOr<ExperimentReply> CreateExperiment(const CreateExperimentRequest& request);
  absl::StatusOr<ExperimentReply> StartExperiment(const ExperimentRequest& request);
  absl::StatusOr<ExperimentReply> PauseExperiment(const ExperimentRequest& request);
  absl::StatusOr<ExperimentReply> ResumeExperiment(const ExperimentRequest& request);
  absl::StatusOr<ExperimentReply> StopExperiment(const ExperimentRequest& request);
  absl::StatusOr<ExperimentReply> GetExperiment(const ExperimentRequest& request);
  absl::StatusOr<ImportReply> ImportEvidence(const ImportRequest& request);
  absl::StatusOr<TokenReply> CreateToken(const TokenRequest& request);
  absl::StatusOr<TokenReply> RevokeToken(const TokenRequest& request);
  Rules& rules() { return rules_; }
  Calibrating& calibrating() { return calibrating_; }
  absl::StatusOr<PortfolioReply> ExportPortfolio(const PortfolioRequest& request) {
    return portfolios_.Export(request);
  }
  // What a principal may have open at a time and its part of the gates' CPU time.
  absl::StatusOr<QuotaReply> SetQuota(const QuotaRequest& request);
  // The worker ends what it holds and gets no more work, or serves again.
  absl::StatusOr<MachineReply> DrainWorker(const MachineRequest& request);
  // The device gets no work until an operator says so, whatever its worker does.
  absl::StatusOr<MachineReply> QuarantineDevice(const MachineRequest& request);
  // What an operator's call was answered before, if it was; the note of one that was carried out
  // beside the core, with its answer. The note's sequence number.
  absl::StatusOr<std::optional<std::string>> AdminAnswered(std::string_view method,
                                                           const Meta& meta);
  absl::StatusOr<int64_t> NoteAdmin(std::string_view method, const Meta& meta, std::string subject,
                                    std::string_view reason, std::string reply);
  // Workers.
  absl::StatusOr<RegisterReply> Register(const RegisterRequest& request);
  void Acquire(const std::string& worker, uint64_t incarnation, int64_t wait_ms,
               Done<AcquireReply> done);
  void Report(const ReportRequest& request, Done<ReportReply> done);
  absl::StatusOr<CompleteReply> Complete(const CompleteRequest& request);
  // Whether a worker may send so many bytes of evidence with its lease; counts them.
  absl::Status CountUpload(const std::string& lease, int64_t fencing_token, int64_t bytes) {
    return leasing_.CountUpload(lease, fencing_token, bytes);
  }
  absl::StatusOr<store::ObjectHash> PutObject(store::ObjectKind kind, std::string bytes);
  absl::StatusOr<std::string> GetObject(const store::ObjectHash& hash);

  // The answer to a request that went to the gate runner.
  void GateDone(uint64_t id, absl::StatusOr<GateReply> reply);

  // One pass over everything that is due. True if anything happened: call again.
  bool Step();
  // Answers those whose commits are durable now; Step begins with it.
  bool TakeCommitted() { return ledger_.TakeCommitted(); }
  // `wake` is called from another thread when TakeCommitted has something to do.
  void OnCommitted(std::function<void()> wake) { ledger_.OnCommitted(std::move(wake)); }
  // When Step has something to do by the clock alone; INT64_MAX: never.
  int64_t NextWakeNs() const;

  // While it lives, calls are made by this principal.
  class Acting {
   public:
    Acting(Core& core, int64_t principal) : context_(core.context_), before_(context_.principal) {
      context_.principal = principal;
    }
    ~Acting() { context_.principal = before_; }
    Acting(const Acting&) = delete;

   private:
    Context& context_;
    const int64_t before_;
  };

  // Every open watch gets an item at the next step, whatever happens.
  void BeatWatchers() { watching_.BeatAll(); }

  // Takes no more work, answers everybody who waits. What is in flight is in the log.
  void Drain();

  const state::State& state() const { return ledger_.state(); }
  Experiments& experiments() { return experiments_; }
  Pages& pages() { return pages_; }

 private:
  Core(store::Store& store, store::Clock& clock, GateRunner& gates, CoreOptions options);

  std::string language_;
  Ledger ledger_;
  Contracts contracts_;
  Context context_;
  Experiments experiments_;
  Importing importing_;
  Judging judging_;
  Reducing reducing_;
  Rules rules_;
  Intake intake_;
  Leasing leasing_;
  Watching watching_;
  History history_;
  Pages pages_;
  Diagnosis diagnosis_;
  Portfolios portfolios_;
  Comparing comparing_;
  Explaining explaining_;
  Calibrating calibrating_;
  Checks checks_;
  Briefing briefing_;
};

}  // namespace server::core
