#include "server/core/calibrating.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "costmodel/calibration.h"
#include "server/core/judging.h"

namespace server::core {
namespace {

using nlohmann::json;

constexpr size_t kAtOnce = 4;
constexpr size_t kWhyBytesMax = 2 * 1024;
constexpr int64_t kCpuLimitMs = 5'000;
constexpr double kSame = 0.005;  // of a correlation or a regret: no difference
constexpr double kLevel = 0.80;  // what the interval says of itself
constexpr size_t kTop = 3;

std::string NameOf(const std::string& arch, const state::Calibrations* known) {
  if (known == nullptr || known->in_force.empty()) {
    return absl::StrCat(arch, "@", std::string(state::kDataSheet));
  }
  return known->in_force.back().Name();
}

std::vector<double> Ranks(const std::vector<double>& values) {
  std::vector<size_t> order(values.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return values[a] < values[b]; });
  std::vector<double> ranks(values.size());
  for (size_t i = 0; i < order.size();) {
    size_t end = i;
    while (end < order.size() && values[order[end]] == values[order[i]]) ++end;
    for (size_t k = i; k < end; ++k) ranks[order[k]] = 0.5 * static_cast<double>(i + end - 1);
    i = end;
  }
  return ranks;
}

// How much slower than the best the best of those is that are predicted to be the best.
double Regret(const std::vector<double>& predicted, const std::vector<double>& measured) {
  std::vector<size_t> order(predicted.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return predicted[a] < predicted[b]; });
  double taken = HUGE_VAL;
  for (size_t i = 0; i < std::min(kTop, order.size()); ++i) {
    taken = std::min(taken, measured[order[i]]);
  }
  return taken / *std::min_element(measured.begin(), measured.end()) - 1;
}

bool Worse(const FamilyTrial& one) {
  return one.spearman_after < one.spearman_before - kSame ||
         one.regret_after > one.regret_before + kSame;
}
bool Better(const FamilyTrial& one) {
  return one.spearman_after > one.spearman_before + kSame ||
         one.regret_after < one.regret_before - kSame;
}

// Why the trial says no; "": it does not.
std::string Refusal(const CalibrateReply& report) {
  std::vector<std::string> worse;
  bool judged = false, better = false;
  for (const FamilyTrial& one : report.families) {
    if (!one.judged) continue;
    judged = true;
    better |= Better(one);
    if (!Worse(one)) continue;
    worse.push_back(absl::StrCat(one.workload, " (rank correlation ", one.spearman_before, " -> ",
                                 one.spearman_after, ", regret ", one.regret_before, " -> ",
                                 one.regret_after, ")"));
  }
  if (!worse.empty()) return absl::StrCat("it ranks worse: ", absl::StrJoin(worse, ", "));
  const bool closer =
      std::abs(report.covered_after - kLevel) < std::abs(report.covered_before - kLevel) - kSame;
  if (judged && !better && !closer) return "it improves nothing that was measured";
  return "";
}

json ReportJson(const CalibrateReply& report) {
  json families = json::array();
  for (const FamilyTrial& one : report.families) {
    families.push_back({{"workload", one.workload},
                        {"members", one.members},
                        {"judged", one.judged},
                        {"spearman", {one.spearman_before, one.spearman_after}},
                        {"regret", {one.regret_before, one.regret_after}}});
  }
  return {{"families", families},
          {"members", report.members},
          {"not_predicted", report.not_predicted},
          {"covered", {report.covered_before, report.covered_after}}};
}

// A member's prediction as it is ranked by: the weighted geometric mean over the scored cases.
struct Predicted {
  double ns = 0, low = 0, high = 0;
};
Predicted PredictionOf(const GateMember& member) {
  double ns = 0, low = 0, high = 0, weight = 0;
  for (const GateEstimate& one : member.estimates) {
    if (one.time_ns <= 0 || one.low_ns <= 0 || one.high_ns <= 0) continue;
    ns += one.weight * std::log(one.time_ns);
    low += one.weight * std::log(one.low_ns);
    high += one.weight * std::log(one.high_ns);
    weight += one.weight;
  }
  if (weight <= 0) return {};
  return {std::exp(ns / weight), std::exp(low / weight), std::exp(high / weight)};
}

}  // namespace

