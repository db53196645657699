// Every rule of the search changes what it decides: each test compares the decisions with and
// without it, or reads its mark in them.
#include <filesystem>

#include "tests/unit/server_loop/evolving.h"

namespace server::testing {
namespace {

using store::Purpose;
using store::Verdict;

constexpr const char* kFamily = "name=a members=400 ns=1000";

std::map<std::string, int> Sources(const std::vector<state::Choice>& proposals) {
  std::map<std::string, int> count;
  for (const state::Choice& choice : proposals) ++count[choice.detail];
  return count;
}

TEST(Evolve, ParentsComeFromEverySourceInItsShare) {
  Evolving e;
  const state::Run& run = e.Play(Evolving::Arm("full"), 200, {kFamily});
  EXPECT_EQ(run.reason, "BUDGET(evaluations)");
  const auto proposals = e.Choices(state::kPropose);
  auto count = Sources(proposals);
  const auto all = static_cast<double>(proposals.size());
  EXPECT_GT(all, 150);
  // Shares of the rule: 50, 20, 10 and 10 + 10 in a hundred.
  EXPECT_NEAR(count["ELITE"] / all, 0.5, 0.1);
  EXPECT_NEAR(count["RARE_CELL"] / all, 0.2, 0.08);
  EXPECT_NEAR(count["OTHER_ISLAND"] / all, 0.1, 0.06);
  EXPECT_NEAR(count["PROMISE"] / all, 0.1, 0.06);
  EXPECT_NEAR(count["NOVELTY"] / all, 0.1, 0.06);
  // It ends better than it began, and what it says is confirmed.
  EXPECT_GT(run.best_confirmed, 1.05);
  EXPECT_TRUE(e.world.Refold() == e.world.state());
}

TEST(Evolve, IslandsTakeTurnsAndTheirElitesMigrateInARing) {
  Evolving e;
  const state::Run& run = e.Play(Evolving::Arm("full"), 100, {kFamily});
  std::map<int64_t, int> islands;
  for (const auto& choice : e.Choices(state::kPropose)) ++islands[choice.island];
  EXPECT_EQ(islands.size(), 4u);
  for (const auto& [island, count] : islands) EXPECT_GT(count, 10) << island;
  const auto charged = static_cast<int64_t>(run.confirmed_curve.size());
  EXPECT_GT(charged, 80);
  EXPECT_EQ(run.migrations, charged / 24);
  const auto moves = e.Choices(state::kMigrate);
  ASSERT_EQ(static_cast<int64_t>(moves.size()), 4 * run.migrations);
  for (const auto& move : moves) EXPECT_EQ((move.from + 1) % 4, move.island);
  const auto guest = std::find_if(moves.begin(), moves.end(), [&](const state::Choice& move) {
    return move.variant != 0 &&
           e.world.state()
                   .candidates.at(e.world.state().variants.at(move.variant).candidate)
                   .island == move.from;
  });
  EXPECT_NE(guest, moves.end());

  Evolving alone;
  loop::RunSpec never = Evolving::Arm("full");
  never.migrate_every = 1000;
  alone.Play(never, 100, {kFamily});
  EXPECT_NE(alone.Evaluated(), e.Evaluated());
}

TEST(Evolve, TheArchiveDecidesParents) {
  Evolving with, without;
  with.Play(Evolving::Arm("full"), 80, {kFamily});
  without.Play(Evolving::Arm("no-archive"), 80, {kFamily});
  EXPECT_NE(with.Evaluated(), without.Evaluated());
  const auto count = Sources(without.Choices(state::kPropose));
  EXPECT_EQ(count.size(), 1u) << "without an archive the best so far is the parent";
  EXPECT_EQ(count.count("BEST"), 1u);
  EXPECT_GT(with.Run().archive.at(0).size(), 3u);
  // Elites of a cell: no right program of the cell on that island is better.
  const state::State& state = with.world.state();
  for (const auto& [id, variant] : state.variants) {
    if (variant.ratio_low <= 0) continue;
    const int64_t island = state.candidates.at(variant.candidate).island;
    EXPECT_GE(with.Run().archive.at(island).at(state.CellOf(variant)).score, variant.ratio_low);
  }
}

TEST(Evolve, RankingDecidesWhatIsEvaluated) {
  // The estimate is right here, so that what it leaves out is slower on the whole.
  const auto mean = [](const char* arm) {
    Evolving e;
    e.time = [](const std::string&, int64_t member) { return 900.0 + 3.0 * member; };
    e.Play(Evolving::Arm(arm), 60, {kFamily});
    double sum = 0;
    for (const auto& [id, variant] : e.world.state().variants) {
      if (variant.time_ns > 0) sum += variant.time_ns;
    }
    return sum / static_cast<double>(e.Run().confirmed_curve.size());
  };
  EXPECT_LT(mean("full"), mean("no-ranking"));
}

// What a ranking leaves aside goes on when later waves bring nothing better, and is out only when
// the run is over.
TEST(Evolve, WhatWasLeftAsideGetsItsTurnLater) {
  Evolving e;
  const state::Run& run = e.Play(Evolving::Arm("full"), 100, {kFamily});
  int64_t newest = 0;  // of the rankings so far
  int later = 0, explored = 0, kept = 0;
  for (const auto& ranking : e.world.Events<store::Ranked>()) {
    for (const auto& row : ranking.variants) {
      later += row.kept && row.variant < newest;
      explored += row.why == "EXPLORE";
      kept += row.kept;
    }
    for (const auto& row : ranking.variants) newest = std::max(newest, row.variant);
  }
  EXPECT_GT(later, 5);
  EXPECT_NEAR(static_cast<double>(explored) / kept, 0.2, 0.1);
  int64_t out = 0;
  for (const int64_t candidate : run.candidates) {
    for (const int64_t id : e.world.state().candidates.at(candidate).variants) {
      const state::Variant& variant = e.world.state().variants.at(id);
      EXPECT_NE(variant.verdict, Verdict::kPending);
      out += variant.verdict == Verdict::kRankedOut;
    }
  }
  EXPECT_GT(out, 0);

  // Where nothing new comes any more, whatever waited is tried.
  Evolving small;
  loop::RunSpec spec = Evolving::Arm("random");
  spec.wave_members = 32;
  spec.keep_share = 0.125;
  EXPECT_EQ(small.Play(spec, 0, {"name=a members=40 ns=1000"}).reason, "EXHAUSTED");
  for (const auto& [id, variant] : small.world.state().variants) {
    EXPECT_NE(variant.verdict, Verdict::kRankedOut) << variant.canon_hash;
  }
}

TEST(Evolve, BrokenSeedsAreRepairedUnlessFixesAreOff) {
  for (const char* arm : {"full", "no-fixes"}) {
    Evolving e;
    e.Play(Evolving::Arm(arm), 40, {"name=b members=9 ns=500 broken", kFamily});
    const auto evaluated = e.Evaluated();
    const bool repaired = std::any_of(evaluated.begin(), evaluated.end(),
                                      [](const std::string& form) { return form[0] == 'b'; });
    EXPECT_EQ(repaired, std::string(arm) == "full") << arm;
    const auto& tactics = e.Run().tactics;
    EXPECT_EQ(tactics.contains("fix"), repaired);
    if (repaired) {
      EXPECT_EQ(tactics.at("fix").tries, 1);
      EXPECT_EQ(tactics.at("fix").passed, 1);
    }
  }
}

TEST(Evolve, TheRandomArmDrawsMembersOfTheSeedsOnly) {
  Evolving e;
  e.Play(Evolving::Arm("random"), 40, {kFamily});
  for (const auto& choice : e.Choices(state::kPropose)) {
    EXPECT_EQ(choice.tactic, "random");
    EXPECT_EQ(choice.detail, "SEED");
  }
  for (const auto& [id, candidate] : e.world.state().candidates) {
    EXPECT_EQ(candidate.struct_hash, "a");
  }
}

TEST(Evolve, ALineageThatOnlyTurnsKnobsIsMadeToChangeItsStructure) {
  Evolving e;
  e.time = [](const std::string&, int64_t) { return 950.0; };  // no knob gains anything
  loop::RunSpec spec = Evolving::Arm("full");
  e.Play(spec, 60, {kFamily});
  const state::State& state = e.world.state();
  int forced = 0, changed = 0;
  for (const auto& choice : e.Choices(state::kPropose)) {
    if (!choice.structural) continue;
    ++forced;
    EXPECT_TRUE(loop::FindTactic(choice.tactic)->structural) << choice.tactic;
  }
  for (const auto& [id, candidate] : state.candidates) {
    if (candidate.parents.empty()) continue;
    changed += candidate.struct_hash != state.candidates.at(candidate.parents[0]).struct_hash;
  }
  EXPECT_GE(forced, 4);
  EXPECT_GT(changed, 0);

  Evolving gaining;
  int64_t evaluations = 0;
  gaining.time = [&](const std::string&, int64_t) {
    return 1000.0 * std::pow(0.98, ++evaluations);
  };
  gaining.Play(spec, 60, {kFamily});
  for (const auto& choice : gaining.Choices(state::kPropose)) EXPECT_FALSE(choice.structural);
}

TEST(Evolve, NearDuplicatesAreFree) {
  Evolving e;
  const state::Run& run = e.Play(Evolving::Arm("random"), 0, {"name=a members=6 ns=1000"});
  EXPECT_EQ(run.reason, "EXHAUSTED");
  int64_t duplicates = 0;
  std::set<std::string> forms;
  for (const auto& [id, variant] : e.world.state().variants) {
    duplicates += variant.verdict == Verdict::kDuplicate;
    if (variant.verdict == Verdict::kDuplicate) {
      EXPECT_TRUE(variant.jobs.empty());
    }
  }
  EXPECT_GT(duplicates, 0);
  EXPECT_GE(run.confirmed_curve.size(), 6u);
  EXPECT_GE(run.barren, 64);  // so many proposals in a row gave nothing new
}

TEST(Evolve, SomeSlotsAreSpentOnWhatIsKnown) {
  Evolving e;
  e.Play(Evolving::Arm("full"), 200, {kFamily});
  int again = 0, search = 0;
  for (const auto& [id, job] : e.world.state().jobs) {
    again += job.purpose == Purpose::kRecheck;
    search += job.purpose == Purpose::kSearch;
  }
  EXPECT_GT(again, 2);
  EXPECT_NEAR(static_cast<double>(again) / (again + search), 0.05, 0.04);
}

TEST(Evolve, SomeRejectedProgramsRunOnWorkersThatAudit) {
  Evolving e;
  loop::RunSpec spec = Evolving::Arm("full");
  spec.audit_share = 0.5;
  std::string bad = "name=a members=60 ns=1000 bad=1";
  for (int i = 3; i < 60; i += 2) absl::StrAppend(&bad, ",", i);
  e.Play(spec, 60, {bad});
  int audits = 0;
  for (const auto& [id, job] : e.world.state().jobs) {
    if (job.purpose != Purpose::kAudit) continue;
    ++audits;
    const state::Variant& variant = e.world.state().variants.at(job.variant);
    EXPECT_TRUE(variant.audit);
    EXPECT_EQ(variant.verdict, Verdict::kRejectedSafety) << "an audit does not undo the gates";
    EXPECT_NE(std::find(job.needs.begin(), job.needs.end(), "audit"), job.needs.end());
  }
  EXPECT_GT(audits, 0);
  // Right all the same: the verifier's fault, and a finding at once.
  ASSERT_FALSE(e.world.state().findings.empty());
  EXPECT_EQ(e.world.state().findings.begin()->second.route, "verifier");
}

TEST(Evolve, FewCellsAtAPlateauForceExploration) {
  std::vector<double> flat(64, 1.2);
  const std::vector<std::string> two = [] {
    std::vector<std::string> cells(64, "a");
    cells[40] = "b";
    return cells;
  }();
  EXPECT_TRUE(loop::StuckInFewCells(flat, two, 64, 0));
  EXPECT_FALSE(loop::FindPlateau(flat, two, 64, 0).has_value());
  std::vector<std::string> three = two;
  three[41] = "c";
  EXPECT_FALSE(loop::StuckInFewCells(flat, three, 64, 0));
  EXPECT_TRUE(loop::FindPlateau(flat, three, 64, 0).has_value());

  Evolving e;
  e.Play(Evolving::Arm("full"), 40, {kFamily});
  const state::State& state = e.world.state();
  const state::Run& run = e.Run();
  std::set<std::string_view> how;
  for (uint64_t i = 0; i < 200; ++i) {
    state::Rng rng(i, 1, 1, state::DrawFor::kPropose);
    const auto parent = loop::SelectParent(state, run, Evolving::Arm("full"),
                                           loop::PoolOf(state, run), 0, /*explore=*/true, rng);
    ASSERT_TRUE(parent.has_value());
    how.insert(parent->how);
  }
  EXPECT_EQ(how,
            (std::set<std::string_view>{loop::kByRareCell, loop::kByPromise, loop::kByNovelty}));
}

TEST(Evolve, TacticsThatPayAreTakenMoreOften) {
  state::Run run;
  const auto share = [&](std::string_view name) {
    const auto weights = loop::TacticWeights(run, false, 2);
    double sum = 0, mine = 0;
    for (size_t i = 0; i < weights.size(); ++i) {
      sum += weights[i];
      if (loop::Tactics()[i].name == name) mine = weights[i];
    }
    return mine / sum;
  };
  const double before = share("fuse");
  run.tactics["fuse"] = {.tries = 10, .barren = 10};
  EXPECT_LT(share("fuse"), before / 3);
  run.tactics["fuse"] = {.tries = 10, .passed = 10, .evaluated = 10, .improved = 8};
  EXPECT_GT(share("fuse"), before);
}

// Killed at any step, an ordered run goes on as if it had not been.
TEST(Evolve, OrderedRunsAreResumedToTheSameLog) {
  const auto play = [](int restart_every) {
    const std::string dir = ::testing::TempDir() + absl::StrCat("/evolve_", restart_every);
    std::filesystem::remove_all(dir);
    Evolving e(dir);
    loop::RunSpec spec = Evolving::Arm("full");
    spec.ordered = true;
    core::CreateExperimentRequest create;
    create.meta = e.world.NewMeta();
    create.name = "e";
    create.workload = "vector_add";
    create.evaluations = 20;
    create.seed = 3;
    create.spec = spec;
    EXPECT_TRUE(e.world.core->CreateExperiment(create).ok());
    core::ExperimentRequest start;
    start.meta = e.world.NewMeta();
    start.experiment = "e";
    EXPECT_TRUE(e.world.core->StartExperiment(start).ok());
    auto request = e.world.Request(kFamily, e.world.NewMeta());
    request.meta.experiment = "e";
    EXPECT_TRUE(e.world.Submit(request).ok());
    for (int i = 1; i < 5000 && e.Run().state != store::RunState::kStopped; ++i) {
      e.Once();
      if (restart_every != 0 && i % restart_every == 0 && i < 1500) e.world.Restart();
    }
    EXPECT_EQ(e.Run().state, store::RunState::kStopped);
    std::vector<std::string> log;
    auto view = e.world.store->Snapshot();
    int64_t after = 0;
    for (;;) {
      auto events = (*view)->reads().EventsAfter(after, 0, 500);
      if (!events.ok() || events->empty()) break;
      for (const store::Event& event : *events) {
        after = event.seq;
        if (event.run == 0 || std::holds_alternative<store::LeaseGranted>(event.body) ||
            std::holds_alternative<store::LeaseLost>(event.body)) {
          continue;
        }
        std::string line = store::BodyToJson(event.body);
        for (const char* field : {"\"inputs_through_seq\":", "\"fencing_token\":", "\"active_ns\":",
                                  "\"receipt_hash\":"}) {
          const size_t at = line.find(field);
          if (at != std::string::npos) line.erase(at, line.find_first_of(",}", at) - at);
        }
        log.push_back(absl::StrCat(std::string(store::KindOf(event.body)), " ", line));
      }
    }
    return log;
  };
  const auto whole = play(0);
  EXPECT_GT(whole.size(), 100u);
  EXPECT_EQ(play(5), whole);
  EXPECT_EQ(play(11), whole);
}

}  // namespace
}  // namespace server::testing
