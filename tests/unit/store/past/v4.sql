-- A store as the program with schema version 4 left it: read by migration_test.cc.
PRAGMA application_id = 1128352581;
PRAGMA user_version = 4;
BEGIN TRANSACTION;
CREATE TABLE budget(
  run_id INTEGER NOT NULL REFERENCES run(id),
  kind TEXT NOT NULL,
  limit_n INTEGER NOT NULL,
  reserved INTEGER NOT NULL CHECK(reserved >= 0),
  spent INTEGER NOT NULL CHECK(spent >= 0),
  PRIMARY KEY(run_id, kind),
  CHECK(spent + reserved <= limit_n)
) STRICT, WITHOUT ROWID;
INSERT INTO "budget" VALUES(1,'evaluations',10,0,1);
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
CREATE TABLE calibration(
  id INTEGER PRIMARY KEY,
  device_arch TEXT NOT NULL,
  version TEXT NOT NULL,
  state TEXT NOT NULL CHECK(state IN ('ACTIVE','RETIRED')),
  body_hash TEXT,
  UNIQUE(device_arch, version)
) STRICT;
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
INSERT INTO "candidate" VALUES(1,1,1,'a805dcfff64a33f786de1c71a57a08f4cc81d2a819aaf3ef5f0b06d24b4ec74f','canon-a','s','cake-ir',1,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'CONFIRMED','NONE',NULL,1.5,NULL,1,1,1,1,1796049431944991,8);
INSERT INTO "candidate" VALUES(2,1,2,'ee50dbaef7446c035d7d4174e18d7ce1d2f3ccf7a355e7a05cc8355bebc7dff1','canon-b','s','cake-ir',1,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,1,1,1,1,1796049431963640,9);
CREATE TABLE check_code(
  seq INTEGER NOT NULL REFERENCES check_trace(seq),
  pos INTEGER NOT NULL,
  code TEXT NOT NULL,
  fingerprint TEXT,
  PRIMARY KEY(seq, pos)
) STRICT, WITHOUT ROWID;
CREATE TABLE check_result(
  evaluation_id INTEGER NOT NULL REFERENCES evaluation(id),
  name TEXT NOT NULL,
  outcome TEXT NOT NULL CHECK(outcome IN ('PASS','FAIL','SKIP')),
  detail TEXT,
  evidence_hash TEXT,
  PRIMARY KEY(evaluation_id, name)
) STRICT, WITHOUT ROWID;
INSERT INTO "check_result" VALUES(1,'values','PASS',NULL,NULL);
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
CREATE TABLE decision(
  seq INTEGER PRIMARY KEY,
  proposal_id INTEGER NOT NULL REFERENCES proposal(id),
  rev INTEGER NOT NULL,
  who_id INTEGER NOT NULL REFERENCES principal(id),
  verdict TEXT NOT NULL CHECK(verdict IN ('APPROVE','REJECT','UNDO')),
  reason TEXT NOT NULL,
  at_us INTEGER NOT NULL
) STRICT;
CREATE TABLE device(
  id INTEGER PRIMARY KEY,
  uuid TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  arch TEXT NOT NULL,
  driver TEXT NOT NULL,
  state TEXT NOT NULL,
  simulated INTEGER NOT NULL
, reason TEXT) STRICT;
INSERT INTO "device" VALUES(1,'GPU-1','H','sm_90a','1','HEALTHY',0,NULL);
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
INSERT INTO "elite" VALUES(1,'MEASURED',0,'run',1,1.5,22);
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
INSERT INTO "estimate" VALUES(2,'device','none','m1',900.0,700.0,1200.0,1.0,'hbm',NULL,'RANK_ONLY',NULL,23);
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
INSERT INTO "evaluation" VALUES(1,1,1,1,'contract-1','cold-abba-v1',1,2,'CONFIRMED','NONE','MEASURED',0,1,1,0,0,5000,1.875,1.5,2.25,1000.0,NULL,NULL,NULL,1796049432108846,20);
CREATE TABLE event(
  seq INTEGER PRIMARY KEY,
  at_us INTEGER NOT NULL,
  run_id INTEGER,
  kind TEXT NOT NULL,
  subject TEXT NOT NULL,             -- c-7-142 for all that is about a candidate
  schema INTEGER NOT NULL,
  body TEXT NOT NULL                 -- canonical JSON
) STRICT;
INSERT INTO "event" VALUES(1,1796049431713202,NULL,'PrincipalChanged','u-1',1,'{"experiment":0,"name":"local","principal":1,"revoked":false,"role":"all","token_hash":""}');
INSERT INTO "event" VALUES(2,1796049431822747,NULL,'WorkloadRegistered','rmsnorm',2,'{"canon_hash":"","hash":"contract-1","imported":false,"name":"rmsnorm","text_hash":"","workload":1}');
INSERT INTO "event" VALUES(3,1796049431822918,NULL,'ExperimentCreated','e-1',1,'{"experiment":1,"name":"default","spec_hash":"","visibility":"OPEN"}');
INSERT INTO "event" VALUES(4,1796049431822963,NULL,'DeviceState','d-1',2,'{"arch":"sm_90a","device":1,"driver":"1","name":"H","noise":[],"reason":"","simulated":false,"state":"HEALTHY","uuid":"GPU-1"}');
INSERT INTO "event" VALUES(5,1796049431823035,NULL,'WorkerState','w-1',1,'{"capabilities":[],"device":0,"incarnation":7,"name":"w","state":"SERVE","worker":1}');
INSERT INTO "event" VALUES(6,1796049431888824,1,'RunState','r-1',2,'{"arm":"cake-ir","budgets":[{"kind":"evaluations","limit":10}],"contract_hash":"contract-1","experiment":1,"import":0,"objective":"MEASURED","reason":"","repeat_no":0,"run":1,"seed":"18364758544493064720","source_run":0,"spec_hash":"","state":"CREATED","workload":1}');
INSERT INTO "event" VALUES(7,1796049431915630,1,'RunState','r-1',2,'{"arm":"","budgets":[],"contract_hash":"","experiment":0,"import":0,"objective":"NONE","reason":"","repeat_no":0,"run":1,"seed":0,"source_run":0,"spec_hash":"","state":"RUNNING","workload":0}');
INSERT INTO "event" VALUES(8,1796049431944991,1,'CandidateSubmitted','c-1-1',2,'{"arm_kind":"cake-ir","author":1,"candidate":1,"decision_no":0,"intent":"","island":0,"n":1,"params_json":"","parents":[],"prediction_json":"","run":1,"session":"","source_hash":"a805dcfff64a33f786de1c71a57a08f4cc81d2a819aaf3ef5f0b06d24b4ec74f","tactic":""}');
INSERT INTO "event" VALUES(9,1796049431963640,1,'CandidateSubmitted','c-1-2',2,'{"arm_kind":"cake-ir","author":1,"candidate":2,"decision_no":0,"intent":"","island":0,"n":2,"params_json":"","parents":[{"candidate":1,"role":"parent"}],"prediction_json":"","run":1,"session":"","source_hash":"ee50dbaef7446c035d7d4174e18d7ce1d2f3ccf7a355e7a05cc8355bebc7dff1","tactic":""}');
INSERT INTO "event" VALUES(10,1796049431964223,1,'GatesDone','c-1-1',2,'{"blame":"","candidate":1,"canon_hash":"canon-a","cpu_ns":0,"diagnostics":[],"duplicate_of":0,"fixable":false,"gates":[],"report_hash":"","struct_hash":"s","verdict":"","wall_ns":0}');
INSERT INTO "event" VALUES(11,1796049431964552,1,'VariantsExpanded','c-1-1',2,'{"blame":"","candidate":1,"diagnostics":[],"gates":[],"last":true,"members_seen":1,"members_total":1,"rejected":[],"variants":[{"binding_hash":"b","blame":"","canon_hash":"canon-a/64","duplicate_of":0,"features":"","params_json":"{\"BN\":64}","variant":1,"verdict":""}],"verdict":""}');
INSERT INTO "event" VALUES(12,1796049431964949,1,'GatesDone','c-1-2',2,'{"blame":"","candidate":2,"canon_hash":"canon-b","cpu_ns":0,"diagnostics":[],"duplicate_of":0,"fixable":false,"gates":[],"report_hash":"","struct_hash":"s","verdict":"","wall_ns":0}');
INSERT INTO "event" VALUES(13,1796049431964999,1,'VariantsExpanded','c-1-2',2,'{"blame":"","candidate":2,"diagnostics":[],"gates":[],"last":true,"members_seen":1,"members_total":1,"rejected":[],"variants":[{"binding_hash":"b","blame":"","canon_hash":"canon-b/64","duplicate_of":0,"features":"","params_json":"{\"BN\":64}","variant":2,"verdict":""}],"verdict":""}');
INSERT INTO "event" VALUES(14,1796049431991598,1,'JobQueued','c-1-1',1,'{"job":1,"needs":["run:sm_90a","compile:nvrtc"],"not_before_us":0,"priority":0,"protocol":"cold-abba-v1","purpose":"SEARCH","round":0,"spec_hash":"","variant":1}');
INSERT INTO "event" VALUES(15,1796049431992359,1,'LeaseGranted','c-1-1',1,'{"attempt":1,"device":1,"fencing_token":1,"incarnation":7,"job":1,"lease":1,"worker":1}');
INSERT INTO "event" VALUES(16,1796049432095577,1,'LeaseLost','c-1-1',1,'{"fencing_token":1,"infra":true,"job":1,"not_before_us":0,"reason":"EXPIRED","then":"QUEUED"}');
INSERT INTO "event" VALUES(17,1796049432096473,1,'LeaseGranted','c-1-1',1,'{"attempt":2,"device":1,"fencing_token":2,"incarnation":7,"job":1,"lease":2,"worker":1}');
INSERT INTO "event" VALUES(18,1796049432096792,1,'BudgetReserved','r-1',1,'{"amount":1,"job":1,"kind":"evaluations","run":1}');
INSERT INTO "event" VALUES(19,1796049432108679,1,'StageEnded','c-1-1',1,'{"cpu_ns":4000,"end":"OK","fencing_token":2,"job":1,"limit_ns":9000,"stage":"ORACLE","wall_ns":5000}');
INSERT INTO "event" VALUES(20,1796049432108846,1,'EvaluationDone','c-1-1',1,'{"active_ns":0,"blame":"NONE","checks":[{"detail":"","evidence_hash":"","name":"values","outcome":"PASS"}],"contract_hash":"contract-1","device":1,"diagnostics":[],"evaluation":1,"fencing_token":2,"job":1,"oracle_completed":true,"ratio_high":2.25,"ratio_low":1.5,"ratio_med":1.875,"receipt_hash":"","replayed":false,"report_hash":"","samples_hash":"","source":"MEASURED","time_ns":1000,"verdict":"CONFIRMED"}');
INSERT INTO "event" VALUES(21,1796049432109354,1,'BudgetSettled','r-1',1,'{"job":1,"kind":"evaluations","reserved":1,"run":1,"spent":1}');
INSERT INTO "event" VALUES(22,1796049432109405,1,'EliteChanged','r-1',1,'{"cell":"run","island":0,"run":1,"score":1.5,"source":"MEASURED","variant":1}');
INSERT INTO "event" VALUES(23,1796049432124846,1,'Estimated','c-1-2',1,'{"body_hash":"","bottleneck":"hbm","calibration":"none","coverage":"RANK_ONLY","high_ns":1200,"low_ns":700,"model_rev":"m1","runner_up":"","shape":"device","time_ns":900,"variant":2,"weight":1}');
INSERT INTO "event" VALUES(24,1796049432205468,1,'UsageReported','r-1',1,'{"cached":0,"input":100,"model":"m","output":20,"reasoning":0,"run":1,"session":"s","source":"AGENT"}');
INSERT INTO "event" VALUES(25,1796049432295618,NULL,'FindingOpened','f-1',1,'{"candidates":[1],"finding":1,"fingerprint":"f","route":"verifier","title":"t"}');
INSERT INTO "event" VALUES(26,1796049432319635,NULL,'AdminAction','default',1,'{"action":"StopExperiment","object_hash":"","reason":"r","subject":"default","who":1}');
INSERT INTO "event" VALUES(27,1796049432355658,1,'RunState','r-1',2,'{"arm":"","budgets":[],"contract_hash":"","experiment":0,"import":0,"objective":"NONE","reason":"OPERATOR","repeat_no":0,"run":1,"seed":0,"source_run":0,"spec_hash":"","state":"STOPPED","workload":0}');
INSERT INTO "event" VALUES(28,1796071051075559,NULL,'AdminAction','0 objects',1,'{"action":"CollectGarbage","object_hash":"","reason":"a store of version 4","subject":"0 objects","who":1}');
CREATE TABLE experiment(
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  spec_hash TEXT,
  state TEXT NOT NULL,               -- CREATED | PREREGISTERED | SEALED
  visibility TEXT NOT NULL CHECK(visibility IN ('OPEN','CLEAN')),
  preregistered_us INTEGER
) STRICT;
INSERT INTO "experiment" VALUES(1,'default',NULL,'CREATED','OPEN',NULL);
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
INSERT INTO "finding" VALUES(1,'f','verifier','OPEN','t',1,1796049432295618,1796049432295618,NULL);
CREATE TABLE finding_case(
  finding_id INTEGER NOT NULL REFERENCES finding(id),
  candidate_id INTEGER NOT NULL REFERENCES candidate(id),
  PRIMARY KEY(finding_id, candidate_id)
) STRICT, WITHOUT ROWID;
INSERT INTO "finding_case" VALUES(1,1);
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
CREATE TABLE idem(
  principal_id INTEGER NOT NULL REFERENCES principal(id),
  method TEXT NOT NULL,
  request_id TEXT NOT NULL,
  request_hash TEXT NOT NULL,
  reply BLOB NOT NULL,
  at_us INTEGER NOT NULL,
  PRIMARY KEY(principal_id, method, request_id)
) STRICT, WITHOUT ROWID;
INSERT INTO "idem" VALUES(1,'StopExperiment','request-0001','hash',X'7265706C79',1796049432319626);
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
INSERT INTO "job" VALUES(1,1,1,'SEARCH','cold-abba-v1',0,'DONE',0,2,1,1,2,NULL,1,0,1796049431991598,'run:sm_90a
compile:nvrtc',NULL);
CREATE TABLE late_evidence(
  seq INTEGER PRIMARY KEY,
  job_id INTEGER NOT NULL REFERENCES job(id),
  token INTEGER NOT NULL,
  body_hash TEXT,
  at_us INTEGER NOT NULL
) STRICT;
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
INSERT INTO "lease" VALUES(1,1,1,1,1,7,1,'LOST','EXPIRED',1,1796049431992359,1796049432095577);
INSERT INTO "lease" VALUES(2,2,1,2,1,7,1,'DONE',NULL,0,1796049432096473,1796049432108846);
CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
INSERT INTO "meta" VALUES('page_key','eeadf57c278d6e9ccca4a495e5d0bc247161f30de93a6e586667e7f56262822f');
CREATE TABLE noise(
  device_id INTEGER NOT NULL REFERENCES device(id),
  class TEXT NOT NULL,
  at_us INTEGER NOT NULL,
  floor REAL NOT NULL,
  PRIMARY KEY(device_id, class, at_us)
) STRICT, WITHOUT ROWID;
CREATE TABLE object(
  hash TEXT PRIMARY KEY,
  bytes_inline BLOB,                 -- NULL: the bytes are in objects/ab/cd...
  size INTEGER NOT NULL,
  kind TEXT NOT NULL,
  created_us INTEGER NOT NULL
, dropped_us INTEGER) STRICT, WITHOUT ROWID;
INSERT INTO "object" VALUES('a805dcfff64a33f786de1c71a57a08f4cc81d2a819aaf3ef5f0b06d24b4ec74f',X'70726F6772616D2061',9,'source',1796049431944934,NULL);
INSERT INTO "object" VALUES('ee50dbaef7446c035d7d4174e18d7ce1d2f3ccf7a355e7a05cc8355bebc7dff1',X'70726F6772616D2062',9,'source',1796049431963605,NULL);
CREATE TABLE parent(
  child_id INTEGER NOT NULL REFERENCES candidate(id),
  parent_id INTEGER NOT NULL REFERENCES candidate(id),
  role TEXT NOT NULL,
  PRIMARY KEY(child_id, parent_id)
) STRICT, WITHOUT ROWID;
INSERT INTO "parent" VALUES(2,1,'parent');
CREATE TABLE portfolio(
  seq INTEGER PRIMARY KEY,           -- of the AdminAction that exported it
  who_id INTEGER NOT NULL REFERENCES principal(id),
  subject TEXT NOT NULL,
  manifest_hash TEXT,
  at_us INTEGER NOT NULL
) STRICT;
CREATE TABLE principal(
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  role TEXT NOT NULL CHECK(role IN ('agent','worker','operator','researcher','all')),
  token_hash TEXT,
  experiment_id INTEGER REFERENCES experiment(id),
  revoked_us INTEGER
) STRICT;
INSERT INTO "principal" VALUES(1,'local','all',NULL,NULL,NULL);
CREATE TABLE proposal(
  id INTEGER PRIMARY KEY,
  kind TEXT NOT NULL CHECK(kind IN ('rule','calibration','primitive','tactic')),
  name TEXT NOT NULL,
  rev INTEGER NOT NULL,
  body_hash TEXT,
  state TEXT NOT NULL,
  author_id INTEGER REFERENCES principal(id)
) STRICT;
CREATE TABLE rejected_group(
  candidate_id INTEGER NOT NULL REFERENCES candidate(id),
  code TEXT NOT NULL,
  count INTEGER NOT NULL,
  witness_params_json TEXT NOT NULL,
  PRIMARY KEY(candidate_id, code)
) STRICT, WITHOUT ROWID;
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
  gpu_ns INTEGER NOT NULL, import_id INTEGER REFERENCES import(id), source_run INTEGER,           -- wall time of oracle, timing and profile stages
  UNIQUE(experiment_id, arm, repeat_no)
) STRICT;
INSERT INTO "run" VALUES(1,1,'cake-ir',0,-81985529216486896,'STOPPED','OPERATOR',0,1,'contract-1','MEASURED',NULL,NULL,NULL,1796049431888824,1796049432355658,2,1,5000,NULL,NULL);
CREATE TABLE run_decision(
  run_id INTEGER NOT NULL REFERENCES run(id),
  decision_no INTEGER NOT NULL,
  kind TEXT NOT NULL,
  inputs_through_seq INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  PRIMARY KEY(run_id, decision_no)
) STRICT, WITHOUT ROWID;
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
INSERT INTO "stage_clock" VALUES(1,2,'ORACLE',5000,4000,9000,'OK');
CREATE TABLE tactic(
  id INTEGER PRIMARY KEY,            -- its proposal
  name TEXT NOT NULL,
  rev INTEGER NOT NULL,
  body_hash TEXT,
  state TEXT NOT NULL,
  FOREIGN KEY(id) REFERENCES proposal(id)
) STRICT;
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
INSERT INTO "usage" VALUES('s','m',1,'AGENT',100,0,20,0);
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
INSERT INTO "variant" VALUES(1,1,'b','{"BN":64}','canon-a/64',NULL,'CONFIRMED','NONE',NULL,NULL,NULL,NULL,NULL);
INSERT INTO "variant" VALUES(2,2,'b','{"BN":64}','canon-b/64',NULL,NULL,NULL,NULL,NULL,900.0,700.0,1200.0);
CREATE TABLE verdict_revision(
  seq INTEGER PRIMARY KEY,
  variant_id INTEGER NOT NULL REFERENCES variant(id),
  evaluation_id INTEGER REFERENCES evaluation(id),
  verdict TEXT NOT NULL,
  blame TEXT NOT NULL,
  reason TEXT NOT NULL
) STRICT;
CREATE TABLE worker(
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  incarnation INTEGER NOT NULL,      -- 64 bits, read as unsigned
  state TEXT NOT NULL,
  device_id INTEGER REFERENCES device(id),
  capabilities TEXT NOT NULL         -- separated by one newline
) STRICT;
INSERT INTO "worker" VALUES(1,'w',7,'SERVE',NULL,'');
CREATE TABLE workload(
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  hash TEXT NOT NULL UNIQUE,
  text_hash TEXT,
  canon_hash TEXT,
  created_us INTEGER NOT NULL
, imported INTEGER NOT NULL DEFAULT 0) STRICT;
INSERT INTO "workload" VALUES(1,'rmsnorm','contract-1',NULL,NULL,1796049431822747,0);
CREATE INDEX event_run ON event(run_id, seq);
CREATE INDEX event_subject ON event(subject, seq);
CREATE INDEX workload_name ON workload(name, id);
CREATE INDEX candidate_verdict ON candidate(run_id, verdict, id);
CREATE INDEX candidate_canon ON candidate(canon_hash);
CREATE INDEX candidate_struct ON candidate(run_id, struct_hash);
CREATE INDEX candidate_ungated ON candidate(id) WHERE gates_done = 0;
CREATE INDEX candidate_unexpanded ON candidate(id)
  WHERE gates_done = 1 AND gates_verdict IS NULL AND expanded = 0;
