#include "server/loop/plan.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "absl/strings/str_cat.h"
#include "server/loop/explore.h"
#include "server/loop/generate.h"

namespace server::loop {
namespace {

using state::Candidate;
using state::Choice;
using state::Run;
using state::State;
using state::Variant;
using store::Purpose;
using store::Verdict;

// The part of the evaluation budget that only confirmations may use.
constexpr int64_t kConfirmShareDivisor = 10;

// Programs that wait for a later ranking; those with the worst predictions beyond are out.
constexpr int64_t kWaitingMax = 512;

struct Survey {
  std::vector<const Candidate*> unexpanded;  // members left, none of them in flight
  std::vector<const Variant*> unranked;      // passed, judged by no ranking yet
  std::vector<const Variant*> waiting;       // others went on before them, they may yet
  std::vector<const Variant*> ready;         // kept, no job yet
  std::vector<const Variant*> to_confirm;
  std::vector<const Variant*> to_audit;  // rejected, with a row: drawn to be run all the same
  int64_t in_flight = 0;                 // decided or queued or leased
  int64_t unreserved = 0;                // of them, without a reservation yet
  bool expanding = false;
};

void SurveyVariant(const State& state, const Run& run, const Variant& variant, Survey& out) {
  out.in_flight += static_cast<int64_t>(variant.pending.size());
  out.unreserved += static_cast<int64_t>(variant.pending.size());
  bool confirming = variant.pending.contains(Purpose::kConfirm);
  for (const int64_t id : variant.jobs) {
    const state::Job& job = state.jobs.at(id);
    confirming = confirming || job.purpose == Purpose::kConfirm;
    if (job.state != store::JobState::kQueued && job.state != store::JobState::kLeased) continue;
    ++out.in_flight;
    if (!job.charged_reservation) ++out.unreserved;
  }
  if (store::HasRatios(run.objective) && variant.verdict == Verdict::kImproved && !confirming) {
    out.to_confirm.push_back(&variant);
  }
  if (variant.AwaitsAudit()) out.to_audit.push_back(&variant);
  if (variant.verdict != Verdict::kPending) return;
  if (variant.rank == 0)
    (variant.id > run.ranked_through ? out.unranked : out.waiting).push_back(&variant);
  else if (variant.kept && variant.jobs.empty() && variant.pending.empty()) {
    out.ready.push_back(&variant);
  }
}

Survey Look(const State& state, const Run& run) {
  Survey out;
  for (const int64_t id : run.open) {
    const Candidate& candidate = state.candidates.at(id);
    if (!candidate.closed()) {
      if (candidate.pending)
        out.expanding = true;
      else
        out.unexpanded.push_back(&candidate);
    }
    for (const int64_t variant : candidate.variants) {
      SurveyVariant(state, run, state.variants.at(variant), out);
    }
  }
  return out;
}

// Whether the cheapest step so far still fits into a budget of time.
bool HasRoom(const state::Budget& budget) {
  return budget.limit == 0 || budget.Left() >= std::max<int64_t>(budget.least, 1);
}

// Evaluations that may still be started for `purpose`.
int64_t Affordable(const Run& run, const Survey& survey, Purpose purpose) {
  for (const auto& [kind, budget] : run.budgets) {
    if (kind != "evaluations" && kind != "tokens" && !HasRoom(budget)) return 0;
  }
  const auto it = run.budgets.find("evaluations");
  if (it == run.budgets.end() || it->second.limit == 0) return INT64_MAX;
  int64_t limit = it->second.limit;
  if (purpose == Purpose::kSearch && store::HasRatios(run.objective)) {
    limit -= limit / kConfirmShareDivisor;
  }
  return limit - it->second.spent - it->second.reserved - survey.unreserved;
}

// The order in which kept members run: best prediction first, and so many of them from those that
// were drawn to explore that their share of all starts is explore_share.
void OrderReady(const Run& run, const RunSpec& spec, std::vector<const Variant*>& ready) {
  std::vector<const Variant*> top, explore;
  for (const Variant* variant : ready) {
    (variant->why == "EXPLORE" ? explore : top).push_back(variant);
  }
  std::sort(top.begin(), top.end(), PredictedBefore);
  std::sort(explore.begin(), explore.end(), PredictedBefore);
  ready.clear();
  int64_t explored = run.started_explore, started = run.started_explore + run.started_top;
  size_t next_top = 0, next_explore = 0;
  while (next_top < top.size() || next_explore < explore.size()) {
    const bool due = static_cast<double>(explored) <
                     std::floor(spec.explore_share * static_cast<double>(started + 1));
    const bool take = next_explore < explore.size() && (due || next_top == top.size());
    ready.push_back(take ? explore[next_explore++] : top[next_top++]);
    explored += take ? 1 : 0;
    ++started;
  }
}

Step Evaluate(const std::vector<const Variant*>& from, int64_t count, Purpose purpose,
              const Survey& survey) {
  Step step;
  for (int64_t i = 0; i < count; ++i) {
    Choice choice{.kind = std::string(state::kEvaluate)};
    choice.variant = from[static_cast<size_t>(i)]->id;
    choice.candidate = from[static_cast<size_t>(i)]->candidate;
    choice.purpose = purpose;
    step.choices.push_back(choice);
  }
  step.reasons_json =
      absl::StrCat("{\"in_flight\":", survey.in_flight, ",\"ready\":", from.size(), "}");
  return step;
}

Step Stop(const Run& run, const Survey& survey, std::string reason) {
  Step step;
  step.new_state = store::RunState::kStopped;
  step.state_reason = std::move(reason);
  for (const Variant* variant : survey.ready) {
    step.ranked.push_back({variant->id, variant->rank, false, "OUT"});
  }
  int64_t rank = run.last_rank;
  for (const auto* left : {&survey.unranked, &survey.waiting}) {
    for (const Variant* variant : *left) {
      step.ranked.push_back({variant->id, ++rank, false, "OUT"});
    }
  }
  return step;
}

// Ends the search: at once, or after the confirmations that are still running.
Step EndSearch(const Run& run, const Survey& survey, std::string reason) {
  if (survey.in_flight == 0 && survey.to_confirm.empty())
    return Stop(run, survey, std::move(reason));
  Step step = Stop(run, survey, std::move(reason));
  step.new_state = store::RunState::kConfirming;
  if (run.state == store::RunState::kConfirming) step.ranked.clear();
  return step;
}

std::optional<std::string> MetTarget(const State& state, const Run& run, const RunSpec& spec) {
  if (spec.target_ratio <= 0 || !run.best) return std::nullopt;
  const Variant& best = state.variants.at(run.best->variant);
  if (store::HasRatios(run.objective)) {
    if (run.best_confirmed > 0 && 1 / run.best_confirmed <= spec.target_ratio) return "TARGET";
    return std::nullopt;
  }
  if (run.baseline_ns > 0 && best.PredictedNs() / run.baseline_ns <= spec.target_ratio) {
    return "TARGET";
  }
  return std::nullopt;
}

std::optional<Step> Expand(const Survey& survey, const RunSpec& spec) {
  if (static_cast<int64_t>(survey.ready.size() + survey.unranked.size()) >= spec.wave_members ||
      survey.unexpanded.empty()) {
    return std::nullopt;
  }
  const Candidate& candidate = *survey.unexpanded.front();
  Choice choice{.kind = std::string(state::kExpand)};
  choice.candidate = candidate.id;
  choice.from = candidate.members_seen;
  choice.count = spec.expand_members;
  Step step;
  step.choices.push_back(choice);
  step.reasons_json = absl::StrCat("{\"ready\":", survey.ready.size(), "}");
  return step;
}

// Somebody handed exactly this program in: an estimate does not decide that it is not tried.
bool IsAlone(const Candidate& candidate) {
  return candidate.members_total == 1 && candidate.tactic.empty();
}

std::optional<Step> Rank(const State& state, const Run& run, const Survey& survey,
                         const RunSpec& spec) {
  // What was left aside gets its turn beside what is new, and when nothing new comes any more.
  const bool last = !survey.waiting.empty() && run.barren >= spec.barren_max &&
                    static_cast<int64_t>(survey.ready.size()) < spec.round_slots;
  if (survey.unranked.empty() && !last) return std::nullopt;
  const bool more_to_come =
      survey.expanding || !survey.unexpanded.empty() || !run.proposals.empty();
  if (more_to_come && static_cast<int64_t>(survey.unranked.size()) < spec.wave_members) {
    return std::nullopt;
  }
  Step step;
  state::Rng rng(run.seed, static_cast<uint64_t>(run.id),
                 static_cast<uint64_t>(run.decision_no + 1), state::DrawFor::kExplore);
  int64_t rank = run.last_rank;
  std::vector<const Variant*> wave = survey.waiting;
  for (const Variant* variant : survey.unranked) {
    if (IsAlone(state.candidates.at(variant->candidate))) {
      step.ranked.push_back({variant->id, ++rank, true, "TOP"});
    } else {
      wave.push_back(variant);
    }
  }
  const Known known{BestPredictedNs(state, run), TriedOf(state, run)};
  int64_t aside = 0;
  for (auto& row : RankWave(wave, known, spec, rank, rng)) {
    // A search that goes on proposing comes back to what it left aside.
    if (spec.evolve && !row.kept && ++aside <= kWaitingMax) continue;
    step.ranked.push_back(std::move(row));
  }
  step.rng_counter = rng.drawn();
  Choice choice{.kind = std::string(state::kRank)};
  choice.count = static_cast<int64_t>(step.ranked.size());
  step.choices.push_back(choice);
  return step;
}

// A program that was found right, to be evaluated once more instead of a new one; null: none is due
// at this slot.
const Variant* ToRecheck(const State& state, const Run& run, const RunSpec& spec, int64_t slot) {
  if (spec.recheck_share <= 0) return nullptr;
  state::Rng rng(run.seed, static_cast<uint64_t>(run.id),
                 static_cast<uint64_t>(run.decision_no + 1 + slot), state::DrawFor::kRecheck);
  if (rng.Unit() >= spec.recheck_share) return nullptr;
  std::vector<const Variant*> right;
  for (const Variant* variant : PoolOf(state, run).right) {
    const bool again = variant->pending.contains(Purpose::kRecheck) ||
                       std::any_of(variant->jobs.begin(), variant->jobs.end(), [&](int64_t id) {
                         return state.jobs.at(id).purpose == Purpose::kRecheck;
                       });
    if (!again && variant->duplicate_of == 0) right.push_back(variant);
  }
  return right.empty() ? nullptr : right[rng.Below(right.size())];
}

// Search slots, some of them spent on what was found right before.
Step Search(const State& state, const Run& run, const RunSpec& spec, const Survey& survey,
            int64_t count) {
  Step step = Evaluate(survey.ready, count, Purpose::kSearch, survey);
  std::set<int64_t> again;
  for (int64_t slot = 0; slot < count; ++slot) {
    const Variant* recheck = ToRecheck(state, run, spec, slot);
    if (recheck == nullptr || !again.insert(recheck->id).second) continue;
    Choice& choice = step.choices[static_cast<size_t>(slot)];
    choice.variant = recheck->id;
    choice.candidate = recheck->candidate;
    choice.purpose = Purpose::kRecheck;
  }
  return step;
}

std::optional<Step> Fill(const State& state, const Run& run, const Survey& survey,
                         const RunSpec& spec) {
  if (spec.ordered && survey.in_flight > 0) return std::nullopt;
  for (const Purpose purpose : {Purpose::kConfirm, Purpose::kAudit, Purpose::kSearch}) {
    const auto& from = purpose == Purpose::kConfirm ? survey.to_confirm
                       : purpose == Purpose::kAudit ? survey.to_audit
                                                    : survey.ready;
    if (purpose != Purpose::kConfirm && run.state == store::RunState::kConfirming) break;
    const int64_t count =
        std::min({spec.round_slots - survey.in_flight, static_cast<int64_t>(from.size()),
                  Affordable(run, survey, purpose)});
    if (count <= 0) continue;
    return purpose == Purpose::kSearch ? Search(state, run, spec, survey, count)
                                       : Evaluate(from, count, purpose, survey);
  }
  return std::nullopt;
}

// The kind of a budget other than evaluations that is used up; "" while there is some of each left.
std::string SpentBudget(const Run& run) {
  for (const auto& [kind, budget] : run.budgets) {
    if (kind == "evaluations" || budget.limit == 0) continue;
    // Tokens are what the sessions of the run reported. Time that is reserved may come back.
    const bool spent =
        kind == "tokens" ? run.tokens >= budget.limit : budget.reserved == 0 && !HasRoom(budget);
    if (spent) return kind;
  }
  return "";
}

bool NothingLeft(const Run& run, const Survey& survey) {
  return survey.ready.empty() && survey.unranked.empty() && survey.unexpanded.empty() &&
         survey.waiting.empty() && survey.to_audit.empty() && !survey.expanding &&
         run.proposals.empty();
}

std::optional<Step> MaybeStop(const Run& run, const Survey& survey, const RunSpec& spec) {
  if (survey.in_flight > 0) return std::nullopt;
  const bool affordable = Affordable(run, survey, Purpose::kSearch) > 0;
  const bool could = !survey.ready.empty() || !survey.waiting.empty();
  if (could && !affordable) return EndSearch(run, survey, "BUDGET(evaluations)");
  if (run.candidates.empty() || !NothingLeft(run, survey)) return std::nullopt;
  // What evolves can always propose more, so that an empty pool with a spent budget is its end.
  if (spec.evolve && !affordable) return EndSearch(run, survey, "BUDGET(evaluations)");
  if (spec.open) return std::nullopt;
  return EndSearch(run, survey, "EXHAUSTED");
}

// A batch of proposals when what is ready does not fill the slots and nothing else is on its way.
std::optional<Step> Generate(const State& state, const Run& run, const Survey& survey,
                             const RunSpec& spec) {
  if (!spec.evolve || static_cast<int64_t>(survey.ready.size()) >= spec.round_slots ||
      Affordable(run, survey, Purpose::kSearch) <= 0 || !run.proposals.empty() ||
      !survey.unexpanded.empty() || survey.expanding || !survey.unranked.empty()) {
    return std::nullopt;
  }
  if (spec.ordered && survey.in_flight > 0) return std::nullopt;
  // Until the first results are in there is nothing to choose parents by.
  if (run.confirmed_curve.empty() && survey.in_flight > 0) return std::nullopt;
  return Propose(state, run, spec);
}

std::optional<Step> EndByPlateau(const State& state, const Run& run, const Survey& survey,
                                 const RunSpec& spec) {
  if (run.plateau_at != 0) {
    if (spec.plateau) return EndSearch(run, survey, "PLATEAU");
    return std::nullopt;
  }
  const auto budget = run.budgets.find("evaluations");
  const int64_t limit = budget == run.budgets.end() ? 0 : budget->second.limit;
  const auto tokens = run.budgets.find("tokens");
  const bool by_tokens = limit == 0 && tokens != run.budgets.end() && tokens->second.limit > 0;
  const auto found =
      by_tokens ? FindTokenPlateau(run.confirmed_curve, run.charged_cells, run.charged_tokens,
                                   tokens->second.limit, NoiseFloor(state))
                : FindPlateau(run.confirmed_curve, run.charged_cells, limit, NoiseFloor(state));
  if (!found) return std::nullopt;
  Step step;
  step.plateau = store::PlateauDetected{run.id, found->detected_at, found->point};
  return step;
}

}  // namespace

std::optional<Step> NextStep(const State& state, const Run& run, const RunSpec& spec) {
  Survey survey = Look(state, run);
  OrderReady(run, spec, survey.ready);
  if (run.state == store::RunState::kConfirming) {
    if (auto step = Fill(state, run, survey, spec)) return step;
    if (survey.in_flight > 0) return std::nullopt;
    return Stop(run, survey, run.reason);
  }
  // In order: what a round decides reads the results of the rounds before it only.
  if (spec.ordered && survey.in_flight > 0) return std::nullopt;
  if (auto reason = MetTarget(state, run, spec)) return EndSearch(run, survey, *reason);
  if (auto step = EndByPlateau(state, run, survey, spec)) return step;
  if (const std::string kind = SpentBudget(run); !kind.empty()) {
    return EndSearch(run, survey, absl::StrCat("BUDGET(", kind, ")"));
  }
  if (auto step = Migrate(state, run, spec)) return step;
  if (auto step = Rank(state, run, survey, spec)) return step;
  if (auto step = Fill(state, run, survey, spec)) return step;
  if (auto step = Generate(state, run, survey, spec)) return step;
  if (auto step = Expand(survey, spec)) return step;
  return MaybeStop(run, survey, spec);
}

}  // namespace server::loop
