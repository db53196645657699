#include "runner/worker/supervisor.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "runner/contract/hash.h"

namespace runner::worker {
namespace {

using contract::Verdict;

constexpr int64_t kStepMaxMs = 1000;

// Errors after which asking again can help.
bool IsTransient(const absl::Status& status) {
  return status.code() == absl::StatusCode::kUnavailable ||
         status.code() == absl::StatusCode::kDeadlineExceeded ||
         status.code() == absl::StatusCode::kResourceExhausted ||
         status.code() == absl::StatusCode::kCancelled;
}

void Back(int64_t now, int64_t& backoff_ms, int64_t& retry_at_ms) {
  retry_at_ms = now + backoff_ms;
  backoff_ms = std::min(2 * backoff_ms, kBackoffMaxMs);
}

}  // namespace

Supervisor::Supervisor(Clock& clock, Link& link, Spawner& spawner, const SupervisorOptions& options)
    : clock_(clock), link_(link), spawner_(spawner), options_(options), worker_(options.name) {}

int64_t Supervisor::Step() {
  const int64_t now = clock_.NowMs();
  Fence(now);
  StepControl(now);
  StepJob(now);
  StepData(now);
  if (draining_ && !lease_ && state_ == State::kIdle) state_ = State::kStopped;
  int64_t next = now + kStepMaxMs;
  if (!waiting_[0] && retry_at_ms_ > now) next = std::min(next, retry_at_ms_);
  if (lease_ && !waiting_[0]) next = std::min(next, std::max(now, report_at_ms_));
  if (lease_) next = std::min(next, confirmed_ms_ + ttl_ms_ - kFenceMarginMs);
  if (!waiting_[1] && data_retry_at_ms_ > now) next = std::min(next, data_retry_at_ms_);
  return std::max(now, next);
}

void Supervisor::Fence(int64_t now) {
  if (!lease_ || now < confirmed_ms_ + ttl_ms_ - kFenceMarginMs) return;
  ++fenced_;
  Log(absl::StrCat("lease ", lease_->id, ": no answer in time, dropped"));
  DropLease();
}

void Supervisor::SendControl(int64_t now, Call call) {
  waiting_[0] = true;
  sent_ms_ = now;
  link_.Send(Lane::kControl, std::move(call));
}

void Supervisor::SendData(Call call) {
  waiting_[1] = true;
  waiting_epoch_ = data_epoch_;
  link_.Send(Lane::kData, std::move(call));
}

void Supervisor::StepControl(int64_t now) {
  if (waiting_[0]) {
    auto answer = link_.Poll(Lane::kControl);
    if (!answer) return;
    waiting_[0] = false;
    OnControl(now, *answer);
  }
  if (waiting_[0] || now < retry_at_ms_) return;
  if (state_ == State::kRegistering) {
    if (draining_) {
      state_ = State::kStopped;
      return;
    }
    return SendControl(
        now, RegisterCall{options_.name, options_.incarnation, options_.device,
                          options_.capabilities, options_.version, options_.sandbox_level});
  }
  if (lease_) {
    if (now < report_at_ms_) return;
    return SendControl(now, ReportCall{.worker = worker_,
                                       .incarnation = options_.incarnation,
                                       .holds = true,
                                       .lease = lease_->id,
                                       .stage = stage_,
                                       .token = lease_->token,
                                       .percent = percent_,
                                       .healthy = ill_.empty(),
                                       .health_reason = ill_});
  }
  if (state_ != State::kIdle || draining_ || held_) return;
  if (IsIll(now) || quarantined_) {
    // Nothing is asked for; reports go on, so that the daemon can lift it.
    if (now < report_at_ms_) return;
    return SendControl(now, ReportCall{.worker = worker_,
                                       .incarnation = options_.incarnation,
                                       .healthy = ill_.empty(),
                                       .health_reason = ill_});
  }
  SendControl(now, AcquireCall{worker_, options_.incarnation, kAcquireWaitMs});
}

void Supervisor::Resume(const std::map<std::string, double>& noise, bool readmitted) {
  held_ = false;
  if (!noise.empty()) options_.device.noise = noise;
  if (readmitted) {
    ++options_.incarnation;
    quarantined_ = false;
  }
  state_ = State::kRegistering;
}

bool Supervisor::IsIll(int64_t now) {
  if (ill_.empty() || now < probe_at_ms_) return !ill_.empty();
  probe_at_ms_ = now + kProbeEveryMs;
  const absl::Status status = spawner_.Probe();
  ill_ = std::string(status.message());
  if (status.ok()) report_at_ms_ = now;  // the daemon is told at once
  return !ill_.empty();
}

// A worker may be started before its daemon, so it goes on trying; a person should know that.
void Supervisor::TellOfNoDaemon(const absl::Status& status) {
  if (unanswered_++ % kHintEvery != 0) return;
  Log(absl::StrCat("no daemon answers at ", options_.target, " (", std::string(status.message()),
                   "); start one with `caked` or deploy/quickstart.sh, or give --connect the "
                   "address in its address.json; trying on"));
}

void Supervisor::OnControl(int64_t now, const absl::StatusOr<Answer>& answer) {
  if (!answer.ok()) {
    Back(now, backoff_ms_, retry_at_ms_);
    if (state_ == State::kRegistering && absl::IsUnavailable(answer.status())) {
      TellOfNoDaemon(answer.status());
    } else {
      Log(absl::StrCat("the daemon does not answer as asked: ",
                       std::string(answer.status().message())));
    }
    // The daemon does not know us (another data folder, another incarnation): start again. What we
    // hold is void.
    if (!IsTransient(answer.status()) && state_ != State::kRegistering) {
      DropLease();
      state_ = State::kRegistering;
    }
    return;
  }
  backoff_ms_ = kBackoffFirstMs;
  retry_at_ms_ = 0;
  unanswered_ = 0;
  WorkerDesired desired = quarantined_ ? WorkerDesired::kQuarantine : WorkerDesired::kServe;
  if (const auto* registered = std::get_if<RegisterAnswer>(&*answer)) {
    if (!registered->worker.empty()) worker_ = registered->worker;
    Log(absl::StrCat("registered as ", worker_));
    report_every_ms_ = registered->report_every_ms;
    ttl_ms_ = registered->lease_ttl_ms;
    state_ = State::kIdle;
  } else if (const auto* acquired = std::get_if<AcquireAnswer>(&*answer)) {
    desired = acquired->desired;
    if (acquired->granted) Begin(now, *acquired);
  } else if (const auto* reported = std::get_if<ReportAnswer>(&*answer)) {
    desired = reported->worker;
    report_at_ms_ = sent_ms_ + report_every_ms_;
    if (lease_) {
      confirmed_ms_ = sent_ms_;
      Heed(reported->desired);
    }
  }
  quarantined_ = desired == WorkerDesired::kQuarantine;
  draining_ = draining_ || desired == WorkerDesired::kDrain || desired == WorkerDesired::kUpgrade;
}

void Supervisor::Begin(int64_t now, const AcquireAnswer& answer) {
  lease_ = answer.lease;
  if (lease_->ttl_ms > 0) ttl_ms_ = lease_->ttl_ms;
  // The grant happened at some moment of a long poll; its answer is the first proof of life, and
  // the daemon has sent it no earlier than it granted. From here on the sending time of our own
  // calls counts.
  confirmed_ms_ = now;
  report_at_ms_ = now;
  stage_ = "QUEUE";
  percent_ = 0;
  stage_since_ms_ = now;
  state_ = State::kFetching;
  ++data_epoch_;
  fetched_.clear();
  fetches_.clear();
  puts_.clear();
  const JobSpec& spec = lease_->spec;
  std::vector<std::string> wanted = {spec.canonical_ir, spec.contract, spec.baseline,
                                     spec.incumbent};
  if (spec.canonical_ir.empty()) wanted = {spec.contract, spec.cuda, spec.baseline, spec.incumbent};
  for (const std::string& hash : wanted) {
    // A candidate may be its own baseline: one object then.
    const bool known = std::find(fetches_.begin(), fetches_.end(), hash) != fetches_.end();
    if (!hash.empty() && !known) fetches_.push_back(hash);
  }
}

void Supervisor::Heed(Desired desired) {
  if (desired == Desired::kContinue) return;
  // The daemon closes the lease when it takes the result, and may say so here before Complete is
  // answered.
  if (state_ == State::kCompleting) return;
  Log(absl::StrCat("lease ", lease_->id,
                   desired == Desired::kCancel ? " is cancelled" : " is lost"));
  if (desired == Desired::kLost || state_ == State::kCompleting || state_ == State::kUploading)
    return DropLease();
  spawner_.Kill();
  Fail(Verdict::kCancelled, "cancelled by the daemon");
}

void Supervisor::DropLease() {
  if (!lease_) return;
  if (state_ == State::kRunning) spawner_.Kill();
  lease_.reset();
  result_.reset();
  fetches_.clear();
  puts_.clear();
  ++data_epoch_;
  state_ = State::kIdle;
}

void Supervisor::Fail(Verdict verdict, const std::string& why) {
  JobResult result{.job = lease_->job,
                   .detail = why,
                   .verdict = verdict,
                   .blame = contract::DefaultBlame(verdict)};
  result.checks.push_back({"shape_cases", oracle::Outcome::kNotRun, why});
  FinishJob(std::move(result), "");
}

void Supervisor::StepJob(int64_t now) {
  if (state_ != State::kRunning) return;
  while (auto event = spawner_.Poll()) {
    if (event->kind == JobEvent::Kind::kProgress) {
      if (event->stage != stage_ || event->percent != percent_) stage_since_ms_ = now;
      stage_ = event->stage;
      percent_ = event->percent;
      continue;
    }
    if (event->kind == JobEvent::Kind::kDied) return Fail(Verdict::kInfraDevice, event->reason);
    return FinishJob(std::move(event->result), std::move(event->receipt_json));
  }
  if (now - stage_since_ms_ < kStageGuardMs) return;
  spawner_.Kill();
  Fail(Verdict::kInfraDevice,
       absl::StrCat("stage ", stage_, " showed nothing for ", kStageGuardMs / 1000, " s"));
}

void Supervisor::FinishJob(JobResult result, std::string receipt) {
  puts_.clear();
  for (const auto& [kind, bytes] : result.objects) {
    if (bytes.empty()) continue;
    puts_.push_back({contract::Sha256Hex(bytes), kind, bytes, lease_->id, lease_->token});
  }
  measurement_faults_ +=
      result.verdict == Verdict::kMeasurementFault || result.verdict == Verdict::kImpossibleSpeed;
  result_ = std::move(result);
  receipt_ = std::move(receipt);
  state_ = State::kUploading;
  ++data_epoch_;  // a fetch that is still outstanding is no longer waited for
  stage_since_ms_ = clock_.NowMs();
  data_retry_at_ms_ = 0;
}

CompleteCall Supervisor::CompletionOf() const {
  CompleteCall call{.worker = worker_,
                    .lease = lease_->id,
                    .job = lease_->job,
                    .incarnation = options_.incarnation,
                    .token = lease_->token,
                    .result = *result_,
                    .receipt_json = receipt_,
                    .incumbent_id = lease_->spec.incumbent_id};
  for (const auto& [kind, bytes] : result_->objects) {
    if (!bytes.empty()) call.objects.push_back(contract::Sha256Hex(bytes));
  }
  return call;
}

void Supervisor::NextData() {
  if (state_ == State::kFetching) {
    if (!fetches_.empty()) return SendData(GetCall{fetches_.front()});
    return StartJob(clock_.NowMs());
  }
  if (state_ == State::kUploading) {
    if (!puts_.empty()) return SendData(puts_.front());
    state_ = State::kCompleting;
  }
  if (state_ == State::kCompleting) SendData(CompletionOf());
}

void Supervisor::StepData(int64_t now) {
  if (waiting_[1]) {
    auto answer = link_.Poll(Lane::kData);
    if (!answer) return;
    waiting_[1] = false;
    if (waiting_epoch_ == data_epoch_ && lease_) OnData(now, *std::move(answer));
  }
  if (!waiting_[1] && lease_ && now >= data_retry_at_ms_) NextData();
}

void Supervisor::OnData(int64_t now, absl::StatusOr<Answer> answer) {
  if (!answer.ok() && IsTransient(answer.status()))
    return Back(now, data_backoff_ms_, data_retry_at_ms_);
  data_backoff_ms_ = kBackoffFirstMs;
  data_retry_at_ms_ = 0;
  if (state_ == State::kFetching) {
    const auto* got = answer.ok() ? std::get_if<GetAnswer>(&*answer) : nullptr;
    const std::string hash = fetches_.front();
    if (got == nullptr || contract::Sha256Hex(got->bytes) != hash) {
      return Fail(Verdict::kInfraWorkerLost,
                  absl::StrCat("object ", hash, ": ",
                               answer.ok() ? "its bytes are others"
                                           : std::string(answer.status().message())));
    }
    fetched_[hash] = got->bytes;
    fetches_.pop_front();
    return;
  }
  if (state_ == State::kUploading) {
    // An object that the daemon refuses is missing evidence, not a reason to lose the result.
    if (!answer.ok())
      Log(absl::StrCat("object ", puts_.front().hash,
                       " is refused: ", std::string(answer.status().message())));
    puts_.pop_front();
    return;
  }
  if (state_ != State::kCompleting) return;
  if (answer.ok()) ++completed_;
  Log(absl::StrCat(
      "lease ", lease_->id, ", job ", lease_->job, ": ",
      std::string(contract::ToString(result_->verdict)),
      answer.ok() ? "" : absl::StrCat(", refused: ", std::string(answer.status().message()))));
  DropLease();  // answered, or told that the lease is somebody else's
}

void Supervisor::StartJob(int64_t now) {
  auto job = JobOf(*lease_, fetched_);
  if (!job.ok()) return Fail(Verdict::kInfraToolchain, std::string(job.status().message()));
  if (auto status = spawner_.Start(*job); !status.ok()) {
    ill_ = std::string(status.message());
    probe_at_ms_ = now + kProbeEveryMs;
    return Fail(Verdict::kInfraDevice, ill_);
  }
  ill_.clear();
  state_ = State::kRunning;
  stage_ = "COMPILE";
  stage_since_ms_ = now;
}

namespace {

absl::StatusOr<std::map<std::string, int64_t>> BindingOf(
    const std::map<std::string, std::string>& texts) {
  std::map<std::string, int64_t> out;
  for (const auto& [name, text] : texts) {
    char* end = nullptr;
    const int64_t value = std::strtoll(text.c_str(), &end, 10);
    if (text.empty() || *end != '\0')
      return absl::InvalidArgumentError(absl::StrCat("binding of ", name, ": ", text));
    out[name] = value;
  }
  return out;
}

// The contract's own baseline where it is no program.
void TakeBaselineOf(const contract::Workload& workload, Job& job) {
  if (workload.baseline == contract::kCublasLtBaseline)
    job.baseline_library = workload.baseline;
  else if (workload.baseline == contract::kCommandBaseline)
    job.baseline_command = workload.baseline_command;
}

}  // namespace

absl::StatusOr<Job> JobOf(const Lease& lease, const std::map<std::string, std::string>& objects) {
  const JobSpec& spec = lease.spec;
  Job job{.id = lease.job, .purpose = spec.purpose};
  job.jitter = AsksForDelays(spec.purpose);
  job.evidence = EvidenceOf(spec.purpose);
  job.hidden_sizes = HiddenSizesOf(spec.purpose);
  const auto object = [&](const std::string& hash) {
    const auto found = objects.find(hash);
    return found == objects.end() ? std::string() : found->second;
  };
  auto workload = contract::FromJson(object(spec.contract));
  if (!workload.ok()) return workload.status();
  job.workload = *std::move(workload);
  if (!spec.contract_hash.empty() && contract::Hash(job.workload) != spec.contract_hash) {
    return absl::InvalidArgumentError("the contract's hash is not the job's");
  }
  job.program = {
      .source = object(spec.canonical_ir), .file = spec.candidate + ".cake", .arch = spec.arch};
  auto binding = BindingOf(spec.binding);
  if (!binding.ok()) return binding.status();
  job.program.binding = *std::move(binding);
  if (spec.canonical_ir.empty()) {
    job.direct_cuda = object(spec.cuda);
  }
  if (!spec.baseline.empty()) {
    job.baseline = launch::ProgramText{
        .source = object(spec.baseline), .file = "baseline.cake", .arch = spec.arch};
  } else {
    TakeBaselineOf(job.workload, job);
  }
  if (!spec.incumbent.empty()) {
    auto bound = BindingOf(spec.incumbent_binding);
    if (!bound.ok()) return bound.status();
    job.incumbent = launch::ProgramText{.source = object(spec.incumbent),
                                        .file = "incumbent.cake",
                                        .binding = *std::move(bound),
                                        .arch = spec.arch};
  }
  job.program_id = spec.program_id;
  job.cases = spec.cases;
  job.protocol = spec.protocol;
  job.seed = spec.seed;
  job.seeds_commit = spec.seeds_commit;
  job.fresh_child = spec.fresh_child;
  job.attempts = 1;  // the daemon grants a second attempt, elsewhere if it can
  for (const StageLimit& limit : lease.limits) {
    if (limit.stage == "COMPILE" && limit.cpu_ns > 0)
      job.limits.compile_cpu_s =
          std::clamp<int64_t>(limit.cpu_ns / 1'000'000'000, 1, kCompileCpuSecondsMax);
  }
  return job;
}

}  // namespace runner::worker
