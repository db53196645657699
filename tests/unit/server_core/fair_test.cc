// Shares of the devices, budgets of time, tokens that sessions spend, callers and their limits.
#include "server/core/budgets.h"
#include "server/state/shares.h"
#include "tests/unit/server_core/world.h"

namespace server::testing {
namespace {

using state::Reason;
using store::Verdict;

constexpr int64_t kSecond = 1'000'000'000;

// So many candidates, each with one job, handed into the run by the session.
void HandIn(World& world, const std::string& run, const std::string& session, int count) {
  for (int i = 0; i < count; ++i) {
    auto request = world.Request(absl::StrCat("name=", run, session, i), world.NewMeta());
    request.meta.run = run;
    request.meta.session = session;
    ASSERT_TRUE(world.Submit(request).ok());
    world.Settle();
  }
}

loop::RunSpec Open() {
  loop::RunSpec spec;
  spec.open = true;
  spec.round_slots = 64;
  return spec;
}

core::CompleteRequest Took(World& world, const core::Grant& grant, int64_t oracle_ns) {
  auto request = world.Result(grant, Verdict::kCorrect);
  request.clocks = {{store::Stage::kOracle, store::StageEnd::kOk, oracle_ns, oracle_ns, 0}};
  return request;
}

const state::Job& JobOf(const World& world, const core::Grant& grant) {
  return world.state().jobs.at(*store::ParseRowName('j', grant.job));
}

// One experiment has jobs of 4 s, the other of 1 s: what they get is time, not turns.
TEST(Fair, ExperimentsShareTheDevicesByCost) {
  World world;
  world.RegisterWorker();
  const std::string slow = world.StartRun("slow", 0, Open()),
                    fast = world.StartRun("fast", 0, Open());
  HandIn(world, slow, "a", 30);
  HandIn(world, fast, "a", 60);
  std::map<int64_t, int64_t> served;
  for (int i = 0; i < 50; ++i) {
    const auto grant = world.Acquire();
    ASSERT_TRUE(grant.has_value());
    const int64_t run = JobOf(world, *grant).run;
    const int64_t cost = run == world.run(slow).id ? 4 * kSecond : kSecond;
    served[run] += cost;
    ASSERT_TRUE(world.core->Complete(Took(world, *grant, cost)).ok());
  }
  const auto a = static_cast<double>(served[world.run(slow).id]),
             b = static_cast<double>(served[world.run(fast).id]);
  EXPECT_NEAR(a / (a + b), 0.5, 0.05) << a << " and " << b;
  EXPECT_EQ(world.Refold(), world.state());
}

// Many agents of one run do not crowd out the one agent of another, and within a run each agent has
// its part.
TEST(Fair, ManyAgentsOfARunAreNoLargerShare) {
  World world;
  world.RegisterWorker();
  const std::string crowd = world.StartRun("crowd", 0, Open()),
                    one = world.StartRun("one", 0, Open());
  for (const char* session : {"a", "b", "c"}) HandIn(world, crowd, session, 10);
  HandIn(world, one, "z", 10);
  std::map<std::string, int> turns;
  for (int i = 0; i < 18; ++i) {
    const auto grant = world.Acquire();
    ASSERT_TRUE(grant.has_value());
    const state::Job& job = JobOf(world, *grant);
    ++turns[world.state().candidates.at(world.state().variants.at(job.variant).candidate).session];
    ASSERT_TRUE(world.core->Complete(Took(world, *grant, kSecond)).ok());
  }
  EXPECT_EQ(turns, (std::map<std::string, int>{{"a", 3}, {"b", 3}, {"c", 3}, {"z", 9}}));
}

// Whoever comes back has saved nothing up, and waits for nobody's arrears either.
TEST(Fair, IdlingSavesNothingUp) {
  World world;
  world.RegisterWorker();
  const std::string busy = world.StartRun("busy", 0, Open()),
                    late = world.StartRun("late", 0, Open());
  HandIn(world, busy, "a", 20);
  for (int i = 0; i < 10; ++i) {
    const auto grant = world.Acquire();
    ASSERT_TRUE(world.core->Complete(Took(world, *grant, kSecond)).ok());
  }
  HandIn(world, late, "b", 10);
  int of_late = 0;
  for (int i = 0; i < 10; ++i) {
    const auto grant = world.Acquire();
    of_late += JobOf(world, *grant).run == world.run(late).id ? 1 : 0;
    EXPECT_LE(of_late, i + 1);
    ASSERT_TRUE(world.core->Complete(Took(world, *grant, kSecond)).ok());
  }
  EXPECT_EQ(of_late, 5);
}

// Leases that are out count with what they will cost, so that one experiment does not get them all.
TEST(Fair, WhatIsOutCounts) {
  World world;
  for (const char* name : {"w1", "w2", "w3", "w4"}) world.RegisterWorker(name);
  const std::string a = world.StartRun("a", 0, Open()), b = world.StartRun("b", 0, Open());
  HandIn(world, a, "s", 4);
  HandIn(world, b, "s", 4);
  std::map<int64_t, int> out;
  for (const char* name : {"w1", "w2", "w3", "w4"}) ++out[JobOf(world, *world.Acquire(name)).run];
  EXPECT_EQ(out[world.run(a).id], 2);
  EXPECT_EQ(out[world.run(b).id], 2);
}

TEST(Fair, InsideAQueueTheUrgentComesFirst) {
  World world;
  world.RegisterWorker();
  const std::string run = world.StartRun("r", 0, Open());
  HandIn(world, run, "a", 2);
  const int64_t variant = world.state().jobs.rbegin()->second.variant;
  store::JobQueued urgent{.variant = variant,
                          .purpose = store::Purpose::kRecheck,
                          .protocol = "machine-v1",
                          .priority = 1000,
                          .needs = {"run:machine"},
                          .spec_hash = world.state().jobs.rbegin()->second.spec_hash};
  world.core.reset();
  store::Batch batch;
  batch.events = {urgent};
  ASSERT_TRUE(world.store->Commit(std::move(batch)).ok());
  world.RestartCore();
  EXPECT_EQ(world.Acquire()->purpose, store::Purpose::kRecheck);
}

std::string TimedRun(World& world, int64_t active_ns, int64_t slots) {
  core::CreateExperimentRequest create;
  create.meta = world.NewMeta();
  create.name = "timed";
  create.workload = "vector_add";
  create.active_ns = active_ns;
  create.spec = Open();
  create.spec.round_slots = slots;
  const auto created = world.core->CreateExperiment(create);
  EXPECT_TRUE(created.ok()) << created.status();
  core::ExperimentRequest start;
  start.meta = world.NewMeta();
  start.experiment = "timed";
  EXPECT_TRUE(world.core->StartExperiment(start).ok());
  return core::RunName(created->runs.front().row.id);
}

TEST(TimeBudget, IsReservedAtGrantSettledAtCompleteGivenBackWhenLost) {
  World world;
  world.RegisterWorker();
  const std::string run = TimedRun(world, 10 * kSecond, 64);
  const state::Budget& budget = world.run(run).budgets.at("active_ns");
  HandIn(world, run, "", 3);
  auto grant = world.Acquire();
  ASSERT_TRUE(grant.has_value());
  EXPECT_EQ(budget.reserved, kSecond);  // nothing is known yet
  world.clock.AdvanceMs(3000);
  ASSERT_TRUE(world.core->Complete(Took(world, *grant, kSecond)).ok());
  EXPECT_EQ(budget.reserved, 0);
  EXPECT_EQ(budget.spent, 3 * kSecond);
  grant = world.Acquire();
  EXPECT_EQ(budget.reserved, 3 * kSecond);  // as the one before took
  world.RegisterWorker("w", 2);             // the lease is lost
  EXPECT_EQ(budget.reserved, 0);
  EXPECT_EQ(budget.spent, 3 * kSecond);
  EXPECT_EQ(world.Refold(), world.state());
}

// At every event spent + reserved stays within the limit; the run ends when the cheapest step does
// not fit any more.
TEST(TimeBudget, IsNeverPassedAndEndsTheRun) {
  World world;
  world.RegisterWorker();
  const std::string run = TimedRun(world, 10 * kSecond, 1);
  HandIn(world, run, "", 8);
  int evaluated = 0;
  for (; evaluated < 8; ++evaluated) {
    const auto grant = world.Acquire();
    if (!grant) break;
    world.clock.AdvanceMs(4000);
    ASSERT_TRUE(world.core->Complete(Took(world, *grant, kSecond)).ok());
    world.Settle();
  }
  const state::Budget& budget = world.run(run).budgets.at("active_ns");
  EXPECT_LE(budget.spent, budget.limit);
  EXPECT_EQ(budget.reserved, 0);
  int64_t spent = 0, reserved = 0;
  auto view = world.store->Snapshot();
  for (int64_t after = 0;;) {
    auto events = (*view)->reads().EventsAfter(after, 0, 500);
    if (!events.ok() || events->empty()) break;
    for (const store::Event& event : *events) {
      after = event.seq;
      if (const auto* e = std::get_if<store::BudgetReserved>(&event.body)) reserved += e->amount;
      if (const auto* e = std::get_if<store::BudgetRefunded>(&event.body)) reserved -= e->amount;
      if (const auto* e = std::get_if<store::BudgetSettled>(&event.body)) {
        reserved -= e->reserved;
        spent += e->spent;
      }
      EXPECT_LE(spent + reserved, 10 * kSecond) << "event " << event.seq;
    }
  }
  EXPECT_EQ(spent, budget.spent);
  EXPECT_LT(evaluated, 8);
  EXPECT_EQ(world.run(run).state, store::RunState::kStopped);
  EXPECT_EQ(world.run(run).reason, "BUDGET(active_ns)");
}

core::UsageRequest Usage(World& world, const std::string& run, const std::string& session,
                         int64_t input, int64_t output) {
  core::UsageRequest request;
  request.meta = world.NewMeta();
  request.meta.run = run;
  request.meta.session = session;
  request.model = "m";
  request.input = input;
  request.output = output;
  return request;
}

TEST(Usage, CountersAreCumulativeAndNeverCountTwice) {
  World world;
  const std::string run = world.StartRun("r", 0, Open());
  auto first = Usage(world, run, "s", 100, 20);
  EXPECT_EQ(world.core->ReportUsage(first)->charged_tokens, 120);
  EXPECT_EQ(world.core->ReportUsage(first)->charged_tokens, 120);  // the same request
  EXPECT_EQ(world.core->ReportUsage(Usage(world, run, "s", 100, 20))->charged_tokens, 120);
  EXPECT_EQ(world.core->ReportUsage(Usage(world, run, "s", 90, 50))->charged_tokens, 150);
  EXPECT_EQ(world.core->ReportUsage(Usage(world, run, "t", 1, 2))->charged_tokens, 153);
  auto other = Usage(world, run, "s", 5, 0);
  other.model = "another";
  EXPECT_EQ(world.core->ReportUsage(other)->charged_tokens, 158);
  EXPECT_EQ(world.Refold(), world.state());
  first.meta.request_hash = "another body";
  EXPECT_EQ(state::ReasonOf(world.core->ReportUsage(first).status()), Reason::kIdempotencyReuse);
}

TEST(Usage, WhatCannotBeIsRefused) {
  World world;
  const std::string run = world.StartRun("r", 0, Open()), other = world.StartRun("o", 0, Open());
  const auto refused = [&](auto change) {
    auto request = Usage(world, run, "s", 10, 5);
    change(request);
    return world.core->ReportUsage(request).status().code();
  };
  constexpr auto kBad = absl::StatusCode::kInvalidArgument;
  EXPECT_EQ(refused([](auto& r) { r.meta.session = ""; }), kBad);
  EXPECT_EQ(refused([](auto& r) { r.model = ""; }), kBad);
  EXPECT_EQ(refused([](auto& r) { r.model = std::string(129, 'm'); }), kBad);
  EXPECT_EQ(refused([](auto& r) { r.input = -1; }), kBad);
  EXPECT_EQ(refused([](auto& r) { r.output = INT64_MAX; }), kBad);
  EXPECT_EQ(refused([](auto& r) { r.cached = 11; }), kBad);
  EXPECT_EQ(refused([](auto& r) { r.reasoning = 6; }), kBad);
  EXPECT_EQ(refused([](auto& r) { r.meta.run = ""; }), kBad);
  EXPECT_EQ(refused([](auto& r) { r.meta.run = "r-99"; }), absl::StatusCode::kNotFound);
  EXPECT_EQ(refused([](auto&) {}), absl::StatusCode::kOk);
  // A session's counters belong to the run that they were first charged to.
  EXPECT_EQ(refused([&](auto& r) { r.meta.run = other; }), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(world.run(other).tokens, 0);
}

TEST(Usage, TheTokenBudgetEndsTheRun) {
  World world;
  core::CreateExperimentRequest create;
  create.meta = world.NewMeta();
  create.name = "t";
  create.workload = "vector_add";
  create.tokens = 1000;
  create.spec = Open();
  const auto made = world.core->CreateExperiment(create);
  ASSERT_TRUE(made.ok());
  const std::string run = core::RunName(made->runs.front().row.id);
  core::ExperimentRequest start;
  start.meta = world.NewMeta();
  start.experiment = "t";
  ASSERT_TRUE(world.core->StartExperiment(start).ok());
  const auto reply = world.core->ReportUsage(Usage(world, run, "s", 900, 99));
  EXPECT_EQ(reply->budget.at("tokens").spent, 999);
  world.Settle();
  EXPECT_EQ(world.run(run).state, store::RunState::kRunning);
  ASSERT_TRUE(world.core->ReportUsage(Usage(world, run, "s", 901, 99)).ok());
  world.Settle();
  EXPECT_EQ(world.run(run).state, store::RunState::kStopped);
  EXPECT_EQ(world.run(run).reason, "BUDGET(tokens)");
}

core::TokenRequest Token(World& world, const std::string& name, const std::string& role) {
  core::TokenRequest request;
  request.meta = world.NewMeta();
  request.name = name;
  request.role = role;
  return request;
}

TEST(Token, IsShownOnceAndKeptAsAHash) {
  World world;
  const auto request = Token(world, "bot", "agent");
  const auto reply = world.core->CreateToken(request);
  ASSERT_TRUE(reply.ok()) << reply.status();
  EXPECT_EQ(reply->token.size(), 5u + 64u);
  const state::Principal& bot = world.state().principals.rbegin()->second;
  EXPECT_EQ(bot.token_hash, store::Sha256Hex(reply->token));
  EXPECT_EQ(world.core->CreateToken(request)->token, "");  // the same request again
  for (const auto& event : world.Events<store::PrincipalChanged>()) {
    EXPECT_EQ(store::BodyToJson(event).find(reply->token), std::string::npos);
  }
  EXPECT_EQ(world.core->CreateToken(Token(world, "bot", "agent")).status().code(),
            absl::StatusCode::kAlreadyExists);
  EXPECT_FALSE(world.core->CreateToken(Token(world, "a b", "agent")).ok());
  EXPECT_FALSE(world.core->CreateToken(Token(world, "root", "all")).ok());
  auto walled = Token(world, "walled", "operator");
  walled.experiment = "nowhere";
  EXPECT_EQ(world.core->CreateToken(walled).status().code(), absl::StatusCode::kNotFound);
  auto revoke = Token(world, "bot", "");
  revoke.reason = "done";
  ASSERT_TRUE(world.core->RevokeToken(revoke).ok());
  EXPECT_TRUE(world.state().principals.rbegin()->second.revoked);
  EXPECT_EQ(world.Refold(), world.state());
  EXPECT_FALSE(world.core->RevokeToken(Token(world, "local", "")).ok());
}

TEST(Token, AnAgentsSessionHasItsLimits) {
  World world;
  ASSERT_TRUE(world.core->CreateToken(Token(world, "bot", "agent")).ok());
  const int64_t bot = world.state().principals.rbegin()->first;
  const std::string run = world.StartRun("r", 0, Open());
  std::vector<absl::Status> ends;  // of checks, some of which end later
  const auto submit = [&](const std::string& session, int i) {
    auto request = world.Request(absl::StrCat("name=q", i), world.NewMeta());
    request.meta.run = run;
    request.meta.session = session;
    return world.Submit(request).status();
  };
  {
    const core::Core::Acting acting(*world.core, bot);
    for (int i = 0; i < 8; ++i) EXPECT_TRUE(submit("s", i).ok());
    EXPECT_EQ(state::ReasonOf(submit("s", 8)), Reason::kQueueFull);
    EXPECT_TRUE(submit("t", 9).ok());  // another session
    core::CheckRequest check;
    check.meta.session = "s";
    check.source.text = "name=c";
    for (int i = 0; i < 3; ++i) {
      world.core->Check(check, [&](const auto& reply) { ends.push_back(reply.status()); });
    }
    ASSERT_EQ(ends.size(), 1u);
    EXPECT_EQ(state::ReasonOf(ends[0]), Reason::kRate);
  }
  EXPECT_TRUE(submit("s", 10).ok());  // an operator
  EXPECT_EQ(world.candidate("c-1-1").author, bot);
  EXPECT_NE(world.candidate("c-1-10").author, bot);
  world.Settle();
  EXPECT_EQ(world.Events<store::Checked>().back().principal, bot);
}

TEST(Check, TheCallersTimeIsTheWorksLimit) {
  World world;
  core::CheckRequest check;
  check.source.text = "name=c";
  check.time_ms = 1234;
  world.core->Check(check, [](const auto&) {});
  EXPECT_EQ(world.gates.asked.front().request.cpu_limit_ms, 1234);
  check.time_ms = INT64_MAX;
  check.source.text = "name=d";
  world.core->Check(check, [](const auto&) {});
  EXPECT_EQ(world.gates.asked.back().request.cpu_limit_ms, 10'000);
}

}  // namespace
}  // namespace server::testing
