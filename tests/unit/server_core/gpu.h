// The worker that most tests of the daemon's core register.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "server/core/api.h"

namespace server::testing {

// What a GPU that measures says of itself; tests change what they are about.
inline core::RegisterRequest GpuThatMeasures(core::Meta meta,
                                             std::vector<std::string> capabilities) {
  core::RegisterRequest request;
  request.meta = std::move(meta);
  request.name = "gpu";
  request.uuid = "GPU-1";
  request.arch = "sm_90a";
  request.simulated = false;
  request.incarnation = 1;
  request.capabilities = std::move(capabilities);
  return request;
}

}  // namespace server::testing
