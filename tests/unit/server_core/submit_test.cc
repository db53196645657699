// What is acknowledged, what is answered twice, what is refused.
#include <filesystem>

#include "gmock/gmock.h"
#include "tests/unit/server_core/world.h"

namespace server::testing {
namespace {

using core::WaitFor;
using state::Reason;
using store::Blame;
using store::Verdict;
using ::testing::HasSubstr;

TEST(Submit, AcknowledgesBeforeTheGatesAndNumbersDensely) {
  World world;
  for (int n = 1; n <= 3; ++n) {
    auto reply = world.Submit(world.Request(absl::StrCat("name=x", n), world.NewMeta()));
    ASSERT_TRUE(reply.ok()) << reply.status();
    EXPECT_EQ(reply->candidate, absl::StrCat("c-1-", n));
    EXPECT_FALSE(world.candidate(reply->candidate).gates_done);
    EXPECT_EQ(reply->report.member_json, "");
    EXPECT_GT(reply->event_seq, 0);
  }
  EXPECT_TRUE(world.gates.asked.empty());  // nothing was judged before the answer
}

// Nobody is answered before the disk has it, and those who came together share one write.
TEST(Submit, CallersThatComeTogetherShareOneCommit) {
  World world;
  world.StartRun("e", 0);
  const int64_t before = world.store->stats().commits;
  std::vector<std::string> answered;
  for (int i = 0; i < 20; ++i) {
    auto request = world.Request(absl::StrCat("name=x", i), world.NewMeta());
    request.meta.experiment = "e";
    world.core->Submit(request, [&](const auto& reply) { answered.push_back(reply->candidate); });
  }
  EXPECT_TRUE(answered.empty());
  EXPECT_TRUE(world.state().candidates.empty());
  world.core->TakeCommitted();
  ASSERT_EQ(answered.size(), 20u);
  EXPECT_EQ(answered.back(), "c-1-20");
  EXPECT_EQ(world.store->stats().commits, before + 1);
  EXPECT_EQ(world.Refold(), world.state());
}

// What was handed over comes before what is committed at once, and the state takes both in order.
TEST(Submit, WhatIsCommittedMeanwhileKeepsItsOrder) {
  World world;
  world.StartRun("e", 0);
  std::optional<absl::StatusOr<core::SubmitReply>> reply;
  auto request = world.Request("name=x", world.NewMeta());
  request.meta.experiment = "e";
  world.core->Submit(request, [&](auto r) { reply = std::move(r); });
  world.RegisterWorker();  // commits at once
  EXPECT_EQ(world.state().candidates.size(), 1u);
  EXPECT_EQ(world.Refold(), world.state());
  EXPECT_FALSE(reply.has_value());
  world.core->Step();
  ASSERT_TRUE(reply.has_value() && reply->ok());
  EXPECT_EQ((*reply)->candidate, "c-1-1");
}

// The second one is on its way while the first is not answered yet.
TEST(Submit, TheSameRequestTwiceAtOnceIsOneCandidate) {
  World world;
  world.StartRun("e", 0);
  auto request = world.Request("name=x", world.NewMeta());
  request.meta.experiment = "e";
  std::vector<std::string> answered;
  for (int i = 0; i < 2; ++i) {
    world.core->Submit(request, [&](const auto& reply) { answered.push_back(reply->candidate); });
  }
  world.core->TakeCommitted();
  EXPECT_EQ(answered, (std::vector<std::string>{"c-1-1", "c-1-1"}));
  EXPECT_EQ(world.state().candidates.size(), 1u);
}

TEST(Submit, SameRequestGivesTheSameAnswerAndAnotherBodyIsRefused) {
  World world;
  core::Meta meta = world.NewMeta();
  auto first = world.Submit(world.Request("name=x", meta));
  auto again = world.Submit(world.Request("name=x", meta));
  ASSERT_TRUE(first.ok() && again.ok());
  EXPECT_EQ(first->candidate, again->candidate);
  EXPECT_EQ(first->event_seq, again->event_seq);
  EXPECT_EQ(world.Events<store::CandidateSubmitted>().size(), 1u);
  meta.request_hash = "other body";
  auto reused = world.Submit(world.Request("name=y", meta));
  EXPECT_EQ(state::ReasonOf(reused.status()), Reason::kIdempotencyReuse);
  EXPECT_EQ(reused.status().code(), absl::StatusCode::kFailedPrecondition);
}

TEST(Submit, SameRequestIsAnsweredAfterARestart) {
  const std::string dir = ::testing::TempDir() + "/server_submit_restart";
  std::filesystem::remove_all(dir);
  World world(dir);
  const core::Meta meta = world.NewMeta();
  auto first = world.Submit(world.Request("name=x", meta));
  ASSERT_TRUE(first.ok());
  world.Restart();
  auto again = world.Submit(world.Request("name=x", meta));
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(again->candidate, first->candidate);
  world.Settle();  // the candidate without gates is work after a restart
  EXPECT_TRUE(world.candidate("c-1-1").gates_done);
}

TEST(Submit, WaitsForGatesOrVerdictAsLongAsAsked) {
  World world;
  world.RegisterWorker();
  auto request = world.Request("name=x", world.NewMeta());
  request.wait_for = WaitFor::kGates;
  request.wait_ms = 1000;
  auto gated = world.Submit(request);
  ASSERT_TRUE(gated.ok());
  EXPECT_EQ(gated->progress.expanded, 1);
  EXPECT_THAT(gated->report.member_json, HasSubstr("\"name\":\"x\""));

  auto verdict = world.Request("name=y", world.NewMeta());
  verdict.wait_for = WaitFor::kVerdict;
  verdict.wait_ms = 1000;
  std::optional<absl::StatusOr<core::SubmitReply>> reply;
  world.core->Submit(verdict, [&](auto r) { reply = std::move(r); });
  world.Settle();
  EXPECT_FALSE(reply.has_value());
  world.clock.AdvanceMs(999);
  world.core->Step();
  EXPECT_FALSE(reply.has_value());
  world.clock.AdvanceMs(1);
  world.core->Step();
  ASSERT_TRUE(reply.has_value() && reply->ok());
  EXPECT_EQ((*reply)->report.verdict, Verdict::kPending);

  verdict = world.Request("name=z", world.NewMeta());
  verdict.wait_for = WaitFor::kVerdict;
  verdict.wait_ms = 40'000;
  reply.reset();
  world.core->Submit(verdict, [&](auto r) { reply = std::move(r); });
  world.WorkOff();
  world.core->Step();
  ASSERT_TRUE(reply.has_value() && reply->ok());
  EXPECT_EQ((*reply)->report.verdict, Verdict::kCorrect);
  EXPECT_TRUE((*reply)->progress.terminal);
}

TEST(Submit, RefusesWhatIsOutOfBounds) {
  World world;
  auto large = world.Request(std::string(core::kSourceBytesMax + 1, 'x'), world.NewMeta());
  EXPECT_EQ(state::ReasonOf(world.Submit(large).status()), Reason::kSourceTooLarge);
  auto limit = world.Request(std::string(core::kSourceBytesMax, 'x'), world.NewMeta());
  EXPECT_TRUE(world.Submit(limit).ok());
  auto intent = world.Request("name=x", world.NewMeta());
  intent.intent = std::string(core::kIntentBytesMax + 1, 'i');
  EXPECT_EQ(state::FieldOf(world.Submit(intent).status())->kind, "intent");
  auto unknown = world.Request("name=x", world.NewMeta());
  unknown.workload = "nothing";
  EXPECT_EQ(state::ReasonOf(world.Submit(unknown).status()), Reason::kUnknownWorkload);
  auto parent = world.Request("name=x", world.NewMeta());
  parent.parents = {"c-9-9"};
  EXPECT_EQ(state::ResourceOf(world.Submit(parent).status())->name, "c-9-9");
  for (const char* id : {"", "short", "has space in it", "semi;colon;here"}) {
    auto bad = world.Request("name=x", world.NewMeta());
    bad.meta.request_id = id;
    EXPECT_EQ(state::FieldOf(world.Submit(bad).status())->kind, "meta.request_id") << id;
  }
  auto empty = world.Request("", world.NewMeta());
  EXPECT_EQ(state::FieldOf(world.Submit(empty).status())->kind, "source");
}

TEST(Submit, RefusesMoreUngatedCandidatesThanTheLimit) {
  World world;
  world.limits.ungated_max = 2;
  world.Restart();
  world.Submit("name=x");
  world.Submit("name=y");
  auto full = world.Submit(world.Request("name=z", world.NewMeta()));
  EXPECT_EQ(state::ReasonOf(full.status()), Reason::kQueueFull);
  world.Settle();
  EXPECT_TRUE(world.Submit(world.Request("name=z", world.NewMeta())).ok());
}

TEST(Submit, RejectedFamilyIsTheCandidatesFault) {
  World world;
  const std::string broken = world.Submit("name=x broken");
  world.Settle();
  const state::Judged judged = state::JudgedOf(world.state(), world.candidate(broken));
  EXPECT_EQ(judged.verdict, Verdict::kRejectedSyntax);
  EXPECT_EQ(judged.blame, Blame::kCandidate);
  EXPECT_TRUE(state::ProgressOf(world.state(), world.candidate(broken)).terminal);
}

// A family is judged member by member: one bad member neither sinks the others nor passes.
TEST(Submit, FamilyWithExactlyOneBadMember) {
  World world;
  world.RegisterWorker();
  const std::string name = world.Submit("name=x members=5 bad=3");
  EXPECT_EQ(world.WorkOff(), 4);
  const state::Progress progress = state::ProgressOf(world.state(), world.candidate(name));
  EXPECT_EQ(progress.members, 5);
  EXPECT_EQ(progress.expanded, 5);
  EXPECT_EQ(progress.rejected, 1);
  EXPECT_EQ(progress.evaluated, 4);
  for (const auto& [id, variant] : world.state().variants) {
    EXPECT_NE(variant.params_json, "{\"P\":3}");
  }
  const auto expanded = world.Events<store::VariantsExpanded>();
  ASSERT_EQ(expanded.size(), 1u);
  ASSERT_EQ(expanded[0].rejected.size(), 1u);
  EXPECT_EQ(expanded[0].rejected[0].code, "CK2001");
  EXPECT_EQ(expanded[0].rejected[0].witness_params_json, "{\"P\":3}");
}

TEST(Submit, DefaultMemberRejectedButAnotherOnePasses) {
  World world;
  world.RegisterWorker();
  const std::string name = world.Submit("name=x members=2 bad=0");
  EXPECT_EQ(world.WorkOff(), 1);
  EXPECT_EQ(state::JudgedOf(world.state(), world.candidate(name)).verdict, Verdict::kCorrect);
}

TEST(Submit, FamilyWithoutAGoodMemberHasTheVerdictOfItsDefault) {
  World world;
  const std::string name = world.Submit("name=x members=3 bad=0,1,2");
  world.Settle();
  const state::Judged judged = state::JudgedOf(world.state(), world.candidate(name));
  EXPECT_EQ(judged.verdict, Verdict::kRejectedSafety);
  EXPECT_EQ(judged.blame, Blame::kCandidate);
}

// Another text with the same canonical form is the same program.
TEST(Submit, TwinIsDuplicateAndRunsNothing) {
  World world;
  world.RegisterWorker();
  const std::string first = world.Submit("name=x members=2");
  EXPECT_EQ(world.WorkOff(), 2);
  auto request = world.Request("name=other alias=x members=2", world.NewMeta());
  request.wait_for = WaitFor::kGates;
  request.wait_ms = 1000;
  auto twin = world.Submit(request);
  ASSERT_TRUE(twin.ok());
  world.Settle();
  EXPECT_EQ(world.WorkOff(), 0);
  const state::Candidate& row = world.candidate(twin->candidate);
  const state::Judged judged = state::JudgedOf(world.state(), row);
  EXPECT_EQ(judged.verdict, Verdict::kDuplicate);
  EXPECT_EQ(judged.blame, Blame::kNone);
  EXPECT_EQ(row.duplicates, 2);
  auto view = world.core->GetCandidate(twin->candidate, true, 0);
  ASSERT_TRUE(view.ok());
  EXPECT_EQ(view->duplicate_of, first);
  EXPECT_EQ(view->source, "name=other alias=x members=2");
}

TEST(Submit, IsolatedExperimentsDoNotShareDuplicates) {
  World world;
  for (const char* name : {"one", "two"}) {
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
    auto request = world.Request("name=x", world.NewMeta());
    request.meta.experiment = name;
    auto reply = world.Submit(request);
    ASSERT_TRUE(reply.ok()) << reply.status();
    world.Settle();
    EXPECT_EQ(world.candidate(reply->candidate).duplicates, 0) << name;
  }
}

TEST(Submit, TwoDeathsOfTheGateChildCloseTheCandidateWithoutBlamingIt) {
  World world;
  const std::string name = world.Submit("name=x crash");
  const std::string fine = world.Submit("name=y");
  world.Settle();
  const state::Judged judged = state::JudgedOf(world.state(), world.candidate(name));
  EXPECT_EQ(judged.verdict, Verdict::kRejectedLimit);
  EXPECT_EQ(judged.blame, Blame::kSystem);
  const auto findings = world.Events<store::FindingOpened>();
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].route, "verifier");
  EXPECT_TRUE(world.candidate(fine).gates_done);  // the next one is served
}

