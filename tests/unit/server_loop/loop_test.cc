// Runs from their first family to their stop, and the fold that makes them resumable.
#include <algorithm>
#include <filesystem>

#include "server/loop/plan.h"
#include "tests/unit/server_core/world.h"

namespace server::testing {
namespace {

using store::RunState;
using store::Verdict;

std::string SubmitTo(World& world, const std::string& experiment, const std::string& source) {
  auto request = world.Request(source, world.NewMeta());
  request.meta.experiment = experiment;
  auto reply = world.Submit(request);
  EXPECT_TRUE(reply.ok()) << reply.status();
  return reply.ok() ? reply->candidate : "";
}

loop::RunSpec Narrow(int64_t wave, int64_t keep_min, double keep_share, double explore) {
  loop::RunSpec spec;
  spec.wave_members = wave;
  spec.keep_min = keep_min;
  spec.keep_share = keep_share;
  spec.explore_share = explore;
  return spec;
}

TEST(Run, StartsFromTheContractsProgramAndEndsExhausted) {
  World world;
  world.RegisterWorker();
  const std::string run = world.StartRun("e", 0);
  EXPECT_EQ(world.WorkOff(), 1);
  const state::Run& row = world.run(run);
  EXPECT_EQ(row.state, RunState::kStopped);
  EXPECT_EQ(row.reason, "EXHAUSTED");
  EXPECT_EQ(row.objective, store::ScoreSource::kEstimated);
  EXPECT_DOUBLE_EQ(row.baseline_ns, 2000);
  ASSERT_TRUE(row.best.has_value());
  EXPECT_DOUBLE_EQ(row.best->score, -2000);
}

TEST(Run, AProgramThatIsHandedInAloneIsAlwaysTried) {
  World world;
  world.RegisterWorker();
  world.StartRun("e", 0, Narrow(8, 1, 0.1, 0));
  SubmitTo(world, "e", "name=many members=8 ns=10");
  // By its estimate it is the last of all.
  const std::string alone = SubmitTo(world, "e", "name=alone ns=900000");
  world.WorkOff();
  const auto judged = state::JudgedOf(world.state(), world.candidate(alone));
  EXPECT_EQ(judged.verdict, Verdict::kCorrect);
  EXPECT_GT(state::ProgressOf(world.state(), world.run("r-1")).ranked_out, 0);
}

TEST(Run, StopsWhenTheBudgetIsSpentAndLeavesTheRestOut) {
  World world;
  world.RegisterWorker();
  const std::string run = world.StartRun("e", 3);
  SubmitTo(world, "e", "name=x members=10");
  EXPECT_EQ(world.WorkOff(), 3);
  const state::Run& row = world.run(run);
  EXPECT_EQ(row.reason, "BUDGET(evaluations)");
  EXPECT_EQ(row.budgets.at("evaluations").spent, 3);
  EXPECT_EQ(row.budgets.at("evaluations").reserved, 0);
  const state::Progress progress = state::ProgressOf(world.state(), row);
  EXPECT_EQ(progress.evaluated, 3);
  EXPECT_EQ(progress.ranked_out, 7);
  EXPECT_TRUE(progress.terminal);
  auto refused = world.Request("name=y", world.NewMeta());
  refused.meta.experiment = "e";
  EXPECT_EQ(state::ReasonOf(world.Submit(refused).status()), state::Reason::kBudgetSpent);
}

TEST(Run, EvaluatesTheBestPredictionFirst) {
  World world;
  world.RegisterWorker();
  world.StartRun("e", 2, Narrow(512, 16, 0.5, 0));
  SubmitTo(world, "e", "name=x members=9 ns=5000 bad=0");
  SubmitTo(world, "e", "name=y members=9 ns=1000");
  world.WorkOff();
  std::set<std::string> evaluated;
  for (const auto& [id, job] : world.state().jobs) {
    evaluated.insert(world.state().variants.at(job.variant).canon_hash);
  }
  EXPECT_EQ(evaluated, (std::set<std::string>{"y:0", "y:1"}));
}

TEST(Run, OpenRunsAreNeverExhausted) {
  World world;
  world.RegisterWorker();
  loop::RunSpec spec;
  spec.open = true;
  const std::string run = world.StartRun("e", 0, spec);
  SubmitTo(world, "e", "name=x");
  EXPECT_EQ(world.WorkOff(), 1);
  EXPECT_EQ(world.run(run).state, RunState::kRunning);
  SubmitTo(world, "e", "name=y");
  EXPECT_EQ(world.WorkOff(), 1);
}

TEST(Run, StopsAtItsTarget) {
  World world;
  world.RegisterWorker();
  loop::RunSpec spec;
  spec.target_ratio = 0.6;  // of the baseline's 2000
  spec.round_slots = 1;
  const std::string run = world.StartRun("e", 0, spec);
  SubmitTo(world, "e", "name=x members=5 ns=1100");
  EXPECT_EQ(world.WorkOff(), 1);
  EXPECT_EQ(world.run(run).reason, "TARGET");
}

// Changing what is asked changes the result: nothing of it is fixed.
TEST(Run, WrongMembersAreNeverBest) {
  World world;
  world.RegisterWorker();
  const std::string run = world.StartRun("e", 0);
  SubmitTo(world, "e", "name=x members=3 ns=1000");
  world.Settle();
  while (const auto grant = world.Acquire()) {
    const auto& variant = world.state().variants.at(
        world.state().jobs.at(*store::ParseRowName('j', grant->job)).variant);
    const bool fastest = variant.canon_hash == "x:0";
    ASSERT_TRUE(
        world.core
            ->Complete(world.Result(*grant, fastest ? Verdict::kWrongResult : Verdict::kCorrect))
            .ok());
    world.Settle();
  }
  const state::Run& row = world.run(run);
  ASSERT_TRUE(row.best.has_value());
  EXPECT_EQ(world.state().variants.at(row.best->variant).canon_hash, "x:1");
}

TEST(Run, KnownTwinOfAnotherRunCountsWithoutRunningAgain) {
  World world;
  world.RegisterWorker();
  world.StartRun("one", 0);
  SubmitTo(world, "one", "name=x members=2");
  EXPECT_EQ(world.WorkOff(), 2);
  const std::string second = world.StartRun("two", 0);
  SubmitTo(world, "two", "name=x members=2");
  EXPECT_EQ(world.WorkOff(), 0);
  const state::Run& row = world.run(second);
  EXPECT_EQ(row.reason, "EXHAUSTED");
  ASSERT_TRUE(row.best.has_value());
  EXPECT_DOUBLE_EQ(row.best->score, -1000);
}

TEST(Run, PausedRunsGrantNothingAndGoOnWhereTheyWere) {
  World world;
  world.RegisterWorker();
  const std::string run = world.StartRun("e", 0);
  SubmitTo(world, "e", "name=x members=3");
  world.Settle();
  core::ExperimentRequest request;
  request.meta = world.NewMeta();
  request.experiment = "e";
  ASSERT_TRUE(world.core->PauseExperiment(request).ok());
  EXPECT_FALSE(world.Acquire().has_value());
  request.meta = world.NewMeta();
  ASSERT_TRUE(world.core->ResumeExperiment(request).ok());
  EXPECT_EQ(world.WorkOff(), 3);
  EXPECT_EQ(world.run(run).reason, "EXHAUSTED");
  request.meta = world.NewMeta();
  EXPECT_EQ(world.core->ResumeExperiment(request).status().code(),
            absl::StatusCode::kFailedPrecondition);
}

// With ordered rounds a slot is filled only when the round before has ended.
TEST(Run, OrderedRoundsWaitForTheRoundBefore) {
  World world;
  world.RegisterWorker();
  loop::RunSpec spec;
  spec.ordered = true;
  spec.round_slots = 2;
  world.StartRun("e", 0, spec);
  SubmitTo(world, "e", "name=x members=4");
  world.Settle();
  EXPECT_EQ(world.state().jobs.size(), 2u);
  auto first = world.Acquire();
  ASSERT_TRUE(world.core->Complete(world.Result(*first, Verdict::kCorrect)).ok());
  world.Settle();
  EXPECT_EQ(world.state().jobs.size(), 2u);  // not in async mode: that would be 3
  auto second = world.Acquire();
  ASSERT_TRUE(world.core->Complete(world.Result(*second, Verdict::kCorrect)).ok());
  world.Settle();
  EXPECT_EQ(world.state().jobs.size(), 4u);
}

TEST(Run, ExplorationTakesItsShareOfTheEvaluationsAndIsReproducible) {
  std::vector<std::string> chosen[2];
  for (auto& order : chosen) {
    World world;
    world.RegisterWorker();
    world.StartRun("e", 10, Narrow(512, 4, 0.5, 0.2));
    SubmitTo(world, "e", "name=x members=40");
    world.WorkOff();
    int explored = 0;
    for (const auto& [id, job] : world.state().jobs) {
      const state::Variant& variant = world.state().variants.at(job.variant);
      order.push_back(variant.canon_hash);
      explored += variant.why == "EXPLORE" ? 1 : 0;
    }
    EXPECT_EQ(order.size(), 10u);
    EXPECT_EQ(explored, 2);
  }
  EXPECT_EQ(chosen[0], chosen[1]);
}

TEST(Run, ExplorationChangesWhatIsEvaluated) {
  std::set<std::string> evaluated[2];
  for (int i = 0; i < 2; ++i) {
    World world;
    world.RegisterWorker();
    world.StartRun("e", 10, Narrow(512, 4, 0.5, i == 0 ? 0.0 : 0.3));
    SubmitTo(world, "e", "name=x members=40");
    world.WorkOff();
    for (const auto& [id, job] : world.state().jobs) {
      evaluated[i].insert(world.state().variants.at(job.variant).canon_hash);
    }
  }
  EXPECT_NE(evaluated[0], evaluated[1]);
}

// The live state is the fold of the log, at every point where anybody could look.
TEST(Fold, EqualsTheLiveStateAfterEveryStep) {
  World world;
  world.RegisterWorker();
  world.StartRun("e", 6, Narrow(8, 2, 0.5, 0.2));
  SubmitTo(world, "e", "name=x members=20 bad=3,7");
  SubmitTo(world, "e", "name=y members=4 broken");
  int looked = 0;
  for (int i = 0; i < 400; ++i) {
    bool any = world.core->Step();
    if (!world.gates.asked.empty()) {
      const auto asked = std::move(world.gates.asked.front());
      world.gates.asked.pop_front();
      world.core->GateDone(asked.id, FakeGates::Reply(asked.request));
      any = true;
    } else if (const auto grant = world.Acquire()) {
      const Verdict verdict = i % 3 == 0 ? Verdict::kWrongResult : Verdict::kCorrect;
      ASSERT_TRUE(world.core->Complete(world.Result(*grant, verdict)).ok());
      any = true;
    }
    ASSERT_TRUE(world.Refold() == world.state()) << "after step " << i;
    ++looked;
    if (!any) break;
  }
  EXPECT_GT(looked, 10);
  EXPECT_EQ(world.run("r-1").state, RunState::kStopped);
}

// What the resumed run does is what the uninterrupted one would have done: the logs are equal but
// for leases, which the restart may lose and grant again.
TEST(Fold, RestartsAtAnyPointGiveTheSameDecisions) {
  const auto play = [](int restart_every) {
    const std::string dir = ::testing::TempDir() + absl::StrCat("/server_resume_", restart_every);
    std::filesystem::remove_all(dir);
    World world(dir);
    world.RegisterWorker();
    loop::RunSpec spec = Narrow(8, 2, 0.5, 0.3);
    spec.ordered = true;
    world.StartRun("e", 8, spec);
    SubmitTo(world, "e", "name=x members=24 bad=5");
    for (int i = 1; i < 2000; ++i) {
      bool any = world.core->Step();
      if (restart_every != 0 && i % restart_every == 0 && i < 400) {
        world.Restart();
        any = true;
      }
      if (!world.gates.asked.empty()) {
        const auto asked = std::move(world.gates.asked.front());
        world.gates.asked.pop_front();
        world.core->GateDone(asked.id, FakeGates::Reply(asked.request));
        any = true;
      } else if (const auto grant = world.Acquire()) {
        EXPECT_TRUE(world.core->Complete(world.Result(*grant, Verdict::kCorrect)).ok());
        any = true;
      }
      if (!any && world.run("r-1").state == RunState::kStopped) break;
    }
    std::vector<std::string> log;
    for (const auto& d : world.Events<store::Decision>()) {
      log.push_back(
          absl::StrCat(d.decision_no, " ", d.kind, " ", d.chosen_json, " ", d.rng_counter));
    }
    for (const auto& r : world.Events<store::Ranked>()) {
      for (const auto& v : r.variants) log.push_back(absl::StrCat(v.variant, " ", v.why));
    }
    EXPECT_EQ(world.run("r-1").state, RunState::kStopped);
    return log;
  };
  const std::vector<std::string> whole = play(0);
  EXPECT_GT(whole.size(), 20u);
  EXPECT_EQ(play(3), whole);
  EXPECT_EQ(play(7), whole);
}

}  // namespace
}  // namespace server::testing
