#include "server/state/features.h"

#include "gtest/gtest.h"

namespace server::state {
namespace {

std::string Built(const std::string& more) {
  return R"({"roles":2,"ring":3,"form":"mma","tile":16384,"persistent":false,"split":false,)"
         R"("cluster":1,"warps":8,"access":8,"shared":65536,"params":{"BM":128})" + more + "}";
}

TEST(Features, TheCellHasTheSixWordsOfTheRule) {
  EXPECT_EQ(FeaturesFromJson(Built("")).cell, "roles 2, ring 2-3, mma, tile 4^7, tiles, cluster 1");
  EXPECT_EQ(FormOfCell(FeaturesFromJson(Built("")).cell), "mma");
  EXPECT_EQ(FeaturesFromJson(R"({"roles":5,"ring":8,"form":"wgmma","tile":1,"persistent":true,
                                 "cluster":2})")
                .cell,
            "roles 3+, ring 8+, wgmma, tile 4^0, persistent, cluster 2");
  EXPECT_EQ(FeaturesFromJson(R"({"split":true,"persistent":true,"ring":4})").cell,
            "roles 1, ring 4-7, none, tile 4^0, split, cluster 1");
}

TEST(Features, WhatNobodyShouldSendIsHarmless) {
  EXPECT_EQ(FeaturesFromJson("").cell, "");
  EXPECT_EQ(FeaturesFromJson("[1]").cell, "");
  const Features odd = FeaturesFromJson(
      R"({"roles":"x","ring":-4,"form":7,"tile":1e300,"split":"yes","params":{"a":"b"}})");
  EXPECT_EQ(odd.cell, "roles 1, ring 1, none, tile 4^14, tiles, cluster 1");
  EXPECT_EQ(FormOfCell("no cell"), "");
}

TEST(Features, DistanceGrowsWithWhatDiffers) {
  const Features a = FeaturesFromJson(Built(""));
  EXPECT_EQ(Distance(a, a), 0);
  const Features param = FeaturesFromJson(Built(R"(,"params":{"BM":64})"));
  const Features form = FeaturesFromJson(Built(R"(,"form":"wgmma")"));
  EXPECT_GT(Distance(a, param), 0);
  EXPECT_GT(Distance(a, form), Distance(a, param)) << "another form is further than another tile";
  EXPECT_EQ(Distance(a, Features{}), 0);
}

}  // namespace
}  // namespace server::state
