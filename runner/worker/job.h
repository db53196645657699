// One job as a value, and its result: what `cake-worker --job FILE` reads and prints, and what the
// supervisor hands to its job process.
//
// Job file (JSON, UTF-8, at most kJobBytesMax): {
//   "schema": 1, "job": "j-1", "purpose": "SEARCH",
//   "source": "<IR text>", "file": "vector_add.cake", "program": "", "binding": {"S": 256},
//   "arch": "",                          // of the device; empty: whatever the device is
//   "cuda": {"source": "..", "plans": {"<case>": "<LaunchPlan JSON>"}},  // direct CUDA, instead of
//   source "contract": "<canonical JSON>",      // or "contract_text": "<textproto>" "cases": [],
//   // names; empty: machine tier on cpu, every case on a GPU "protocol": "", // empty: the
//   contract's "seed": "7", "seeds_commit": "", "baseline": {"source": "..", "file": "..",
//   "program": "", "binding": {}},   // optional "timing": true, "rounds": 16, "attempts": 2,
//   "fresh_child": false, "limits": {"compile_cpu_s": 60, "case_wall_ms": 120000, "launch_ms":
//   10000}}
// Only schema, source (or cuda) and a contract are required.
//
// Result (JSON): {"schema": 1, "job", "verdict", "blame", "detail", "source":
// "MEASURED"|"SIMULATED"|"",
//   "checks": [{"name", "outcome", "detail"}], "cases": [{"name", "tier", "set", "verdict",
//   "detail", "difference": {"output", "index", "got", "want", "allowed", "wrong", "elements",
//   "worst"}|null}], "diagnostics": <object of diag::RenderJson>|null, "build": {..}|null,
//   "stages": [{"stage", "wall_ns", "cpu_ns", "limit_ns", "end"}], "timing": [{"case", "protocol",
//   "clock", "candidate": {..}, "baseline": {..}| null, "copy": {..}, "ratio": {..}|null}],
//   "device": {..}, "sandbox": {"level", "evidence"}, "child": {..}, "receipt": {..}, "receipt_id":
//   "<sha256>", "machine": "right"|"wrong"|"not_run", "varies": false}
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "runner/contract/verdict.h"
#include "runner/contract/workload.h"
#include "runner/launch/elaborate.h"
#include "runner/oracle/judge.h"
#include "runner/timing/statistics.h"

namespace runner::worker {

inline constexpr int64_t kJobBytesMax = 32 * 1024 * 1024;

struct JobLimits {
  int64_t compile_cpu_s = 60;
  int64_t case_wall_ms = 120'000;  // generous: the child's own launch limit is the one that blames
  int64_t launch_ms = 10'000;
};

struct Job {
  std::string id = "job", purpose = "SEARCH";
  launch::ProgramText program;
  std::string direct_cuda;
  std::map<std::string, std::string> direct_plans;
  contract::Workload workload;
  std::vector<std::string> cases;
  std::string protocol;
  uint64_t seed = 1;
  std::string seeds_commit;
  std::optional<launch::ProgramText> baseline;
  bool timing = true, fresh_child = false;
  int rounds = 16, attempts = 2;
  JobLimits limits;
};
absl::StatusOr<Job> JobFromJson(std::string_view json);
std::string ToJson(const Job& job);

struct StageTime {
  std::string stage;  // "COMPILE", "ORACLE", "TIMING"
  int64_t wall_ns = 0, cpu_ns = 0, limit_ns = 0;
  std::string end = "OK";  // "LIMIT", "FAULT", "CANCELLED", "NOT_RUN"
};

struct CaseOutcome {
  std::string name, tier, set, detail;
  contract::Verdict verdict = contract::Verdict::kCorrect;
  std::vector<oracle::Check> checks;
  std::optional<oracle::Difference> difference;
};

struct Series {
  std::vector<double> cold_ns, warm_ns,
      events_ns;  // events_ns: of the cold samples, by CUDA events
};
struct CaseTiming {
  std::string name, protocol, clock;  // clock: "cupti" or "events"
  Series candidate, baseline, copy;
  double copy_bytes = 0, speed_of_light_ns = 0;
  timing::Ratio ratio;               // baseline / candidate, of the cold samples
  std::string vitals_json;           // what NVML said around the samples
  std::vector<std::string> kernels;  // executed inside the first timed region
};

struct JobResult {
  std::string job, detail;
  contract::Verdict verdict = contract::Verdict::kCorrect;
  contract::Blame blame = contract::Blame::kNone;
  std::string source;                 // of the times: "MEASURED", "SIMULATED", or empty
  std::vector<oracle::Check> checks;  // aggregated over cases
  std::vector<CaseOutcome> cases;
  std::string diagnostics_json;  // or empty
  std::string build_json;        // or empty
  std::vector<StageTime> stages;
  std::vector<CaseTiming> timings;
  std::string device_json, sandbox_level, protocol, machine = "not_run";
  std::vector<std::string> sandbox_evidence;
  bool child_fresh = true, varies = false;
  int64_t child_served = 0;
  std::map<std::string, std::string>
      hashes;  // source, canonical, cuda, cubin, contract, baseline, samples
  std::map<std::string, std::string>
      objects;          // name -> bytes, to be stored: cuda, cubin, ptx, log, samples
  timing::Ratio ratio;  // weighted geomean over the scored cases
  double time_ns = 0;   // weighted geomean of medians, 0: nothing was timed
};
std::string ToJson(const JobResult& result);
absl::StatusOr<JobResult> JobResultFromJson(std::string_view json);  // without objects
// Canonical JSON of the receipt; its SHA-256 is its name.
std::string ReceiptJson(const Job& job, const JobResult& result);
// All samples, canonical JSON: the object behind `hashes["samples"]`.
std::string SamplesJson(const JobResult& result);

}  // namespace runner::worker
