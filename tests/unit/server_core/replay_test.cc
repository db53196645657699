// Runs whose evaluations come from a table of recorded ones.
#include "server/loop/plan.h"
#include "tests/unit/server_core/world.h"

namespace server::testing {
namespace {

using store::Blame;
using store::ScoreSource;
using store::Verdict;

void RegisterReplay(World& world, bool real = false) {
  core::RegisterRequest request = world.Gpu();
  request.device_name = "H200";
  if (!real) {
    request.name = "w";
    request.uuid = "replay:12";
    request.device_name = "replay of H200, times MEASURED";
    request.simulated = true;
    request.capabilities = {"replay:sm_90a"};
  }
  ASSERT_TRUE(world.core->Register(request).ok());
}

core::CompleteRequest Replayed(World& world, const core::Grant& grant, double ratio) {
  auto result = world.Result(grant, Verdict::kCorrect);
  result.machine = "right";
  result.time_ns = 1000 / ratio;
  result.ratio_med = result.ratio_low = result.ratio_high = ratio;
  return result;
}

TEST(ReplayRuns, AreCalledSoAndLeadToConfirmedRatios) {
  World world;
  RegisterReplay(world);
  const std::string run = world.StartRun("ablation", 10);
  EXPECT_EQ(world.run(run).objective, ScoreSource::kReplay);
  core::Meta meta = world.NewMeta();
  meta.experiment = "ablation";
  ASSERT_TRUE(world.Submit(world.Request("name=a", meta)).ok());
  int done = 0;
  for (;; ++done) {
    world.Settle();
    const auto grant = world.Acquire();
    if (!grant) break;
    EXPECT_NE(grant->spec_json.find("\"replay:sm_90a\""), std::string::npos);
    EXPECT_NE(grant->spec_json.find("cold-abba-v1"), std::string::npos);
    ASSERT_TRUE(world.core->Complete(Replayed(world, *grant, 1.5)).ok());
  }
  const auto evaluations = world.Events<store::EvaluationDone>();
  ASSERT_EQ(static_cast<int>(evaluations.size()), done);
  for (const auto& one : evaluations) {
    EXPECT_EQ(one.source, ScoreSource::kReplay);
    EXPECT_TRUE(one.replayed);
    EXPECT_EQ(one.ratio_low, 1.5);
  }
  EXPECT_GE(done, 2);  // a search and its confirmation at least
  EXPECT_EQ(evaluations.back().verdict, Verdict::kConfirmed);
  EXPECT_EQ(world.run(run).best_confirmed, 1.5);
  const auto list = world.core->ListRuns("ablation");
  ASSERT_TRUE(list.ok()) << list.status();
  EXPECT_NE(list->runs.front().text.find("best replayed"), std::string::npos);
  EXPECT_NE(list->runs.front().text.find("0 not recorded"), std::string::npos);
}

TEST(ReplayRuns, AMissIsFinalFreeAndCounted) {
  World world;
  RegisterReplay(world);
  const std::string run = world.StartRun("ablation", 10);
  core::Meta meta = world.NewMeta();
  meta.experiment = "ablation";
  ASSERT_TRUE(world.Submit(world.Request("name=a", meta)).ok());
  int misses = 0;
  for (;; ++misses) {
    world.Settle();
    const auto grant = world.Acquire();
    if (!grant) break;
    ASSERT_LT(misses, 10);
    auto result = world.Result(*grant, Verdict::kMeasurementFault);
    result.clocks.clear();
    result.checks.push_back({.name = "recorded", .outcome = "FAIL", .detail = "not in the table"});
    const auto reply = world.core->Complete(result);
    ASSERT_TRUE(reply.ok()) << reply.status();
    EXPECT_TRUE(reply->final);
    EXPECT_EQ(reply->blame, Blame::kInfra);
  }
  EXPECT_GE(misses, 1);
  EXPECT_TRUE(world.Events<store::LeaseLost>().empty());
  EXPECT_TRUE(world.Events<store::FindingOpened>().empty());
  const state::Budget& budget = world.run(run).budgets.at("evaluations");
  EXPECT_EQ(budget.spent, 0);
  EXPECT_EQ(budget.reserved, 0);
  const auto list = world.core->ListRuns("ablation");
  EXPECT_NE(list->runs.front().text.find(absl::StrCat(misses, " not recorded")), std::string::npos);
  for (const auto& [id, device] : world.state().devices) EXPECT_EQ(device.state, "HEALTHY");
}

TEST(ReplayRuns, ARealDeviceIsAskedFirstAndNeverTakesReplayedJobs) {
  World world;
  RegisterReplay(world);
  const std::string replayed = world.StartRun("before", 10);
  RegisterReplay(world, true);
  const std::string measured = world.StartRun("after", 10);
  EXPECT_EQ(world.run(replayed).objective, ScoreSource::kReplay);
  EXPECT_EQ(world.run(measured).objective, ScoreSource::kMeasured);
  world.Settle();
  EXPECT_GT(world.state().queued_jobs.size(), 0u);
  for (const int64_t id : world.state().queued_jobs) {
    const state::Job& job = world.state().jobs.at(id);
    const std::string need = store::RowName('r', job.run) == replayed ? "replay:" : "run:";
    EXPECT_EQ(job.needs, std::vector<std::string>{need + "sm_90a"});
  }
}

}  // namespace
}  // namespace server::testing
