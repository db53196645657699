#include "runner/timing/paired.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "runner/oracle/philox.h"
#include "runner/timing/statistics.h"

namespace runner::timing {
namespace {

// Samples of `pairs` blocks A B B A: true times, a clock that drifts by `drift` over the run, and
// independent noise of relative size `noise`, sometimes a late outlier.
struct Samples {
  std::vector<double> baseline, candidate;
};
Samples Simulate(double baseline, double candidate, int blocks, double drift, double noise,
                 uint64_t seed) {
  const uint64_t key = oracle::DeriveKey(seed, "simulated samples", 0);
  uint64_t drawn = 0;
  const auto uniform = [&] {
    return std::ldexp(static_cast<double>(oracle::PhiloxWord(key, drawn++)), -64);
  };
  const auto sample = [&](double time, double at) {
    double sum = 0;
    for (int i = 0; i < 12; ++i) sum += uniform();  // nearly normal, variance 1
    const double outlier = uniform() < 0.02 ? 1.3 : 1;
    return time * (1 + drift * at) * (1 + noise * (sum - 6)) * outlier;
  };
  Samples out;
  for (int block = 0; block < blocks; ++block) {
    const double at = static_cast<double>(block) / blocks, step = 0.25 / blocks;
    out.candidate.push_back(sample(candidate, at));
    out.baseline.push_back(sample(baseline, at + step));
    out.baseline.push_back(sample(baseline, at + 2 * step));
    out.candidate.push_back(sample(candidate, at + 3 * step));
  }
  return out;
}

TEST(Paired, ABlockWithoutNoiseGivesTheExactRatio) {
  const std::vector<double> baseline(8, 20), candidate(8, 10);
  const Ratio ratio = PairedRatio(baseline, candidate, 1);
  EXPECT_NEAR(ratio.median, 2, 1e-12);
  EXPECT_NEAR(ratio.low, 2, 1e-12);
  EXPECT_NEAR(ratio.high, 2, 1e-12);
}

// The statistic as it is defined: each resample drawn, sorted and trimmed by itself.
Ratio Plainly(const std::vector<double>& baseline, const std::vector<double>& candidate,
              uint64_t seed) {
  const std::vector<double> blocks = BlockLogRatios(baseline, candidate);
  const auto trimmed = [](std::vector<double> values) {
    std::sort(values.begin(), values.end());
    double sum = 0;
    const size_t cut = values.size() / 5;
    for (size_t i = cut; i < values.size() - cut; ++i) sum += values[i];
    return sum / static_cast<double>(values.size() - 2 * cut);
  };
  const uint64_t key = oracle::DeriveKey(seed, "paired bootstrap", 0);
  std::vector<double> means, resample(blocks.size());
  for (uint64_t i = 0; i < 2000; ++i) {
    for (size_t k = 0; k < blocks.size(); ++k)
      resample[k] = blocks[oracle::PhiloxWord(key, i * blocks.size() + k) % blocks.size()];
    means.push_back(trimmed(resample));
  }
  return {std::exp(trimmed(blocks)), std::exp(Quantile(means, 0.025)),
          std::exp(Quantile(means, 0.975))};
}

TEST(Paired, TheIntervalIsThatOfTheDefinition) {
  for (const int blocks : {4, 7, 20, 40}) {
    const Samples run = Simulate(100, 98, blocks, 0.1, 0.01, static_cast<uint64_t>(blocks));
    const Ratio quick = PairedRatio(run.baseline, run.candidate, 5);
    const Ratio plain = Plainly(run.baseline, run.candidate, 5);
    EXPECT_EQ(quick.median, plain.median);
    EXPECT_EQ(quick.low, plain.low);
    EXPECT_EQ(quick.high, plain.high);
  }
}

TEST(Paired, TooFewBlocksAndOddSamplesGiveNothing) {
  EXPECT_EQ(PairedRatio({1, 1, 1, 1, 1, 1, 1}, {1, 1, 1, 1, 1, 1, 1}, 1).median, 0);
  EXPECT_EQ(BlockLogRatios({1, 1, 5}, {1, 1, 5}).size(), 1U);
}

TEST(Paired, ADriftThatMediansKeepCancelsInsideABlock) {
  const Samples run = Simulate(100, 100, 20, 0.3, 0, 3);
  const Ratio paired = PairedRatio(run.baseline, run.candidate, 1);
  const Summary baseline = Summarise(run.baseline);
  EXPECT_LT(paired.high - paired.low, 0.02);
  EXPECT_GT(baseline.high_quartile / baseline.low_quartile, 1.1);
}

TEST(Paired, IsAFunctionOfItsSeed) {
  const Samples run = Simulate(100, 98, 20, 0, 0.01, 5);
  EXPECT_EQ(PairedRatio(run.baseline, run.candidate, 7).low,
            PairedRatio(run.baseline, run.candidate, 7).low);
}

// The whole procedure, looks included: what is promoted of equal programs, and of one 2% faster.
int Promoted(double gain, double noise, int tries, int blocks_max, double floor) {
  const StopRule rule{.blocks_max = blocks_max};
  int promoted = 0;
  for (int i = 0; i < tries; ++i) {
    const Samples all = Simulate(100, 100 / (1 + gain), blocks_max, 0.05, noise,
                                 static_cast<uint64_t>(i) * 7919 + 11);
    Samples seen;
    do {
      for (int k = 0; k < 2; ++k) {
        seen.baseline.push_back(all.baseline[seen.baseline.size()]);
        seen.candidate.push_back(all.candidate[seen.candidate.size()]);
      }
    } while (Decide(rule, seen.baseline, seen.candidate, 1) == Stop::kGoOn);
    promoted += PairedRatio(seen.baseline, seen.candidate, 1).low > 1 + floor;
  }
  return promoted;
}

TEST(Stopping, EqualProgramsAreNotPromotedAndTwoPercentAre) {
  EXPECT_EQ(Promoted(0, 0.003, 50, 40, 0.004), 0);
  EXPECT_EQ(Promoted(0, 0.01, 50, 40, 0.004), 0);
  EXPECT_GE(Promoted(0.02, 0.003, 50, 40, 0.004), 48);
  EXPECT_GE(Promoted(0.02, 0.01, 50, 40, 0.004), 48);
}

TEST(Stopping, ASteadyRunStopsAtTheFirstLookAndANoisyOneAtTheLimit) {
  const StopRule rule;
  const Samples steady = Simulate(100, 90, 20, 0, 0.001, 2),
                noisy = Simulate(100, 90, 40, 0, 0.2, 1);
  EXPECT_EQ(Decide(rule, steady.baseline, steady.candidate, 1), Stop::kPrecise);
  EXPECT_EQ(Decide(rule, noisy.baseline, noisy.candidate, 1), Stop::kBlocksMax);
  EXPECT_EQ(Decide({.blocks_min = 21}, steady.baseline, steady.candidate, 1), Stop::kGoOn);
}

TEST(NoiseFloor, IsTheMeanAndThreeDeviationsAndNeverNothing) {
  EXPECT_EQ(NoiseFloor({}), kNoiseFloorMin);
  EXPECT_EQ(NoiseFloor({{1.5, 1.5, 1.5}}), kNoiseFloorMin) << "one comparison has no deviation";
  EXPECT_EQ(NoiseFloor({{1, 1, 1}, {1.0001, 1, 1}}), kNoiseFloorMin);
  const double e = std::exp(0.01);
  EXPECT_NEAR(NoiseFloor({{e, 1, 1}, {1 / e, 1, 1}}), 3 * 0.01 * std::sqrt(2), 1e-12);
  EXPECT_NEAR(NoiseFloor({{1 / e, 1, 1}, {1 / e, 1, 1}, {1 / e, 1, 1}}), 0.01, 1e-12);
}

}  // namespace
}  // namespace runner::timing
