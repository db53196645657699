#include "runner/timing/statistics.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "runner/oracle/philox.h"

namespace runner::timing {
namespace {

constexpr size_t kSamplesMin = 4;
constexpr double kLowTail = 0.025, kHighTail = 0.975;

double MedianOfResample(const std::vector<double>& samples, uint64_t key, uint64_t resample,
                        std::vector<double>& scratch) {
  for (size_t i = 0; i < samples.size(); ++i) {
    const uint64_t word = oracle::PhiloxWord(key, resample * samples.size() + i);
    scratch[i] = samples[word % samples.size()];
  }
  const auto middle = scratch.begin() + static_cast<std::ptrdiff_t>(samples.size() / 2);
  std::nth_element(scratch.begin(), middle, scratch.end());
  if (samples.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(scratch.begin(), middle)) / 2;
}

}  // namespace

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

Ratio BootstrapRatio(const std::vector<double>& baseline, const std::vector<double>& candidate,
                     uint64_t seed) {
  if (baseline.size() < kSamplesMin || candidate.size() < kSamplesMin) return {};
  const uint64_t key_a = oracle::DeriveKey(seed, "bootstrap", 0),
                 key_b = oracle::DeriveKey(seed, "bootstrap", 1);
  std::vector<double> ratios, scratch_a(baseline.size()), scratch_b(candidate.size());
  for (int i = 0; i < kBootstrapResamples; ++i) {
    const double a = MedianOfResample(baseline, key_a, static_cast<uint64_t>(i), scratch_a);
    const double b = MedianOfResample(candidate, key_b, static_cast<uint64_t>(i), scratch_b);
    ratios.push_back(a / b);
  }
  return {Quantile(baseline, 0.5) / Quantile(candidate, 0.5), Quantile(ratios, kLowTail),
          Quantile(ratios, kHighTail)};
}

double SpeedOfLightNs(int64_t bytes_in, int64_t bytes_out, int64_t l2_bytes, double hbm_gb_per_s) {
  if (hbm_gb_per_s <= 0) return 0;
  const auto bytes = bytes_in + std::max<int64_t>(0, bytes_out - l2_bytes);
  return static_cast<double>(bytes) / hbm_gb_per_s;  // GB/s is bytes a nanosecond
}

}  // namespace runner::timing
