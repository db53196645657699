// From what a worker saw to what is recorded: verdict, blame, charge, best, findings.
#include <algorithm>
#include <set>

#include "absl/strings/str_cat.h"
#include "runner/contract/kernel_class.h"
#include "runner/contract/verdict.h"
#include "server/core/leasing.h"
#include "server/loop/plan.h"
#include "server/routing/route.h"

namespace server::core {
namespace {

using store::Blame;
using store::JobState;
using store::Verdict;

constexpr size_t kPoisonDevices = 2;
constexpr int64_t kPoisonLosses = 3;
constexpr int64_t kPoisonLossesMax = 6;
constexpr int64_t kQuarantineFaults = 3;  // jobs lost on a device, none in between ended well
constexpr std::string_view kEvaluations = "evaluations";

// What a worker can say. The rest is decided here.
bool IsWorkerVerdict(Verdict verdict) {
  switch (verdict) {
    case Verdict::kPending:
    case Verdict::kDuplicate:
    case Verdict::kRankedOut:
    case Verdict::kImproved:
    case Verdict::kConfirmed:
    case Verdict::kInfraPoisonJob: return false;
    default: return !store::IsReject(verdict);
  }
}

bool IsInfra(Verdict verdict) {
  return verdict == Verdict::kInfraWorkerLost || verdict == Verdict::kInfraDevice ||
         verdict == Verdict::kInfraToolchain || verdict == Verdict::kMeasurementFault;
}

bool NeedsSecondAttempt(Verdict verdict) {
  const auto word = runner::contract::ParseVerdict(store::ToString(verdict));
  return word && runner::contract::NeedsSecondAttempt(*word);
}

bool IsFailure(Verdict verdict) {
  return store::VerdictRank(verdict) < store::VerdictRank(Verdict::kCorrect) &&
         verdict != Verdict::kCancelled;
}

routing::Machine MachineOf(const std::string& word) {
  if (word == "right") return routing::Machine::kRight;
  if (word == "wrong") return routing::Machine::kWrong;
  return routing::Machine::kNotRun;
}

class Maker {
 public:
  Maker(const state::State& state, const state::Job& job, const CompleteRequest& request)
      : state_(state),
        job_(job),
        request_(request),
        run_(state.runs.at(job.run)),
        variant_(state.variants.at(job.variant)),
        candidate_(state.candidates.at(variant_.candidate)) {}

  Outcome Make(std::string_view member_report, int64_t now_us, int64_t backoff_us) {
    out_.batch.ends_held_work = true;
    AddClocks();
    const Verdict verdict = request_.verdict;
    // A table gives the same answer each time it is asked: what it has not, it will not have.
    const bool replayed = IsReplayed(job_);
    const bool again =
        !replayed && NeedsSecondAttempt(verdict) && job_.attempts - job_.infra_losses < 2;
    const bool lost = IsInfra(verdict) && !(replayed && verdict == Verdict::kMeasurementFault);
    if (verdict == Verdict::kCancelled || lost || again) {
      const std::string_view reason = again                            ? "RETRY"
                                      : verdict == Verdict::kCancelled ? "RELEASED"
                                                                       : "DEVICE";
      const int64_t not_before = lost ? now_us + backoff_us : 0;
      for (auto& event : LostEvents(state_, job_, reason, !again, not_before)) {
        out_.batch.events.push_back(std::move(event));
      }
      out_.reply = {verdict, again ? Blame::kUnset : Blame::kInfra, false, 0};
      return std::move(out_);
    }
    AddEvaluation(member_report);
    return std::move(out_);
  }

 private:
  void AddClocks() {
    std::set<store::Stage> seen;
    for (const StageClock& clock : request_.clocks) {
      if (!seen.insert(clock.stage).second) continue;
      out_.batch.events.push_back(store::StageEnded{.job = job_.id,
                                                    .fencing_token = request_.fencing_token,
                                                    .stage = clock.stage,
                                                    .wall_ns = clock.wall_ns,
                                                    .cpu_ns = clock.cpu_ns,
                                                    .limit_ns = clock.limit_ns,
                                                    .end = clock.end});
    }
  }

  routing::Route Judge(std::string_view member_report) const {
    routing::Evidence evidence;
    evidence.gates =
        candidate_.IsDirect() ? routing::Gates::kNone : routing::Gates::kPassed;
    evidence.machine = MachineOf(request_.machine);
    const state::Device* device = DeviceOf();
    evidence.on_machine = device == nullptr || device->arch.empty();
    evidence.proved = routing::IsProved(member_report, routing::PropertyOf(request_.verdict));
    evidence.varies = request_.varies;
    evidence.audit = job_.purpose == store::Purpose::kAudit;
    evidence.verdict = request_.verdict;
    return routing::RouteOf(evidence);
  }