double Spearman(const std::vector<double>& a, const std::vector<double>& b) {
  if (a.size() < 2 || a.size() != b.size()) return 0;
  const std::vector<double> x = Ranks(a), y = Ranks(b);
  const double mean = 0.5 * static_cast<double>(a.size() - 1);
  double xy = 0, xx = 0, yy = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    xy += (x[i] - mean) * (y[i] - mean);
    xx += (x[i] - mean) * (x[i] - mean);
    yy += (y[i] - mean) * (y[i] - mean);
  }
  return xx > 0 && yy > 0 ? xy / std::sqrt(xx * yy) : 0;
}

const GateCalibration* Calibrating::Read(const state::Calibration& calibration) {
  const auto known = read_.find(calibration.body.hex);
  if (known != read_.end()) return &known->second;
  const auto body = c_.ledger.Object(calibration.body);
  if (!body.ok()) return nullptr;
  const json in = json::parse(*body, nullptr, false);
  if (!in.is_object()) return nullptr;
  GateCalibration read{calibration.Name(), in.value("claims_time", false),
                       in.value("calibration", "")};
  return &read_.emplace(calibration.body.hex, std::move(read)).first->second;
}

std::vector<GateCalibration> Calibrating::InForce(const state::Run* run) {
  std::vector<GateCalibration> out;
  const auto by_arch =
      run != nullptr && run->calibrations ? *run->calibrations : c_.state().CalibrationsInForce();
  for (const auto& [arch, calibration] : by_arch) {
    if (const GateCalibration* one = Read(calibration)) out.push_back(*one);
  }
  return out;
}

void Calibrating::Activate(const CalibrateRequest& request, Done<CalibrateReply> done) {
  if (auto status = CheckRequestId(request.meta); !status.ok()) return done(status);
  if (auto status = CheckServing(c_); !status.ok()) return done(status);
  const auto answered = c_.ledger.Answered(IdempotencyOf(c_, "ActivateCalibration", request.meta));
  if (!answered.ok()) return done(answered.status());
  if (answered->has_value()) {
    CalibrateReply again{.arch = **answered, .activated = true, .event_seq = c_.state().last_seq};
    again.in_force = NameOf(again.arch, &c_.state().calibrations.at(again.arch));
    return done(again);
  }
  const bool reason = !request.reason.empty() && request.reason.size() <= kWhyBytesMax;
  if (!reason && !request.dry_run)
    return done(state::BadField("reason", "must have 1..2048 bytes"));
  if (!request.undo.empty()) {
    CalibrateReply reply;
    const absl::Status undone = Undo(request, reply);
    return done(undone.ok() ? absl::StatusOr<CalibrateReply>(reply) : undone);
  }
  if (request.body.size() > kCalibrationBytesMax) {
    return done(state::BadField("calibration", "has more than 65536 bytes"));
  }
  const auto read = costmodel::ParseCalibration(request.body);
  if (!read.ok()) return done(state::BadField("calibration", std::string(read.status().message())));
  if (trial_) return done(state::Error(state::Reason::kRate, "another calibration is being tried"));
  trial_ = Trial{.request = request,
                 .done = std::move(done),
                 .principal = c_.principal,
                 .arch = read->arch,
                 .members = MeasuredOn(read->arch, read->fitted_through_seq)};
  for (size_t i = 0; i < trial_->members.size(); ++i) trial_->waiting.push_back(i);
  while (trial_->open < kAtOnce && StartNext()) {
  }
  if (trial_->open == 0) Finish();
}

absl::Status Calibrating::Undo(const CalibrateRequest& request, CalibrateReply& reply) {
  const auto known = c_.state().calibrations.find(request.undo);
  if (known == c_.state().calibrations.end() || known->second.in_force.empty()) {
    return state::BadField("undo", "has no calibration in force");
  }
  const std::vector<state::Calibration>& stack = known->second.in_force;
  reply.arch = request.undo;
  reply.before = stack.back().Name();
  store::CalibrationActivated event{.device_arch = request.undo,
                                    .version = std::string(state::kDataSheet)};
  if (stack.size() > 1) {
    event.version = stack[stack.size() - 2].version;
    event.body_hash = stack[stack.size() - 2].body;
  }
  reply.in_force = reply.before;
  if (!request.dry_run) {
    const absl::Status done = Commit(request, c_.principal, std::move(event), "");
    if (!done.ok()) return done;
    reply.activated = true;
    reply.in_force = NameOf(reply.arch, &c_.state().calibrations.at(reply.arch));
  }
  reply.event_seq = c_.state().last_seq;
  return absl::OkStatus();
}

