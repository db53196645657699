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

TEST(SpeedOfLight, OutputsThatFitTheL2NeedNotReachMemory) {
  EXPECT_EQ(SpeedOfLightNs(4800, 0, 0, 4800), 1);
  EXPECT_EQ(SpeedOfLightNs(4800, 4800, 9600, 4800), 1);
  EXPECT_EQ(SpeedOfLightNs(4800, 14400, 9600, 4800), 2);
  EXPECT_EQ(SpeedOfLightNs(4800, 4800, 0, 0), 0);
}

}  // namespace
}  // namespace runner::timing
