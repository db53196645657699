// One job as a value, and its result: what `cake-worker --job FILE` reads and prints, and what the
// supervisor hands to its job process.
//
// clang-format off
// Job file: JSON, UTF-8, at most kJobBytesMax. Only schema, source (or cuda) and a contract are
// required.
//   {"schema": 1, "job": "j-1", "purpose": "SEARCH",
//    "source": "<IR text>", "file": "vector_add.cake", "program": "", "binding": {"S": 256},
//    "cuda": "<direct CUDA, see runner/launch/direct.h>",  // instead of source
//    "program_id": "<canonical hash>",  // only a replay needs it: it elaborates nothing
//    "contract": "<canonical JSON>",  // or "contract_text": "<textproto>"
//    "arch": "",                  // of the device; empty: whatever the device is
//    "cases": [],                 // names; empty: the machine tier on a CPU, every case on a GPU
//    "protocol": "",              // empty: the contract's
//    "seed": "7", "seeds_commit": "",
//    "baseline": {"source": "..", "file": "..", "program": "", "binding": {}},  // optional; or
//                                 //  {"library": "cublaslt"}, or {"argv": [..], "timeout_s": 60}:
//                                 //  see runner/baselines/README.md. Absent: what the contract
//                                 //  says, where that is no program
//    "incumbent": {"source": "..", ..},  // optional: the best so far, timed in the same blocks
//    "timing": true, "attempts": 2, "fresh_child": false,
//    "rounds": 40,                // blocks A B B A at most; fewer where the ratio is precise
//    "repeats": 1,                // whole timings of each case; for purpose CALIBRATE, which has
//                                 //  no oracle: its programs are compared, not judged
//    "hidden_sizes": 3,           // absent: by the purpose, see HiddenSizesOf
//    "evidence": ["sass", "profile", "sanitizer"],  // absent: by the purpose, see EvidenceOf
//    "jitter": false,             // absent: unless the purpose is SEARCH or CALIBRATE
//    "limits": {"compile_cpu_s": 60, "case_wall_ms": 120000, "launch_ms": 10000}}
//
// Result: JSON.
//   {"schema": 1, "job": "j-1", "verdict": "CORRECT", "blame": "NONE", "detail": "",
//    "source": "MEASURED",        // or "SIMULATED", or "": nothing was timed
//    "checks": [{"name": "..", "outcome": "PASS", "detail": ".."}],
//    "cases": [{"name": "..", "tier": "..", "set": "..", "verdict": "..", "detail": "..",
//               "checks": [..], "difference": null}],  // or {"output", "index", "got", "want",
//                                                      //  "allowed", "wrong", "elements", "worst"}
//    "diagnostics": null,                       // or the object of diag::RenderJson
//    "build": null,                             // or the facts of the compilation
//    "stages": [{"stage": "ORACLE", "wall_ns": 1, "cpu_ns": 1, "limit_ns": 1, "end": "OK"}],
//    "timing": [{"case": "..", "protocol": "..", "clock": "cupti", "candidate": {..},
//                "incumbent": null, "baseline": null, "copy": {..}, "copy_bytes": 1,
//                "speed_of_light_ns": 1, "ratio": null, "incumbent_ratio": null,
//                "library": null, "kernels": [..], "stop": {..}, "vitals": [..]}],
//    "device": {..}, "protocol": "..", "machine": "right", "varies": false,
//    "sandbox": {"level": "L3", "evidence": [..]}, "child": {"fresh": true, "served": 1},
//    "hashes": {"source": "<sha256>"}, "ratio": null, "incumbent_ratio": null, "time_ns": 0,
//    "spans": {"judge.case": {"ns": 1, "count": 1}}, "device_busy_ns": 1}
// clang-format on
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "runner/child/spans.h"
#include "runner/contract/verdict.h"
#include "runner/contract/workload.h"
#include "runner/launch/elaborate.h"
#include "runner/oracle/judge.h"
#include "runner/timing/paired.h"