  const state::Device* DeviceOf() const {
    const auto lease = state_.leases.find(job_.lease);
    if (lease == state_.leases.end()) return nullptr;
    const auto device = state_.devices.find(lease->second.device);
    return device == state_.devices.end() ? nullptr : &device->second;
  }

  // IMPROVED and CONFIRMED need a measured ratio whose lower end beats the best so far by more than
  // the device's noise.
  Verdict WithRatio(Verdict verdict) const {
    if (verdict != Verdict::kCorrect || !store::HasRatios(run_.objective) ||
        request_.ratio_low <= 0) {
      return verdict;
    }
    const state::Device* device = DeviceOf();
    const auto kernel_class = runner::contract::KernelClassOf(request_.time_ns);
    const double floor = 1 + (device ? device->NoiseFloor(kernel_class) : 0);
    if (job_.purpose == store::Purpose::kConfirm) {
      const double bar = run_.best_confirmed > 0 ? run_.best_confirmed : 1;
      return request_.ratio_low > bar * floor ? Verdict::kConfirmed : verdict;
    }
    const double bar = run_.best ? run_.best->score : 1;
    return request_.ratio_low > bar * floor ? Verdict::kImproved : verdict;
  }

  bool OracleCompleted() const {
    return std::any_of(request_.clocks.begin(), request_.clocks.end(), [](const auto& clock) {
      return clock.stage == store::Stage::kOracle && clock.end == store::StageEnd::kOk;
    });
  }

  void AddEvaluation(std::string_view member_report) {
    const routing::Route route = Judge(member_report);
    store::EvaluationDone done{.job = job_.id, .fencing_token = request_.fencing_token};
    done.verdict = WithRatio(route.verdict);
    done.blame = route.blame;
    done.contract_hash = run_.contract_hash;
    done.replayed = IsReplayed(job_);
    if (const state::Device* device = DeviceOf()) {
      done.device = device->id;
      if (request_.time_ns > 0) {
        done.source = done.replayed       ? store::ScoreSource::kReplay
                      : device->simulated ? store::ScoreSource::kSimulated
                                          : store::ScoreSource::kMeasured;
      }
    }
    done.oracle_completed = OracleCompleted();
    if (store::HasRatios(done.source)) {
      done.ratio_med = request_.ratio_med;
      done.ratio_low = request_.ratio_low;
      done.ratio_high = request_.ratio_high;
      done.time_ns = request_.time_ns;
    }
    KeepObject(store::ObjectKind::kReceipt, request_.receipt_json, done.receipt_hash);
    KeepObject(store::ObjectKind::kReport, request_.report_json, done.report_hash);
    done.samples_hash = request_.samples;
    done.checks = request_.checks;
    const std::string fingerprint = AddDiagnostics(done);
    out_.reply = {done.verdict, done.blame, true, 0};
    const bool charged =
        done.oracle_completed && (done.blame == Blame::kCandidate || done.blame == Blame::kNone);
    out_.batch.events.push_back(done);
    AddBudget(charged);
    if (auto elite = loop::EliteAfter(state_, run_, variant_, done.verdict, done.ratio_low)) {
      out_.batch.events.push_back(*elite);
    }
    if (IsFailure(done.verdict) && !fingerprint.empty()) {
      if (auto finding = routing::FindingAfter(state_, fingerprint, candidate_.id, route)) {
        out_.batch.events.push_back(*finding);
      }
    }
  }

  void KeepObject(store::ObjectKind kind, const std::string& bytes, store::ObjectHash& hash) {
    if (bytes.empty()) return;
    hash = store::HashOf(bytes);
    out_.batch.objects.push_back({kind, bytes});
  }

  // One row a diagnostic; a failure without one gets a row of its verdict and its first failed
  // check. Returns the fingerprint of the failure.
  std::string AddDiagnostics(store::EvaluationDone& done) {
    std::string first;
    for (const WorkerDiagnostic& d : request_.diagnostics) {
      store::DiagnosticRef ref{.variant = variant_.id,
                               .code = d.code,
                               .category = d.category,
                               .severity = d.severity,
                               .span_begin = d.span_begin,
                               .span_end = d.span_end,
                               .message = d.message,
                               .body_hash = done.report_hash};
      ref.fingerprint = routing::FailureFingerprint("RUN", done.verdict, d.code, d.role);
      if (first.empty() && d.severity == "error") first = ref.fingerprint;
      done.diagnostics.push_back(std::move(ref));
    }
    if (!first.empty() || !IsFailure(done.verdict)) return first;
    store::DiagnosticRef ref{.variant = variant_.id, .category = "run", .severity = "error"};
    ref.code = std::string(store::ToString(done.verdict));
    for (const store::CheckOutcome& check : request_.checks) {
      if (check.outcome != "FAIL") continue;
      ref.message = absl::StrCat(check.name, ": ", check.detail);
      break;
    }
    ref.fingerprint = routing::FailureFingerprint("RUN", done.verdict, ref.code, "");
    done.diagnostics.push_back(ref);
    return ref.fingerprint;
  }

