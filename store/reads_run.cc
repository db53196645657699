#include "store/collect.h"
#include "store/reads.h"

#define RUN_COLUMNS                                                                              \
  "id, experiment_id, arm, repeat_no, seed, state, reason, decision_no, workload_id,"            \
  " contract_hash, objective_source, spec_hash, plateau_detected_at, plateau_point, created_us," \
  " changed_us, candidates FROM run"
#define EXPERIMENT_COLUMNS \
  "id, name, spec_hash, state, visibility, preregistered_us FROM experiment"
#define WORKLOAD_COLUMNS "id, name, hash, text_hash, canon_hash, created_us FROM workload"

namespace store {
namespace {

void FillRun(Statement& s, RunRow& r) {
  s.Get(r.id).Get(r.experiment).Get(r.arm).Get(r.repeat_no).Get(r.seed).Get(r.state);
  s.Get(r.reason).Get(r.decision_no).Get(r.workload).Get(r.contract_hash).Get(r.objective);
  s.Get(r.spec_hash).Get(r.plateau_detected_at).Get(r.plateau_point).Get(r.created_us);
  s.Get(r.changed_us).Get(r.candidates);
}

void FillExperiment(Statement& s, ExperimentRow& r) {
  s.Get(r.id).Get(r.name).Get(r.spec_hash).Get(r.state).Get(r.visibility).Get(r.preregistered_us);
}

void FillWorkload(Statement& s, WorkloadRow& r) {
  s.Get(r.id).Get(r.name).Get(r.hash).Get(r.text_hash).Get(r.canon_hash).Get(r.created_us);
}

void FillMeasured(Statement& s, BestRow& r) {
  s.Get(r.candidate).Get(r.variant).Get(r.n).Get(r.params_json).Get(r.verdict).Get(r.ratio_low);
  s.Get(r.ratio_med).Get(r.ratio_high);
}

void FillPredicted(Statement& s, BestRow& r) {
  s.Get(r.candidate).Get(r.variant).Get(r.n).Get(r.params_json).Get(r.verdict);
  s.Get(r.predicted_ns).Get(r.predicted_low).Get(r.predicted_high);
}

}  // namespace

absl::StatusOr<RunRow> Reads::GetRun(int64_t id) {
  Statement s = db_.Use("SELECT " RUN_COLUMNS " WHERE id = ?1");
  return CollectOne<RunRow>(s.Bind(id), FillRun, "run", id);
}

absl::StatusOr<std::vector<RunRow>> Reads::ListRuns(Page page) {
  CAKE_STORE_TRY(CheckLimit(page.limit));
  Statement s = db_.Use("SELECT " RUN_COLUMNS " WHERE id > ?1 ORDER BY id LIMIT ?2");
  return Collect<RunRow>(s.Bind(page.after, page.limit), FillRun);
}

absl::StatusOr<std::vector<RunRow>> Reads::RunsOfExperiment(int64_t experiment, Page page) {
  CAKE_STORE_TRY(CheckLimit(page.limit));
  Statement s =
      db_.Use("SELECT " RUN_COLUMNS " WHERE experiment_id = ?1 AND id > ?2 ORDER BY id LIMIT ?3");
  return Collect<RunRow>(s.Bind(experiment, page.after, page.limit), FillRun);
}

absl::StatusOr<ExperimentRow> Reads::GetExperiment(int64_t id) {
  Statement s = db_.Use("SELECT " EXPERIMENT_COLUMNS " WHERE id = ?1");
  return CollectOne<ExperimentRow>(s.Bind(id), FillExperiment, "experiment", id);
}

absl::StatusOr<std::optional<ExperimentRow>> Reads::FindExperiment(std::string_view name) {
  Statement s = db_.Use("SELECT " EXPERIMENT_COLUMNS " WHERE name = ?1");
  return CollectOptional<ExperimentRow>(s.Bind(name), FillExperiment);
}

absl::StatusOr<std::vector<ExperimentRow>> Reads::ListExperiments(Page page) {
  CAKE_STORE_TRY(CheckLimit(page.limit));
  Statement s = db_.Use("SELECT " EXPERIMENT_COLUMNS " WHERE id > ?1 ORDER BY id LIMIT ?2");
  return Collect<ExperimentRow>(s.Bind(page.after, page.limit), FillExperiment);
}

absl::StatusOr<WorkloadRow> Reads::GetWorkload(int64_t id) {
  Statement s = db_.Use("SELECT " WORKLOAD_COLUMNS " WHERE id = ?1");
  return CollectOne<WorkloadRow>(s.Bind(id), FillWorkload, "workload", id);
}

absl::StatusOr<std::optional<WorkloadRow>> Reads::FindWorkload(std::string_view name_or_hash) {
  Statement s = db_.Use(
      "SELECT " WORKLOAD_COLUMNS
      " WHERE (name = ?1 AND imported = 0) OR hash = ?1 ORDER BY hash = ?1 DESC, id DESC LIMIT 1");
  return CollectOptional<WorkloadRow>(s.Bind(name_or_hash), FillWorkload);
}

absl::StatusOr<std::vector<WorkloadRow>> Reads::ListWorkloads(Page page) {
  CAKE_STORE_TRY(CheckLimit(page.limit));
  Statement s = db_.Use("SELECT " WORKLOAD_COLUMNS " WHERE id > ?1 ORDER BY id LIMIT ?2");
  return Collect<WorkloadRow>(s.Bind(page.after, page.limit), FillWorkload);
}

absl::StatusOr<std::vector<BudgetRow>> Reads::Budgets(int64_t run) {
  Statement s = db_.Use(
      "SELECT run_id, kind, limit_n, reserved, spent FROM budget WHERE run_id = ?1 ORDER BY kind");
  return Collect<BudgetRow>(s.Bind(run), [](Statement& row, BudgetRow& r) {
    row.Get(r.run).Get(r.kind).Get(r.limit).Get(r.reserved).Get(r.spent);
  });
}

absl::StatusOr<std::vector<UsageRow>> Reads::Usage(int64_t run) {
  Statement s = db_.Use(
      "SELECT run_id, session_id, model, source, input, cached, output, reasoning FROM usage"
      " WHERE run_id = ?1 ORDER BY session_id, model");
  return Collect<UsageRow>(s.Bind(run), [](Statement& row, UsageRow& r) {
    row.Get(r.run).Get(r.session).Get(r.model).Get(r.source).Get(r.input).Get(r.cached);
    row.Get(r.output).Get(r.reasoning);
  });
}

absl::StatusOr<std::vector<EliteRow>> Reads::Elites(int64_t run) {
  Statement s = db_.Use(
      "SELECT run_id, source, island, cell, variant_id, score, seq FROM elite WHERE run_id = ?1"
      " ORDER BY source, island, cell");
  return Collect<EliteRow>(s.Bind(run), [](Statement& row, EliteRow& r) {
    row.Get(r.run).Get(r.source).Get(r.island).Get(r.cell).Get(r.variant).Get(r.score).Get(r.seq);
  });
}

absl::StatusOr<BestRow> Reads::Best(int64_t run, ScoreSource source) {
  const bool predicted = source == ScoreSource::kEstimated;
  Statement s = db_.Use(
      predicted
          ? "SELECT c.id, v.id, c.n, v.params_json, v.verdict, v.predicted_ns,"
            " v.predicted_low_ns, v.predicted_high_ns"
            " FROM variant v JOIN candidate c ON c.id = v.candidate_id WHERE c.run_id = ?1"
            " AND v.verdict IN ('CORRECT', 'IMPROVED', 'CONFIRMED') AND v.predicted_ns IS NOT NULL"
            " AND ?2 = 'ESTIMATED' ORDER BY v.predicted_ns, v.canon_hash, v.id LIMIT 1"
          : "SELECT e.candidate_id, e.variant_id, c.n, e.params_json, e.verdict, e.ratio_low,"
            " e.ratio_med, e.ratio_high"
            " FROM v_evaluation e JOIN candidate c ON c.id = e.candidate_id"
            " JOIN variant v ON v.id = e.variant_id WHERE e.run_id = ?1 AND e.source = ?2"
            " AND e.verdict IN ('IMPROVED', 'CONFIRMED') AND e.ratio_low IS NOT NULL"
            " ORDER BY e.ratio_low DESC, v.canon_hash, e.evaluation_id LIMIT 1");
  s.Bind(run, source);
  CAKE_STORE_ASSIGN(auto row,
                    CollectOptional<BestRow>(s, predicted ? FillPredicted : FillMeasured));
  BestRow best = row.value_or(BestRow());
  best.found = row.has_value();
  best.source = source;
  return best;
}

absl::StatusOr<std::vector<CurveRow>> Reads::Curve(int64_t run, Page page) {
  CAKE_STORE_TRY(CheckLimit(page.limit));
  Statement s = db_.Use(
      "SELECT charged_evaluations, charged_tokens, active_ns, gpu_ns, best_ratio_med,"
      " best_ratio_low, best_predicted_ns, candidate_id, event_seq FROM v_curve"
      " WHERE run_id = ?1 AND charged_evaluations > ?2 ORDER BY charged_evaluations LIMIT ?3");
  s.Bind(run, page.after, page.limit);
  return Collect<CurveRow>(s, [](Statement& row, CurveRow& r) {
    row.Get(r.charged_evaluations).Get(r.charged_tokens).Get(r.active_ns).Get(r.gpu_ns);
    row.Get(r.best_ratio_med).Get(r.best_ratio_low).Get(r.best_predicted_ns).Get(r.candidate);
    row.Get(r.event_seq);
  });
}

}  // namespace store
