// What is proposed to the verifier, and what came of it: a part of the fold.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "store/events.h"
#include "store/types.h"

namespace server::state {

// States of a proposal, in the order of its life.
inline constexpr std::string_view kDraft = "DRAFT", kSpecimens = "SPECIMENS", kCorpus = "CORPUS",
                                  kShadow = "SHADOW", kReview = "REVIEW", kActive = "ACTIVE",
                                  kDemoted = "DEMOTED", kRejected = "REJECTED",
                                  kRetired = "RETIRED";

// The gate of a learnt rule in the log: "rule:name@3".
inline constexpr std::string_view kRuleGate = "rule:";

// The newest run of a gate over one revision.
struct GateRunRow {
  std::string corpus_hash, verifier_rev, outcome;  // outcome: PASS | FAIL
  store::ObjectHash report;
  bool operator==(const GateRunRow&) const = default;
};

struct Proposal {
  int64_t id = 0, rev = 0, author = 0;
  std::string kind, name, code, state;
  store::ObjectHash body_hash;
  std::vector<int64_t> failures;  // candidates that it was made from
  std::map<std::string, GateRunRow> gates;
  // Of this revision, asked of live candidates: how many, the members it hit, the candidates of
  // them that a device or the machine refused, and members that the oracle accepted.
  int64_t judged = 0;
  std::set<int64_t> hits, true_hits, false_hits;
  int64_t decided_by = 0;
  std::string decided, reason;  // the newest decision

  std::string RuleId() const;  // "name@3"
  bool IsAsked() const { return state == kShadow || state == kReview || state == kActive; }
  // Whether the gate passed with this corpus and these gates.
  bool Passed(std::string_view gate, std::string_view corpus_hash,
              std::string_view verifier_rev) const;
  bool operator==(const Proposal&) const = default;
};

struct State;
void Fold(State& state, const store::ProposalState& event);
void Fold(State& state, const store::Decided& event);
// What learnt rules said of a candidate's members; `first`: of the candidate for the first time.
void FoldRuleGates(State& state, const std::vector<store::GateOutcome>& gates, bool first);
// The oracle's word on a member that rules may have hit.
void FoldRuleTruth(State& state, int64_t variant, store::Verdict verdict, store::Blame blame);

}  // namespace server::state
