// A baseline that another program is: started for one timed case, asked for one sample at a time.
// The messages are told in runner/baselines/README.md.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "runner/child/process.h"
#include "runner/contract/workload.h"
#include "runner/oracle/judge.h"

namespace runner::worker {

inline constexpr int64_t kForeignSecondsDefault = 120;  // for one answer; it may compile first

// Where the program finds its drivers, and where what it compiles is kept from one case to the
// next.
struct ForeignPlaces {
  std::string baselines, cache;  // cache empty: a folder of its own
};

class ForeignBaseline {
 public:
  // Starts the program and hands it the inputs of the case. Unavailable: what it would time is
  // missing, in its words; FailedPrecondition: it failed, or does not follow the protocol.
  static absl::StatusOr<std::unique_ptr<ForeignBaseline>> Open(const contract::Command& command,
                                                               const ForeignPlaces& places,
                                                               const contract::Workload& workload,
                                                               const contract::Case& at,
                                                               uint64_t seed, int64_t flush_bytes);
  ~ForeignBaseline();

  // The answer to an evaluation child's request for one sample: JSON in and out.
  std::string Sample(const std::string& request_json);
  // Whether it computes just what the contract says.
  bool comparable() const { return comparable_; }
  // One call's outputs on the first image, in memory that a judge takes for that of a run; it lives
  // as long as this.
  absl::StatusOr<oracle::Run> Outputs();
  // What it said of itself, with its command: JSON.
  const std::string& facts_json() const { return facts_json_; }

 private:
  ForeignBaseline(const contract::Workload& workload, const contract::Case& at, uint64_t seed);
  absl::Status Start(const contract::Command& command, const ForeignPlaces& places);
  absl::Status Introduce(const contract::Command& command, int64_t flush_bytes);
  absl::StatusOr<std::string> Ask(const std::string& request_json);
  absl::StatusOr<std::string> ReadLine();

  const contract::Workload& workload_;
  const contract::Case& at_;
  const uint64_t seed_;
  std::string folder_, buffered_, facts_json_;
  int64_t answer_ms_ = 0;
  bool comparable_ = true;
  std::unique_ptr<child::Process> process_;
  std::vector<std::vector<std::byte>> memory_;
};

}  // namespace runner::worker
