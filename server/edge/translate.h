// The wire form to the core's plain values and back; the only code that knows both.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "cake/v1/agent.pb.h"
#include "cake/v1/event.pb.h"
#include "cake/v1/history.pb.h"
#include "cake/v1/operator.pb.h"
#include "cake/v1/worker.pb.h"
#include "server/core/api.h"
#include "server/core/calibrating.h"
#include "server/core/portfolio.h"
#include "server/core/rules.h"
#include "store/store.h"

namespace server::edge {

namespace wire = cake::v1;

// `request` whole is what the request hash is of.
core::Meta FromWire(const wire::RequestMeta& meta, const google::protobuf::Message& request);

absl::StatusOr<core::SubmitRequest> FromWire(const wire::SubmitRequest& in);
absl::StatusOr<core::CheckRequest> FromWire(const wire::CheckRequest& in);
core::BriefRequest FromWire(const wire::BriefRequest& in);
core::WatchRequest FromWire(const wire::WatchRequest& in);
core::CreateExperimentRequest FromWire(const wire::CreateExperimentRequest& in);
core::ExperimentRequest FromWire(const wire::ExperimentRequest& in);
core::ExperimentRequest FromWire(const wire::GetExperimentRequest& in);
core::ImportRequest FromWire(const wire::ImportEvidenceRequest& in);
absl::StatusOr<core::ListRequest> FromWire(const wire::ListCandidatesRequest& in);
absl::StatusOr<core::UsageRequest> FromWire(const wire::ReportUsageRequest& in);
core::TokenRequest FromWire(const wire::CreateTokenRequest& in);
core::TokenRequest FromWire(const wire::RevokeTokenRequest& in);
core::ProposeRequest FromWire(const wire::ProposeRequest& in);
core::ProposalRequest FromWire(const wire::ProposalRequest& in);
absl::StatusOr<core::DecideRequest> FromWire(const wire::DecideProposalRequest& in);
core::QuotaRequest FromWire(const wire::SetQuotaRequest& in);
core::MachineRequest FromWire(const wire::DrainWorkerRequest& in);
core::MachineRequest FromWire(const wire::QuarantineDeviceRequest& in);
core::CalibrateRequest FromWire(const wire::ActivateCalibrationRequest& in);
core::PortfolioRequest FromWire(const wire::ExportPortfolioRequest& in);
core::RegisterRequest FromWire(const wire::RegisterRequest& in);
core::ReportRequest FromWire(const wire::ReportRequest& in);
absl::StatusOr<core::CompleteRequest> FromWire(const wire::CompleteRequest& in);

void ToWire(const core::SubmitReply& in, wire::SubmitReply* out);
void ToWire(const core::UsageReply& in, wire::ReportUsageReply* out);
void ToWire(const core::TokenReply& in, wire::CreateTokenReply* out);
void ToWire(const core::TokenReply& in, wire::RevokeTokenReply* out);
void ToWire(const core::ProposalView& in, wire::Proposal* out);
void ToWire(const core::ProposalView& in, wire::ProposalReply* out);
void ToWire(const core::QuotaReply& in, wire::SetQuotaReply* out);
void ToWire(const core::MachineReply& in, wire::DrainWorkerReply* out);
void ToWire(const core::MachineReply& in, wire::QuarantineDeviceReply* out);
void ToWire(const core::CalibrateReply& in, wire::ActivateCalibrationReply* out);
void ToWire(const core::PortfolioReply& in, wire::ExportPortfolioReply* out);
void BudgetOf(const std::map<std::string, state::Budget>& in, wire::BudgetLeft* out);
void ToWire(const core::CheckReply& in, wire::CheckReply* out);
void ToWire(const core::BriefReply& in, wire::BriefReply* out);
void ToWire(const core::DiagnoseReply& in, wire::DiagnoseReply* out);
void ToWire(const core::CandidateView& in, wire::Candidate* out);
void ToWire(const core::ListReply& in, wire::ListCandidatesReply* out);
void ToWire(const core::RunView& in, wire::RunSummary* out);
void ToWire(const core::ExperimentReply& in, wire::ExperimentReply* out);
void ToWire(const state::Import& in, wire::Evidence* out);
// The same with the number that the run had where it ran.
void EvidenceOf(const state::Import& in, int64_t source_run, wire::Evidence* out);
void ToWire(const core::ImportReply& in, wire::ImportEvidenceReply* out);
void ToWire(const core::RegisterReply& in, wire::RegisterReply* out);
void ToWire(const core::AcquireReply& in, wire::AcquireReply* out);
void ToWire(const core::ReportReply& in, wire::ReportReply* out);
void ToWire(const core::CompleteReply& in, wire::CompleteReply* out);
void ToWire(const core::WatchItem& in, wire::WatchReply* out);
void ToWire(const store::Event& in, wire::Event* out);
void ToWire(const core::Report& in, wire::Report* out);
void ToWire(const state::Progress& in, wire::Progress* out);

// A report as the pipeline or a worker wrote it. Nothing is made of text that is none.
void ReportFromJson(std::string_view member_json, wire::Report* out);
void DiagnosticsFromJson(std::string_view json, wire::Report* out);
// And a worker's diagnostics as the JSON that is stored: {"diagnostics": [..]}.
std::string DiagnosticsToJson(const google::protobuf::RepeatedPtrField<wire::Diagnostic>& in);

wire::Verdict ToWire(store::Verdict verdict);
wire::Blame ToWire(store::Blame blame);
wire::ObjectiveSource ToWire(store::ScoreSource source);
// The enum of the wire by its bare word; the unset value for a word it does not have.
store::Verdict FromWire(wire::Verdict verdict);

// "kind" of an object as text: source, report, cuda, cubin, log, samples, receipt, other.
store::ObjectKind ObjectKindOf(std::string_view word);

}  // namespace server::edge
