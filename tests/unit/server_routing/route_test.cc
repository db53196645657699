// Every row of the routing table, in its order.
#include "server/routing/route.h"

#include "gtest/gtest.h"

namespace server::routing {
namespace {

using store::Blame;
using store::Verdict;

struct Row {
  const char* name;
  Evidence evidence;
  Verdict verdict;
  Blame blame;
  const char* to;
};

Evidence Make(Gates gates, Machine machine, Verdict verdict) {
  Evidence evidence;
  evidence.gates = gates;
  evidence.machine = machine;
  evidence.verdict = verdict;
  return evidence;
}

Evidence With(Evidence evidence, bool Evidence::*flag) {
  evidence.*flag = true;
  return evidence;
}

TEST(Route, EveryRow) {
  const Evidence wrong_right = Make(Gates::kPassed, Machine::kRight, Verdict::kWrongResult);
  const Evidence hang = Make(Gates::kPassed, Machine::kRight, Verdict::kHang);
  const Row rows[] = {
      {"worker lost", Make(Gates::kPassed, Machine::kRight, Verdict::kInfraWorkerLost),
       Verdict::kInfraWorkerLost, Blame::kInfra, "worker"},
      {"measurement fault beats a rejected gate",
       Make(Gates::kRejected, Machine::kNotRun, Verdict::kMeasurementFault),
       Verdict::kMeasurementFault, Blame::kInfra, "worker"},
      {"audit finds a false reject",
       With(Make(Gates::kRejected, Machine::kNotRun, Verdict::kCorrect), &Evidence::audit),
       Verdict::kCorrect, Blame::kSystem, "verifier"},
      {"rejected", Make(Gates::kRejected, Machine::kNotRun, Verdict::kWrongResult),
       Verdict::kWrongResult, Blame::kCandidate, "candidate"},
      {"wrong on the machine itself", With(wrong_right, &Evidence::on_machine),
       Verdict::kWrongResult, Blame::kCandidate, "candidate"},
      {"wrong on both", Make(Gates::kPassed, Machine::kWrong, Verdict::kWrongResult),
       Verdict::kWrongResult, Blame::kCandidate, "candidate"},
      {"assembler refuses", Make(Gates::kPassed, Machine::kRight, Verdict::kLoweringFailed),
       Verdict::kLoweringFailed, Blame::kSystem, "vocabulary"},
      {"compile limit", Make(Gates::kPassed, Machine::kRight, Verdict::kCompileLimit),
       Verdict::kCompileLimit, Blame::kSystem, "verifier"},
      {"right on the machine, wrong on the device", wrong_right, Verdict::kMachineDisagrees,
       Blame::kSystem, "lowering"},
      {"wrong on the device, machine not run",
       Make(Gates::kPassed, Machine::kNotRun, Verdict::kWrongResult), Verdict::kWrongResult,
       Blame::kCandidate, "verifier"},
      {"results vary", With(wrong_right, &Evidence::varies), Verdict::kWrongResult, Blame::kSystem,
       "verifier"},
      {"race observed", Make(Gates::kPassed, Machine::kRight, Verdict::kRaceObserved),
       Verdict::kRaceObserved, Blame::kSystem, "verifier"},
      {"hang of what was proved", With(hang, &Evidence::proved), Verdict::kHang, Blame::kSystem,
       "verifier"},
      {"hang of what was not", hang, Verdict::kHang, Blame::kCandidate, "verifier"},
      {"contract", Make(Gates::kPassed, Machine::kRight, Verdict::kContractSuspect),
       Verdict::kContractSuspect, Blame::kContract, "contract"},
      {"faster than physics", Make(Gates::kPassed, Machine::kRight, Verdict::kImpossibleSpeed),
       Verdict::kImpossibleSpeed, Blame::kNone, "oracle"},
      {"correct", Make(Gates::kPassed, Machine::kRight, Verdict::kCorrect), Verdict::kCorrect,
       Blame::kNone, ""},
      {"direct CUDA fails", Make(Gates::kNone, Machine::kNotRun, Verdict::kDeviceFault),
       Verdict::kDeviceFault, Blame::kCandidate, "candidate"},
  };
  for (const Row& row : rows) {
    const Route route = RouteOf(row.evidence);
    EXPECT_EQ(route.verdict, row.verdict) << row.name;
    EXPECT_EQ(route.blame, row.blame) << row.name;
    EXPECT_EQ(route.to, row.to) << row.name;
  }
}

TEST(Route, ProofsAreReadFromTheReport) {
  const char* report =
      R"({"properties":[{"property":"bounds","how":"proved"},{"property":"races","how":"explored"}]})";
  EXPECT_TRUE(IsProved(report, PropertyOf(Verdict::kDeviceFault)));
  EXPECT_FALSE(IsProved(report, PropertyOf(Verdict::kRaceObserved)));
  EXPECT_FALSE(IsProved(report, PropertyOf(Verdict::kWrongResult)));
  EXPECT_FALSE(IsProved("not json", "bounds"));
}

TEST(Route, FingerprintsDifferByEachPart) {
  const std::string base = FailureFingerprint("RUN", Verdict::kHang, "CK8001", "load");
  EXPECT_EQ(base.size(), 16u);
  EXPECT_EQ(base, FailureFingerprint("RUN", Verdict::kHang, "CK8001", "load"));
  EXPECT_NE(base, FailureFingerprint("GATES", Verdict::kHang, "CK8001", "load"));
  EXPECT_NE(base, FailureFingerprint("RUN", Verdict::kDeviceFault, "CK8001", "load"));
  EXPECT_NE(base, FailureFingerprint("RUN", Verdict::kHang, "CK8002", "load"));
  EXPECT_NE(base, FailureFingerprint("RUN", Verdict::kHang, "CK8001", "store"));
}

// A finding opens at three candidates of two lineages; what cannot be chance opens at once.
TEST(Finding, OpensAtThreeCandidatesOfTwoLineages) {
  state::State state;
  for (int64_t id = 1; id <= 4; ++id) state.candidates[id].id = id;
  state.candidates[2].parents = {1};
  state.candidates[3].parents = {2};
  const Route route{Verdict::kWrongResult, Blame::kCandidate, "candidate", "wrong numbers", false};
  state.failures["f"] = {1, 2};
  EXPECT_FALSE(FindingAfter(state, "f", 3, route).has_value());  // one lineage
  EXPECT_FALSE(FindingAfter(state, "f", 2, route).has_value());  // two candidates
  const auto opened = FindingAfter(state, "f", 4, route);
  ASSERT_TRUE(opened.has_value());
  const auto& body = std::get<store::FindingOpened>(*opened);
  EXPECT_EQ(body.candidates, (std::vector<int64_t>{1, 2, 4}));
  EXPECT_EQ(body.route, "candidate");
  state.findings[1] = {1, "f", "candidate", "t", "OPEN", {1, 2, 4}};
  EXPECT_FALSE(FindingAfter(state, "f", 4, route).has_value());  // known
  const auto more = FindingAfter(state, "f", 3, route);
  ASSERT_TRUE(more.has_value());
  EXPECT_EQ(std::get<store::FindingUpdated>(*more).candidates, std::vector<int64_t>{3});
}

TEST(Finding, SystemFaultsOpenAtOnce) {
  state::State state;
  state.candidates[1].id = 1;
  const Route route = RouteOf(Make(Gates::kPassed, Machine::kRight, Verdict::kLoweringFailed));
  EXPECT_TRUE(FindingAfter(state, "g", 1, route).has_value());
  const Route infra = RouteOf(Make(Gates::kPassed, Machine::kRight, Verdict::kInfraDevice));
  EXPECT_FALSE(FindingAfter(state, "h", 1, infra).has_value());
}

}  // namespace
}  // namespace server::routing
