// Hand-written device code through the daemon: who may run it, and what is said of it.
#include "tests/unit/server_core/world.h"

namespace server::testing {
namespace {

using store::Blame;
using store::Verdict;

core::SubmitRequest Direct(World& world, const std::string& source) {
  core::SubmitRequest request = world.Request(source, world.NewMeta());
  request.source.direct_cuda = true;
  return request;
}

TEST(DirectCuda, IsNotTakenWhereNobodyCanRunIt) {
  World world;
  world.RegisterWorker();
  const auto refused = world.Submit(Direct(world, "name=a"));
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.status().message().find("sandbox has level L3"), std::string::npos);
  world.RegisterGpu({"run:sm_90a"});  // a GPU whose sandbox is too open
  EXPECT_FALSE(world.Submit(Direct(world, "name=b")).ok());
  EXPECT_TRUE(world.Events<store::CandidateSubmitted>().empty());
}

TEST(DirectCuda, TakesItsLaunchFromTheSourceAlone) {
  World world;
  world.RegisterGpu({"run:sm_90a", "direct-cuda"});
  auto request = Direct(world, "name=a");
  request.source.launch_plan_json = "{}";
  const auto refused = world.Submit(request);
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.status().message().find("//@ lines"), std::string::npos);
}

TEST(DirectCuda, RunsInAFreshChildOfAClosedSandbox) {
  World world;
  world.RegisterGpu({"run:sm_90a", "direct-cuda"});
  const auto reply = world.Submit(Direct(world, "name=a"));
  ASSERT_TRUE(reply.ok()) << reply.status();
  EXPECT_TRUE(world.candidate(reply->candidate).IsDirect());
  world.Settle();
  for (const auto& asked : world.gates.asked) EXPECT_TRUE(asked.request.direct);
  const auto grant = world.Acquire("gpu");
  ASSERT_TRUE(grant.has_value());
  for (const char* word : {"\"canonical_ir\":\"\"", "\"direct-cuda\"", "\"run:sm_90a\"",
                           "\"fresh\":true", "\"sandbox_min\":\"L3\""}) {
    EXPECT_NE(grant->spec_json.find(word), std::string::npos) << word << " " << grant->spec_json;
  }
}

// What goes wrong with it is its author's fault: no gate has said anything of it.
TEST(DirectCuda, IsToBlameForWhateverGoesWrong) {
  for (const Verdict verdict : {Verdict::kLoweringFailed, Verdict::kWrongResult, Verdict::kHang,
                                Verdict::kDeviceFault, Verdict::kNondeterministic}) {
    World world;
    world.RegisterGpu({"run:sm_90a", "direct-cuda"});
    ASSERT_TRUE(world.Submit(Direct(world, "name=a")).ok());
    for (;;) {
      world.Settle();
      const auto grant = world.Acquire("gpu");
      if (!grant) break;
      ASSERT_TRUE(world.core->Complete(world.Result(*grant, verdict, "gpu")).ok());
    }
    const auto done = world.Events<store::EvaluationDone>();
    ASSERT_EQ(done.size(), 1u);
    EXPECT_EQ(done[0].verdict, verdict);
    EXPECT_EQ(done[0].blame, Blame::kCandidate);
    EXPECT_TRUE(world.Events<store::FindingOpened>().empty());
  }
}

TEST(DirectCuda, IsNamedWhereItIsTheBest) {
  World world;
  world.RegisterGpu({"run:sm_90a", "direct-cuda"});
  const auto reply = world.Submit(Direct(world, "name=a"));
  ASSERT_TRUE(reply.ok()) << reply.status();
  for (;;) {
    world.Settle();
    const auto grant = world.Acquire("gpu");
    if (!grant) break;
    auto result = world.Result(*grant, Verdict::kCorrect, "gpu");
    result.time_ns = 500;
    result.ratio_med = result.ratio_low = result.ratio_high = 2;
    ASSERT_TRUE(world.core->Complete(result).ok());
  }
  const auto runs = world.core->ListRuns("default");
  ASSERT_TRUE(runs.ok()) << runs.status();
  EXPECT_NE(runs->runs.front().text.find("direct CUDA that no gate knows"), std::string::npos)
      << runs->runs.front().text;
}

}  // namespace
}  // namespace server::testing
