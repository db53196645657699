// Leases, fencing, expiry, late evidence, retries, poison jobs, cancel, budgets.
#include <filesystem>

#include "tests/unit/server_core/world.h"

namespace server::testing {
namespace {

using core::Desired;
using state::Reason;
using store::Blame;
using store::JobState;
using store::Verdict;

core::ReportRequest ReportOf(const core::Grant& grant, const std::string& worker = "w",
                             uint64_t incarnation = 1) {
  core::ReportRequest request;
  request.worker = worker;
  request.incarnation = incarnation;
  request.held = {{grant.lease, grant.fencing_token}};
  return request;
}

// One submitted, gated candidate whose job is out.
core::Grant LeasedJob(World& world, const std::string& source = "name=x") {
  world.RegisterWorker();
  world.Submit(source);
  world.Settle();
  auto grant = world.Acquire();
  EXPECT_TRUE(grant.has_value());
  return *grant;
}

const state::Job& JobOf(const World& world, const core::Grant& grant) {
  return world.state().jobs.at(*store::ParseRowName('j', grant.job));
}

TEST(Lease, GrantSaysWhatToRun) {
  World world;
  const core::Grant grant = LeasedJob(world);
  EXPECT_EQ(grant.lease, "l-1");
  EXPECT_EQ(grant.job, "j-1");
  EXPECT_EQ(grant.attempt, 1);
  EXPECT_EQ(grant.ttl_ms, 30'000);
  for (const char* part : {"\"protocol\":\"machine-v1\"", "\"binding\":{\"P\":\"0\"}",
                           "\"purpose\":\"PURPOSE_SEARCH\"", "\"needs\":[\"run:machine\"]",
                           "\"tile_minus_one\"", "\"candidate\":\"c-1-1\""}) {
    EXPECT_NE(grant.spec_json.find(part), std::string::npos) << part << " in " << grant.spec_json;
  }
  EXPECT_FALSE(world.Acquire().has_value());  // one job, one lease
}

TEST(Lease, WorkerWithoutTheCapabilityGetsNothing) {
  World world;
  world.Submit("name=x");
  world.Settle();
  world.RegisterWorker("gpu", 1, {"run:sm_80"});
  EXPECT_FALSE(world.Acquire("gpu").has_value());
  world.RegisterWorker("cpu");
  EXPECT_TRUE(world.Acquire("cpu").has_value());
}

TEST(Lease, CompleteTwiceIsOneResultAndAnotherResultIsRefused) {
  World world;
  const core::Grant grant = LeasedJob(world);
  auto request = world.Result(grant, Verdict::kCorrect);
  auto first = world.core->Complete(request);
  auto again = world.core->Complete(request);
  ASSERT_TRUE(first.ok() && again.ok());
  EXPECT_EQ(first->verdict, Verdict::kCorrect);
  EXPECT_EQ(again->verdict, Verdict::kCorrect);
  EXPECT_TRUE(again->final);
  EXPECT_EQ(world.Events<store::EvaluationDone>().size(), 1u);
  request.receipt_json = "{\"other\":1}";
  EXPECT_EQ(state::ReasonOf(world.core->Complete(request).status()), Reason::kStaleToken);
  EXPECT_EQ(world.Events<store::EvaluationDone>().size(), 1u);
  ASSERT_EQ(world.Events<store::FindingOpened>().size(), 1u);
  EXPECT_EQ(world.Events<store::FindingOpened>()[0].route, "worker");
}

TEST(Lease, ExpiresByTheMonotonicClockAndTheLateResultIsKeptApart) {
  World world;
  const core::Grant grant = LeasedJob(world);
  world.clock.AdvanceMs(29'999);
  world.core->Step();
  EXPECT_EQ(JobOf(world, grant).state, JobState::kLeased);
  world.clock.AdvanceMs(1);
  world.core->Step();
  EXPECT_EQ(JobOf(world, grant).state, JobState::kQueued);
  auto late = world.core->Complete(world.Result(grant, Verdict::kCorrect));
  EXPECT_EQ(state::ReasonOf(late.status()), Reason::kStaleToken);
  EXPECT_EQ(late.status().code(), absl::StatusCode::kAborted);
  EXPECT_EQ(world.Events<store::LateEvidence>().size(), 1u);
  const auto second = world.Acquire();
  ASSERT_TRUE(second.has_value());
  EXPECT_GT(second->fencing_token, grant.fencing_token);
  EXPECT_EQ(second->attempt, 2);
  EXPECT_TRUE(world.core->Complete(world.Result(*second, Verdict::kCorrect)).ok());
}

// The job is leased again, to somebody else: that alone makes the first holder's result late.
TEST(Lease, AResultUnderAnOlderTokenEndsNobodyElsesLease) {
  World world;
  const core::Grant first = LeasedJob(world);
  world.clock.AdvanceMs(30'000);
  world.core->Step();
  const auto second = world.Acquire();
  ASSERT_TRUE(second.has_value());
  ASSERT_GT(second->fencing_token, first.fencing_token);
  const auto late = world.core->Complete(world.Result(first, Verdict::kWrongResult));
  EXPECT_EQ(state::ReasonOf(late.status()), Reason::kStaleToken);
  EXPECT_EQ(JobOf(world, first).state, JobState::kLeased);
  EXPECT_EQ(world.Events<store::LateEvidence>().size(), 1u);
  EXPECT_EQ(world.Events<store::EvaluationDone>().size(), 0u);
  const auto done = world.core->Complete(world.Result(*second, Verdict::kCorrect));
  ASSERT_TRUE(done.ok()) << done.status();
  EXPECT_EQ(done->verdict, Verdict::kCorrect);
}

TEST(Lease, ReportRenews) {
  World world;
  const core::Grant grant = LeasedJob(world);
  for (int i = 0; i < 4; ++i) {
    world.clock.AdvanceMs(20'000);
    std::optional<core::ReportReply> reply;
    world.core->Report(ReportOf(grant), [&](auto r) { reply = *r; });
    world.core->Step();
    EXPECT_FALSE(reply.has_value());  // held: nothing is desired
    world.clock.AdvanceMs(5'000);
    world.core->Step();
    ASSERT_TRUE(reply.has_value());
    EXPECT_EQ(reply->desired, std::vector<Desired>{Desired::kContinue});
  }
  EXPECT_EQ(JobOf(world, grant).state, JobState::kLeased);
}

// A report that was held while the result came in does not call a finished lease lost, and is not
// held any longer: the worker asks for its next job after it.
TEST(Lease, ReportOfACompletedLeaseSaysContinueAtOnce) {
  World world;
  const core::Grant grant = LeasedJob(world);
  std::optional<core::ReportReply> held;
  world.core->Report(ReportOf(grant), [&](auto r) { held = *r; });
  world.core->Step();
  EXPECT_FALSE(held.has_value());
  ASSERT_TRUE(world.core->Complete(world.Result(grant, Verdict::kCorrect)).ok());
  world.core->Step();
  ASSERT_TRUE(held.has_value());
  EXPECT_EQ(held->desired, std::vector<Desired>{Desired::kContinue});
  std::optional<core::ReportReply> late;
  world.core->Report(ReportOf(grant), [&](auto r) { late = *r; });
  ASSERT_TRUE(late.has_value());
  EXPECT_EQ(late->desired, std::vector<Desired>{Desired::kContinue});
}

TEST(Lease, RestartGivesEveryOpenLeaseOneFullTime) {
  const std::string dir = ::testing::TempDir() + "/server_lease_restart";
  std::filesystem::remove_all(dir);
  World world(dir);
  const core::Grant grant = LeasedJob(world);
  world.clock.AdvanceMs(25'000);
  world.Restart();
  world.clock.AdvanceMs(29'999);
  world.core->Step();
  EXPECT_EQ(JobOf(world, grant).state, JobState::kLeased);
  EXPECT_TRUE(world.core->Complete(world.Result(grant, Verdict::kCorrect)).ok());
}

TEST(Lease, NewIncarnationFencesAllLeasesOfTheOldOne) {
  World world;
  const core::Grant grant = LeasedJob(world);
  world.RegisterWorker("w", 2);
  EXPECT_EQ(JobOf(world, grant).state, JobState::kQueued);
  std::optional<core::ReportReply> reply;
  world.core->Report(ReportOf(grant), [&](auto r) { reply = *r; });
  ASSERT_TRUE(reply.has_value());  // at once, not after the hold
  EXPECT_EQ(reply->desired, std::vector<Desired>{Desired::kLost});
  std::optional<absl::Status> refused;
  world.core->Acquire("w", 1, 0, [&](auto r) { refused = r.status(); });
  EXPECT_EQ(state::ReasonOf(*refused), Reason::kStaleToken);
  EXPECT_TRUE(world.Acquire("w", 2).has_value());
}

TEST(Lease, RegisteringAgainWritesNothing) {
  World world;
  world.RegisterWorker();
  const int64_t seq = world.state().last_seq;
  world.RegisterWorker();
  EXPECT_EQ(world.state().last_seq, seq);
}

TEST(Lease, HangIsFinalOnlyAfterASecondAttempt) {
  World world;
  const core::Grant grant = LeasedJob(world);
  auto first = world.core->Complete(world.Result(grant, Verdict::kHang));
  ASSERT_TRUE(first.ok()) << first.status();
  EXPECT_FALSE(first->final);
  EXPECT_EQ(JobOf(world, grant).state, JobState::kQueued);
  EXPECT_EQ(JobOf(world, grant).infra_losses, 0);
  const auto second = world.Acquire();
  ASSERT_TRUE(second.has_value());
  auto last = world.core->Complete(world.Result(*second, Verdict::kHang));
  ASSERT_TRUE(last.ok());
  EXPECT_TRUE(last->final);
  EXPECT_EQ(last->verdict, Verdict::kHang);
}

// One more loss of the job that is out.
void LoseOnce(World& world, Verdict verdict = Verdict::kInfraDevice) {
  world.clock.AdvanceMs(2'000);  // past the backoff
  const auto grant = world.Acquire();
  ASSERT_TRUE(grant.has_value());
  auto reply = world.core->Complete(world.Result(*grant, verdict));
  ASSERT_TRUE(reply.ok()) << reply.status();
  EXPECT_FALSE(reply->final);
}

TEST(Lease, AJobThatIsLostWhereOthersEndWellIsPoison) {
  World world;
  world.RegisterWorker();
  world.Submit("name=bad ns=10");
  world.Settle();
  for (int loss = 1; loss <= 3; ++loss) {
    ASSERT_NO_FATAL_FAILURE(LoseOnce(world));
    const state::Job& job = world.state().jobs.at(1);
    EXPECT_EQ(job.infra_losses, loss);
    EXPECT_EQ(job.state, loss < 3 ? JobState::kQueued : JobState::kPoisoned);
    if (loss == 3) break;
    world.Submit(absl::StrCat("name=good", loss));
    world.Settle();
    const auto grant = world.Acquire();  // the lost one waits for its backoff
    ASSERT_TRUE(grant && grant->job != "j-1");
    ASSERT_TRUE(world.core->Complete(world.Result(*grant, Verdict::kCorrect)).ok());
  }
  const state::Candidate& bad = world.candidate("c-1-1");
  EXPECT_EQ(state::JudgedOf(world.state(), bad).verdict, Verdict::kInfraPoisonJob);
  EXPECT_EQ(state::JudgedOf(world.state(), bad).blame, Blame::kInfra);
  const state::Progress progress = state::ProgressOf(world.state(), bad);
  EXPECT_EQ(progress.evaluated, 0);
  EXPECT_EQ(progress.lost, 1);
  EXPECT_EQ(world.state().devices.at(1).state, "HEALTHY");
}

TEST(Lease, ADeviceThatLosesEverythingIsQuarantinedAndItsRunsWait) {
  World world;
  world.RegisterWorker();
  const std::string run = world.StartRun("e", 4);
  auto request = world.Request("name=x members=2", world.NewMeta());
  request.meta.experiment = "e";
  ASSERT_TRUE(world.Submit(request).ok());
  world.Settle();
  for (int loss = 1; loss <= 3; ++loss) ASSERT_NO_FATAL_FAILURE(LoseOnce(world));
  EXPECT_EQ(world.state().devices.at(1).state, "QUARANTINED");
  EXPECT_NE(world.state().devices.at(1).reason.find("3 jobs in a row"), std::string::npos);
  world.clock.AdvanceMs(60'000);
  EXPECT_FALSE(world.Acquire().has_value());
  core::ReportRequest report;
  report.worker = "w";
  report.incarnation = 1;
  std::optional<core::ReportReply> told;
  world.core->Report(report, [&](auto reply) { told = *std::move(reply); });
  ASSERT_TRUE(told.has_value());
  EXPECT_EQ(told->worker, core::WorkerDesired::kQuarantine);
  // Nothing of the run is over, nothing is charged; it waits with its reason.
  world.clock.AdvanceMs(600'000);
  world.Settle();
  world.clock.AdvanceMs(600'000);
  world.Settle();
  EXPECT_EQ(world.run(run).state, store::RunState::kPaused);
  EXPECT_EQ(world.run(run).reason, "INFRA_DOWN");
  EXPECT_EQ(world.run(run).budgets.at("evaluations").spent, 0);
  EXPECT_EQ(world.run(run).budgets.at("evaluations").reserved, 0);
  EXPECT_EQ(state::ProgressOf(world.state(), world.run(run)).evaluated, 0);
  // The worker is started again: a device is back.
  world.RegisterWorker("w", 2);
  EXPECT_EQ(world.state().devices.at(1).state, "HEALTHY");
  world.Settle();
  EXPECT_EQ(world.run(run).state, store::RunState::kRunning);
  for (;;) {
    world.Settle();
    const auto grant = world.Acquire("w", 2);
    if (!grant) break;
    auto result = world.Result(*grant, Verdict::kCorrect);
    result.incarnation = 2;
    ASSERT_TRUE(world.core->Complete(result).ok());
  }
  EXPECT_EQ(world.run(run).state, store::RunState::kStopped);
  EXPECT_EQ(world.run(run).reason, "EXHAUSTED");
  EXPECT_EQ(world.Refold(), world.state());
}

TEST(Lease, AJobThatKillsEveryWorkerIsPoisonInTheEnd) {
  World world;
  world.RegisterWorker();
  world.Submit("name=bad");
  world.Settle();
  for (uint64_t incarnation = 1; world.state().jobs.at(1).state == JobState::kQueued;
       ++incarnation) {
    ASSERT_LT(incarnation, 20u);
    world.RegisterWorker("w", incarnation);  // what starts workers again
    world.clock.AdvanceMs(2'000);
    world.Acquire("w", incarnation);
    world.RegisterWorker("w", incarnation + 1);
  }
  EXPECT_EQ(world.state().jobs.at(1).state, JobState::kPoisoned);
  EXPECT_EQ(world.state().jobs.at(1).infra_losses, 6);
}

TEST(Health, WhatAWorkerSaysOfItsDeviceIsHeeded) {
  World world;
  world.RegisterWorker();
  world.Submit("name=x");
  world.Settle();
  const auto report = [&](bool healthy, const std::string& reason) {
    core::ReportRequest request;
    request.worker = "w";
    request.incarnation = 1;
    request.healthy = healthy;
    request.unhealthy_reason = reason;
    world.core->Report(request, [](auto reply) { EXPECT_TRUE(reply.ok()); });
  };
  report(false, "no context: error 999");
  EXPECT_EQ(world.state().devices.at(1).state, "QUARANTINED");
  EXPECT_EQ(world.state().devices.at(1).reason, "reported: no context: error 999");
  EXPECT_FALSE(world.Acquire().has_value());
  report(true, "");
  EXPECT_EQ(world.state().devices.at(1).state, "HEALTHY");
  EXPECT_TRUE(world.Acquire().has_value());
  report(false, std::string(255, 'x') + "\u00e9");  // cut between characters, not inside one
  EXPECT_EQ(world.state().devices.at(1).reason, "reported: " + std::string(255, 'x'));
}

TEST(Names, AnOlderWorkerOfTheSameNameServesUnderAnother) {
  World world;
  world.RegisterWorker("w", 5);
  core::RegisterRequest older;
  older.meta = world.NewMeta();
  older.name = "w";
  older.uuid = "cpu:w";
  older.incarnation = 3;
  older.capabilities = {"run:machine"};
  auto reply = world.core->Register(older);
  ASSERT_TRUE(reply.ok()) << reply.status();
  EXPECT_EQ(reply->worker, "w#2");
  world.RestartCore();  // both are still there after the daemon was started again
  world.Submit("name=x");
  world.Submit("name=y");
  world.Settle();
  EXPECT_TRUE(world.Acquire("w", 5).has_value());
  EXPECT_TRUE(world.Acquire("w#2", 3).has_value());
  EXPECT_EQ(world.core->Register(older)->worker, "w#2");
  // Once the younger one is gone, its name is free.
  world.clock.AdvanceMs(31'000);
  EXPECT_EQ(world.core->Register(older)->worker, "w");
  EXPECT_EQ(world.state().FindWorker("w")->incarnation, 3u);
}

TEST(Names, TwoWorkersNeverShareADeviceThatMeasures) {
  World world;
  core::RegisterRequest gpu = world.Gpu();
  gpu.incarnation = 5;
  ASSERT_TRUE(world.core->Register(gpu).ok());
  gpu.incarnation = 3;
  EXPECT_TRUE(absl::IsUnavailable(world.core->Register(gpu).status()));
}

TEST(Lease, TwoDevicesPoisonAtOnce) {
  World world;
  LeasedJob(world);
  world.clock.AdvanceMs(30'000);
  world.core->Step();
  world.RegisterWorker("v");
  ASSERT_TRUE(world.Acquire("v").has_value());
  world.clock.AdvanceMs(30'000);
  world.core->Step();
  EXPECT_EQ(world.state().jobs.at(1).state, JobState::kPoisoned);
}

TEST(Lease, WorkerCannotSayWhatOnlyTheDaemonDecides) {
  World world;
  const core::Grant grant = LeasedJob(world);
  for (const Verdict verdict : {Verdict::kPending, Verdict::kConfirmed, Verdict::kImproved,
                                Verdict::kDuplicate, Verdict::kRejectedSafety}) {
    EXPECT_EQ(state::FieldOf(world.core->Complete(world.Result(grant, verdict)).status())->kind,
              "verdict");
  }
  EXPECT_EQ(JobOf(world, grant).state, JobState::kLeased);
}

TEST(Lease, StopCancelsWhatIsOutAndWhatIsQueued) {
  World world;
  world.RegisterWorker();
  loop::RunSpec spec;
  spec.open = true;
  const std::string run = world.StartRun("e", 10, spec);
  auto request = world.Request("name=x members=6", world.NewMeta());
  request.meta.experiment = "e";
  ASSERT_TRUE(world.Submit(request).ok());
  world.Settle();
  const auto grant = world.Acquire();
  ASSERT_TRUE(grant.has_value());
  std::optional<core::ReportReply> report;
  world.core->Report(ReportOf(*grant), [&](auto r) { report = *r; });
  ASSERT_FALSE(report.has_value());
  core::ExperimentRequest stop;
  stop.meta = world.NewMeta();
  stop.experiment = "e";
  ASSERT_TRUE(world.core->StopExperiment(stop).ok());
  world.core->Step();
  ASSERT_TRUE(report.has_value());  // the held report brings the cancel at once
  EXPECT_EQ(report->desired, std::vector<Desired>{Desired::kCancel});
  EXPECT_FALSE(world.Acquire().has_value());
  const state::Run& row = world.run(run);
  EXPECT_EQ(row.state, store::RunState::kStopped);
  EXPECT_EQ(row.reason, "OPERATOR");
  EXPECT_TRUE(row.open.empty());
  EXPECT_EQ(row.budgets.at("evaluations").reserved, 0);
  for (const auto& [id, variant] : world.state().variants) {
    EXPECT_NE(variant.verdict, Verdict::kPending) << id;
  }
  EXPECT_EQ(state::ReasonOf(world.core->Complete(world.Result(*grant, Verdict::kCorrect)).status()),
            Reason::kStaleToken);
}

TEST(Budget, ReservesAtGrantSettlesAtCompleteRefundsForInfrastructure) {
  World world;
  world.RegisterWorker();
  loop::RunSpec spec;
  spec.open = true;
  const std::string run = world.StartRun("e", 3, spec);
  auto request = world.Request("name=x members=3", world.NewMeta());
  request.meta.experiment = "e";
  ASSERT_TRUE(world.Submit(request).ok());
  world.Settle();
  const state::Budget& budget = world.run(run).budgets.at("evaluations");
  auto grant = world.Acquire();
  EXPECT_EQ(budget.reserved, 1);
  auto lost = world.Result(*grant, Verdict::kInfraDevice);
  lost.checks.push_back({.name = "ended_early", .outcome = "FAIL", .detail = "signal 11"});
  ASSERT_TRUE(world.core->Complete(lost).ok());
  EXPECT_EQ(world.Events<store::LeaseLost>().at(0).detail, "INFRA_DEVICE: signal 11");
  EXPECT_EQ(budget.reserved, 0);
  EXPECT_EQ(budget.spent, 0);
  grant = world.Acquire();
  ASSERT_TRUE(world.core->Complete(world.Result(*grant, Verdict::kWrongResult)).ok());
  EXPECT_EQ(budget.spent, 1);
  // A result that never completed the oracle is not charged.
  grant = world.Acquire();
  auto refused = world.Result(*grant, Verdict::kLoweringFailed);
  refused.clocks.clear();
  ASSERT_TRUE(world.core->Complete(refused).ok());
  EXPECT_EQ(budget.spent, 1);
  EXPECT_EQ(budget.reserved, 0);
}

TEST(Lease, PausesAfterTenMinutesWithoutAMachineAndGoesOnWithOne) {
  World world;
  loop::RunSpec spec;
  spec.open = true;
  const std::string run = world.StartRun("e", 10, spec);
  auto request = world.Request("name=x", world.NewMeta());
  request.meta.experiment = "e";
  ASSERT_TRUE(world.Submit(request).ok());
  world.Settle();
  world.clock.AdvanceMs(599'999);
  world.Settle();
  EXPECT_EQ(world.run(run).state, store::RunState::kRunning);
  world.clock.AdvanceMs(1);
  world.Settle();
  EXPECT_EQ(world.run(run).state, store::RunState::kPaused);
  EXPECT_EQ(world.run(run).reason, "INFRA_DOWN");
  world.RegisterWorker();
  world.Settle();
  EXPECT_EQ(world.run(run).state, store::RunState::kRunning);
  EXPECT_TRUE(world.Acquire().has_value());
}

}  // namespace
}  // namespace server::testing
