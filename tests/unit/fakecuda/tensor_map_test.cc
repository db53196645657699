// The conditions of cuTensorMapEncodeTiled, one broken at a time.
#include "tests/fakecuda/tensor_map.h"

#include <gtest/gtest.h>

#include <functional>

namespace fakecuda {
namespace {

using namespace runner::cuda;

// A map of f32[100, 64] in boxes of 16 x 32, swizzled.
struct Map {
  uint64_t extents[5] = {64, 100, 1, 1, 1}, stride_bytes[4] = {256, 25600, 25600, 25600};
  unsigned box[5] = {32, 16, 1, 1, 1}, element_strides[5] = {1, 1, 1, 1, 1};
  TensorMapRequest request{.type = kTensorMapFloat32,
                           .rank = 2,
                           .address = 0x10000,
                           .extents = extents,
                           .stride_bytes = stride_bytes,
                           .box = box,
                           .element_strides = element_strides,
                           .interleave = kTensorMapInterleaveNone,
                           .swizzle = kTensorMapSwizzle128,
                           .l2_promotion = kTensorMapPromotion128,
                           .fill = kTensorMapFillZero};
  CUtensorMap made{};
  CUresult Encode() { return EncodeTensorMap(request, &made); }
};

TEST(TensorMap, IsOfItsAddress) {
  Map map;
  ASSERT_EQ(map.Encode(), kSuccess);
  EXPECT_TRUE(IsTensorMapOf(map.made, 0x10000));
  EXPECT_FALSE(IsTensorMapOf(map.made, 0x20000));
  EXPECT_FALSE(IsTensorMapOf(CUtensorMap{}, 0x10000));
}

TEST(TensorMap, UpToFiveDimensions) {
  for (unsigned rank = 1; rank <= 5; ++rank) {
    Map map;
    map.request.rank = rank;
    EXPECT_EQ(map.Encode(), kSuccess) << rank;
  }
}

TEST(TensorMap, EachConditionIsChecked) {
  const std::function<void(Map&)> breaks[] = {
      [](Map& m) { m.request.rank = 0; },
      [](Map& m) { m.request.rank = 6; },
      [](Map& m) { m.request.address = 0; },
      [](Map& m) { m.request.address += 8; },
      [](Map& m) { m.extents[1] = 0; },
      [](Map& m) { m.extents[0] = (uint64_t{1} << 32) + 1; },
      [](Map& m) { m.stride_bytes[0] = 264; },
      [](Map& m) { m.stride_bytes[0] = uint64_t{1} << 40; },
      [](Map& m) { m.box[1] = 257; },
      [](Map& m) { m.box[1] = 0; },
      [](Map& m) { m.box[0] = 2; },   // 8 bytes
      [](Map& m) { m.box[0] = 64; },  // wider than the swizzle
      [](Map& m) { m.element_strides[1] = 9; },
      [](Map& m) { m.request.interleave = 1; },
      [](Map& m) { m.request.swizzle = 7; },
      [](Map& m) { m.request.l2_promotion = 4; },
      [](Map& m) { m.request.fill = 1; }};
  int number = 0;
  for (const auto& broken : breaks) {
    Map map;
    broken(map);
    EXPECT_EQ(map.Encode(), kErrorInvalidValue) << number;
    EXPECT_EQ(map.made.opaque[0], 0u) << number;
    ++number;
  }
}

}  // namespace
}  // namespace fakecuda
