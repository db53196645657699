// What a device's noise passport does to verdicts.
#include <cmath>

#include "tests/unit/server_core/world.h"

namespace server::testing {
namespace {

using store::Verdict;

core::RegisterRequest GpuOf(World& world, std::map<std::string, double> noise) {
  core::RegisterRequest request;
  request.meta = world.NewMeta();
  request.name = "gpu";
  request.uuid = "GPU-1";
  request.arch = "sm_90a";
  request.simulated = false;
  request.incarnation = 1;
  request.capabilities = {"run:sm_90a"};
  request.noise = std::move(noise);
  return request;
}

// What a run's first evaluation, of 5 us and this lower end of its ratio, comes to on a device of
// this noise.
Verdict FirstVerdict(double ratio_low, std::map<std::string, double> noise) {
  World world;
  EXPECT_TRUE(world.core->Register(GpuOf(world, std::move(noise))).ok());
  world.Submit("name=x");
  world.Settle();
  const auto grant = world.Acquire("gpu");
  EXPECT_TRUE(grant.has_value());
  auto request = world.Result(*grant, Verdict::kCorrect, "gpu");
  request.time_ns = 5000;
  request.ratio_low = ratio_low, request.ratio_med = ratio_low * 1.01;
  request.ratio_high = ratio_low * 1.02;
  auto reply = world.core->Complete(request);
  EXPECT_TRUE(reply.ok()) << reply.status();
  return reply->verdict;
}

TEST(Noise, AGainInsideTheNoiseOfItsClassOfKernelIsNone) {
  EXPECT_EQ(FirstVerdict(1.02, {}), Verdict::kImproved);
  EXPECT_EQ(FirstVerdict(1.02, {{"under_10us", 0.03}, {"over_100us", 0.001}}), Verdict::kCorrect);
  EXPECT_EQ(FirstVerdict(1.02, {{"under_10us", 0.01}, {"over_100us", 0.03}}), Verdict::kImproved);
  // A class that was not measured has the largest noise that was.
  EXPECT_EQ(FirstVerdict(1.02, {{"over_100us", 0.03}}), Verdict::kCorrect);
}

TEST(Noise, ANewPassportReplacesTheOldOne) {
  World world;
  ASSERT_TRUE(world.core->Register(GpuOf(world, {{"under_10us", 0.03}})).ok());
  ASSERT_TRUE(world.core->Register(GpuOf(world, {{"under_10us", 0.01}})).ok());
  ASSERT_TRUE(world.core->Register(GpuOf(world, {})).ok());  // not measured again
  EXPECT_EQ(world.state().devices.begin()->second.NoiseFloor("under_10us"), 0.01);
}

TEST(Noise, AFloorThatIsNoneIsRefused) {
  World world;
  for (const auto& [name, floor] : std::map<std::string, double>{
           {"under_10us", -0.1}, {"under_100us", 1.5}, {"over_100us", NAN}, {"fast", 0.1}}) {
    EXPECT_EQ(world.core->Register(GpuOf(world, {{name, floor}})).status().code(),
              absl::StatusCode::kInvalidArgument)
        << name;
  }
}

TEST(Noise, APassportLiftsNoQuarantine) {
  World world;
  ASSERT_TRUE(world.core->Register(GpuOf(world, {})).ok());
  core::ReportRequest ill{.worker = "gpu", .incarnation = 1};
  ill.healthy = false, ill.unhealthy_reason = "too hot";
  world.core->Report(ill, [](auto) {});
  world.Settle();
  ASSERT_EQ(world.state().devices.begin()->second.state, "QUARANTINED");
  const std::string reason = world.state().devices.begin()->second.reason;
  // The same process, which has only lost its connection.
  ASSERT_TRUE(world.core->Register(GpuOf(world, {{"under_10us", 0.01}})).ok());
  const state::Device& device = world.state().devices.begin()->second;
  EXPECT_EQ(device.state, "QUARANTINED");
  EXPECT_EQ(device.reason, reason);
  EXPECT_EQ(device.NoiseFloor("under_10us"), 0.01);
}

}  // namespace
}  // namespace server::testing
