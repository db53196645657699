// Usage and tokens.
#include "server/edge/translate.h"
#include "server/state/error.h"

namespace server::edge {
namespace {

std::optional<store::UsageSource> SourceOf(wire::UsageSource source) {
  switch (source) {
    case wire::USAGE_SOURCE_PROVIDER: return store::UsageSource::kProvider;
    case wire::USAGE_SOURCE_AGENT: return store::UsageSource::kAgent;
    case wire::USAGE_SOURCE_COUNTED: return store::UsageSource::kCounted;
    case wire::USAGE_SOURCE_ESTIMATED: return store::UsageSource::kEstimated;
    default: return std::nullopt;
  }
}

// A counter beyond 63 bits becomes one that is refused.
int64_t Counter(uint64_t value) {
  return value > INT64_MAX ? INT64_MAX : static_cast<int64_t>(value);
}

}  // namespace

absl::StatusOr<core::UsageRequest> FromWire(const wire::ReportUsageRequest& in) {
  const auto source = SourceOf(in.source());
  if (!source) return state::BadField("source", "must say who counted");
  core::UsageRequest out;
  out.meta = FromWire(in.meta(), in);
  out.model = in.model();
  out.source = *source;
  out.input = Counter(in.input());
  out.cached = Counter(in.cached());
  out.output = Counter(in.output());
  out.reasoning = Counter(in.reasoning());
  return out;
}

core::TokenRequest FromWire(const wire::CreateTokenRequest& in) {
  core::TokenRequest out;
  out.meta = FromWire(in.meta(), in);
  out.name = in.name();
  out.role = in.role();
  out.experiment = in.experiment();
  return out;
}

core::TokenRequest FromWire(const wire::RevokeTokenRequest& in) {
  core::TokenRequest out;
  out.meta = FromWire(in.meta(), in);
  out.name = in.name();
  out.reason = in.reason();
  return out;
}

core::QuotaRequest FromWire(const wire::SetQuotaRequest& in) {
  core::QuotaRequest out;
  out.meta = FromWire(in.meta(), in);
  out.name = in.name();
  out.reason = in.reason();
  out.weight = in.weight();
  out.checks_max = in.checks_max();
  out.open_max = in.open_max();
  return out;
}

core::MachineRequest FromWire(const wire::DrainWorkerRequest& in) {
  return {FromWire(in.meta(), in), in.worker(), in.reason(), in.undo()};
}

core::MachineRequest FromWire(const wire::QuarantineDeviceRequest& in) {
  return {FromWire(in.meta(), in), in.device(), in.reason(), in.undo()};
}

void ToWire(const core::QuotaReply& in, wire::SetQuotaReply* out) {
  out->set_name(in.name);
  out->set_weight(static_cast<uint32_t>(in.weight));
  out->set_checks_max(static_cast<uint32_t>(in.checks_max));
  out->set_open_max(static_cast<uint32_t>(in.open_max));
  out->set_event_seq(in.event_seq);
}

void ToWire(const core::MachineReply& in, wire::DrainWorkerReply* out) {
  out->set_worker(in.name);
  out->set_state(in.state);
  out->set_event_seq(in.event_seq);
}

void ToWire(const core::MachineReply& in, wire::QuarantineDeviceReply* out) {
  out->set_device(in.name);
  out->set_state(in.state);
  out->set_event_seq(in.event_seq);
}

void ToWire(const core::UsageReply& in, wire::ReportUsageReply* out) {
  out->set_run(in.run);
  out->set_charged_tokens(in.charged_tokens);
  BudgetOf(in.budget, out->mutable_budget());
  out->set_event_seq(in.event_seq);
}

void ToWire(const core::TokenReply& in, wire::CreateTokenReply* out) {
  out->set_name(in.name);
  out->set_token(in.token);
  out->set_event_seq(in.event_seq);
}

void ToWire(const core::TokenReply& in, wire::RevokeTokenReply* out) {
  out->set_name(in.name);
  out->set_event_seq(in.event_seq);
}

}  // namespace server::edge
