#include "absl/strings/str_cat.h"
#include "store/apply_body.h"
#include "store/error.h"
#include "store/try.h"

namespace store {
namespace {

// A run moves CREATED -> RUNNING <-> PAUSED, RUNNING | PAUSED -> CONFIRMING <-> PAUSED, and from
// anywhere to STOPPED, which is the end.
bool MayFollow(RunState from, RunState to) {
  switch (to) {
    case RunState::kCreated: return false;
    case RunState::kRunning: return from == RunState::kCreated || from == RunState::kPaused;
    case RunState::kPaused: return from == RunState::kRunning || from == RunState::kConfirming;
    case RunState::kConfirming: return from == RunState::kRunning || from == RunState::kPaused;
    case RunState::kStopped: return from != RunState::kStopped;
  }
  return false;
}

absl::Status CreateRun(Database& db, const Event& event, const RunStateChanged& e) {
  CAKE_STORE_TRY(db.Run(
      "INSERT INTO run(id, experiment_id, arm, repeat_no, seed, state, reason, decision_no,"
      " workload_id, contract_hash, objective_source, spec_hash, created_us, changed_us,"
      " candidates, charged, gpu_ns, import_id, source_run)"
      " VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, 0, ?8, ?9, ?10, ?11, ?12, ?12, 0, 0, 0, ?13,"
      " ?14)",
      e.run, e.experiment, e.arm, e.repeat_no, e.seed, e.state, Opt(e.reason), Opt(e.workload),
      e.contract_hash, e.objective, e.spec_hash, event.at_us, Opt(e.import), Opt(e.source_run)));
  for (const BudgetLimit& budget : e.budgets) {
    CAKE_STORE_TRY(
        db.Run("INSERT INTO budget(run_id, kind, limit_n, reserved, spent)"
               " VALUES(?1, ?2, ?3, 0, 0)",
               e.run, budget.kind, budget.limit));
  }
  return absl::OkStatus();
}

// After an UPDATE of one budget row: which refusal it was when nothing changed.
absl::Status BudgetChanged(Database& db, int64_t run, const std::string& kind, Reason refusal,
                           std::string_view message) {
  if (db.changes() == 1) return absl::OkStatus();
  CAKE_STORE_ASSIGN(
      const int64_t exists,
      db.Int("SELECT count(*) FROM budget WHERE run_id = ?1 AND kind = ?2", run, kind));
  if (exists == 0) {
    return Error(Reason::kUnknownId, absl::StrCat("run ", run, " has no budget of ", kind));
  }
  return Error(refusal, message);
}

absl::Status NotNegative(int64_t amount) {
  return amount >= 0 ? absl::OkStatus() : Error(Reason::kBadState, "a budget amount is negative");
}

absl::Status GiveBack(Database& db, int64_t run, const std::string& kind, int64_t reserved,
                      int64_t spent) {
  CAKE_STORE_TRY(NotNegative(reserved));
  CAKE_STORE_TRY(NotNegative(spent));
  CAKE_STORE_TRY(
      db.Run("UPDATE budget SET reserved = reserved - ?3, spent = spent + ?4"
             " WHERE run_id = ?1 AND kind = ?2 AND reserved >= ?3"
             " AND spent + ?4 + reserved - ?3 <= limit_n",
             run, kind, reserved, spent));
  return BudgetChanged(db, run, kind, Reason::kBadState,
                       "more is settled than was reserved, or than the limit leaves");
}

}  // namespace

absl::Status ApplyBody(Database& db, const Event&, const ExperimentCreated& e) {
  return db.Run(
      "INSERT INTO experiment(id, name, spec_hash, state, visibility, preregistered_us)"
      " VALUES(?1, ?2, ?3, 'CREATED', ?4, NULL)",
      e.experiment, e.name, e.spec_hash, e.visibility);
}

absl::Status ApplyBody(Database& db, const Event& event, const ExperimentSealed& e) {
  CAKE_STORE_TRY(db.Run(
      "UPDATE experiment SET state = ?2,"
      " preregistered_us = coalesce(preregistered_us, ?3) WHERE id = ?1 AND state <> 'SEALED'",
      e.experiment, e.state, event.at_us));
  return ChangedOne(db, "the experiment does not exist or is sealed already");
}

absl::Status ApplyBody(Database& db, const Event& event, const RunStateChanged& e) {
  if (e.state == RunState::kCreated) return CreateRun(db, event, e);
  RunState from = RunState::kCreated;
  {
    Statement row = db.Use("SELECT state FROM run WHERE id = ?1");
    CAKE_STORE_ASSIGN(const bool found, row.Bind(e.run).Step());
    if (!found) return Error(Reason::kUnknownId, absl::StrCat("no run ", e.run));
    row.Get(from);
  }
  if (!MayFollow(from, e.state)) {
    return Error(Reason::kBadState,
                 absl::StrCat("run ", e.run, " is ", std::string(ToString(from)),
                              " and cannot become ", std::string(ToString(e.state))));
  }
  return db.Run("UPDATE run SET state = ?2, reason = ?3, changed_us = ?4 WHERE id = ?1", e.run,
                e.state, Opt(e.reason), event.at_us);
}

absl::Status ApplyBody(Database& db, const Event& event, const Decision& e) {
  CAKE_STORE_TRY(db.Run("UPDATE run SET decision_no = ?2 WHERE id = ?1 AND decision_no = ?2 - 1",
                        e.run, e.decision_no));
  CAKE_STORE_TRY(ChangedOne(db, "decision numbers of a run are dense from 1"));
  return db.Run(
      "INSERT INTO run_decision(run_id, decision_no, kind, inputs_through_seq, seq)"
      " VALUES(?1, ?2, ?3, ?4, ?5)",
      e.run, e.decision_no, e.kind, e.inputs_through_seq, event.seq);
}

absl::Status ApplyBody(Database& db, const Event& event, const EliteChanged& e) {
  return db.Run(
      "INSERT OR REPLACE INTO elite(run_id, source, island, cell, variant_id, score, seq)"
      " VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7)",
      e.run, e.source, e.island, e.cell, e.variant, e.score, event.seq);
}

absl::Status ApplyBody(Database& db, const Event&, const PlateauDetected& e) {
  CAKE_STORE_TRY(
      db.Run("UPDATE run SET plateau_detected_at = ?2, plateau_point = ?3"
             " WHERE id = ?1 AND plateau_detected_at IS NULL",
             e.run, e.detected_at, e.point));
  return ChangedOne(db, "a run has one plateau");
}

absl::Status ApplyBody(Database& db, const Event&, const BudgetReserved& e) {
  CAKE_STORE_TRY(NotNegative(e.amount));
  CAKE_STORE_TRY(
      db.Run("UPDATE budget SET reserved = reserved + ?3"
             " WHERE run_id = ?1 AND kind = ?2 AND spent + reserved + ?3 <= limit_n",
             e.run, e.kind, e.amount));
  return BudgetChanged(db, e.run, e.kind, Reason::kBudgetSpent,
                       absl::StrCat("the ", e.kind, " budget of run ", e.run, " is spent"));
}

absl::Status ApplyBody(Database& db, const Event&, const BudgetSettled& e) {
  return GiveBack(db, e.run, e.kind, e.reserved, e.spent);
}

absl::Status ApplyBody(Database& db, const Event&, const BudgetRefunded& e) {
  return GiveBack(db, e.run, e.kind, e.amount, 0);
}

absl::Status ApplyBody(Database& db, const Event&, const UsageReported& e) {
  CAKE_STORE_TRY(db.Run(
      "INSERT INTO usage(session_id, model, run_id, source, input, cached, output, reasoning)"
      " VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8) ON CONFLICT(session_id, model) DO UPDATE SET"
      " source = excluded.source, input = max(input, excluded.input),"
      " cached = max(cached, excluded.cached), output = max(output, excluded.output),"
      " reasoning = max(reasoning, excluded.reasoning) WHERE run_id = excluded.run_id",
      e.session, e.model, e.run, e.source, e.input, e.cached, e.output, e.reasoning));
  return ChangedOne(db, "a session's usage belongs to one run");
}

}  // namespace store
