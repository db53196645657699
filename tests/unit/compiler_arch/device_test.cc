#include "compiler/arch/device.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace compiler::arch {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

TEST(Device, KnownListsEveryFileInOrder) {
  EXPECT_THAT(Known(),
              ElementsAre("sm_80", "sm_86", "sm_89", "sm_90a", "sm_100a", "sm_103a", "sm_120a"));
}

TEST(Device, HopperLimits) {
  const auto device = Find("sm_90a");
  ASSERT_TRUE(device.ok()) << device.status();
  const Device& d = **device;
  EXPECT_EQ(d.compute_capability, 90);
  EXPECT_EQ(d.part, "H200 SXM");
  EXPECT_EQ(d.shared_bytes_per_block_optin, 232448);
  EXPECT_EQ(d.shared_bytes_per_sm, 228 * 1024);
  EXPECT_EQ(d.named_barriers, 16);
  EXPECT_EQ(d.vector_bytes_global, 16);
  EXPECT_EQ(d.sm_count, 132);
  EXPECT_DOUBLE_EQ(d.hbm_gb_per_s, 4300);
  EXPECT_THAT(d.features, Contains("wgmma"));
  EXPECT_THAT(d.features, Not(Contains("tcgen05")));
}

// A CTA with all the shared memory it may have, plus what the system reserves, is what one SM has.
TEST(Device, LargestBlockFillsOneSm) {
  for (const std::string_view arch : Known()) {
    const Device& d = **Find(arch);
    EXPECT_LE(d.shared_bytes_per_block_optin + d.reserved_shared_bytes_per_block,
              d.shared_bytes_per_sm)
        << arch;
    EXPECT_EQ(d.max_warps_per_sm * 32, d.max_threads_per_sm) << arch;
    EXPECT_GT(d.sm_count, 0) << arch;
    EXPECT_GT(d.hbm_gb_per_s, 0) << arch;
  }
}

TEST(Device, UnknownArchListsTheKnownOnes) {
  const auto device = Find("sm_75");
  EXPECT_EQ(device.status().code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(device.status().message()),
              HasSubstr("sm_75; known: sm_80, sm_86, sm_89, sm_90a"));
}

TEST(Device, PlainTargetsAreMinimaAndArchitectureSpecificOnesExact) {
  EXPECT_TRUE(Admits("sm_80", "sm_80"));
  EXPECT_TRUE(Admits("sm_80", "sm_90a"));
  EXPECT_TRUE(Admits("sm_90", "sm_120a"));
  EXPECT_FALSE(Admits("sm_89", "sm_86"));
  EXPECT_TRUE(Admits("sm_90a", "sm_90a"));
  EXPECT_FALSE(Admits("sm_90a", "sm_100a"));
  EXPECT_FALSE(Admits("sm_90a", "sm_90"));
  EXPECT_FALSE(Admits("90a", "sm_90a"));
  EXPECT_FALSE(Admits("sm_90x", "sm_90a"));
  EXPECT_FALSE(Admits("sm_", "sm_90a"));
}

TEST(Device, LimitsOfPlainTargets) {
  EXPECT_EQ((*DeviceOfTarget("sm_90"))->arch, "sm_90a");
  EXPECT_EQ((*DeviceOfTarget("sm_80"))->arch, "sm_80");
  EXPECT_FALSE(DeviceOfTarget("sm_101a").ok());
  EXPECT_FALSE(DeviceOfTarget("sm_75").ok());
}

}  // namespace
}  // namespace compiler::arch
