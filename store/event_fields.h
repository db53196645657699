// The fields of every event struct, once: the JSON writer, the JSON reader and the checks all walk
// these lists. A visitor is called as visitor(name, field).
#pragma once

#include <type_traits>

#include "store/event_fields_proposal.h"
#include "store/event_fields_candidate.h"
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
  v("weight", e.weight);
  v("checks_max", e.checks_max);
  v("open_max", e.open_max);
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
