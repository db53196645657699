// The members of a tar file packed with zstd, one after the other, each whole in memory.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "absl/status/status.h"

namespace clients::cli::remote {

struct TarLimits {
  uint64_t total_bytes = 0;   // unpacked, headers included
  uint64_t member_bytes = 0;  // of one
  uint64_t members = 0;
};

// Calls `member` for every plain file; folders are passed over, everything else (links, devices,
// names longer than a header holds) is refused. INVALID_ARGUMENT says where and why; a callback's
// own error ends the walk and is returned.
absl::Status WalkTarZst(
    const std::string& path, const TarLimits& limits,
    const std::function<absl::Status(const std::string& name, const std::string& bytes)>& member);

}  // namespace clients::cli::remote
