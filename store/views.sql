-- What people and tools may query. One comment a view; columns are only ever added.

-- v_candidate: one row a candidate.
CREATE VIEW v_candidate AS
SELECT 'c-' || c.run_id || '-' || c.n AS candidate, 'r-' || c.run_id AS run, e.name AS experiment,
       w.name AS workload, c.arm_kind, p.name AS author, c.session_id, c.tactic, c.intent,
       c.verdict, c.blame, c.best_ratio_low, r.objective_source, c.canon_hash, c.struct_hash,
       CASE WHEN c.duplicate_of IS NULL THEN NULL ELSE
         (SELECT 'c-' || d.run_id || '-' || d.n FROM candidate d WHERE d.id = c.duplicate_of)
       END AS duplicate_of,
       c.members_total, c.members_seen, c.created_us, c.created_seq, c.id AS candidate_id, c.run_id
FROM candidate c
JOIN run r ON r.id = c.run_id
JOIN experiment e ON e.id = r.experiment_id
LEFT JOIN workload w ON w.id = r.workload_id
LEFT JOIN principal p ON p.id = c.author_id;

-- v_evaluation: one row an evaluation, with the verdict that holds now beside the one that came.
CREATE VIEW v_evaluation AS
SELECT ev.id AS evaluation_id, 'c-' || c.run_id || '-' || c.n AS candidate, ev.variant_id,
       v.params_json, j.purpose, ev.protocol_id, j.round, ev.contract_hash, d.uuid AS device,
       coalesce((SELECT x.verdict FROM verdict_revision x WHERE x.evaluation_id = ev.id
                 ORDER BY x.seq DESC LIMIT 1), ev.verdict) AS verdict,
       coalesce((SELECT x.blame FROM verdict_revision x WHERE x.evaluation_id = ev.id
                 ORDER BY x.seq DESC LIMIT 1), ev.blame) AS blame,
       ev.verdict AS first_verdict, ev.blame AS first_blame, ev.source,
       ev.replayed, coalesce(d.simulated, 0) AS simulated, ev.charged_no, ev.ratio_med,
       ev.ratio_low, ev.ratio_high, ev.time_ns, ev.receipt_hash, ev.at_us, ev.seq, ev.job_id,
       c.id AS candidate_id, ev.run_id
FROM evaluation ev
JOIN variant v ON v.id = ev.variant_id
JOIN candidate c ON c.id = v.candidate_id
JOIN job j ON j.id = ev.job_id
LEFT JOIN device d ON d.id = ev.device_id;

-- v_best: the best of each run by the run's own objective: measured ratios, or predicted times
-- where nothing was measured. Rank 1 is the best; a run without one has no row.
CREATE VIEW v_best AS
SELECT run_id, run, candidate, variant_id, params_json, verdict, source, ratio_low, ratio_med,
       ratio_high, NULL AS predicted_ns, candidate_id
FROM (SELECT ev.run_id, 'r-' || ev.run_id AS run, ev.candidate, ev.variant_id, ev.params_json,
             ev.verdict, ev.source, ev.ratio_low, ev.ratio_med, ev.ratio_high, ev.candidate_id,
             row_number() OVER (PARTITION BY ev.run_id ORDER BY ev.ratio_low DESC,
                                v.canon_hash, ev.evaluation_id) AS place
      FROM v_evaluation ev JOIN variant v ON v.id = ev.variant_id JOIN run r ON r.id = ev.run_id
      WHERE ev.source = r.objective_source AND r.objective_source IN ('MEASURED', 'SIMULATED')
        AND ev.verdict IN ('IMPROVED', 'CONFIRMED') AND ev.ratio_low IS NOT NULL)
WHERE place = 1
UNION ALL
SELECT run_id, run, candidate, variant_id, params_json, verdict, 'ESTIMATED', NULL, NULL, NULL,
       predicted_ns, candidate_id
FROM (SELECT c.run_id, 'r-' || c.run_id AS run, 'c-' || c.run_id || '-' || c.n AS candidate,
             v.id AS variant_id, v.params_json, v.verdict, v.predicted_ns, c.id AS candidate_id,
             row_number() OVER (PARTITION BY c.run_id ORDER BY v.predicted_ns, v.canon_hash, v.id)
               AS place
      FROM variant v JOIN candidate c ON c.id = v.candidate_id JOIN run r ON r.id = c.run_id
      WHERE r.objective_source = 'ESTIMATED' AND v.predicted_ns IS NOT NULL
        AND v.verdict IN ('CORRECT', 'IMPROVED', 'CONFIRMED'))
