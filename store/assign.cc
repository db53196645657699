// Fields of an event that only the writer knows: ids, n, attempt, fencing token, run and subject.
#include "absl/strings/str_cat.h"
#include "store/apply.h"
#include "store/error.h"
#include "store/try.h"

namespace store {
namespace {

// Gives `id` the next row number of the table that `sql` asks about.
absl::Status NextId(Database& db, const char* sql, int64_t& id) {
  if (id != 0) return absl::OkStatus();
  CAKE_STORE_ASSIGN(const int64_t largest, db.Int(sql));
  id = largest + 1;
  return absl::OkStatus();
}

absl::Status Found(int64_t id, std::string_view what, int64_t asked) {
  if (id != 0) return absl::OkStatus();
  return Error(Reason::kUnknownId, absl::StrCat("no ", std::string(what), " ", asked));
}

// Run and subject of everything that belongs to a candidate.
absl::Status OfCandidate(Database& db, Event& event, int64_t candidate) {
  Statement row = db.Use("SELECT run_id, n FROM candidate WHERE id = ?1");
  CAKE_STORE_ASSIGN(const bool found, row.Bind(candidate).Step());
  CAKE_STORE_TRY(Found(found ? 1 : 0, "candidate", candidate));
  event.run = row.Int(0);
  event.subject = CandidateName(event.run, row.Int(1));
  return absl::OkStatus();
}

absl::Status OfVariant(Database& db, Event& event, int64_t variant) {
  CAKE_STORE_ASSIGN(const int64_t candidate,
                    db.Int("SELECT candidate_id FROM variant WHERE id = ?1", variant));
  CAKE_STORE_TRY(Found(candidate, "variant", variant));
  return OfCandidate(db, event, candidate);
}

absl::Status OfJob(Database& db, Event& event, int64_t job) {
  CAKE_STORE_ASSIGN(const int64_t variant, db.Int("SELECT variant_id FROM job WHERE id = ?1", job));
  CAKE_STORE_TRY(Found(variant, "job", job));
  return OfVariant(db, event, variant);
}

absl::Status OfRun(Event& event, int64_t run) {
  event.run = run;
  if (run != 0) event.subject = RowName('r', run);
  return absl::OkStatus();
}

absl::Status Of(Event& event, char letter, int64_t id) {
  event.subject = RowName(letter, id);
  return absl::OkStatus();
}

absl::Status Fill(Database& db, Event& event, PrincipalChanged& e) {
  if (e.principal == 0) {
    CAKE_STORE_ASSIGN(e.principal, db.Int("SELECT id FROM principal WHERE name = ?1", e.name));
  }
  CAKE_STORE_TRY(NextId(db, "SELECT max(id) FROM principal", e.principal));
  return Of(event, 'u', e.principal);
}

absl::Status Fill(Database& db, Event& event, WorkloadRegistered& e) {
  CAKE_STORE_TRY(NextId(db, "SELECT max(id) FROM workload", e.workload));
  event.subject = e.name;
  return absl::OkStatus();
}

absl::Status Fill(Database& db, Event& event, ExperimentCreated& e) {
  CAKE_STORE_TRY(NextId(db, "SELECT max(id) FROM experiment", e.experiment));
  return Of(event, 'e', e.experiment);
}

absl::Status Fill(Database&, Event& event, ExperimentSealed& e) {
  return Of(event, 'e', e.experiment);
}

absl::Status Fill(Database& db, Event& event, RunStateChanged& e) {
  if (e.state == RunState::kCreated) {
    CAKE_STORE_TRY(NextId(db, "SELECT max(id) FROM run", e.run));
  }
  return OfRun(event, e.run);
}

absl::Status Fill(Database& db, Event& event, CandidateSubmitted& e) {
  CAKE_STORE_TRY(NextId(db, "SELECT max(id) FROM candidate", e.candidate));
  if (e.n == 0) {
    Statement row = db.Use("SELECT candidates FROM run WHERE id = ?1");
    CAKE_STORE_ASSIGN(const bool found, row.Bind(e.run).Step());
    CAKE_STORE_TRY(Found(found ? 1 : 0, "run", e.run));
    e.n = row.Int(0) + 1;
  }
  event.run = e.run;
  event.subject = CandidateName(e.run, e.n);
  return absl::OkStatus();
}

absl::Status Fill(Database&, Event& event, Checked& e) {
  CAKE_STORE_TRY(Of(event, 'u', e.principal));
  return OfRun(event, e.run);
}

absl::Status Fill(Database& db, Event& event, GatesDone& e) {
  return OfCandidate(db, event, e.candidate);
}

absl::Status Fill(Database& db, Event& event, VariantsExpanded& e) {
  CAKE_STORE_ASSIGN(int64_t next, db.Int("SELECT max(id) FROM variant"));
  for (NewVariant& variant : e.variants) {
    if (variant.variant == 0) variant.variant = ++next;
  }
  return OfCandidate(db, event, e.candidate);
}

absl::Status Fill(Database& db, Event& event, Estimated& e) {
  return OfVariant(db, event, e.variant);
}

absl::Status Fill(Database& db, Event& event, JobQueued& e) {
  CAKE_STORE_TRY(NextId(db, "SELECT max(id) FROM job", e.job));
  return OfVariant(db, event, e.variant);
}

absl::Status Fill(Database& db, Event& event, LeaseGranted& e) {
  CAKE_STORE_TRY(NextId(db, "SELECT max(lease_id) FROM lease", e.lease));
  CAKE_STORE_TRY(NextId(db, "SELECT max(fencing_token) FROM lease", e.fencing_token));
  if (e.attempt == 0) {
    CAKE_STORE_ASSIGN(const int64_t grants, db.Int("SELECT attempt FROM job WHERE id = ?1", e.job));
    e.attempt = grants + 1;
  }
  return OfJob(db, event, e.job);
}

absl::Status Fill(Database& db, Event& event, LeaseLost& e) { return OfJob(db, event, e.job); }
absl::Status Fill(Database& db, Event& event, StageEnded& e) { return OfJob(db, event, e.job); }
absl::Status Fill(Database& db, Event& event, LateEvidence& e) { return OfJob(db, event, e.job); }

absl::Status Fill(Database& db, Event& event, BuildDone& e) {
  if (e.variant != 0) return OfVariant(db, event, e.variant);
  event.subject = e.key;
  return absl::OkStatus();
}

absl::Status Fill(Database& db, Event& event, EvaluationDone& e) {
  CAKE_STORE_TRY(NextId(db, "SELECT max(id) FROM evaluation", e.evaluation));
  return OfJob(db, event, e.job);
}

absl::Status Fill(Database& db, Event& event, VerdictRevised& e) {
  return OfVariant(db, event, e.variant);
}

absl::Status Fill(Database&, Event& event, Decision& e) { return OfRun(event, e.run); }
absl::Status Fill(Database&, Event& event, Ranked& e) { return OfRun(event, e.run); }
absl::Status Fill(Database&, Event& event, EliteChanged& e) { return OfRun(event, e.run); }
absl::Status Fill(Database&, Event& event, PlateauDetected& e) { return OfRun(event, e.run); }
absl::Status Fill(Database&, Event& event, BudgetReserved& e) { return OfRun(event, e.run); }
absl::Status Fill(Database&, Event& event, BudgetSettled& e) { return OfRun(event, e.run); }
absl::Status Fill(Database&, Event& event, BudgetRefunded& e) { return OfRun(event, e.run); }
absl::Status Fill(Database&, Event& event, UsageReported& e) { return OfRun(event, e.run); }

absl::Status Fill(Database& db, Event& event, FindingOpened& e) {
  CAKE_STORE_TRY(NextId(db, "SELECT max(id) FROM finding", e.finding));
  return Of(event, 'f', e.finding);
}

absl::Status Fill(Database&, Event& event, FindingUpdated& e) { return Of(event, 'f', e.finding); }

absl::Status Fill(Database& db, Event& event, ProposalState& e) {
  CAKE_STORE_TRY(NextId(db, "SELECT max(id) FROM proposal", e.proposal));
  return Of(event, 'p', e.proposal);
}

absl::Status Fill(Database&, Event& event, Decided& e) { return Of(event, 'p', e.proposal); }

absl::Status Fill(Database& db, Event& event, CalibrationActivated& e) {
  if (e.calibration == 0) {
    CAKE_STORE_ASSIGN(e.calibration,
                      db.Int("SELECT id FROM calibration WHERE device_arch = ?1 AND version = ?2",
                             e.device_arch, e.version));
  }
  CAKE_STORE_TRY(NextId(db, "SELECT max(id) FROM calibration", e.calibration));
  return Of(event, 'k', e.calibration);
}

absl::Status Fill(Database& db, Event& event, DeviceState& e) {
  if (e.device == 0) {
    CAKE_STORE_ASSIGN(e.device, db.Int("SELECT id FROM device WHERE uuid = ?1", e.uuid));
  }
  CAKE_STORE_TRY(NextId(db, "SELECT max(id) FROM device", e.device));
  return Of(event, 'd', e.device);
}

absl::Status Fill(Database& db, Event& event, WorkerState& e) {
  if (e.worker == 0) {
    CAKE_STORE_ASSIGN(e.worker, db.Int("SELECT id FROM worker WHERE name = ?1", e.name));
  }
  CAKE_STORE_TRY(NextId(db, "SELECT max(id) FROM worker", e.worker));
  return Of(event, 'w', e.worker);
}

absl::Status Fill(Database&, Event& event, AdminAction& e) {
  event.subject = e.subject;
  return absl::OkStatus();
}

absl::Status Fill(Database& db, Event& event, EvidenceImported& e) {
  CAKE_STORE_TRY(NextId(db, "SELECT max(id) FROM import", e.import));
  return Of(event, 'i', e.import);
}

struct MadeIdOf {
  int64_t operator()(const PrincipalChanged& e) const { return e.principal; }
  int64_t operator()(const WorkloadRegistered& e) const { return e.workload; }
  int64_t operator()(const ExperimentCreated& e) const { return e.experiment; }
  int64_t operator()(const RunStateChanged& e) const { return e.run; }
  int64_t operator()(const CandidateSubmitted& e) const { return e.candidate; }
  int64_t operator()(const JobQueued& e) const { return e.job; }
  int64_t operator()(const LeaseGranted& e) const { return e.lease; }
  int64_t operator()(const EvaluationDone& e) const { return e.evaluation; }
  int64_t operator()(const FindingOpened& e) const { return e.finding; }
  int64_t operator()(const ProposalState& e) const { return e.proposal; }
  int64_t operator()(const CalibrationActivated& e) const { return e.calibration; }
  int64_t operator()(const DeviceState& e) const { return e.device; }
  int64_t operator()(const WorkerState& e) const { return e.worker; }
  int64_t operator()(const EvidenceImported& e) const { return e.import; }
  template <typename E>
  int64_t operator()(const E&) const {
    return 0;
  }
};

}  // namespace

absl::Status Assign(Database& db, Event& event) {
  event.run = 0;
  event.subject.clear();
  return std::visit([&](auto& body) { return Fill(db, event, body); }, event.body);
}

int64_t MadeId(const EventBody& body) { return std::visit(MadeIdOf(), body); }

}  // namespace store
