// The judging of candidates before a device sees them, as the daemon's core sees it: requests that
// are answered later. Untrusted programs are parsed, checked and run on the reference machine in
// child processes only, so that one bad program cannot take the daemon with it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace server::core {

inline constexpr uint32_t kGateFrameBytesMax = 64u << 20;
inline constexpr int kMemberDiagnosticsMax = 8;

struct Narrowed {  // a param and the values that are left of its domain
  std::string name;
  std::vector<std::string> values;
};

struct GateRequest {
  bool direct = false;  // hand-written device code with its launch declared
  bool emit = false;    // lower the one member `binding_json` instead of judging members
  std::string source, file_name = "candidate.cake";
  std::string contract_json;  // canonical JSON; empty: the program alone
  std::vector<Narrowed> narrow;
  int64_t from = 0, count = 1;  // members, the default binding first
  int64_t members_max = 0;      // of a larger family so many are drawn by `sample_seed`
  uint64_t sample_seed = 0;
  std::string binding_json;  // with emit: {"BN": 256}
  int64_t cpu_limit_ms = 30'000;
};

struct GateDiagnostic {
  std::string code, category, severity, fingerprint, message;
  int64_t span_begin = 0, span_end = 0;
};

struct GateEstimate {
  std::string shape, calibration, bottleneck, runner_up;
  double time_ns = 0, low_ns = 0, high_ns = 0, weight = 1;
  bool rank_only = true;
};

struct GateMember {
  std::string binding_json, verdict, stage;  // the words of pipeline.h
  std::string canon_hash, struct_hash;
  std::string report_json;  // as `cake check --json` prints it
  std::vector<GateDiagnostic> diagnostics;
  std::vector<GateEstimate> estimates;
};

struct GateReply {
  bool family_ok = false;  // false: every member has the errors of members[0]
  int64_t members_total = 0;
  bool sampled = false;
  std::vector<GateMember> members;
  std::string arch;  // of the program's target
  std::string cuda, program_id, program_name;
  std::vector<std::string> compile_options;  // with emit
  std::string verifier_rev, ruleset_hash, model_rev;
  int64_t cpu_ns = 0;
};

std::string ToJson(const GateRequest& request);
std::string ToJson(const GateReply& reply);
absl::StatusOr<GateRequest> GateRequestFromJson(std::string_view json);
absl::StatusOr<GateReply> GateReplyFromJson(std::string_view json);

// Starts gate work; each request is answered once through the sink given at construction. An
// ABORTED answer means that the child died of this request; anything else is a failing world.
class GateRunner {
 public:
  virtual ~GateRunner() = default;
  // `interactive` requests (Check) go before queued family work.
  virtual void Start(uint64_t id, GateRequest request, bool interactive) = 0;
};

}  // namespace server::core