// Newest first; what was simulated says nothing of a device.
std::vector<Calibrating::Measured> Calibrating::MeasuredOn(std::string_view arch,
                                                           int64_t after_seq) const {
  const state::State& state = c_.state();
  std::vector<Measured> out;
  std::map<std::string, size_t> of_workload;
  for (auto it = state.variants.rbegin();
       it != state.variants.rend() && out.size() < kTrialMembersMax; ++it) {
    const state::Variant& variant = it->second;
    if (variant.time_ns <= 0 || variant.duplicate_of != 0) continue;
    const state::Candidate& candidate = state.candidates.at(variant.candidate);
    const state::Run& run = state.runs.at(candidate.run);
    if (candidate.IsDirect() || run.objective != store::ScoreSource::kMeasured) continue;
    bool on_device = false;
    for (const int64_t id : variant.jobs) {
      const state::Job& job = state.jobs.at(id);
      const std::string needed = absl::StrCat("run:", std::string(arch));
      on_device |= job.done_seq > after_seq &&
                   std::find(job.needs.begin(), job.needs.end(), needed) != job.needs.end();
    }
    const std::string& workload = state.workloads.at(run.workload).name;
    if (!on_device || of_workload[workload] >= kTrialMembersOfWorkload) continue;
    ++of_workload[workload];
    out.push_back({.variant = variant.id, .workload = workload, .time_ns = variant.time_ns});
  }
  return out;
}

// False: nothing is left to start.
bool Calibrating::StartNext() {
  while (!trial_->waiting.empty()) {
    const size_t at = trial_->waiting.front();
    trial_->waiting.pop_front();
    const state::Variant& variant = c_.state().variants.at(trial_->members[at].variant);
    const state::Candidate& candidate = c_.state().candidates.at(variant.candidate);
    const Contract* contract = c_.contracts.Find(c_.state().runs.at(candidate.run).contract_hash);
    auto source = c_.ledger.Object(candidate.source_hash);
    if (contract == nullptr || !source.ok()) continue;  // counts as not predicted
    GateRequest request{.estimate = true, .source = *std::move(source)};
    request.contract_json = contract->canonical_json;
    request.binding_json = variant.params_json;
    request.cpu_limit_ms = kCpuLimitMs;
    const auto now = c_.state().calibrations.find(trial_->arch);
    const GateCalibration* before =
        now == c_.state().calibrations.end() || now->second.in_force.empty()
            ? nullptr
            : Read(now->second.in_force.back());
    request.calibrations.push_back(before != nullptr ? *before : GateCalibration{});
    request.calibrations.push_back({"tried", false, trial_->request.body});
    const uint64_t id = next_id_++;
    tasks_[id] = at;
    ++trial_->open;
    gates_.Start(id, std::move(request), false);
    return true;
  }
  return false;
}

void Calibrating::GateDone(uint64_t id, const absl::StatusOr<GateReply>& reply) {
  const auto task = tasks_.find(id);
  if (task == tasks_.end() || !trial_) return;
  Measured& member = trial_->members[task->second];
  tasks_.erase(task);
  --trial_->open;
  // By the data sheets, by what is in force, by what is tried.
  if (reply.ok() && reply->members.size() == 3) {
    const Predicted before = PredictionOf(reply->members[1]),
                    after = PredictionOf(reply->members[2]);
    const auto within = [&](const Predicted& p) {
      return p.low <= member.time_ns && member.time_ns <= p.high;
    };
    member.before_ns = before.ns;
    member.after_ns = after.ns;
    member.covered_before = within(before);
    member.covered_after = within(after);
  }
  while (trial_->open < kAtOnce && StartNext()) {
  }
  if (trial_->open == 0) Finish();
}

