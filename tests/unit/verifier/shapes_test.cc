// Which shapes are run: values of dims are shown by launches that have work, and what one trip of a
// loop leaves behind meets the next trip, whatever the two hand over by.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "compiler/diag/render.h"
#include "tests/unit/verifier/checked.h"

namespace verifier {
namespace {

// Two CTAs exchange rows through buffers that each fills in the other. No dim has to be above 0.
std::string Exchange(const std::string& meet, const std::string& leave) {
  return absl::StrCat(R"(program p target sm_90
dim M in 0..=4096, N in 0..=4096
in x: f32[M, N]
out y: f32[M, N]
kernel k {
  cluster 2
  grid (SMS)
  smem row: f32[32]
  role main: warps 1 {
    let across = ceildiv(N, 32)
    for t in cluster.id..ceildiv(M, 2)*across step clusters {
      let m = t / max(across, 1) * 2
      let n = t % max(across, 1) * 32 + lane
      st row[lane] at 1 - cluster.rank <- ld x[m + cluster.rank, n] else 0.0
      )",
                      meet, R"(
      let other = m + 1 - cluster.rank
      if other < M && n < N { st y[other, n] <- ld row[lane] }
      )",
                      leave, R"(
    }
  }
}
)");
}

TEST(Shapes, ABufferThatTheNextTripOverwritesIsMetByTheNextTrip) {
  constexpr const char* kMeet[] = {"cluster.sync", "cluster.arrive; cluster.wait"};
  for (const char* meet : kMeet) {
    SCOPED_TRACE(meet);
    const std::string right = Exchange(meet, meet);
    const Checked c = Check(right);
    EXPECT_TRUE(c.verdict.accepted) << compiler::diag::RenderText(c.report, "right", right);
    for (const char* leave : {"", "sync cta", "sync warp"}) {
      SCOPED_TRACE(leave);
      EXPECT_THAT(Check(Exchange(meet, leave)).codes(), testing::Contains("CK2427"));
    }
    EXPECT_FALSE(Check(Exchange("", meet)).verdict.accepted);
  }
}

// Only the first half of `half` is written; the rest is read wherever a row has work, and its value
// goes to memory where the row is long.
constexpr char kLongRows[] = R"(program p target sm_80
dim M in 0..=64, N in 1..=256
in x: f32[M, N]
out y: f32[M, N]
kernel k {
  grid (SMS)
  smem half: f32[2]
  role main: warps 1 {
    for m in cta..M step ctas {
      elect { st half[0] <- ld x[m, 0] }
      sync warp
      let first = ld half[0]
      let second = ld half[1]
      for i in lane..N step 32 { st y[m, i] <- select(i < 64, first, second) }
      sync warp
    }
  }
}
)";

TEST(Shapes, AValueOfADimIsShownByALaunchThatHasWork) {
  const Checked c = Check(kLongRows);
  EXPECT_THAT(c.codes(), testing::Contains("CK2010"));
  EXPECT_EQ(c.At("CK2010"), "half[1]");
  const std::string right = Replaced(kLongRows, "st half[0] <- ld x[m, 0]",
                                     "st half[0] <- ld x[m, 0]; st half[1] <- 0.0");
  const Checked twin = Check(right);
  EXPECT_TRUE(twin.verdict.accepted) << compiler::diag::RenderText(twin.report, "right", right);
  // Beside M=0, for which there is no other way, every shape has rows.
  int empty = 0;
  for (const std::string& shape : twin.verdict.instances) empty += shape.starts_with("M=0,");
  EXPECT_EQ(empty, 1);
}

}  // namespace
}  // namespace verifier
