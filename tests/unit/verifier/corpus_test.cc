// The corpus is accepted with proofs for all shapes; each way of breaking it is found at its
// statement.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "compiler/diag/render.h"
#include "tests/unit/verifier/checked.h"

namespace verifier {
namespace {

std::string VectorAdd() { return ReadFile("tests/corpus/vector_add/vector_add.cake"); }
std::string RmsNorm() { return ReadFile("tests/corpus/rmsnorm/rmsnorm.cake"); }

void ExpectProved(const Checked& c) {
  EXPECT_TRUE(c.verdict.accepted) << compiler::diag::RenderText(c.report, "program", c.source);
  for (const char* property : {"bounds", "overflow", "global races", "resources"}) {
    EXPECT_EQ(c.HowOf(property), How::kProved) << property;
  }
  EXPECT_EQ(c.HowOf("definedness"), How::kExplored);
}

TEST(Corpus, EveryMemberOfVectorAddIsProved) {
  for (const int64_t v : {1, 2, 4}) {
    for (const int64_t repeat : {1, 2, 4}) {
      for (const int64_t warps : {2, 8}) {
        ExpectProved(Check(VectorAdd(), {{"V", v}, {"REPEAT", repeat}, {"WARPS", warps}}));
      }
    }
  }
}

// Elaboration lets no such instruction through; if one ever gets here, it is not waved through.
TEST(Corpus, WhatTheMachineDoesNotRunIsNotAccepted) {
  Checked c = Check(VectorAdd());
  ASSERT_TRUE(c.verdict.accepted);
  const compiler::ir::OpDef without_meaning{.name = "none", .form = compiler::ir::Form::kOperator};
  for (compiler::ir::Expr& expr : c.program->exprs) {
    const bool sum =
        expr.kind == compiler::ir::ExprKind::kOp && expr.type.dtype == compiler::ir::DType::kF32;
    if (sum) expr.op = &without_meaning;
  }
  const Verdict verdict =
      Verify(*c.program, c.facts, **compiler::arch::DeviceOfTarget(c.program->target), {});
  EXPECT_FALSE(verdict.accepted);
  EXPECT_THAT(
      verdict.report.diagnostics(),
      testing::Contains(testing::AllOf(
          testing::Field(&compiler::diag::Diagnostic::code, "CK2510"),
          testing::Field(&compiler::diag::Diagnostic::message, testing::HasSubstr("has no")))));
}

TEST(Corpus, MembersOfRmsNormAreProved) {
  for (const int64_t v : {1, 2, 8}) {
    for (const int64_t warps : {1, 8}) {
      for (const int64_t rows : {1, 4}) {
        const Checked c = Check(RmsNorm(), {{"V", v}, {"WARPS", warps}, {"ROWS", rows}});
        ExpectProved(c);
        EXPECT_EQ(c.HowOf("alignment"), v == 1 ? How::kNotApplicable : How::kProved);
      }
    }
  }
}

struct Mutant {
  std::string what, source, code, at;
  std::map<std::string, int64_t> params;
};

void ExpectRejected(const Mutant& mutant) {
  SCOPED_TRACE(mutant.what);
  const Checked c = Check(mutant.source, mutant.params);
  ASSERT_NE(c.program, nullptr) << compiler::diag::RenderText(c.report, "mutant", c.source);
  EXPECT_FALSE(c.verdict.accepted);
  EXPECT_THAT(c.codes(), testing::Contains(mutant.code))
      << compiler::diag::RenderText(c.report, "mutant", c.source);
  EXPECT_EQ(c.At(mutant.code), mutant.at);
}

TEST(Corpus, MutantsOfVectorAdd) {
  const std::string good = VectorAdd();
  ExpectRejected({"one element more",
                  Replaced(good, "for e in i..N {", "for e in i..=N {"),
                  "CK2001",
                  "c[e]",
                  {}});
  ExpectRejected({"vector condition too weak",
                  Replaced(good, "if i + V <= N {", "if i + V <= N + 1 {"),
                  "CK2002",
                  "a[i:+V]",
                  {}});
  ExpectRejected({"condition of the start only",
                  Replaced(good, "if i + V <= N {", "if i < N {"),
                  "CK2002",
                  "a[i:+V]",
                  {}});
  ExpectRejected({"tail starts one early",
                  Replaced(good, "for e in i..N {", "for e in i - 1..N {"),
                  "CK2001",
                  "c[e]",
                  {}});
  ExpectRejected({"offset not a multiple of the vector",
                  Replaced(good, "(r*T + thread)*V", "(r*T + thread)*V + 1"),
                  "CK2006",
                  "a[i:+V]",
                  {}});
  ExpectRejected({"CTAs overlap",
                  Replaced(good, "cta*(T*V*REPEAT)", "cta*(T*V*REPEAT - V)"),
                  "CK2023",
                  "c[i:+V]",
                  {}});
  ExpectRejected({"guard without a cap",
                  Replaced(good, "N in 0..=1073741824", "N in 0..=2147483647"),
                  "CK2503",
                  "i + V",
                  {}});
  ExpectRejected({"sum never set",
                  Replaced(good, "var z: f32[V] = 0.0\n        for e in 0..V {",
                           "var z: f32[V]\n        for e in 1..V {"),
                  "CK2011",
                  "st.streaming c[i:+V] <- z",
                  {}});
}

TEST(Corpus, MutantsOfRmsNorm) {
  const std::string good = RmsNorm();
  ExpectRejected({"row guard dropped",
                  Replaced(good, "if row < M {", "if row >= 0 {"),
                  "CK2001",
                  "x[row, i:+W]",
                  {{"ROWS", 2}}});
  ExpectRejected({"row guard off by one",
                  Replaced(good, "if row < M {", "if row <= M {"),
                  "CK2001",
                  "x[row, i:+W]",
                  {{"ROWS", 2}}});
  ExpectRejected(
      {"sync dropped", Replaced(good, "        sync cta\n", ""), "CK2021", "part@r[p]", {}});
  ExpectRejected(
      {"one buffer of partial sums", good, "CK2021", "part@r[warp]", {{"ROWS", 2}, {"PARTS", 1}}});
  ExpectRejected({"column guard weakened",
                  Replaced(good, "if i + W <= N {", "if i <= N {"),
                  "CK2002",
                  "x[row, i:+W]",
                  {}});
  ExpectRejected({"store guard weakened",
                  Replaced(good, "if i + W <= N {", "if i + W <= N + 1 {", 1),
                  "CK2001",
                  "w[i:+W]",
                  {}});
  ExpectRejected({"loop runs past the row",
                  Replaced(good, "..= N - W step", "..= N step"),
                  "CK2001",
                  "x[row, i:+W]",
                  {}});
  ExpectRejected({"alignment condition dropped",
                  Replaced(good, "if N % V == 0 {", "if N >= V {"),
                  "CK2006",
                  "x[row, i:+W]",
                  {}});
  ExpectRejected({"partial sum of a warp that does not exist",
                  Replaced(good, "for p in 0..WARPS {", "for p in 0..=WARPS {"),
                  "CK2003",
                  "part@r[p]",
                  {}});
  ExpectRejected({"sum never set",
                  Replaced(good, "var sum: f32 = 0.0", "var sum: f32"),
                  "CK2011",
                  "st y[row, i:+W] <- o",
                  {}});
}

// Without the machine's budget nothing is claimed that did not run.
TEST(Corpus, ACutExplorationSaysSo) {
  const Checked c = Check(RmsNorm(), {}, {.max_lane_statements_per_instance = 2000});
  EXPECT_TRUE(c.verdict.accepted);
  EXPECT_EQ(c.HowOf("bounds"), How::kProved);
  EXPECT_EQ(c.HowOf("races"), How::kBounded);
}

// Nested loops multiply trial runs and long texts multiply facts: the work is bounded, not the
// answer.
TEST(Corpus, DeepAndLongProgramsEndInBoundedWork) {
  const std::string head =
      "program p target sm_80\ndim N in 1..=1000000\nout y: f32[N]\nkernel k {\n"
      "  grid (ceildiv(N, 32))\n  role main: warps 1 {\n    let i0 = cta*32 + lane\n";
  const std::string tail = "  }\n}\n";
  std::string nested = head, chain = head;
  for (int k = 0; k < 60; ++k) {
    nested += absl::StrCat("for a", k, " in 0..N {\nvar v", k, " = 0\n");
  }
  nested += "if i0 < N { st y[i0] <- 1.0 }\n";
  for (int k = 59; k >= 0; --k) nested += absl::StrCat("v", k, " += 1\n}\n");
  for (int k = 0; k < 2000; ++k) {
    chain += absl::StrCat("let i", k + 1, " = i", k, " + ", k % 3, "\n");
  }
  chain += "if i2000 < N { st y[i2000] <- 1.0 }\n";
  EXPECT_EQ(Check(nested + tail).HowOf("bounds"), How::kProved);
  EXPECT_EQ(Check(chain + tail).HowOf("bounds"), How::kProved);
}

TEST(Corpus, VerdictsAreDeterministic) {
  const std::string mutant = Replaced(RmsNorm(), "if row < M {", "if row <= M {");
  const Checked a = Check(mutant, {{"ROWS", 2}}), b = Check(mutant, {{"ROWS", 2}});
  EXPECT_EQ(compiler::diag::RenderJson(a.report, "f", a.source),
            compiler::diag::RenderJson(b.report, "f", b.source));
  EXPECT_EQ(a.verdict.instances, b.verdict.instances);
}

}  // namespace
}  // namespace verifier