WHERE place = 1;

-- v_curve: one row a charged evaluation. Ratios: running maximum over CONFIRMED in event order;
-- predicted: running minimum over CORRECT and better.
CREATE VIEW v_curve AS
SELECT ev.run_id, ev.charged_no AS charged_evaluations, e.charged_tokens, e.active_ns, e.gpu_ns,
       max(CASE WHEN ev.verdict = 'CONFIRMED' THEN ev.ratio_med END) OVER so_far AS best_ratio_med,
       max(CASE WHEN ev.verdict = 'CONFIRMED' THEN ev.ratio_low END) OVER so_far AS best_ratio_low,
       min(CASE WHEN ev.verdict IN ('CORRECT', 'IMPROVED', 'CONFIRMED') THEN v.predicted_ns END)
         OVER so_far AS best_predicted_ns,
       ev.candidate_id, ev.candidate, ev.seq AS event_seq
FROM v_evaluation ev
JOIN evaluation e ON e.id = ev.evaluation_id
JOIN variant v ON v.id = ev.variant_id
WHERE ev.charged_no IS NOT NULL
WINDOW so_far AS (PARTITION BY ev.run_id ORDER BY ev.charged_no);

-- v_lineage: one row a parent link.
CREATE VIEW v_lineage AS
SELECT 'c-' || c.run_id || '-' || c.n AS child, 'c-' || p.run_id || '-' || p.n AS parent, l.role,
       c.verdict AS child_verdict, p.verdict AS parent_verdict, c.tactic, l.child_id, l.parent_id,
       c.run_id
FROM parent l JOIN candidate c ON c.id = l.child_id JOIN candidate p ON p.id = l.parent_id;

-- v_failure: one row a diagnostic.
CREATE VIEW v_failure AS
SELECT 'c-' || c.run_id || '-' || c.n AS candidate, d.code, d.category, d.severity, d.message,
       d.fingerprint, d.rule_id, d.span_start, d.span_end, d.variant_id, d.evaluation_id,
       c.verdict, c.blame, c.id AS candidate_id, c.run_id
FROM diagnostic d JOIN candidate c ON c.id = d.candidate_id;

-- v_gate_confusion: audited variants and passed ones only, so that the rates are unbiased. No rate
-- below n = 20.
CREATE VIEW v_gate_confusion AS
SELECT *, CASE WHEN rejects >= 20 THEN 1.0 * false_rejects / rejects END AS false_reject_rate,
       CASE WHEN passes >= 20 THEN 1.0 * false_accepts / passes END AS false_accept_rate
FROM (SELECT g.gate, g.ruleset_hash, count(*) AS n,
             sum(g.outcome = 'REJECT' AND e.verdict IN ('CORRECT', 'IMPROVED', 'CONFIRMED'))
               AS false_rejects,
             sum(g.outcome = 'REJECT') AS rejects,
             sum(g.outcome = 'PASS' AND e.blame = 'SYSTEM') AS false_accepts,
             sum(g.outcome = 'PASS') AS passes
      FROM gate_result g JOIN v_evaluation e ON e.variant_id = g.variant_id
      WHERE g.audit = 1 OR g.outcome = 'PASS'
      GROUP BY g.gate, g.ruleset_hash);

-- v_estimate_error: predicted against measured time of variants that have both.
CREATE VIEW v_estimate_error AS
SELECT v.id AS variant_id, ev.candidate, ev.protocol_id, ev.source, v.predicted_ns, ev.time_ns,
       v.predicted_ns / ev.time_ns AS predicted_over_measured,
       ev.time_ns BETWEEN v.predicted_low_ns AND v.predicted_high_ns AS inside_interval, ev.run_id
FROM variant v JOIN v_evaluation ev ON ev.variant_id = v.id
WHERE ev.time_ns IS NOT NULL AND v.predicted_ns IS NOT NULL
  AND ev.source IN ('MEASURED', 'SIMULATED');

