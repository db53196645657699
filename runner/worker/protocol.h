// What a worker and the daemon say to each other, as plain values. The wire form is known to
// translate.cc alone.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "runner/worker/job.h"

namespace runner::worker {

struct DeviceInfo {
  std::string uuid, name, arch, driver;  // arch empty: the reference machine
  bool simulated = false;
  std::map<std::string, std::string> facts;
  std::map<std::string, double> noise;  // class of kernel -> relative floor
};

struct JobSpec {
  std::string candidate, canonical_ir, cuda, arch, launch_plan, contract_hash, contract, protocol;
  std::map<std::string, std::string> binding;
  std::vector<std::string> cases;
  uint64_t seed = 0;
  std::string seeds_commit, purpose, program_id;  // purpose: "SEARCH"
  std::string baseline, incumbent;                // object hashes; empty: none
  std::string incumbent_id;                       // echoed
  std::map<std::string, std::string> incumbent_binding;
  bool fresh_child = false;
  std::string sandbox_min;
};

struct StageLimit {
  std::string stage;
  int64_t wall_ns = 0, cpu_ns = 0;
};

struct Lease {
  std::string id, job;
  uint32_t attempt = 0;
  uint64_t token = 0;
  int64_t ttl_ms = 0;
  std::vector<StageLimit> limits;
  JobSpec spec;
};

enum class Desired : uint8_t { kContinue, kCancel, kLost };
enum class WorkerDesired : uint8_t { kServe, kDrain, kQuarantine, kUpgrade };

struct RegisterCall {
  std::string name;
  uint64_t incarnation = 0;
  DeviceInfo device;
  std::vector<std::string> capabilities;
  std::string version, sandbox_level;
};
struct AcquireCall {
  std::string worker;
  uint64_t incarnation = 0;
  uint32_t wait_ms = 0;
};
struct ReportCall {
  std::string worker;
  uint64_t incarnation = 0;
  bool holds = false;  // a lease: the four fields below
  std::string lease, stage;
  uint64_t token = 0;
  int percent = 0;
  bool healthy = true;
  std::string health_reason;
};
struct CompleteCall {
  std::string worker, lease, job;
  uint64_t incarnation = 0, token = 0;
  JobResult result;
  std::string receipt_json;
  std::vector<std::string> objects;  // hashes
  std::string incumbent_id;          // that the candidate was timed against
};
struct PutCall {
  std::string hash, kind, bytes;
  std::string lease;  // whose evidence it is
  uint64_t token = 0;
};
struct GetCall {
  std::string hash;
};
using Call = std::variant<RegisterCall, AcquireCall, ReportCall, CompleteCall, PutCall, GetCall>;

struct RegisterAnswer {
  std::string worker;
  int64_t report_every_ms = 5000, lease_ttl_ms = 30'000;
};
struct AcquireAnswer {
  bool granted = false;
  Lease lease;
  WorkerDesired desired = WorkerDesired::kServe;
};
struct ReportAnswer {
  Desired desired = Desired::kContinue;
  WorkerDesired worker = WorkerDesired::kServe;
};
struct CompleteAnswer {
  bool final = false;
};
struct PutAnswer {};
struct GetAnswer {
  std::string bytes;
};
using Answer =
    std::variant<RegisterAnswer, AcquireAnswer, ReportAnswer, CompleteAnswer, PutAnswer, GetAnswer>;

}  // namespace runner::worker
