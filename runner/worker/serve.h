// `cake-worker --connect TARGET`: the supervisor's loop.
#pragma once

#include <string>

#include "runner/worker/evaluator.h"

namespace runner::worker {

struct ServeOptions {
  EvaluatorOptions evaluator;
  std::string target, name;  // name empty: made of host and device
  std::string version;
  bool audit = false;  // takes programs that the gates rejected, to measure the gates
  std::string replay;  // file of recorded evaluations that answers instead of a device
  std::string record;  // file that gets what the device's evaluations come to
};

// Serves until SIGTERM or SIGINT (finishes the lease it holds; a second signal ends at once) or a
// drain by the daemon. Exit code: 0 drained, 3 the world is at fault (no device, sandbox below the
// minimum).
int Serve(const ServeOptions& options);

}  // namespace runner::worker
