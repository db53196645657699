-- The schema of version 1; what came later is in schema_N.sql. `event` is the truth; every other table is folded from it by Apply, but for
-- meta, object and idem, which are written beside the events of one transaction.
-- Ids are integers inside and c-7-142, r-7 outside. Times end in _us, durations in _ns.
-- NULL is "none"; hashes are SHA-256 in lower-case hex.

CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;

CREATE TABLE object(
  hash TEXT PRIMARY KEY,
  bytes_inline BLOB,                 -- NULL: the bytes are in objects/ab/cd...
  size INTEGER NOT NULL,
  kind TEXT NOT NULL,
  created_us INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE idem(
  principal_id INTEGER NOT NULL REFERENCES principal(id),
  method TEXT NOT NULL,
  request_id TEXT NOT NULL,
  request_hash TEXT NOT NULL,
  reply BLOB NOT NULL,
  at_us INTEGER NOT NULL,
  PRIMARY KEY(principal_id, method, request_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE event(
  seq INTEGER PRIMARY KEY,
  at_us INTEGER NOT NULL,
  run_id INTEGER,
  kind TEXT NOT NULL,
  subject TEXT NOT NULL,             -- c-7-142 for all that is about a candidate
  schema INTEGER NOT NULL,
  body TEXT NOT NULL                 -- canonical JSON
) STRICT;
CREATE INDEX event_run ON event(run_id, seq);
CREATE INDEX event_subject ON event(subject, seq);

CREATE TABLE experiment(
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  spec_hash TEXT,
  state TEXT NOT NULL,               -- CREATED | PREREGISTERED | SEALED
  visibility TEXT NOT NULL CHECK(visibility IN ('OPEN','CLEAN')),
  preregistered_us INTEGER
) STRICT;

CREATE TABLE principal(
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  role TEXT NOT NULL CHECK(role IN ('agent','worker','operator','researcher','all')),
  token_hash TEXT,
  experiment_id INTEGER REFERENCES experiment(id),
  revoked_us INTEGER
) STRICT;

CREATE TABLE workload(
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  hash TEXT NOT NULL UNIQUE,
  text_hash TEXT,
  canon_hash TEXT,
  created_us INTEGER NOT NULL
) STRICT;
CREATE INDEX workload_name ON workload(name, id);

CREATE TABLE run(
  id INTEGER PRIMARY KEY,
  experiment_id INTEGER NOT NULL REFERENCES experiment(id),
  arm TEXT NOT NULL,
  repeat_no INTEGER NOT NULL,
  seed INTEGER NOT NULL,             -- 64 bits, read as unsigned
  state TEXT NOT NULL,
  reason TEXT,                       -- of the stop or the pause
  decision_no INTEGER NOT NULL,
  workload_id INTEGER REFERENCES workload(id),
  contract_hash TEXT NOT NULL,
  objective_source TEXT NOT NULL,
  spec_hash TEXT,
  plateau_detected_at INTEGER,
  plateau_point INTEGER,
  created_us INTEGER NOT NULL,
  changed_us INTEGER NOT NULL,
  candidates INTEGER NOT NULL,       -- largest n given
  charged INTEGER NOT NULL,          -- evaluations charged
  gpu_ns INTEGER NOT NULL,           -- wall time of oracle, timing and profile stages
  UNIQUE(experiment_id, arm, repeat_no)
) STRICT;

CREATE TABLE run_decision(
  run_id INTEGER NOT NULL REFERENCES run(id),
  decision_no INTEGER NOT NULL,
  kind TEXT NOT NULL,
  inputs_through_seq INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  PRIMARY KEY(run_id, decision_no)
) STRICT, WITHOUT ROWID;

CREATE TABLE candidate(
  id INTEGER PRIMARY KEY,
  run_id INTEGER NOT NULL REFERENCES run(id),
  n INTEGER NOT NULL,
  source_hash TEXT NOT NULL,
  canon_hash TEXT,                   -- of the family; each variant has its own
  struct_hash TEXT,
  arm_kind TEXT NOT NULL CHECK(arm_kind IN ('cake-ir','direct-cuda')),
  author_id INTEGER REFERENCES principal(id),
  session_id TEXT,
  tactic TEXT,
  intent TEXT,
  params_json TEXT,
  prediction_json TEXT,
  gates_verdict TEXT,                -- NULL: passed, or not judged yet
  gates_blame TEXT,
  verdict TEXT,                      -- of the best variant, else of the gates
  blame TEXT,
  duplicate_of INTEGER REFERENCES candidate(id),
  best_ratio_low REAL,               -- MEASURED only
  report_hash TEXT,
  gates_done INTEGER NOT NULL,
  expanded INTEGER NOT NULL,
  members_total INTEGER NOT NULL,
  members_seen INTEGER NOT NULL,
  created_us INTEGER NOT NULL,
  created_seq INTEGER NOT NULL,
  UNIQUE(run_id, n)
) STRICT;
CREATE INDEX candidate_verdict ON candidate(run_id, verdict, id);
CREATE INDEX candidate_canon ON candidate(canon_hash);
CREATE INDEX candidate_struct ON candidate(run_id, struct_hash);
CREATE INDEX candidate_ungated ON candidate(id) WHERE gates_done = 0;
CREATE INDEX candidate_unexpanded ON candidate(id)
  WHERE gates_done = 1 AND gates_verdict IS NULL AND expanded = 0;

CREATE TABLE parent(
  child_id INTEGER NOT NULL REFERENCES candidate(id),
  parent_id INTEGER NOT NULL REFERENCES candidate(id),
  role TEXT NOT NULL,
  PRIMARY KEY(child_id, parent_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX parent_parent ON parent(parent_id);

CREATE TABLE variant(
  id INTEGER PRIMARY KEY,
  candidate_id INTEGER NOT NULL REFERENCES candidate(id),
  binding_hash TEXT NOT NULL,
  params_json TEXT NOT NULL,
  canon_hash TEXT,                   -- of the program with its params bound
  duplicate_of INTEGER REFERENCES variant(id),
  verdict TEXT,
  blame TEXT,
  rank INTEGER,
  rank_why TEXT,
  predicted_ns REAL,                 -- weighted geometric mean of its newest estimates
  predicted_low_ns REAL,
  predicted_high_ns REAL,
  UNIQUE(candidate_id, binding_hash)
) STRICT;
CREATE INDEX variant_canon ON variant(canon_hash);

CREATE TABLE rejected_group(
  candidate_id INTEGER NOT NULL REFERENCES candidate(id),
  code TEXT NOT NULL,
  count INTEGER NOT NULL,
  witness_params_json TEXT NOT NULL,
  PRIMARY KEY(candidate_id, code)
) STRICT, WITHOUT ROWID;

CREATE TABLE gate_result(
  id INTEGER PRIMARY KEY,
  candidate_id INTEGER NOT NULL REFERENCES candidate(id),
  variant_id INTEGER REFERENCES variant(id),  -- NULL: the gate judged the family
  gate TEXT NOT NULL,
  verifier_rev TEXT NOT NULL,
  ruleset_hash TEXT NOT NULL,
  outcome TEXT NOT NULL CHECK(outcome IN ('PASS','REJECT','UNKNOWN')),
  audit INTEGER NOT NULL,
  wall_ns INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX gate_result_key
  ON gate_result(candidate_id, ifnull(variant_id, 0), gate, verifier_rev, ruleset_hash);

CREATE TABLE estimate(
  variant_id INTEGER NOT NULL REFERENCES variant(id),
  shape TEXT NOT NULL,
  calibration_id TEXT NOT NULL,
  model_rev TEXT NOT NULL,
  time_ns REAL NOT NULL,
  low_ns REAL NOT NULL,
  high_ns REAL NOT NULL,
  weight REAL NOT NULL,
  bottleneck TEXT NOT NULL,
  runner_up TEXT,
  coverage TEXT NOT NULL,
  body_hash TEXT,
  seq INTEGER NOT NULL,
  PRIMARY KEY(variant_id, shape, calibration_id, model_rev)
) STRICT, WITHOUT ROWID;

CREATE TABLE build(
  key TEXT PRIMARY KEY,
  variant_id INTEGER REFERENCES variant(id),
  arch TEXT NOT NULL,
  nvrtc TEXT NOT NULL,
  cuda_hash TEXT,
  cubin_hash TEXT,
  log_hash TEXT,
  regs INTEGER NOT NULL,
  spill_bytes INTEGER NOT NULL,
  smem_bytes INTEGER NOT NULL,
  ok INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX build_variant ON build(variant_id);

CREATE TABLE device(
  id INTEGER PRIMARY KEY,
  uuid TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  arch TEXT NOT NULL,
  driver TEXT NOT NULL,
  state TEXT NOT NULL,
  simulated INTEGER NOT NULL
) STRICT;

CREATE TABLE noise(
  device_id INTEGER NOT NULL REFERENCES device(id),
  class TEXT NOT NULL,
  at_us INTEGER NOT NULL,
  floor REAL NOT NULL,
  PRIMARY KEY(device_id, class, at_us)
) STRICT, WITHOUT ROWID;

CREATE TABLE worker(
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  incarnation INTEGER NOT NULL,      -- 64 bits, read as unsigned
  state TEXT NOT NULL,
  device_id INTEGER REFERENCES device(id),
  capabilities TEXT NOT NULL         -- separated by one newline
) STRICT;

CREATE TABLE job(
  id INTEGER PRIMARY KEY,
  variant_id INTEGER NOT NULL REFERENCES variant(id),
  run_id INTEGER NOT NULL REFERENCES run(id),
  purpose TEXT NOT NULL,
  protocol_id TEXT NOT NULL,
  round INTEGER NOT NULL,
  state TEXT NOT NULL CHECK(state IN ('QUEUED','LEASED','DONE','CANCELLED','POISONED')),
  priority INTEGER NOT NULL,
  attempt INTEGER NOT NULL,
  infra_losses INTEGER NOT NULL,
  lost_devices INTEGER NOT NULL,
  fencing_token INTEGER,
  lease_id INTEGER,
  worker_id INTEGER REFERENCES worker(id),
  not_before_us INTEGER NOT NULL,
  queued_us INTEGER NOT NULL,
  needs TEXT NOT NULL,               -- separated by one newline
  spec_hash TEXT,
  UNIQUE(variant_id, purpose, protocol_id, round)
) STRICT;
CREATE INDEX job_state ON job(state, priority DESC, id);
CREATE INDEX job_run ON job(run_id, state, id);

CREATE TABLE lease(
  fencing_token INTEGER PRIMARY KEY,
  lease_id INTEGER NOT NULL UNIQUE,
  job_id INTEGER NOT NULL REFERENCES job(id),
  attempt INTEGER NOT NULL,
  worker_id INTEGER NOT NULL REFERENCES worker(id),
  incarnation INTEGER NOT NULL,
  device_id INTEGER REFERENCES device(id),
  state TEXT NOT NULL CHECK(state IN ('OPEN','DONE','LOST')),
  reason TEXT,
  infra INTEGER NOT NULL,
  granted_us INTEGER NOT NULL,
  ended_us INTEGER,
  UNIQUE(job_id, attempt)
) STRICT;
CREATE INDEX lease_open ON lease(fencing_token) WHERE state = 'OPEN';

CREATE TABLE stage_clock(
  job_id INTEGER NOT NULL REFERENCES job(id),
  attempt INTEGER NOT NULL,
  stage TEXT NOT NULL,
  wall_ns INTEGER NOT NULL,
  cpu_ns INTEGER NOT NULL,
  limit_ns INTEGER NOT NULL,
  end TEXT NOT NULL,
  PRIMARY KEY(job_id, attempt, stage)
) STRICT, WITHOUT ROWID;

CREATE TABLE evaluation(
  id INTEGER PRIMARY KEY,
  job_id INTEGER NOT NULL UNIQUE REFERENCES job(id),
  variant_id INTEGER NOT NULL REFERENCES variant(id),
  run_id INTEGER NOT NULL REFERENCES run(id),
  contract_hash TEXT NOT NULL,
  protocol_id TEXT NOT NULL,
  device_id INTEGER REFERENCES device(id),
  fencing_token INTEGER,
  verdict TEXT NOT NULL,             -- as it came; v_evaluation has the one that holds now
  blame TEXT NOT NULL,
  source TEXT NOT NULL,
  replayed INTEGER NOT NULL,
  oracle_completed INTEGER NOT NULL,
  charged_no INTEGER,                -- 1, 2, .. in the run; NULL: not charged
  charged_tokens INTEGER NOT NULL,   -- of the run when it ended
  active_ns INTEGER NOT NULL,        -- of the run when it ended
  gpu_ns INTEGER NOT NULL,           -- of the run when it ended
  ratio_med REAL,
  ratio_low REAL,
  ratio_high REAL,
  time_ns REAL,
  receipt_hash TEXT,
  samples_hash TEXT,
  report_hash TEXT,
  at_us INTEGER NOT NULL,
  seq INTEGER NOT NULL
) STRICT;
CREATE INDEX evaluation_variant ON evaluation(variant_id, protocol_id);
CREATE INDEX evaluation_run ON evaluation(run_id, charged_no);

CREATE TABLE verdict_revision(
  seq INTEGER PRIMARY KEY,
  variant_id INTEGER NOT NULL REFERENCES variant(id),
  evaluation_id INTEGER REFERENCES evaluation(id),
  verdict TEXT NOT NULL,
  blame TEXT NOT NULL,
  reason TEXT NOT NULL
) STRICT;
CREATE INDEX verdict_revision_evaluation ON verdict_revision(evaluation_id, seq);

CREATE TABLE check_result(
  evaluation_id INTEGER NOT NULL REFERENCES evaluation(id),
  name TEXT NOT NULL,
  outcome TEXT NOT NULL CHECK(outcome IN ('PASS','FAIL','SKIP')),
  detail TEXT,
  evidence_hash TEXT,
  PRIMARY KEY(evaluation_id, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE diagnostic(
  id INTEGER PRIMARY KEY,
  candidate_id INTEGER NOT NULL REFERENCES candidate(id),
  variant_id INTEGER REFERENCES variant(id),
  evaluation_id INTEGER REFERENCES evaluation(id),
  code TEXT NOT NULL,
  category TEXT NOT NULL,
  severity TEXT NOT NULL,
  rule_id TEXT,
  span_start INTEGER NOT NULL,
  span_end INTEGER NOT NULL,
  fingerprint TEXT NOT NULL,
  message TEXT NOT NULL,
  body_hash TEXT
) STRICT;
CREATE INDEX diagnostic_candidate ON diagnostic(candidate_id, id);
CREATE INDEX diagnostic_fingerprint ON diagnostic(fingerprint);
CREATE INDEX diagnostic_code ON diagnostic(code, candidate_id);

CREATE TABLE late_evidence(
  seq INTEGER PRIMARY KEY,
  job_id INTEGER NOT NULL REFERENCES job(id),
  token INTEGER NOT NULL,
  body_hash TEXT,
  at_us INTEGER NOT NULL
) STRICT;

CREATE TABLE elite(
  run_id INTEGER NOT NULL REFERENCES run(id),
  source TEXT NOT NULL,
  island INTEGER NOT NULL,
  cell TEXT NOT NULL,
  variant_id INTEGER NOT NULL REFERENCES variant(id),
  score REAL NOT NULL,
  seq INTEGER NOT NULL,
  PRIMARY KEY(run_id, source, island, cell)
) STRICT, WITHOUT ROWID;

CREATE TABLE budget(
  run_id INTEGER NOT NULL REFERENCES run(id),
  kind TEXT NOT NULL,
  limit_n INTEGER NOT NULL,
  reserved INTEGER NOT NULL CHECK(reserved >= 0),
  spent INTEGER NOT NULL CHECK(spent >= 0),
  PRIMARY KEY(run_id, kind),
  CHECK(spent + reserved <= limit_n)
) STRICT, WITHOUT ROWID;

CREATE TABLE usage(
  session_id TEXT NOT NULL,
  model TEXT NOT NULL,
  run_id INTEGER NOT NULL REFERENCES run(id),
  source TEXT NOT NULL,
  input INTEGER NOT NULL,
  cached INTEGER NOT NULL,
  output INTEGER NOT NULL,
  reasoning INTEGER NOT NULL,
  PRIMARY KEY(session_id, model)
) STRICT, WITHOUT ROWID;
CREATE INDEX usage_run ON usage(run_id);

CREATE TABLE check_trace(
  seq INTEGER PRIMARY KEY,
  run_id INTEGER REFERENCES run(id),
  principal_id INTEGER NOT NULL REFERENCES principal(id),
  session_id TEXT,
  source_sha256 TEXT NOT NULL,
  kept_source TEXT,
  canon_hash TEXT,
  verdict TEXT,
  cpu_ns INTEGER NOT NULL
) STRICT;
CREATE INDEX check_trace_run ON check_trace(run_id, seq);
CREATE TABLE check_code(
  seq INTEGER NOT NULL REFERENCES check_trace(seq),
  pos INTEGER NOT NULL,
  code TEXT NOT NULL,
  fingerprint TEXT,
  PRIMARY KEY(seq, pos)
) STRICT, WITHOUT ROWID;
CREATE INDEX check_code_fingerprint ON check_code(fingerprint);

CREATE TABLE finding(
  id INTEGER PRIMARY KEY,
  fingerprint TEXT NOT NULL UNIQUE,
  route TEXT NOT NULL,
  state TEXT NOT NULL,
  title TEXT NOT NULL,
  count INTEGER NOT NULL,
  first_us INTEGER NOT NULL,
  last_us INTEGER NOT NULL,
  minimised_hash TEXT
) STRICT;
CREATE TABLE finding_case(
  finding_id INTEGER NOT NULL REFERENCES finding(id),
  candidate_id INTEGER NOT NULL REFERENCES candidate(id),
  PRIMARY KEY(finding_id, candidate_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE proposal(
  id INTEGER PRIMARY KEY,
  kind TEXT NOT NULL CHECK(kind IN ('rule','calibration','primitive','tactic')),
  name TEXT NOT NULL,
  rev INTEGER NOT NULL,
  body_hash TEXT,
  state TEXT NOT NULL,
  author_id INTEGER REFERENCES principal(id)
) STRICT;
CREATE TABLE gate_run(
  proposal_id INTEGER NOT NULL REFERENCES proposal(id),
  rev INTEGER NOT NULL,
  gate TEXT NOT NULL,
  corpus_hash TEXT NOT NULL,
  verifier_rev TEXT NOT NULL,
  outcome TEXT NOT NULL,
  body_hash TEXT,
  PRIMARY KEY(proposal_id, rev, gate, corpus_hash, verifier_rev)
) STRICT, WITHOUT ROWID;
CREATE TABLE decision(
  seq INTEGER PRIMARY KEY,
  proposal_id INTEGER NOT NULL REFERENCES proposal(id),
  rev INTEGER NOT NULL,
  who_id INTEGER NOT NULL REFERENCES principal(id),
  verdict TEXT NOT NULL CHECK(verdict IN ('APPROVE','REJECT','UNDO')),
  reason TEXT NOT NULL,
  at_us INTEGER NOT NULL
) STRICT;
CREATE TABLE tactic(
  id INTEGER PRIMARY KEY,            -- its proposal
  name TEXT NOT NULL,
  rev INTEGER NOT NULL,
  body_hash TEXT,
  state TEXT NOT NULL,
  FOREIGN KEY(id) REFERENCES proposal(id)
) STRICT;
CREATE TABLE calibration(
  id INTEGER PRIMARY KEY,
  device_arch TEXT NOT NULL,
  version TEXT NOT NULL,
  state TEXT NOT NULL CHECK(state IN ('ACTIVE','RETIRED')),
  body_hash TEXT,
  UNIQUE(device_arch, version)
) STRICT;
CREATE TABLE portfolio(
  seq INTEGER PRIMARY KEY,           -- of the AdminAction that exported it
  who_id INTEGER NOT NULL REFERENCES principal(id),
  subject TEXT NOT NULL,
  manifest_hash TEXT,
  at_us INTEGER NOT NULL
) STRICT;
