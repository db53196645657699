#include "runner/oracle/indices.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <set>

namespace runner::oracle {
namespace {

std::vector<int32_t> Fill(contract::Generator generator, int64_t count, int64_t range,
                          uint64_t key) {
  const contract::Tensor tensor{.name = "t", .dtype = compiler::ir::DType::kI32};
  const contract::CaseTensor at{
      .tensor = &tensor, .shape = {count}, .strides = {1}, .elements = count, .bytes = 4 * count};
  std::vector<int32_t> values(static_cast<size_t>(count));
  const auto status =
      FillIndices(at, generator, range, key, std::as_writable_bytes(std::span(values)));
  EXPECT_TRUE(status.ok()) << status;
  return values;
}

TEST(Indices, PermutedIsAPermutationOfEveryRange) {
  for (const int64_t range : {1, 2, 3, 5, 16, 17, 1000}) {
    std::set<int64_t> seen;
    for (int64_t i = 0; i < range; ++i) seen.insert(Permuted(i, range, 9));
    EXPECT_EQ(static_cast<int64_t>(seen.size()), range);
    EXPECT_EQ(*seen.begin(), 0);
    EXPECT_EQ(*seen.rbegin(), range - 1);
  }
}

TEST(Indices, DistinctWithHoles) {
  const auto values = Fill({.dist = contract::Dist::kDistinct, .first = 0.25}, 2000, 2100, 5);
  std::multiset<int32_t> seen(values.begin(), values.end());
  EXPECT_NEAR(static_cast<double>(seen.count(-1)), 500, 100);
  seen.erase(-1);
  EXPECT_EQ(std::set<int32_t>(seen.begin(), seen.end()).size(), seen.size());
  EXPECT_LT(*seen.rbegin(), 2100);
  EXPECT_NE(values, Fill({.dist = contract::Dist::kDistinct, .first = 0.25}, 2000, 2100, 6));
}

TEST(Indices, OffsetsAscendFromZeroToTheRange) {
  const auto values = Fill({.dist = contract::Dist::kOffsets, .first = 0.5}, 400, 5000, 5);
  EXPECT_EQ(values.front(), 0);
  EXPECT_EQ(values.back(), 5000);
  EXPECT_TRUE(std::is_sorted(values.begin(), values.end()));
  EXPECT_LT(std::set<int32_t>(values.begin(), values.end()).size(), 250U);  // empty steps
}

TEST(Indices, BelowStaysBelow) {
  const auto values = Fill({.dist = contract::Dist::kBelow}, 1000, 7, 5);
  EXPECT_EQ(std::set<int32_t>(values.begin(), values.end()),
            (std::set<int32_t>{0, 1, 2, 3, 4, 5, 6}));
}

TEST(Indices, TooSmallARangeIsAnError) {
  const contract::Tensor tensor{.name = "t", .dtype = compiler::ir::DType::kI32};
  const contract::CaseTensor at{
      .tensor = &tensor, .shape = {3}, .strides = {1}, .elements = 3, .bytes = 12};
  std::byte memory[12];
  EXPECT_FALSE(FillIndices(at, {.dist = contract::Dist::kDistinct}, 2, 1, memory).ok());
  EXPECT_FALSE(FillIndices(at, {.dist = contract::Dist::kBelow}, 0, 1, memory).ok());
  EXPECT_TRUE(FillIndices(at, {.dist = contract::Dist::kOffsets}, 0, 1, memory).ok());
}

}  // namespace
}  // namespace runner::oracle
