// Pages of what there is: newest first, each row once, stable while rows arrive; curves that keep
// what changes the best; two candidates side by side; maps asked of the gate children.
#include "server/core/pages.h"

#include "gmock/gmock.h"
#include "tests/unit/server_core/world.h"

namespace server::testing {
namespace {

using core::CurvePoint;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

store::FindingOpened Finding(int64_t i, std::string route, std::vector<int64_t> cases) {
  return {.finding = i,
          .fingerprint = absl::StrCat("fp", i),
          .route = std::move(route),
          .title = absl::StrCat("title ", i),
          .candidates = std::move(cases)};
}

// Commits past the core: what it would have found.
void Commit(World& world, store::EventBody body) {
  store::Batch batch;
  batch.events.push_back(std::move(body));
  ASSERT_TRUE(world.store->Commit(std::move(batch)).ok());
  world.RestartCore();
}

TEST(Pages, OfFindingsAreNewestFirstAndStableWhileSomeArrive) {
  World world;
  const std::string name = world.Submit("name=x");
  const int64_t candidate = world.candidate(name).id;
  for (int i = 1; i <= 5; ++i) {
    Commit(world, Finding(i, i % 2 == 0 ? "verifier" : "candidate", {candidate}));
  }
  auto view = world.store->Snapshot();
  auto& reads = (*view)->reads();
  auto page = core::FindingsPage(reads, {{}, {2, ""}});
  ASSERT_TRUE(page.ok()) << page.status();
  std::vector<int64_t> seen;
  for (const auto& row : page->rows) seen.push_back(row.id);
  Commit(world, Finding(6, "contract", {candidate}));
  while (!page->next_token.empty()) {
    page = core::FindingsPage(reads, {{}, {2, page->next_token}});
    ASSERT_TRUE(page.ok());
    for (const auto& row : page->rows) seen.push_back(row.id);
  }
  EXPECT_THAT(seen, ElementsAre(5, 4, 3, 2, 1));
  page = core::FindingsPage(reads, {{.route = "verifier"}, {}});
  ASSERT_EQ(page->rows.size(), 2u);
  EXPECT_EQ(page->rows[0].id, 4);
  const auto stale = core::FindingsPage(reads, {{}, {2, "r-3"}});
  EXPECT_EQ(state::ReasonOf(stale.status()), state::Reason::kPageTokenStale);
  EXPECT_FALSE(core::FindingsPage(reads, {{}, {501, ""}}).ok());
  const auto one = core::GetFinding(reads, "f-3");
  ASSERT_TRUE(one.ok());
  ASSERT_EQ(one->cases.size(), 1u);
  EXPECT_EQ(store::CandidateName(one->cases[0].run, one->cases[0].n), name);
  EXPECT_FALSE(core::GetFinding(reads, "f-99").ok());
}

TEST(Pages, OfProposalsAreNewestFirstAndStableWhileSomeArrive) {
  World world;
  const auto proposed = [](int64_t i) {
    return store::ProposalState{.proposal = i,
                                .kind = "rule",
                                .rev = 1,
                                .name = absl::StrCat("rule", i),
                                .state = "REJECTED"};
  };
  for (int i = 1; i <= 5; ++i) Commit(world, proposed(i));
  auto page = world.core->rules().List({2, ""});
  ASSERT_TRUE(page.ok()) << page.status();
  std::vector<int64_t> seen;
  for (const auto& view : page->rows) seen.push_back(view.row.id);
  Commit(world, proposed(6));
  while (!page->next_token.empty()) {
    page = world.core->rules().List({2, page->next_token});
    ASSERT_TRUE(page.ok());
    for (const auto& view : page->rows) seen.push_back(view.row.id);
  }
  EXPECT_THAT(seen, ElementsAre(5, 4, 3, 2, 1));
  EXPECT_EQ(world.core->rules().List({})->rows.front().row.id, 6);
  EXPECT_EQ(state::ReasonOf(world.core->rules().List({2, "f-3"}).status()),
            state::Reason::kPageTokenStale);
  EXPECT_FALSE(world.core->rules().List({501, ""}).ok());
  EXPECT_EQ(world.core->rules().Show("p-3")->row.name, "rule3");
  EXPECT_FALSE(world.core->rules().Show("p-9").ok());
}

TEST(Pages, OfEvaluationsHaveEachRowOnceAndKeepToTheirFilter) {
  World world;
  world.RegisterWorker();
  world.RegisterWorker("v");
  const std::string first = world.Submit("name=x members=3");
  EXPECT_EQ(world.WorkOff(), 3);
  const std::string second = world.Submit("name=y members=2 ns=500");
  EXPECT_EQ(world.WorkOff(store::Verdict::kWrongResult), 2);
  auto view = world.store->Snapshot();
  auto& reads = (*view)->reads();
  core::EvaluationsRequest request;
  request.page.size = 2;
  std::vector<int64_t> seen;
  do {
    const auto page = core::EvaluationsPage(reads, request);
    ASSERT_TRUE(page.ok()) << page.status();
    for (const auto& row : page->rows) {
      seen.push_back(row.evaluation.id);
      EXPECT_EQ(row.workload, "vector_add");
      EXPECT_EQ(row.device_uuid, "cpu:w");
      EXPECT_NE(row.params_json, "");
    }
    request.page.token = page->next_token;
  } while (!request.page.token.empty());
  EXPECT_THAT(seen, ElementsAre(5, 4, 3, 2, 1));

  const auto ids = [&](const core::EvaluationsRequest& asked) {
    const auto page = core::EvaluationsPage(reads, asked);
    EXPECT_TRUE(page.ok()) << page.status();
    std::vector<int64_t> out;
    for (const auto& row : page->rows) out.push_back(row.evaluation.id);
    return out;
  };
  EXPECT_THAT(ids({.candidate = first}), ElementsAre(3, 2, 1));
  EXPECT_THAT(ids({.filter = {.verdicts = {"WRONG_RESULT"}}}), ElementsAre(5, 4));
  EXPECT_THAT(ids({.filter = {.verdicts = {"WRONG_RESULT", "CORRECT"}}}),
              ElementsAre(5, 4, 3, 2, 1));
  EXPECT_THAT(ids({.candidate = second, .filter = {.verdicts = {"CORRECT"}}}), ElementsAre());
  EXPECT_THAT(ids({.filter = {.workload = "vector_add", .device = "cpu:w", .purpose = "SEARCH"}}),
              ElementsAre(5, 4, 3, 2, 1));
  EXPECT_THAT(ids({.filter = {.device = "cpu:v"}}), ElementsAre());
  EXPECT_THAT(ids({.filter = {.purpose = "CONFIRM"}}), ElementsAre());
  EXPECT_THAT(ids({.filter = {.protocol = "another"}}), ElementsAre());

  core::EvaluationsRequest other{.candidate = first, .page = {2, ""}};
  other.page.token = core::EvaluationsPage(reads, other)->next_token;
  ASSERT_NE(other.page.token, "");
  EXPECT_THAT(ids(other), ElementsAre(1));
  for (const std::string& candidate : {std::string(), second}) {
    other.candidate = candidate;
    EXPECT_EQ(state::ReasonOf(core::EvaluationsPage(reads, other).status()),
              state::Reason::kPageTokenStale);
  }
  EXPECT_FALSE(core::EvaluationsPage(reads, {.candidate = "c-9-9"}).ok());
  EXPECT_FALSE(core::EvaluationsPage(reads, {.run = "r-9"}).ok());
}

TEST(Pages, OfRunsAndExperimentsHaveEachRowOnce) {
  World world;
  for (int i = 1; i <= 7; ++i) world.StartRun(absl::StrCat("e", i), 4);
  core::RunsRequest request;
  request.page.size = 3;
  std::vector<std::string> runs;
  do {
    auto page = world.core->pages().Runs(request);
    ASSERT_TRUE(page.ok());
    for (const auto& row : page->rows) runs.push_back(core::RunName(row.row.id));
    request.page.token = page->next_token;
  } while (!request.page.token.empty());
  EXPECT_THAT(runs, ElementsAre("r-7", "r-6", "r-5", "r-4", "r-3", "r-2", "r-1"));
  const auto mine = world.core->pages().Runs({.experiment = "e4"});
  ASSERT_EQ(mine->rows.size(), 1u);
  EXPECT_EQ(mine->rows[0].row.id, 4);
  EXPECT_TRUE(world.core->pages().Runs({.workload = "another"})->rows.empty());
  EXPECT_TRUE(world.core->pages().Runs({.state = store::RunState::kPaused})->rows.empty());
  EXPECT_FALSE(world.core->pages().Runs({.run = "r-99"}).ok());
  const auto experiments = world.core->pages().ExperimentsPage({2, ""});
  ASSERT_EQ(experiments->rows.size(), 2u);
  EXPECT_EQ(experiments->rows[0].name, "e7");
  EXPECT_EQ(experiments->rows[0].runs, 1);
  EXPECT_EQ(experiments->rows[0].running, 1);
  EXPECT_THAT(experiments->rows[0].workloads, ElementsAre("vector_add"));
}

TEST(Pages, OfTheQueueSayWhyAJobWaits) {
  World world;
  world.Submit("name=x members=3");
  world.Settle();
  auto page = world.core->pages().Queue({"", {2, ""}});
  ASSERT_TRUE(page.ok());
  EXPECT_EQ(page->queued, 3);
  EXPECT_EQ(page->leased, 0);
  ASSERT_EQ(page->rows.size(), 2u);
  EXPECT_EQ(page->rows[0].waits_because, "no worker serves run:machine");
  EXPECT_EQ(page->rows[0].candidate, "c-1-1");
  world.RegisterWorker();
  const auto grant = world.Acquire();
  ASSERT_TRUE(grant.has_value());
  page = world.core->pages().Queue({"", {}});
  EXPECT_EQ(page->leased, 1);
  ASSERT_EQ(page->rows.size(), 3u);
  EXPECT_EQ(store::RowName('j', page->rows[0].job.id), grant->job);
  EXPECT_EQ(page->rows[0].worker, "w");
  EXPECT_EQ(page->rows[1].waits_because, "");
  std::set<int64_t> seen;
  core::QueueRequest request{"", {1, ""}};
  do {
    page = world.core->pages().Queue(request);
    ASSERT_TRUE(page.ok());
    for (const auto& row : page->rows) EXPECT_TRUE(seen.insert(row.job.id).second);
    request.page.token = page->next_token;
  } while (!request.page.token.empty());
  EXPECT_EQ(seen.size(), 3u);
  EXPECT_FALSE(world.core->pages().Queue({"", {1, "1.2"}}).ok());
  const auto devices = world.core->pages().Devices({});
  ASSERT_EQ(devices->rows.size(), 1u);
  ASSERT_EQ(devices->rows[0].workers.size(), 1u);
  EXPECT_EQ(devices->rows[0].workers[0].candidate, "c-1-1");
}

TEST(Pages, TheOverviewCountsWhatThereIs) {
  World world;
  world.RegisterWorker();
  world.Submit("name=x members=2");
  EXPECT_EQ(world.WorkOff(), 2);
  world.Submit("name=y broken");
  world.Settle();
  const auto view = world.core->pages().GetOverview();
  ASSERT_TRUE(view.ok()) << view.status();
  std::map<std::string, int64_t> verdicts;
  for (const auto& row : view->candidates) verdicts[row.word] = row.count;
  EXPECT_EQ(verdicts, (std::map<std::string, int64_t>{{"CORRECT", 1}, {"REJECTED_SYNTAX", 1}}));
  EXPECT_TRUE(view->jobs.empty());
  EXPECT_FALSE(view->demo);
}

TEST(Curves, FollowTheBestByEstimate) {
  World world;
  world.RegisterWorker();
  world.Submit("name=x members=4 ns=5000");
  world.WorkOff();
  world.Submit("name=y members=2 ns=1000");
  world.WorkOff();
  auto view = world.store->Snapshot();
  const auto curve = core::GetCurve((*view)->reads(), "r-1", 0);
  ASSERT_TRUE(curve.ok()) << curve.status();
  EXPECT_EQ(curve->objective, store::ScoreSource::kEstimated);
  ASSERT_EQ(curve->points.size(), 6u);
  for (size_t i = 1; i < curve->points.size(); ++i) {
    EXPECT_LE(curve->points[i].best, curve->points[i - 1].best);
    EXPECT_EQ(curve->points[i].row.number, static_cast<int64_t>(i) + 1);
  }
  EXPECT_NEAR(curve->points.front().best, 5000, 400);
  EXPECT_DOUBLE_EQ(curve->points.back().best, 1000);
  EXPECT_FALSE(core::GetCurve((*view)->reads(), "r-9", 0).ok());
  EXPECT_FALSE(core::GetCurve((*view)->reads(), "r-1", 5000).ok());
}

TEST(Curves, ThinningKeepsEveryChangeOfTheBestAndBothEnds) {
  std::vector<CurvePoint> points(10'000);
  for (size_t i = 0; i < points.size(); ++i) {
    points[i].row.number = static_cast<int64_t>(i) + 1;
    points[i].best = static_cast<double>(i / 1000);
  }
  const auto thin = core::Thin(points, 100);
  EXPECT_LE(thin.size(), 112u);
  EXPECT_GE(thin.size(), 50u);
  EXPECT_EQ(thin.front().row.number, 1);
  EXPECT_EQ(thin.back().row.number, 10'000);
  std::set<int64_t> kept;
  for (const CurvePoint& point : thin) EXPECT_TRUE(kept.insert(point.row.number).second);
  for (int64_t step = 1000; step < 10'000; step += 1000) EXPECT_TRUE(kept.contains(step + 1));
  EXPECT_EQ(core::Thin(points, 10'000).size(), points.size());
}

TEST(Compare, ShowsSourcesFiguresAndKinship) {
  World world;
  world.Submit("name=x ns=2000");
  core::SubmitRequest request = world.Request("name=y ns=1000", world.NewMeta());
  request.parents = {"c-1-1"};
  ASSERT_TRUE(world.Submit(request).ok());
  world.Settle();
  const auto reply = world.core->Compare({"c-1-1", "c-1-2", 0});
  ASSERT_TRUE(reply.ok()) << reply.status();
  EXPECT_TRUE(reply->related);
  ASSERT_EQ(reply->diff.hunks.size(), 1u);
  const auto score = std::find_if(
      reply->metrics.begin(), reply->metrics.end(),
      [](const core::ComparedMetric& one) { return one.metric.name == "predicted_score"; });
  ASSERT_NE(score, reply->metrics.end());
  EXPECT_DOUBLE_EQ(score->from, 2000);
  EXPECT_DOUBLE_EQ(score->metric.value, 1000);
  EXPECT_EQ(score->metric.source, store::ScoreSource::kEstimated);
  EXPECT_FALSE(world.core->Compare({"c-1-1", "c-1-9", 0}).ok());
  EXPECT_FALSE(world.core->Compare({"c-1-1", "c-1-1", 0})->related);
}

TEST(Lineage, HasLinksUpAndDown) {
  World world;
  world.Submit("name=a");
  for (const char* parent : {"c-1-1", "c-1-2", "c-1-2"}) {
    core::SubmitRequest request = world.Request(absl::StrCat("name=of", parent), world.NewMeta());
    request.parents = {parent};
    ASSERT_TRUE(world.Submit(request).ok());
  }
  auto view = world.store->Snapshot();
  const auto links = [&](const std::string& candidate, int64_t depth) {
    std::vector<std::string> out;
    const auto lineage = core::GetLineage((*view)->reads(), candidate, depth);
    EXPECT_TRUE(lineage.ok()) << lineage.status();
    for (const auto& link : lineage->links) {
      out.push_back(absl::StrCat(link.parent_n, ">", link.child_n));
    }
    return out;
  };
  EXPECT_THAT(links("c-1-2", 0), ElementsAre("1>2", "2>3", "2>4"));
  EXPECT_THAT(links("c-1-1", 1), ElementsAre("1>2"));
  EXPECT_THAT(links("c-1-4", 0), ElementsAre("1>2", "2>4"));
  EXPECT_FALSE(core::GetLineage((*view)->reads(), "c-1-9", 0).ok());
}

TEST(Explain, AsksTheGateChildrenForTheBestMember) {
  World world;
  world.Submit("name=x members=3");
  world.Settle();
  std::optional<absl::StatusOr<core::ExplainReply>> reply;
  world.core->Explain({"c-1-1", ""}, [&](auto r) { reply = std::move(r); });
  ASSERT_EQ(world.gates.asked.size(), 1u);
  EXPECT_TRUE(world.gates.asked.front().request.map);
  EXPECT_TRUE(world.gates.asked.front().interactive);
  EXPECT_EQ(world.gates.asked.front().request.binding_json, "{\"P\":0}");
  core::GateReply gate;
  gate.arch = "sm_100a";
  gate.map_json = "{}";
  world.core->GateDone(world.gates.asked.front().id, gate);
  ASSERT_TRUE(reply.has_value() && reply->ok());
  EXPECT_EQ((*reply)->hardware, "never run on hardware");
  EXPECT_EQ((*reply)->map_json, "{}");
  world.gates.asked.clear();
  // Never more than a few at a time, and nobody waits for ever.
  int refused = 0, ended = 0;
  for (int i = 0; i < 20; ++i) {
    world.core->Explain({"c-1-1", ""}, [&](auto r) {
      ++(state::ReasonOf(r.status()) == state::Reason::kRate ? refused : ended);
    });
  }
  EXPECT_EQ(refused, 12);
  world.core->Drain();
  EXPECT_EQ(ended, 8);
}

TEST(Search, FindsByWorkloadTacticCodeAndWordsOfTheIntent) {
  World world;
  for (int i = 0; i < 6; ++i) {
    core::SubmitRequest request =
        world.Request(absl::StrCat("name=x", i, i == 5 ? " members=2 bad=0,1" : ""),
                      world.NewMeta());
    request.tactic = i % 2 == 0 ? "even" : "odd";
    request.intent = i == 3 ? "Twice the STAGES" : "";
    ASSERT_TRUE(world.Submit(request).ok());
  }
  world.Settle();
  const auto found = [&](core::ListRequest request) {
    std::vector<int64_t> out;
    auto reply = world.core->ListCandidates(request);
    EXPECT_TRUE(reply.ok()) << reply.status();
    for (const auto& one : reply->candidates) out.push_back(one.row.n);
    return out;
  };
  EXPECT_THAT(found({.tactic = "odd"}), ElementsAre(2, 4, 6));
  EXPECT_THAT(found({.tactic = "odd", .newest_first = true}), ElementsAre(6, 4, 2));
  EXPECT_THAT(found({.text = "stages"}), ElementsAre(4));
  EXPECT_THAT(found({.text = "%"}), ElementsAre());
  EXPECT_THAT(found({.code = "CK2001"}), ElementsAre(6));
  EXPECT_THAT(found({.workload = "vector_add", .page_size = 2}), ElementsAre(1, 2));
  EXPECT_THAT(found({.workload = "softmax"}), ElementsAre());
  // Newest first in pages, while more are handed in.
  core::ListRequest request{.newest_first = true, .page_size = 4};
  auto page = world.core->ListCandidates(request);
  ASSERT_TRUE(page.ok());
  world.Submit("name=later");
  request.page_token = page->next_page_token;
  auto rest = world.core->ListCandidates(request);
  ASSERT_TRUE(rest.ok()) << rest.status();
  ASSERT_EQ(rest->candidates.size(), 2u);
  EXPECT_EQ(rest->candidates[0].row.n, 2);
  EXPECT_EQ(rest->candidates[1].row.n, 1);
  request.newest_first = false;
  EXPECT_EQ(state::ReasonOf(world.core->ListCandidates(request).status()),
            state::Reason::kPageTokenStale);
}

}  // namespace
}  // namespace server::testing
