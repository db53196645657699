// Brief, Diagnose, history pages and watching.
#include <cmath>

#include "gmock/gmock.h"
#include "tests/unit/server_core/world.h"

namespace server::testing {
namespace {

using core::Against;
using state::Reason;
using store::Verdict;
using ::testing::HasSubstr;
using ::testing::Not;

struct Watcher {
  std::vector<int64_t> seqs;
  std::vector<std::string> subjects;
  int heartbeats = 0;
  size_t accepts = SIZE_MAX;
  std::optional<absl::Status> end;

  core::WatchSink Sink() {
    core::WatchSink sink;
    sink.item = [this](const core::WatchItem& item) {
      if (item.event.seq == 0) {
        ++heartbeats;
        return true;
      }
      if (seqs.size() >= accepts) return false;
      seqs.push_back(item.event.seq);
      subjects.push_back(item.event.subject);
      return true;
    };
    sink.end = [this](absl::Status why) { end = why; };
    return sink;
  }
};

TEST(Watch, FollowsOneCandidateToItsEnd) {
  World world;
  world.RegisterWorker();
  const std::string first = world.Submit("name=x");
  world.Submit("name=y");
  Watcher watcher;
  ASSERT_TRUE(world.core->Watch({.candidate = first}, watcher.Sink()).ok());
  EXPECT_EQ(world.WorkOff(), 2);
  world.Settle();
  ASSERT_TRUE(watcher.end.has_value());
  EXPECT_TRUE(watcher.end->ok());
  EXPECT_GE(watcher.seqs.size(), 5u);
  EXPECT_TRUE(std::is_sorted(watcher.seqs.begin(), watcher.seqs.end()));
  for (const std::string& subject : watcher.subjects) EXPECT_EQ(subject, first);
}

TEST(Watch, ResumesAfterASequenceNumberWithoutLossOrRepeat) {
  World world;
  for (int i = 0; i < 40; ++i) world.Submit(absl::StrCat("name=x", i));
  world.Settle();
  Watcher whole;
  ASSERT_TRUE(world.core->Watch({}, whole.Sink()).ok());
  world.Settle();
  for (size_t i = 0; i < whole.seqs.size(); ++i) {
    ASSERT_EQ(whole.seqs[i], static_cast<int64_t>(i) + 1);
  }
  Watcher first, second;
  first.accepts = 17;
  ASSERT_TRUE(world.core->Watch({}, first.Sink()).ok());
  world.Settle();
  ASSERT_TRUE(first.end.has_value());
  EXPECT_EQ(state::ReasonOf(*first.end), Reason::kWatchLagged);
  EXPECT_THAT(std::string(first.end->message()), HasSubstr("from_seq=17"));
  ASSERT_TRUE(world.core->Watch({.from_seq = first.seqs.back()}, second.Sink()).ok());
  world.Settle();
  std::vector<int64_t> joined = first.seqs;
  joined.insert(joined.end(), second.seqs.begin(), second.seqs.end());
  EXPECT_EQ(joined, whole.seqs);
}

TEST(Watch, HeartbeatsWhenNothingHappensAndRefusesWhatDoesNotExist) {
  World world;
  Watcher watcher;
  ASSERT_TRUE(world.core->Watch({.from_seq = world.state().last_seq}, watcher.Sink()).ok());
  world.clock.AdvanceMs(9'999);
  world.Settle();
  EXPECT_EQ(watcher.heartbeats, 0);
  world.clock.AdvanceMs(1);
  world.Settle();
  EXPECT_EQ(watcher.heartbeats, 1);
  EXPECT_EQ(world.core->Watch({.candidate = "c-1-1"}, watcher.Sink()).status().code(),
            absl::StatusCode::kNotFound);
  world.core->Drain();
  ASSERT_TRUE(watcher.end.has_value());
  EXPECT_EQ(state::ReasonOf(*watcher.end), Reason::kDraining);
}

TEST(Diagnose, ComparesWithParentPreviousBestAndBaseline) {
  World world;
  world.RegisterWorker();
  const std::string parent = world.Submit("name=p ns=3000");
  world.WorkOff();
  world.Submit("name=best ns=1000");
  world.WorkOff();
  auto request = world.Request("name=child ns=1500", world.NewMeta());
  request.parents = {parent};
  auto child = world.Submit(request);
  ASSERT_TRUE(child.ok());
  world.WorkOff();
  auto report = world.core->Diagnose(child->candidate);
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_EQ(report->report.verdict, Verdict::kCorrect);
  EXPECT_EQ(report->bottleneck, "hbm");
  EXPECT_EQ(report->objective, store::ScoreSource::kEstimated);
  std::map<Against, std::pair<double, double>> seen;
  for (const core::Comparison& comparison : report->comparisons) {
    for (const core::MetricChange& change : comparison.changes) {
      if (change.name == "predicted_score") {
        seen[comparison.against] = {std::round(change.now), std::round(change.then)};
      }
    }
  }
  EXPECT_EQ(seen[Against::kParent], std::pair(1500.0, 3000.0));
  EXPECT_EQ(seen[Against::kPrevious], std::pair(1500.0, 1000.0));
  EXPECT_EQ(seen[Against::kBest], std::pair(1500.0, 1000.0));
  EXPECT_EQ(seen[Against::kBaseline], std::pair(1500.0, 2000.0));
  for (const core::Metric& metric : report->now) {
    EXPECT_EQ(metric.source, store::ScoreSource::kEstimated) << metric.name;
  }
}

TEST(Diagnose, SaysWhyThereIsNothingToCompare) {
  World world;
  const std::string name = world.Submit("name=x broken");
  world.Settle();
  auto report = world.core->Diagnose(name);
  ASSERT_TRUE(report.ok());
  EXPECT_EQ(report->report.verdict, Verdict::kRejectedSyntax);
  for (const core::Comparison& comparison : report->comparisons) {
    EXPECT_FALSE(comparison.none_because.empty());
  }
  EXPECT_EQ(world.core->Diagnose("c-9-9").status().code(), absl::StatusCode::kNotFound);
}

TEST(Diagnose, ShowsTheFailedCheckOfTheRun) {
  World world;
  world.RegisterWorker();
  const std::string name = world.Submit("name=x");
  world.Settle();
  const auto grant = world.Acquire();
  auto result = world.Result(*grant, Verdict::kWrongResult);
  result.checks.push_back({"ragged:correct", "FAIL", "y[3] is 1, expected 2", {}});
  ASSERT_TRUE(world.core->Complete(result).ok());
  auto report = world.core->Diagnose(name);
  ASSERT_TRUE(report.ok());
  ASSERT_EQ(report->checks.size(), 1u);
  ASSERT_FALSE(report->advice.empty());
  EXPECT_THAT(report->advice[0].what, HasSubstr("ragged:correct"));
  EXPECT_EQ(report->advice[0].why, "y[3] is 1, expected 2");
}

TEST(Advice, FixesComeFirstWithTheirEdits) {
  const char* member = R"({"verdict":"REJECTED_SAFETY","diagnostics":[
    {"code":"CK2001","severity":"error","message":"missing sync","why":"another warp writes it",
     "primary":{"line":12},"fixes":[{"title":"add `sync`","applicability":"machine",
     "edits":[{"text":"sync\n","span":{"begin":5,"end":5}}]}]}],
    "estimate":{"time_ns":100,"bottleneck":"hbm",
     "attribution":[{"line":3,"ns":60,"resource":"hbm"}],
     "what_if":[{"change":"wider loads","time_ns":80},{"change":"slower","time_ns":120}]}})";
  const auto advice = core::AdviceFrom(member, "", {});
  ASSERT_EQ(advice.size(), 2u);
  EXPECT_EQ(advice[0].what, "add `sync`");
  EXPECT_EQ(advice[0].why, "missing sync: another warp writes it");
  EXPECT_EQ(advice[0].evidence, "CK2001 at line 12");
  EXPECT_THAT(advice[0].fix_json, HasSubstr("\"begin\":5"));
  EXPECT_EQ(advice[1].what, "wider loads");
  EXPECT_THAT(advice[1].why, HasSubstr("predicted 80 ns instead of 100 ns"));
}

