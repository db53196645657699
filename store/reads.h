// Typed reads of one connection: a snapshot, or the writer's own view inside its transaction.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "store/events.h"
#include "store/rows.h"
#include "store/rows_page.h"

namespace store {

class Database;

inline constexpr int64_t kMaxPageRows = 500;
inline constexpr int64_t kMaxScoreRows = 20'000;

// Rows after `after` (exclusive, by the key the call names), at most `limit` (1..kMaxPageRows).
struct Page {
  int64_t after = 0;
  int64_t limit = 100;
};

struct CandidateFilter {
  int64_t run = 0;               // 0: any
  int64_t experiment = 0;        // 0: any
  int64_t author = 0;            // 0: any
  std::string verdict;           // "" : any; "PENDING" for none yet
  std::string struct_hash;       // "" : any
  std::string canon_hash;        // "" : any
  std::string diagnostic_code;   // "" : any
  std::string workload, tactic;  // "" : any
  std::string text;              // "" : any; else a part of the intent, whatever its case
  bool newest_first = false;
};

struct CandidatePage {
  std::vector<CandidateRow> rows;  // by id; with newest_first from the last on
  std::string next_token;          // "" at the end
  int64_t as_of_seq = 0;
};

struct EvaluationFilter {
  int64_t run = 0, candidate = 0, variant = 0;  // 0: any
  std::string protocol, verdict;                // "" : any
};

struct IdemRow {
  std::string request_hash, reply;
  int64_t at_us = 0;
};

// Lookups of one row answer NOT_FOUND UNKNOWN_ID with the name asked for. Lists are bounded by
// kMaxPageRows unless the call says otherwise. Every call may answer DEADLINE_EXCEEDED.
class Reads {
 public:
  // `dir`: of the store, for objects in files; "" in memory.
  explicit Reads(Database& db, std::string dir) : db_(db), dir_(std::move(dir)) {}

  absl::StatusOr<CandidateRow> GetCandidate(int64_t id);
  absl::StatusOr<CandidateRow> GetCandidate(int64_t run, int64_t n);
  // `token` is "" for the first page or a next_token of the same filter. Rows submitted after the
  // first page was read do not appear.
  absl::StatusOr<CandidatePage> ListCandidates(const CandidateFilter& filter, int64_t page_size,
                                               std::string_view token);
  // Submitted, without GatesDone: the gate work list, by id.
  absl::StatusOr<std::vector<CandidateRow>> CandidatesWithoutGates(Page page);
  // Gates done and passed, family not expanded to its end, by id.
  absl::StatusOr<std::vector<CandidateRow>> CandidatesToExpand(Page page);
  // The first candidate or variant with this canonical form under the contract, among the runs of
  // `experiment` (0: of every OPEN experiment). nullopt if there is none.
  absl::StatusOr<std::optional<CandidateRow>> FindByCanon(std::string_view canon_hash,
                                                          std::string_view contract_hash,
                                                          int64_t experiment);
  absl::StatusOr<std::optional<VariantRow>> FindVariantByCanon(std::string_view canon_hash,
                                                               std::string_view contract_hash,
                                                               int64_t experiment);

  absl::StatusOr<VariantRow> GetVariant(int64_t id);
  absl::StatusOr<std::vector<VariantRow>> ListVariants(int64_t candidate, Page page);
  absl::StatusOr<std::vector<RejectedGroupRow>> RejectedGroups(int64_t candidate);
  absl::StatusOr<std::vector<DiagnosticRow>> ListDiagnostics(int64_t candidate, Page page);
  absl::StatusOr<std::vector<GateResultRow>> GateResults(int64_t candidate);
  absl::StatusOr<std::vector<EstimateRow>> Estimates(int64_t variant);
  absl::StatusOr<std::vector<LineageRow>> Ancestors(int64_t candidate, int64_t max_depth);
  absl::StatusOr<std::vector<LineageRow>> Descendants(int64_t candidate, int64_t max_depth);

  absl::StatusOr<JobRow> GetJob(int64_t id);
  // By priority (highest first), then id. `not_before_us`: only jobs that may start by then.
  absl::StatusOr<std::vector<JobRow>> ListJobs(JobState state, int64_t not_before_us,
                                               int64_t limit);
  absl::StatusOr<std::vector<JobRow>> JobsOfVariant(int64_t variant);
  absl::StatusOr<std::vector<JobRow>> JobsOfRun(int64_t run, JobState state, Page page);
  absl::StatusOr<std::vector<LeaseRow>> LeasesOfJob(int64_t job);
  absl::StatusOr<std::vector<LeaseRow>> OpenLeases(Page page);  // by fencing token
  absl::StatusOr<std::vector<StageClockRow>> StageClocks(int64_t job);

