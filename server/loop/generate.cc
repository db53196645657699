#include "server/loop/generate.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "server/loop/explore.h"

namespace server::loop {
namespace {

using state::Choice;
using state::Run;
using state::State;
using state::Variant;

constexpr int kPickShift = 11;  // 53 bits stay: exact as a JSON number

bool MustExplore(const State& state, const Run& run) {
  const auto budget = run.budgets.find("evaluations");
  const int64_t limit = budget == run.budgets.end() ? 0 : budget->second.limit;
  return StuckInFewCells(run.confirmed_curve, run.charged_cells, limit, NoiseFloor(state));
}

// Proposals that this batch has already forced onto a lineage.
using Forced = std::map<int64_t, int64_t>;

bool MustChangeStructure(const State& state, const Run& run, const RunSpec& spec, int64_t candidate,
                         Forced& forced) {
  if (spec.random) return false;
  const int64_t lineage = state.Lineage(candidate);
  const auto row = run.lineages.find(lineage);
  if (row == run.lineages.end() || row->second.forced <= forced[lineage]) return false;
  ++forced[lineage];
  return true;
}

const Variant* SecondParent(const Pool& pool, const Variant& first, state::Rng& rng) {
  std::vector<const Variant*> others;
  for (const Variant* variant : pool.right) {
    if (variant->id != first.id) others.push_back(variant);
  }
  return others.empty() ? nullptr : others[rng.Below(others.size())];
}

Choice Repair(const state::Candidate& broken) {
  Choice choice{.kind = std::string(state::kPropose)};
  choice.candidate = broken.id;
  choice.tactic = "fix";
  choice.island = broken.island;
  choice.detail = std::string(kByRepair);
  return choice;
}

std::optional<Choice> FromParent(const State& state, const Run& run, const RunSpec& spec,
                                 const Pool& pool, int64_t number, bool explore, Forced& forced,
                                 state::Rng& rng) {
  Choice choice{.kind = std::string(state::kPropose)};
  choice.island = spec.archive ? number % spec.islands : 0;
  const auto parent = SelectParent(state, run, spec, pool, choice.island, explore, rng);
  if (!parent) return std::nullopt;
  choice.variant = parent->variant->id;
  choice.candidate = parent->variant->candidate;
  choice.detail = std::string(parent->how);
  choice.structural = MustChangeStructure(state, run, spec, choice.candidate, forced);
  if (spec.random) {
    choice.tactic = "random";
  } else {
    const std::vector<double> weights = TacticWeights(run, choice.structural, pool.right.size());
    choice.tactic = std::string(Tactics()[DrawByWeight(weights, rng)].name);
  }
  if (FindTactic(choice.tactic)->parents > 1) {
    const Variant* second = SecondParent(pool, *parent->variant, rng);
    if (second != nullptr) choice.other = second->id;
  }
  choice.pick = rng.Next() >> kPickShift;
  return choice;
}

}  // namespace

std::optional<Step> Propose(const State& state, const Run& run, const RunSpec& spec) {
  if (run.barren >= spec.barren_max) return std::nullopt;
  const Pool pool = PoolOf(state, run);
  Step step;
  const auto full = [&] { return static_cast<int64_t>(step.choices.size()) >= spec.wave_members; };
  if (spec.fixes) {
    for (const state::Candidate* broken : pool.broken) {
      if (!full()) step.choices.push_back(Repair(*broken));
    }
  }
  const bool explore = MustExplore(state, run);
  Forced forced;
  while (!full()) {
    const auto made = static_cast<int64_t>(step.choices.size());
    state::Rng rng(run.seed, static_cast<uint64_t>(run.id),
                   static_cast<uint64_t>(run.decision_no + 1 + made), state::DrawFor::kPropose);
    auto choice = FromParent(state, run, spec, pool, run.proposed + made, explore, forced, rng);
    if (!choice) break;
    step.rng_counter = std::max(step.rng_counter, rng.drawn());
    step.choices.push_back(*std::move(choice));
  }
  if (step.choices.empty()) return std::nullopt;
  step.reasons_json =
      absl::StrCat("{\"barren\":", run.barren, ",\"broken\":", pool.broken.size(),
                   ",\"explore\":", explore ? "true" : "false", ",\"passed\":", pool.passed.size(),
                   ",\"right\":", pool.right.size(), "}");
  return step;
}

std::optional<Step> Migrate(const State& state, const Run& run, const RunSpec& spec) {
  if (!spec.evolve || !spec.archive || spec.islands < 2) return std::nullopt;
  const auto charged = static_cast<int64_t>(run.confirmed_curve.size());
  if (charged / spec.migrate_every <= run.migrations) return std::nullopt;
  Step step;
  // Island 0 comes last: its decision ends the round.
  for (int64_t to = spec.islands - 1; to >= 0; --to) {
    const int64_t from = (to + spec.islands - 1) % spec.islands;
    Choice choice{.kind = std::string(state::kMigrate)};
    choice.from = from;
    choice.island = to;
    const auto elites = ElitesOf(state, run, from);
    if (!elites.empty()) {
      const Variant& guest = *elites.front();
      choice.variant = guest.id;
      auto elite = CellEliteAfter(state, run, guest, to, guest.verdict, guest.ratio_low);
      if (elite) step.elites.push_back(*std::move(elite));
    }
    step.choices.push_back(std::move(choice));
  }
  step.reasons_json = absl::StrCat("{\"charged\":", charged, "}");
  return step;
}

}  // namespace server::loop
