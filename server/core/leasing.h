// Workers, leases and results. A lease is held by a fencing token; a write counts only with the
// job's current one.
#pragma once

#include <list>
#include <map>
#include <string>
#include <vector>

#include "server/core/context.h"

namespace server::core {

// A worker that says nothing for this long is gone: three missed long polls and more.
inline constexpr int64_t kGoneAfterNs = 90'000'000'000;

// What a lease's evidence may take: logs, samples and a cubin are far smaller.
inline constexpr int64_t kLeaseBytesMax = int64_t{256} << 20;

// How the reason of a quarantine begins that no worker lifts.
inline constexpr std::string_view kByOperator = "operator: ";

// What the outcome of a job needs beyond the state.
struct KnownOfJob {
  std::string member_report_json;  // of the variant, as its gates wrote it; or ""
  std::string source;              // of the candidate, where the result has diagnostics
  int64_t now_us = 0, backoff_us = 0;
  int64_t active_ns = 0;  // of the run, until now
};

class Leasing {
 public:
  explicit Leasing(Context& context) : c_(context) {}

  // After the log is folded: every open lease gets one full time to live from now.
  void Resume();

  absl::StatusOr<RegisterReply> Register(const RegisterRequest& request);
  // Answered with a lease, or without one after wait_ms. A second call of the same worker answers
  // the first one empty.
  void Acquire(const std::string& worker, uint64_t incarnation, int64_t wait_ms,
               Done<AcquireReply> done);
  // Answered when something is desired that the worker does not do yet, or after report_hold_ms.
  void Report(const ReportRequest& request, Done<ReportReply> done);
  absl::StatusOr<CompleteReply> Complete(const CompleteRequest& request);

  // Whether so many more bytes of evidence may come with the lease, which then counts them.
  absl::Status CountUpload(const std::string& lease, int64_t fencing_token, int64_t bytes);

  // Ends every job of a run without a result, and leaves out its members that have no job.
  absl::Status CancelRun(int64_t run, std::string_view reason);

  // Expires leases, answers long polls, pauses runs without machines. True if anything changed.
  bool Step();
  int64_t NextWakeNs() const;
  // Answers every long poll now; the daemon stops.
  void AnswerAll();

 private:
  struct Poll {
    int64_t worker = 0, until_ns = 0;
    uint64_t incarnation = 0;
    Done<AcquireReply> done;
  };
  struct HeldReport {
    ReportRequest request;
    int64_t until_ns = 0;
    Done<ReportReply> done;
  };

  // The worker of this name if its incarnation is current, and notes that it is alive.
  absl::StatusOr<int64_t> Live(const std::string& name, uint64_t incarnation);
  absl::StatusOr<std::string> NameFor(const RegisterRequest& request) const;
  absl::StatusOr<bool> TryGrant(Poll& poll);
  // Jobs that the worker could run now, and the one of them whose turn it is.
  std::vector<const state::Job*> Runnable(const state::Worker& worker) const;
  const state::Job* Choose(const state::Worker& worker) const;
  // What the worker says of its device, where that is new.
  absl::Status HeedHealth(const ReportRequest& request);
  ReportReply Answer(const ReportRequest& request) const;
  // Whether the worker has to be told something now, or holds nothing that could change.
  absl::StatusOr<KnownOfJob> KnownOf(const state::Job& job, const CompleteRequest& request);
  bool Urgent(const ReportRequest& request, const ReportReply& reply) const;
  void Renew(const ReportRequest& request);
  bool ExpireLeases();
  bool NoteGoneWorkers();
  bool WatchInfrastructure();
  bool AnswerPolls();
  bool AnswerReports();
  std::vector<store::EventBody> CancelEvents(const state::Job& job, std::string_view reason) const;

  Context& c_;
  std::map<int64_t, int64_t> expires_ns_;     // by lease
  std::map<int64_t, int64_t> uploaded_;       // bytes by lease
  std::map<int64_t, int64_t> seen_ns_;        // by worker
  std::map<int64_t, int64_t> idle_since_ns_;  // by run: queued work and no machine for it
  std::list<Poll> polls_;
  std::list<HeldReport> reports_;
};

// The events of a lease that ended without a result that counts. The job is queued again, or is a
// poison job after losses on two devices, or three on one that other jobs end well on. A device on
// which so many jobs in a row are lost is quarantined instead, and the job waits for a better one;
// after kPoisonLossesMax losses it is poison wherever it ran. `detail`: what the worker said.
std::vector<store::EventBody> LostEvents(const state::State& state, const state::Job& job,
                                         std::string_view reason, bool infra, int64_t not_before_us,
                                         std::string detail = "");

// The device's row again with another state.
store::DeviceState DeviceEvent(const state::Device& device, std::string_view state,
                               std::string reason);

// What an accepted result makes: stage clocks, the evaluation or a further attempt, budget, best,
// findings. The caller has checked the token.
struct Outcome {
  store::Batch batch;
  CompleteReply reply;
};
absl::StatusOr<Outcome> OutcomeOf(const state::State& state, const state::Job& job,
                                  const CompleteRequest& request, const KnownOfJob& known);

}  // namespace server::core