  absl::StatusOr<EvaluationRow> GetEvaluation(int64_t id);
  absl::StatusOr<std::optional<EvaluationRow>> EvaluationOfJob(int64_t job);
  absl::StatusOr<std::vector<EvaluationRow>> ListEvaluations(const EvaluationFilter& filter,
                                                             Page page);
  // Newest first, rows with an id below `before` (0: from the newest on).
  absl::StatusOr<std::vector<ListedEvaluationRow>> EvaluationsBefore(const ListedFilter& filter,
                                                                     int64_t before, int64_t limit);
  absl::StatusOr<std::vector<CheckRow>> Checks(int64_t evaluation);
  absl::StatusOr<std::optional<BuildRow>> FindBuild(std::string_view key);
  absl::StatusOr<std::vector<BuildRow>> BuildsOfVariant(int64_t variant);

  absl::StatusOr<RunRow> GetRun(int64_t id);
  absl::StatusOr<std::vector<RunRow>> ListRuns(Page page);
  absl::StatusOr<std::vector<RunRow>> RunsOfExperiment(int64_t experiment, Page page);
  absl::StatusOr<ExperimentRow> GetExperiment(int64_t id);
  absl::StatusOr<std::optional<ExperimentRow>> FindExperiment(std::string_view name);
  absl::StatusOr<std::vector<ExperimentRow>> ListExperiments(Page page);
  absl::StatusOr<WorkloadRow> GetWorkload(int64_t id);
  // The newest of the name, or the one with the hash.
  absl::StatusOr<std::optional<WorkloadRow>> FindWorkload(std::string_view name_or_hash);
  absl::StatusOr<std::vector<WorkloadRow>> ListWorkloads(Page page);
  absl::StatusOr<std::vector<BudgetRow>> Budgets(int64_t run);
  absl::StatusOr<std::vector<UsageRow>> Usage(int64_t run);
  absl::StatusOr<std::vector<EliteRow>> Elites(int64_t run);
  absl::StatusOr<BestRow> Best(int64_t run, ScoreSource source);
  absl::StatusOr<std::vector<CurveRow>> Curve(int64_t run, Page page);  // after: charged number

  absl::StatusOr<PrincipalRow> GetPrincipal(int64_t id);
  absl::StatusOr<std::optional<PrincipalRow>> FindPrincipal(std::string_view name);
  absl::StatusOr<DeviceRow> GetDevice(int64_t id);
  absl::StatusOr<std::optional<DeviceRow>> FindDevice(std::string_view uuid);
  absl::StatusOr<std::vector<DeviceRow>> ListDevices(Page page);
  absl::StatusOr<WorkerRow> GetWorker(int64_t id);
  absl::StatusOr<std::optional<WorkerRow>> FindWorker(std::string_view name);
  absl::StatusOr<std::vector<WorkerRow>> ListWorkers(Page page);
  absl::StatusOr<std::optional<FindingRow>> FindFinding(std::string_view fingerprint);
  absl::StatusOr<std::vector<FindingRow>> ListFindings(Page page);
  absl::StatusOr<std::vector<int64_t>> FindingCases(int64_t finding);  // candidates
  absl::StatusOr<std::vector<ProposalRow>> ListProposals(Page page);

  // Pages for people: newest first, rows with an id below `before` (0: from the newest on).
  absl::StatusOr<std::vector<FindingRow>> FindingsBefore(const FindingFilter& filter,
                                                         int64_t before, int64_t limit);
  absl::StatusOr<FindingRow> GetFinding(int64_t id);
  absl::StatusOr<std::vector<FindingCaseRow>> FindingCasesOf(int64_t finding, Page page);
  absl::StatusOr<std::vector<Event>> EventsBefore(const EventFilter& filter, int64_t before,
                                                  int64_t limit);
  absl::StatusOr<std::vector<CountRow>> CandidateCounts();   // by verdict, the most first
  absl::StatusOr<std::vector<CountRow>> RunCounts();         // by state
  absl::StatusOr<std::vector<CountRow>> FindingCounts();     // by state
  absl::StatusOr<std::vector<CountRow>> WaitingJobCounts();  // QUEUED and LEASED
  // Charged evaluations of a run in order; `limit` is the caller's, up to kMaxScoreRows.
  absl::StatusOr<std::vector<ScoreRow>> Scores(int64_t run, int64_t after, int64_t limit);
  // Links of the candidate's ancestors and descendants, at most kMaxPageRows.
  absl::StatusOr<std::vector<LineageEdgeRow>> LineageEdges(int64_t candidate, int64_t max_depth);

  // Events with seq > after, in order; `run` 0: of every run.
  absl::StatusOr<std::vector<Event>> EventsAfter(int64_t after, int64_t run, int64_t limit);
  absl::StatusOr<std::vector<Event>> EventsOfSubject(std::string_view subject, int64_t after,
                                                     int64_t limit);
  absl::StatusOr<int64_t> LastSeq();  // 0: no event

  // The bytes, from the row or the object's file. UNKNOWN_ID if no row has the hash; CORRUPT if the
  // file is missing or its bytes have another hash.
  absl::StatusOr<std::string> GetObject(const ObjectHash& hash);
  absl::StatusOr<bool> HasObject(const ObjectHash& hash);
  absl::StatusOr<std::optional<IdemRow>> FindReply(int64_t principal, std::string_view method,
                                                   std::string_view request_id);

 private:
  Database& db_;
  const std::string dir_;
};

}  // namespace store
