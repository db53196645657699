// Candidates with their members and what those came to.
#include <algorithm>

#include "server/core/context.h"
#include "server/edge/translate.h"
#include "server/edge/translate_words.h"

namespace server::edge {
namespace {

uint64_t Count(int64_t value) { return static_cast<uint64_t>(value); }

void EvaluationOf(const core::Evaluated& in, wire::Evaluation* out) {
  out->set_ratio_med(in.row.ratio_med);
  out->set_ratio_low(in.row.ratio_low);
  out->set_ratio_high(in.row.ratio_high);
  out->set_time_ns(in.row.time_ns);
  out->set_source(ToWire(in.row.source));
  out->set_device(in.device);
  out->set_simulated(in.simulated);
  out->set_at_unix_us(in.row.at_us);
}

void MemberOf(const core::CandidateView::Member& in, wire::Variant* out) {
  out->set_binding(in.row.params_json);
  out->set_verdict(ToWire(in.row.verdict));
  out->set_blame(ToWire(in.row.blame));
  out->set_canon_hash(in.row.canon_hash);
  out->set_estimate_ns(in.row.PredictedNs());
  out->set_bottleneck(in.row.bottleneck);
  out->set_rank(static_cast<uint32_t>(in.row.rank));
  out->set_rank_why(in.row.why);
  out->set_estimate_low_ns(in.low_ns);
  out->set_estimate_high_ns(in.high_ns);
  if (in.row.PredictedNs() > 0) {
    out->set_coverage(in.rank_only ? wire::COVERAGE_RANK_ONLY : wire::COVERAGE_CALIBRATED);
  }
  for (const state::Job& job : in.jobs) {
    wire::Evaluation* evaluation = out->add_evaluations();
    evaluation->set_purpose(std::string(store::ToString(job.purpose)));
    evaluation->set_protocol(job.protocol);
    evaluation->set_round(static_cast<uint32_t>(job.round));
    evaluation->set_verdict(ToWire(job.verdict));
    evaluation->set_blame(ToWire(job.blame));
    evaluation->set_receipt(job.receipt_hash.hex);
    const auto ended = std::find_if(in.evaluations.begin(), in.evaluations.end(),
                                    [&](const auto& one) { return one.row.job == job.id; });
    if (ended != in.evaluations.end()) EvaluationOf(*ended, evaluation);
  }
}

}  // namespace

void ToWire(const core::CandidateView& in, wire::Candidate* out) {
  out->set_id(in.row.Name());
  out->set_run(core::RunName(in.row.run));
  out->set_experiment(in.experiment);
  out->set_workload(in.workload);
  out->set_content_hash(in.row.source_hash.hex);
  out->set_kind(in.row.arm_kind);
  out->set_source(in.source);
  for (const std::string& parent : in.parents) out->add_parents(parent);
  out->set_intent(in.intent);
  out->set_tactic(in.tactic);
  out->set_author(in.author);
  out->set_agent_session(in.row.session);
  out->set_verdict(ToWire(in.judged.verdict));
  out->set_blame(ToWire(in.judged.blame));
  out->set_duplicate_of(in.duplicate_of);
  out->set_created_unix_us(in.row.created_us);
  out->set_created_seq(Count(in.row.created_seq));
  ToWire(in.progress, out->mutable_progress());
  if (!in.report.member_json.empty()) ToWire(in.report, out->mutable_report());
  out->set_objective_source(ToWire(in.objective));
  if (in.judged.best != nullptr) out->set_best_estimate_ns(in.judged.best->PredictedNs());
  if (in.imported) EvidenceOf(*in.imported, in.source_run, out->mutable_imported());
  for (const core::CandidateView::Member& member : in.members)
    MemberOf(member, out->add_variants());
}

}  // namespace server::edge
