// The fields of every event struct, once: the JSON writer, the JSON reader and the checks all walk
// these lists. A visitor is called as visitor(name, field).
#pragma once

#include <type_traits>

#include "store/event_fields_proposal.h"
#include "store/events.h"

namespace store {

template <typename V, typename E>
void VisitFields(const PrincipalChanged*, E& e, V& v) {
  v("principal", e.principal);
  v("name", e.name);
  v("role", e.role);
  v("token_hash", e.token_hash);
  v("experiment", e.experiment);
  v("revoked", e.revoked);
}

template <typename V, typename E>
void VisitFields(const WorkloadRegistered*, E& e, V& v) {
  v("workload", e.workload);
  v("name", e.name);
  v("hash", e.hash);
  v("text_hash", e.text_hash);
  v("canon_hash", e.canon_hash);
  v("imported", e.imported);
}

template <typename V, typename E>
void VisitFields(const ExperimentCreated*, E& e, V& v) {
  v("experiment", e.experiment);
  v("name", e.name);
  v("spec_hash", e.spec_hash);
  v("visibility", e.visibility);
}

template <typename V, typename E>
void VisitFields(const ExperimentSealed*, E& e, V& v) {
  v("experiment", e.experiment);
  v("state", e.state);
}

template <typename V, typename E>
void VisitFields(const BudgetLimit*, E& e, V& v) {
  v("kind", e.kind);
  v("limit", e.limit);
}

template <typename V, typename E>
void VisitFields(const RunStateChanged*, E& e, V& v) {
  v("run", e.run);
  v("state", e.state);
  v("reason", e.reason);
  v("experiment", e.experiment);
  v("arm", e.arm);
  v("repeat_no", e.repeat_no);
  v("seed", e.seed);
  v("workload", e.workload);
  v("contract_hash", e.contract_hash);
  v("objective", e.objective);
  v("spec_hash", e.spec_hash);
  v("budgets", e.budgets);
  v("import", e.import);
  v("source_run", e.source_run);
}

template <typename V, typename E>
void VisitFields(const Decision*, E& e, V& v) {
  v("run", e.run);
  v("decision_no", e.decision_no);
  v("kind", e.kind);
  v("inputs_through_seq", e.inputs_through_seq);
  v("rng_counter", e.rng_counter);
  v("chosen_json", e.chosen_json);
  v("reasons_json", e.reasons_json);
}

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

template <typename V, typename E>
void VisitFields(const EliteChanged*, E& e, V& v) {
  v("run", e.run);
  v("source", e.source);
  v("island", e.island);
  v("cell", e.cell);
  v("variant", e.variant);
  v("score", e.score);
}

template <typename V, typename E>
void VisitFields(const PlateauDetected*, E& e, V& v) {
  v("run", e.run);
  v("detected_at", e.detected_at);
  v("point", e.point);
}

template <typename V, typename E>
void VisitFields(const BudgetReserved*, E& e, V& v) {
  v("run", e.run);
  v("kind", e.kind);
  v("amount", e.amount);
  v("job", e.job);
}

template <typename V, typename E>
void VisitFields(const BudgetSettled*, E& e, V& v) {
  v("run", e.run);
  v("kind", e.kind);
  v("reserved", e.reserved);
  v("spent", e.spent);
  v("job", e.job);
}

template <typename V, typename E>
void VisitFields(const BudgetRefunded*, E& e, V& v) {
  v("run", e.run);
  v("kind", e.kind);
  v("amount", e.amount);
  v("job", e.job);
}

template <typename V, typename E>
void VisitFields(const UsageReported*, E& e, V& v) {
  v("run", e.run);
  v("session", e.session);
  v("model", e.model);
  v("source", e.source);
  v("input", e.input);
  v("cached", e.cached);
  v("output", e.output);
  v("reasoning", e.reasoning);
}

template <typename V, typename E>
void VisitFields(const FindingOpened*, E& e, V& v) {
  v("finding", e.finding);
  v("fingerprint", e.fingerprint);
  v("route", e.route);
  v("title", e.title);
  v("candidates", e.candidates);
}

template <typename V, typename E>
void VisitFields(const FindingUpdated*, E& e, V& v) {
  v("finding", e.finding);
  v("state", e.state);
  v("candidates", e.candidates);
  v("minimised_hash", e.minimised_hash);
}

template <typename V, typename E>
void VisitFields(const NoiseFloor*, E& e, V& v) {
  v("kernel_class", e.kernel_class);
  v("floor", e.floor);
}

template <typename V, typename E>
void VisitFields(const DeviceState*, E& e, V& v) {
  v("device", e.device);
  v("uuid", e.uuid);
  v("name", e.name);
  v("arch", e.arch);
  v("driver", e.driver);
  v("state", e.state);
  v("simulated", e.simulated);
  v("noise", e.noise);
  v("reason", e.reason);
}

template <typename V, typename E>
void VisitFields(const WorkerState*, E& e, V& v) {
  v("worker", e.worker);
  v("name", e.name);
  v("incarnation", e.incarnation);
  v("state", e.state);
  v("device", e.device);
  v("capabilities", e.capabilities);
}

template <typename V, typename E>
void VisitFields(const AdminAction*, E& e, V& v) {
  v("who", e.who);
  v("action", e.action);
  v("subject", e.subject);
  v("reason", e.reason);
  v("object_hash", e.object_hash);
}

template <typename V, typename E>
void VisitFields(const EvidenceImported*, E& e, V& v) {
  v("import", e.import);
  v("who", e.who);
  v("manifest_hash", e.manifest_hash);
  v("log_hash", e.log_hash);
  v("campaign", e.campaign);
  v("git", e.git);
  v("script", e.script);
  v("bundle", e.bundle);
  v("device", e.device);
  v("driver", e.driver);
  v("simulated", e.simulated);
  v("events", e.events);
}

// Walks the fields of `e`, const or not.
template <typename E, typename V>
void ForEachField(E& e, V& v) {
  VisitFields(static_cast<const std::remove_const_t<E>*>(nullptr), e, v);
}

}  // namespace store
