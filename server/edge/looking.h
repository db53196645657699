// The calls that look and change nothing, from wire form to wire form: gRPC and HTTP answer by the
// same functions. Those over Reads need a snapshot of the store only; the others run on the core's
// thread.
#pragma once

#include "absl/status/status.h"
#include "server/core/core.h"
#include "server/edge/translate.h"
#include "store/reads.h"

namespace server::edge {

absl::Status Look(store::Reads& reads, const wire::ListFindingsRequest& in,
                  wire::ListFindingsReply* out);
absl::Status Look(store::Reads& reads, const wire::GetFindingRequest& in, wire::Finding* out);
absl::Status Look(store::Reads& reads, const wire::ListEventsRequest& in,
                  wire::ListEventsReply* out);
absl::Status Look(store::Reads& reads, const wire::ListEvaluationsRequest& in,
                  wire::ListEvaluationsReply* out);
absl::Status Look(store::Reads& reads, const wire::GetLineageRequest& in, wire::Lineage* out);
absl::Status Look(store::Reads& reads, const wire::GetCurveRequest& in, wire::Curve* out);

absl::Status Look(core::Core& core, const wire::GetOverviewRequest& in, wire::Overview* out);
absl::Status Look(core::Core& core, const wire::ListRunsRequest& in, wire::ListRunsReply* out);
absl::Status Look(core::Core& core, const wire::ListExperimentsRequest& in,
                  wire::ListExperimentsReply* out);
absl::Status Look(core::Core& core, const wire::ListQueueRequest& in, wire::ListQueueReply* out);
absl::Status Look(core::Core& core, const wire::ListDevicesRequest& in,
                  wire::ListDevicesReply* out);
absl::Status Look(core::Core& core, const wire::ListCandidatesRequest& in,
                  wire::ListCandidatesReply* out);
absl::Status Look(core::Core& core, const wire::GetCandidateRequest& in, wire::Candidate* out);
absl::Status Look(core::Core& core, const wire::ListProposalsRequest& in,
                  wire::ListProposalsReply* out);
absl::Status Look(core::Core& core, const wire::DiagnoseRequest& in, wire::DiagnoseReply* out);
absl::Status Look(core::Core& core, const wire::CompareRequest& in, wire::CompareReply* out);

core::ExplainRequest FromWire(const wire::ExplainRequest& in);
void ToWire(const core::ExplainReply& in, wire::ExplainReply* out);

// The request of a query such as run=r-7&page_size=20: parameters are the message's fields, enums
// their bare words. INVALID_ARGUMENT names a parameter that the message does not have, or a value
// that does not fit. Several names of one field stand between commas.
absl::Status FromQuery(const std::multimap<std::string, std::string>& query,
                       google::protobuf::Message* out);

}  // namespace server::edge
