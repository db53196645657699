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
         size + "]\nout y: f32[" + size +
         "]\nkernel k {\n  grid (N / max(N, 1))\n  smem s: f32[64]\n  role a: warps 2 {\n"
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
out y: f32[64], z: f32[64]
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

}  // namespace
}  // namespace verifier