CREATE INDEX parent_parent ON parent(parent_id);
CREATE INDEX variant_canon ON variant(canon_hash);
CREATE UNIQUE INDEX gate_result_key
  ON gate_result(candidate_id, ifnull(variant_id, 0), gate, verifier_rev, ruleset_hash);
CREATE INDEX build_variant ON build(variant_id);
CREATE INDEX job_state ON job(state, priority DESC, id);
CREATE INDEX job_run ON job(run_id, state, id);
CREATE INDEX lease_open ON lease(fencing_token) WHERE state = 'OPEN';
CREATE INDEX evaluation_variant ON evaluation(variant_id, protocol_id);
CREATE INDEX evaluation_run ON evaluation(run_id, charged_no);
CREATE INDEX verdict_revision_evaluation ON verdict_revision(evaluation_id, seq);
CREATE INDEX diagnostic_candidate ON diagnostic(candidate_id, id);
CREATE INDEX diagnostic_fingerprint ON diagnostic(fingerprint);
CREATE INDEX diagnostic_code ON diagnostic(code, candidate_id);
CREATE INDEX usage_run ON usage(run_id);
CREATE INDEX check_trace_run ON check_trace(run_id, seq);
CREATE INDEX check_code_fingerprint ON check_code(fingerprint);
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
CREATE VIEW v_lineage AS
SELECT 'c-' || c.run_id || '-' || c.n AS child, 'c-' || p.run_id || '-' || p.n AS parent, l.role,
       c.verdict AS child_verdict, p.verdict AS parent_verdict, c.tactic, l.child_id, l.parent_id,
       c.run_id
