#include "server/state/loop_fold.h"

#include <algorithm>

namespace server::state {
namespace {

bool ChangedStructure(const State& state, const Candidate& candidate) {
  if (candidate.parents.empty()) return true;
  const auto parent = state.candidates.find(candidate.parents.front());
  return parent == state.candidates.end() || parent->second.struct_hash != candidate.struct_hash;
}

void FoldLineage(State& state, Run& run, const Candidate& candidate, double merit) {
  LineageRow& row = run.lineages[state.Lineage(candidate.id)];
  row.best = std::max(row.best, merit);
  if (row.base <= 0) row.base = row.best;
  if (row.best >= row.base * kParamOnlyGainMin) {
    row.param_only = 0;
    row.base = row.best;
    return;
  }
  if (ChangedStructure(state, candidate) || ++row.param_only < kParamOnlyMax) return;
  row.forced = kForcedChildren;
  row.param_only = 0;
}

}  // namespace

void FoldDecision(State& state, Run& run, int64_t decision_no, const Choice& choice) {
  if (choice.kind == kPropose) {
    run.proposals[decision_no] = choice;
    ++run.proposed;
    const auto candidate = state.candidates.find(choice.candidate);
    if (candidate == state.candidates.end()) return;
    if (choice.tactic == "fix") candidate->second.repaired = true;
    const auto lineage = run.lineages.find(state.Lineage(choice.candidate));
    if (choice.structural && lineage != run.lineages.end() && lineage->second.forced > 0) {
      --lineage->second.forced;
    }
  } else if (choice.kind == kNoProposal) {
    const auto proposal = run.proposals.find(choice.from);
    if (proposal == run.proposals.end()) return;
    TacticReturn& tactic = run.tactics[proposal->second.tactic];
    ++tactic.tries;
    ++tactic.barren;
    ++run.barren;
    run.proposals.erase(proposal);
  } else if (choice.kind == kMigrate && choice.island == 0) {
    ++run.migrations;  // the ring closes at island 0: once a round
  }
}

void FoldProposed(State& state, Run& run, Candidate& candidate, int64_t decision_no) {
  const auto proposal = run.proposals.find(decision_no);
  if (proposal == run.proposals.end()) return;
  candidate.parent_variant = proposal->second.variant;
  const auto parent = state.candidates.find(proposal->second.candidate);
  if (candidate.tactic == "fix" && parent != state.candidates.end()) {
    candidate.repair_depth = parent->second.repair_depth + 1;
  }
  ++run.tactics[candidate.tactic].tries;
  ++run.barren;
  run.proposals.erase(proposal);
}

void FoldPassed(Run& run, const Candidate& candidate) {
  run.barren = 0;
  if (!candidate.tactic.empty()) ++run.tactics[candidate.tactic].passed;
}

void FoldCharged(State& state, Run& run, const Variant& variant) {
  const Candidate& candidate = state.candidates.at(variant.candidate);
  ++run.visits[state.CellOf(variant)];
  const bool right =
      store::VerdictRank(variant.verdict) >= store::VerdictRank(store::Verdict::kCorrect);
  const double merit = right ? state.MeritOf(run, variant) : 0;
  // Merit and score order programs alike; the score keeps its unit.
  const double score = store::HasRatios(run.objective) ? merit : merit > 0 ? -1e6 / merit : 0;
  const double last = run.score_curve.empty() ? 0 : run.score_curve.back();
  run.score_curve.push_back(score == 0 ? last : last == 0 ? score : std::max(last, score));
  FoldLineage(state, run, candidate, merit);
  if (candidate.tactic.empty()) return;
  TacticReturn& tactic = run.tactics[candidate.tactic];
  ++tactic.evaluated;
  const auto parent = state.variants.find(candidate.parent_variant);
  const double before = parent == state.variants.end() ? 0 : state.MeritOf(run, parent->second);
  if (merit > before) ++tactic.improved;
}

}  // namespace server::state
