#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "tests/unit/compiler_sema/check.h"

namespace compiler::sema {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Level of every local of the kernel, by name.
std::map<std::string, std::string> Levels(const Checked& checked) {
  std::map<std::string, std::string> levels;
  if (checked.program == nullptr) return levels;
  for (const ir::Local& local : checked.program->kernels[0].locals) {
    levels[local.name] = std::string(ir::ToString(local.level));
  }
  return levels;
}

TEST(Levels, SourcesHaveTheirLevel) {
  const Checked checked = Check(InRole(R"(
    let a = n + 1
    let b = cta*2
    let c = warp
    let d = lane
    let e = ctas
    let f = thread
    let g = wg
    st y[0, 0] <- cvt.f32(a + b + c + d + e + f + g))"));
  ASSERT_NE(checked.program, nullptr) << checked.Text();
  auto levels = Levels(checked);
  EXPECT_EQ(levels["a"], "launch");
  EXPECT_EQ(levels["b"], "cta");
  EXPECT_EQ(levels["c"], "warp");
  EXPECT_EQ(levels["d"], "lane");
  EXPECT_EQ(levels["e"], "launch");
  EXPECT_EQ(levels["f"], "lane");
  EXPECT_EQ(levels["g"], "wg");
}

// The var is read above the assignment that narrows it: one pass over the text would miss that.
TEST(Levels, LoopCarriedVariableIsNarrowedByALaterAssignment) {
  const Checked checked = Check(InRole(R"(
    var p = 0
    var q = 0
    for i in 0..4 {
      let seen = q
      q = p
      p = lane
    })"));
  ASSERT_NE(checked.program, nullptr) << checked.Text();
  auto levels = Levels(checked);
  EXPECT_EQ(levels["p"], "lane");
  EXPECT_EQ(levels["q"], "lane");
  EXPECT_EQ(levels["seen"], "lane");
  EXPECT_EQ(levels["i"], "const");
}

TEST(Levels, ControlNarrowsWhatIsAssignedUnderIt) {
  const Checked checked = Check(InRole(R"(
    var a = 0
    var b = 0
    var c = 0
    if lane < 3 { a = 1 }
    for i in 0..warp { b += 1 }
    if n > 3 { c = 1 })"));
  ASSERT_NE(checked.program, nullptr) << checked.Text();
  auto levels = Levels(checked);
  EXPECT_EQ(levels["a"], "lane");
  EXPECT_EQ(levels["b"], "warp");
  EXPECT_EQ(levels["c"], "launch");
}

TEST(Levels, AWhileNarrowsItself) {
  const Checked checked = Check(InRole(R"(
    var i = 0
    while i < lane { i += 1 })"));
  ASSERT_NE(checked.program, nullptr) << checked.Text();
  EXPECT_EQ(Levels(checked)["i"], "lane");
}

TEST(Levels, ReductionsOverTheWholeWarpWiden) {
  const Checked checked = Check(InRole(R"(
    let v = ld x[cta, lane % 8]
    let a = lanes.sum(v, 32)
    let b = lanes.sum(v, 16)
    let c = lanes.first(v)
    let d = lanes.any(v > 0.0)
    if d { sync warp })"));
  ASSERT_NE(checked.program, nullptr) << checked.Text();
  auto levels = Levels(checked);
  EXPECT_EQ(levels["v"], "lane");
  EXPECT_EQ(levels["a"], "warp");
  EXPECT_EQ(levels["b"], "lane");
  EXPECT_EQ(levels["c"], "warp");
  EXPECT_EQ(levels["d"], "warp");
}

TEST(Levels, LoadsAreAsWideAsTheirMemoryAllows) {
  const Checked checked = Check(InRole(R"(
    let a = ld x[n, 0]
    let b = ld y[n, 0]
    let c = ld part[n % 64]
    let d = ld part[lane]
    st y[cta, 0] <- a + b + c + d)"));
  ASSERT_NE(checked.program, nullptr) << checked.Text();
  auto levels = Levels(checked);
  EXPECT_EQ(levels["a"], "launch");  // an input: nobody changes it
  EXPECT_EQ(levels["b"], "lane");    // written by this kernel
  EXPECT_EQ(levels["c"], "cta");     // shared by the CTA
  EXPECT_EQ(levels["d"], "lane");
}

// A role of one warp cannot diverge between warps, a kernel of one role not between roles.
TEST(Levels, GroupsThatCoincideServe) {
  EXPECT_THAT(Check(InRole("if warp == 0 { sync role }", 1)).Codes(), IsEmpty());
  EXPECT_THAT(Check(InRole("if warp == 0 { sync cta }", 1)).Codes(), IsEmpty());
  EXPECT_THAT(Check(InRole("if wg == 0 { sync role }", 4)).Codes(), IsEmpty());
  EXPECT_THAT(Check(InRole("if wg == 0 { sync role }", 8)).Codes(), ElementsAre("CK1110"));
  EXPECT_THAT(Check(InRole("if warp == 0 { sync role }", 2)).Codes(), ElementsAre("CK1110"));
}

TEST(Levels, DivergentThreadCodeIsFine) {
  EXPECT_THAT(Check(InRole(R"(
    for i in lane .. N step 32 { if i % 3 == 0 { st y[i, 0] <- ld x[i, 0] } })"))
                  .Codes(),
              IsEmpty());
}

TEST(Levels, DeadBranchesAreNotChecked) {
  EXPECT_THAT(Check(InRole("if 1 > 2 { if lane < 3 { sync cta } }")).Codes(), IsEmpty());
}

// A chain of variables in the order that is worst for repeated passes.
TEST(Levels, LongChainsSettleQuickly) {
  std::string body = "var v0 = 0\n";
  constexpr int kLength = 3000;
  for (int i = 1; i < kLength; ++i) body += "var v" + std::to_string(i) + " = 0\n";
  body += "for i in 0..4 {\n";
  for (int i = kLength - 1; i > 0; --i) {
    body += "v" + std::to_string(i) + " = v" + std::to_string(i - 1) + "\n";
  }
  body += "v0 = lane\n}\n";
  const Checked checked = Check(InRole(body));
  ASSERT_NE(checked.program, nullptr) << checked.Text();
  EXPECT_EQ(Levels(checked)["v2999"], "lane");
}

}  // namespace
}  // namespace compiler::sema
