// From what a worker saw to what is recorded: verdict, blame, charge, best, findings.
#include <algorithm>
#include <set>

#include "absl/strings/str_cat.h"
#include "runner/contract/kernel_class.h"
#include "runner/contract/verdict.h"
#include "server/core/budgets.h"
#include "server/core/job_spec.h"
#include "server/core/leasing.h"
#include "server/core/reducing.h"
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
  Maker(const state::State& state, const state::Job& job, const CompleteRequest& request,
        const KnownOfJob& known)
      : state_(state),
        job_(job),
        request_(request),
        known_(known),
        run_(state.runs.at(job.run)),
        variant_(state.variants.at(job.variant)),
        candidate_(state.candidates.at(variant_.candidate)) {}

  Outcome Make() {
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
      const int64_t not_before = lost ? known_.now_us + known_.backoff_us : 0;
      for (auto& event : LostEvents(state_, job_, reason, !again, not_before, Said())) {
        out_.batch.events.push_back(std::move(event));
      }
      out_.reply = {verdict, again ? Blame::kUnset : Blame::kInfra, false, 0};
      return std::move(out_);
    }
    AddEvaluation();
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

  // Of an attempt that is lost, by the first check that failed.
  std::string Said() const {
    constexpr size_t kBytesMax = 1000;
    std::string said(store::ToString(request_.verdict));
    for (const store::CheckOutcome& check : request_.checks) {
      if (check.outcome != "FAIL") continue;
      absl::StrAppend(&said, ": ", check.detail.substr(0, kBytesMax));
      break;
    }
    return said;
  }

  routing::Route Judge() const {
    routing::Evidence evidence;
    evidence.gates = candidate_.IsDirect() ? routing::Gates::kNone
                     : variant_.audit      ? routing::Gates::kRejected
                                           : routing::Gates::kPassed;
    evidence.machine = MachineOf(request_.machine);
    const state::Device* device = DeviceOf();
    evidence.on_machine = device == nullptr || device->arch.empty();
    const std::string_view property = routing::PropertyOf(request_.verdict);
    evidence.proved = routing::IsProved(known_.member_report_json, property) &&
                      !routing::IsDistrusted(state_, property);
    // Right once and wrong when looked at again is a result that varies.
    const bool was_right =
        store::VerdictRank(variant_.verdict) >= store::VerdictRank(Verdict::kCorrect);
    evidence.varies = request_.varies || (job_.purpose == store::Purpose::kRecheck && was_right &&
                                          IsFailure(request_.verdict));
    evidence.audit = job_.purpose == store::Purpose::kAudit;
    evidence.device_suspect = Failed("a_a") || Failed("clocks_agree");
    evidence.over_limit = std::any_of(
        request_.diagnostics.begin(), request_.diagnostics.end(), [](const WorkerDiagnostic& d) {
          return d.severity == "error" && (d.category == "hardware" || d.category == "limit");
        });
    evidence.verdict = request_.verdict;
    AddWhatItTeaches(evidence);
    return routing::RouteOf(evidence);
  }

  bool Failed(std::string_view check) const {
    return std::any_of(request_.checks.begin(), request_.checks.end(),
                       [&](const auto& one) { return one.name == check && one.outcome == "FAIL"; });
  }

  // Of a right program that was timed: prediction, profile and tactic against what was measured.
  void AddWhatItTeaches(routing::Evidence& evidence) const {
    if (request_.time_ns <= 0 || !store::HasRatios(run_.objective)) return;
    evidence.mispredicted =
        routing::Mispredicted(request_.time_ns, variant_.PredictedNs(), variant_.Spread()) ||
        InvertsTheTopThree();
    const auto profiled = request_.build_facts.find("profile.bottleneck");
    evidence.misattributed = profiled != request_.build_facts.end() &&
                             !variant_.bottleneck.empty() &&
                             profiled->second != variant_.bottleneck;
    const auto parent = state_.variants.find(candidate_.parent_variant);
    evidence.advised = !candidate_.tactic.empty() && parent != state_.variants.end();
    evidence.gained = evidence.advised && request_.ratio_low > parent->second.ratio_low;
  }

  // Whether the three best predictions of the run, this one among them, were measured in the
  // opposite order.
  bool InvertsTheTopThree() const {
    std::vector<std::pair<double, double>> rows;  // predicted, measured
    for (const int64_t id : run_.candidates) {
      for (const int64_t v : state_.candidates.at(id).variants) {
        const state::Variant& variant = state_.variants.at(v);
        const double measured = v == variant_.id ? request_.time_ns : variant.time_ns;
        if (measured > 0 && variant.PredictedNs() > 0) {
          rows.emplace_back(variant.PredictedNs(), measured);
        }
      }
    }
    if (rows.size() < 3 || variant_.PredictedNs() <= 0) return false;
    std::sort(rows.begin(), rows.end());
    return variant_.PredictedNs() <= rows[2].first && rows[0].second > rows[1].second &&
           rows[1].second > rows[2].second;
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
    if (TimedAgainstBest())
      return request_.incumbent_ratio_low > floor ? Verdict::kImproved : verdict;
    const double bar = run_.best ? run_.best->score : 1;
    return request_.ratio_low > bar * floor ? Verdict::kImproved : verdict;
  }

  // Whether the best so far took part in the same blocks. A better one may have come since the job
  // was made.
  bool TimedAgainstBest() const {
    return run_.best && request_.incumbent_ratio_low > 0 &&
           request_.incumbent_id == IncumbentId(state_.variants.at(run_.best->variant));
  }

  // What the variant's ratio to the baseline is at least: one estimate, never the better of two,
  // which would favour whichever session was lucky and hand its luck on to every later best. Where
  // the best took part in the same blocks it is that one's score times the lower end of the gain,
  // because that comparison is what decided, and the order of scores must be the order in which
  // programs beat each other. Lower ends multiply to less than the truth, not to more.
  double ScoreOf() const {
    if (!TimedAgainstBest()) return request_.ratio_low;
    return run_.best->score * request_.incumbent_ratio_low;
  }

  bool OracleCompleted() const {
    return std::any_of(request_.clocks.begin(), request_.clocks.end(), [](const auto& clock) {
      return clock.stage == store::Stage::kOracle && clock.end == store::StageEnd::kOk;
    });
  }

  void AddEvaluation() {
    const routing::Route route = Judge();
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
    done.active_ns = known_.active_ns;
    done.checks = request_.checks;
    const std::string fingerprint = AddDiagnostics(done, route);
    out_.reply = {done.verdict, done.blame, true, 0};
    const bool charged =
        done.oracle_completed && (done.blame == Blame::kCandidate || done.blame == Blame::kNone);
    out_.batch.events.push_back(done);
    AddBudget(charged);
    if (auto elite = loop::EliteAfter(state_, run_, variant_, done.verdict, ScoreOf())) {
      out_.batch.events.push_back(*elite);
    }
    AddCellElite(done);
    if (!fingerprint.empty() && !route.title.empty() && !IsReduction(state_, run_)) {
      if (auto finding = routing::FindingAfter(state_, fingerprint, candidate_.id, route)) {
        NameProperty(*finding);
        out_.batch.events.push_back(*finding);
      }
    }
  }

  // A proof that was wrong takes its property's proofs with it until the finding is closed.
  void NameProperty(store::EventBody& body) const {
    const std::string_view property = routing::PropertyOf(request_.verdict);
    auto* opened = std::get_if<store::FindingOpened>(&body);
    if (opened == nullptr || !routing::IsSoundness(opened->title)) return;
    opened->title = routing::SoundnessTitle(property);
  }

  // Right programs take their cell of the archive where they are better than its elite. An audit or
  // a re-check says nothing about speed.
  void AddCellElite(const store::EvaluationDone& done) {
    if (job_.purpose != store::Purpose::kSearch && job_.purpose != store::Purpose::kConfirm) return;
    auto elite = loop::CellEliteAfter(state_, run_, variant_, candidate_.island, done.verdict,
                                      done.ratio_low);
    if (elite) out_.batch.events.push_back(*std::move(elite));
  }

  void KeepObject(store::ObjectKind kind, const std::string& bytes, store::ObjectHash& hash) {
    if (bytes.empty()) return;
    hash = store::HashOf(bytes);
    out_.batch.objects.push_back({kind, bytes});
  }

  // One row a diagnostic; a failure without one gets a row of its verdict and its first failed
  // check. Returns the fingerprint of the failure.
  std::string AddDiagnostics(store::EvaluationDone& done, const routing::Route& route) {
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
      const std::string form = routing::FormAt(known_.source, d.span_begin, d.span_end);
      ref.fingerprint = routing::FailureFingerprint(
          {.stage = "RUN", .verdict = done.verdict, .code = d.code, .form = form, .roles = d.role});
      if (first.empty() && d.severity == "error") first = ref.fingerprint;
      done.diagnostics.push_back(std::move(ref));
    }
    if (!IsFailure(done.verdict)) return AddLesson(done, route);
    if (!first.empty()) return first;
    store::DiagnosticRef ref{.variant = variant_.id, .category = "run", .severity = "error"};
    ref.code = std::string(store::ToString(done.verdict));
    for (const store::CheckOutcome& check : request_.checks) {
      if (check.outcome != "FAIL") continue;
      ref.message = absl::StrCat(check.name, ": ", check.detail);
      break;
    }
    ref.fingerprint =
        routing::FailureFingerprint({.stage = "RUN", .verdict = done.verdict, .code = ref.code});
    done.diagnostics.push_back(ref);
    return ref.fingerprint;
  }

  // A right program that teaches somebody something: a row that a finding counts by the form of the
  // program and its bottleneck.
  std::string AddLesson(store::EvaluationDone& done, const routing::Route& route) {
    if (route.title.empty()) return "";
    store::DiagnosticRef ref{.variant = variant_.id, .category = "run", .severity = "finding"};
    ref.code = std::string(store::ToString(done.verdict));
    ref.message = std::string(route.title);
    ref.fingerprint =
        routing::FailureFingerprint({.stage = "TIMING",
                                     .verdict = done.verdict,
                                     .code = route.title,
                                     .form = state::FormOfCell(variant_.features.cell),
                                     .roles = variant_.bottleneck});
    done.diagnostics.push_back(ref);
    return ref.fingerprint;
  }

  void AddTimeBudget(const std::string& kind, int64_t spent) {
    for (auto& event : SettleTime(run_, job_, kind, spent)) {
      out_.batch.events.push_back(std::move(event));
    }
  }

  int64_t DeviceNs() const {
    int64_t sum = 0;
    for (const StageClock& clock : request_.clocks) {
      const bool on_device = clock.stage == store::Stage::kOracle ||
                             clock.stage == store::Stage::kTiming ||
                             clock.stage == store::Stage::kProfile;
      if (on_device) sum += clock.wall_ns;
    }
    return sum;
  }

  void AddBudget(bool charged) {
    AddTimeBudget("active_ns", known_.active_ns - run_.active_ns);
    AddTimeBudget("gpu_ns", DeviceOf() != nullptr ? DeviceNs() : 0);
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
  const KnownOfJob& known_;
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
                                         std::string_view reason, bool infra, int64_t not_before_us,
                                         std::string detail) {
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
                                    .not_before_us = not_before_us,
                                    .detail = detail});
  for (auto& refund : RefundsOf(job)) events.push_back(std::move(refund));
  if (ill != nullptr) {
    events.push_back(DeviceEvent(
        *ill, "QUARANTINED",
        absl::StrCat(kQuarantineFaults, " jobs in a row were lost on it, the last one: ",
                     detail.empty() ? std::string(reason) : detail)));
  }
  if (!poison) return events;
  events.push_back(store::EvaluationDone{.job = job.id,
                                         .verdict = Verdict::kInfraPoisonJob,
                                         .blame = Blame::kInfra,
                                         .contract_hash = state.runs.at(job.run).contract_hash});
  const routing::Route route{Verdict::kInfraPoisonJob, Blame::kInfra, "worker",
                             "a job lost every worker that ran it", true};
  const std::string fingerprint =
      routing::FailureFingerprint({.stage = "LEASE",
                                   .verdict = Verdict::kInfraPoisonJob,
                                   .code = reason,
                                   .form = store::RowName('j', job.id)});
  if (auto finding = routing::FindingAfter(state, fingerprint,
                                           state.variants.at(job.variant).candidate, route)) {
    events.push_back(*finding);
  }
  return events;
}

absl::StatusOr<Outcome> OutcomeOf(const state::State& state, const state::Job& job,
                                  const CompleteRequest& request, const KnownOfJob& known) {
  if (!IsWorkerVerdict(request.verdict)) {
    return state::BadField("verdict", "is none that a worker can say");
  }
  if (request.receipt_json.empty() && !IsInfra(request.verdict) &&
      request.verdict != Verdict::kCancelled) {
    return state::BadField("receipt_json", "a result needs a receipt");
  }
  return Maker(state, job, request, known).Make();
}

}  // namespace server::core
