// Silence of the machine is evidence only where the machine ran: a program that no small shape
// launches is not accepted, and a guard that leaves the usual sizes out is followed to its own.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compiler/diag/render.h"
#include "tests/unit/verifier/checked.h"

namespace verifier {
namespace {

// Warps exchange through shared memory, with or without the barrier between.
std::string Exchange(const std::string& guard, const std::string& size, bool synced) {
  return "program p target sm_80\ndim N in 0..=1000000, M in 1..=1000\n" + guard + "\nin x: f32[" +
         size + "]\ninout y: f32[" + size +
         "]\nkernel k {\n  grid (min(N, 1))\n  smem s: f32[64]\n  role a: warps 2 {\n"
         "    st s[thread] <- 1.0\n" +
         (synced ? "    sync cta\n" : "") +
         "    let v = ld s[63 - thread]\n"
         "    if thread < N { st y[thread] <- v }\n  }\n}\n";
}

constexpr const char* kGuards[] = {"where N == 123456",     "where N == 8192",
                                   "where N > 100000",      "where N == 4*M + 900000",
                                   "where N >= 4000",       "where 2*N == 6000",
                                   "where N / 100000 == 5", "where N % 8 == 0, N > 30000"};

TEST(NeverRun, TheGuardsOwnSizesAreRun) {
  for (const char* guard : kGuards) {
    SCOPED_TRACE(guard);
    const Checked racy = Check(Exchange(guard, "N", false));
    EXPECT_THAT(racy.codes(), testing::Contains("CK2020"))
        << compiler::diag::RenderText(racy.report, "racy", racy.source);
    const Checked right = Check(Exchange(guard, "N", true));
    EXPECT_TRUE(right.verdict.accepted)
        << compiler::diag::RenderText(right.report, "right", right.source);
  }
}

TEST(NeverRun, WhatNoHeldShapeLaunchesIsNotAccepted) {
  for (const bool synced : {false, true}) {
    for (const char* size : {"2000000000", "2000000000, 2000000000", "max(N, 1)*400000000"}) {
      SCOPED_TRACE(size);
      const std::string source = Exchange("where M == 1", size, synced);
      const Checked c = Check(source);
      EXPECT_FALSE(c.verdict.accepted);
    }
    const Checked c = Check(Exchange("where M == 1", "2000000000", synced));
    EXPECT_THAT(c.codes(), testing::ElementsAre("CK2509"))
        << compiler::diag::RenderText(c.report, "huge", c.source);
    EXPECT_EQ(c.At("CK2509"), "k");
    EXPECT_EQ(c.HowOf("races"), How::kUnknown);
  }
}

TEST(NeverRun, AKernelThatNoShapeLaunchesLowersTheStatus) {
  const std::string both = R"(program p target sm_80
dim N in 1..=1000000
in x: f32[64]
inout y: f32[64], z: f32[64]
kernel a {
  grid (1)
  role r: warps 2 { st y[thread] <- ld x[thread] }
}
kernel b when N == WHEN {
  grid (1)
  role r: warps 2 { st z[thread] <- ld x[thread] }
}
)";
  const auto with = [&](const std::string& value) {
    std::string source = both;
    return Check(source.replace(source.find("WHEN"), 4, value));
  };
  EXPECT_EQ(with("999").HowOf("races"), How::kExplored);
  const Checked far = with("777777");
  EXPECT_TRUE(far.verdict.accepted);
  EXPECT_EQ(far.HowOf("races"), How::kBounded);
}

// What stands behind data or constants that no chosen shape reaches has not been looked at.
std::string Behind(const std::string& condition) {
  return "program p target sm_80\ndim N in 1..=100000\nin x: i32[64]\ninout y: i32[64]\n"
         "kernel k {\n  grid (1)\n  smem s: i32[64]\n  role a: warps 2 {\n    let v = ld "
         "x[thread]\n"
         "    sync cta\n    if " +
         condition +
         " { st s[thread] <- v; st y[thread] <- ld s[63 - thread] }\n    st y[thread] <- v\n  "
         "}\n}\n";
}

TEST(NeverRun, AStatementThatNoShapeExecutesLowersWhatTheMachineShows) {
  for (const char* condition : {"v * v == 1234567", "v * v * 3 == 100 && N > 1",
                                "v * 3 == 1000000 && N > 7", "v * v == N + 1234567"}) {
    SCOPED_TRACE(condition);
    const Checked c = Check(Behind(condition));
    EXPECT_TRUE(c.verdict.accepted);
    EXPECT_THAT(c.codes(), testing::Contains("CK2571"));
    EXPECT_EQ(c.At("CK2571"), "st s[thread] <- v");
    for (const char* property : {"races", "deadlock", "definedness"}) {
      EXPECT_EQ(c.HowOf(property), How::kBounded) << property;
    }
    for (const PropertyStatus& status : c.verdict.properties) {
      if (status.property != "races") continue;
      EXPECT_THAT(status.coverage, testing::HasSubstr("1 place never executed (line 11)"));
    }
  }
}

// The constants of the condition are tried as sizes and as data.
TEST(NeverRun, WhatConstantsHideIsFound) {
  for (const char* condition :
       {"v == 1234567", "N == 77777", "v > 100 && N > 7", "N / 77777 == 1 && N > 90000",
        "v - 5 == 3000000", "2*N == 60000", "v % 1000 == 777"}) {
    SCOPED_TRACE(condition);
    const Checked c = Check(Behind(condition));
    EXPECT_FALSE(c.verdict.accepted);
    // Threads exchange without a barrier, or read what those beside them leave unwritten.
    EXPECT_THAT(c.codes(),
                testing::AnyOf(testing::Contains("CK2020"), testing::Contains("CK2010")));
  }
}

// A step that one iteration leaves out: the other side of an `if` without `else`.
std::string LeftOut(const std::string& step) {
  return "program p target sm_80\ndim N in 1..=100000\nin ids: i32[N], x: f32[N]\n"
         "out y: f32[64, N]\nkernel k {\n  grid (1)\n  smem s: f32[64]\n  role a: warps 2 {\n"
         "    for i in 0..N {\n      st s[thread] <- ld x[i]\n      sync role\n"
         "      st y[thread, i] <- ld s[63 - thread]\n      " +
         step + "\n    }\n  }\n}\n";
}

TEST(NeverRun, BothSidesOfAConditionCount) {
  EXPECT_EQ(Check(LeftOut("sync role")).HowOf("races"), How::kExplored);
  for (const char* step :
       {"if i != 777 { sync role }", "if ld ids[i] != 123456 { sync role }",
        "if ld ids[i] == 123456 { } else { sync role }", "if i == 99 { } else { sync role }",
        "let skip = i / 37 == 5\n      if !skip { sync role }"}) {
    SCOPED_TRACE(step);
    EXPECT_THAT(Check(LeftOut(step)).codes(), testing::Contains("CK2020"));
  }
  // Beyond what is run: advice, and no claim that all was explored.
  const Checked far = Check(LeftOut("if i / 3 * 3 != 99000 { sync role }"));
  EXPECT_TRUE(far.verdict.accepted);
  EXPECT_THAT(far.codes(), testing::Contains("CK2532"));
  EXPECT_EQ(far.At("CK2532"), "i / 3 * 3 != 99000");
  EXPECT_EQ(far.HowOf("races"), How::kBounded);
  // A condition that the guard decides has one side only.
  const Checked always = Check(LeftOut("if i < N { sync role }"));
  EXPECT_EQ(always.codes().count("CK2532"), 0u);
  EXPECT_EQ(always.HowOf("races"), How::kExplored);
}

TEST(NeverRun, WhatNoThreadCanReachIsNotMissed) {
  for (const char* condition : {"N > 100000", "thread > 70", "thread + N < 1"}) {
    SCOPED_TRACE(condition);
    const Checked c = Check(Behind(condition));
    EXPECT_THAT(c.codes(), testing::Not(testing::Contains("CK2571")));
    EXPECT_EQ(c.HowOf("races"), How::kExplored);
  }
}

// A kernel that stores `body` in a grid; `y` is out[M, N] with sizes that no run reaches.
Checked Storing(const std::string& grid, const std::string& body) {
  return Check("program p target sm_80\ndim M in 1..=100000, N in 1..=65536\n" +
               std::string("in x: i32[N]\nout y: f32[M, N]\nwhere x in 0..N, distinct(x)\n") +
               "kernel k {\n  grid (" + grid + ")\n  role a: warps 4 {\n" + body + "  }\n}\n");
}

TEST(NeverRun, ElementsThatNoThreadReachesAtLargeSizesAreMissed) {
  const std::string columns = "    for n in thread..N step 128 { st y[m, n] <- 1.0 }\n";
  const std::string row = "    let m = cta\n";
  const std::string rows = "    for m in cta..M step ctas {\n" + columns + "    }\n";
  EXPECT_TRUE(Storing("M", row + columns).verdict.accepted);
  EXPECT_TRUE(Storing("min(M, 30000)", rows).verdict.accepted);
  EXPECT_TRUE(Storing("SMS", rows).verdict.accepted);
  // A grid, a loop, a condition, a bound through a let, and an index that ends at a constant.
  const auto one = testing::ElementsAre("CK2546");
  const std::string few = "    let most = min(N, 40000)\n    for n in thread..most step 128 {";
  EXPECT_THAT(Storing("min(M, 30000)", row + columns).codes(), one);
  EXPECT_THAT(
      Storing("M", row + "    for n in thread..min(N, 40000) step 128 {" + " st y[m, n] <- 1.0 }\n")
          .codes(),
      one);
  EXPECT_THAT(Storing("M", row + "    for n in thread..N step 128 { if n < 40000 {" +
                               " st y[m, n] <- 1.0 } }\n")
                  .codes(),
              one);
  EXPECT_THAT(Storing("M", row + few + " st y[m, n] <- 1.0 }\n").codes(), one);
  const Checked c = Storing("min(M, 30000)", row + columns);
  EXPECT_EQ(c.At("CK2546"), "y[m, n]");
  EXPECT_EQ(c.report.diagnostics()[0].message, "nothing is stored to `y[30000, 0]`");
  EXPECT_EQ(c.report.diagnostics()[0].instance.shape, "M=100000, N=65536");
  EXPECT_EQ(c.HowOf("definedness"), How::kRefuted);
  // Every element may be the one that a thread picks, and there are too few threads.
  const std::string picked =
      "    for n in thread..N step 128 { st y[(7*(ld x[n]) + m) % M, n] <- 1.0 }\n";
  const Checked counted = Storing("min(M, 30000)", row + picked);
  EXPECT_THAT(counted.codes(), testing::ElementsAre("CK2591"));
  EXPECT_EQ(counted.At("CK2591"), "y");
  EXPECT_TRUE(Storing("M", row + "    for n in thread..N step 128 { st y[m, ld x[n]] <- 1.0 }\n")
                  .verdict.accepted);
}

// Sizes that the guard keeps small, and sizes for which no contents exist, are those of no launch.
TEST(NeverRun, LaunchesThatCannotBeLeaveNothingOut) {
  const auto ragged = [](const std::string& bound) {
    return Check(
        "program p target sm_80\ndim B in 1..=64, T in 1..=1000000\n"
        "in off: i32[B+1]\nout y: f32[T]\narg most: i32\nwhere most in 1..=1000000\n"
        "where off in 0..=T, steps(off) in 0..=most, off[0] == 0, off[B] == T\n"
        "kernel k {\n  grid (ceildiv(" +
        bound +
        ", 128), B)\n  role main: warps 4 {\n"
        "    let first = ld off[cta.y]\n    let row = cta.x*128 + thread\n"
        "    if row < (ld off[cta.y + 1]) - first { st y[first + row] <- 1.0 }\n  }\n}\n");
  };
  EXPECT_TRUE(ragged("most").verdict.accepted);
  EXPECT_THAT(ragged("min(most, 4096)").codes(), testing::ElementsAre("CK2591"));
}

TEST(NeverRun, AMainLoopBehindSeveralTilesIsReached) {
  const Checked c = Check(
      "program p target sm_80\ndim N in 1..=100000\nin x: f32[N]\ninout y: f32[N]\nkernel k {\n"
      "  grid (1)\n  role a: warps 2 {\n    for i in 64*7*5 + thread .. N step 64 {\n"
      "      st y[i] <- ld x[i]\n    }\n  }\n}\n");
  EXPECT_TRUE(c.verdict.accepted);
  EXPECT_THAT(c.codes(), testing::Not(testing::Contains("CK2571")));
}

}  // namespace
}  // namespace verifier
