#include "runner/timing/statistics.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace runner::timing {

double Quantile(std::vector<double> samples, double q) {
  if (samples.empty()) return std::numeric_limits<double>::quiet_NaN();
  std::sort(samples.begin(), samples.end());
  const double at = q * static_cast<double>(samples.size() - 1);
  const auto low = static_cast<size_t>(at);
  const size_t high = std::min(low + 1, samples.size() - 1);
  return samples[low] + (samples[high] - samples[low]) * (at - static_cast<double>(low));
}

Summary Summarise(const std::vector<double>& samples) {
  if (samples.empty()) return {};
  return {Quantile(samples, 0.5), Quantile(samples, 0.25), Quantile(samples, 0.75),
          Quantile(samples, 0), static_cast<int64_t>(samples.size())};
}

double SpeedOfLightNs(int64_t bytes_in, int64_t bytes_out, int64_t l2_bytes, double hbm_gb_per_s) {
  if (hbm_gb_per_s <= 0) return 0;
  const auto bytes = bytes_in + std::max<int64_t>(0, bytes_out - l2_bytes);
  return static_cast<double>(bytes) / hbm_gb_per_s;  // GB/s is bytes a nanosecond
}

}  // namespace runner::timing
