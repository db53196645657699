-- Evaluations that were read from a table of recorded ones count in runs whose objective says so.

DROP VIEW v_best;
DROP VIEW v_estimate_error;

-- v_best: the best of each run by the run's own objective: measured or replayed ratios, or
-- predicted times where nothing was measured. Rank 1 is the best; a run without one has no row.
CREATE VIEW v_best AS
SELECT run_id, run, candidate, variant_id, params_json, verdict, source, ratio_low, ratio_med,
       ratio_high, NULL AS predicted_ns, candidate_id
FROM (SELECT ev.run_id, 'r-' || ev.run_id AS run, ev.candidate, ev.variant_id, ev.params_json,
             ev.verdict, ev.source, ev.ratio_low, ev.ratio_med, ev.ratio_high, ev.candidate_id,
             row_number() OVER (PARTITION BY ev.run_id ORDER BY ev.ratio_low DESC,
                                v.canon_hash, ev.evaluation_id) AS place
      FROM v_evaluation ev JOIN variant v ON v.id = ev.variant_id JOIN run r ON r.id = ev.run_id
      WHERE ev.source = r.objective_source AND r.objective_source IN ('MEASURED', 'SIMULATED', 'REPLAY')
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

-- v_estimate_error: predicted against measured or replayed time of variants that have both.
CREATE VIEW v_estimate_error AS
SELECT v.id AS variant_id, ev.candidate, ev.protocol_id, ev.source, v.predicted_ns, ev.time_ns,
       v.predicted_ns / ev.time_ns AS predicted_over_measured,
       ev.time_ns BETWEEN v.predicted_low_ns AND v.predicted_high_ns AS inside_interval, ev.run_id
FROM variant v JOIN v_evaluation ev ON ev.variant_id = v.id
WHERE ev.time_ns IS NOT NULL AND v.predicted_ns IS NOT NULL
  AND ev.source IN ('MEASURED', 'SIMULATED', 'REPLAY');
