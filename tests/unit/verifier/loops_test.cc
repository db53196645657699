// What loops keep of their variables, and rows that lie in sequences of different lengths.
#include <gtest/gtest.h>

#include "tests/unit/verifier/checked.h"

namespace verifier {
namespace {

std::string First(const std::string& source) {
  const Checked c = Check(source);
  return c.report.has_errors() ? std::string(c.report.diagnostics()[0].code) : "accepted";
}

// A use index over tiles and steps of a launch: the guard bounds their product, their dims do not.
constexpr const char* kNested = R"(program p target sm_80
dim B in 1..=100000, N in 1..=100000, K in 1..=100000
out y: f32[32]
where B*ceildiv(N, 128)*ceildiv(K, 64) in 1..=2147483647
kernel k {
  grid (SMS)
  event e[3] count 1
  let KT = ceildiv(K, 64)
  role main: warps 1 {
    var use = 0
    for t in cta..ceildiv(N, 128)*B step ctas {
      for n in 0..KT { arrive e@use; wait e@use; use += 1 }
    }
    if cta == 0 { st y[lane] <- 0.0 }
  }
}
)";

TEST(Loops, CountersAreBoundedByTheProductOfTheirTrips) {
  EXPECT_EQ(First(kNested), "accepted");
  EXPECT_EQ(First(Replaced(kNested, "in 1..=2147483647", ">= 1")), "CK2503");
  EXPECT_EQ(First(Replaced(kNested, "B*ceildiv(N, 128)*ceildiv(K, 64) in", "B*ceildiv(N, 128) in")),
            "CK2503");
  EXPECT_NE(First(Replaced(kNested, "use += 1", "use += 2")), "accepted");
}

// Two loops that hand one counter on: together they make N trips.
constexpr const char* kHandedOn = R"(program p target sm_80
dim N in 4..=2147483647
out y: f32[32]
kernel k {
  grid (1)
  event e[3] count 1
  role main: warps 1 {
    var use = 0
    let middle = min(N, 3)
    for n in 0..middle { arrive e@use; wait e@use; use += 1 }
    for n in middle..N - 1 { arrive e@use; wait e@use; use += 1 }
    arrive e@use
    wait e@use
    st y[lane] <- 0.0
  }
}
)";

TEST(Loops, BehindALoopACounterHasCountedItsTrips) {
  EXPECT_EQ(First(kHandedOn), "accepted");
  EXPECT_EQ(First(Replaced(kHandedOn, "in middle..N - 1", "in 0..N - 1")), "CK2503");
  EXPECT_EQ(First(Replaced(kHandedOn, "arrive e@use\n    wait", "arrive e@(use+2)\n    wait")),
            "CK2503");
}

// Rows of sequences that lie behind each other: those of two sequences are different ones.
constexpr const char* kRagged = R"(program p target sm_80
dim B in 1..=1000, T in 1..=1000000, H in 1..=64
in off: i32[B+1]
out y: f32[T, H]
arg most: i32
where most in 1..=1000000, ceildiv(most, 128)*H*B in 1..=2147483647
where off in 0..=T, steps(off) in 0..=most, off[0] == 0, off[B] == T
kernel k {
  grid (SMS)
  let MT = ceildiv(most, 128)
  role main: warps 4 {
    for t in cta..MT*H*B step ctas {
      let b = t / H % B
      let first = ld off[b]
      let rows = ld off[b + 1] - first
      let row = (MT - 1 - t / (H*B))*128 + thread
      if row < rows { st y[first + row, t % H] <- 1.0 }
    }
  }
}
)";

TEST(Loops, RowsOfDifferentSequencesAreDifferent) {
  EXPECT_EQ(First(kRagged), "accepted");
  // A row of the next sequence.
  EXPECT_NE(First(Replaced(kRagged, "if row < rows", "if row <= rows")), "accepted");
  // Sequences that may overlap.
  EXPECT_NE(First(Replaced(kRagged, "steps(off) in 0..=most, ", "")), "accepted");
  EXPECT_NE(First(Replaced(kRagged, "steps(off) in 0..=most", "steps(off) in -5..=most")),
            "accepted");
  // One row in two tiles.
  EXPECT_NE(First(Replaced(kRagged, "*128 + thread", "*127 + thread")), "accepted");
  EXPECT_NE(First(Replaced(kRagged, "let b = t / H % B", "let b = t / H / 2 % B")), "accepted");
}

}  // namespace
}  // namespace verifier
