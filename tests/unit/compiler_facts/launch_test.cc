#include "compiler/facts/launch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/compiler_facts/tiny_program.h"

namespace compiler::facts {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;
using testing::UnorderedElementsAre;

// out y: f32[M, N] stride (ld, 1); in x: bf16[M*2 + 1, N]; workspace w: f32[ceildiv(N, 64)]
struct Sample : TinyProgram {
  ir::SymbolId m = Dim("M", 0, 1000), n = Dim("N", 1, 100000), ld{};

  Sample() {
    p.symbols.push_back({.name = "ld", .kind = ir::SymbolKind::kStride, .dtype = ir::DType::kI64});
    ld = ir::SymbolId{2};
    p.symbols.push_back({.name = "SMS", .kind = ir::SymbolKind::kSms});
    p.symbols.push_back({.name = "eps", .kind = ir::SymbolKind::kArg, .dtype = ir::DType::kF32});
    const ir::ExprId tiles = Op(kCeilDiv, Sym(n), Int(64), "ceildiv(N, 64)");
    Tensor("w", ir::Direction::kWorkspace, ir::DType::kF32, {tiles}, {Int(1)});
    Tensor("y", ir::Direction::kOut, ir::DType::kF32, {Sym(m), Sym(n)}, {Sym(ld), Int(1)});
    const ir::ExprId rows = Op(kAdd, Op(kMul, Sym(m), Int(2), "M*2"), Int(1), "M*2 + 1");
    Tensor("x", ir::Direction::kIn, ir::DType::kBF16, {rows, Sym(n)}, {Sym(n), Int(1)});
    p.guards.push_back({.condition = Op(kDivides, Sym(n), Int(8), "N % 8 == 0"),
                        .source = {.span = Text("N % 8 == 0")}});
    p.kernels.push_back(
        {.name = "main", .grid = {tiles, Sym(m)}, .roles = {{.name = "r", .warps = 2}}});
  }
  Facts Derived() {
    diag::Report report;
    return Derive(p, **arch::Find("sm_90a"), report);
  }
  absl::StatusOr<LaunchPlan> Plan(std::map<std::string, int64_t> named) {
    named.emplace("SMS", 4);
    named.emplace("eps", 0);
    const absl::StatusOr<ir::LaunchValues> values = BindLaunch(p, named);
    if (!values.ok()) return values.status();
    return PlanLaunch(p, Derived(), *values, "h");
  }
};

TEST(BindLaunch, StridesDefaultToRowMajor) {
  Sample s;
  const auto values = BindLaunch(s.p, {{"M", 3}, {"N", 128}, {"SMS", 4}, {"eps", 7}});
  ASSERT_TRUE(values.ok()) << values.status();
  EXPECT_THAT(values->values, ElementsAre(3, 128, 128, 4, 7));
  const auto given = BindLaunch(s.p, {{"M", 3}, {"N", 128}, {"SMS", 4}, {"eps", 7}, {"ld", 200}});
  EXPECT_EQ(given->values[2], 200);
}

TEST(CheckGuard, ADeviceThatHoldsNoClusterRunsNothing) {
  Sample s;
  s.p.symbols[3].low = 8;
  const auto values = BindLaunch(s.p, {{"M", 3}, {"N", 128}, {"SMS", 4}, {"eps", 7}});
  const absl::Status status = CheckGuard(s.p, *values);
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(status.message(), "a cluster of the program needs 8 multiprocessors; the device has 4");
  EXPECT_FALSE(s.Plan({{"M", 3}, {"N", 128}}).ok());
  EXPECT_TRUE(s.Plan({{"M", 3}, {"N", 128}, {"SMS", 8}}).ok());
}

TEST(BindLaunch, ADimWithOneValueNeedNotBeGiven) {
  TinyProgram t;
  t.Dim("K", 4, 4);
  EXPECT_THAT(BindLaunch(t.p, {})->values, ElementsAre(4));
  EXPECT_THAT(BindLaunch(t.p, {{"K", 5}})->values, ElementsAre(5));  // the guard refuses it later
}

TEST(BindLaunch, NamesWhatIsMissingUnknownOrTooLarge) {
  Sample s;
  EXPECT_EQ(BindLaunch(s.p, {{"M", 3}, {"SMS", 4}}).status().message(),
            "no value is given for `N`, `eps`");
  EXPECT_EQ(
      BindLaunch(s.p, {{"M", 3}, {"N", 8}, {"K", 1}, {"SMS", 4}, {"eps", 0}}).status().message(),
      "program `tiny` declares no `K`");
  EXPECT_EQ(BindLaunch(s.p, {{"M", int64_t{1} << 31}, {"N", 8}, {"SMS", 4}, {"eps", 0}})
                .status()
                .message(),
            "`M` = 2147483648 does not fit i32");
}

TEST(PlanLaunch, ArgumentsTensorsAndGrid) {
  Sample s;
  const auto plan = s.Plan({{"M", 3}, {"N", 128}, {"ld", 136}});
  ASSERT_TRUE(plan.ok()) << plan.status();
  std::vector<std::string> names;
  std::vector<int> bytes;
  for (const ArgumentSlot& slot : plan->arguments) {
    names.push_back(slot.name);
    bytes.push_back(slot.bytes);
  }
  EXPECT_THAT(names, ElementsAre("y", "x", "w", "M", "N", "ld", "SMS", "eps"));
  EXPECT_THAT(bytes, ElementsAre(8, 8, 8, 4, 4, 8, 4, 4));
  EXPECT_EQ(plan->arguments[5].value, 136);
  EXPECT_EQ(plan->tensors[0].bytes, (2 * 136 + 128) * 4);
  EXPECT_THAT(plan->tensors[1].shape, ElementsAre(7, 128));
  EXPECT_EQ(plan->tensors[2].bytes, 8);
  ASSERT_EQ(plan->kernels.size(), 1u);
  EXPECT_EQ(plan->kernels[0].name, "tiny_main");
  EXPECT_THAT(plan->kernels[0].grid, ElementsAre(2, 3, 1));
  EXPECT_EQ(plan->kernels[0].block, 64);
  EXPECT_FALSE(plan->kernels[0].skipped);
}

TEST(PlanLaunch, AnEmptyGridSkipsTheKernel) {
  Sample s;
  const auto plan = s.Plan({{"M", 0}, {"N", 128}});
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_TRUE(plan->kernels[0].skipped);
  EXPECT_EQ(plan->tensors[0].bytes, 0);
}

TEST(PlanLaunch, RefusesWhatTheGuardDoesNotAdmit) {
  Sample s;
  const absl::Status range = s.Plan({{"M", 1001}, {"N", 128}}).status();
  EXPECT_EQ(range.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(range.message(), "dim `M` = 1001 is outside its declared range 0..=1000");
  EXPECT_EQ(s.Plan({{"M", 3}, {"N", 100}}).status().message(),
            "the guard `N % 8 == 0` does not hold for M=3, N=100, SMS=4, eps=0");
}

TEST(PlanLaunch, JsonRoundTrip) {
  Sample s;
  const LaunchPlan plan = *s.Plan({{"M", 3}, {"N", 128}});
  const std::string json = ToJson(plan);
  const auto back = LaunchPlanFromJson(json);
  ASSERT_TRUE(back.ok()) << back.status();
  EXPECT_EQ(ToJson(*back), json);
  EXPECT_EQ(back->tensors[1].dtype, ir::DType::kBF16);
  EXPECT_EQ(back->arguments[2].kind, ArgumentSlot::Kind::kWorkspace);
}

TEST(PlanLaunch, JsonOfAnotherShapeIsAnErrorThatSaysWhere) {
  EXPECT_EQ(LaunchPlanFromJson("{").status().message(), "launch plan: not JSON");
  EXPECT_EQ(LaunchPlanFromJson("[]").status().message(), "launch plan: field is not an object");
  EXPECT_EQ(LaunchPlanFromJson("{\"program\": 3}").status().message(),
            "launch plan: field program is not a string");
  Sample s;
  std::string json = ToJson(*s.Plan({{"M", 3}, {"N", 128}}));
  json.replace(json.find("\"bf16\""), 6, "\"bf17\"");
  EXPECT_EQ(LaunchPlanFromJson(json).status().message(),
            "launch plan: tensor dtype is not a data type");
  EXPECT_THAT(std::string(LaunchPlanFromJson(std::string((1 << 20) + 1, ' ')).status().message()),
              HasSubstr("more than 1048576"));
}

TEST(SolveDims, BareAndAffineExtents) {
  Sample s;
  const auto dims = SolveDims(s.p, {{"y", {3, 40}}, {"x", {7, 40}}}, {});
  ASSERT_TRUE(dims.ok()) << dims.status();
  EXPECT_THAT(*dims, UnorderedElementsAre(Pair("M", 3), Pair("N", 40)));
}

// A constant from the text is any 64-bit number: an extent whose arithmetic does not fit solves
// nothing, and the check of all extents then says why the case is refused.
TEST(SolveDims, ConstantsOfAnySizeDoNotOverflow) {
  TinyProgram t;
  const ir::SymbolId m = t.Dim("M", 0, 1000);
  const int64_t huge = int64_t{1} << 62;
  const ir::ExprId scaled = t.Op(kMul, t.Op(kMul, t.Sym(m), t.Int(huge), "a"), t.Int(huge), "b");
  const ir::ExprId moved = t.Op(kAdd, t.Op(kAdd, t.Sym(m), t.Int(huge), "c"), t.Int(huge), "d");
  t.Tensor("x", ir::Direction::kIn, ir::DType::kF32, {scaled, moved}, {t.Int(1), t.Int(1)});
  EXPECT_EQ(SolveDims(t.p, {{"x", {3, 3}}}, {}).status().message(),
            "dim `M` follows from no extent and the case does not give it");
}

TEST(SolveDims, NamesBothDeclarationsThatDisagree) {
  Sample s;
  EXPECT_EQ(SolveDims(s.p, {{"y", {3, 40}}, {"x", {9, 40}}}, {}).status().message(),
            "`M` is 3 by extent 0 of `y`, declared `M`, and 4 by extent 0 of `x`, declared "
            "`M*2 + 1`");
  EXPECT_EQ(SolveDims(s.p, {{"y", {3, 40}}, {"x", {8, 40}}}, {}).status().message(),
            "extent 0 of `x`, declared `M*2 + 1`, is 8: no value of `M` gives that");
  EXPECT_EQ(SolveDims(s.p, {{"y", {3, 40}}, {"x", {7, 40}}}, {{"N", 41}}).status().message(),
            "`N` is 41 by the case, and 40 by extent 1 of `y`, declared `N`");
}

TEST(SolveDims, NamesMissingAndExtraTensors) {
  Sample s;
  EXPECT_EQ(SolveDims(s.p, {{"y", {3, 40}}}, {}).status().message(),
            "program `tiny` declares tensor `x`, which the case does not have");
  EXPECT_EQ(SolveDims(s.p, {{"y", {3, 40}}, {"x", {7, 40}}, {"z", {1}}}, {}).status().message(),
            "the case has tensor `z`, which program `tiny` does not declare");
  EXPECT_EQ(SolveDims(s.p, {{"y", {3}}, {"x", {7, 40}}}, {}).status().message(),
            "tensor `y` is declared with 2 dimensions; the case gives 1");
}

TEST(EvaluateLaunch, ErrorsAreInTheTablesWords) {
  Sample s;
  const ir::ExprId bad = s.Op(kCeilDiv, s.Sym(s.n), s.Int(0), "ceildiv(N, 0)");
  EXPECT_EQ(EvaluateLaunch(s.p, bad, {{1, 1, 1, 1, 1}}).status().message(),
            "division by zero in `ceildiv(N, 0)`");
}

TEST(Explain, TextAndJsonNameEverythingDerived) {
  Sample s;
  const std::string text = ExplainText(s.p, s.Derived());
  EXPECT_THAT(text, HasSubstr("kernel main: grid (ceildiv(N, 64), M), 64 threads a CTA, 0 bytes of "
                              "shared memory, 1 barrier\n"));
  EXPECT_THAT(text, HasSubstr("  role r            warps 0..1, threads 0..63"));
  EXPECT_THAT(text, HasSubstr("  ld             value, 8 bytes\n"));
  EXPECT_THAT(ExplainJson(s.p, s.Derived()), HasSubstr("\"function\": \"tiny_main\""));
}

}  // namespace
}  // namespace compiler::facts
