#include "store/apply_body.h"
#include "store/collect.h"
#include "store/reads.h"

#define JOB_COLUMNS                                                                           \
  "j.id, j.variant_id, v.candidate_id, j.run_id, j.purpose, j.protocol_id, j.round, j.state," \
  " j.priority, j.attempt, j.infra_losses, j.lost_devices, j.fencing_token, j.lease_id,"      \
  " j.worker_id, j.not_before_us, j.queued_us, j.needs, j.spec_hash"                          \
  " FROM job j JOIN variant v ON v.id = j.variant_id"
#define LEASE_COLUMNS                                                                           \
  "lease_id, job_id, fencing_token, attempt, worker_id, incarnation, device_id, state, reason," \
  " granted_us, ended_us FROM lease"
#define EVALUATION_COLUMNS                                                                      \
  "e.evaluation_id, e.job_id, e.variant_id, e.candidate_id, e.run_id, e.purpose,"               \
  " e.contract_hash, e.protocol_id, e.round, b.device_id, e.verdict, e.first_verdict, e.blame," \
  " e.first_blame, e.source, e.replayed, e.charged_no IS NOT NULL, e.ratio_med, e.ratio_low,"   \
  " e.ratio_high, e.time_ns, b.receipt_hash, b.samples_hash, b.report_hash, b.active_ns,"       \
  " b.fencing_token, b.at_us, b.seq"
#define EVALUATION_ROWS " FROM v_evaluation e JOIN evaluation b ON b.id = e.evaluation_id"
#define BUILD_COLUMNS                                                                             \
  "key, variant_id, arch, nvrtc, cuda_hash, cubin_hash, log_hash, regs, spill_bytes, smem_bytes," \
  " ok FROM build"