FROM parent l JOIN candidate c ON c.id = l.child_id JOIN candidate p ON p.id = l.parent_id;
CREATE VIEW v_failure AS
SELECT 'c-' || c.run_id || '-' || c.n AS candidate, d.code, d.category, d.severity, d.message,
       d.fingerprint, d.rule_id, d.span_start, d.span_end, d.variant_id, d.evaluation_id,
       c.verdict, c.blame, c.id AS candidate_id, c.run_id
FROM diagnostic d JOIN candidate c ON c.id = d.candidate_id;
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
CREATE VIEW v_tactic_return AS
SELECT c.run_id, c.tactic, count(*) AS candidates,
       sum(c.verdict IN ('CORRECT', 'IMPROVED', 'CONFIRMED')) AS correct,
       sum(c.verdict IN ('IMPROVED', 'CONFIRMED')) AS improved,
       max(c.best_ratio_low) AS best_ratio_low
FROM candidate c WHERE c.tactic IS NOT NULL GROUP BY c.run_id, c.tactic;
CREATE VIEW v_cost_per_percent AS
SELECT k.run_id, max(k.charged_evaluations) AS charged_evaluations,
       max(k.charged_tokens) AS charged_tokens, max(k.gpu_ns) AS gpu_ns,
       max(k.best_ratio_low) AS best_ratio_low,
       CASE WHEN max(k.best_ratio_low) > 1
         THEN max(k.charged_evaluations) / (100.0 * (max(k.best_ratio_low) - 1)) END
         AS evaluations_per_percent
