#include "gtest/gtest.h"
#include "server/loop/plan.h"

namespace server::loop {
namespace {

std::vector<std::string> Cells(size_t count, int kinds) {
  std::vector<std::string> cells;
  for (size_t i = 0; i < count; ++i)
    cells.push_back(std::to_string(i % static_cast<size_t>(kinds)));
  return cells;
}

// The window is 32 evaluations here: 20% of 100 is less.
TEST(Plateau, DetectedAtTheFirstPointWithoutGrowthOverAWindow) {
  std::vector<double> curve(40, 1.0);
  for (size_t i = 40; i < 120; ++i) curve.push_back(1.5);
  // b(x - 32) is 1.0 up to x = 72; the first x with b(x) / b(x - 32) < 1.01 and x >= 64 is 73 ..
  const auto found = FindPlateau(curve, Cells(curve.size(), 5), 100, 0);
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->detected_at, 73);
  EXPECT_EQ(found->point, 41);  // .. and the last gain before was at 41
}

TEST(Plateau, NotBeforeTwoWindows) {
  const std::vector<double> flat(63, 1.0);
  EXPECT_FALSE(FindPlateau(flat, Cells(63, 5), 0, 0).has_value());
  const std::vector<double> longer(64, 1.0);
  ASSERT_TRUE(FindPlateau(longer, Cells(64, 5), 0, 0).has_value());
  EXPECT_EQ(FindPlateau(longer, Cells(64, 5), 0, 0)->detected_at, 64);
}

TEST(Plateau, NeedsAConfirmedBestAWindowAgo) {
  std::vector<double> curve(100, 0.0);
  EXPECT_FALSE(FindPlateau(curve, Cells(100, 5), 0, 0).has_value());
}

TEST(Plateau, NeedsThreeCellsInTheWindow) {
  const std::vector<double> flat(100, 1.0);
  EXPECT_FALSE(FindPlateau(flat, Cells(100, 2), 0, 0).has_value());
  EXPECT_TRUE(FindPlateau(flat, Cells(100, 3), 0, 0).has_value());
}

TEST(Plateau, NoiseRaisesTheBarAndABudgetWidensTheWindow) {
  std::vector<double> curve;
  for (int i = 0; i < 200; ++i) curve.push_back(1.0 + 0.001 * i);  // 3% a window of 32
  EXPECT_FALSE(FindPlateau(curve, Cells(200, 5), 0, 0).has_value());
  EXPECT_TRUE(FindPlateau(curve, Cells(200, 5), 0, 0.03).has_value());
  const std::vector<double> flat(200, 1.0);
  EXPECT_EQ(FindPlateau(flat, Cells(200, 5), 400, 0)->detected_at, 160);  // W = 80
}

// On the axis of tokens the curve is sampled every 40th of the budget.
TEST(Plateau, IsFoundOnTheAxisOfTokensToo) {
  std::vector<double> curve;
  std::vector<std::string> cells;
  std::vector<int64_t> tokens;
  for (int64_t i = 0; i < 80; ++i) {
    curve.push_back(i < 10 ? 1.0 + 0.02 * static_cast<double>(i) : 1.2);
    cells.push_back(std::string(1, static_cast<char>('a' + i % 4)));
    tokens.push_back(500 * (i + 1));  // two evaluations a sample of 1000
  }
  // No gain after 5,500 tokens; a window is a fifth of the budget: 8,000.
  const auto found = FindTokenPlateau(curve, cells, tokens, 40000, 0);
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->detected_at, 16000);
  EXPECT_EQ(found->point, 6000);
  EXPECT_FALSE(FindTokenPlateau(curve, cells, tokens, 20, 0).has_value());
  const std::vector<std::string> one(80, "a");
  EXPECT_FALSE(FindTokenPlateau(curve, one, tokens, 40000, 0).has_value());
}

}  // namespace
}  // namespace server::loop
