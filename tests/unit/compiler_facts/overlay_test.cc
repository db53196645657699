// Where buffers lie that share bytes.
#include "compiler/facts/overlay.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace compiler::facts {
namespace {

using testing::ElementsAre;

// Rows of bytes, at multiples of 16.
SharedPlacement Bytes(const ir::SharedBuffer& buffer, int64_t stages, int64_t begin) {
  SharedPlacement place;
  place.offset_bytes = (begin + 15) / 16 * 16;
  place.stage_bytes = stages > 1 ? (buffer.shape[0] + 15) / 16 * 16 : buffer.shape[0];
  place.total_bytes = place.stage_bytes * (stages - 1) + buffer.shape[0];
  return place;
}

ir::SharedBuffer Buffer(int64_t bytes, std::vector<ir::Alternative> alternatives = {},
                        int32_t group = -1, int64_t stages = 1) {
  return {.dtype = ir::DType::kU8,
          .shape = {bytes},
          .stages = stages,
          .group = group,
          .alternatives = std::move(alternatives)};
}

struct Placed {
  std::vector<int64_t> offsets, distances;
  int64_t end = 0;
};

Placed Place(const std::vector<ir::SharedBuffer>& buffers) {
  Placed placed;
  const LayoutOne layout = [&](size_t buffer, int64_t stages, int64_t begin) {
    return Bytes(buffers[buffer], stages, begin);
  };
  for (const SharedPlacement& place : PlaceOverlaid(buffers, layout, &placed.end)) {
    placed.offsets.push_back(place.offset_bytes);
    placed.distances.push_back(place.stage_bytes);
  }
  return placed;
}

TEST(Overlay, WithoutAlternativesBuffersFollowEachOther) {
  const Placed placed = Place({Buffer(10), Buffer(20, {}, 0, 3), Buffer(5, {}, 0, 3)});
  EXPECT_THAT(placed.offsets, ElementsAre(0, 16, 112));
  EXPECT_THAT(placed.distances, ElementsAre(10, 32, 16));
  EXPECT_EQ(placed.end, 112 + 2 * 16 + 5);
}

TEST(Overlay, AlternativesBeginTogetherAndTheLargestCounts) {
  // a; either { b; c } or { d }; e
  const Placed placed = Place(
      {Buffer(8), Buffer(20, {{0, 0}}), Buffer(30, {{0, 0}}), Buffer(40, {{0, 1}}), Buffer(4)});
  EXPECT_THAT(placed.offsets, ElementsAre(0, 16, 48, 16, 80));
}

TEST(Overlay, AlternativesNest) {
  // either { either { a } or { b }; c } or { d }
  const Placed placed = Place({Buffer(16, {{0, 0}, {1, 0}}), Buffer(48, {{0, 0}, {1, 1}}),
                               Buffer(16, {{0, 0}}), Buffer(100, {{0, 1}})});
  EXPECT_THAT(placed.offsets, ElementsAre(0, 0, 48, 0));
  EXPECT_EQ(placed.end, 100);
}

TEST(Overlay, SlotsOfAGroupWithAlternativesFollowEachOther) {
  // smem s[3] { v; either { q } or { k; l } }, then a buffer of its own.
  const Placed placed = Place({Buffer(16, {}, 0, 3), Buffer(40, {{0, 0}}, 0, 3),
                               Buffer(16, {{0, 1}}, 0, 3), Buffer(16, {{0, 1}}, 0, 3), Buffer(8)});
  EXPECT_THAT(placed.offsets, ElementsAre(0, 16, 16, 32, 192));
  EXPECT_THAT(placed.distances, ElementsAre(64, 64, 64, 64, 8));
}

TEST(Overlay, AGroupInsideOneBranchStaysFieldAfterField) {
  // either { smem s[2] { a; b } } or { c }
  const Placed placed =
      Place({Buffer(16, {{0, 0}}, 0, 2), Buffer(16, {{0, 0}}, 0, 2), Buffer(100, {{0, 1}})});
  EXPECT_THAT(placed.offsets, ElementsAre(0, 32, 0));
  EXPECT_THAT(placed.distances, ElementsAre(16, 16, 100));
}

TEST(Overlay, HugeSlotsDoNotOverflow) {
  const int64_t stages = int64_t{1} << 62;
  std::vector<ir::SharedBuffer> buffers;
  for (int32_t group = 0; group < 40; ++group) {
    buffers.push_back(Buffer(64, {{group, 0}}, group, stages));
    buffers.push_back(Buffer(64, {{group, 1}}, group, stages));
  }
  int64_t end = 0;
  PlaceOverlaid(
      buffers,
      [&](size_t buffer, int64_t, int64_t begin) { return Bytes(buffers[buffer], 1, begin); },
      &end);
  EXPECT_EQ(end, int64_t{1} << 50);
}

TEST(Overlay, ExclusiveAreDifferentBranchesOfOneEither) {
  const ir::SharedBuffer a = Buffer(1, {{0, 0}}), b = Buffer(1, {{0, 1}}), c = Buffer(1),
                         d = Buffer(1, {{1, 1}}), e = Buffer(1, {{0, 1}, {2, 0}});
  EXPECT_TRUE(Exclusive(a, b));
  EXPECT_TRUE(Exclusive(a, e));
  EXPECT_FALSE(Exclusive(b, e));
  EXPECT_FALSE(Exclusive(a, c));
  EXPECT_FALSE(Exclusive(a, d));
  EXPECT_FALSE(Exclusive(a, a));
}

}  // namespace
}  // namespace compiler::facts
