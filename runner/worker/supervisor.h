// The worker as a state machine that is stepped from outside: no thread, no clock, no socket of its
// own. It holds at most one lease. Two lanes of calls, one outstanding each: control (Register,
// Acquire, Report), so that heartbeats never wait for bulk, and data (GetObject, PutObject,
// Complete).
//
// Self-fencing: a lease is only trusted for its time to live minus kFenceMarginMs after the sending
// of the last call that the daemon answered. Then the job is killed and the lease dropped: no two
// workers run one lease.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "runner/worker/protocol.h"

namespace runner::worker {

inline constexpr int64_t kFenceMarginMs = 8'000;
inline constexpr int64_t kBackoffFirstMs = 100, kBackoffMaxMs = 5'000;
inline constexpr uint32_t kAcquireWaitMs = 20'000;
// A stage that shows nothing for so long is the worker's own trouble; the children's limits are far
// below.
inline constexpr int64_t kStageGuardMs = 30 * 60 * 1000;
// A device on which no job starts is looked at again so often.
inline constexpr int64_t kProbeEveryMs = 30'000;
// Without a daemon the hint is repeated after so many tries.
inline constexpr int64_t kHintEvery = 20;

class Clock {
 public:
  virtual ~Clock() = default;
  virtual int64_t NowMs() = 0;  // monotonic
};

enum class Lane : uint8_t { kControl, kData };
inline constexpr int kLanes = 2;

class Link {
 public:
  virtual ~Link() = default;
  // At most one outstanding call a lane.
  virtual void Send(Lane lane, Call call) = 0;
  virtual std::optional<absl::StatusOr<Answer>> Poll(Lane lane) = 0;
};

// Runs jobs in a process of their own.
struct JobEvent {
  enum class Kind : uint8_t { kProgress, kResult, kDied };
  Kind kind = Kind::kProgress;
  std::string stage;
  int percent = 0;
  JobResult result;  // kResult, with its objects
  std::string receipt_json;
  std::string reason;  // kDied: how; also a job that the process refused
};
class Spawner {
 public:
  virtual ~Spawner() = default;
  virtual absl::Status Start(const Job& job) = 0;
  virtual std::optional<JobEvent> Poll() = 0;
  // Readable when Poll has something to say; -1: nothing to wait on.
  virtual int fd() const { return -1; }
  virtual void Kill() = 0;  // nothing of the job is left when it returns
  // Whether a job could be started now; why not.
  virtual absl::Status Probe() { return absl::OkStatus(); }
};

struct SupervisorOptions {
  std::string name;
  uint64_t incarnation = 0;
  DeviceInfo device;
  std::vector<std::string> capabilities;
  std::string version, sandbox_level;
  std::string target;                           // where the daemon should be, for people
  std::function<void(const std::string&)> log;  // one line an event worth telling; may be empty
};

class Supervisor {
 public:
  enum class State : uint8_t {
    kRegistering,
    kIdle,
    kFetching,
    kRunning,
    kUploading,
    kCompleting,
    kStopped
  };

  Supervisor(Clock& clock, Link& link, Spawner& spawner, const SupervisorOptions& options);

  // Does everything that can be done now. Returns the time of its next own act (at most a second
  // away).
  int64_t Step();
  // No further lease; ends in kStopped once the current one is done.
  void Drain() { draining_ = true; }

  // No further lease until Resume; the current one is finished.
  void Hold() { held_ = true; }
  // Held, and neither a lease nor an answer is waited for: the device is free for another look.
  bool resting() const { return held_ && state_ == State::kIdle && !lease_ && !waiting_[0]; }
  // Registers again with what the look found. `readmitted`: as a worker that was started again,
  // which gives a quarantined device another chance.
  void Resume(const std::map<std::string, double>& noise, bool readmitted);
  bool quarantined() const { return quarantined_; }
  // Jobs whose times could not be true or could not be taken: the device may have drifted.
  int64_t measurement_faults() const { return measurement_faults_; }

  State state() const { return state_; }
  bool holds_lease() const { return lease_.has_value(); }
  int64_t leases_completed() const { return completed_; }
  int64_t leases_fenced() const { return fenced_; }

 private:
  void StepControl(int64_t now);
  void StepData(int64_t now);
  void StepJob(int64_t now);
  void Fence(int64_t now);
  void SendControl(int64_t now, Call call);
  void SendData(Call call);
  void OnControl(int64_t now, const absl::StatusOr<Answer>& answer);
  void OnData(int64_t now, absl::StatusOr<Answer> answer);
  void Begin(int64_t now, const AcquireAnswer& answer);
  void Heed(Desired desired);
  void TellOfNoDaemon(const absl::Status& status);
  bool IsIll(int64_t now);
  void StartJob(int64_t now);
  void FinishJob(JobResult result, std::string receipt);
  void NextData();
  void DropLease();
  void Log(const std::string& line) const {
    if (options_.log) options_.log(line);
  }
  void Fail(contract::Verdict verdict, const std::string& why);
  CompleteCall CompletionOf() const;

  Clock& clock_;
  Link& link_;
  Spawner& spawner_;
  SupervisorOptions options_;
  State state_ = State::kRegistering;
  bool draining_ = false, quarantined_ = false, held_ = false;

  bool waiting_[kLanes] = {false, false};
  uint64_t data_epoch_ = 0, waiting_epoch_ = 0;  // an answer for an older lease is dropped
  int64_t sent_ms_ = 0;                          // of the outstanding control call
  int64_t retry_at_ms_ = 0, backoff_ms_ = kBackoffFirstMs;
  int64_t data_retry_at_ms_ = 0, data_backoff_ms_ = kBackoffFirstMs;
  int64_t report_every_ms_ = 5000, ttl_ms_ = 30'000;

  std::optional<Lease> lease_;
  int64_t confirmed_ms_ = 0;  // sending time of the last answered call
  int64_t report_at_ms_ = 0, stage_since_ms_ = 0;
  std::string stage_, worker_;
  int percent_ = 0;
  std::deque<std::string> fetches_;
  std::map<std::string, std::string> fetched_;
  std::deque<PutCall> puts_;
  std::optional<JobResult> result_;
  std::string receipt_;
  std::string ill_;  // why no job starts on the device; "" : one does
  int64_t probe_at_ms_ = 0, unanswered_ = 0;
  int64_t completed_ = 0, fenced_ = 0, measurement_faults_ = 0;
};

// A job of a spec and its fetched objects. InvalidArgument: they do not make one.
absl::StatusOr<Job> JobOf(const Lease& lease, const std::map<std::string, std::string>& objects);

}  // namespace runner::worker