FROM v_curve k GROUP BY k.run_id;
CREATE VIEW v_queue AS
SELECT j.id AS job_id, 'c-' || c.run_id || '-' || c.n AS candidate, j.variant_id, j.purpose,
       j.protocol_id, j.round, j.state, j.priority, j.attempt, j.infra_losses, w.name AS worker,
       j.queued_us, j.not_before_us, j.run_id
FROM job j JOIN variant v ON v.id = j.variant_id JOIN candidate c ON c.id = v.candidate_id
LEFT JOIN worker w ON w.id = j.worker_id
WHERE j.state IN ('QUEUED', 'LEASED');
CREATE VIEW v_stage_time AS
SELECT s.job_id, s.attempt, s.stage, s.wall_ns, s.cpu_ns, s.limit_ns, s.end, j.purpose,
       'c-' || c.run_id || '-' || c.n AS candidate, j.run_id
FROM stage_clock s JOIN job j ON j.id = s.job_id JOIN variant v ON v.id = j.variant_id
JOIN candidate c ON c.id = v.candidate_id;
CREATE VIEW v_device_noise AS
SELECT d.uuid AS device, d.name, d.arch, d.simulated, n.class, n.floor, n.at_us
FROM noise n JOIN device d ON d.id = n.device_id;
CREATE VIEW v_proposal AS
SELECT p.id AS proposal_id, p.kind, p.name, p.rev, p.state, a.name AS author,
       (SELECT x.verdict FROM decision x WHERE x.proposal_id = p.id
        ORDER BY x.seq DESC LIMIT 1) AS decided,
       (SELECT y.name FROM decision x JOIN principal y ON y.id = x.who_id
        WHERE x.proposal_id = p.id ORDER BY x.seq DESC LIMIT 1) AS decided_by,
       (SELECT count(*) FROM gate_run g WHERE g.proposal_id = p.id AND g.rev = p.rev) AS gate_runs
