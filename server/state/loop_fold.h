// The part of the fold that only the loop reads: proposals and what became of them, the archive,
// lineages. Called by Apply and by nothing else.
#pragma once

#include "server/state/state.h"

namespace server::state {

// A decision of the kinds PROPOSE, NO_PROPOSAL or MIGRATE; others change nothing here.
void FoldDecision(State& state, Run& run, int64_t decision_no, const Choice& choice);

// The candidate carries out a proposal: it is no longer pending, and inherits what it was for.
void FoldProposed(State& state, Run& run, Candidate& candidate, int64_t decision_no);

// A new program passed the gates.
void FoldPassed(Run& run, const Candidate& candidate);

// An evaluation that was charged: the score of the best right program so far, whether it beats the
// baseline or not, and counts of its cell, its tactic and its lineage.
void FoldCharged(State& state, Run& run, const Variant& variant);

}  // namespace server::state
