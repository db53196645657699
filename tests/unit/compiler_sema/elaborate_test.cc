#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compiler/ir/print.h"
#include "tests/unit/compiler_sema/check.h"

namespace compiler::sema {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

std::string Tree(const std::string& body, int warps = 4) {
  const Checked checked = Check(InRole(body, warps));
  EXPECT_NE(checked.program, nullptr) << checked.Text();
  return checked.program == nullptr ? "" : ir::Print(*checked.program);
}

TEST(Literals, TakeTheTypeOfTheirUseAndAreRoundedOnce) {
  const std::string tree = Tree(
      "var a: bf16 = 0.1\nvar b: u32 = 7\nvar c: i64 = 7\nvar d: f32 = -inf\n"
      "var e: i32 = -2147483648\nvar f: bf16[2] = [1.0, 0.1]");
  EXPECT_THAT(tree, HasSubstr("= 0.100097656:bf16"));
  EXPECT_THAT(tree, HasSubstr("= 7:u32"));
  EXPECT_THAT(tree, HasSubstr("= 7:i64"));
  EXPECT_THAT(tree, HasSubstr("= -inf:f32"));
  EXPECT_THAT(tree, HasSubstr("= -2147483648\n"));
  EXPECT_THAT(tree, HasSubstr("= [1:bf16, 0.100097656:bf16]"));
}

TEST(Literals, OnlyI32WidensByItself) {
  EXPECT_THAT(Tree("var a: i64 = lane\na = a + n"), HasSubstr("(a%0 + cvt.i64(n))"));
  EXPECT_THAT(Check(InRole("var a: i64 = 0\nvar b: i32 = a")).Codes(), ElementsAre("CK1010"));
  EXPECT_THAT(Check(InRole("var a: u32 = 0\nlet b = a + n")).Codes(), ElementsAre("CK1011"));
}

TEST(Constants, AreFoldedByTheInstructionsOwnMeaning) {
  EXPECT_THAT(Tree("let a = ceildiv(10, 4) * 2 - 7 % 4\nst y[a, 0] <- 1.0/3.0"),
              HasSubstr("st y[3, 0] <- 0.333333343:f32"));
  EXPECT_THAT(Check(InRole("let a = 2147483647 + 1")).Codes(), ElementsAre("CK1018"));
  EXPECT_THAT(Check(InRole("if 1 > 2 { let a = 1/0 }")).Codes(), IsEmpty());
}

TEST(Numerics, ContractFusesTheLeftmostProductOfOneExpression) {
  std::string source = InRole(
      "st y[0, 0] <- scale*scale + scale*2.0\nst y[0, 1] <- scale - scale*scale\n"
      "st y[0, 2] <- scale*scale - 1.0\nvar s: f32 = 0.0\ns += scale*scale\nst y[0, 3] <- s\n"
      "fn f(a: f32) -> f32 { return a + 1.0 }\nst y[0, 4] <- f(scale*scale)");
  const Checked plain = Check(source);
  ASSERT_NE(plain.program, nullptr);
  EXPECT_THAT(ir::Print(*plain.program), Not(HasSubstr("fma")));
  source.insert(source.find("  grid"), "  numerics contract\n");
  const Checked fused = Check(source);
  ASSERT_NE(fused.program, nullptr);
  const std::string tree = ir::Print(*fused.program);
  EXPECT_THAT(tree, HasSubstr("y[0, 0] <- fma(scale, scale, (scale * 2:f32))"));
  EXPECT_THAT(tree, HasSubstr("y[0, 1] <- fma(-scale, scale, scale)"));
  EXPECT_THAT(tree, HasSubstr("y[0, 2] <- fma(scale, scale, -1:f32)"));
  EXPECT_THAT(tree, HasSubstr("= fma(scale, scale, s%0)"));
  EXPECT_THAT(tree, HasSubstr("y[0, 4] <- ((scale * scale) + 1:f32)"));  // two expressions
}

TEST(Views, ComposeToTheDeclaredBuffer) {
  const std::string tree = Tree(
      "let row = x[cta, :]\nlet half = row[4:+4]\nlet v = ld half[lane % 4]\n"
      "st y[0, 0] <- v + ld row[1]");
  EXPECT_THAT(tree, HasSubstr("(ld x[cta, (4 + (lane % 4))])"));
  EXPECT_THAT(tree, HasSubstr("(ld x[cta, 1])"));
}

TEST(Views, KeepThePlaceTheyWereBoundTo) {
  const std::string tree = Tree("var i = 0\nlet row = x[i, :]\ni = 3\nst y[0, 0] <- ld row[0]");
  EXPECT_THAT(tree, HasSubstr("let row_0%1: i32 const = i%0"));
  EXPECT_THAT(tree, HasSubstr("(ld x[row_0%1, 0])"));
}

TEST(Calls, ArgumentsAreEvaluatedOnceAndBeforeTheBody) {
  const std::string tree =
      Tree("var i = 1\nfn next(a: i32) -> i32 { i += 1; return a + i }\nlet b = next(i)");
  EXPECT_THAT(tree, HasSubstr("let a%1: i32 const = i%0\n    i%0 = (i%0 + 1)\n"
                              "    let b%2: i32 const = (a%1 + i%0)"));
}

// A condition is evaluated again each time: nothing of it may be computed before the loop.
TEST(Calls, InALoopConditionAreEvaluatedEachTime) {
  const std::string tree = Tree(
      "var i = 0\nfn at(k: i32) -> f32 { let row = x[k + i, :]; let j = i; return ld row[j] }\n"
      "while at(i) > 0.0 { i += 1 }");
  EXPECT_THAT(tree, HasSubstr("while ((ld x[(i%0 + i%0), i%0]) > 0:f32)"));
  EXPECT_THAT(tree, Not(HasSubstr("let")));
}

TEST(Roles, SyncCtaOfSeveralRolesIsFoundInInlinedCodeToo) {
  const Checked checked = Check(
      "program p target sm_80\ndim N in 1..=64\nout y: f32[N]\nfn all() { sync cta }\nkernel k { "
      "grid "
      "(1); role a: warps 1 { all() }; role b: warps 1 { sync warp } }\n");
  EXPECT_THAT(checked.Codes(), ElementsAre("CK1052"));
}

TEST(Calls, BothBranchesOfALastIfReturn) {
  const std::string tree = Tree(
      "fn pick(a: i32) -> (i32, f32) { if a > 3 { return 1, 1.0 } else { if a > 2 { return 2, 2.0 "
      "} else { return a, scale } } }\nlet (p, q) = pick(lane)\nst y[p, 0] <- q");
  EXPECT_THAT(tree, HasSubstr("var pick_result%0: i32"));
  EXPECT_THAT(tree, HasSubstr("pick_result%1 = scale"));
  EXPECT_THAT(tree, HasSubstr("let p%2: i32 lane = pick_result%0"));
}

TEST(Calls, ConstParametersSplitTheCode) {
  const Checked checked = Check(InRole(
      "fn f(masked: const bool) { if masked { st y[0, 0] <- 1.0 } else { st y[0, 1] <- 2.0 } }\n"
      "f(true)\nf(false)"));
  ASSERT_NE(checked.program, nullptr) << checked.Text();
  int live = 0;
  for (const ir::Stmt& stmt : checked.program->stmts) {
    if (stmt.kind == ir::StmtKind::kOp && !stmt.dead) ++live;
  }
  EXPECT_EQ(live, 2);
}

TEST(Calls, InstancesNameTheCallChain) {
  const Checked checked =
      Check(InRole("fn inner() { st y[0, 0] <- 1.0 }\nfn outer() { inner() }\nouter()\nouter()"));
  ASSERT_NE(checked.program, nullptr) << checked.Text();
  const auto& instances = checked.program->instances;
  ASSERT_EQ(instances.size(), 5U);
  EXPECT_EQ(instances[1].function, "outer");
  EXPECT_EQ(instances[2].function, "inner");
  EXPECT_EQ(instances[2].parent, 1);
  EXPECT_EQ(instances[4].parent, 3);
  EXPECT_EQ(instances[1].parent, 0);
}

TEST(Calls, UncalledBodiesAreStillChecked) {
  EXPECT_THAT(Check(InRole("fn f(a: i32) { st y[a, 0] <- nothing }")).Codes(),
              ElementsAre("CK1001"));
  EXPECT_THAT(
      Check(InRole("fn f(a: i32, m: const bool) -> i32 { if m { return a }; return a }")).Codes(),
      ElementsAre("CK1083"));
  EXPECT_THAT(
      Check(InRole("fn f(a: i32, g: frag) -> i32 { for (r, e) in g { }; return a }")).Codes(),
      IsEmpty());
}

TEST(Iters, TheLoopBodyStandsAtTheYieldInItsOwnScope) {
  const std::string tree = Tree(
      "var total = 0\niter odd(from: i32) -> i32 { var k = from; while k < 9 { if k % 2 == 1 { "
      "yield "
      "k }; k += 1 } }\nfor k in odd(2) { total += k }");
  EXPECT_THAT(tree, HasSubstr("if ((k%1 % 2) == 1)\n        let k%2: i32 const = k%1\n"
                              "        total%0 = (total%0 + k%2)\n      k%1 = (k%1 + 1)"));
}

TEST(Registers, LoopsThatIndexThemAreMarkedThroughLetsAndBounds) {
  const Checked checked = Check(
      InRole("var a: f32[8] = 0.0\nfor i in 0..8 { for j in 0..i { let k = j + 0; a[k] = 1.0 } }\n"
             "for m in 0..4 { st y[m, 0] <- a[0] }"));
  ASSERT_NE(checked.program, nullptr) << checked.Text();
  std::vector<int64_t> unroll;
  for (const ir::Stmt& stmt : checked.program->stmts) {
    if (stmt.kind == ir::StmtKind::kFor) unroll.push_back(stmt.unroll);
  }
  // The inner loop is built before the one around it.
  EXPECT_THAT(unroll, ElementsAre(ir::kUnrollRegisters, ir::kUnrollRegisters, ir::kUnrollNone));
}

TEST(Registers, AScalarFillsAnArrayAndIsComputedOnce) {
  const std::string tree = Tree("var a: f32[2] = 0.0\na = scale * 2.0 + cvt.f32(lane)");
  EXPECT_THAT(tree, HasSubstr("let a_value%1: f32 lane = ((scale * 2:f32) + cvt.f32(lane))\n"
                              "    a%0 = [a_value%1, a_value%1]"));
  EXPECT_THAT(Check(InRole("st y[0, 0:+4] <- scale")).Codes(), ElementsAre("CK1010"));
  EXPECT_THAT(Check(InRole("st y[0, 0:+4] <- 0.0")).Codes(), IsEmpty());
}

TEST(Hints, LoadsAndStoresKeepTheirModifiersAndElse) {
  const std::string tree =
      Tree("let v = ld.last_use x[cta, 0:+4] else 0.0\nst.evict_last y[cta, 0:+4] <- v");
  EXPECT_THAT(tree, HasSubstr("(ld.last_use x[cta, 0:+4] else 0:f32)"));
  EXPECT_THAT(tree, HasSubstr("st.evict_last y[cta, 0:+4] <- v%0"));
}

TEST(Grid, LetsBecomeWhatTheHostComputes) {
  const Checked checked = Check(
      "program p target sm_80\ndim N in 1..=64\nout y: f32[N]\nkernel k { let tiles = ceildiv(N, "
      "4); let twice = tiles*2\n grid (twice, tiles); role main: warps 1 { st y[0] <- 0.0 } }\n");
  ASSERT_NE(checked.program, nullptr) << checked.Text();
  EXPECT_THAT(ir::Print(*checked.program), HasSubstr("grid ((ceildiv(N, 4) * 2), ceildiv(N, 4))"));
}

// Twelve doublings: as a tree the grid would have thousands of nodes, and each is made once.
TEST(Grid, SharedOperandsAreHostedOnce) {
  std::string lets = "let a0 = N; ";
  for (int i = 1; i <= 12; ++i) {
    const std::string before = "a" + std::to_string(i - 1);
    lets += "let a" + std::to_string(i) + " = " + before + " + " + before + "\n";
  }
  const Checked checked =
      Check("program p target sm_80\ndim N in 1..=64\nout y: f32[N]\nkernel k { " + lets +
            " grid (a12); role main: warps 1 { st y[0] <- 0.0 } }\n");
  ASSERT_NE(checked.program, nullptr) << checked.Text();
  EXPECT_LT(checked.program->exprs.size(), 100U);
}

// 2^16 calls of a body with a fault: one finding, and no time spent on the others.
TEST(Recovery, AFaultyBodyIsReportedOnce) {
  std::string body = "fn f0(v: i32) { st y[v, 0] <- missing }\n";
  for (int i = 1; i <= 16; ++i) {
    const std::string before = "f" + std::to_string(i - 1);
    body += "fn f" + std::to_string(i) + "(v: i32) { " + before + "(v); " + before + "(v + 1) }\n";
  }
  const Checked checked = Check(InRole(body + "f16(lane)"));
  EXPECT_THAT(checked.Codes(), ElementsAre("CK1001"));
}

TEST(Recovery, OneBadStatementHidesNothingElse) {
  EXPECT_THAT(Check(InRole("let a = unknown1\nlet b = a + 1\nst y[b, 0] <- cvt.f32(a)\n"
                           "if lane < 3 { sync warp }\nlet c = unknown2"))
                  .Codes(),
              ElementsAre("CK1001", "CK1110", "CK1001"));
}

}  // namespace
}  // namespace compiler::sema
