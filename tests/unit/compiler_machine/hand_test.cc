// The machine on trees that the language's own level and type checks would refuse or never build.
#include "tests/unit/compiler_machine/hand_program.h"
#include "tests/unit/compiler_machine/harness.h"

namespace compiler::machine {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(Hand, AddsTwoVectorsWithARaggedTail) {
  Hand h;
  const ir::ExprId n = h.Dim("N");
  const ir::TensorId x = h.Tensor("x", ir::Direction::kIn, n);
  const ir::TensorId y = h.Tensor("y", ir::Direction::kIn, n);
  const ir::TensorId z = h.Tensor("z", ir::Direction::kOut, n);
  h.k().grid = {h.Op("ceildiv", {n, h.Int(128)})};
  const ir::LocalId i = h.Local("i");
  const ir::StmtId let = h.Let(i, h.Op("+", {h.Op("*", {h.Cta(), h.Int(128)}), h.Thread()}));
  const ir::StmtId store = h.Store(
      h.View(z, h.Var(i)), h.Op("+", {h.Load(h.View(x, h.Var(i))), h.Load(h.View(y, h.Var(i)))}));
  h.Role("main", 4, {let, h.If(h.Op("<", {h.Var(i), n}), {store})});
  std::vector<float> a(300), b(300), sum(300);
  for (int k = 0; k < 300; ++k) {
    a[k] = 0.5f * static_cast<float>(k);
    b[k] = 1000.0f - static_cast<float>(k);
    sum[k] = a[k] + b[k];
  }
  const Ran ran = RunProgram(h.p, {{"N", 300}}, {{"x", Bytes(a)}, {"y", Bytes(b)}});
  EXPECT_EQ(ran.result.outcome, Outcome::kFinished) << ran.text;
  EXPECT_THAT(ran.Codes(), IsEmpty()) << ran.text;
  EXPECT_EQ(ran.Values<float>("z"), sum);
  EXPECT_THAT(ran.result.written[2], testing::Each(true));
  EXPECT_EQ(ran.result.statements[static_cast<size_t>(store)].lane_executions, 300);
  EXPECT_EQ(ran.result.statements[static_cast<size_t>(store)].global_bytes_read, 2400);
  EXPECT_EQ(ran.result.statements[static_cast<size_t>(store)].global_bytes_written, 1200);
  EXPECT_EQ(ran.result.statements[static_cast<size_t>(let)].warp_executions, 12);
}

// y[lane] = sum of 0..lane by a loop whose trips differ lane by lane.
TEST(Hand, LoopsRunAsManyTripsAsEachLaneAsked) {
  Hand h;
  const ir::TensorId y = h.Tensor("y", ir::Direction::kOut, h.Int(32), ir::DType::kI32);
  h.k().grid = {h.Int(1)};
  const ir::LocalId s = h.Local("s"), i = h.Local("i");
  const ir::StmtId add = h.Set(s, h.Op("+", {h.Var(s), h.Var(i)}));
  h.Role("main", 1,
         {h.Let(s, h.Int(0)), h.For(i, h.Int(0), h.Lane(), {add}, h.Int(3)),
          h.Store(h.View(y, h.Lane()), h.Var(s))});
  const Ran ran = RunProgram(h.p, {});
  EXPECT_THAT(ran.Codes(), IsEmpty()) << ran.text;
  for (int lane = 0; lane < 32; ++lane) {
    int expected = 0;
    for (int k = 0; k < lane; k += 3) expected += k;
    EXPECT_EQ(ran.Values<int>("y")[lane], expected) << lane;
  }
}

TEST(Hand, WhileLeavesLaneByLane) {
  Hand h;
  const ir::TensorId y = h.Tensor("y", ir::Direction::kOut, h.Int(32), ir::DType::kI32);
  h.k().grid = {h.Int(1)};
  const ir::LocalId v = h.Local("v"), steps = h.Local("steps");
  const ir::StmtId odd = h.If(h.Op("==", {h.Op("%", {h.Var(v), h.Int(2)}), h.Int(0)}),
                              {h.Set(v, h.Op("/", {h.Var(v), h.Int(2)}))},
                              {h.Set(v, h.Op("+", {h.Op("*", {h.Var(v), h.Int(3)}), h.Int(1)}))});
  h.Role("main", 1,
         {h.Let(v, h.Op("+", {h.Lane(), h.Int(1)})), h.Let(steps, h.Int(0)),
          h.While(h.Op("!=", {h.Var(v), h.Int(1)}),
                  {odd, h.Set(steps, h.Op("+", {h.Var(steps), h.Int(1)}))}),
          h.Store(h.View(y, h.Lane()), h.Var(steps))});
  const Ran ran = RunProgram(h.p, {});
  EXPECT_THAT(ran.Codes(), IsEmpty()) << ran.text;
  for (int lane = 0; lane < 32; ++lane) {
    int expected = 0;
    for (int k = lane + 1; k != 1; ++expected) k = k % 2 == 0 ? k / 2 : 3 * k + 1;
    EXPECT_EQ(ran.Values<int>("y")[lane], expected) << lane;
  }
}

TEST(Hand, ShortCircuitGuardsTheRightSide) {
  Hand h;
  const ir::TensorId x = h.Tensor("x", ir::Direction::kIn, h.Int(20), ir::DType::kI32);
  const ir::TensorId y = h.Tensor("y", ir::Direction::kOut, h.Int(32), ir::DType::kI32);
  h.k().grid = {h.Int(1)};
  const ir::LocalId v = h.Local("v");
  const ir::ExprId small = h.Op("<", {h.Lane(), h.Int(20)});
  const ir::ExprId positive = h.Op(">", {h.Load(h.View(x, h.Lane())), h.Int(0)});
  const ir::ExprId large = h.Op(">=", {h.Lane(), h.Int(20)});
  const ir::ExprId negative = h.Op("<", {h.Load(h.View(x, h.Lane())), h.Int(0)});
  h.Role(
      "main", 1,
      {h.Let(v, h.Int(0)), h.If(h.And(small, positive), {h.Set(v, h.Int(1))}),
       h.If(h.Or(large, negative), {h.Set(v, h.Int(2))}), h.Store(h.View(y, h.Lane()), h.Var(v))});
  std::vector<int> input(20);
  for (int k = 0; k < 20; ++k) input[k] = k % 3 - 1;
  const Ran ran = RunProgram(h.p, {}, {{"x", Bytes(input)}});
  EXPECT_THAT(ran.Codes(), IsEmpty()) << ran.text;
  for (int lane = 0; lane < 32; ++lane) {
    const int expected = lane >= 20 || input[lane] < 0 ? 2 : input[lane] > 0 ? 1 : 0;
    EXPECT_EQ(ran.Values<int>("y")[lane], expected) << lane;
  }
}

TEST(Hand, RegisterArraysAreIndexedAtRunTime) {
  Hand h;
  const ir::TensorId y = h.Tensor("y", ir::Direction::kOut, h.Int(128), ir::DType::kI32);
  h.k().grid = {h.Int(1)};
  const ir::LocalId a = h.Local("a", ir::DType::kI32, 4), i = h.Local("i"), j = h.Local("j");
  const ir::StmtId fill =
      h.For(i, h.Int(0), h.Int(4),
            {h.SetElement(a, h.Var(i), h.Op("+", {h.Lane(), h.Op("*", {h.Var(i), h.Int(100)})}))});
  // Swaps two elements through a whole-array copy, then stores all four as one vector.
  const ir::StmtId swap = h.Set(a, h.Array({h.Element(a, h.Int(3)), h.Element(a, h.Int(1)),
                                            h.Element(a, h.Int(2)), h.Element(a, h.Int(0))}));
  const ir::StmtId bump =
      h.For(j, h.Int(1), h.Int(3),
            {h.SetElement(a, h.Var(j), h.Op("+", {h.Element(a, h.Var(j)), h.Int(1)}))});
  h.Role("main", 1,
         {h.Let(a), fill, swap, bump,
          h.Store(h.View(y, h.Op("*", {h.Lane(), h.Int(4)}), 4), h.Var(a))});
  const Ran ran = RunProgram(h.p, {});
  EXPECT_THAT(ran.Codes(), IsEmpty()) << ran.text;
  for (int lane = 0; lane < 32; ++lane) {
    EXPECT_EQ(ran.Values<int>("y")[4 * lane], lane + 300);
    EXPECT_EQ(ran.Values<int>("y")[4 * lane + 1], lane + 101);
    EXPECT_EQ(ran.Values<int>("y")[4 * lane + 2], lane + 201);
    EXPECT_EQ(ran.Values<int>("y")[4 * lane + 3], lane);
  }
}

TEST(Hand, ARegisterIndexPastTheEndIsFound) {
  Hand h;
  h.k().grid = {h.Int(1)};
  const ir::LocalId a = h.Local("a", ir::DType::kI32, 4);
  const ir::StmtId bad = h.SetElement(a, h.Lane(), h.Int(1));
  h.Role("main", 1, {h.Let(a, h.Int(0)), bad});
  const Ran ran = RunProgram(h.p, {});
  ASSERT_THAT(ran.Codes(), ElementsAre("CK2007")) << ran.text;
  EXPECT_EQ(ran.result.report.diagnostics()[0].instance.lane, 4);
}

TEST(Hand, ACollectiveUnderADivergentBranchIsFound) {
  for (const bool diverge : {true, false}) {
    Hand h;
    h.k().grid = {h.Int(1)};
    const ir::LocalId s = h.Local("s");
    const ir::StmtId sum = h.Set(s, h.Op("lanes.sum", {h.Var(s)}));
    h.Role("main", 1,
           {h.Let(s, h.Lane()), h.If(h.Op("<", {h.Lane(), h.Int(diverge ? 16 : 32)}), {sum})});
    const Ran ran = RunProgram(h.p, {});
    if (!diverge) {
      EXPECT_THAT(ran.Codes(), IsEmpty()) << ran.text;
      continue;
    }
    ASSERT_THAT(ran.Codes(), ElementsAre("CK2030")) << ran.text;
    EXPECT_EQ(ran.result.report.diagnostics()[0].primary, h.SpanOf(sum));
    EXPECT_EQ(ran.result.report.diagnostics()[0].message,
              "`lanes.sum` is executed by 16 of the 32 lanes of a warp");
    EXPECT_EQ(ran.result.outcome, Outcome::kFault);
  }
}

TEST(Hand, ABarrierUnderADivergentBranchEndsTheRun) {
  for (const char* word : {"warp", "wg", "role", "cta"}) {
    Hand h;
    h.k().grid = {h.Int(1)};
    const ir::StmtId sync = h.Sync(word);
    h.Role("main", 4, {h.If(h.Op("<", {h.Lane(), h.Int(7)}), {sync})});
    const Ran ran = RunProgram(h.p, {});
    EXPECT_THAT(ran.Codes(), ElementsAre("CK2030")) << word << ran.text;
    EXPECT_EQ(ran.result.outcome, Outcome::kFault);
  }
}

TEST(Hand, WarpsThatMissASyncAreNamed) {
  Hand h;
  h.k().grid = {h.Int(1)};
  const ir::StmtId sync = h.Sync("cta");
  h.Role("main", 4, {h.If(h.Op("==", {h.Warp(), h.Int(2)}), {sync})});
  const Ran ran = RunProgram(h.p, {});
  ASSERT_THAT(ran.Codes(), ElementsAre("CK2032")) << ran.text;
  const diag::Diagnostic& d = ran.result.report.diagnostics()[0];
  EXPECT_EQ(d.message, "`sync cta` is reached by 32 of 128 threads");
  ASSERT_EQ(d.wait_graph.size(), 1u);
  EXPECT_EQ(d.wait_graph[0].waiter, "role main warp 2");
  EXPECT_EQ(d.wait_graph[0].missing, "role main warps 0, 1, 3 ended");
  EXPECT_EQ(ran.result.outcome, Outcome::kDeadlock);
}

TEST(Hand, WarpsOfARoleAtTwoSitesOfOneBarrierAreFound) {
  Hand h;
  h.k().grid = {h.Int(1)};
  const ir::StmtId one = h.Sync("cta"), two = h.Sync("cta");
  h.Role("main", 2, {h.If(h.Op("==", {h.Warp(), h.Int(0)}), {one}, {two})});
  const Ran ran = RunProgram(h.p, {});
  ASSERT_THAT(ran.Codes(), ElementsAre("CK2031")) << ran.text;
  EXPECT_EQ(ran.result.report.diagnostics()[0].primary, h.SpanOf(two));
  EXPECT_EQ(ran.result.report.diagnostics()[0].labels[0].span, h.SpanOf(one));
}

TEST(Hand, AStepThatIsNotPositiveIsFound) {
  Hand h;
  h.k().grid = {h.Int(1)};
  const ir::LocalId i = h.Local("i");
  h.Role("main", 1, {h.For(i, h.Int(0), h.Int(4), {}, h.Op("-", {h.Lane(), h.Int(3)}))});
  const Ran ran = RunProgram(h.p, {});
  ASSERT_THAT(ran.Codes(), ElementsAre("CK2051")) << ran.text;
  EXPECT_EQ(ran.result.report.diagnostics()[0].message, "a loop has the step -3");
}

TEST(Hand, ANegativeUseOfStagedMemoryIsFound) {
  for (const int64_t back : {1, 0}) {
    Hand h;
    h.k().grid = {h.Int(1)};
    const ir::SharedId b = h.Shared("b", 32);
    h.k().shared[0].stages = 2;
    h.k().shared[0].staged = true;
    const ir::LocalId i = h.Local("i");
    const ir::ViewId view = h.View(b, h.Lane());
    h.p.views.back().stage = h.Op("-", {h.Var(i), h.Int(back)});
    h.Role("main", 1, {h.For(i, h.Int(0), h.Int(5), {h.Store(view, h.F32(1))})});
    const Ran ran = RunProgram(h.p, {});
    if (back == 0) {
      EXPECT_THAT(ran.Codes(), IsEmpty()) << ran.text;
    } else {
      ASSERT_THAT(ran.Codes(), ElementsAre("CK2005")) << ran.text;
      EXPECT_EQ(ran.result.report.diagnostics()[0].instance.iteration, 0);
    }
  }
}

TEST(Hand, ElectUnderADivergentBranchIsFound) {
  Hand h;
  h.k().grid = {h.Int(1)};
  const ir::LocalId s = h.Local("s");
  h.Role(
      "main", 1,
      {h.Let(s, h.Int(0)), h.If(h.Op("<", {h.Lane(), h.Int(3)}), {h.Elect({h.Set(s, h.Int(1))})})});
  EXPECT_THAT(RunProgram(h.p, {}).Codes(), ElementsAre("CK2030"));
}

TEST(Hand, OnceIsTheFirstThreadOfTheRoleElectOneOfEachWarp) {
  Hand h;
  h.k().grid = {h.Int(1)};
  const ir::TensorId y = h.Tensor("y", ir::Direction::kOut, h.Int(96), ir::DType::kI32);
  const ir::LocalId s = h.Local("s");
  const auto bump = [&](int64_t by) { return h.Set(s, h.Op("+", {h.Var(s), h.Int(by)})); };
  h.Role("main", 3,
         {h.Let(s, h.Int(0)), h.Once({bump(1)}), h.Elect({bump(10)}),
          h.Store(h.View(y, h.Thread()), h.Var(s))});
  const std::vector<int> values = RunProgram(h.p, {}).Values<int>("y");
  for (int t = 0; t < 96; ++t) EXPECT_EQ(values[t], t == 0 ? 11 : t % 32 == 0 ? 10 : 0) << t;
}

// Lanes that failed have no value; what follows from them is no second finding.
TEST(Hand, AStepErrorIsReportedOnceAndNotItsConsequences) {
  Hand h;
  const ir::TensorId y = h.Tensor("y", ir::Direction::kOut, h.Int(32), ir::DType::kI32);
  h.k().grid = {h.Int(1)};
  const ir::LocalId s = h.Local("s");
  h.Role("main", 1,
         {h.Let(s, h.Op("/", {h.Int(100), h.Op("-", {h.Lane(), h.Int(7)})})),
          h.If(h.Op(">", {h.Var(s), h.Int(0)}), {h.Store(h.View(y, h.Lane()), h.Var(s))}),
          h.Store(h.View(y, h.Lane()), h.Var(s))});
  const Ran ran = RunProgram(h.p, {});
  ASSERT_THAT(ran.Codes(), ElementsAre("CK2050")) << ran.text;
  EXPECT_EQ(ran.result.report.diagnostics()[0].instance.lane, 7);
  EXPECT_EQ(ran.Values<int>("y")[8], 100);
  EXPECT_EQ(ran.Values<int>("y")[31], 100 / 24);
}

TEST(Hand, ARunWithoutChecksReportsNoRaceAndNoUndefinedValue) {
  Hand h;
  const ir::TensorId y = h.Tensor("y", ir::Direction::kOut, h.Int(64));
  h.k().grid = {h.Int(1)};
  const ir::SharedId b = h.Shared("b", 64);
  h.Role("main", 2,
         {h.Store(h.View(b, h.Thread()), h.F32(1)),
          h.Store(h.View(y, h.Thread()), h.Load(h.View(b, h.Op("-", {h.Int(63), h.Thread()}))))});
  Options options;
  options.check_races = false;
  options.check_definedness = false;
  options.count = false;
  const Ran ran = RunProgram(h.p, {}, {}, options);
  EXPECT_THAT(ran.Codes(), IsEmpty()) << ran.text;
  EXPECT_EQ(ran.result.outcome, Outcome::kFinished);
  EXPECT_EQ(ran.Values<float>("y")[0 + 32], 1.0f);
}

TEST(Hand, TheTimeLimitStopsARun) {
  Hand h;
  h.k().grid = {h.Int(1)};
  const ir::LocalId i = h.Local("i");
  h.Role("main", 1,
         {h.Let(i, h.Int(0)), h.While(h.Op("<", {h.Var(i), h.Int(1)}), {h.Set(i, h.Int(0))})});
  Options options;
  options.max_lane_statements = int64_t{1} << 50;
  options.max_seconds = 0.01;
  const Ran ran = RunProgram(h.p, {}, {}, options);
  EXPECT_THAT(ran.Codes(), ElementsAre("CK6202"));
  EXPECT_EQ(ran.result.outcome, Outcome::kLimit);
}

TEST(Hand, TheNumberOfFindingsIsBounded) {
  Hand h;
  h.k().grid = {h.Int(1)};
  const ir::TensorId y = h.Tensor("y", ir::Direction::kOut, h.Int(8));
  Ids body;
  for (int i = 0; i < 100; ++i) body.push_back(h.Store(h.View(y, h.Int(8 + i)), h.F32(i)));
  h.Role("main", 1, {h.Elect(body)});
  const Ran ran = RunProgram(h.p, {});
  EXPECT_EQ(ran.result.report.diagnostics().size(), 64u);
  EXPECT_EQ(ran.result.outcome, Outcome::kFault);
}

TEST(Hand, TensorsThatShareBytesShareTheirRaces) {
  Hand h;
  const ir::TensorId x = h.Tensor("x", ir::Direction::kIn, h.Int(64));
  const ir::TensorId y = h.Tensor("y", ir::Direction::kOut, h.Int(64));
  h.k().grid = {h.Int(1)};
  h.Role("main", 2,
         {h.Store(h.View(y, h.Thread()), h.Load(h.View(x, h.Op("-", {h.Int(63), h.Thread()}))))});
  EXPECT_THAT(RunProgram(h.p, {}, {{"x", Bytes(std::vector<float>(64, 1.0f))}}).Codes(), IsEmpty());
  // The same bytes behind both names.
  diag::Report report;
  const facts::Facts facts = facts::Derive(h.p, **arch::Find("sm_90a"), report);
  const ir::LaunchValues values = *facts::BindLaunch(h.p, {});
  const facts::LaunchPlan plan = *facts::PlanLaunch(h.p, facts, values, "");
  std::vector<float> bytes(64, 1.0f);
  const std::span<std::byte> span = std::as_writable_bytes(std::span(bytes));
  const absl::StatusOr<Result> result = machine::Run(h.p, facts, plan, values, {{span, span}}, {});
  ASSERT_TRUE(result.ok());
  ASSERT_EQ(result->report.diagnostics().size(), 1u);
  EXPECT_EQ(result->report.diagnostics()[0].code, "CK2022");
  // Memory that does not fit the plan is the caller's mistake.
  EXPECT_EQ(machine::Run(h.p, facts, plan, values, {{span}}, {}).status().code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(machine::Run(h.p, facts, plan, values, {{span, span.first(12)}}, {}).status().code(),
            absl::StatusCode::kInvalidArgument);
}

TEST(Hand, ARunThatStopsSaysWhy) {
  constexpr diag::Def<> kAdvice{"CK0001", diag::Severity::kWarning, diag::Category::kSafety, "",
                                ""};
  constexpr diag::Def<> kError{"CK0002", diag::Severity::kError, diag::Category::kSafety, "", ""};
  for (const Outcome outcome : {Outcome::kFault, Outcome::kDeadlock}) {
    Result result{.outcome = outcome};
    result.report.Add(kAdvice, {});
    EXPECT_EQ(CheckExplained(result).code(), absl::StatusCode::kInternal);
    result.report.Add(kError, {});
    EXPECT_TRUE(CheckExplained(result).ok());
  }
  EXPECT_TRUE(CheckExplained({.outcome = Outcome::kFinished}).ok());
  EXPECT_TRUE(CheckExplained({.outcome = Outcome::kLimit}).ok());
}

TEST(Hand, AGridOfEmptyCtasIsBounded) {
  Hand h;
  h.k().grid = {h.Int((int64_t{1} << 31) - 1)};
  h.Role("main", 1, {});
  Options options;
  options.max_lane_statements = 32 * 1000;
  const Ran ran = RunProgram(h.p, {}, {}, options);
  ASSERT_THAT(ran.Codes(), ElementsAre("CK6205"));
  EXPECT_EQ(ran.result.report.diagnostics()[0].message,
            "the run was stopped after 1000 CTAs of kernel `k`");
  EXPECT_EQ(ran.result.outcome, Outcome::kLimit);
}

TEST(Hand, AKernelThatNoMachineHoldsIsALimit) {
  Hand h;
  h.k().grid = {h.Int(1)};
  const ir::LocalId a = h.Local("a", ir::DType::kI32, int64_t{1} << 40);
  h.Role("main", 1, {h.Let(a)});
  EXPECT_THAT(RunProgram(h.p, {}).Codes(), ElementsAre("CK6204"));
  Hand wide;
  wide.k().grid = {wide.Int(1)};
  const ir::LocalId b = wide.Local("b", ir::DType::kI32, 200'000);
  wide.Role("main", 32, {wide.Let(b, wide.Int(0))});
  EXPECT_THAT(RunProgram(wide.p, {}).Codes(), ElementsAre("CK6204"));
}

// The missing warps of a `sync` wait on a declared barrier themselves: that is a circle.
TEST(Hand, ASyncHeldUpByABarrierIsADeadlock) {
  Hand h;
  h.k().grid = {h.Int(1)};
  const ir::BarrierId b = h.Barrier("b", 64);
  const ir::StmtId bar = h.Bar("bar.sync", b);
  h.Role("main", 2, {h.If(h.Op("==", {h.Warp(), h.Int(1)}), {bar}), h.Sync("role")});
  const Ran ran = RunProgram(h.p, {});
  ASSERT_THAT(ran.Codes(), ElementsAre("CK2040")) << ran.text;
  const diag::Diagnostic& d = ran.result.report.diagnostics()[0];
  EXPECT_EQ(d.primary, h.SpanOf(bar));
  ASSERT_EQ(d.wait_graph.size(), 2u);
  EXPECT_EQ(d.wait_graph[0].waiter, "role main warp 1");
  EXPECT_EQ(d.wait_graph[0].missing, "role main warp 0 waits for `sync role`");
  EXPECT_EQ(d.wait_graph[1].missing, "role main warp 1 waits for `b`");
}

}  // namespace
}  // namespace compiler::machine
