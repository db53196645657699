// Calibrations: held against what was measured, in force for what comes after, recorded with who
// and why, taken back.
#include "server/core/calibrating.h"

#include "gmock/gmock.h"
#include "tests/unit/server_core/world.h"

namespace server::testing {
namespace {

using core::CalibrateReply;
using core::CalibrateRequest;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// The fake gates turn the order of predictions round with this one; the second only has another
// interval.
constexpr const char* kTurned = "arch = \"sm_90a\"\n[rates]\ndram_latency_ns = 700\n";
constexpr const char* kNarrow = "arch = \"sm_90a\"\n[model]\nlow = 0.9\nhigh = 1.1\n";

absl::StatusOr<CalibrateReply> Try(World& world, CalibrateRequest request) {
  std::optional<absl::StatusOr<CalibrateReply>> reply;
  world.core->calibrating().Activate(request, [&](auto r) { reply = std::move(r); });
  if (!reply) world.Settle();
  EXPECT_TRUE(reply.has_value());
  return *reply;
}
absl::StatusOr<CalibrateReply> Activate(World& world, const std::string& text) {
  return Try(world, {.meta = world.NewMeta(), .body = text, .reason = "new card"});
}
absl::StatusOr<CalibrateReply> Undo(World& world) {
  return Try(world, {.meta = world.NewMeta(), .undo = "sm_90a", .reason = "too bold"});
}

// What the newest members were estimated with.
std::string EstimatedWith(World& world, const std::string& source) {
  world.Submit(source);
  world.Settle();
  return world.Events<store::Estimated>().back().calibration;
}

// `members` of one family on a GPU that measures; the i-th takes time_of(i).
void Measure(World& world, int64_t members, const std::function<double(int64_t)>& time_of) {
  world.RegisterGpu();
  loop::RunSpec spec;
  spec.open = true;
  spec.keep_min = members;
  world.StartRun("e", 1000, spec);
  for (int64_t i = 0; i < members; ++i) {
    auto request = world.Request(absl::StrCat("name=m members=", members), world.NewMeta());
    request.meta.experiment = "e";
    request.params = {{"P", {absl::StrCat(i)}}};
    ASSERT_TRUE(world.Submit(request).ok());
    world.Settle();
    while (const auto grant = world.Acquire("gpu")) {
      core::CompleteRequest result = world.Result(*grant, store::Verdict::kCorrect, "gpu");
      result.machine = "right";
      result.time_ns = time_of(i);
      result.ratio_med = result.ratio_low = result.ratio_high = 0.5;
      result.clocks.push_back({store::Stage::kTiming, store::StageEnd::kOk, 100, 10, 0});
      ASSERT_TRUE(world.core->Complete(result).ok());
      world.Settle();
    }
  }
}

TEST(Calibration, IsInForceForWhatComesAfterAndIsTakenBack) {
  World world;
  EXPECT_EQ(EstimatedWith(world, "name=a"), "none");
  const auto first = Activate(world, kTurned);
  ASSERT_TRUE(first.ok()) << first.status();
  EXPECT_TRUE(first->activated);
  EXPECT_EQ(first->before, "sm_90a@0");
  EXPECT_EQ(first->in_force, "sm_90a@1");
  EXPECT_FALSE(first->claims_time) << "nothing was measured";
  // The run of `default` is scored by predictions: it keeps what it began with. A new one does not.
  EXPECT_EQ(EstimatedWith(world, "name=b"), "none");
  world.StartRun("later", 0);
  world.Settle();
  EXPECT_EQ(world.Events<store::Estimated>().back().calibration, "sm_90a@1");

  const auto second = Activate(world, kNarrow);
  ASSERT_TRUE(second.ok()) << second.status();
  EXPECT_EQ(second->in_force, "sm_90a@2");
  EXPECT_TRUE(world.Refold() == world.state());
  world.RestartCore();
  EXPECT_EQ(world.state().CalibrationsInForce().at("sm_90a").Name(), "sm_90a@2");
  EXPECT_EQ(Undo(world)->in_force, "sm_90a@1");
  EXPECT_EQ(Undo(world)->in_force, "sm_90a@0");
  EXPECT_FALSE(Undo(world).ok()) << "nothing is in force";
  EXPECT_EQ(Activate(world, kTurned)->in_force, "sm_90a@3") << "a version is given once";
  EXPECT_TRUE(world.Refold() == world.state());

  std::vector<std::string> noted;
  for (const auto& note : world.Events<store::AdminAction>()) {
    if (!note.action.starts_with("ActivateCalibration")) continue;
    EXPECT_EQ(note.who, world.store->local_principal());
    noted.push_back(absl::StrCat(note.action, " ", note.subject, ": ", note.reason));
  }
  EXPECT_THAT(noted, ElementsAre("ActivateCalibration sm_90a@1: new card",
                                 "ActivateCalibration sm_90a@2: new card",
                                 "ActivateCalibration undo sm_90a@1: too bold",
                                 "ActivateCalibration undo sm_90a@0: too bold",
                                 "ActivateCalibration sm_90a@3: new card"));
}

TEST(Calibration, ChangesWhatIsRankedFirst) {
  const auto first_of = [](bool turned) {
    World world;
    if (turned) {
      EXPECT_TRUE(Activate(world, kTurned).ok());
    }
    world.RegisterWorker();
    loop::RunSpec spec;
    spec.open = true;
    world.StartRun("e", 10, spec);
    auto request = world.Request("name=r members=6", world.NewMeta());
    request.meta.experiment = "e";
    EXPECT_TRUE(world.Submit(request).ok());
    world.Settle();
    for (const auto& [id, variant] : world.state().variants) {
      if (variant.rank == 1) return variant.params_json;
    }
    return std::string("none");
  };
  EXPECT_EQ(first_of(false), "{\"P\":0}");
  EXPECT_EQ(first_of(true), "{\"P\":5}");
}

TEST(Calibration, ThatRanksMeasurementsWorseIsRefused) {
  World world;
  Measure(world, 10, [](int64_t i) { return 1000.0 + 100 * static_cast<double>(i); });
  const auto refused = Activate(world, kTurned);
  EXPECT_EQ(refused.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(refused.status().message()), HasSubstr("ranks worse: vector_add"));
  EXPECT_TRUE(world.Events<store::CalibrationActivated>().empty());
  const int64_t before = world.state().last_seq;
  const auto tried = Try(world, {.meta = world.NewMeta(), .body = kTurned, .dry_run = true});
  ASSERT_TRUE(tried.ok()) << tried.status();
  EXPECT_EQ(world.state().last_seq, before);
  EXPECT_FALSE(tried->activated);
  EXPECT_THAT(tried->refused_because, HasSubstr("ranks worse"));
  ASSERT_EQ(tried->families.size(), 1u);
  EXPECT_TRUE(tried->families[0].judged);
  EXPECT_EQ(tried->members, 10);
  EXPECT_NEAR(tried->families[0].spearman_before, 1, 1e-9);
  EXPECT_NEAR(tried->families[0].spearman_after, -1, 1e-9);
  EXPECT_NEAR(tried->families[0].regret_after, 0.7, 1e-9);
  const auto same = Activate(world, "arch = \"sm_90a\"\n[rates]\nclock_ghz = 1.5\n");
  EXPECT_THAT(std::string(same.status().message()), HasSubstr("improves nothing"));
}

TEST(Calibration, ThatRanksMeasurementsBetterIsTaken) {
  World world;
  Measure(world, 10, [](int64_t i) { return 2000.0 - 100 * static_cast<double>(i); });
  const auto taken = Activate(world, kTurned);
  ASSERT_TRUE(taken.ok()) << taken.status();
  EXPECT_EQ(taken->in_force, "sm_90a@1");
  EXPECT_FALSE(taken->claims_time) << "its nanoseconds are far off";
}

TEST(Calibration, ClaimsTimeWhereItsIntervalHoldsWhatWasMeasured) {
  World world;
  Measure(world, 24, [](int64_t i) { return 1010.0 + 100 * static_cast<double>(i); });
  const auto taken = Try(world, {.meta = world.NewMeta(), .body = kNarrow, .dry_run = true});
  ASSERT_TRUE(taken.ok()) << taken.status();
  EXPECT_TRUE(taken->claims_time);
  EXPECT_EQ(taken->covered_after, 1);
  const int64_t seq = world.state().last_seq;
  const auto held_out =
      Try(world, {.meta = world.NewMeta(),
                  .body = absl::StrCat("fitted_through_seq = ", seq, "\n", kNarrow),
                  .dry_run = true});
  ASSERT_TRUE(held_out.ok()) << held_out.status();
  EXPECT_EQ(held_out->members, 0) << "it was fitted on all of them";
  EXPECT_FALSE(held_out->claims_time);
}

TEST(Calibration, WhatIsNoneIsRefusedWithItsPlace) {
  World world;
  const std::pair<const char*, const char*> rows[] = {
      {"arch = ", "line 1"},
      {"arch = \"sm_1\"\n[rates]\nclock_ghz = 1\n", "arch"},
      {"arch = \"sm_90a\"\n", "changes nothing"},
      {"arch = \"sm_90a\"\n[rates]\nspeed = 1\n", "speed"},
      {"arch = \"sm_90a\"\n[rates]\nclock_ghz = 1000\n", "a slip"},
      {"arch = \"sm_90a\"\n[rates]\nclock_ghz = -1\n", "above 0"},
      {"arch = \"sm_90a\"\n[rates]\nclock_ghz = nan\n", "no number"},
      {"arch = \"sm_90a\"\n[model]\nlow = 0.5\n", "both given"},
      {"arch = \"sm_90a\"\nclock_ghz = 1\n", "not known"},
  };
  for (const auto& [text, says] : rows) {
    const auto refused = Activate(world, text);
    EXPECT_EQ(refused.status().code(), absl::StatusCode::kInvalidArgument) << text;
    EXPECT_THAT(std::string(refused.status().message()), HasSubstr(says)) << text;
  }
  EXPECT_FALSE(Try(world, {.meta = world.NewMeta(), .body = kTurned}).ok()) << "without a reason";
}

TEST(Calibration, TheSameRequestAgainChangesNothing) {
  World world;
  const CalibrateRequest request{.meta = world.NewMeta(), .body = kTurned, .reason = "new card"};
  ASSERT_TRUE(Try(world, request).ok());
  const auto again = Try(world, request);
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(again->in_force, "sm_90a@1");
  EXPECT_EQ(world.Events<store::CalibrationActivated>().size(), 1u);
}

TEST(Calibration, OneIsTriedAtATime) {
  World world;
  Measure(world, 10, [](int64_t i) { return 2000.0 - 100 * static_cast<double>(i); });
  int answered = 0;
  const CalibrateRequest request{.meta = world.NewMeta(), .body = kTurned, .reason = "new card"};
  world.core->calibrating().Activate(request, [&](auto r) { answered += r.ok() ? 1 : 100; });
  EXPECT_EQ(answered, 0);
  const auto refused = Activate(world, kNarrow);
  EXPECT_EQ(state::ReasonOf(refused.status()), state::Reason::kRate);
  world.Settle();
  EXPECT_EQ(answered, 1);
}

TEST(Calibration, CorrelationsOfRanks) {
  EXPECT_NEAR(core::Spearman({1, 2, 3, 4}, {10, 20, 30, 400}), 1, 1e-12);
  EXPECT_NEAR(core::Spearman({1, 2, 3, 4}, {4, 3, 2, 1}), -1, 1e-12);
  // Ties have their mean rank: ranks 0.5 0.5 2 against 0 1 2 are 1.5 / sqrt(1.5 * 2).
  EXPECT_NEAR(core::Spearman({5, 5, 9}, {1, 2, 3}), 0.8660254, 1e-6);
  EXPECT_EQ(core::Spearman({1}, {1}), 0);
}

}  // namespace
}  // namespace server::testing