TEST(Brief, DropsWholeSectionsInOrderAndNamesThem) {
  World world;
  world.RegisterWorker();
  world.Submit("name=x ns=900");
  world.WorkOff();
  core::BriefRequest request;
  request.workload = "vector_add";
  auto whole = world.core->Brief(request);
  ASSERT_TRUE(whole.ok()) << whole.status();
  EXPECT_TRUE(whole->dropped.empty());
  std::vector<std::string> names;
  int64_t tokens = 0;
  for (const core::BriefSection& section : whole->sections) {
    names.push_back(section.name);
    tokens += section.tokens;
    EXPECT_THAT(section.text, Not(HasSubstr("speedup")));
  }
  EXPECT_EQ(names,
            (std::vector<std::string>{"contract", "run", "next", "best", "baseline", "language"}));
  request.max_tokens = tokens - 1;
  auto smaller = world.core->Brief(request);
  ASSERT_TRUE(smaller.ok());
  EXPECT_EQ(smaller->dropped, std::vector<std::string>{"language"});
  request.max_tokens = 1;
  auto least = world.core->Brief(request);
  ASSERT_TRUE(least.ok());
  EXPECT_EQ(least->sections.size(), 2u);  // contract and run are never dropped
  EXPECT_EQ(least->sections[0].text, whole->sections[0].text);
  request.workload = "nothing";
  EXPECT_EQ(state::ReasonOf(world.core->Brief(request).status()), Reason::kUnknownWorkload);
}

