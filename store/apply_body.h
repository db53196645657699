// One ApplyBody for each event struct; Apply dispatches to them.
#pragma once

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "store/events.h"
#include "store/sqlite.h"

namespace store {

// People, machines, proposals: apply.cc
absl::Status ApplyBody(Database& db, const Event& event, const PrincipalChanged& e);
absl::Status ApplyBody(Database& db, const Event& event, const WorkloadRegistered& e);
absl::Status ApplyBody(Database& db, const Event& event, const DeviceState& e);
absl::Status ApplyBody(Database& db, const Event& event, const WorkerState& e);
absl::Status ApplyBody(Database& db, const Event& event, const AdminAction& e);
absl::Status ApplyBody(Database& db, const Event& event, const EvidenceImported& e);
absl::Status ApplyBody(Database& db, const Event& event, const FindingOpened& e);
absl::Status ApplyBody(Database& db, const Event& event, const FindingUpdated& e);
absl::Status ApplyBody(Database& db, const Event& event, const ProposalState& e);
absl::Status ApplyBody(Database& db, const Event& event, const Decided& e);
absl::Status ApplyBody(Database& db, const Event& event, const CalibrationActivated& e);

// Runs and the loop: apply_run.cc
absl::Status ApplyBody(Database& db, const Event& event, const ExperimentCreated& e);
absl::Status ApplyBody(Database& db, const Event& event, const ExperimentSealed& e);
absl::Status ApplyBody(Database& db, const Event& event, const RunStateChanged& e);
absl::Status ApplyBody(Database& db, const Event& event, const Decision& e);
absl::Status ApplyBody(Database& db, const Event& event, const EliteChanged& e);
absl::Status ApplyBody(Database& db, const Event& event, const PlateauDetected& e);
absl::Status ApplyBody(Database& db, const Event& event, const BudgetReserved& e);
absl::Status ApplyBody(Database& db, const Event& event, const BudgetSettled& e);
absl::Status ApplyBody(Database& db, const Event& event, const BudgetRefunded& e);
absl::Status ApplyBody(Database& db, const Event& event, const UsageReported& e);

// Candidates and variants: apply_candidate.cc
absl::Status ApplyBody(Database& db, const Event& event, const CandidateSubmitted& e);
absl::Status ApplyBody(Database& db, const Event& event, const Checked& e);
absl::Status ApplyBody(Database& db, const Event& event, const GatesDone& e);
absl::Status ApplyBody(Database& db, const Event& event, const VariantsExpanded& e);
absl::Status ApplyBody(Database& db, const Event& event, const Estimated& e);
absl::Status ApplyBody(Database& db, const Event& event, const Ranked& e);
absl::Status ApplyBody(Database& db, const Event& event, const VerdictRevised& e);

// Jobs, leases, evaluations: apply_job.cc
absl::Status ApplyBody(Database& db, const Event& event, const JobQueued& e);
absl::Status ApplyBody(Database& db, const Event& event, const LeaseGranted& e);
absl::Status ApplyBody(Database& db, const Event& event, const LeaseLost& e);
absl::Status ApplyBody(Database& db, const Event& event, const StageEnded& e);
absl::Status ApplyBody(Database& db, const Event& event, const BuildDone& e);
absl::Status ApplyBody(Database& db, const Event& event, const EvaluationDone& e);
absl::Status ApplyBody(Database& db, const Event& event, const LateEvidence& e);

// BAD_STATE with `message` unless the statement before changed exactly one row.
absl::Status ChangedOne(const Database& db, std::string_view message);

// The verdict of a candidate from its variants' and its gates', and its best measured ratio.
absl::Status RefreshCandidate(Database& db, int64_t candidate);

// `evaluation` 0: of the gates.
absl::Status InsertDiagnostics(Database& db, int64_t candidate, int64_t evaluation,
                               const std::vector<DiagnosticRef>& diagnostics);

// Texts without newlines, one a line; what needs and capabilities are stored as.
std::string JoinLines(const std::vector<std::string>& lines);
std::vector<std::string> SplitLines(std::string_view text);

}  // namespace store
