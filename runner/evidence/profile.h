// Hardware counters of a run, as Nsight Compute writes them: named metrics, and findings in words.
// A profiled run is replayed and slowed down by the tool: its times never rank anything.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace runner::evidence {

// What is asked for: our name, Nsight Compute's name, the unit of the value here.
struct Metric {
  std::string_view name, counter, unit;
};
const std::vector<Metric>& Metrics();
// "gpu__time_duration.sum,..", for `--metrics`.
std::string CountersWanted();

struct ProfiledKernel {
  std::string name;
  std::map<std::string, double> metrics;  // by our names; what the device does not have is absent
};

inline constexpr size_t kProfiledKernelsMax = 256;

// The output of `ncu --csv --page raw`: lines of the tool and of the program stand around the
// table. Unavailable: the tool's own error, as that counters need a permission; InvalidArgument: no
// table, or one without the columns that every table has.
absl::StatusOr<std::vector<ProfiledKernel>> ParseProfile(std::string_view output);

// In words, the bottleneck first; each names the metric that it is read from.
std::vector<std::string> FindingsOf(const ProfiledKernel& kernel);

std::string ToJson(const std::vector<ProfiledKernel>& kernels);

}  // namespace runner::evidence
