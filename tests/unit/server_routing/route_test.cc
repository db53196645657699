// Every row of the routing table, in its order.
#include "server/routing/route.h"

#include <cmath>
#include <set>
#include <span>

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

void ExpectRows(std::span<const Row> rows) {
  for (const Row& row : rows) {
    const Route route = RouteOf(row.evidence);
    EXPECT_EQ(route.verdict, row.verdict) << row.name;
    EXPECT_EQ(route.blame, row.blame) << row.name;
    EXPECT_EQ(route.to, row.to) << row.name;
  }
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
      {"nondeterministic where the machine is right",
       Make(Gates::kPassed, Machine::kRight, Verdict::kNondeterministic),
       Verdict::kNondeterministic, Blame::kSystem, "verifier"},
      {"nondeterministic on the machine itself",
       With(Make(Gates::kPassed, Machine::kWrong, Verdict::kNondeterministic),
            &Evidence::on_machine),
       Verdict::kNondeterministic, Blame::kCandidate, "candidate"},
      {"nondeterministic on both",
       Make(Gates::kPassed, Machine::kWrong, Verdict::kNondeterministic),
       Verdict::kNondeterministic, Blame::kCandidate, "candidate"},
      {"nondeterministic, machine not run",
       Make(Gates::kPassed, Machine::kNotRun, Verdict::kNondeterministic),
       Verdict::kNondeterministic, Blame::kCandidate, "verifier"},
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
  ExpectRows(rows);
}

TEST(Route, EveryRowOfWhatARightProgramTeachesAndOfDoubts) {
  const Row rows[] = {
      {"an audit that varies is no false reject",
       With(With(Make(Gates::kRejected, Machine::kNotRun, Verdict::kCorrect), &Evidence::audit),
            &Evidence::varies),
       Verdict::kCorrect, Blame::kCandidate, "candidate"},
      {"clocks disagree, whatever the numbers say",
       With(Make(Gates::kPassed, Machine::kRight, Verdict::kCorrect), &Evidence::device_suspect),
       Verdict::kMeasurementFault, Blame::kInfra, "worker"},
      {"assembler runs out of registers",
       With(Make(Gates::kPassed, Machine::kRight, Verdict::kLoweringFailed), &Evidence::over_limit),
       Verdict::kLoweringFailed, Blame::kSystem, "verifier"},
      {"right once, wrong when looked at again",
       With(Make(Gates::kPassed, Machine::kRight, Verdict::kWrongResult), &Evidence::varies),
       Verdict::kWrongResult, Blame::kSystem, "verifier"},
      {"wrong on the machine is the candidate's, whatever varies",
       With(Make(Gates::kPassed, Machine::kWrong, Verdict::kWrongResult), &Evidence::varies),
       Verdict::kWrongResult, Blame::kCandidate, "candidate"},
      {"slower than three intervals",
       With(Make(Gates::kPassed, Machine::kRight, Verdict::kCorrect), &Evidence::mispredicted),
       Verdict::kCorrect, Blame::kNone, "cost-model"},
      {"another bottleneck",
       With(Make(Gates::kPassed, Machine::kRight, Verdict::kCorrect), &Evidence::misattributed),
       Verdict::kCorrect, Blame::kNone, "cost-model"},
      {"advice without gain",
       With(Make(Gates::kPassed, Machine::kRight, Verdict::kCorrect), &Evidence::advised),
       Verdict::kCorrect, Blame::kNone, "tactic"},
      {"advice with gain",
       With(With(Make(Gates::kPassed, Machine::kRight, Verdict::kImproved), &Evidence::advised),
            &Evidence::gained),
       Verdict::kImproved, Blame::kNone, ""},
  };
  ExpectRows(rows);
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
  const Failure failure{"RUN", Verdict::kHang, "CK8001", "tma.load", "load/mma"};
  const std::string base = FailureFingerprint(failure);
  EXPECT_EQ(base.size(), 16u);
  EXPECT_EQ(base, FailureFingerprint(failure));
  std::set<std::string> others = {base};
  for (int part = 0; part < 5; ++part) {
    Failure other = failure;
    if (part == 0) other.stage = "GATES";
    if (part == 1) other.verdict = Verdict::kDeviceFault;
    if (part == 2) other.code = "CK8002";
    if (part == 3) other.form = "st";
    if (part == 4) other.roles = "load/load";
    EXPECT_TRUE(others.insert(FailureFingerprint(other)).second) << part;
  }
}

TEST(Route, TheFormIsTheInstructionAtThePlace) {
  const std::string source =
      "role r {\n  tma.load a@k <- x[i] on full@k\n  let v = ld x[i]; st y[i] <- v\n}";
  const auto form = [&](const std::string& text) {
    const size_t at = source.find(text);
    return FormAt(source, static_cast<int64_t>(at), static_cast<int64_t>(at + text.size()));
  };
  EXPECT_EQ(form("tma.load a@k <- x[i]"), "tma.load");
  EXPECT_EQ(form("full@k"), "tma.load");
  EXPECT_EQ(form("y[i]"), "st");
  EXPECT_EQ(FormAt(source, 5, 5), "");
  EXPECT_EQ(FormAt(source, 5, 500), "");
}

TEST(Route, ThreeIntervalsAreTheBar) {
  const double spread = 2 * std::log(1.5);  // the interval is a factor of 1.5 to either side
  EXPECT_FALSE(Mispredicted(3.3, 1, spread));
  EXPECT_TRUE(Mispredicted(3.4, 1, spread));
  EXPECT_TRUE(Mispredicted(1 / 3.4, 1, spread));
  EXPECT_FALSE(Mispredicted(100, 0, spread));
  EXPECT_FALSE(Mispredicted(100, 1, 0));
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

// Each sort of finding has its own number of cases.
TEST(Finding, EachRouteHasItsThreshold) {
  state::State state;
  for (int64_t id = 1; id <= 12; ++id) state.candidates[id].id = id;
  Evidence evidence = Make(Gates::kPassed, Machine::kRight, Verdict::kCorrect);
  evidence.mispredicted = true;
  const Route refit = RouteOf(evidence);
  state.failures["r"] = {1, 2, 3, 4, 5, 6};
  EXPECT_FALSE(FindingAfter(state, "r", 7, refit).has_value());
  state.failures["r"].push_back(7);
  EXPECT_TRUE(FindingAfter(state, "r", 8, refit).has_value());

  const Route vocabulary = VocabularyRoute(Verdict::kRejectedUnproven);
  state.candidates[10].parents = {9};
  state.failures["v"] = {9, 10};
  EXPECT_FALSE(FindingAfter(state, "v", 11, vocabulary).has_value());  // two lineages
  state.failures["v"].push_back(11);
  EXPECT_TRUE(FindingAfter(state, "v", 12, vocabulary).has_value());
}

TEST(Finding, AProofThatWasWrongIsTrustedNoMore) {
  state::State state;
  EXPECT_FALSE(IsDistrusted(state, "bounds"));
  state.findings[1] = {1, "f", "verifier", SoundnessTitle("bounds"), "OPEN", {1}};
  EXPECT_TRUE(IsSoundness(state.findings[1].title));
  EXPECT_TRUE(IsDistrusted(state, "bounds"));
  EXPECT_FALSE(IsDistrusted(state, "deadlock"));
  state.findings[1].state = "CLOSED";
  EXPECT_FALSE(IsDistrusted(state, "bounds"));
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
