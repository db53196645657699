// Loops over rings run as often as their mistakes need: a ring that is used too early or too late
// is rejected wherever its guard admits a shape that shows it, however ragged the sizes are, and
// where no such shape was found the verdict says so.
#include "verifier/trips.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "compiler/diag/render.h"
#include "tests/unit/verifier/checked.h"

namespace verifier {
namespace {

std::string TmaRing(const std::string& dims, int stages, const std::string& trips) {
  return absl::StrCat(
      "program p target sm_90\n", dims, "\nin x: f32[16, N] stride (4096, 1)\n",
      "inout y: f32[16, ceildiv(N, 4)*4] stride (4096, 1)\nkernel copy {\n  grid (1)\n  ring "
      "tiles[",
      stages,
      "] { tile: f32[16, 32] swizzle 128 } from load to store\n  role load: warps 1 {\n    for k "
      "in "
      "0..",
      trips,
      " {\n      acquire tiles@k\n      tma.load tiles.tile@k <- x[0:+16, k*32:+32]\n"
      "      commit tiles@k\n    }\n  }\n  role store: warps 1 {\n    for k in 0..",
      trips,
      " {\n      wait tiles@k\n      once { tma.store y[0:+16, k*32:+32] <- tiles.tile@k; "
      "tma.commit; tma.wait.read 0 }\n      release tiles@k\n    }\n  }\n}\n");
}

struct RingMutant {
  const char *from, *to;
};
constexpr RingMutant kMutants[] = {
    {"      acquire tiles@k\n", ""},
    {"      release tiles@k\n", ""},
    {"      wait tiles@k\n", ""},
    {"acquire tiles@k", "acquire tiles@(k+1)"},
    {"wait tiles@k", "wait tiles@(k+1)"},
    {"swizzle 128 } from", "swizzle 128 } full 2 from"},
    {"<- tiles.tile@k;", "<- tiles.tile@(k+1);"},
};

struct Ragged {
  const char *dims, *trips;
  int stages;
  How how;  // of what is handed over: more trips than ran, and no state that came again
};
constexpr Ragged kRagged[] = {
    {"dim N in 32..=72", "ceildiv(N, 32)", 2, How::kExplored},
    {"dim N in 1..=2000", "ceildiv(N, 32)", 3, How::kExplored},
    {"dim N in 100..=4000\nwhere N % 4 == 0", "(N + 31)/32", 4, How::kBounded},
    {"dim N in 8..=4000, M in 1..=50\nwhere N == 64*M + 8", "ceildiv(N, 32)", 2, How::kBounded},
    {"dim N in 8..=4000, M in 8..=4000\nwhere N == M, M % 8 == 0", "ceildiv(N, 32)", 2,
     How::kBounded},
};

TEST(Trips, EveryMutantOfARaggedRingIsRejected) {
  for (const Ragged& ragged : kRagged) {
    SCOPED_TRACE(ragged.dims);
    const std::string right = TmaRing(ragged.dims, ragged.stages, ragged.trips);
    const Checked c = Check(right);
    EXPECT_TRUE(c.verdict.accepted) << compiler::diag::RenderText(c.report, "right", right);
    EXPECT_EQ(c.HowOf("deadlock"), ragged.how);
    EXPECT_THAT(c.codes(), testing::Not(testing::Contains("CK2590")));
    for (const RingMutant& mutant : kMutants) {
      SCOPED_TRACE(absl::StrCat(mutant.from, " -> ", mutant.to));
      const Checked m = Check(Replaced(right, mutant.from, mutant.to));
      EXPECT_FALSE(m.verdict.accepted);
    }
  }
}

// Neither loop alone comes round to a slot; all trips of both do.
std::string Nest(const std::string& dims) {
  const std::string head = "    var i = 0\n    for t in 0..T {\n      for k in 0..K/100 {\n";
  const std::string tail = "        i += 1\n      }\n    }\n  }\n";
  return absl::StrCat(
      "program p target sm_80\n", dims, "\nin x: f32[T*1024 + 32]\ninout y: f32[T*1024 + 32]\n",
      "kernel k {\n  grid (1)\n  ring rows[4] { line: f32[32] } from load to store\n",
      "  role load: warps 1 {\n", head,
      "        acquire rows@i\n"
      "        st rows.line@i[lane] <- ld x[1024*t + 32*k + lane]\n        commit rows@i\n",
      tail, "  role store: warps 1 {\n", head,
      "        wait rows@i\n"
      "        st y[1024*t + 32*k + lane] <- ld rows.line@i[31 - lane]\n"
      "        release rows@i\n",
      tail, "}\n");
}

TEST(Trips, LoopsOfANestAreRepeatedTogether) {
  // The last two have shapes with more trips than ran.
  for (const auto& [dims, how] : {std::pair{"dim T in 1..=3, K in 100..=300", How::kExplored},
                                  {"dim T in 1..=2, K in 0..=399", How::kExplored},
                                  {"dim T in 1..=1000, K in 0..=299", How::kBounded},
                                  {"dim T in 0..=3, K in 0..=3000", How::kBounded}}) {
    SCOPED_TRACE(dims);
    const Checked right = Check(Nest(dims));
    EXPECT_TRUE(right.verdict.accepted)
        << compiler::diag::RenderText(right.report, "right", right.source);
    EXPECT_EQ(right.HowOf("deadlock"), how);
    for (const char* part : {"acquire rows@i", "wait rows@i", "release rows@i"}) {
      SCOPED_TRACE(part);
      EXPECT_FALSE(Check(Replaced(Nest(dims), part, "")).verdict.accepted);
    }
  }
}

std::string DoubleBuffer(const std::string& dims) {
  return "program p target sm_80\n" + dims +
         "\nin x: f32[T, 128]\ninout y: f32[T, 128]\nkernel k {\n  grid (1)\n"
         "  smem tile[3]: f32[128]\n  role main: warps 2 {\n    let trips = ceildiv(T, 10)\n"
         "    let at = thread*2\n"
         "    cp.async tile@0[at:+2] <- x[0, at:+2]; cp.async.commit\n"
         "    for t in 0..trips {\n"
         "      if t + 1 < trips { cp.async tile@(t + 1)[at:+2] <- x[t + 1, at:+2] }\n"
         "      cp.async.commit\n      cp.async.wait 1\n      sync role\n"
         "      for j in 0..2 { st y[t, j*64 + thread] <- ld tile@t[127 - j*64 - thread] }\n"
         "    }\n  }\n}\n";
}

TEST(Trips, EveryMutantOfStagedBuffersIsRejected) {
  // The states of the second come again; the first has shapes with more trips than ran.
  for (const auto& [dims, how] :
       {std::pair{"dim T in 15..=90", How::kBounded},
        {"dim T in 1..=10000\nwhere T % 7 == 0", How::kExplored}}) {
    SCOPED_TRACE(dims);
    const std::string text = DoubleBuffer(dims);
    const Checked right = Check(text);
    EXPECT_TRUE(right.verdict.accepted)
        << compiler::diag::RenderText(right.report, "right", right.source);
    EXPECT_EQ(right.HowOf("races"), how);
    for (const RingMutant& mutant :
         {RingMutant{"smem tile[3]", "smem tile[2]"}, RingMutant{"smem tile[3]", "smem tile[1]"},
          RingMutant{"      sync role\n", ""}, RingMutant{"cp.async.wait 1", "cp.async.wait 2"},
          RingMutant{"ld tile@t[", "ld tile@(t + 1)["},
          RingMutant{"cp.async tile@(t + 1)", "cp.async tile@(t + 2)"}}) {
      SCOPED_TRACE(absl::StrCat(mutant.from, " -> ", mutant.to));
      EXPECT_FALSE(Check(Replaced(text, mutant.from, mutant.to)).verdict.accepted);
    }
  }
}

TEST(Trips, ASpinThatNeverEndsIsRejectedAtLaterTripsToo) {
  const std::string text =
      "program p target sm_80\ndim N in 10..=600\nin x: f32[32*N]\ninout y: f32[32*N]\n"
      "kernel k {\n  grid (1)\n  smem tile[2]: f32[32]\n  event full[2] count 1\n"
      "  event free[2] count 32\n  role fill: warps 1 {\n    for k in 0..ceildiv(N, 60) {\n"
      "      wait free@(k-2)\n      st tile@k[lane] <- ld x[32*k + lane]\n      arrive full@k\n"
      "    }\n  }\n  role drain: warps 1 {\n    for k in 0..ceildiv(N, 60) {\n"
      "      while !test(full@k) {}\n      st y[32*k + lane] <- ld tile@k[31 - lane]\n"
      "      arrive.thread free@k\n    }\n  }\n}\n";
  EXPECT_TRUE(Check(text).verdict.accepted);
  for (const char* part : {"arrive.thread free@k", "arrive full@k", "wait free@(k-2)"}) {
    SCOPED_TRACE(part);
    EXPECT_FALSE(Check(Replaced(text, part, "")).verdict.accepted);
  }
}

TEST(Trips, TheSearchIsBounded) {
  // Bounds that share lets double the expressions with each; so do many loops and many dims.
  std::string dims, lets = "    let a0 = D0 + D1\n", loops;
  for (int i = 0; i < 30; ++i) absl::StrAppend(&dims, i == 0 ? "" : ", ", "D", i, " in 1..=1000");
  for (int i = 1; i < 20; ++i) {
    absl::StrAppend(&lets, "    let a", i, " = min(a", i - 1, ", a", i - 1, " + D", i, ")\n");
  }
  for (int i = 0; i < 60; ++i) absl::StrAppend(&loops, "    for i in 0..a19 { sync cta }\n");
  const Checked c = Check("program p target sm_80\ndim " + dims +
                          "\ninout y: i32[32]\nkernel k {\n  grid (1)\n  role r: warps 1 {\n" +
                          lets + loops + "    st y[lane] <- 1\n  }\n}\n");
  ASSERT_NE(c.program, nullptr) << compiler::diag::RenderText(c.report, "p", c.source);
  for (const LoopNeed& need : LoopsToRepeat(*c.program)) {
    const TripCounter counter(*c.program, need);
    compiler::ir::LaunchValues values;
    values.values.assign(c.program->symbols.size(), 7);
    EXPECT_EQ(counter.At(values), std::nullopt);
    EXPECT_LE(counter.work(), 20'000);
  }
}

TEST(Trips, TheGuardsMostAreSaidToBeAll) {
  const Checked c = Check(TmaRing("dim N in 32..=72", 2, "ceildiv(N, 32)"));
  for (const PropertyStatus& status : c.verdict.properties) {
    if (status.property != "races") continue;
    EXPECT_EQ(status.how, How::kExplored);
    EXPECT_THAT(status.coverage, testing::HasSubstr("3 trips run, no shape has more"));
  }
}

TEST(Trips, WhatDataDecidesIsBounded) {
  std::string source = TmaRing("dim N in 32..=4000", 2, "min(N/32, ld counts[0])");
  source = Replaced(source, "in x:", "in counts: i32[1]\nin x:");
  const Checked c = Check(source);
  EXPECT_TRUE(c.verdict.accepted) << compiler::diag::RenderText(c.report, "p", c.source);
  EXPECT_THAT(c.codes(), testing::Contains("CK2590"));
  EXPECT_EQ(c.HowOf("races"), How::kBounded);
}

std::vector<int64_t> NeedsOf(const std::string& source) {
  const Checked c = Check(source);
  std::vector<int64_t> trips;
  if (c.program == nullptr) return trips;
  for (const LoopNeed& need : LoopsToRepeat(*c.program)) trips.push_back(need.trips);
  return trips;
}

TEST(Trips, NeedsAreStagesLagAndThree) {
  const std::string ring = TmaRing("dim N in 32..=4000", 4, "ceildiv(N, 32)");
  EXPECT_THAT(NeedsOf(ring), testing::ElementsAre(7, 7));
  EXPECT_THAT(NeedsOf(Replaced(ring, "release tiles@k", "if k >= 2 { release tiles@(k-2) }")),
              testing::ElementsAre(7, 11));
  EXPECT_THAT(NeedsOf(Replaced(ring, "wait tiles@k", "wait tiles@(k/1)")),
              testing::Each(testing::Ge(7)));
  EXPECT_THAT(NeedsOf("program p target sm_80\ndim N in 1..=9\ninout y: i32[N]\nkernel k {\n"
                      "  grid (1)\n  role r: warps 1 {\n    for i in lane..N step 32 {\n"
                      "      st y[i] <- i\n    }\n  }\n}\n"),
              testing::IsEmpty());
}

TEST(Trips, AreCountedAtTheFirstAndTheLastCta) {
  const Checked c = Check(
      "program p target sm_80\ndim N in 1..=4000\nin x: f32[N]\ninout y: f32[N]\nkernel k {\n"
      "  grid (ceildiv(N, 100))\n  let low = cta*100\n  smem s[2]: f32[32]\n"
      "  role r: warps 1 {\n    for i in 0..cta + 2 {\n      sync cta\n"
      "      st s@i[lane] <- 1.0\n    }\n    if low + lane < N { st y[low + lane] <- 2.0 }\n"
      "  }\n}\n");
  ASSERT_NE(c.program, nullptr) << compiler::diag::RenderText(c.report, "p", c.source);
  const std::vector<LoopNeed> needs = LoopsToRepeat(*c.program);
  ASSERT_EQ(needs.size(), 1u);
  const TripCounter counter(*c.program, needs[0]);
  EXPECT_THAT(counter.Symbols(), testing::ElementsAre(0u));
  const auto at = [&](int64_t n) {
    compiler::ir::LaunchValues values;
    values.values.assign(c.program->symbols.size(), n);
    return counter.At(values);
  };
  EXPECT_EQ(at(1), 2);
  EXPECT_EQ(at(100), 2);
  EXPECT_EQ(at(101), 3);
  EXPECT_EQ(at(4000), 41);
}

}  // namespace
}  // namespace verifier
