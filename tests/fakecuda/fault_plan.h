// What goes wrong on the fake device and in the fake compiler, read once from the JSON file named
// by CAKE_FAKE_PLAN:
//
//   {"device": {"name": "..", "arch": "sm_90a", "sms": 4, "memory_bytes": 1073741824,
//               "uuid": "00112233445566778899aabbccddeeff", "driver": 13000},
//    "max_lane_statements": 200000000,  // of one launch; past them it never ends
//    "rules": [{"program": "<hex prefix>", "stage": "launch", "nth": 1, "attempt": 1, "times": 0,
//               "fault": "sticky", "code": 700, "byte": 0, "count": 1, "factor": 1.0}]}
//
// A rule fires when everything that it names agrees:
//   program  prefix of the module's identity in hex; absent: any
//   text     what the source of a launched program of ours holds: a fault of an instruction,
//            whatever program it is in; absent: any
//   stage    "context" (creating one), "alloc", "host_alloc", "load", "launch", "timed" (a launch
//            between two events), "copy" (from the device to itself), "compile"; absent: "launch"
//            and "timed"
//   nth      the n-th time that this process comes to the stage with such a program; 0: each time
//   attempt  the n-th process that loaded the program (of "compile": that opened the compiler),
//            counted over all processes of one CAKE_FAKE_STATE folder; 0: each. Without the folder
//            every process is attempt 1. With a socket `counter` in the folder whoever listens
//            there counts, also for processes that cannot write: the line `attempt <program>` is
//            answered by a number and the end of the stream, `fired <program>` by the end alone
//   times    how often it fires in one process; 0: without end
// Faults: "hang", "sticky" (with `code`), "error" (with `code`, not sticky), "oom", "flip" (`count`
// bytes from `byte` on of the launch's first output, or of what is copied), "throttle" (device
// times `factor` longer), "skew" (event times `factor` longer than the records'), "kill" (signal
// `code` to the process, SIGKILL without one); and for "compile": "error", "bomb" (memory without
// end), "hang", "kill".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace fakecuda {

enum class Fault : uint8_t {
  kHang,
  kSticky,
  kError,
  kOutOfMemory,
  kFlip,
  kThrottle,
  kSkew,
  kKill,
  kBomb
};

struct Rule {
  std::string program, text, stage;
  int64_t nth = 0, attempt = 0, times = 0;
  Fault fault = Fault::kHang;
  int code = 0;
  int64_t byte = 0, count = 1;
  double factor = 1;
  // Counters of this process.
  int64_t seen = 0, fired = 0;
};

struct Device {
  std::string name = "Cake simulated GPU", arch = "sm_90a";
  std::string uuid = "cafe0000000000000000000000000001";
  int64_t sms = 4, memory_bytes = int64_t{1} << 30;
  int driver = 13000;
};

class FaultPlan {
 public:
  // The plan of this process. A plan that cannot be read ends the process with the reason: a test
  // whose faults do not happen would pass.
  static FaultPlan& Get();
  explicit FaultPlan(std::string_view json);

  const Device& device() const { return device_; }
  int64_t max_lane_statements() const { return max_lane_statements_; }
  // The rules that fire now, in the plan's order; counts that the stage was reached.
  std::vector<Rule> Reach(std::string_view stage, std::string_view program,
                          std::string_view source = "");
  // This process loads the program (or opens the compiler, kCompiler): finds out which attempt it
  // is. Needs to open files.
  void BeginAttempt(const std::string& program);
  static constexpr char kCompiler[] = "compiler";

 private:
  bool Matches(const Rule& rule, std::string_view stage, std::string_view program) const;

  Device device_;
  int64_t max_lane_statements_ = 200'000'000;
  std::vector<Rule> rules_;
  std::vector<std::pair<std::string, int64_t>> attempts_;  // program, number
};

}  // namespace fakecuda
