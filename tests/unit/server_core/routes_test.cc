// Each row of the routing table through the whole core: from what a worker says of a program to the
// verdict, the blame, the charge, the finding and where it goes, as the log then has them.
#include <functional>

#include "tests/unit/server_core/world.h"

namespace server::testing {
namespace {

using store::Blame;
using store::Verdict;

class Routes {
 public:
  Routes() {
    world.RegisterGpu();
    loop::RunSpec spec;
    spec.open = true;
    run = world.StartRun("e", 100, spec);
  }

  // A program of a lineage of its own, or made from `parent`, run once; what is said of it is
  // `verdict`, changed by `say`.
  core::CompleteReply Case(const std::string& source, Verdict verdict,
                           const std::function<void(core::CompleteRequest&)>& say = {},
                           const std::string& parent = "") {
    HandIn(source, parent);
    const auto grant = world.Acquire("gpu");
    EXPECT_TRUE(grant.has_value()) << source;
    core::CompleteRequest result = world.Result(*grant, verdict, "gpu");
    result.machine = "right";
    if (say) say(result);
    auto done = world.core->Complete(result);
    EXPECT_TRUE(done.ok()) << done.status();
    return *done;
  }

  // "name=a members=9 ns=1000 P=3" is member 3 of that family.
  void HandIn(const std::string& source, const std::string& parent = "") {
    auto request = world.Request(source, world.NewMeta());
    const size_t at = source.find(" P=");
    if (at != std::string::npos) {
      request.source.text = source.substr(0, at);
      request.params = {{"P", {source.substr(at + 3)}}};
    }
    request.meta.experiment = "e";
    if (!parent.empty()) request.parents = {parent};
    auto reply = world.Submit(request);
    EXPECT_TRUE(reply.ok()) << reply.status();
    last = reply->candidate;
    world.Settle();
  }

  int64_t Spent() const { return world.run(run).budgets.at("evaluations").spent; }

  // Route and title of the newest finding; "" without any.
  std::string Newest() const {
    const auto& findings = world.state().findings;
    if (findings.empty()) return "";
    const state::Finding& one = findings.rbegin()->second;
    return absl::StrCat(one.route, ": ", one.title);
  }

