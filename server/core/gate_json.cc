#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"
#include "server/core/gate.h"

namespace server::core {

using nlohmann::json;

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(Narrowed, name, values)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(GateRule, id, shadow, text)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(GateCalibration, id, claims_time, text)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(GateRequest, direct, emit, map, estimate,
                                                calibrations, source, file_name,
                                                contract_json, narrow, from, count, members_max,
                                                sample_seed, binding_json, propose, other_source,
                                                other_binding_json, pick, structural, reduce,
                                                reduce_from, reduce_count, rules, gate_rule,
                                                specimens, cpu_limit_ms)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(GateDiagnostic, code, category, severity,
                                                fingerprint, message, form, rule, span_begin,
                                                span_end)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(GateEstimate, shape, calibration, bottleneck,
                                                runner_up, time_ns, low_ns, high_ns, weight,
                                                rank_only)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(GateRuleSaid, id, shadow, unknown, hits, cpu_ns,
                                                why)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(GateSpecimens, good, error, name, code, trials_json)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(GateMember, binding_json, verdict, stage,
                                                canon_hash, struct_hash, report_json, diagnostics,
                                                estimates, rules, features, fixable)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(GateProposal, found, source, params_json, text,
                                                units)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(GateReply, family_ok, members_total, reachable,
                                                sampled, members, arch, cuda, program_id,
                                                program_name, map_json, compile_options, proposal,
                                                specimens, verifier_rev, ruleset_hash, model_rev,
                                                cpu_ns)

namespace {

// A source may hold bytes that are not UTF-8; JSON strings may not. They travel as Latin-1 code
// points, one a byte, and come back the same.
std::string BytesToUtf8(std::string_view bytes) {
  std::string out;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x80) {
      out.push_back(c);
    } else {
      out.push_back(static_cast<char>(0xC0 | (byte >> 6)));
      out.push_back(static_cast<char>(0x80 | (byte & 0x3F)));
    }
  }
  return out;
}

std::string Utf8ToBytes(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    const auto lead = static_cast<unsigned char>(text[i]);
    if (lead < 0x80 || i + 1 == text.size()) {
      out.push_back(text[i]);
    } else {
      const auto next = static_cast<unsigned char>(text[++i]);
      out.push_back(static_cast<char>(((lead & 0x03) << 6) | (next & 0x3F)));
    }
  }
  return out;
}

template <typename T>
absl::StatusOr<T> Read(std::string_view text) {
  const json in = json::parse(text, nullptr, false);
  if (!in.is_object()) return absl::InvalidArgumentError("gate frame: not a JSON object");
  try {
    return in.get<T>();
  } catch (const json::exception& error) {
    return absl::InvalidArgumentError(absl::StrCat("gate frame: ", error.what()));
  }
}

std::string Dump(const json& value) {
  return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

}  // namespace

std::string ToJson(const GateRequest& request) {
  GateRequest copy = request;
  copy.source = BytesToUtf8(request.source);
  copy.other_source = BytesToUtf8(request.other_source);
  return Dump(json(copy));
}

std::string ToJson(const GateReply& reply) {
  GateReply copy = reply;
  copy.proposal.source = BytesToUtf8(reply.proposal.source);
  return Dump(json(copy));
}

absl::StatusOr<GateRequest> GateRequestFromJson(std::string_view text) {
  absl::StatusOr<GateRequest> request = Read<GateRequest>(text);
  if (request.ok()) {
    request->source = Utf8ToBytes(request->source);
    request->other_source = Utf8ToBytes(request->other_source);
  }
  return request;
}

absl::StatusOr<GateReply> GateReplyFromJson(std::string_view text) {
  absl::StatusOr<GateReply> reply = Read<GateReply>(text);
  if (reply.ok()) reply->proposal.source = Utf8ToBytes(reply->proposal.source);
  return reply;
}

}  // namespace server::core
