// A daemon, its agents and its workers for a while of fake time, drawn from a seed. A failure
// prints its seed; CAKE_SIM_SEED=n runs that one alone, CAKE_SIM_SEEDS=n so many from 1.
#include <cstdlib>

#include "tests/sim/actors.h"

namespace server::testing {
namespace {

using store::JobState;
using store::RunState;
using store::Verdict;

constexpr int kSeedsDefault = 1000;
constexpr int kActionsBeforeCalm = 250;
constexpr int kActionsMax = 60000;  // a search proposes and judges much more than it evaluates

class Simulation {
 public:
  explicit Simulation(uint64_t seed)
      : dice_(seed, 0, 0, state::DrawFor::kSimulation), agent_("e"), stray_("") {
    loop::RunSpec spec;
    spec.open = true;
    spec.wave_members = 4 + static_cast<int64_t>(dice_.Below(16));
    spec.keep_min = 2;
    spec.expand_members = 1 + static_cast<int64_t>(dice_.Below(5));
    spec.ordered = Chance(dice_, 50);
    if (Chance(dice_, 50)) {
      auto evolving = loop::SpecOfArm(spec, "full");
      EXPECT_TRUE(evolving.ok());
      spec = *evolving;
    }
    world_.StartRun("e", 5 + static_cast<int64_t>(dice_.Below(20)), spec);
    workers_ = {SimWorker("w1"), SimWorker("w2")};
  }

  void Play() {
    for (int i = 0; i < kActionsBeforeCalm && !::testing::Test::HasFailure(); ++i) {
      One(/*calm=*/false);
      CheckAlways();
    }
    // Then nothing breaks any more, and everything must come to its end.
    for (int i = 0; i < kActionsMax && !::testing::Test::HasFailure(); ++i) {
      One(/*calm=*/true);
      if (i % 50 == 49 && AllEnded()) break;
    }
    EXPECT_TRUE(AllEnded()) << "work is left that nobody ends";
    CheckEnd();
  }