  World world;
  std::string run, last;
};

void Timed(core::CompleteRequest& result, double ns) {
  result.time_ns = ns;
  result.ratio_med = result.ratio_low = result.ratio_high = 0.5;
  result.clocks.push_back({store::Stage::kTiming, store::StageEnd::kOk, 100, 10, 0});
}

TEST(Routes, WhatTheSystemGotWrongIsAFindingAtOnceAndFree) {
  struct Row {
    const char *name, *newest;
    Verdict said, verdict;
    Blame blame;
    bool charged;
    std::function<void(core::CompleteRequest&)> say;
  };
  const auto hardware = [](core::CompleteRequest& r) {
    r.diagnostics.push_back({"CK7501", "hardware", "error", "too much shared data", "route"});
  };
  const auto varies = [](core::CompleteRequest& r) { r.varies = true; };
  const auto wrong = [](core::CompleteRequest& r) { r.machine = "wrong"; };
  const auto not_run = [](core::CompleteRequest& r) { r.machine.clear(); };
  const Row rows[] = {
      {"ptxas refuses",
       "vocabulary: passed the gates, refused by the assembler",
       Verdict::kLoweringFailed,
       Verdict::kLoweringFailed,
       Blame::kSystem,
       false,
       {}},
      {"over a limit", "verifier: passed the gates, over a limit of the hardware",
       Verdict::kLoweringFailed, Verdict::kLoweringFailed, Blame::kSystem, false, hardware},
      {"device wrong, machine right",
       "lowering: right on the machine, wrong on the device",
       Verdict::kWrongResult,
       Verdict::kMachineDisagrees,
       Blame::kSystem,
       false,
       {}},
      {"both wrong", "", Verdict::kWrongResult, Verdict::kWrongResult, Blame::kCandidate, true,
       wrong},
      {"machine not run", "", Verdict::kWrongResult, Verdict::kWrongResult, Blame::kCandidate, true,
       not_run},
      {"varies", "verifier: accepted, but its results vary", Verdict::kNondeterministic,
       Verdict::kNondeterministic, Blame::kSystem, false, varies},
      {"a race is seen",
       "verifier: accepted, but its results vary",
       Verdict::kRaceObserved,
       Verdict::kRaceObserved,
       Blame::kSystem,
       false,
       {}},
      {"contract",
       "contract: wrong within twice the tolerance",
       Verdict::kContractSuspect,
       Verdict::kContractSuspect,
       Blame::kContract,
       false,
       {}},
      {"physics",
       "oracle: faster than physics",
       Verdict::kImpossibleSpeed,
       Verdict::kImpossibleSpeed,
       Blame::kNone,
       true,
       {}},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    Routes routes;
    const core::CompleteReply reply = routes.Case("name=a ns=1000", row.said, row.say);
    EXPECT_EQ(reply.verdict, row.verdict);
    EXPECT_EQ(reply.blame, row.blame);
    EXPECT_EQ(routes.Spent(), row.charged ? 1 : 0);
    EXPECT_EQ(routes.Newest(), row.newest);
    EXPECT_TRUE(routes.world.Refold() == routes.world.state());
  }
}

// Three candidates of two lineages that fail alike.
TEST(Routes, WhatTheMachineDidNotRunIsAFindingOfItsCoverageWhenItRecurs) {
  Routes routes;
  const auto not_run = [](core::CompleteRequest& r) { r.machine.clear(); };
  routes.Case("name=a ns=1000", Verdict::kWrongResult, not_run);
  const std::string first = routes.last;
  routes.Case("name=b ns=1000", Verdict::kWrongResult, not_run, first);
  EXPECT_EQ(routes.Newest(), "");
  routes.Case("name=c ns=1000", Verdict::kWrongResult, not_run);
  EXPECT_EQ(routes.Newest(), "verifier: wrong on a device, machine not run");
}

TEST(Routes, ADeviceThatDisagreesWithItselfBlamesNobodyAndTheJobRunsAgain) {
  for (const char* check : {"a_a", "clocks_agree"}) {
    Routes routes;
    const core::CompleteReply reply =
        routes.Case("name=a ns=1000", Verdict::kCorrect, [&](core::CompleteRequest& r) {
          Timed(r, 1000);
          r.checks.push_back({check, "FAIL", "off by 9%"});
        });
    EXPECT_EQ(reply.verdict, Verdict::kMeasurementFault) << check;
    EXPECT_EQ(reply.blame, Blame::kInfra) << check;
    EXPECT_EQ(routes.Spent(), 0) << check;
    EXPECT_EQ(routes.Newest(), "") << check;
  }
}

// A fault of what was proved is the verifier's, and its proofs of that property count for nothing
// until somebody has looked.
TEST(Routes, AProofThatFailsIsTrustedNoMore) {
  Routes routes;
  const auto fault = [&](const char* source) {
    EXPECT_FALSE(routes.Case(source, Verdict::kDeviceFault).final);
    const auto again = routes.world.Acquire("gpu");
    EXPECT_TRUE(again.has_value());
    core::CompleteRequest result = routes.world.Result(*again, Verdict::kDeviceFault, "gpu");
    result.machine = "right";
    return *routes.world.core->Complete(result);
  };
  EXPECT_EQ(fault("name=a ns=1000").blame, Blame::kSystem);
  EXPECT_EQ(routes.Newest(), "verifier: a proved property failed: bounds");
  EXPECT_EQ(routes.Spent(), 0);
  EXPECT_EQ(fault("name=b ns=1000").blame, Blame::kCandidate);
  EXPECT_EQ(routes.Spent(), 1);
}

// Predictions of one class that are out by more than three intervals: eight make a refit.
TEST(Routes, MispredictionsOfOneClassBecomeARefit) {
  Routes routes;
  for (int i = 0; i < 8; ++i) {
    EXPECT_EQ(routes.Newest(), "") << i;
    // Predicted within a factor of two.
    const core::CompleteReply reply =
        routes.Case(absl::StrCat("name=a members=20 ns=10 P=", i), Verdict::kCorrect,
                    [&](core::CompleteRequest& r) { Timed(r, 90000); });
    EXPECT_EQ(reply.blame, Blame::kNone);
  }
  EXPECT_EQ(routes.Newest(), "cost-model: measured outside three predicted intervals: refit");
  EXPECT_EQ(routes.Spent(), 8);
}

TEST(Routes, AnotherBottleneckThanPredictedIsTheModels) {
  Routes routes;
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(routes.Newest(), "") << i;
    routes.Case(absl::StrCat("name=a members=20 ns=1000 P=", i), Verdict::kCorrect,
                [&](core::CompleteRequest& r) {
                  Timed(r, 1000 + i);
                  r.build_facts["profile.bottleneck"] = "issue";
                });
  }
  EXPECT_EQ(routes.Newest(), "cost-model: the profile shows another bottleneck than predicted");
}

// What the gates cannot resolve is the author's, until three lineages want to say it.
TEST(Routes, AFormThatThreeLineagesCannotSayIsAsked) {
  Routes routes;
  routes.HandIn("name=a ns=1000 unproven");
  const std::string first = routes.last;
  routes.HandIn("name=b ns=1000 unproven", first);
  routes.HandIn("name=c ns=1000 unproven");
  EXPECT_EQ(routes.Newest(), "");
  routes.HandIn("name=d ns=1000 unproven");
  EXPECT_EQ(routes.Newest(), "vocabulary: a form that the gates cannot resolve");
  EXPECT_EQ(routes.Spent(), 0);
}

}  // namespace
}  // namespace server::testing