TEST(Check, LeavesATraceAndStoresTheSourceOnlyOnRequest) {
  World world;
  for (const bool keep : {false, true}) {
    core::CheckRequest request;
    request.meta = world.NewMeta();
    request.source.text = absl::StrCat("name=x bad=0 keep=", keep);
    request.workload = "vector_add";
    request.keep = keep;
    std::optional<absl::StatusOr<core::CheckReply>> reply;
    world.core->Check(request, [&](auto r) { reply = std::move(r); });
    ASSERT_EQ(world.gates.asked.size(), 1u);
    EXPECT_TRUE(world.gates.asked.front().interactive);
    world.Settle();
    ASSERT_TRUE(reply.has_value() && reply->ok());
    EXPECT_EQ((*reply)->report.verdict, Verdict::kRejectedSafety);
    EXPECT_EQ((*reply)->report.blame, Blame::kCandidate);
    const auto events = world.Events<store::Checked>();
    EXPECT_EQ(events.back().codes, std::vector<std::string>{"CK2001"});
    EXPECT_EQ(events.back().kept_source.hex.empty(), !keep);
    EXPECT_EQ(world.core->GetObject(store::HashOf(request.source.text)).ok(), keep);
  }
  EXPECT_TRUE(world.state().candidates.empty());
}

}  // namespace
}  // namespace server::testing
