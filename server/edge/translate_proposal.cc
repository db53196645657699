// Proposals.
#include "server/edge/looking.h"
#include "server/edge/translate.h"
#include "server/state/error.h"

namespace server::edge {
namespace {

std::optional<core::ProposalDecision> DecisionOf(wire::ProposalDecision decision) {
  switch (decision) {
    case wire::PROPOSAL_DECISION_SHADOW: return core::ProposalDecision::kShadow;
    case wire::PROPOSAL_DECISION_APPROVE: return core::ProposalDecision::kApprove;
    case wire::PROPOSAL_DECISION_REJECT: return core::ProposalDecision::kReject;
    case wire::PROPOSAL_DECISION_DEMOTE: return core::ProposalDecision::kDemote;
    case wire::PROPOSAL_DECISION_RETIRE: return core::ProposalDecision::kRetire;
    default: return std::nullopt;
  }
}

}  // namespace

core::ProposeRequest FromWire(const wire::ProposeRequest& in) {
  core::ProposeRequest out;
  out.meta = FromWire(in.meta(), in);
  out.kind = in.kind();
  out.body = in.body();
  out.failures.assign(in.failures().begin(), in.failures().end());
  return out;
}

core::ProposalRequest FromWire(const wire::ProposalRequest& in) {
  core::ProposalRequest out;
  out.meta = FromWire(in.meta(), in);
  out.proposal = in.proposal();
  return out;
}

absl::StatusOr<core::DecideRequest> FromWire(const wire::DecideProposalRequest& in) {
  const auto decision = DecisionOf(in.decision());
  if (!decision) return state::BadField("decision", "must say what becomes of the proposal");
  core::DecideRequest out;
  out.meta = FromWire(in.meta(), in);
  out.proposal = in.proposal();
  out.decision = *decision;
  out.reason = in.reason();
  return out;
}

void ToWire(const core::ProposalView& in, wire::Proposal* out) {
  const state::Proposal& row = in.row;
  out->set_proposal(store::RowName('p', row.id));
  out->set_kind(row.kind);
  out->set_name(row.name);
  out->set_code(row.code);
  out->set_rev(row.rev);
  out->set_state(row.state);
  out->set_author(in.author);
  for (const auto& [gate, run] : row.gates) {
    wire::ProposalGate* one = out->add_gates();
    one->set_gate(gate);
    one->set_outcome(run.outcome);
    one->set_corpus_hash(run.corpus_hash);
    one->set_verifier_rev(run.verifier_rev);
    if (const auto report = in.reports.find(gate); report != in.reports.end()) {
      one->set_report(report->second);
    }
  }
  for (const std::string& name : in.failures) out->add_failures(name);
  out->set_judged(row.judged);
  out->set_judged_min(in.shadow_candidates_min);
  out->set_hits(row.hits.size());
  out->set_true_hits(row.true_hits.size());
  out->set_true_lineages(in.lineages);
  out->set_false_hits(row.false_hits.size());
  out->set_decided(row.decided);
  out->set_decided_by(in.decided_by);
  out->set_reason(row.reason);
  out->set_next(in.next);
  out->set_text(in.text);
}

void ToWire(const core::ProposalView& in, wire::ProposalReply* out) {
  ToWire(in, out->mutable_proposal());
}

}  // namespace server::edge
