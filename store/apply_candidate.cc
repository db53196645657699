#include <cmath>

#include "absl/strings/str_cat.h"
#include "store/apply_body.h"
#include "store/error.h"
#include "store/try.h"

namespace store {
namespace {

absl::Status InsertGates(Database& db, int64_t candidate, const std::vector<GateOutcome>& gates) {
  for (const GateOutcome& gate : gates) {
    CAKE_STORE_TRY(
        db.Run("INSERT INTO gate_result(candidate_id, variant_id, gate, verifier_rev, ruleset_hash,"
               " outcome, audit, wall_ns) VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
               candidate, Opt(gate.variant), gate.gate, gate.verifier_rev, gate.ruleset_hash,
               gate.outcome, gate.audit, gate.wall_ns));
  }
  return absl::OkStatus();
}

absl::Status InsertVariants(Database& db, int64_t candidate,
                            const std::vector<NewVariant>& variants) {
  for (const NewVariant& v : variants) {
    CAKE_STORE_TRY(
        db.Run("INSERT INTO variant(id, candidate_id, binding_hash, params_json, canon_hash,"
               " duplicate_of, verdict, blame) VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
               v.variant, candidate, v.binding_hash, v.params_json, Opt(v.canon_hash),
               Opt(v.duplicate_of), v.verdict, v.blame));
  }
  return absl::OkStatus();
}

// The best verdict among the variants; ties go to the oldest variant.
absl::Status BestOfVariants(Database& db, int64_t candidate, Verdict& verdict, Blame& blame) {
  Statement rows = db.Use(
      "SELECT verdict, blame FROM variant WHERE candidate_id = ?1 AND verdict IS NOT NULL"
      " GROUP BY verdict, blame ORDER BY min(id)");
  rows.Bind(candidate);
  for (;;) {
    CAKE_STORE_ASSIGN(const bool more, rows.Step());
    if (!more) return absl::OkStatus();
    Verdict each = Verdict::kPending;
    Blame each_blame = Blame::kUnset;
    rows.Get(each).Get(each_blame);
    if (VerdictRank(each) > VerdictRank(verdict)) {
      verdict = each;
      blame = each_blame;
    }
  }
}

// Weighted geometric mean over the newest estimate of each shape. Weight 0 does not count.
struct GeometricMean {
  double log_sum = 0, weight_sum = 0, single = 0;
  int count = 0;
  void Add(double value, double weight) {
    single = value;
    ++count;
    log_sum += weight * std::log(value);
    weight_sum += weight;
  }
  // One value is itself: no rounding through the logarithm.
  double Value() const {
    if (count == 0) return 0;
    return count == 1 ? single : std::exp(log_sum / weight_sum);
  }
};

absl::Status RefreshPrediction(Database& db, int64_t variant) {
  GeometricMean time, low, high;
  {
    Statement rows = db.Use(
        "SELECT time_ns, low_ns, high_ns, weight, max(seq) FROM estimate"
        " WHERE variant_id = ?1 GROUP BY shape ORDER BY shape");
    rows.Bind(variant);
    for (;;) {
      CAKE_STORE_ASSIGN(const bool more, rows.Step());
      if (!more) break;
      const double weight = rows.Real(3);
      if (weight <= 0 || rows.Real(0) <= 0 || rows.Real(1) <= 0 || rows.Real(2) <= 0) continue;
      time.Add(rows.Real(0), weight);
      low.Add(rows.Real(1), weight);
      high.Add(rows.Real(2), weight);
    }
  }
  return db.Run(
      "UPDATE variant SET predicted_ns = ?2, predicted_low_ns = ?3, predicted_high_ns = ?4"
      " WHERE id = ?1",
      variant, Opt(time.Value()), Opt(low.Value()), Opt(high.Value()));
}

}  // namespace

absl::Status InsertDiagnostics(Database& db, int64_t candidate, int64_t evaluation,
                               const std::vector<DiagnosticRef>& diagnostics) {
  for (const DiagnosticRef& d : diagnostics) {
    CAKE_STORE_TRY(
        db.Run("INSERT INTO diagnostic(candidate_id, variant_id, evaluation_id, code, category,"
               " severity, rule_id, span_start, span_end, fingerprint, message, body_hash)"
               " VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)",
               candidate, Opt(d.variant), Opt(evaluation), d.code, d.category, d.severity,
               Opt(d.rule_id), d.span_begin, d.span_end, d.fingerprint, d.message, d.body_hash));
  }
  return absl::OkStatus();
}

absl::Status RefreshCandidate(Database& db, int64_t candidate) {
  Verdict verdict = Verdict::kPending;
  Blame blame = Blame::kUnset;
  CAKE_STORE_TRY(BestOfVariants(db, candidate, verdict, blame));
  if (verdict == Verdict::kPending) {
    Statement row = db.Use("SELECT gates_verdict, gates_blame FROM candidate WHERE id = ?1");
    CAKE_STORE_ASSIGN(const bool found, row.Bind(candidate).Step());
    if (found) row.Get(verdict).Get(blame);
  }
  return db.Run(
      "UPDATE candidate SET verdict = ?2, blame = ?3, best_ratio_low ="
      " (SELECT max(e.ratio_low) FROM v_evaluation e WHERE e.candidate_id = ?1"
      "  AND e.source = 'MEASURED' AND e.verdict IN ('CORRECT', 'IMPROVED', 'CONFIRMED'))"
      " WHERE id = ?1",
      candidate, verdict, blame);
}

absl::Status ApplyBody(Database& db, const Event& event, const CandidateSubmitted& e) {
  CAKE_STORE_TRY(
      db.Run("UPDATE run SET candidates = ?2"
             " WHERE id = ?1 AND candidates = ?2 - 1 AND state <> 'STOPPED'",
             e.run, e.n));
  CAKE_STORE_TRY(ChangedOne(db, "the run is stopped or unknown, or n is not the next number"));
  CAKE_STORE_TRY(db.Run(
      "INSERT INTO candidate(id, run_id, n, source_hash, arm_kind, author_id, session_id, tactic,"
      " intent, params_json, prediction_json, gates_done, expanded, members_total, members_seen,"
      " created_us, created_seq)"
      " VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, 0, 0, 0, 0, ?12, ?13)",
      e.candidate, e.run, e.n, e.source_hash, e.arm_kind, Opt(e.author), Opt(e.session),
      Opt(e.tactic), Opt(e.intent), Opt(e.params_json), Opt(e.prediction_json), event.at_us,
      event.seq));
  for (const ParentRef& parent : e.parents) {
    CAKE_STORE_TRY(db.Run("INSERT INTO parent(child_id, parent_id, role) VALUES(?1, ?2, ?3)",
                          e.candidate, parent.candidate, parent.role));
  }
  return absl::OkStatus();
}

absl::Status ApplyBody(Database& db, const Event& event, const Checked& e) {
  CAKE_STORE_TRY(db.Run(
      "INSERT INTO check_trace(seq, run_id, principal_id, session_id, source_sha256, kept_source,"
      " canon_hash, verdict, cpu_ns) VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
      event.seq, Opt(e.run), e.principal, Opt(e.session), e.source_sha256, e.kept_source,
      Opt(e.canon_hash), e.verdict, e.cpu_ns));
  for (size_t i = 0; i < e.codes.size(); ++i) {
    const std::string fingerprint = i < e.fingerprints.size() ? e.fingerprints[i] : "";
    CAKE_STORE_TRY(
        db.Run("INSERT INTO check_code(seq, pos, code, fingerprint)"
               " VALUES(?1, ?2, ?3, ?4)",
               event.seq, i, e.codes[i], Opt(fingerprint)));
  }
  return absl::OkStatus();
}

absl::Status ApplyBody(Database& db, const Event&, const GatesDone& e) {
  CAKE_STORE_TRY(db.Run(
      "UPDATE candidate SET gates_done = 1, gates_verdict = ?2, gates_blame = ?3, canon_hash = ?4,"
      " struct_hash = ?5, duplicate_of = ?6, report_hash = ?7 WHERE id = ?1 AND gates_done = 0",
      e.candidate, e.verdict, e.blame, Opt(e.canon_hash), Opt(e.struct_hash), Opt(e.duplicate_of),
      e.report_hash));
  CAKE_STORE_TRY(ChangedOne(db, "the candidate's gates are done already"));
  CAKE_STORE_TRY(InsertDiagnostics(db, e.candidate, 0, e.diagnostics));
  CAKE_STORE_TRY(InsertGates(db, e.candidate, e.gates));
  return RefreshCandidate(db, e.candidate);
}

absl::Status ApplyBody(Database& db, const Event&, const VariantsExpanded& e) {
  CAKE_STORE_TRY(db.Run(
      "UPDATE candidate SET members_total = ?2, members_seen = ?3, expanded = ?4,"
      " gates_verdict = coalesce(?5, gates_verdict), gates_blame = coalesce(?6, gates_blame)"
      " WHERE id = ?1 AND gates_done = 1 AND expanded = 0 AND members_seen <= ?3 AND ?3 <= ?2",
      e.candidate, e.members_total, e.members_seen, e.last, e.verdict, e.blame));
  CAKE_STORE_TRY(ChangedOne(
      db, "the family is expanded already, its gates are not done, or the cursor moved back"));
  CAKE_STORE_TRY(InsertVariants(db, e.candidate, e.variants));
  for (const RejectedGroup& group : e.rejected) {
    CAKE_STORE_TRY(
        db.Run("INSERT INTO rejected_group(candidate_id, code, count, witness_params_json)"
               " VALUES(?1, ?2, ?3, ?4) ON CONFLICT(candidate_id, code) DO UPDATE SET"
               " count = count + excluded.count",
               e.candidate, group.code, group.count, group.witness_params_json));
  }
  CAKE_STORE_TRY(InsertGates(db, e.candidate, e.gates));
  CAKE_STORE_TRY(InsertDiagnostics(db, e.candidate, 0, e.diagnostics));
  return RefreshCandidate(db, e.candidate);
}

absl::Status ApplyBody(Database& db, const Event& event, const Estimated& e) {
  CAKE_STORE_TRY(db.Run(
      "INSERT OR REPLACE INTO estimate(variant_id, shape, calibration_id, model_rev, time_ns,"
      " low_ns, high_ns, weight, bottleneck, runner_up, coverage, body_hash, seq)"
      " VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)",
      e.variant, e.shape, e.calibration, e.model_rev, e.time_ns, e.low_ns, e.high_ns, e.weight,
      e.bottleneck, Opt(e.runner_up), e.coverage, e.body_hash, event.seq));
  return RefreshPrediction(db, e.variant);
}

absl::Status ApplyBody(Database& db, const Event&, const Ranked& e) {
  for (const RankedVariant& v : e.variants) {
    CAKE_STORE_TRY(db.Run("UPDATE variant SET rank = ?2, rank_why = ?3 WHERE id = ?1", v.variant,
                          v.rank, Opt(v.why)));
    CAKE_STORE_TRY(ChangedOne(db, absl::StrCat("no variant ", v.variant).c_str()));
    if (v.kept) continue;
    CAKE_STORE_TRY(
        db.Run("UPDATE variant SET verdict = 'RANKED_OUT', blame = 'NONE'"
               " WHERE id = ?1 AND verdict IS NULL",
               v.variant));
    CAKE_STORE_ASSIGN(const int64_t candidate,
                      db.Int("SELECT candidate_id FROM variant WHERE id = ?1", v.variant));
    CAKE_STORE_TRY(RefreshCandidate(db, candidate));
  }
  return absl::OkStatus();
}

absl::Status ApplyBody(Database& db, const Event& event, const VerdictRevised& e) {
  CAKE_STORE_TRY(
      db.Run("INSERT INTO verdict_revision(seq, variant_id, evaluation_id, verdict, blame, reason)"
             " VALUES(?1, ?2, ?3, ?4, ?5, ?6)",
             event.seq, e.variant, Opt(e.evaluation), e.verdict, e.blame, e.reason));
  CAKE_STORE_TRY(db.Run("UPDATE variant SET verdict = ?2, blame = ?3 WHERE id = ?1", e.variant,
                        e.verdict, e.blame));
  CAKE_STORE_ASSIGN(const int64_t candidate,
                    db.Int("SELECT candidate_id FROM variant WHERE id = ?1", e.variant));
  return RefreshCandidate(db, candidate);
}

}  // namespace store
