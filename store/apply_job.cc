#include "absl/strings/str_cat.h"
#include "store/apply_body.h"
#include "store/error.h"
#include "store/try.h"

namespace store {
namespace {

struct JobNow {
  int64_t variant = 0, run = 0, candidate = 0;
  Purpose purpose = Purpose::kSearch;
  std::string protocol;
  JobState state = JobState::kQueued;
  int64_t attempt = 0, fencing_token = 0;
};

absl::StatusOr<JobNow> FindJob(Database& db, int64_t id) {
  JobNow job;
  Statement row = db.Use(
      "SELECT j.variant_id, j.run_id, v.candidate_id, j.purpose, j.protocol_id, j.state,"
      " j.attempt, j.fencing_token FROM job j JOIN variant v ON v.id = j.variant_id"
      " WHERE j.id = ?1");
  CAKE_STORE_ASSIGN(const bool found, row.Bind(id).Step());
  if (!found) return Error(Reason::kUnknownId, absl::StrCat("no job ", id));
  row.Get(job.variant).Get(job.run).Get(job.candidate).Get(job.purpose).Get(job.protocol);
  row.Get(job.state).Get(job.attempt).Get(job.fencing_token);
  return job;
}

absl::Status Stale(int64_t job, int64_t token) {
  return Error(Reason::kStaleToken,
               absl::StrCat("token ", token, " does not hold job ", job, " any more"));
}

absl::Status MustHold(const JobNow& now, int64_t job, int64_t token) {
  const bool holds = now.state == JobState::kLeased && now.fencing_token == token && token != 0;
  return holds ? absl::OkStatus() : Stale(job, token);
}

// Whether a result for a job that has one already is the same one.
absl::Status AgainstStored(Database& db, const EvaluationDone& e) {
  Statement row =
      db.Use("SELECT fencing_token, receipt_hash, verdict FROM evaluation WHERE job_id = ?1");
  CAKE_STORE_ASSIGN(const bool found, row.Bind(e.job).Step());
  if (!found) return absl::OkStatus();
  if (row.Int(0) != e.fencing_token) return Stale(e.job, e.fencing_token);
  if (row.Text(1) == e.receipt_hash.hex && row.Text(2) == ToString(e.verdict)) {
    return Error(Reason::kDuplicateResult, absl::StrCat("job ", e.job, " has this result already"));
  }
  return Error(Reason::kResultConflict, absl::StrCat("job ", e.job, " has another result"));
}

absl::Status MayEnd(Database& db, const JobNow& now, const EvaluationDone& e) {
  CAKE_STORE_TRY(AgainstStored(db, e));
  if (e.fencing_token != 0) return MustHold(now, e.job, e.fencing_token);
  const bool unheld_end = e.verdict == Verdict::kCancelled || e.verdict == Verdict::kInfraPoisonJob;
  if (!unheld_end || now.state == JobState::kLeased) return Stale(e.job, 0);
  return absl::OkStatus();
}

JobState EndState(Verdict verdict) {
  if (verdict == Verdict::kCancelled) return JobState::kCancelled;
  if (verdict == Verdict::kInfraPoisonJob) return JobState::kPoisoned;
  return JobState::kDone;
}

bool IsCharged(const EvaluationDone& e) {
  return e.oracle_completed && (e.blame == Blame::kCandidate || e.blame == Blame::kNone);
}

absl::Status InsertEvaluation(Database& db, const Event& event, const EvaluationDone& e,
                              const JobNow& job, bool charged) {
  return db.Run(
      "INSERT INTO evaluation(id, job_id, variant_id, run_id, contract_hash, protocol_id,"
      " device_id, fencing_token, verdict, blame, source, replayed, oracle_completed, charged_no,"
      " charged_tokens, active_ns, gpu_ns, ratio_med, ratio_low, ratio_high, time_ns,"
      " receipt_hash, samples_hash, report_hash, at_us, seq)"
      " SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13,"
      " CASE WHEN ?14 THEN r.charged END,"
      " (SELECT coalesce(sum(u.input + u.output), 0) FROM usage u WHERE u.run_id = ?4),"
      " ?15, r.gpu_ns, ?16, ?17, ?18, ?19, ?20, ?21, ?22, ?23, ?24 FROM run r WHERE r.id = ?4",
      e.evaluation, e.job, job.variant, job.run, e.contract_hash, job.protocol, Opt(e.device),
      Opt(e.fencing_token), e.verdict, e.blame, e.source, e.replayed, e.oracle_completed, charged,
      e.active_ns, Opt(e.ratio_med), Opt(e.ratio_low), Opt(e.ratio_high), Opt(e.time_ns),
      e.receipt_hash, e.samples_hash, e.report_hash, event.at_us, event.seq);
}

// A search, confirmation or baseline says what the variant is. Audits and re-checks do not: they
// judge the gates and the oracle, and a VerdictRevised follows if one was wrong. An infrastructure
// end or a cancellation does not undo what an evaluation found.
absl::Status SetVariantVerdict(Database& db, const JobNow& job, const EvaluationDone& e) {
  if (job.purpose == Purpose::kAudit || job.purpose == Purpose::kRecheck) return absl::OkStatus();
  const bool says_nothing = e.blame == Blame::kInfra || e.verdict == Verdict::kCancelled;
  return db.Run(says_nothing ? "UPDATE variant SET verdict = ?2, blame = ?3"
                               " WHERE id = ?1 AND (verdict IS NULL OR blame = 'INFRA')"
                             : "UPDATE variant SET verdict = ?2, blame = ?3 WHERE id = ?1",
                job.variant, e.verdict, e.blame);
}

bool RunsOnDevice(Stage stage) {
  return stage == Stage::kOracle || stage == Stage::kTiming || stage == Stage::kProfile;
}

}  // namespace

absl::Status ApplyBody(Database& db, const Event& event, const JobQueued& e) {
  return db.Run(
      "INSERT INTO job(id, variant_id, run_id, purpose, protocol_id, round, state, priority,"
      " attempt, infra_losses, lost_devices, not_before_us, queued_us, needs, spec_hash)"
      " SELECT ?1, ?2, c.run_id, ?3, ?4, ?5, 'QUEUED', ?6, 0, 0, 0, ?7, ?8, ?9, ?10"
      " FROM variant v JOIN candidate c ON c.id = v.candidate_id WHERE v.id = ?2",
      e.job, e.variant, e.purpose, e.protocol, e.round, e.priority, e.not_before_us, event.at_us,
      JoinLines(e.needs), e.spec_hash);
}

absl::Status ApplyBody(Database& db, const Event& event, const LeaseGranted& e) {
  CAKE_STORE_ASSIGN(const int64_t newest, db.Int("SELECT max(fencing_token) FROM lease"));
  if (e.fencing_token <= newest) {
    return Error(Reason::kBadState, "a fencing token is larger than every one before");
  }
  CAKE_STORE_ASSIGN(const int64_t serving,
                    db.Int("SELECT count(*) FROM worker WHERE id = ?1 AND incarnation = ?2",
                           e.worker, e.incarnation));
  if (serving == 0) return Error(Reason::kBadState, "the worker has another incarnation");
  CAKE_STORE_TRY(
      db.Run("UPDATE job SET state = 'LEASED', attempt = ?2, fencing_token = ?3, lease_id = ?4,"
             " worker_id = ?5 WHERE id = ?1 AND state = 'QUEUED' AND attempt = ?2 - 1",
             e.job, e.attempt, e.fencing_token, e.lease, e.worker));
  CAKE_STORE_TRY(ChangedOne(db, absl::StrCat("job ", e.job, " is not queued").c_str()));
  return db.Run(
      "INSERT INTO lease(fencing_token, lease_id, job_id, attempt, worker_id, incarnation,"
      " device_id, state, infra, granted_us) VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, 'OPEN', 0, ?8)",
      e.fencing_token, e.lease, e.job, e.attempt, e.worker, e.incarnation, Opt(e.device),
      event.at_us);
}

absl::Status ApplyBody(Database& db, const Event& event, const LeaseLost& e) {
  CAKE_STORE_ASSIGN(const JobNow job, FindJob(db, e.job));
  CAKE_STORE_TRY(MustHold(job, e.job, e.fencing_token));
  if (e.then == JobState::kLeased || e.then == JobState::kDone) {
    return Error(Reason::kBadState, "a job that lost its lease is neither leased nor done");
  }
  CAKE_STORE_TRY(
      db.Run("UPDATE lease SET state = 'LOST', reason = ?2, infra = ?3, ended_us = ?4"
             " WHERE fencing_token = ?1",
             e.fencing_token, e.reason, e.infra, event.at_us));
  return db.Run(
      "UPDATE job SET state = ?2, not_before_us = ?3, infra_losses = infra_losses + ?4,"
      " lease_id = NULL, worker_id = NULL, lost_devices ="
      "  (SELECT count(DISTINCT coalesce(device_id, -worker_id)) FROM lease"
      "   WHERE job_id = ?1 AND state = 'LOST' AND infra = 1)"
      " WHERE id = ?1",
      e.job, e.then, e.not_before_us, e.infra);
}

absl::Status ApplyBody(Database& db, const Event&, const StageEnded& e) {
  CAKE_STORE_ASSIGN(const JobNow job, FindJob(db, e.job));
  CAKE_STORE_TRY(MustHold(job, e.job, e.fencing_token));
  CAKE_STORE_TRY(
      db.Run("INSERT INTO stage_clock(job_id, attempt, stage, wall_ns, cpu_ns, limit_ns, end)"
             " VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7) ON CONFLICT DO NOTHING",
             e.job, job.attempt, e.stage, e.wall_ns, e.cpu_ns, e.limit_ns, e.end));
  if (db.changes() == 0) {
    return Error(Reason::kDuplicateResult, "the stage of this attempt has ended already");
  }
  if (!RunsOnDevice(e.stage)) return absl::OkStatus();
  return db.Run(
      "UPDATE run SET gpu_ns = gpu_ns + ?2 WHERE id = ?1 AND EXISTS (SELECT 1 FROM lease"
      " WHERE fencing_token = ?3 AND device_id IS NOT NULL)",
      job.run, e.wall_ns, e.fencing_token);
}

absl::Status ApplyBody(Database& db, const Event&, const BuildDone& e) {
  return db.Run(
      "INSERT OR REPLACE INTO build(key, variant_id, arch, nvrtc, cuda_hash, cubin_hash, log_hash,"
      " regs, spill_bytes, smem_bytes, ok) VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
      e.key, Opt(e.variant), e.arch, e.nvrtc, e.cuda_hash, e.cubin_hash, e.log_hash, e.regs,
      e.spill_bytes, e.smem_bytes, e.ok);
}

absl::Status ApplyBody(Database& db, const Event& event, const EvaluationDone& e) {
  if (e.verdict == Verdict::kPending || e.blame == Blame::kUnset) {
    return Error(Reason::kBadState, "an evaluation ends with a verdict and a blame");
  }
  CAKE_STORE_ASSIGN(const JobNow job, FindJob(db, e.job));
  CAKE_STORE_TRY(MayEnd(db, job, e));
  CAKE_STORE_TRY(db.Run("UPDATE job SET state = ?2, lease_id = NULL WHERE id = ?1", e.job,
                        EndState(e.verdict)));
  if (e.fencing_token != 0) {
    CAKE_STORE_TRY(db.Run("UPDATE lease SET state = 'DONE', ended_us = ?2 WHERE fencing_token = ?1",
                          e.fencing_token, event.at_us));
  }
  const bool charged = IsCharged(e);
  CAKE_STORE_TRY(db.Run("UPDATE run SET charged = charged + ?2 WHERE id = ?1", job.run, charged));
  CAKE_STORE_TRY(InsertEvaluation(db, event, e, job, charged));
  for (const CheckOutcome& check : e.checks) {
    CAKE_STORE_TRY(
        db.Run("INSERT INTO check_result(evaluation_id, name, outcome, detail, evidence_hash)"
               " VALUES(?1, ?2, ?3, ?4, ?5)",
               e.evaluation, check.name, check.outcome, Opt(check.detail), check.evidence_hash));
  }
  CAKE_STORE_TRY(InsertDiagnostics(db, job.candidate, e.evaluation, e.diagnostics));
  CAKE_STORE_TRY(SetVariantVerdict(db, job, e));
  return RefreshCandidate(db, job.candidate);
}

absl::Status ApplyBody(Database& db, const Event& event, const LateEvidence& e) {
  return db.Run(
      "INSERT INTO late_evidence(seq, job_id, token, body_hash, at_us)"
      " VALUES(?1, ?2, ?3, ?4, ?5)",
      event.seq, e.job, e.fencing_token, e.body_hash, event.at_us);
}

}  // namespace store