CalibrateReply Calibrating::ReportOf(const Trial& trial) const {
  CalibrateReply report{.arch = trial.arch};
  const auto now = c_.state().calibrations.find(trial.arch);
  report.before = NameOf(trial.arch, now == c_.state().calibrations.end() ? nullptr : &now->second);
  report.in_force = report.before;
  std::map<std::string, std::vector<const Measured*>> families;
  for (const Measured& one : trial.members) {
    const bool predicted = one.before_ns > 0 && one.after_ns > 0;
    ++(predicted ? report.members : report.not_predicted);
    if (!predicted) continue;
    families[one.workload].push_back(&one);
    report.covered_before += one.covered_before ? 1 : 0;
    report.covered_after += one.covered_after ? 1 : 0;
  }
  for (double* share : {&report.covered_before, &report.covered_after}) {
    if (report.members > 0) *share /= static_cast<double>(report.members);
  }
  for (const auto& [workload, members] : families) {
    std::vector<double> measured, before, after;
    for (const Measured* one : members) {
      measured.push_back(one->time_ns);
      before.push_back(one->before_ns);
      after.push_back(one->after_ns);
    }
    report.families.push_back({.workload = workload,
                               .members = static_cast<int64_t>(members.size()),
                               .spearman_before = Spearman(before, measured),
                               .spearman_after = Spearman(after, measured),
                               .regret_before = Regret(before, measured),
                               .regret_after = Regret(after, measured),
                               .judged = members.size() >= kFamilyJudgedMin});
  }
  report.claims_time =
      report.members >= static_cast<int64_t>(kClaimMembersMin) && report.covered_after >= kLevel;
  report.refused_because = Refusal(report);
  return report;
}

void Calibrating::Finish() {
  const Trial trial = std::move(*trial_);
  trial_.reset();
  CalibrateReply report = ReportOf(trial);
  report.event_seq = c_.state().last_seq;
  if (trial.request.dry_run) return trial.done(report);
  if (!report.refused_because.empty()) {
    return trial.done(state::BadField("calibration", report.refused_because));
  }
  const absl::Status done = PutInForce(trial, report);
  trial.done(done.ok() ? absl::StatusOr<CalibrateReply>(report) : done);
}

absl::Status Calibrating::PutInForce(const Trial& trial, CalibrateReply& report) {
  const auto known = c_.state().calibrations.find(trial.arch);
  const int64_t newest = known == c_.state().calibrations.end() ? 0 : known->second.newest;
  const json body = {{"calibration", trial.request.body},
                     {"claims_time", report.claims_time},
                     {"trial", ReportJson(report)}};
  store::CalibrationActivated event{.device_arch = trial.arch, .version = absl::StrCat(newest + 1)};
  std::string text = body.dump(-1, ' ', false, json::error_handler_t::replace);
  event.body_hash = store::HashOf(text);
  if (auto s = Commit(trial.request, trial.principal, std::move(event), std::move(text)); !s.ok()) {
    return s;
  }
  report.activated = true;
  report.in_force = NameOf(trial.arch, &c_.state().calibrations.at(trial.arch));
  report.event_seq = c_.state().last_seq;
  return absl::OkStatus();
}

// The rates and who put them in force why, in one step.
absl::Status Calibrating::Commit(const CalibrateRequest& request, int64_t principal,
                                 store::CalibrationActivated event, std::string body) {
  store::Batch batch;
  batch.idem = IdempotencyOf(c_, "ActivateCalibration", request.meta);
  batch.idem->principal = principal;
  batch.reply = event.device_arch;
  if (!body.empty()) batch.objects.push_back({store::ObjectKind::kOther, std::move(body)});
  store::AdminAction note{.who = principal,
                          .action = "ActivateCalibration",
                          .subject = absl::StrCat(event.device_arch, "@", event.version),
                          .reason = request.reason};
  if (!request.undo.empty()) note.action += " undo";
  note.object_hash = event.body_hash;
  batch.events.push_back(std::move(event));
  batch.events.push_back(std::move(note));
  return c_.ledger.Commit(std::move(batch)).status();
}

void Calibrating::AnswerAll(const absl::Status& status) {
  tasks_.clear();
  if (!trial_) return;
  const Trial trial = std::move(*trial_);
  trial_.reset();
  trial.done(status);
}

}  // namespace server::core
