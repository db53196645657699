// The judging of candidates before a device sees them, as the daemon's core sees it: requests that
// are answered later. Untrusted programs are parsed, checked and run on the reference machine in
// child processes only, so that one bad program cannot take the daemon with it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace server::core {

inline constexpr uint32_t kGateFrameBytesMax = 64u << 20;
inline constexpr int kMemberDiagnosticsMax = 8;
// Of the built-in gates: what a rule was gated and approved with.
inline constexpr std::string_view kVerifierRev = "1";

struct Narrowed {  // a param and the values that are left of its domain
  std::string name;
  std::vector<std::string> values;
};

// A learnt rule as the gates are given it: verifier/learnt.
struct GateRule {
  std::string id;  // "name@3"
  bool shadow = false;
  std::string text;
};

// Of the cost model, as it is in force for programs of its architecture.
struct GateCalibration {
  std::string id;  // "sm_90a@3"
  bool claims_time = false;
  std::string text;  // costmodel/calibration.h
};

struct GateRequest {
  bool direct = false;  // hand-written device code with its launch declared
  bool emit = false;    // lower the one member `binding_json` instead of judging members
  bool map = false;     // derive the map of that member instead, without gates
  // Only estimate that member: members[0] by the data sheets, members[i] by calibrations[i - 1].
  bool estimate = false;
  std::vector<GateCalibration> calibrations;
  std::string source, file_name = "candidate.cake";
  std::string contract_json;  // canonical JSON; empty: the program alone
  std::vector<Narrowed> narrow;
  int64_t from = 0, count = 1;  // members, the default binding first
  int64_t members_max = 0;      // of a larger family so many are drawn by `sample_seed`
  uint64_t sample_seed = 0;
  std::string binding_json;  // with emit, map, and of a proposal's parent: {"BN": 256}
  // A tactic: make a program from this one instead of judging it.
  std::string propose;
  std::string other_source, other_binding_json;  // of the second parent, for those that take two
  uint64_t pick = 0;                             // what the tactic draws its choice from
  bool structural = false;                       // a program of the same structure is none
  // Leave the units [reduce_from, reduce_from + reduce_count) of the text out instead.
  bool reduce = false;
  int64_t reduce_from = 0, reduce_count = 0;
  std::vector<GateRule> rules;
  bool gate_rule = false;  // ask rules[0] of whatever gets to the gates, to see what it costs
  bool specimens = false;  // try rules[0] on its own programs instead of judging members
  int64_t cpu_limit_ms = 30'000;
};

struct GateDiagnostic {
  std::string code, category, severity, fingerprint, message;
  std::string form;  // the instruction at the place
  std::string rule;  // learnt rule that says it
  int64_t span_begin = 0, span_end = 0;
};

struct GateEstimate {
  std::string shape, calibration, bottleneck, runner_up;
  double time_ns = 0, low_ns = 0, high_ns = 0, weight = 1;
  bool rank_only = true;
};

// What a learnt rule says of a member.
struct GateRuleSaid {
  std::string id;
  bool shadow = false, unknown = false;
  int64_t hits = 0, cpu_ns = 0;
  std::string why;  // it is unknown
};

// A rule's trial on its own programs.
struct GateSpecimens {
  bool good = false;
  std::string error;  // the file is no rule
  std::string name, code, trials_json;
};

struct GateMember {
  std::string binding_json, verdict, stage;  // the words of pipeline.h
  std::string canon_hash, struct_hash;
  std::string report_json;  // as `cake check --json` prints it
  std::vector<GateDiagnostic> diagnostics;
  std::vector<GateEstimate> estimates;
  std::vector<GateRuleSaid> rules;
  std::string features;  // see server/state/features.h
  bool fixable = false;  // its errors have machine-applicable fixes
};

// What a tactic or a reduction made.
struct GateProposal {
  bool found = false;
  std::string source, params_json;  // params_json: {"BN": ["256"], ..}, each with one value
  std::string text;                 // what was changed, or why there is nothing to change
  int64_t units = 0;                // with reduce: how many units the given text has
};

struct GateReply {
  bool family_ok = false;  // false: every member has the errors of members[0]
  int64_t members_total = 0;
  int64_t reachable = 0;  // of them: those that this request can have; 0: all, to the limit
  bool sampled = false;
  std::vector<GateMember> members;
  std::string arch;  // of the program's target
  std::string cuda, program_id, program_name;
  std::string map_json;                      // with map; "" when the program is rejected
  std::vector<std::string> compile_options;  // with emit
  GateProposal proposal;                     // with propose or reduce
  GateSpecimens specimens;                   // with specimens
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