-- v_tactic_return: what candidates of each tactic came to.
CREATE VIEW v_tactic_return AS
SELECT c.run_id, c.tactic, count(*) AS candidates,
       sum(c.verdict IN ('CORRECT', 'IMPROVED', 'CONFIRMED')) AS correct,
       sum(c.verdict IN ('IMPROVED', 'CONFIRMED')) AS improved,
       max(c.best_ratio_low) AS best_ratio_low
FROM candidate c WHERE c.tactic IS NOT NULL GROUP BY c.run_id, c.tactic;

-- v_cost_per_percent: what a run has paid for each percent over the baseline.
CREATE VIEW v_cost_per_percent AS
SELECT k.run_id, max(k.charged_evaluations) AS charged_evaluations,
       max(k.charged_tokens) AS charged_tokens, max(k.gpu_ns) AS gpu_ns,
       max(k.best_ratio_low) AS best_ratio_low,
       CASE WHEN max(k.best_ratio_low) > 1
         THEN max(k.charged_evaluations) / (100.0 * (max(k.best_ratio_low) - 1)) END
         AS evaluations_per_percent
FROM v_curve k GROUP BY k.run_id;

-- v_queue: jobs that wait or run.
CREATE VIEW v_queue AS
SELECT j.id AS job_id, 'c-' || c.run_id || '-' || c.n AS candidate, j.variant_id, j.purpose,
       j.protocol_id, j.round, j.state, j.priority, j.attempt, j.infra_losses, w.name AS worker,
       j.queued_us, j.not_before_us, j.run_id
FROM job j JOIN variant v ON v.id = j.variant_id JOIN candidate c ON c.id = v.candidate_id
LEFT JOIN worker w ON w.id = j.worker_id
WHERE j.state IN ('QUEUED', 'LEASED');

-- v_stage_time: one row a finished stage of an attempt.
CREATE VIEW v_stage_time AS
SELECT s.job_id, s.attempt, s.stage, s.wall_ns, s.cpu_ns, s.limit_ns, s.end, j.purpose,
       'c-' || c.run_id || '-' || c.n AS candidate, j.run_id
FROM stage_clock s JOIN job j ON j.id = s.job_id JOIN variant v ON v.id = j.variant_id
JOIN candidate c ON c.id = v.candidate_id;

-- v_device_noise: noise floors as they were found.
CREATE VIEW v_device_noise AS
SELECT d.uuid AS device, d.name, d.arch, d.simulated, n.class, n.floor, n.at_us
FROM noise n JOIN device d ON d.id = n.device_id;

-- v_proposal: proposals with their newest decision.
CREATE VIEW v_proposal AS
SELECT p.id AS proposal_id, p.kind, p.name, p.rev, p.state, a.name AS author,
       (SELECT x.verdict FROM decision x WHERE x.proposal_id = p.id
        ORDER BY x.seq DESC LIMIT 1) AS decided,
       (SELECT y.name FROM decision x JOIN principal y ON y.id = x.who_id
        WHERE x.proposal_id = p.id ORDER BY x.seq DESC LIMIT 1) AS decided_by,
       (SELECT count(*) FROM gate_run g WHERE g.proposal_id = p.id AND g.rev = p.rev) AS gate_runs
FROM proposal p LEFT JOIN principal a ON a.id = p.author_id;

-- v_arm_summary: one row a run: what it came to and what it cost.
CREATE VIEW v_arm_summary AS
SELECT e.name AS experiment, r.arm, r.repeat_no, 'r-' || r.id AS run, w.name AS workload, r.state,
       r.reason, r.objective_source, r.candidates, r.charged AS charged_evaluations, r.gpu_ns,
       (SELECT sum(u.input + u.output) FROM usage u WHERE u.run_id = r.id) AS charged_tokens,
       b.candidate AS best, b.ratio_low AS best_ratio_low, b.predicted_ns AS best_predicted_ns,
       r.plateau_detected_at, r.plateau_point, r.id AS run_id
FROM run r JOIN experiment e ON e.id = r.experiment_id LEFT JOIN workload w ON w.id = r.workload_id
LEFT JOIN v_best b ON b.run_id = r.id;

-- v_event: the log.
CREATE VIEW v_event AS
SELECT seq, at_us, CASE WHEN run_id IS NULL THEN NULL ELSE 'r-' || run_id END AS run, kind, subject,
       schema, body, run_id
FROM event;
