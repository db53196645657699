#include "server/demo/history.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"
#include "server/core/expansion.h"

namespace server::demo {
namespace {

constexpr double kFaultShare = 0.35, kDuplicateShare = 0.12, kFailShare = 0.08;
constexpr std::string_view kTactics[] = {"params",      "wider-access", "more-stages",
                                         "split-roles", "crossover",    "fix"};

double PredictedNs(const core::GateMember& member) {
  double log_sum = 0, weight = 0;
  for (const core::GateEstimate& e : member.estimates) {
    log_sum += e.weight * std::log(e.time_ns);
    weight += e.weight;
  }
  return weight > 0 ? std::exp(log_sum / weight) : 0;
}

std::vector<store::DiagnosticRef> DiagnosticsOf(const core::GateMember& member) {
  std::vector<store::DiagnosticRef> out;
  for (const core::GateDiagnostic& d : member.diagnostics) {
    out.push_back({.code = d.code,
                   .category = d.category,
                   .severity = d.severity,
                   .span_begin = d.span_begin,
                   .span_end = d.span_end,
                   .fingerprint = d.fingerprint,
                   .message = d.message});
  }
  return out;
}

}  // namespace

RunHistory::RunHistory(const Family& family, int64_t run, std::string contract_hash, bool estimated,
                       Draws& draws, Ids& ids)
    : family_(family),
      run_(run),
      contract_hash_(std::move(contract_hash)),
      estimated_(estimated),
      draws_(draws),
      ids_(ids) {}

const Program& RunHistory::ProgramOf(int64_t n) const {
  return family_.programs[program_of_[static_cast<size_t>(n - 1)]];
}

std::vector<store::Object> RunHistory::TakeObjects(int64_t n) {
  size_t chosen = 0;
  if (n > 1) {
    const bool fault = draws_.Unit() < kFaultShare;
    std::vector<size_t> fitting;
    for (size_t i = 0; i < family_.programs.size(); ++i) {
      if (family_.programs[i].passed() != fault) fitting.push_back(i);
    }
    if (!fitting.empty()) chosen = fitting[draws_.Below(fitting.size())];
  }
  const bool first = std::find(program_of_.begin(), program_of_.end(), chosen) == program_of_.end();
  program_of_.push_back(chosen);
  std::vector<store::Object> objects;
  if (!first) return objects;
  const Program& program = family_.programs[chosen];
  objects.push_back({store::ObjectKind::kSource, program.source});
  for (const core::GateMember& member : program.reply.members) {
    objects.push_back({store::ObjectKind::kReport, member.report_json});
  }
  return objects;
}

void RunHistory::Submit(int64_t n, std::vector<store::EventBody>& out) {
  const Program& program = ProgramOf(n);
  store::CandidateSubmitted submitted{.candidate = ++ids_.candidate,
                                      .run = run_,
                                      .n = n,
                                      .source_hash = store::HashOf(program.source),
                                      .arm_kind = "cake-ir",
                                      .author = ids_.principal,
                                      .session = absl::StrCat("demo-", run_, "-", n % 7),
                                      .tactic = std::string(kTactics[n % std::size(kTactics)]),
                                      .intent = program.intent};
  candidates_.push_back(submitted.candidate);
  if (n == 1) submitted.tactic = "seed";
  if (!good_.empty()) {
    // Mostly from what was made last; sometimes from anywhere.
    const auto size = static_cast<int64_t>(good_.size());
    const int64_t back = std::min<int64_t>(size, draws_.Unit() < 0.8 ? 6 : size);
    const auto from = size - 1 - static_cast<int64_t>(draws_.Below(static_cast<uint64_t>(back)));
    const int64_t parent = good_[static_cast<size_t>(from)];
    submitted.parents.push_back({candidates_[static_cast<size_t>(parent - 1)], "parent"});
    if (submitted.tactic == "crossover" && good_.front() != parent) {
      submitted.parents.push_back(
          {candidates_[static_cast<size_t>(good_.front() - 1)], "crossover"});
    }
  }
  out.push_back(submitted);
}

void RunHistory::Judge(const Program& program, std::vector<store::EventBody>& out) {
  const core::GateMember& first = program.reply.members.front();
  store::GatesDone gates{.candidate = ids_.candidate,
                         .verdict = core::GateVerdict(first.verdict),
                         .canon_hash = first.canon_hash,
                         .struct_hash = first.struct_hash,
                         .report_hash = store::HashOf(first.report_json),
                         .wall_ns = 9'000'000,
                         .cpu_ns = 8'000'000,
                         .diagnostics = DiagnosticsOf(first)};
  if (gates.verdict != store::Verdict::kPending) gates.blame = store::Blame::kCandidate;
  gates.gates.push_back({.gate = "gates",
                         .verifier_rev = program.reply.verifier_rev,
                         .ruleset_hash = program.reply.ruleset_hash,
                         .outcome = program.passed() ? "PASS" : "REJECT",
                         .wall_ns = 9'000'000});
  out.push_back(gates);
}

void RunHistory::Expand(const Program& program, bool duplicate,
                        std::vector<store::EventBody>& out) {
  const auto& members = program.reply.members;
  store::VariantsExpanded expanded{.candidate = ids_.candidate,
                                   .members_total = static_cast<int64_t>(members.size()),
                                   .members_seen = static_cast<int64_t>(members.size()),
                                   .last = true};
  std::vector<store::EventBody> estimates;
  for (const core::GateMember& member : members) {
    if (member.verdict != "PASSED") {
      expanded.rejected.push_back(
          {member.diagnostics.empty() ? "CK0000" : member.diagnostics.front().code, 1,
           member.binding_json});
      continue;
    }
    store::NewVariant variant{.variant = ++ids_.variant,
                              .binding_hash = store::Sha256Hex(member.binding_json),
                              .params_json = member.binding_json,
                              .canon_hash = member.canon_hash};
    if (duplicate) {
      variant.duplicate_of = evaluated_.empty() ? 0 : evaluated_.front();
      variant.verdict = store::Verdict::kDuplicate;
      variant.blame = store::Blame::kNone;
    }
    for (const core::GateEstimate& e : member.estimates) {
      estimates.push_back(store::Estimated{.variant = variant.variant,
                                           .shape = e.shape,
                                           .calibration = e.calibration,
                                           .model_rev = program.reply.model_rev,
                                           .time_ns = e.time_ns,
                                           .low_ns = e.low_ns,
                                           .high_ns = e.high_ns,
                                           .weight = e.weight,
                                           .bottleneck = e.bottleneck,
                                           .runner_up = e.runner_up,
                                           .coverage = e.rank_only ? "RANK_ONLY" : "CALIBRATED",
                                           .body_hash = store::HashOf(member.report_json)});
    }
    expanded.variants.push_back(variant);
  }
  out.push_back(expanded);
  if (duplicate) return;
  out.insert(out.end(), estimates.begin(), estimates.end());
  store::Ranked ranked{.run = run_};
  for (size_t i = 1; i < expanded.variants.size(); ++i) {
    ranked.variants.push_back(
        {expanded.variants[i].variant, static_cast<int64_t>(i) + 1, false, "OUT"});
  }
  if (!ranked.variants.empty()) out.push_back(ranked);
}

// What an evaluation came to: the best rises quickly, then slowly.
void RunHistory::Score(int64_t n, const core::GateMember& member, store::EvaluationDone& done) {
  done.verdict = store::Verdict::kCorrect;
  done.blame = store::Blame::kNone;
  done.oracle_completed = true;
  done.checks.push_back({"demo:values", "PASS", "made up"});
  if (n > 1 && draws_.Unit() < kFailShare) {
    constexpr store::Verdict kFailures[] = {store::Verdict::kWrongResult, store::Verdict::kHang,
                                            store::Verdict::kNondeterministic};
    done.verdict = kFailures[draws_.Below(std::size(kFailures))];
    done.blame = store::Blame::kCandidate;
    done.checks.front() = {"demo:values", "FAIL", "first difference at element 1024"};
    return;
  }
  if (estimated_) return;
  const double reached = 0.7 + 0.75 * (1 - std::exp(-static_cast<double>(n) / 60.0));
  const double ratio = reached * (0.80 + 0.22 * draws_.Unit());
  done.source = store::ScoreSource::kReplay;
  done.replayed = true;
  done.ratio_med = ratio;
  done.ratio_low = ratio * 0.994;
  done.ratio_high = ratio * 1.006;
  done.time_ns = PredictedNs(member) * (0.85 + 0.4 * draws_.Unit());
  if (done.ratio_low > best_) done.verdict = store::Verdict::kConfirmed;
}

void RunHistory::Promote(const core::GateMember& member, int64_t variant,
                         const store::EvaluationDone& done, std::vector<store::EventBody>& out) {
  if (done.blame != store::Blame::kNone) return;
  const double score = estimated_ ? -PredictedNs(member) : done.ratio_low;
  const bool better = best_ == 0 || score > best_;
  if (!better || score == 0) return;
  best_ = score;
  out.push_back(store::EliteChanged{
      .run = run_,
      .source = estimated_ ? store::ScoreSource::kEstimated : store::ScoreSource::kReplay,
      .cell = std::string(state::kRunCell),
      .variant = variant,
      .score = score});
}

void RunHistory::Evaluate(int64_t n, const core::GateMember& member, int64_t variant,
                          std::vector<store::EventBody>& out) {
  out.push_back(
      store::JobQueued{.job = ++ids_.job,
                       .variant = variant,
                       .purpose = n % 9 == 0 ? store::Purpose::kConfirm : store::Purpose::kSearch,
                       .protocol = "demo-v1",
                       .priority = 20,
                       .needs = {"run:demo"}});
  out.push_back(store::LeaseGranted{.lease = ++ids_.lease,
                                    .job = ids_.job,
                                    .worker = 1,
                                    .incarnation = 1,
                                    .device = 1,
                                    .attempt = 1,
                                    .fencing_token = ++ids_.token});
  out.push_back(
      store::StageEnded{.job = ids_.job,
                        .fencing_token = ids_.token,
                        .stage = store::Stage::kTiming,
                        .wall_ns = 40'000'000 + static_cast<int64_t>(20'000'000 * draws_.Unit()),
                        .cpu_ns = 3'000'000,
                        .limit_ns = 10'000'000'000});
  store::EvaluationDone done{.evaluation = ++ids_.evaluation,
                             .job = ids_.job,
                             .fencing_token = ids_.token,
                             .contract_hash = contract_hash_,
                             .device = 1,
                             .active_ns = n * 1'500'000'000};
  Score(n, member, done);
  out.push_back(done);
  out.push_back(store::BudgetSettled{.run = run_, .kind = "evaluations", .spent = 1});
  Promote(member, variant, done, out);
  evaluated_.push_back(variant);
}

std::vector<store::EventBody> RunHistory::Candidate(int64_t n) {
  std::vector<store::EventBody> out;
  const Program& program = ProgramOf(n);
  Submit(n, out);
  Judge(program, out);
  if (!program.passed()) return out;
  const bool duplicate = n > 1 && !evaluated_.empty() && draws_.Unit() < kDuplicateShare;
  const int64_t first = ids_.variant + 1;
  Expand(program, duplicate, out);
  if (duplicate) return out;
  good_.push_back(n);
  Evaluate(n, program.reply.members.front(), first, out);
  return out;
}

}  // namespace server::demo
