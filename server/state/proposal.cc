#include "server/state/proposal.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "server/state/state.h"

namespace server::state {
namespace {

bool IsAcceptedByOracle(store::Verdict verdict) {
  return store::VerdictRank(verdict) >= store::VerdictRank(store::Verdict::kCorrect);
}

Proposal* FindRule(State& state, std::string_view gate) {
  if (!gate.starts_with(kRuleGate)) return nullptr;
  gate.remove_prefix(kRuleGate.size());
  for (auto& [id, proposal] : state.proposals) {
    if (proposal.IsAsked() && proposal.RuleId() == gate) return &proposal;
  }
  return nullptr;
}

// The program that a member is a twin of has been judged already.
const Variant& JudgedMember(const State& state, const Variant& variant) {
  const auto twin = state.variants.find(variant.duplicate_of);
  return twin == state.variants.end() ? variant : twin->second;
}

}  // namespace

std::string Proposal::RuleId() const { return absl::StrCat(name, "@", rev); }

bool Proposal::Passed(std::string_view gate, std::string_view corpus_hash,
                      std::string_view verifier_rev) const {
  const auto run = gates.find(std::string(gate));
  return run != gates.end() && run->second.outcome == "PASS" &&
         run->second.corpus_hash == corpus_hash && run->second.verifier_rev == verifier_rev;
}

void Fold(State& state, const store::ProposalState& event) {
  Proposal& proposal = state.proposals[event.proposal];
  // Another revision is another text: nothing that was seen of the last one says anything of it.
  if (proposal.rev != event.rev) proposal = Proposal{.id = event.proposal, .rev = event.rev};
  proposal.author = event.author;
  proposal.kind = event.kind;
  proposal.name = event.name;
  proposal.code = event.code;
  proposal.state = event.state;
  proposal.body_hash = event.body_hash;
  proposal.failures = event.failures;
  for (const store::GateRun& run : event.gate_runs) {
    proposal.gates[run.gate] = {run.corpus_hash, run.verifier_rev, run.outcome, run.body_hash};
  }
}

void Fold(State& state, const store::Decided& event) {
  Proposal& proposal = state.proposals[event.proposal];
  proposal.decided = event.verdict;
  proposal.decided_by = event.who;
  proposal.reason = event.reason;
}

void FoldRuleGates(State& state, const std::vector<store::GateOutcome>& gates, bool first) {
  for (const store::GateOutcome& gate : gates) {
    Proposal* proposal = FindRule(state, gate.gate);
    if (proposal == nullptr) continue;
    if (gate.variant == 0) {
      proposal->judged += first ? 1 : 0;
      continue;
    }
    proposal->hits.insert(gate.variant);
    const auto variant = state.variants.find(gate.variant);
    if (variant == state.variants.end()) continue;
    const Variant& judged = JudgedMember(state, variant->second);
    FoldRuleTruth(state, gate.variant, judged.verdict, judged.blame);
  }
}

void FoldRuleTruth(State& state, int64_t variant, store::Verdict verdict, store::Blame blame) {
  const bool accepted = IsAcceptedByOracle(verdict);
  // What the gates, the ranking or the infrastructure ended says nothing.
  const bool refused = !accepted && !store::IsReject(verdict) &&
                       verdict != store::Verdict::kPending &&
                       (blame == store::Blame::kCandidate || blame == store::Blame::kSystem);
  if (!accepted && !refused) return;
  for (auto& [id, proposal] : state.proposals) {
    if (!proposal.IsAsked() || !proposal.hits.contains(variant)) continue;
    if (accepted) {
      proposal.false_hits.insert(variant);
    } else {
      proposal.true_hits.insert(state.variants.at(variant).candidate);
    }
  }
}

}  // namespace server::state
