#include <nlohmann/json.hpp>

#include "runner/contract/hash.h"
#include "runner/worker/job_run.h"

namespace runner::worker {

using nlohmann::json;

std::string BuildJson(const compile::Build& build) {
  json kernels = json::array();
  for (const auto& k : build.kernels) {
    kernels.push_back({{"name", k.name},
                       {"registers", k.registers},
                       {"spill_store_bytes", k.spill_store_bytes},
                       {"spill_load_bytes", k.spill_load_bytes},
                       {"stack_bytes", k.stack_bytes},
                       {"static_shared_bytes", k.static_shared_bytes},
                       {"barriers", k.barriers}});
  }
  const json out = {{"outcome", std::string(ToString(build.outcome))},
                    {"key", build.key},
                    {"compiler", build.compiler},
                    {"cached", build.cached},
                    {"wall_ns", build.wall_ns},
                    {"cpu_ns", build.cpu_ns},
                    {"kernels", kernels},
                    {"cubin", build.cubin.empty() ? "" : contract::Sha256Hex(build.cubin)}};
  // Names come from a log, which may quote any bytes of the source.
  return out.dump(-1, ' ', false, json::error_handler_t::replace);
}

}  // namespace runner::worker
