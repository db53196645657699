// What a device's noise passport does to verdicts.
#include <cmath>
#include <nlohmann/json.hpp>

#include "server/core/job_spec.h"
#include "tests/unit/server_core/world.h"

namespace server::testing {
namespace {

using store::Verdict;

core::RegisterRequest GpuOf(World& world, std::map<std::string, double> noise) {
  core::RegisterRequest request = world.Gpu();
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

// A search is timed against the best so far in the same blocks, and that comparison decides: its
// ratio to the baseline may come out lower than the best one's did in another session.
TEST(Incumbent, TheBestOfTheSameBlocksDecides) {
  World world;
  ASSERT_TRUE(world.core->Register(GpuOf(world, {{"under_10us", 0.01}})).ok());
  const auto judge = [&](const std::string& source, double ratio, double against_best,
                         const std::string& best) {
    world.Submit(source);
    world.Settle();
    const auto grant = world.Acquire("gpu");
    EXPECT_TRUE(grant.has_value());
    const auto spec = nlohmann::json::parse(grant->spec_json);
    EXPECT_EQ(spec.value("incumbent_id", ""), best) << source;
    EXPECT_EQ(spec.contains("incumbent"), !best.empty());
    auto request = world.Result(*grant, Verdict::kCorrect, "gpu");
    request.time_ns = 5000;
    request.ratio_low = ratio, request.ratio_med = ratio, request.ratio_high = ratio;
    request.incumbent_id = best;
    request.incumbent_ratio_low = against_best;
    auto reply = world.core->Complete(request);
    EXPECT_TRUE(reply.ok()) << reply.status();
    world.Settle();
    if (reply->verdict == Verdict::kImproved) {
      const auto lease = world.Acquire("gpu");  // its confirmation comes first
      if (lease) {
        EXPECT_FALSE(nlohmann::json::parse(lease->spec_json).contains("incumbent"));
        EXPECT_TRUE(world.core->Complete(world.Result(*lease, Verdict::kCorrect, "gpu")).ok());
      }
    }
    return reply->verdict;
  };
  EXPECT_EQ(judge("name=x", 1.2, 0, ""), Verdict::kImproved);
  const state::Run& run = world.state().runs.begin()->second;
  ASSERT_TRUE(run.best.has_value());
  EXPECT_EQ(run.best->score, 1.2);
  const std::string first = absl::StrCat("v-", run.best->variant);
  EXPECT_EQ(judge("name=y", 1.3, 1.005, first), Verdict::kCorrect) << "inside the noise";
  EXPECT_EQ(judge("name=z", 1.1, 1.05, first), Verdict::kImproved);
  EXPECT_DOUBLE_EQ(run.best->score, 1.2 * 1.05);
  EXPECT_NE(absl::StrCat("v-", run.best->variant), first);
  // A session that shows the baseline in a lucky light adds nothing to what decided.
  const std::string second = absl::StrCat("v-", run.best->variant);
  EXPECT_EQ(judge("name=u", 1.9, 1.05, second), Verdict::kImproved);
  EXPECT_DOUBLE_EQ(run.best->score, 1.2 * 1.05 * 1.05);
}

TEST(Incumbent, WhatIsNoNumberIsNoResult) {
  World world;
  ASSERT_TRUE(world.core->Register(GpuOf(world, {{"under_10us", 0.01}})).ok());
  world.Submit("name=x");
  world.Settle();
  const auto grant = world.Acquire("gpu");
  ASSERT_TRUE(grant.has_value());
  auto request = world.Result(*grant, Verdict::kCorrect, "gpu");
  request.time_ns = 5000;
  for (double core::CompleteRequest::*field :
       {&core::CompleteRequest::ratio_med, &core::CompleteRequest::ratio_low,
        &core::CompleteRequest::ratio_high, &core::CompleteRequest::time_ns,
        &core::CompleteRequest::incumbent_ratio_low}) {
    for (const double value : {std::nan(""), HUGE_VAL, -1.0}) {
      auto wrong = request;
      wrong.*field = value;
      EXPECT_EQ(world.core->Complete(wrong).status().code(), absl::StatusCode::kInvalidArgument);
    }
  }
  EXPECT_TRUE(world.core->Complete(request).ok());
}

// Searches decided one after the other get the same inputs, which a worker then has made; what is
// confirmed gets inputs that no search had.
TEST(Seeds, SearchesShareTheirInputsAndConfirmationsHaveTheirOwn) {
  World world;
  ASSERT_TRUE(world.core->Register(GpuOf(world, {{"under_10us", 0.01}})).ok());
  const auto judge = [&](double ratio) {
    world.Settle();
    const auto grant = world.Acquire("gpu");
    EXPECT_TRUE(grant.has_value());
    const auto spec = nlohmann::json::parse(grant->spec_json);
    auto request = world.Result(*grant, Verdict::kCorrect, "gpu");
    request.time_ns = 5000;
    request.ratio_low = ratio, request.ratio_med = ratio, request.ratio_high = ratio;
    EXPECT_TRUE(world.core->Complete(request).ok());
    return std::pair<std::string, std::string>(spec.at("purpose"), spec.at("seed"));
  };
  world.Submit("name=x");
  const auto first = judge(0.5);
  world.Submit("name=y");
  const auto second = judge(2.0);
  const auto confirmed = judge(2.0);
  EXPECT_EQ(first.first, "PURPOSE_SEARCH");
  EXPECT_EQ(second, first);
  EXPECT_EQ(confirmed.first, "PURPOSE_CONFIRM");
  EXPECT_NE(confirmed.second, first.second);
}

// The arms of one repeat begin with one seed: a worker that serves both makes their inputs once.
TEST(Seeds, ArmsOfARepeatShareTheirInputsAndRepeatsDoNot) {
  state::Run full, random;
  full.id = 1, random.id = 2;
  full.seed = random.seed = 7;
  full.started_top = 3, random.started_explore = 60;
  const state::Candidate program;
  state::Candidate direct;
  direct.arm_kind = "direct-cuda";
  ASSERT_TRUE(direct.IsDirect());
  const auto search = store::Purpose::kSearch, confirm = store::Purpose::kConfirm;
  const uint64_t shared = core::InputsSeed(full, 5, search, program);
  EXPECT_EQ(core::InputsSeed(random, 90, search, program), shared);
  random.started_explore = 65;
  EXPECT_NE(core::InputsSeed(random, 90, search, program), shared) << "after 64 they change";
  random.started_explore = 60;
  random.seed = 8;
  EXPECT_NE(core::InputsSeed(random, 90, search, program), shared) << "another repeat";
  random.seed = 7;
  // Of its own: what is confirmed, and what is written by hand.
  std::set<uint64_t> own = {shared};
  for (const state::Run* run : {&full, &random}) {
    for (const int64_t decision : {0, 1, 5, 90}) {
      EXPECT_TRUE(own.insert(core::InputsSeed(*run, decision, confirm, program)).second);
      EXPECT_EQ(core::InputsSeed(*run, decision, search, direct),
                core::InputsSeed(*run, decision, confirm, program));
    }
  }
}

}  // namespace
}  // namespace server::testing
