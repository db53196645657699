// Evidence of another machine as it arrives: a manifest and an event log, both untrusted. Reading
// them checks their form and their sizes; whether the log follows from itself is for the import.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "store/events.h"

namespace server::core {

inline constexpr size_t kManifestBytesMax = size_t{16} << 20;
inline constexpr size_t kLogBytesMax = size_t{64} << 20;
inline constexpr size_t kLogLineBytesMax = size_t{1} << 20;
// One transaction holds a whole import, and what ends its unfinished work comes on top.
inline constexpr size_t kLogEventsMax = 12'288;

struct Manifest {
  std::string campaign, git, script, bundle, driver, device, log_hash;
  bool simulated = false;
};

// INVALID_ARGUMENT names the field that is missing, too long or of another type.
absl::StatusOr<Manifest> ParseManifest(std::string_view json);

struct LoggedEvent {
  int64_t seq = 0, at_us = 0;
  store::EventBody body;
};

// One event a line, as store::BodyToJson wrote the bodies, with growing numbers. INVALID_ARGUMENT
// names the line.
absl::StatusOr<std::vector<LoggedEvent>> ParseLog(std::string_view text);

}  // namespace server::core
