#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <set>

#include "tests/unit/compiler_sema/check.h"

namespace compiler::sema {
namespace {

using ::testing::ElementsAre;

std::vector<ParamDomain> Domains(const std::string& params, diag::Report* report = nullptr) {
  diag::Report own;
  diag::Report& used = report == nullptr ? own : *report;
  const auto file = text::Parse("program p target sm_80\n" + params + "\n", ops::Table(), used);
  return Params(*file->programs.at(0), used);
}

TEST(Params, DomainsAreListedInWrittenOrder) {
  const auto params = Domains(
      "const B = 4\nparam X in {8, B, 2*B + 1} = 4\nparam Y in 2..5 = 3\n"
      "param Z in 1..=ceildiv(9, B) = max(1, 2)");
  ASSERT_EQ(params.size(), 3U);
  EXPECT_THAT(params[0].values, ElementsAre(8, 4, 9));
  EXPECT_THAT(params[1].values, ElementsAre(2, 3, 4));
  EXPECT_THAT(params[2].values, ElementsAre(1, 2, 3));
  EXPECT_EQ(params[2].default_value, 2);
}

TEST(Params, FamilyIsTheProductAndEachMemberIsMetOnce) {
  const auto params = Domains("param A in {1, 2} = 1\nparam B in 0..3 = 0\nparam C in {5} = 5");
  EXPECT_EQ(FamilySize(params), 6);
  std::set<Binding> seen;
  for (int64_t i = 0; i < 6; ++i) seen.insert(FamilyMember(params, i));
  EXPECT_EQ(seen.size(), 6U);
  EXPECT_EQ(FamilyMember(params, 0), (Binding{{"A", 1}, {"B", 0}, {"C", 5}}));
  EXPECT_EQ(FamilyMember(params, 1), (Binding{{"A", 1}, {"B", 1}, {"C", 5}}));  // last varies first
  EXPECT_EQ(DefaultBinding(params), (Binding{{"A", 1}, {"B", 0}, {"C", 5}}));
}

TEST(Params, SizeSaturates) {
  std::string text;
  for (char c = 'A'; c < 'A' + 8; ++c) text += std::string("param ") + c + " in 0..4096 = 0\n";
  EXPECT_EQ(FamilySize(Domains(text)), std::numeric_limits<int64_t>::max());
}

TEST(Params, ADomainOverTheLimitNamesBothNumbers) {
  diag::Report report;
  const auto params = Domains("param A in 0..1000000000 = 7", &report);
  ASSERT_EQ(report.diagnostics().size(), 1U);
  EXPECT_EQ(report.diagnostics()[0].code, "CK6101");
  EXPECT_THAT(report.diagnostics()[0].message,
              ::testing::AllOf(::testing::HasSubstr("1000000000"), ::testing::HasSubstr("4096")));
  EXPECT_THAT(params.at(0).values, ElementsAre(7));
}

TEST(Params, ExtremeRangesDoNotOverflow) {
  diag::Report report;
  Domains("param A in -9223372036854775807..=9223372036854775807 = 0\nparam B in 1/0..4 = 1",
          &report);
  EXPECT_TRUE(report.has_errors());
}

TEST(Params, AParamThatNamesADimPinsIt) {
  const Checked checked = Check(
      "program p target sm_80\ndim N in 1..=64\nparam N in {16, 32} = 16\nin x: f32[N]\n"
      "out y: f32[N]\nkernel k { grid (1); role main: warps 1 { if lane < N { st y[lane] <- ld "
      "x[lane] } } }\n",
      {{"N", 32}});
  ASSERT_NE(checked.program, nullptr) << checked.Text();
  const ir::Symbol& dim = checked.program->symbols.at(0);
  EXPECT_EQ(dim.low, 32);
  EXPECT_EQ(dim.high, 32);
  EXPECT_EQ(checked.program->guards.size(), 1U);
  const ir::Expr& extent = (*checked.program)[checked.program->tensors[0].shape[0]];
  EXPECT_EQ(extent.kind, ir::ExprKind::kInt);
  EXPECT_EQ(extent.int_value, 32);
}

TEST(Params, AParamMayStandBeforeItsDim) {
  const Checked checked = Check(
      "program p target sm_80\nparam N in {16, 32} = 16\ndim N in 1..=64\nout y: f32[N]\n"
      "kernel k { grid (1); role main: warps 1 { if lane < N { st y[lane] <- 0.0 } } }\n");
  ASSERT_NE(checked.program, nullptr) << checked.Text();
  EXPECT_EQ(checked.program->symbols.at(0).low, 16);
}

}  // namespace
}  // namespace compiler::sema
