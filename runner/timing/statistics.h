// From samples to the figures that count: medians, quartiles and the physical limit.
// A figure is always computed from all samples of one protocol; nothing is discarded as an outlier.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace runner::timing {

// Linear interpolation between order statistics; NaN for no samples. q in 0..1.
double Quantile(std::vector<double> samples, double q);

struct Summary {
  double median = 0, low_quartile = 0, high_quartile = 0, smallest = 0;
  int64_t samples = 0;
};
Summary Summarise(const std::vector<double>& samples);

// The least time that memory traffic allows: what has to be read is read once, and what has to be
// written is written once but for as much as the L2 holds, at the device's bandwidth. 0 where the
// bandwidth is not known.
double SpeedOfLightNs(int64_t bytes_in, int64_t bytes_out, int64_t l2_bytes, double hbm_gb_per_s);

}  // namespace runner::timing