// What an isolated experiment found stays in it, in both directions.
TEST(Brief, NamesNoFindingOfAnotherIsolatedExperiment) {
  World world;
  world.RegisterWorker();
  for (const char* name : {"mine", "theirs"}) {
    core::CreateExperimentRequest create;
    create.meta = world.NewMeta();
    create.name = name;
    create.workload = "vector_add";
    create.visibility = "isolated";
    create.spec.open = true;
    ASSERT_TRUE(world.core->CreateExperiment(create).ok());
    core::ExperimentRequest start;
    start.meta = world.NewMeta();
    start.experiment = name;
    ASSERT_TRUE(world.core->StartExperiment(start).ok());
  }
  auto request = world.Request("name=x", world.NewMeta());
  request.meta.experiment = "theirs";
  ASSERT_TRUE(world.Submit(request).ok());
  world.Settle();
  const auto grant = world.Acquire();
  ASSERT_TRUE(grant.has_value());
  auto result = world.Result(*grant, Verdict::kCorrect);
  ASSERT_TRUE(world.core->Complete(result).ok());
  result.receipt_json = "{\"other\":1}";
  ASSERT_FALSE(world.core->Complete(result).ok());  // two results: a finding
  ASSERT_EQ(world.state().findings.size(), 1u);
  const auto failures = [&](const std::string& experiment) -> std::string {
    core::BriefRequest brief;
    brief.meta.experiment = experiment;
    const auto reply = world.core->Brief(brief);
    EXPECT_TRUE(reply.ok()) << reply.status();
    for (const core::BriefSection& section : reply->sections) {
      if (section.name == "failures") return section.text;
    }
    return "";
  };
  EXPECT_THAT(failures("theirs"), HasSubstr("finding f-1"));
  EXPECT_THAT(failures("mine"), Not(HasSubstr("finding")));
}

// Of a large run a brief may be a second old, and says of when it is.
TEST(Brief, OfALargeRunIsKeptForAMoment) {
  World world;
  world.limits.ungated_max = 1000;
  world.Restart();
  for (size_t i = 0; i <= core::kLargeRun; ++i) world.Submit(absl::StrCat("name=x", i));
  core::BriefRequest request;
  request.workload = "vector_add";
  const auto first = world.core->Brief(request);
  ASSERT_TRUE(first.ok());
  world.Submit("name=later");
  EXPECT_EQ(world.core->Brief(request)->event_seq, first->event_seq);
  world.clock.AdvanceMs(1000);
  const auto second = world.core->Brief(request);
  EXPECT_EQ(second->event_seq, world.state().last_seq);
  EXPECT_NE(second->sections[1].text, first->sections[1].text);
}

TEST(History, PagesAreStableWhileRowsArrive) {
  World world;
  for (int i = 0; i < 7; ++i) world.Submit(absl::StrCat("name=x", i));
  core::ListRequest request;
  request.page_size = 3;
  std::vector<std::string> names;
  for (int page = 0; page < 10; ++page) {
    auto reply = world.core->ListCandidates(request);
    ASSERT_TRUE(reply.ok()) << reply.status();
    for (const auto& view : reply->candidates) names.push_back(view.row.Name());
    if (page == 0) world.Submit("name=late");
    request.page_token = reply->next_page_token;
    if (request.page_token.empty()) break;
  }
  EXPECT_EQ(names, (std::vector<std::string>{"c-1-1", "c-1-2", "c-1-3", "c-1-4", "c-1-5", "c-1-6",
                                             "c-1-7"}));
  request.page_token = "";
  auto first = world.core->ListCandidates(request);
  request.page_token = first->next_page_token;
  request.verdict = "CORRECT";
  EXPECT_EQ(state::ReasonOf(world.core->ListCandidates(request).status()), Reason::kPageTokenStale);
}

// Commands of many callers share a write: what it made can be read before the core has taken it.
TEST(History, ListsWhatIsWrittenAndNotTakenYet) {
  World world;
  const std::string first = world.Submit("name=a");
  std::optional<absl::StatusOr<core::SubmitReply>> answer;
  world.core->Submit(world.Request("name=b", world.NewMeta()),
                     [&](absl::StatusOr<core::SubmitReply> reply) { answer = std::move(reply); });
  ASSERT_GT(world.store->WriterStep(), 0u);
  ASSERT_FALSE(answer.has_value());
  const auto list = world.core->ListCandidates({.newest_first = true});
  ASSERT_TRUE(list.ok()) << list.status();
  ASSERT_EQ(list->candidates.size(), 2u);
  EXPECT_EQ(list->candidates[1].row.Name(), first);
  EXPECT_EQ(list->total, 2);
  world.Settle();
  ASSERT_TRUE(answer.has_value() && answer->ok());
  EXPECT_EQ(list->candidates[0].row.Name(), (*answer)->candidate);
}

TEST(Drain, TakesNoMoreWorkAndAnswersWhoWaits) {
  World world;
  world.RegisterWorker();
  std::optional<absl::StatusOr<core::AcquireReply>> poll;
  world.core->Acquire("w", 1, 25'000, [&](auto r) { poll = std::move(r); });
  EXPECT_FALSE(poll.has_value());
  world.core->Drain();
  ASSERT_TRUE(poll.has_value() && poll->ok());
  EXPECT_FALSE((*poll)->grant.has_value());
  auto refused = world.Submit(world.Request("name=x", world.NewMeta()));
  EXPECT_EQ(state::ReasonOf(refused.status()), Reason::kDraining);
}

}  // namespace
}  // namespace server::testing
