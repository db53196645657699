// The fields of events about proposals: a part of event_fields.h.
#pragma once

#include "store/events.h"

namespace store {

template <typename V, typename E>
void VisitFields(const GateRun*, E& e, V& v) {
  v("gate", e.gate);
  v("corpus_hash", e.corpus_hash);
  v("verifier_rev", e.verifier_rev);
  v("outcome", e.outcome);
  v("body_hash", e.body_hash);
}

template <typename V, typename E>
void VisitFields(const ProposalState*, E& e, V& v) {
  v("proposal", e.proposal);
  v("kind", e.kind);
  v("rev", e.rev);
  v("name", e.name);
  v("body_hash", e.body_hash);
  v("state", e.state);
  v("author", e.author);
  v("gate_runs", e.gate_runs);
  v("code", e.code);
  v("failures", e.failures);
}

template <typename V, typename E>
void VisitFields(const Decided*, E& e, V& v) {
  v("proposal", e.proposal);
  v("rev", e.rev);
  v("who", e.who);
  v("verdict", e.verdict);
  v("reason", e.reason);
}

template <typename V, typename E>
void VisitFields(const CalibrationActivated*, E& e, V& v) {
  v("calibration", e.calibration);
  v("device_arch", e.device_arch);
  v("version", e.version);
  v("body_hash", e.body_hash);
}

}  // namespace store
