// One job of the worker beside this program, without a daemon.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "absl/status/statusor.h"

namespace clients::cli {

struct WorkerRun {
  nlohmann::json result;  // an object, as runner/worker/job.h describes it
  int code = 0;           // the worker's exit code, which says whose fault a failure is
};

// Runs a job on "cpu" or "cuda" and waits. Its bundle is left in the data folder, `receipts`.
// Unavailable: the worker gives no result.
absl::StatusOr<WorkerRun> RunWorker(const std::string& device, const std::string& job);

// The folder of the bundles.
std::string ReceiptsFolder();

}  // namespace clients::cli
