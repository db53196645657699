// The life of a learnt rule: what moves it on, what stops it, and that the log alone says where it
// stands.
#include "server/core/rules.h"

#include <gmock/gmock.h>

#include "tests/unit/server_core/world.h"

namespace server::testing {
namespace {

using core::ProposalDecision;
using core::ProposalView;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr const char* kSlow = "name=slow_one code=CK2701 hits=slow";

class Life {
 public:
  explicit Life(World& world) : world_(world) {}

  absl::StatusOr<ProposalView> Propose(const std::string& text,
                                       std::vector<std::string> failures = {},
                                       std::string kind = "rule") {
    core::ProposeRequest request{.meta = world_.NewMeta(), .kind = std::move(kind), .body = text};
    request.failures = std::move(failures);
    return Propose(request);
  }
  absl::StatusOr<ProposalView> Propose(const core::ProposeRequest& request) {
    std::optional<absl::StatusOr<ProposalView>> reply;
    world_.core->rules().Propose(request, [&](auto r) { reply = std::move(r); });
    if (!reply) world_.Settle();
    EXPECT_TRUE(reply.has_value());
    return *reply;
  }
  absl::StatusOr<ProposalView> Gate(const std::string& proposal) {
    std::optional<absl::StatusOr<ProposalView>> reply;
    world_.core->rules().Gate({.meta = world_.NewMeta(), .proposal = proposal},
                              [&](auto r) { reply = std::move(r); });
    if (!reply) world_.Settle();
    EXPECT_TRUE(reply.has_value());
    return *reply;
  }
  absl::StatusOr<ProposalView> Decide(ProposalDecision decision, std::string reason = "because") {
    return world_.core->rules().Decide({.meta = world_.NewMeta(),
                                        .proposal = "p-1",
                                        .decision = decision,
                                        .reason = std::move(reason)});
  }
  std::string State() const { return world_.state().proposals.at(1).state; }

  // A token's principal, by whom `call` is made.
  template <typename Call>
  auto As(const std::string& name, const std::string& role, Call call) {
    int64_t id = 0;
    for (const auto& [known, principal] : world_.state().principals) {
      if (principal.name == name) id = known;
    }
    if (id == 0) {
      core::TokenRequest request{.meta = world_.NewMeta(), .name = name, .role = role};
      EXPECT_TRUE(world_.core->CreateToken(request).ok());
      id = world_.state().principals.rbegin()->first;
    }
    const core::Core::Acting acting(*world_.core, id);
    return call();
  }

  // So many candidates are judged; those whose family is slow have a lineage each.
  void Live(int64_t candidates, const std::string& name, store::Verdict verdict) {
    for (int64_t i = 0; i < candidates; ++i) {
      world_.Submit(absl::StrCat("name=", name, serial_++, " members=1"));
    }
    world_.WorkOff(verdict);
  }

  // Up to REVIEW, in a world with a worker: few candidates are needed there.
  void Review() {
    auto kept = As("agent7", "agent", [&] { return Propose(kSlow); });
    ASSERT_TRUE(kept.ok()) << kept.status();
    ASSERT_EQ(kept->row.state, "CORPUS");
    ASSERT_TRUE(Decide(ProposalDecision::kShadow).ok());
    Live(world_.limits.shadow_candidates_min - 2, "fast", store::Verdict::kCorrect);
    Live(2, "slow", store::Verdict::kWrongResult);
    world_.Settle();
    ASSERT_EQ(State(), "REVIEW");
  }

