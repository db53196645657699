// What operators decide about callers and machines, and what stays of it.
#include "tests/unit/server_core/world.h"

namespace server::testing {
namespace {

using state::Reason;
using store::Verdict;

int64_t Bot(World& world) {
  core::TokenRequest token;
  token.meta = world.NewMeta();
  token.name = "bot";
  token.role = "agent";
  EXPECT_TRUE(world.core->CreateToken(token).ok());
  return world.state().principals.rbegin()->first;
}

core::QuotaRequest QuotaOfBot(World& world) {
  core::QuotaRequest request;
  request.meta = world.NewMeta();
  request.name = "bot";
  request.reason = "a small part";
  return request;
}

core::MachineRequest Machine(World& world, const std::string& name, bool undo = false) {
  return {world.NewMeta(), name, "noisy fan", undo};
}

TEST(Quota, BoundsWhatACallerHasOpenWhateverItCallsItsSessions) {
  World world;
  const int64_t bot = Bot(world);
  auto quota = QuotaOfBot(world);
  quota.checks_max = 2;
  quota.open_max = 3;
  const auto set = world.core->SetQuota(quota);
  ASSERT_TRUE(set.ok()) << set.status();
  EXPECT_EQ(set->weight, 1);
  EXPECT_EQ(set->open_max, 3);
  const core::Core::Acting acting(*world.core, bot);
  for (int i = 0; i < 5; ++i) {
    auto request = world.Request(absl::StrCat("name=q", i), world.NewMeta());
    request.meta.session = absl::StrCat("s", i);
    const auto reply = world.Submit(request);
    EXPECT_EQ(reply.ok(), i < 3) << reply.status();
    if (i >= 3) EXPECT_EQ(state::ReasonOf(reply.status()), Reason::kQueueFull);
  }
  std::vector<absl::Status> refused;
  for (int i = 0; i < 4; ++i) {
    core::CheckRequest check;
    check.meta.session = absl::StrCat("s", i);
    check.source.text = absl::StrCat("name=c", i);
    world.core->Check(check, [&](const auto& reply) {
      if (!reply.ok()) refused.push_back(reply.status());
    });
  }
  ASSERT_EQ(refused.size(), 2u);
  EXPECT_EQ(state::ReasonOf(refused[0]), Reason::kRate);
}

// Submits that the store has not taken yet count: a burst in one batch is no way round the bound.
TEST(Quota, CountsWhatIsOnItsWayToTheStore) {
  World world;
  const int64_t bot = Bot(world);
  auto quota = QuotaOfBot(world);
  quota.open_max = 3;
  ASSERT_TRUE(world.core->SetQuota(quota).ok());
  world.StartRun("e", 0);
  const core::Core::Acting acting(*world.core, bot);
  int taken = 0;
  for (int i = 0; i < 6; ++i) {
    auto request = world.Request(absl::StrCat("name=q", i), world.NewMeta());
    request.meta.experiment = "e";
    request.meta.session = absl::StrCat("s", i);
    world.core->Submit(request, [&](const auto& reply) { taken += reply.ok() ? 1 : 0; });
  }
  world.core->TakeCommitted();
  EXPECT_EQ(taken, 3);
}

TEST(Quota, NeedsAReasonIsBoundedAndSurvives) {
  World world;
  Bot(world);
  auto quota = QuotaOfBot(world);
  quota.weight = 5;
  quota.reason.clear();
  EXPECT_EQ(state::FieldOf(world.core->SetQuota(quota).status())->kind, "reason");
  quota = QuotaOfBot(world);
  quota.weight = 101;
  EXPECT_EQ(state::FieldOf(world.core->SetQuota(quota).status())->kind, "weight");
  quota = QuotaOfBot(world);
  quota.weight = 5;
  const auto set = world.core->SetQuota(quota);
  ASSERT_TRUE(set.ok());
  EXPECT_EQ(world.core->SetQuota(quota)->weight, 5);              // the same request again
  EXPECT_EQ(world.Events<store::PrincipalChanged>().size(), 3u);  // local, bot, bot
  EXPECT_EQ(world.Events<store::AdminAction>().back().action, "SetQuota");
  EXPECT_EQ(world.Events<store::AdminAction>().back().reason, "a small part");
  world.RestartCore();
  EXPECT_EQ(world.state().principals.rbegin()->second.weight, 5);
  // Who is turned out keeps no more and no less.
  core::TokenRequest revoke;
  revoke.meta = world.NewMeta();
  revoke.name = "bot";
  revoke.reason = "left";
  ASSERT_TRUE(world.core->RevokeToken(revoke).ok());
  EXPECT_EQ(world.state().principals.rbegin()->second.weight, 5);
  EXPECT_EQ(world.Refold(), world.state());
}

TEST(DrainWorker, EndsWhatItHoldsAndGetsNoMore) {
  World world;
  world.RegisterWorker();
  world.Submit("name=x members=3");
  world.Settle();
  const auto grant = world.Acquire();
  ASSERT_TRUE(grant.has_value());
  const auto drained = world.core->DrainWorker(Machine(world, "w"));
  ASSERT_TRUE(drained.ok()) << drained.status();
  EXPECT_EQ(drained->state, "DRAIN");
  ASSERT_TRUE(world.core->Complete(world.Result(*grant, Verdict::kCorrect)).ok());
  std::optional<core::AcquireReply> told;
  world.core->Acquire("w", 1, 0, [&](auto reply) { told = *std::move(reply); });
  ASSERT_TRUE(told.has_value());
  EXPECT_FALSE(told->grant.has_value());
  EXPECT_EQ(told->desired, core::WorkerDesired::kDrain);
  EXPECT_EQ(world.core->DrainWorker(Machine(world, "w", true))->state, "SERVE");
  EXPECT_TRUE(world.Acquire().has_value());
  EXPECT_EQ(world.Refold(), world.state());
}

// A link that breaks is no reason to serve again; a new start is.
TEST(DrainWorker, DrainsOnWhenItRegistersAgain) {
  World world;
  world.RegisterWorker();
  world.Submit("name=x members=3");
  world.Settle();
  ASSERT_TRUE(world.core->DrainWorker(Machine(world, "w")).ok());
  const int64_t seq = world.state().last_seq;
  world.RegisterWorker();
  EXPECT_EQ(world.state().last_seq, seq);
  EXPECT_EQ(world.state().FindWorker("w")->state, "DRAIN");
  EXPECT_FALSE(world.Acquire().has_value());
  world.RegisterWorker("w", 2);
  EXPECT_TRUE(world.Acquire("w", 2).has_value());
  EXPECT_EQ(world.Refold(), world.state());
}

TEST(DrainWorker, NeedsAReasonAndAWorkerThatIsThere) {
  World world;
  world.RegisterWorker();
  auto request = Machine(world, "w");
  request.reason.clear();
  EXPECT_EQ(state::FieldOf(world.core->DrainWorker(request).status())->kind, "reason");
  EXPECT_EQ(world.core->DrainWorker(Machine(world, "nobody")).status().code(),
            absl::StatusCode::kNotFound);
  const core::MachineRequest once = Machine(world, "w");
  ASSERT_TRUE(world.core->DrainWorker(once).ok());
  const int64_t seq = world.state().last_seq;
  ASSERT_TRUE(world.core->DrainWorker(once).ok());
  EXPECT_EQ(world.state().last_seq, seq);
}

// A worker's evidence comes with a lease that it holds, and one lease takes so much and no more.
TEST(Uploads, ComeWithALeaseAndAreCounted) {
  World world;
  world.RegisterWorker();
  world.Submit("name=x");
  world.Settle();
  EXPECT_EQ(state::ReasonOf(world.core->CountUpload("", 0, 1)), Reason::kStaleToken);
  const auto grant = world.Acquire();
  ASSERT_TRUE(grant.has_value());
  const auto send = [&](int64_t bytes, int64_t more = 0) {
    return world.core->CountUpload(grant->lease, grant->fencing_token + more, bytes);
  };
  EXPECT_EQ(state::ReasonOf(send(1, 1)), Reason::kStaleToken);
  EXPECT_TRUE(send(core::kLeaseBytesMax - 10).ok());
  EXPECT_EQ(state::ReasonOf(send(11)), Reason::kRate);
  EXPECT_TRUE(send(10).ok());
  EXPECT_EQ(state::ReasonOf(send(1)), Reason::kRate);
  ASSERT_TRUE(world.core->Complete(world.Result(*grant, Verdict::kCorrect)).ok());
  EXPECT_EQ(state::ReasonOf(send(1)), Reason::kStaleToken);
}

// Nothing that the worker does brings the device back; the operator does.
TEST(QuarantineDevice, StaysUntilAnOperatorSaysOtherwise) {
  World world;
  world.RegisterWorker();
  world.Submit("name=x");
  world.Settle();
  ASSERT_TRUE(world.core->QuarantineDevice(Machine(world, "cpu:w")).ok());
  EXPECT_FALSE(world.Acquire().has_value());
  world.RegisterWorker("w", 2);
  EXPECT_EQ(world.state().devices.at(1).state, "QUARANTINED");
  EXPECT_EQ(world.state().devices.at(1).reason, "operator: noisy fan");
  core::ReportRequest report;
  report.worker = "w";
  report.incarnation = 2;
  report.healthy = true;
  world.core->Report(report, [](const auto&) {});
  EXPECT_FALSE(world.Acquire("w", 2).has_value());
  EXPECT_EQ(world.core->QuarantineDevice(Machine(world, "cpu:w", true))->state, "HEALTHY");
  EXPECT_TRUE(world.Acquire("w", 2).has_value());
  EXPECT_EQ(world.Refold(), world.state());
}

TEST(QuarantineDevice, ANameOfSeveralDevicesNamesNone) {
  World world;
  for (const char* uuid : {"GPU-1", "GPU-2"}) {
    auto request = world.Gpu();
    request.name = request.uuid = uuid;
    request.device_name = "NVIDIA H200";
    ASSERT_TRUE(world.core->Register(request).ok());
  }
  const int64_t seq = world.state().last_seq;
  const auto several = world.core->QuarantineDevice(Machine(world, "NVIDIA H200"));
  EXPECT_EQ(state::FieldOf(several.status())->kind, "name") << several.status();
  EXPECT_NE(several.status().message().find("GPU-1, GPU-2"), std::string::npos);
  EXPECT_EQ(world.state().last_seq, seq);
  const auto one = world.core->QuarantineDevice(Machine(world, "GPU-2"));
  ASSERT_TRUE(one.ok()) << one.status();
  EXPECT_EQ(one->name, "GPU-2");
  EXPECT_EQ(one->state, "QUARANTINED");
}

}  // namespace
}  // namespace server::testing
