#include "server/edge/status.h"

#include "google/rpc/error_details.pb.h"
#include "google/rpc/status.pb.h"
#include "server/state/error.h"

namespace server::edge {

grpc::Status ToGrpc(const absl::Status& status) {
  if (status.ok()) return grpc::Status::OK;
  google::rpc::Status wire;
  wire.set_code(static_cast<int>(status.code()));
  wire.set_message(std::string(status.message()));
  const state::Reason reason = state::ReasonOf(status);
  if (reason != state::Reason::kNone) {
    const state::ReasonRule& rule = state::RuleOf(reason);
    google::rpc::ErrorInfo info;
    info.set_reason(std::string(rule.word));
    info.set_domain("cake");
    (*info.mutable_metadata())["next"] = std::string(rule.what_next);
    wire.add_details()->PackFrom(info);
    if (rule.retry_ms > 0) {
      google::rpc::RetryInfo retry;
      retry.mutable_retry_delay()->set_seconds(rule.retry_ms / 1000);
      retry.mutable_retry_delay()->set_nanos(rule.retry_ms % 1000 * 1'000'000);
      wire.add_details()->PackFrom(retry);
    }
  }
  if (const auto resource = state::ResourceOf(status)) {
    google::rpc::ResourceInfo info;
    info.set_resource_type(resource->kind);
    info.set_resource_name(resource->name);
    wire.add_details()->PackFrom(info);
  }
  if (const auto field = state::FieldOf(status)) {
    google::rpc::BadRequest bad;
    auto* violation = bad.add_field_violations();
    violation->set_field(field->kind);
    violation->set_description(field->name);
    wire.add_details()->PackFrom(bad);
  }
  return {static_cast<grpc::StatusCode>(status.code()), wire.message(), wire.SerializeAsString()};
}

}  // namespace server::edge
