// What compute-sanitizer reports of a run.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace runner::evidence {

struct SanitizerError {
  std::string what;    // "Invalid __global__ write of size 4 bytes"
  std::string at;      // "add+0x70", or empty
  std::string thread;  // "(96,0,0) in block (1,0,0)", or empty
  int64_t count = 1;   // reports that say the same of other threads
};

struct SanitizerReport {
  std::string tool;                   // "memcheck", ..
  int64_t errors = 0;                 // by the tool's own summary
  int64_t warnings = 0;               // of racecheck
  std::vector<SanitizerError> shown;  // at most kSanitizerErrorsMax different ones
};
inline constexpr size_t kSanitizerErrorsMax = 32;

// The log of `compute-sanitizer --tool TOOL`. InvalidArgument: it has no summary, so that the run
// did not end as it should.
absl::StatusOr<SanitizerReport> ParseSanitizer(std::string_view log, const std::string& tool);

// One line: "memcheck: 2 errors; Invalid __global__ write of size 4 bytes at add+0x70 by thread
// ..".
std::string ToText(const SanitizerReport& report);
std::string ToJson(const std::vector<SanitizerReport>& reports);

}  // namespace runner::evidence