namespace runner::worker {

inline constexpr int64_t kJobBytesMax = 32 * 1024 * 1024;

// What a job may ask for at most.
inline constexpr int kRepeatsMax = 1000, kHiddenSizesMax = 16;
inline constexpr int64_t kCompileCpuSecondsMax = 3'600, kJobWaitMsMax = 24 * 3'600'000;

inline constexpr std::string_view kCalibrate = "CALIBRATE", kSearch = "SEARCH";  // purposes
// The named check that says where everybody stood when a launch did not end.
inline constexpr std::string_view kCheckAutopsy = "hang_autopsy";
// Whether a job of a purpose also runs a build with delays: a search has no time for it.
inline bool AsksForDelays(std::string_view purpose) {
  return purpose != kSearch && purpose != kCalibrate;
}

// How many cases of hidden sizes a job of a purpose runs: what is said for good must hold on sizes
// that its author could not know.
inline int HiddenSizesOf(std::string_view purpose) {
  return purpose == "CONFIRM" || purpose == "RECHECK" || purpose == "AUDIT" ? 3 : 0;
}

// What tools are asked beside the verdict: what survived is worth its counters, a search has no
// time for them.
inline std::vector<std::string> EvidenceOf(std::string_view purpose) {
  if (purpose == "CONFIRM") return {"sass", "profile"};
  if (purpose == "RECHECK" || purpose == "AUDIT") return {"sass", "sanitizer"};
  return {};
}

struct JobLimits {
  int64_t compile_cpu_s = 60;
  int64_t case_wall_ms = 120'000;  // generous: the child's own launch limit is the one that blames
  int64_t launch_ms = 10'000;
};

struct Job {
  std::string id = "job", purpose = "SEARCH";
  launch::ProgramText program;
  std::string direct_cuda;  // instead of the program
  std::string program_id;   // canonical hash of the member, as the daemon knows it; may be empty
  contract::Workload workload;
  std::vector<std::string> cases;
  std::string protocol;
  uint64_t seed = 1;
  std::string seeds_commit;
  int hidden_sizes = 0;               // cases of sizes drawn from the seed, beside the contract's
  std::vector<std::string> evidence;  // "sass", "profile", "sanitizer": what tools are asked
  std::optional<launch::ProgramText> baseline, incumbent;
  std::string baseline_library;        // instead of a program
  contract::Command baseline_command;  // instead of either; no words: none
  bool timing = true, fresh_child = false;
  bool jitter = false;  // also run a build with delays; on a GPU
  int rounds = timing::StopRule().blocks_max, repeats = 1, attempts = 2;
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
  Series candidate, incumbent, baseline, copy;
  double copy_bytes = 0, speed_of_light_ns = 0;
  int64_t runs_a_sample = 1;         // of a graph
  timing::Ratio ratio;               // baseline / candidate, paired, of the cold samples
  timing::Ratio incumbent_ratio;     // incumbent / candidate, likewise
  std::string library_json;          // of a library's baseline: version, algorithm; or empty
  std::string stop_json;             // {"reason", "blocks"}: why sampling ended
  std::string vitals_json;           // what NVML said before the first block and at every look
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
  child::Spans spans;          // where the time went; not part of any verdict
  int64_t device_busy_ns = 0;  // of all operations that left records
  std::map<std::string, std::string>
      hashes;  // source, canonical, cuda, cubin, contract, baseline, samples
  std::map<std::string, std::string>
      objects;          // name -> bytes, to be stored: cuda, cubin, ptx, log, samples
  timing::Ratio ratio;  // weighted geomean over the scored cases
  timing::Ratio incumbent_ratio;
  double time_ns = 0;  // weighted geomean of medians, 0: nothing was timed
};
std::string ToJson(const JobResult& result);
absl::StatusOr<JobResult> JobResultFromJson(
    std::string_view json);  // without objects, cases and samples
// Canonical JSON of the receipt; its SHA-256 is its name.
std::string ReceiptJson(const Job& job, const JobResult& result);
// All samples, canonical JSON: the object behind `hashes["samples"]`.
std::string SamplesJson(const JobResult& result);

}  // namespace runner::worker
