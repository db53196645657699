#include "clients/cli/remote/statistics.h"

#include "clients/cli/remote/arms.h"
#include "gtest/gtest.h"

namespace clients::cli::remote {
namespace {

// Values computed by hand from the definitions.
TEST(MannWhitney, CountsPairsAndCorrectsTies) {
  // Every one of the first is above: U = 9, mean 4.5, variance 3 * 3 / 12 * 7 = 5.25.
  const RankSum all = MannWhitney({4, 5, 6}, {1, 2, 3});
  EXPECT_DOUBLE_EQ(all.u, 9);
  EXPECT_DOUBLE_EQ(all.above, 1);
  EXPECT_NEAR(all.p, 0.0809, 0.0001);  // z = 4 / 2.2913
  const RankSum same = MannWhitney({1, 2, 3}, {1, 2, 3});
  EXPECT_DOUBLE_EQ(same.above, 0.5);
  EXPECT_DOUBLE_EQ(same.p, 1);
  // Two pairs of ties: variance 4 * 4 / 12 * (9 - 12 / 56).
  const RankSum ties = MannWhitney({1, 1, 3, 4}, {0, 1, 2, 4});
  EXPECT_DOUBLE_EQ(ties.u, 9.5);
  EXPECT_NEAR(ties.above, 9.5 / 16, 1e-12);
  EXPECT_DOUBLE_EQ(MannWhitney({2, 2}, {2, 2}).p, 1);
  EXPECT_DOUBLE_EQ(MannWhitney({}, {1}).p, 1);
}

TEST(MannWhitney, ManySmallDifferencesAreSeen) {
  std::vector<double> low, high;
  for (int i = 0; i < 100; ++i) {
    low.push_back(i % 10);
    high.push_back(i % 10 + 2);
  }
  EXPECT_LT(MannWhitney(high, low).p, 1e-4);
  EXPECT_GT(MannWhitney(high, low).above, 0.6);
}

TEST(Holm, StepsDownAndNeverFalls) {
  const std::vector<double> p = Holm({0.01, 0.04, 0.03, 0.005});
  EXPECT_NEAR(p[3], 0.02, 1e-12);
  EXPECT_NEAR(p[0], 0.03, 1e-12);
  EXPECT_NEAR(p[2], 0.06, 1e-12);
  EXPECT_NEAR(p[1], 0.06, 1e-12);
  EXPECT_DOUBLE_EQ(Holm({0.6, 0.9})[1], 1);
}

cake::v1::RunSummary* AddRun(cake::v1::ExperimentReply& reply, const std::string& arm,
                             std::vector<double> curve, uint64_t misses = 0) {
  auto* run = reply.add_runs();
  run->set_run("r-" + std::to_string(reply.runs_size()));
  run->set_workload("w");
  run->set_arm(arm);
  run->set_state(cake::v1::RUN_STATE_STOPPED);
  run->set_objective_source(cake::v1::OBJECTIVE_SOURCE_MEASURED);
  auto* line = run->mutable_budget()->add_lines();
  line->set_kind("evaluations");
  line->set_limit(4);
  for (const double value : curve) run->add_score_curve(value);
  run->set_replay_misses(misses);
  return run;
}

TEST(Arms, TheFirstIsComparedWithEachOtherAndVoidOnesAreNot) {
  cake::v1::ExperimentReply reply;
  reply.set_experiment("e");
  for (int i = 0; i < 12; ++i) {
    AddRun(reply, "full", {1.0, 1.2 + 0.01 * i, 1.4, 1.5});
    AddRun(reply, "random", {0.9, 1.0, 1.0 + 0.01 * i, 1.1});
    AddRun(reply, "unlucky", {0.9, 1.0}, i == 0 ? 10 : 0);
  }
  const ExperimentTable table = TableOf(reply);
  ASSERT_EQ(table.arms.size(), 3u);
  EXPECT_EQ(table.budget, 4);
  EXPECT_FALSE(table.arms[0].is_void);
  EXPECT_TRUE(table.arms[2].is_void);
  ASSERT_EQ(table.comparisons.size(), 3u);  // one arm, three shares of the budget
  for (const ArmComparison& c : table.comparisons) {
    EXPECT_EQ(c.against, "random");
    EXPECT_GT(c.above, 0.9);
    EXPECT_LT(c.p_holm, 0.01);
    EXPECT_GE(c.p_holm, c.p);
  }
  EXPECT_DOUBLE_EQ(table.arms[0].at[2].front(), 1.5);
  const std::string text = TextOf(table);
  EXPECT_NE(text.find("objective source: MEASURED"), std::string::npos);
  EXPECT_NE(text.find("void"), std::string::npos);
  const std::string page = HtmlOf(table);
  EXPECT_NE(page.find("<polyline"), std::string::npos);
  EXPECT_EQ(page.find("http"), std::string::npos) << "a page needs nothing else";
}

TEST(Arms, SourcesAreNeverMixed) {
  cake::v1::ExperimentReply reply;
  AddRun(reply, "full", {1.0});
  AddRun(reply, "random", {1.0})->set_objective_source(cake::v1::OBJECTIVE_SOURCE_ESTIMATED);
  const ExperimentTable table = TableOf(reply);
  EXPECT_TRUE(table.mixed_sources);
  EXPECT_TRUE(table.comparisons.empty());
  EXPECT_NE(TextOf(table).find("nothing is compared"), std::string::npos);
}

}  // namespace
}  // namespace clients::cli::remote
