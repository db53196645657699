// The worker's cache of the programs it was given, one JSON file a program, named by the canonical
// hash that the emitter writes into the module as `cake_program_id`:
//   <dir>/<64 hex digits>.json =
//     {"schema": 1, "source": "<IR text>", "program": "<name>", "binding": {"BN": 256},
//      "file": "vector_add.cake", "arch": "sm_90a"}
// Whoever holds a loaded module can find its program by it: `cake explain` of a running job, crash
// reports, and the fake driver (CAKE_FAKE_OBJECTS=<dir>), which elaborates the program and runs the
// machine on it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace runner::worker {

struct CachedProgram {
  std::string source, program, file, arch;
  std::map<std::string, int64_t> binding;
};

// Writes temp -> rename; an existing file is left alone (content-addressed). `id`: 64 hex digits.
absl::Status PutProgram(const std::string& dir, std::string_view id, const CachedProgram& program);
// NotFound where there is no such file; InvalidArgument where it is not such a file.
absl::StatusOr<CachedProgram> GetProgram(const std::string& dir, std::string_view id);

}  // namespace runner::worker