 private:
  void One(bool calm) {
    switch (dice_.Below(calm ? 8 : 10)) {
      case 0:
        if (!calm) agent_.Act(world_, dice_);
        break;
      case 1:
        if (!calm) stray_.Act(world_, dice_);
        break;
      case 2:
      case 3: workers_[0].Act(world_, dice_); break;
      case 4: workers_[1].Act(world_, dice_); break;
      case 5: AnswerGate(); break;
      case 6: world_.core->Step(); break;
      case 7:
        world_.clock.AdvanceMs(static_cast<int64_t>(dice_.Below(4'000)));
        reader_.Act(world_, dice_);
        break;
      case 8:
        if (Chance(dice_, 25)) {
          world_.RestartCore();
          reader_.Lost();
          agent_.Lost();
          stray_.Lost();
        }
        break;
      case 9:
        if (Chance(dice_, 20)) world_.clock.AdvanceMs(31'000);  // nobody reported in time
        break;
    }
  }

  // In any order: children answer when they are done.
  void AnswerGate() {
    if (world_.gates.asked.empty()) return;
    const auto at = static_cast<std::ptrdiff_t>(dice_.Below(world_.gates.asked.size()));
    const auto asked = world_.gates.asked[static_cast<size_t>(at)];
    world_.gates.asked.erase(world_.gates.asked.begin() + at);
    auto reply = FakeGates::Reply(asked.request);
    if (Chance(dice_, 3)) reply = absl::UnavailableError("no process could be started");
    world_.core->GateDone(asked.id, reply);
    if (Chance(dice_, 5)) world_.core->GateDone(asked.id, reply);  // an answer that comes twice
  }

  void CheckAlways() {
    for (const auto& [id, run] : world_.state().runs) {
      for (const auto& [kind, budget] : run.budgets) {
        ASSERT_LE(budget.spent + budget.reserved, budget.limit) << kind;
        ASSERT_GE(budget.reserved, 0) << kind;
      }
    }
    std::set<int64_t> held;
    for (const int64_t lease : world_.state().open_leases) {
      ASSERT_TRUE(held.insert(world_.state().leases.at(lease).job).second) << "two leases, one job";
    }
  }

  bool AllEnded() const {
    for (const auto& [id, run] : world_.state().runs) {
      if (run.state != RunState::kStopped && !run.open.empty()) return false;
    }
    return world_.state().open_leases.empty();
  }

  void CheckEnd() {
    world_.core->Step();
    ASSERT_TRUE(world_.Refold() == world_.state());
    for (const Agent* agent : {&agent_, &stray_}) {
      std::set<std::string> names;
      for (const auto& [request, name] : agent->witness) {
        ASSERT_NE(world_.state().FindCandidate(name), nullptr) << "lost: " << name;
        EXPECT_EQ(world_.candidate(name).source_hash, store::HashOf(agent->sources.at(name)));
        EXPECT_TRUE(names.insert(name).second) << "two requests, one candidate";
      }
    }
    CheckVerdicts();
    CheckReader();
  }

  // One final verdict for each (variant, protocol, purpose, round).
  void CheckVerdicts() {
    std::map<int64_t, int> ends;
    for (const auto& done : world_.Events<store::EvaluationDone>()) ++ends[done.job];
    std::set<std::string> keys;
    for (const auto& [id, job] : world_.state().jobs) {
      EXPECT_LE(ends[id], 1) << "job " << id;
      EXPECT_EQ(ends[id] == 1, job.state != JobState::kQueued && job.state != JobState::kLeased);
      EXPECT_TRUE(keys.insert(absl::StrCat(job.variant, "/", job.protocol, "/",
                                           static_cast<int>(job.purpose), "/", job.round))
                      .second);
    }
  }

  void CheckReader() {
    for (int i = 0; i < 200 && reader_.last() < world_.state().last_seq; ++i) {
      reader_.Act(world_, dice_);
      world_.core->Step();
    }
    EXPECT_EQ(reader_.last(), world_.state().last_seq);
  }

  Dice dice_;
  World world_;
  Agent agent_, stray_;
  std::vector<SimWorker> workers_;
  Reader reader_;
};

int64_t FromEnvironment(const char* name, int64_t otherwise) {
  const char* text = std::getenv(name);
  return text != nullptr && *text != '\0' ? std::atoll(text) : otherwise;
}

TEST(Simulation, EverySeedEndsWell) {
  const int64_t only = FromEnvironment("CAKE_SIM_SEED", 0);
  const int64_t seeds = FromEnvironment("CAKE_SIM_SEEDS", kSeedsDefault);
  for (int64_t seed = only != 0 ? only : 1; seed <= (only != 0 ? only : seeds); ++seed) {
    SCOPED_TRACE(absl::StrCat("CAKE_SIM_SEED=", seed));
    Simulation(static_cast<uint64_t>(seed)).Play();
    if (HasFailure()) break;
  }
}

// The same seed is the same story, to the last event.
TEST(Simulation, IsDeterministic) {
  const auto log = [](uint64_t seed) {
    Dice dice(seed, 0, 0, state::DrawFor::kSimulation);
    World world;
    Agent agent("");
    SimWorker worker("w");
    for (int i = 0; i < 200; ++i) {
      agent.Act(world, dice);
      worker.Act(world, dice);
      world.core->Step();
      if (!world.gates.asked.empty()) {
        const auto asked = world.gates.asked.front();
        world.gates.asked.pop_front();
        world.core->GateDone(asked.id, FakeGates::Reply(asked.request));
      }
      world.clock.AdvanceMs(100);
    }
    std::string text;
    auto view = world.store->Snapshot();
    auto events = (*view)->reads().EventsAfter(0, 0, 500);
    EXPECT_TRUE(events.ok());
    for (const store::Event& event : *events) {
      absl::StrAppend(&text, event.seq, " ", event.at_us, " ", store::BodyToJson(event.body), "\n");
    }
    return text;
  };
  const std::string first = log(5);
  EXPECT_GT(first.size(), 2000u);
  EXPECT_EQ(log(5), first);
  EXPECT_NE(log(6), first);
}

}  // namespace
}  // namespace server::testing