FROM proposal p LEFT JOIN principal a ON a.id = p.author_id;
CREATE VIEW v_arm_summary AS
SELECT e.name AS experiment, r.arm, r.repeat_no, 'r-' || r.id AS run, w.name AS workload, r.state,
       r.reason, r.objective_source, r.candidates, r.charged AS charged_evaluations, r.gpu_ns,
       (SELECT sum(u.input + u.output) FROM usage u WHERE u.run_id = r.id) AS charged_tokens,
       b.candidate AS best, b.ratio_low AS best_ratio_low, b.predicted_ns AS best_predicted_ns,
       r.plateau_detected_at, r.plateau_point, r.id AS run_id
FROM run r JOIN experiment e ON e.id = r.experiment_id LEFT JOIN workload w ON w.id = r.workload_id
LEFT JOIN v_best b ON b.run_id = r.id;
CREATE VIEW v_event AS
SELECT seq, at_us, CASE WHEN run_id IS NULL THEN NULL ELSE 'r-' || run_id END AS run, kind, subject,
       schema, body, run_id
FROM event;
CREATE VIEW v_import AS
SELECT 'i-' || m.id AS import, 'r-' || r.id AS run, 'r-' || r.source_run AS source_run,
       e.name AS experiment, m.campaign, m.device, m.driver, m.simulated, m.git, m.script,
       m.bundle, m.manifest_hash, m.at_us, r.id AS run_id
FROM import m JOIN run r ON r.import_id = m.id JOIN experiment e ON e.id = r.experiment_id;
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
CREATE VIEW v_estimate_error AS
SELECT v.id AS variant_id, ev.candidate, ev.protocol_id, ev.source, v.predicted_ns, ev.time_ns,
       v.predicted_ns / ev.time_ns AS predicted_over_measured,
       ev.time_ns BETWEEN v.predicted_low_ns AND v.predicted_high_ns AS inside_interval, ev.run_id
FROM variant v JOIN v_evaluation ev ON ev.variant_id = v.id
WHERE ev.time_ns IS NOT NULL AND v.predicted_ns IS NOT NULL
  AND ev.source IN ('MEASURED', 'SIMULATED', 'REPLAY');
COMMIT;
