// CUPTI's activity records, the clock of record where it is installed: device times of each kernel
// and memset, free of launch latency.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "runner/cuda/cupti_api.h"

namespace runner::cuda {

struct Activity {
  int kind = 0;
  int64_t start_ns = 0, end_ns = 0;  // device clock
  int64_t bytes = 0;                 // memsets and copies
  std::string name;                  // kernels
};

// One a process: CUPTI's callbacks carry no user pointer.
class Cupti {
 public:
  // `path`: the library, or empty for the usual names. To be called before the context is created.
  // Unavailable says what is missing.
  static absl::StatusOr<std::unique_ptr<Cupti>> Open(const std::string& path);
  // All records since the last call, in order of their start. The stream must be idle.
  absl::StatusOr<std::vector<Activity>> Drain();
  // From here on a launched graph leaves one record, and none of its nodes; or one a node again.
  absl::Status TraceGraphs(bool whole);
  // How long operations took in all that were drained since the last call.
  int64_t TakeBusyNs() { return std::exchange(busy_ns_, 0); }
  int64_t version() const { return version_; }

 private:
  CuptiApi api_;
  int64_t version_ = 0;
  bool whole_graphs_ = false;
  int64_t busy_ns_ = 0;
};

}  // namespace runner::cuda
