// The fields of the events of candidates, jobs and results. See event_fields.h.
#pragma once

#include "store/events.h"

namespace store {

template <typename V, typename E>
void VisitFields(const ParentRef*, E& e, V& v) {
  v("candidate", e.candidate);
  v("role", e.role);
}

template <typename V, typename E>
void VisitFields(const CandidateSubmitted*, E& e, V& v) {
  v("candidate", e.candidate);
  v("run", e.run);
  v("n", e.n);
  v("source_hash", e.source_hash);
  v("arm_kind", e.arm_kind);
  v("author", e.author);
  v("session", e.session);
  v("tactic", e.tactic);
  v("intent", e.intent);
  v("params_json", e.params_json);
  v("prediction_json", e.prediction_json);
  v("parents", e.parents);
  v("island", e.island);
  v("decision_no", e.decision_no);
}

template <typename V, typename E>
void VisitFields(const Checked*, E& e, V& v) {
  v("run", e.run);
  v("principal", e.principal);
  v("session", e.session);
  v("source_sha256", e.source_sha256);
  v("kept_source", e.kept_source);
  v("canon_hash", e.canon_hash);
  v("verdict", e.verdict);
  v("codes", e.codes);
  v("fingerprints", e.fingerprints);
  v("cpu_ns", e.cpu_ns);
}

template <typename V, typename E>
void VisitFields(const DiagnosticRef*, E& e, V& v) {
  v("variant", e.variant);
  v("code", e.code);
  v("category", e.category);
  v("severity", e.severity);
  v("rule_id", e.rule_id);
  v("span_begin", e.span_begin);
  v("span_end", e.span_end);
  v("fingerprint", e.fingerprint);
  v("message", e.message);
  v("body_hash", e.body_hash);
}

template <typename V, typename E>
void VisitFields(const GateOutcome*, E& e, V& v) {
  v("variant", e.variant);
  v("gate", e.gate);
  v("verifier_rev", e.verifier_rev);
  v("ruleset_hash", e.ruleset_hash);
  v("outcome", e.outcome);
  v("audit", e.audit);
  v("wall_ns", e.wall_ns);
}

template <typename V, typename E>
void VisitFields(const GatesDone*, E& e, V& v) {
  v("candidate", e.candidate);
  v("verdict", e.verdict);
  v("blame", e.blame);
  v("canon_hash", e.canon_hash);
  v("struct_hash", e.struct_hash);
  v("duplicate_of", e.duplicate_of);
  v("report_hash", e.report_hash);
  v("wall_ns", e.wall_ns);
  v("cpu_ns", e.cpu_ns);
  v("diagnostics", e.diagnostics);
  v("gates", e.gates);
  v("fixable", e.fixable);
}

template <typename V, typename E>
void VisitFields(const NewVariant*, E& e, V& v) {
  v("variant", e.variant);
  v("binding_hash", e.binding_hash);
  v("params_json", e.params_json);
  v("canon_hash", e.canon_hash);
  v("duplicate_of", e.duplicate_of);
  v("verdict", e.verdict);
  v("blame", e.blame);
  v("features", e.features);
}

template <typename V, typename E>
void VisitFields(const RejectedGroup*, E& e, V& v) {
  v("code", e.code);
  v("count", e.count);
  v("witness_params_json", e.witness_params_json);
}

template <typename V, typename E>
void VisitFields(const VariantsExpanded*, E& e, V& v) {
  v("candidate", e.candidate);
  v("members_total", e.members_total);
  v("members_seen", e.members_seen);
  v("last", e.last);
  v("verdict", e.verdict);
  v("blame", e.blame);
  v("variants", e.variants);
  v("rejected", e.rejected);
  v("gates", e.gates);
  v("diagnostics", e.diagnostics);
}

template <typename V, typename E>
void VisitFields(const Estimated*, E& e, V& v) {
  v("variant", e.variant);
  v("shape", e.shape);
  v("calibration", e.calibration);
  v("model_rev", e.model_rev);
  v("time_ns", e.time_ns);
  v("low_ns", e.low_ns);
  v("high_ns", e.high_ns);
  v("weight", e.weight);
  v("bottleneck", e.bottleneck);
  v("runner_up", e.runner_up);
  v("coverage", e.coverage);
  v("body_hash", e.body_hash);
}

template <typename V, typename E>
void VisitFields(const RankedVariant*, E& e, V& v) {
  v("variant", e.variant);
  v("rank", e.rank);
  v("kept", e.kept);
  v("why", e.why);
}

template <typename V, typename E>
void VisitFields(const Ranked*, E& e, V& v) {
  v("run", e.run);
  v("variants", e.variants);
}

template <typename V, typename E>
void VisitFields(const JobQueued*, E& e, V& v) {
  v("job", e.job);
  v("variant", e.variant);
  v("purpose", e.purpose);
  v("protocol", e.protocol);
  v("round", e.round);
  v("priority", e.priority);
  v("not_before_us", e.not_before_us);
  v("needs", e.needs);
  v("spec_hash", e.spec_hash);
}

template <typename V, typename E>
void VisitFields(const LeaseGranted*, E& e, V& v) {
  v("lease", e.lease);
  v("job", e.job);
  v("worker", e.worker);
  v("incarnation", e.incarnation);
  v("device", e.device);
  v("attempt", e.attempt);
  v("fencing_token", e.fencing_token);
}

template <typename V, typename E>
void VisitFields(const LeaseLost*, E& e, V& v) {
  v("job", e.job);
  v("fencing_token", e.fencing_token);
  v("reason", e.reason);
  v("infra", e.infra);
  v("then", e.then);
  v("not_before_us", e.not_before_us);
  v("detail", e.detail);
}

template <typename V, typename E>
void VisitFields(const StageEnded*, E& e, V& v) {
  v("job", e.job);
  v("fencing_token", e.fencing_token);
  v("stage", e.stage);
  v("wall_ns", e.wall_ns);
  v("cpu_ns", e.cpu_ns);
  v("limit_ns", e.limit_ns);
  v("end", e.end);
}

template <typename V, typename E>
void VisitFields(const BuildDone*, E& e, V& v) {
  v("key", e.key);
  v("variant", e.variant);
  v("arch", e.arch);
  v("nvrtc", e.nvrtc);
  v("cuda_hash", e.cuda_hash);
  v("cubin_hash", e.cubin_hash);
  v("log_hash", e.log_hash);
  v("regs", e.regs);
  v("spill_bytes", e.spill_bytes);
  v("smem_bytes", e.smem_bytes);
  v("ok", e.ok);
}

template <typename V, typename E>
void VisitFields(const CheckOutcome*, E& e, V& v) {
  v("name", e.name);
  v("outcome", e.outcome);
  v("detail", e.detail);
  v("evidence_hash", e.evidence_hash);
}

template <typename V, typename E>
void VisitFields(const EvaluationDone*, E& e, V& v) {
  v("evaluation", e.evaluation);
  v("job", e.job);
  v("fencing_token", e.fencing_token);
  v("verdict", e.verdict);
  v("blame", e.blame);
  v("contract_hash", e.contract_hash);
  v("device", e.device);
  v("source", e.source);
  v("replayed", e.replayed);
  v("oracle_completed", e.oracle_completed);
  v("ratio_med", e.ratio_med);
  v("ratio_low", e.ratio_low);
  v("ratio_high", e.ratio_high);
  v("time_ns", e.time_ns);
  v("receipt_hash", e.receipt_hash);
  v("samples_hash", e.samples_hash);
  v("report_hash", e.report_hash);
  v("active_ns", e.active_ns);
  v("checks", e.checks);
  v("diagnostics", e.diagnostics);
}

template <typename V, typename E>
void VisitFields(const VerdictRevised*, E& e, V& v) {
  v("variant", e.variant);
  v("evaluation", e.evaluation);
  v("verdict", e.verdict);
  v("blame", e.blame);
  v("reason", e.reason);
}

template <typename V, typename E>
void VisitFields(const LateEvidence*, E& e, V& v) {
  v("job", e.job);
  v("fencing_token", e.fencing_token);
  v("body_hash", e.body_hash);
}

}  // namespace store
