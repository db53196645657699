// Contracts on the contents of index tensors: what they make provable, what they do not, and that
// the machine's inputs obey them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compiler/diag/render.h"
#include "tests/unit/verifier/checked.h"

namespace verifier {
namespace {

std::string Program(const std::string& items, const std::string& grid, const std::string& body) {
  return "program p target sm_80\n" + items + "\nkernel k {\n  grid (" + grid +
         ")\n  role main: warps 1 {\n" + body + "\n  }\n}\n";
}

std::string Gather(const std::string& where) {
  return Program(
      "dim N in 1..=4096, R in 1..=100000\nin x: f32[R, 32], ids: i32[N]\n"
      "out y: f32[N, 32]\n" +
          where,
      "N", "st y[cta, lane] <- ld x[ld ids[cta], lane]");
}

std::string Scatter(const std::string& where) {
  return Program("dim N in 1..=4096\nin x: f32[N, 32], perm: i32[N]\nout y: f32[N, 32]\n" + where,
                 "N", "let r = ld perm[cta]\nif r >= 0 { st y[r, lane] <- ld x[cta, lane] }");
}

std::string Ragged(const std::string& where) {
  return Program(
      "dim B in 1..=64, T in 0..=100000, L in 1..=4096\nin x: f32[T], off: i32[B+1]\n"
      "out y: f32[T]\n" +
          where,
      "B",
      "let a = ld off[cta]\nlet n = (ld off[cta+1]) - a\n"
      "for i in lane..n step 32 { st y[a + i] <- ld x[a + i] }");
}

std::string Paged(const std::string& where) {
  return Program(
      "dim B in 1..=64, P in 1..=1000, W in 1..=32\nin c: f32[P, 16, 32], t: i32[B, W], "
      "n: i32[B]\nout y: f32[B, 32]\n" +
          where,
      "B",
      "var s: f32 = 0.0\nlet len = ld n[cta]\nfor j in 0..ceildiv(len, 16) {\n"
      "  let page = ld t[cta, j]\n"
      "  for r in 0..min(16, len - j*16) { s += ld c[page, r, lane] }\n}\n"
      "st y[cta, lane] <- s");
}

constexpr const char* kOffsets =
    "where off in 0..=T, steps(off) in 0..=L, off[0] == 0, off[B] == T";

struct Judged {
  std::string source;
  bool bounds;  // proved
  bool apart;   // writes of different CTAs proved disjoint
};

TEST(Contents, DecideWhatIsProved) {
  const Judged all[] = {
      {Gather("where ids in 0..R"), true, true},
      {Gather("where ids in 0..=R"), false, true},
      {Gather("where ids in -1..R"), false, true},
      {Gather("where ids[i] in 0..R"), true, true},
      {Gather("where ids[i] < R, ids[i] >= 0"), true, true},
      {Gather("where ids[i] in 0..R if i < 7"), false, true},
      {Gather("where ids[3] in 0..R"), false, true},
      {Scatter("where perm in 0..N, distinct(perm)"), true, true},
      {Scatter("where perm in -1..N, distinct(perm)"), true, true},
      {Scatter("where perm in 0..N"), true, false},
      {Scatter("where perm[i] == i"), true, true},
      {Ragged(kOffsets), true, true},
      {Ragged("where off in 0..=T, steps(off) in -1..=L"), true, false},
      {Ragged("where off in 0..=T"), true, false},
      {Ragged("where steps(off) in 0..=L"), false, true},
      {Paged("where n in 0..=W*16, t[b, j] in 0..P if j*16 < n[b]"), true, true},
      {Paged("where n in 0..=W*16, t[b, j] in 0..P"), true, true},
      {Paged("where n in 0..=W*16, t[b, j] in 0..P if j*16 < n[b] - 1"), false, true},
      {Paged("where n in 0..=W*17, t[b, j] in 0..P if j*16 < n[b]"), false, true},
  };
  for (const Judged& judged : all) {
    SCOPED_TRACE(judged.source);
    const Checked c = Check(judged.source);
    ASSERT_NE(c.program, nullptr) << compiler::diag::RenderText(c.report, "p", judged.source);
    const How bounds = c.HowOf("bounds");
    EXPECT_EQ(bounds == How::kProved, judged.bounds)
        << compiler::diag::RenderText(c.report, "p", judged.source);
    EXPECT_EQ(c.HowOf("global races") == How::kProved, judged.apart);
    if (judged.bounds && judged.apart) {
      EXPECT_TRUE(c.verdict.accepted) << compiler::diag::RenderText(c.report, "p", judged.source);
    }
    EXPECT_THAT(c.verdict.assumptions, testing::Contains(testing::StartsWith("contents: ")));
  }
}

// A contract speaks of the elements that exist: elsewhere nothing follows, also no contradiction.
TEST(Contents, SayNothingOfElementsOutside) {
  const Checked c = Check(
      Program("dim N in 1..=4\nin t: i32[N]\nout y: i32[64]\nwhere t in 0..4, steps(t) in 1..=1",
              "1", "let a = ld t[lane] else 0\nlet b = ld t[lane + 9] else 0\nst y[b - a] <- 1"));
  EXPECT_NE(c.HowOf("bounds"), How::kProved);
}

// What a kernel writes is not what the contract spoke of.
TEST(Contents, EndWhereTheTensorIsWritten) {
  const Checked c = Check(
      Program("dim N in 1..=64\nin x: f32[N]\ninout t: i32[64]\nout y: f32[64]\nwhere t in 0..N",
              "1", "st t[lane] <- 1000000\nst y[lane] <- ld x[ld t[lane]]"));
  EXPECT_NE(c.HowOf("bounds"), How::kProved);
}

// The machine sees garbage where a conditional contract promises nothing.
TEST(Contents, TheMachineRunsWhatTheContractsAllow) {
  const std::string source = Paged("where n in 0..=W*16, t[b, j] in 0..P if j*16 < n[b]");
  const Checked right = Check(source);
  EXPECT_GE(right.verdict.instances.size(), 4u);
  const Checked wrong = Check(Replaced(source, "ceildiv(len, 16)", "min(W, ceildiv(len, 16) + 1)"));
  EXPECT_FALSE(wrong.verdict.accepted);
}

TEST(Contents, WideAccessesNeedAnAlignedTensor) {
  const std::string source =
      "program p target sm_100a\nin x: f32[256]\nout y: f32[256]\nkernel k {\n  grid (1)\n"
      "  role main: warps 1 { st y[lane*8:+8] <- ld x[lane*8:+8] }\n}\n";
  const Checked c = Check(source);
  EXPECT_THAT(c.codes(), testing::ElementsAre("CK2572", "CK2572"));
  int applied = 0;
  const Checked again =
      Check(compiler::diag::ApplyMachineFixes(c.verdict.report, source, &applied));
  EXPECT_EQ(applied, 2);
  EXPECT_TRUE(again.verdict.accepted)
      << compiler::diag::RenderText(again.report, "fixed", again.source);
  EXPECT_EQ(again.program->tensors[0].alignment, 32);
}

struct ArrayCase {
  const char *where, *index;
  bool proved;
};

TEST(ArgArrays, GuardsBoundEveryElement) {
  const ArrayCase all[] = {{"where plan in 0..N", "plan[cta]", true},
                           {"where plan in 0..=N", "plan[cta]", false},
                           {"where plan in 0..8", "plan[cta]", false},
                           {"where plan in 0..8, N >= 8", "plan[cta]", true},
                           {"where plan[0] >= 0, plan[0] < N", "plan[cta]", false},
                           {"where plan in 0..N", "plan[cta+1]", false},
                           {"where plan in 0..N", "plan[lane % 8]", true}};
  for (const ArrayCase& at : all) {
    SCOPED_TRACE(std::string(at.where) + " " + at.index);
    const std::string source = Program(
        std::string("dim N in 1..=4096\narg plan: i32[8]\nin x: f32[N]\nout y: f32[8, 32]\n") +
            at.where,
        "8", std::string("st y[cta, lane] <- ld x[") + at.index + "]");
    const Checked c = Check(source);
    ASSERT_NE(c.program, nullptr) << compiler::diag::RenderText(c.report, "p", source);
    EXPECT_EQ(c.HowOf("bounds") == How::kProved, at.proved)
        << compiler::diag::RenderText(c.report, "p", source);
    if (at.proved) EXPECT_TRUE(c.verdict.accepted);
  }
}

}  // namespace
}  // namespace verifier
