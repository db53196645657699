#include "runner/timing/paired.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "runner/oracle/philox.h"
#include "runner/timing/statistics.h"

namespace runner::timing {
namespace {

constexpr size_t kBlocksMin = 4;
constexpr uint64_t kBootstrapResamples = 2000;
constexpr size_t kTrimDivisor = 5;  // a fifth on each side
constexpr double kLowTail = 0.025, kHighTail = 0.975;
constexpr double kNoiseDeviations = 3;

// Of ascending values, the k-th of which stands there `counts[k]` times.
double TrimmedMean(const std::vector<double>& values, const std::vector<uint32_t>& counts) {
  const size_t cut = values.size() / kTrimDivisor, end = values.size() - cut;
  double sum = 0;
  for (size_t k = 0, at = 0; k < values.size() && at < end; ++k) {
    for (uint32_t i = 0; i < counts[k]; ++i, ++at) {
      if (at >= cut && at < end) sum += values[k];
    }
  }
  return sum / static_cast<double>(end - cut);
}

// The first `count` words of a key's stream, kept for the next interval under the same seed: the
// draws cost more than all else that an interval needs.
const std::vector<uint64_t>& Words(uint64_t key, size_t count) {
  thread_local uint64_t kept_key = 0;
  thread_local std::vector<uint64_t> words;
  if (key != kept_key) words.clear();
  kept_key = key;
  words.reserve(count);
  while (words.size() < count) words.push_back(oracle::PhiloxWord(key, words.size()));
  return words;
}

}  // namespace

std::vector<double> BlockLogRatios(const std::vector<double>& baseline,
                                   const std::vector<double>& candidate) {
  std::vector<double> out;
  for (size_t i = 0; i + 1 < std::min(baseline.size(), candidate.size()); i += 2) {
    out.push_back((std::log(baseline[i]) + std::log(baseline[i + 1]) - std::log(candidate[i]) -
                   std::log(candidate[i + 1])) /
                  2);
  }
  return out;
}

Ratio PairedRatio(const std::vector<double>& baseline, const std::vector<double>& candidate,
                  uint64_t seed) {
  std::vector<double> blocks = BlockLogRatios(baseline, candidate);
  if (blocks.size() < kBlocksMin) return {};
  const uint64_t key = oracle::DeriveKey(seed, "paired bootstrap", 0);
  // Sorted once: a resample is how often each of them was drawn.
  std::vector<size_t> order(blocks.size()), rank(blocks.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return blocks[a] < blocks[b]; });
  for (size_t k = 0; k < order.size(); ++k) rank[order[k]] = k;
  std::sort(blocks.begin(), blocks.end());
  std::vector<double> means;
  std::vector<uint32_t> counts(blocks.size());
  means.reserve(kBootstrapResamples);
  const std::vector<uint64_t>& words = Words(key, kBootstrapResamples * blocks.size());
  for (uint64_t i = 0; i < kBootstrapResamples; ++i) {
    std::fill(counts.begin(), counts.end(), 0);
    for (size_t k = 0; k < blocks.size(); ++k)
      ++counts[rank[words[i * blocks.size() + k] % blocks.size()]];
    means.push_back(TrimmedMean(blocks, counts));
  }
  std::fill(counts.begin(), counts.end(), 1);
  return {std::exp(TrimmedMean(blocks, counts)), std::exp(Quantile(means, kLowTail)),
          std::exp(Quantile(means, kHighTail))};
}

std::string_view ToString(Stop stop) {
  switch (stop) {
    case Stop::kGoOn: return "going on";
    case Stop::kPrecise: return "precise";
    case Stop::kBlocksMax: return "blocks_max";
  }
  return "";
}

bool LooksAfter(const StopRule& rule, int blocks) {
  return blocks >= rule.blocks_max ||
         (blocks >= rule.blocks_min && (blocks - rule.blocks_min) % rule.look_every_blocks == 0);
}

Stop Decide(const StopRule& rule, const std::vector<double>& baseline,
            const std::vector<double>& candidate, uint64_t seed) {
  const auto blocks = static_cast<int>(std::min(baseline.size(), candidate.size()) / 2);
  if (blocks >= rule.blocks_max) return Stop::kBlocksMax;
  if (!LooksAfter(rule, blocks)) return Stop::kGoOn;
  const Ratio ratio = PairedRatio(baseline, candidate, seed);
  if (ratio.median <= 0) return Stop::kGoOn;
  const double half = (ratio.high - ratio.low) / 2 / ratio.median;
  return half <= rule.half_width ? Stop::kPrecise : Stop::kGoOn;
}

double NoiseFloor(const std::vector<Ratio>& of_equal_programs) {
  if (of_equal_programs.size() < 2) return kNoiseFloorMin;
  const auto count = static_cast<double>(of_equal_programs.size());
  double sum = 0, squares = 0;
  for (const Ratio& ratio : of_equal_programs) sum += std::log(ratio.median);
  const double mean = sum / count;
  for (const Ratio& ratio : of_equal_programs)
    squares += (std::log(ratio.median) - mean) * (std::log(ratio.median) - mean);
  const double deviation = std::sqrt(squares / (count - 1));
  return std::max(kNoiseFloorMin, std::abs(mean) + kNoiseDeviations * deviation);
}

}  // namespace runner::timing