  void AddBudget(bool charged) {
    if (!job_.charged_reservation) return;
    const std::string kind(kEvaluations);
    if (charged) {
      out_.batch.events.push_back(store::BudgetSettled{
          .run = run_.id, .kind = kind, .reserved = 1, .spent = 1, .job = job_.id});
    } else {
      out_.batch.events.push_back(
          store::BudgetRefunded{.run = run_.id, .kind = kind, .amount = 1, .job = job_.id});
    }
  }

  const state::State& state_;
  const state::Job& job_;
  const CompleteRequest& request_;
  const state::Run& run_;
  const state::Variant& variant_;
  const state::Candidate& candidate_;
  Outcome out_;
};

}  // namespace

namespace {

// The device of a lease that is lost now, when that makes one loss too many in a row; else null.
const state::Device* DeviceToQuarantine(const state::State& state, const state::Lease& lease,
                                        std::string_view reason, bool infra) {
  const auto device = state.devices.find(lease.device);
  if (!infra || state::WasGivenBack(reason) || device == state.devices.end()) return nullptr;
  const bool ill =
      device->second.state == "HEALTHY" && device->second.faults + 1 >= kQuarantineFaults;
  return ill ? &device->second : nullptr;
}

}  // namespace

store::DeviceState DeviceEvent(const state::Device& device, std::string_view state,
                               std::string reason) {
  return store::DeviceState{.device = device.id,
                            .uuid = device.uuid,
                            .name = device.name,
                            .arch = device.arch,
                            .driver = device.driver,
                            .state = std::string(state),
                            .simulated = device.simulated,
                            .reason = std::move(reason)};
}

std::vector<store::EventBody> LostEvents(const state::State& state, const state::Job& job,
                                         std::string_view reason, bool infra,
                                         int64_t not_before_us) {
  std::vector<store::EventBody> events;
  const state::Lease& lease = state.leases.at(job.lease);
  std::set<int64_t> devices = job.lost_devices;
  devices.insert(lease.device != 0 ? lease.device : -lease.worker);
  const state::Device* ill = DeviceToQuarantine(state, lease, reason, infra);
  const int64_t losses = job.infra_losses + 1;
  const bool poison = infra && (devices.size() >= kPoisonDevices || losses >= kPoisonLossesMax ||
                                (losses == kPoisonLosses && ill == nullptr));
  events.push_back(store::LeaseLost{.job = job.id,
                                    .fencing_token = job.fencing_token,
                                    .reason = std::string(reason),
                                    .infra = infra,
                                    .then = poison ? JobState::kPoisoned : JobState::kQueued,
                                    .not_before_us = not_before_us});
  if (job.charged_reservation) {
    events.push_back(store::BudgetRefunded{
        .run = job.run, .kind = std::string(kEvaluations), .amount = 1, .job = job.id});
  }
  if (ill != nullptr) {
    events.push_back(DeviceEvent(
        *ill, "QUARANTINED",
        absl::StrCat(kQuarantineFaults,
                     " jobs in a row were lost on it, the last one: ", std::string(reason))));
  }
  if (!poison) return events;
  events.push_back(store::EvaluationDone{.job = job.id,
                                         .verdict = Verdict::kInfraPoisonJob,
                                         .blame = Blame::kInfra,
                                         .contract_hash = state.runs.at(job.run).contract_hash});
  const routing::Route route{Verdict::kInfraPoisonJob, Blame::kInfra, "worker",
                             "a job lost every worker that ran it", true};
  const std::string fingerprint = routing::FailureFingerprint(
      "LEASE", Verdict::kInfraPoisonJob, std::string(reason), absl::StrCat(job.id));
  if (auto finding = routing::FindingAfter(state, fingerprint,
                                           state.variants.at(job.variant).candidate, route)) {
    events.push_back(*finding);
  }
  return events;
}

absl::StatusOr<Outcome> OutcomeOf(const state::State& state, const state::Job& job,
                                  const CompleteRequest& request,
                                  std::string_view member_report_json, int64_t now_us,
                                  int64_t backoff_us) {
  if (!IsWorkerVerdict(request.verdict)) {
    return state::BadField("verdict", "is none that a worker can say");
  }
  if (request.receipt_json.empty() && !IsInfra(request.verdict) &&
      request.verdict != Verdict::kCancelled) {
    return state::BadField("receipt_json", "a result needs a receipt");
  }
  return Maker(state, job, request).Make(member_report_json, now_us, backoff_us);
}

}  // namespace server::core