 private:
  World& world_;
  int64_t serial_ = 0;
};

static_assert(core::Limits{}.shadow_candidates_min == 500);

struct SmallWorld : World {
  SmallWorld() {
    limits.shadow_candidates_min = 6;
    limits.agent_open_max = 1000;
    RestartCore();
    RegisterWorker();
  }
};

TEST(Rules, AreGatedOnTheirOwnProgramsAndTheCorpus) {
  World world;
  Life life(world);
  const auto kept = life.Propose(kSlow);
  ASSERT_TRUE(kept.ok()) << kept.status();
  EXPECT_EQ(kept->row.state, "CORPUS");
  EXPECT_EQ(kept->row.RuleId(), "slow_one@1");
  EXPECT_EQ(kept->row.code, "CK2701");
  EXPECT_EQ(kept->text, kSlow);
  EXPECT_THAT(kept->reports.at("corpus"), HasSubstr("\"asked\":1"));
  std::vector<std::string> states;
  for (const auto& event : world.Events<store::ProposalState>()) states.push_back(event.state);
  EXPECT_THAT(states, ElementsAre("DRAFT", "SPECIMENS", "CORPUS"));
  EXPECT_EQ(world.Refold(), world.state());
}

TEST(Rules, StayWhereAGateStopsThem) {
  const struct {
    const char *text, *state, *report;
  } kStopped[] = {
      {"name=bad_one code=CK2702 good=0", "DRAFT", "[]"},
      // The contract's own program is named baseline.
      {"name=bad_one code=CK2702 hits=base", "SPECIMENS", "\"refused\":[\"vector_add.cake\"]"},
      {"name=bad_one code=CK2702 ns=1000001", "SPECIMENS", "\"p99_cpu_ns\":1000001"},
  };
  for (const auto& stopped : kStopped) {
    World world;
    Life life(world);
    const auto kept = life.Propose(stopped.text);
    ASSERT_TRUE(kept.ok()) << kept.status();
    EXPECT_EQ(kept->row.state, stopped.state) << stopped.text;
    const std::string gate = kept->row.state == "DRAFT" ? "specimens" : "corpus";
    EXPECT_EQ(kept->row.gates.at(gate).outcome, "FAIL");
    EXPECT_THAT(kept->reports.at(gate), HasSubstr(stopped.report));
    EXPECT_FALSE(life.Decide(ProposalDecision::kShadow).ok());
    EXPECT_FALSE(life.Decide(ProposalDecision::kApprove).ok());
  }
}

TEST(Rules, MustRefuseTheFailuresTheyWereMadeFrom) {
  SmallWorld world;
  Life life(world);
  const std::string failed = world.Submit("name=slow9 members=1");
  const std::string other = world.Submit("name=fast9 members=1");
  EXPECT_EQ(life.Propose("name=a_rule code=CK2701 hits=slow", {failed})->row.state, "CORPUS");
  const auto missed = life.Propose("name=b_rule code=CK2702 hits=slow", {failed, other});
  EXPECT_EQ(missed->row.state, "SPECIMENS");
  EXPECT_THAT(missed->reports.at("corpus"), HasSubstr("\"failures_missed\":[\"" + other + "\"]"));
  EXPECT_FALSE(life.Propose("name=c_rule code=CK2703", {"c-9-9"}).ok());
}

TEST(Rules, WhatIsNoneIsNotKept) {
  World world;
  Life life(world);
  EXPECT_EQ(life.Propose("good=1").status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(life.Propose("").status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_FALSE(life.Propose(std::string(core::kRuleTextBytesMax + 1, 'x')).ok());
  EXPECT_FALSE(life.Propose(kSlow, {}, "poem").ok());
  EXPECT_TRUE(world.state().proposals.empty());
  EXPECT_FALSE(life.Gate("p-1").ok());
  EXPECT_FALSE(life.Decide(ProposalDecision::kReject).ok());
}

TEST(Rules, ARequestAgainIsAnsweredAgain) {
  World world;
  Life life(world);
  const core::ProposeRequest request{.meta = world.NewMeta(), .kind = "rule", .body = kSlow};
  ASSERT_TRUE(life.Propose(request).ok());
  const auto again = life.Propose(request);
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(again->row.rev, 1);
  core::ProposeRequest other = request;
  other.meta.request_hash = "another body";
  EXPECT_FALSE(life.Propose(other).ok());
}

TEST(Rules, ARevisionStartsAnewAndNamesAndCodesAreTheirAuthors) {
  SmallWorld world;
  Life life(world);
  life.Review();
  const auto foreign = life.Propose("name=slow_one code=CK2709");
  EXPECT_THAT(std::string(foreign.status().message()), HasSubstr("author is somebody else"));
  const auto code = life.Propose("name=other_one code=CK2701");
  EXPECT_THAT(std::string(code.status().message()), HasSubstr("is that of p-1"));
  const auto next = life.As("agent7", "agent", [&] { return life.Propose(kSlow); });
  ASSERT_TRUE(next.ok()) << next.status();
  EXPECT_EQ(next->row.RuleId(), "slow_one@2");
  EXPECT_EQ(next->row.judged, 0);
  EXPECT_TRUE(next->row.hits.empty());
  EXPECT_EQ(next->row.state, "CORPUS");
}

TEST(Rules, TheShadowOnlyCounts) {
  SmallWorld world;
  Life life(world);
  ASSERT_TRUE(life.Propose(kSlow).ok());
  ASSERT_TRUE(life.Decide(ProposalDecision::kShadow).ok());
  const std::string hit = world.Submit("name=slow1 members=1");
  EXPECT_EQ(world.WorkOff(store::Verdict::kWrongResult), 1);
  EXPECT_EQ(world.candidate(hit).gates_verdict, store::Verdict::kPending);  // it went on
  const state::Proposal& rule = world.state().proposals.at(1);
  EXPECT_EQ(rule.judged, 1);
  EXPECT_EQ(rule.hits.size(), 1u);
  EXPECT_THAT(rule.true_hits, ElementsAre(world.candidate(hit).id));
  EXPECT_EQ(world.Refold(), world.state());
}

TEST(Rules, AreReviewedAfterEnoughCandidatesAndTwoLineages) {
  SmallWorld world;
  Life life(world);
  ASSERT_TRUE(life.Propose(kSlow).ok());
  ASSERT_TRUE(life.Decide(ProposalDecision::kShadow).ok());
  life.Live(1, "slow", store::Verdict::kWrongResult);
  life.Live(6, "fast", store::Verdict::kCorrect);
  EXPECT_EQ(life.State(), "SHADOW");  // one lineage
  life.Live(1, "slow", store::Verdict::kWrongResult);
  world.Settle();
  EXPECT_EQ(life.State(), "REVIEW");
  EXPECT_FALSE(life.Decide(ProposalDecision::kShadow).ok());
}

TEST(Rules, AHitOnWhatTheOracleAcceptsRejectsThem) {
  SmallWorld world;
  Life life(world);
  ASSERT_TRUE(life.Propose(kSlow).ok());
  ASSERT_TRUE(life.Decide(ProposalDecision::kShadow).ok());
  life.Live(1, "slow", store::Verdict::kCorrect);
  world.Settle();
  EXPECT_EQ(life.State(), "REJECTED");
  EXPECT_EQ(world.state().proposals.at(1).gates.at("shadow").outcome, "FAIL");
  EXPECT_TRUE(world.core->rules().Asked().empty());
  EXPECT_FALSE(life.Gate("p-1").ok());
}

TEST(Rules, APersonWhoIsNotTheAuthorApproves) {
  SmallWorld world;
  Life life(world);
  life.Review();
  const auto approve = [&] { return life.Decide(ProposalDecision::kApprove); };
  EXPECT_FALSE(life.As("agent7", "agent", approve).ok());  // its author
  EXPECT_FALSE(life.As("agent8", "agent", approve).ok());  // no person
  EXPECT_FALSE(life.As("res", "researcher", approve).ok());
  EXPECT_FALSE(life.Decide(ProposalDecision::kApprove, "").ok());  // no reason
  const auto approved = life.As("ann", "operator", approve);
  ASSERT_TRUE(approved.ok()) << approved.status();
  EXPECT_EQ(approved->row.state, "ACTIVE");
  EXPECT_EQ(approved->decided_by, "ann");
  // From now on it refuses.
  const std::string refused = world.Submit("name=slow77 members=1");
  world.Settle();
  EXPECT_EQ(world.candidate(refused).gates_verdict, store::Verdict::kRejectedSafety);
  EXPECT_THAT(world.candidate(refused).rejected_codes, ElementsAre("CK2701"));
  EXPECT_EQ(world.WorkOff(), 0);
  ASSERT_TRUE(life.Decide(ProposalDecision::kDemote, "too strict").ok());
  EXPECT_EQ(life.State(), "DEMOTED");
  const std::string passes = world.Submit("name=slow78 members=1");
  EXPECT_EQ(world.WorkOff(), 1);
  EXPECT_EQ(world.candidate(passes).gates_verdict, store::Verdict::kPending);
  EXPECT_EQ(world.Refold(), world.state());
}

// A decision of a person stands, whatever a gate finds that began before it.
TEST(Rules, AGateThatRunsUndoesNoDecision) {
  for (const bool corpus : {false, true}) {
    SmallWorld world;
    Life life(world);
    ASSERT_TRUE(life.Propose(kSlow).ok());
    std::optional<absl::StatusOr<ProposalView>> reply;
    world.core->rules().Gate({.meta = world.NewMeta(), .proposal = "p-1"},
                             [&](auto r) { reply = std::move(r); });
    if (corpus) {  // its own programs are judged, the corpus is not
      const auto specimens = std::move(world.gates.asked.front());
      world.gates.asked.pop_front();
      world.core->GateDone(specimens.id, FakeGates::Reply(specimens.request));
    }
    ASSERT_FALSE(reply.has_value());
    ASSERT_TRUE(life.Decide(ProposalDecision::kReject).ok());
    world.Settle();
    ASSERT_TRUE(reply.has_value());
    EXPECT_EQ(state::FieldOf(reply->status())->kind, "proposal") << reply->status();
    EXPECT_EQ(life.State(), "REJECTED");
    EXPECT_EQ(world.Refold(), world.state());
  }
}

TEST(Rules, FewAreGatedAtATime) {
  World world;
  Life life(world);
  size_t ended = 0, refused = 0;
  const auto propose = [&](const std::string& who, size_t count) {
    life.As(who, "agent", [&] {
      for (size_t i = 0; i < count; ++i) {
        const std::string text = absl::StrCat("name=", who, "_", i, " code=CK27", who, i);
        world.core->rules().Propose({.meta = world.NewMeta(), .kind = "rule", .body = text},
                                    [&](const auto& r) {
                                      const bool rate =
                                          state::ReasonOf(r.status()) == state::Reason::kRate;
                                      (rate ? refused : ended) += 1;
                                    });
      }
    });
  };
  propose("a", 5);
  EXPECT_EQ(refused, 5 - core::kGatingsOfCallerMax);
  refused = 0;
  for (const char* who : {"b", "c", "d", "e", "f", "g", "h", "i", "j"}) propose(who, 2);
  EXPECT_EQ(refused, 20 - core::kGatingsMax);
  world.Settle();
  EXPECT_EQ(ended, core::kGatingsMax);
  refused = 0;
  propose("a", 1);
  EXPECT_EQ(refused, 0u);
  world.Settle();
}

TEST(Rules, AuthorsWhoArePeopleCannotApproveTheirOwn) {
  SmallWorld world;
  Life life(world);
  ASSERT_TRUE(life.Propose(kSlow).ok());  // by `local`, who may do everything else
  ASSERT_TRUE(life.Decide(ProposalDecision::kShadow).ok());
  life.Live(6, "fast", store::Verdict::kCorrect);
  life.Live(2, "slow", store::Verdict::kWrongResult);
  world.Settle();
  ASSERT_EQ(life.State(), "REVIEW");
  EXPECT_THAT(std::string(life.Decide(ProposalDecision::kApprove).status().message()),
              HasSubstr("an author cannot approve"));
}

// A twin of what an active rule now refuses was accepted before: the rule is wrong.
TEST(Rules, ARefusalOfWhatTheOracleAcceptsDemotesAtOnce) {
  SmallWorld world;
  Life life(world);
  const std::string good = world.Submit("name=slowly members=1");
  world.WorkOff(store::Verdict::kCorrect);
  life.Review();
  ASSERT_TRUE(
      life.As("ann", "operator", [&] { return life.Decide(ProposalDecision::kApprove); }).ok());
  world.StartRun("again", 10);
  core::SubmitRequest twin = world.Request("name=slowly members=1", world.NewMeta());
  twin.meta.experiment = "again";
  ASSERT_TRUE(world.Submit(twin).ok());
  world.Settle();
  EXPECT_EQ(life.State(), "DEMOTED");
  EXPECT_EQ(world.state().proposals.at(1).false_hits.size(), 1u);
  EXPECT_EQ(world.Refold(), world.state());
}

TEST(Rules, AnApprovalEndsWithItsCorpus) {
  SmallWorld world;
  Life life(world);
  life.Review();
  ASSERT_TRUE(
      life.As("ann", "operator", [&] { return life.Decide(ProposalDecision::kApprove); }).ok());
  world.RestartCore();
  world.Settle();
  EXPECT_EQ(life.State(), "ACTIVE");
  EXPECT_EQ(world.core->rules().Asked().size(), 1u);
  world.more_programs["another.cake"] = "name=another members=1";
  world.RestartCore();
  world.Settle();
  EXPECT_EQ(life.State(), "SPECIMENS");
  EXPECT_TRUE(world.core->rules().Asked().empty());
  // What the shadow has seen of this revision still holds: gated again, it is reviewed again.
  EXPECT_EQ(life.Gate("p-1")->row.state, "CORPUS");
  ASSERT_TRUE(life.Decide(ProposalDecision::kShadow).ok());
  world.Settle();
  EXPECT_EQ(life.State(), "REVIEW");
}

// A daemon that ends in the middle of the gates keeps what it has; the gates can be run again.
TEST(Rules, ARestartLosesNoRule) {
  World world;
  Life life(world);
  std::optional<absl::StatusOr<ProposalView>> reply;
  world.core->rules().Propose({.meta = world.NewMeta(), .kind = "rule", .body = kSlow},
                              [&](auto r) { reply = std::move(r); });
  const auto asked = std::move(world.gates.asked.front());
  world.gates.asked.pop_front();
  world.core->GateDone(asked.id, FakeGates::Reply(asked.request));
  EXPECT_EQ(life.State(), "SPECIMENS");
  world.RestartCore();
  EXPECT_EQ(life.Gate("p-1")->row.state, "CORPUS");
}

}  // namespace
}  // namespace server::testing
