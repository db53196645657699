// What becomes of gated rules: decisions of people, and what follows from the log by itself.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"
#include "server/core/page_token.h"
#include "server/core/rules.h"

namespace server::core {
namespace {

using state::Proposal;

constexpr size_t kWhyBytesMax = 2 * 1024;

struct Transition {
  ProposalDecision decision;
  std::vector<std::string_view> from;
  std::string_view to, verdict;  // verdict of the Decided event; "": none is written
};

const std::vector<Transition>& Transitions() {
  static const std::vector<Transition>* const kAll = new std::vector<Transition>{
      {ProposalDecision::kShadow, {state::kCorpus}, state::kShadow, ""},
      {ProposalDecision::kApprove, {state::kReview}, state::kActive, "APPROVE"},
      {ProposalDecision::kReject,
       {state::kDraft, state::kSpecimens, state::kCorpus, state::kShadow, state::kReview},
       state::kRejected,
       "REJECT"},
      {ProposalDecision::kDemote, {state::kActive}, state::kDemoted, "UNDO"},
      {ProposalDecision::kRetire, {state::kActive, state::kDemoted}, state::kRetired, "UNDO"},
  };
  return *kAll;
}

// People approve: a token of an agent, a worker or a researcher does not.
bool IsPerson(const state::State& state, int64_t principal) {
  const auto found = state.principals.find(principal);
  return found != state.principals.end() && !found->second.revoked &&
         (found->second.role == "operator" || found->second.role == "all");
}

}  // namespace

absl::StatusOr<ProposalView> Rules::Decide(const DecideRequest& request) {
  if (auto status = CheckRequestId(request.meta); !status.ok()) return status;
  if (auto status = CheckServing(c_); !status.ok()) return status;
  auto known = Named(request.proposal);
  if (!known.ok()) return known.status();
  auto answered = c_.ledger.Answered(IdempotencyOf(c_, "DecideProposal", request.meta));
  if (!answered.ok()) return answered.status();
  if (answered->has_value()) return ViewOf(**known, true);
  if (request.reason.empty() || request.reason.size() > kWhyBytesMax) {
    return state::BadField("reason", "must have 1..2048 bytes");
  }
  const Proposal& proposal = **known;
  const auto& all = Transitions();
  const auto step = std::find_if(all.begin(), all.end(), [&](const Transition& one) {
    return one.decision == request.decision;
  });
  if (std::find(step->from.begin(), step->from.end(), proposal.state) == step->from.end()) {
    return state::BadField("proposal",
                           absl::StrCat("is ", proposal.state, "; ", ViewOf(proposal, false).next));
  }
  if (request.decision == ProposalDecision::kApprove) {
    if (!IsPerson(c_.state(), c_.principal)) {
      return state::Error(state::Reason::kRole, "a person approves: an operator's token");
    }
    if (proposal.author == c_.principal) {
      return state::Error(state::Reason::kRole, "an author cannot approve their own rule");
    }
  }
  store::Batch batch;
  batch.idem = IdempotencyOf(c_, "DecideProposal", request.meta);
  batch.reply = request.proposal;
  if (!step->verdict.empty()) {
    batch.events.push_back(store::Decided{.proposal = proposal.id,
                                          .rev = proposal.rev,
                                          .who = c_.principal,
                                          .verdict = std::string(step->verdict),
                                          .reason = request.reason});
  }
  batch.events.push_back(EventOf(proposal, step->to));
  if (auto done = c_.ledger.Commit(std::move(batch)); !done.ok()) return done.status();
  return ViewOf(c_.state().proposals.at(proposal.id), true);
}

absl::StatusOr<ProposalView> Rules::Show(const std::string& proposal) {
  auto known = Named(proposal);
  if (!known.ok()) return known.status();
  return ViewOf(**known, true);
}

absl::StatusOr<PageOf<ProposalView>> Rules::List(const PageRequest& request) {
  auto cursor = ReadCursor('p', request);
  if (!cursor.ok()) return cursor.status();
  const auto& proposals = c_.state().proposals;
  std::vector<ProposalView> views;
  auto it = cursor->before == 0 ? proposals.end() : proposals.lower_bound(cursor->before);
  while (it != proposals.begin() && static_cast<int64_t>(views.size()) < cursor->limit) {
    views.push_back(ViewOf((--it)->second, false));
  }
  auto page =
      CutRows(*cursor, std::move(views), [](const ProposalView& view) { return view.row.id; });
  page.as_of_seq = c_.state().last_seq;
  return page;
}

// Rules in the order of their proposals; shadow ones are the first to be left out where too many
// would be asked.
const std::vector<GateRule>& Rules::Asked() {
  std::string key;
  for (const auto& [id, proposal] : c_.state().proposals) {
    if (proposal.IsAsked()) absl::StrAppend(&key, proposal.RuleId(), proposal.state, "\n");
  }
  if (key == asked_key_) return asked_;
  asked_key_ = key;
  asked_.clear();
  for (const bool shadow : {false, true}) {
    for (const auto& [id, proposal] : c_.state().proposals) {
      const bool is_shadow = proposal.state != state::kActive;
      if (!proposal.IsAsked() || is_shadow != shadow || asked_.size() == kRulesAskedMax) continue;
      auto text = c_.ledger.Object(proposal.body_hash);
      if (!text.ok()) {
        asked_key_ = "?";  // the store has no answer now: it is asked again
        continue;
      }
      asked_.push_back({proposal.RuleId(), shadow, *std::move(text)});
    }
  }
  return asked_;
}

bool Rules::Step() {
  for (const auto& [id, proposal] : c_.state().proposals) {
    if (Follow(proposal)) return true;  // what the loop stands on has changed
  }
  return false;
}

// The next state of one, if it has come to that.
bool Rules::Follow(const Proposal& proposal) {
  if (proposal.kind != "rule") return false;
  const bool gated = proposal.state == state::kCorpus || proposal.IsAsked();
  // What was approved is this text against this corpus by these gates: any change voids it.
  if (gated && !proposal.Passed("corpus", corpus_hash_, kVerifierRev)) {
    return Move(proposal, state::kSpecimens).ok();
  }
  if (!proposal.IsAsked()) return false;
  const size_t lineages = LineagesOf(c_.state(), proposal.true_hits);
  const auto ends = [&](std::string_view to, const char* outcome) {
    const nlohmann::json report = {{"candidates", proposal.judged},
                                   {"hits", proposal.hits.size()},
                                   {"true_hits", proposal.true_hits.size()},
                                   {"lineages", lineages},
                                   {"accepted_by_oracle", proposal.false_hits.size()}};
    const store::GateRun run{.gate = "shadow",
                             .corpus_hash = corpus_hash_,
                             .verifier_rev = std::string(kVerifierRev),
                             .outcome = outcome};
    return Move(proposal, to, {run}, {report.dump()}).ok();
  };
  if (!proposal.false_hits.empty()) {
    return ends(proposal.state == state::kActive ? state::kDemoted : state::kRejected, "FAIL");
  }
  const bool seen = proposal.judged >= c_.limits.shadow_candidates_min &&
                    proposal.true_hits.size() >= kTrueHitsMin && lineages >= kTrueHitLineagesMin;
  if (proposal.state == state::kShadow && seen) return ends(state::kReview, "PASS");
  return false;
}

ProposalView Rules::ViewOf(const Proposal& proposal, bool whole) {
  ProposalView view;
  view.row = proposal;
  const auto name = [&](int64_t id) {
    const auto found = c_.state().principals.find(id);
    return found == c_.state().principals.end() ? std::string() : found->second.name;
  };
  view.author = name(proposal.author);
  view.decided_by = name(proposal.decided_by);
  for (const int64_t id : proposal.failures) {
    view.failures.push_back(c_.state().candidates.at(id).Name());
  }
  view.lineages = static_cast<int64_t>(LineagesOf(c_.state(), proposal.true_hits));
  view.shadow_candidates_min = c_.limits.shadow_candidates_min;
  const std::string id = store::RowName('p', proposal.id);
  if (proposal.state == state::kDraft) {
    view.next = "its own programs are not as they must be: mend the rule and gate it again";
  } else if (proposal.state == state::kSpecimens) {
    view.next = absl::StrCat("cake rule gate ", id);
  } else if (proposal.state == state::kCorpus) {
    view.next = absl::StrCat("cake rule shadow ", id, " --reason WHY");
  } else if (proposal.state == state::kShadow) {
    view.next = absl::StrCat(
        "it is asked of candidates: ", proposal.judged, " of ", c_.limits.shadow_candidates_min,
        " so far, ", proposal.true_hits.size(), " true hits in ", view.lineages, " lineages; ",
        kTrueHitsMin, " in ", kTrueHitLineagesMin, " are needed");
  } else if (proposal.state == state::kReview) {
    view.next = absl::StrCat("cake rule approve ", id, " --reason WHY, by somebody else than ",
                             view.author);
  } else if (proposal.state == state::kActive) {
    view.next = absl::StrCat("cake rule demote ", id, " --reason WHY");
  } else {
    view.next = "another revision of its file may be gated";
  }
  if (!whole) return view;
  if (auto text = c_.ledger.Object(proposal.body_hash); text.ok()) view.text = *std::move(text);
  for (const auto& [gate, run] : proposal.gates) {
    if (run.report.hex.empty()) continue;
    if (auto report = c_.ledger.Object(run.report); report.ok()) view.reports[gate] = *report;
  }
  return view;
}

}  // namespace server::core