namespace store {
namespace {

void FillJob(Statement& s, JobRow& r) {
  std::string needs;
  s.Get(r.id).Get(r.variant).Get(r.candidate).Get(r.run).Get(r.purpose).Get(r.protocol);
  s.Get(r.round).Get(r.state).Get(r.priority).Get(r.attempt).Get(r.infra_losses);
  s.Get(r.lost_devices).Get(r.fencing_token).Get(r.lease).Get(r.worker).Get(r.not_before_us);
  s.Get(r.queued_us).Get(needs).Get(r.spec_hash);
  r.needs = SplitLines(needs);
}

void FillLease(Statement& s, LeaseRow& r) {
  s.Get(r.id).Get(r.job).Get(r.fencing_token).Get(r.attempt).Get(r.worker).Get(r.incarnation);
  s.Get(r.device).Get(r.state).Get(r.reason).Get(r.granted_us).Get(r.ended_us);
}

void FillEvaluation(Statement& s, EvaluationRow& r) {
  s.Get(r.id).Get(r.job).Get(r.variant).Get(r.candidate).Get(r.run).Get(r.purpose);
  s.Get(r.contract_hash).Get(r.protocol).Get(r.round).Get(r.device).Get(r.verdict);
  s.Get(r.first_verdict).Get(r.blame).Get(r.first_blame).Get(r.source).Get(r.replayed);
  s.Get(r.charged).Get(r.ratio_med).Get(r.ratio_low).Get(r.ratio_high).Get(r.time_ns);
  s.Get(r.receipt_hash).Get(r.samples_hash).Get(r.report_hash).Get(r.active_ns);
  s.Get(r.fencing_token).Get(r.at_us).Get(r.seq);
}

void FillBuild(Statement& s, BuildRow& r) {
  s.Get(r.key).Get(r.variant).Get(r.arch).Get(r.nvrtc).Get(r.cuda_hash).Get(r.cubin_hash);
  s.Get(r.log_hash).Get(r.regs).Get(r.spill_bytes).Get(r.smem_bytes).Get(r.ok);
}

}  // namespace

absl::StatusOr<JobRow> Reads::GetJob(int64_t id) {
  Statement s = db_.Use("SELECT " JOB_COLUMNS " WHERE j.id = ?1");
  return CollectOne<JobRow>(s.Bind(id), FillJob, "job", id);
}

absl::StatusOr<std::vector<JobRow>> Reads::ListJobs(JobState state, int64_t not_before_us,
                                                    int64_t limit) {
  CAKE_STORE_TRY(CheckLimit(limit));
  Statement s = db_.Use("SELECT " JOB_COLUMNS
                        " WHERE j.state = ?1 AND j.not_before_us <= ?2"
                        " ORDER BY j.priority DESC, j.id LIMIT ?3");
  return Collect<JobRow>(s.Bind(state, not_before_us, limit), FillJob);
}

absl::StatusOr<std::vector<JobRow>> Reads::JobsOfVariant(int64_t variant) {
  Statement s = db_.Use("SELECT " JOB_COLUMNS " WHERE j.variant_id = ?1 ORDER BY j.id");
  return Collect<JobRow>(s.Bind(variant), FillJob);
}

absl::StatusOr<std::vector<JobRow>> Reads::JobsOfRun(int64_t run, JobState state, Page page) {
  CAKE_STORE_TRY(CheckLimit(page.limit));
  Statement s = db_.Use("SELECT " JOB_COLUMNS
                        " WHERE j.run_id = ?1 AND j.state = ?2 AND j.id > ?3"
                        " ORDER BY j.id LIMIT ?4");
  return Collect<JobRow>(s.Bind(run, state, page.after, page.limit), FillJob);
}

absl::StatusOr<std::vector<LeaseRow>> Reads::LeasesOfJob(int64_t job) {
  Statement s = db_.Use("SELECT " LEASE_COLUMNS " WHERE job_id = ?1 ORDER BY fencing_token");
  return Collect<LeaseRow>(s.Bind(job), FillLease);
}

absl::StatusOr<std::vector<LeaseRow>> Reads::OpenLeases(Page page) {
  CAKE_STORE_TRY(CheckLimit(page.limit));
  Statement s = db_.Use("SELECT " LEASE_COLUMNS
                        " WHERE state = 'OPEN' AND fencing_token > ?1"
                        " ORDER BY fencing_token LIMIT ?2");
  return Collect<LeaseRow>(s.Bind(page.after, page.limit), FillLease);
}

absl::StatusOr<std::vector<StageClockRow>> Reads::StageClocks(int64_t job) {
  Statement s = db_.Use(
      "SELECT job_id, attempt, stage, wall_ns, cpu_ns, limit_ns, end FROM stage_clock"
      " WHERE job_id = ?1 ORDER BY attempt, stage");
  return Collect<StageClockRow>(s.Bind(job), [](Statement& row, StageClockRow& r) {
    row.Get(r.job).Get(r.attempt).Get(r.stage).Get(r.wall_ns).Get(r.cpu_ns).Get(r.limit_ns);
    row.Get(r.end);
  });
}

absl::StatusOr<EvaluationRow> Reads::GetEvaluation(int64_t id) {
  Statement s = db_.Use("SELECT " EVALUATION_COLUMNS EVALUATION_ROWS " WHERE e.evaluation_id = ?1");
  return CollectOne<EvaluationRow>(s.Bind(id), FillEvaluation, "evaluation", id);
}

absl::StatusOr<std::optional<EvaluationRow>> Reads::EvaluationOfJob(int64_t job) {
  Statement s = db_.Use("SELECT " EVALUATION_COLUMNS EVALUATION_ROWS " WHERE e.job_id = ?1");
  return CollectOptional<EvaluationRow>(s.Bind(job), FillEvaluation);
}

absl::StatusOr<std::vector<EvaluationRow>> Reads::ListEvaluations(const EvaluationFilter& filter,
                                                                  Page page) {
  CAKE_STORE_TRY(CheckLimit(page.limit));
  Statement s = db_.Use("SELECT " EVALUATION_COLUMNS EVALUATION_ROWS
                        " WHERE e.evaluation_id > ?1 AND (?2 = 0 OR e.run_id = ?2)"
                        " AND (?3 = 0 OR e.candidate_id = ?3) AND (?4 = 0 OR e.variant_id = ?4)"
                        " AND (?5 = '' OR e.protocol_id = ?5) AND (?6 = '' OR e.verdict = ?6)"
                        " ORDER BY e.evaluation_id LIMIT ?7");
  s.Bind(page.after, filter.run, filter.candidate, filter.variant, filter.protocol, filter.verdict,
         page.limit);
  return Collect<EvaluationRow>(s, FillEvaluation);
}

absl::StatusOr<std::vector<ListedEvaluationRow>> Reads::EvaluationsBefore(
    const ListedFilter& filter, int64_t before, int64_t limit) {
  CAKE_STORE_TRY(CheckLimit(limit));
  Statement s = db_.Use(
      "SELECT " EVALUATION_COLUMNS
      ", c.n, e.params_json, w.name, d.uuid, d.name, e.simulated" EVALUATION_ROWS
      " JOIN candidate c ON c.id = e.candidate_id JOIN run r ON r.id = e.run_id"
      " LEFT JOIN workload w ON w.id = r.workload_id LEFT JOIN device d ON d.id = b.device_id"
      " WHERE (?1 = 0 OR e.evaluation_id < ?1) AND (?2 = 0 OR e.run_id = ?2)"
      " AND (?3 = 0 OR e.candidate_id = ?3) AND (?4 = '' OR w.name = ?4)"
      " AND (?5 = '' OR d.uuid = ?5 OR d.name = ?5) AND (?6 = '' OR e.purpose = ?6)"
      " AND (?7 = '' OR e.protocol_id = ?7) AND (?8 = 0 OR e.charged_no IS NOT NULL)"
      " AND (?9 = '' OR instr(?9, char(10) || e.verdict || char(10)) > 0)"
      " ORDER BY e.evaluation_id DESC LIMIT ?10");
  std::string verdicts;
  for (const std::string& verdict : filter.verdicts) {
    verdicts += (verdicts.empty() ? "\n" : "") + verdict + "\n";
  }
  s.Bind(before, filter.run, filter.candidate, filter.workload, filter.device, filter.purpose,
         filter.protocol, filter.charged_only, verdicts, limit);
  return Collect<ListedEvaluationRow>(s, [](Statement& row, ListedEvaluationRow& r) {
    FillEvaluation(row, r.evaluation);
    row.Get(r.n).Get(r.params_json).Get(r.workload).Get(r.device_uuid).Get(r.device_name);
    row.Get(r.simulated);
  });
}

absl::StatusOr<std::vector<CheckRow>> Reads::Checks(int64_t evaluation) {
  Statement s = db_.Use(
      "SELECT name, outcome, detail, evidence_hash FROM check_result WHERE evaluation_id = ?1"
      " ORDER BY name");
  return Collect<CheckRow>(s.Bind(evaluation), [](Statement& row, CheckRow& r) {
    row.Get(r.name).Get(r.outcome).Get(r.detail).Get(r.evidence_hash);
  });
}

absl::StatusOr<std::optional<BuildRow>> Reads::FindBuild(std::string_view key) {
  Statement s = db_.Use("SELECT " BUILD_COLUMNS " WHERE key = ?1");
  return CollectOptional<BuildRow>(s.Bind(key), FillBuild);
}

absl::StatusOr<std::vector<BuildRow>> Reads::BuildsOfVariant(int64_t variant) {
  Statement s = db_.Use("SELECT " BUILD_COLUMNS " WHERE variant_id = ?1 ORDER BY key");
  return Collect<BuildRow>(s.Bind(variant), FillBuild);
}

}  // namespace store
