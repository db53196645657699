-- Evidence of other machines, and the runs that came with it.

CREATE TABLE import(
  id INTEGER PRIMARY KEY,
  manifest_hash TEXT NOT NULL UNIQUE, -- what makes an import happen once
  log_hash TEXT NOT NULL,
  campaign TEXT NOT NULL,
  git TEXT NOT NULL,
  script TEXT NOT NULL,
  bundle TEXT NOT NULL,
  device TEXT NOT NULL,
  driver TEXT NOT NULL,
  simulated INTEGER NOT NULL,
  events INTEGER NOT NULL,
  who_id INTEGER NOT NULL REFERENCES principal(id),
  at_us INTEGER NOT NULL
) STRICT;

ALTER TABLE run ADD COLUMN import_id INTEGER REFERENCES import(id);  -- NULL: of this store
ALTER TABLE run ADD COLUMN source_run INTEGER;                       -- its number there
ALTER TABLE workload ADD COLUMN imported INTEGER NOT NULL DEFAULT 0; -- known from evidence only

ALTER TABLE device ADD COLUMN reason TEXT;                           -- of its state

-- v_import: one row an imported run, with where it ran.
CREATE VIEW v_import AS
SELECT 'i-' || m.id AS import, 'r-' || r.id AS run, 'r-' || r.source_run AS source_run,
       e.name AS experiment, m.campaign, m.device, m.driver, m.simulated, m.git, m.script,
       m.bundle, m.manifest_hash, m.at_us, r.id AS run_id
FROM import m JOIN run r ON r.import_id = m.id JOIN experiment e ON e.id = r.experiment_id;
