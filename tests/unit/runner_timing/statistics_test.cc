#include "runner/timing/statistics.h"

#include <gtest/gtest.h>

#include <cmath>

namespace runner::timing {
namespace {

TEST(Quantile, InterpolatesBetweenOrderStatistics) {
  EXPECT_EQ(Quantile({3, 1, 2}, 0.5), 2);
  EXPECT_EQ(Quantile({4, 1, 2, 3}, 0.5), 2.5);
  EXPECT_EQ(Quantile({1, 2, 3, 4, 5}, 0.25), 2);
  EXPECT_EQ(Quantile({7}, 0.9), 7);
  EXPECT_TRUE(std::isnan(Quantile({}, 0.5)));
}

TEST(Bootstrap, EqualSamplesGiveAnExactRatio) {
  const Ratio ratio = BootstrapRatio({20, 20, 20, 20}, {10, 10, 10, 10}, 1);
  EXPECT_EQ(ratio.median, 2);
  EXPECT_EQ(ratio.low, 2);
  EXPECT_EQ(ratio.high, 2);
}

TEST(Bootstrap, IntervalHoldsTheMedianAndGrowsWithTheNoise) {
  std::vector<double> quiet, noisy;
  for (int i = 0; i < 32; ++i) {
    quiet.push_back(100 + i % 3);
    noisy.push_back(100 + 17 * (i % 5));
  }
  const Ratio narrow = BootstrapRatio(quiet, quiet, 7), wide = BootstrapRatio(noisy, quiet, 7);
  for (const Ratio& r : {narrow, wide}) {
    EXPECT_LE(r.low, r.median);
    EXPECT_GE(r.high, r.median);
  }
  EXPECT_GT(wide.high - wide.low, narrow.high - narrow.low);
  // A function of its seed: the figure can be recomputed from the samples.
  EXPECT_EQ(BootstrapRatio(noisy, quiet, 7).low, wide.low);
}

TEST(Bootstrap, TooFewSamplesGiveNoRatio) {
  EXPECT_EQ(BootstrapRatio({1, 2, 3}, {1, 2, 3, 4}, 1).median, 0);
}

TEST(SpeedOfLight, OutputsThatFitTheL2NeedNotReachMemory) {
  EXPECT_EQ(SpeedOfLightNs(4800, 0, 0, 4800), 1);
  EXPECT_EQ(SpeedOfLightNs(4800, 4800, 9600, 4800), 1);
  EXPECT_EQ(SpeedOfLightNs(4800, 14400, 9600, 4800), 2);
  EXPECT_EQ(SpeedOfLightNs(4800, 4800, 0, 0), 0);
}

}  // namespace
}  // namespace runner::timing
