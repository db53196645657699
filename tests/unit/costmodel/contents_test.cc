// What loads of index tensors, and tickets, are taken to be.
#include "costmodel/contents.h"

#include "costmodel/counts.h"
#include "tests/unit/costmodel/load.h"

namespace costmodel {
namespace {

double BytesRead(const Loaded& l, const std::string& tensor, const ir::LaunchValues& values) {
  const auto counts = CountKernel(*l.program, l.derived, 0, values);
  EXPECT_TRUE(counts.ok()) << counts.status();
  double bytes = 0;
  for (const auto& [index, read] : counts->sector_bytes_read)
    if (l.program->tensors[static_cast<size_t>(index)].name == tensor) bytes += read;
  EXPECT_FALSE(counts->exact);
  return bytes;
}

TEST(Contents, ElementsBetweenFixedOnesLieAtEqualStepsOthersAreTheLargest) {
  const Loaded l = Load(R"(program p target sm_80
dim E in 1..=64, T in 0..=4096, W in 1..=512
in off: i32[E+1], lens: i32[E], pages: i32[E, W], free: i32[E]
out y: i32[32]
where off[0] == 0, off[E] == T, steps(off) in 0..=T, off in 0..=T, lens in 0..=16*W, pages in 0..T
kernel k { grid (1); role main: warps 1 { st y[lane] <- 0 } }
)");
  const Contents contents(*l.program, Bind(l, {{"E", 8}, {"T", 1000}, {"W", 32}}));
  const ir::TensorId off{0}, lens{1}, pages{2}, free{3};
  EXPECT_EQ(contents.Element(off, {0}), 0);
  EXPECT_EQ(contents.Element(off, {3}), 375);
  EXPECT_EQ(contents.Element(off, {8}), 1000);
  EXPECT_EQ(contents.Element(lens, {5}), 512);
  EXPECT_EQ(contents.Element(pages, {5, 31}), 999);
  EXPECT_EQ(contents.Element(free, {5}), std::nullopt);
}

// A loop whose end is loaded reads what sequences of the greatest length would have it read.
TEST(Contents, LoadedTripCountsMoveTheBytesOfTheLongestSequence) {
  const Loaded l = Load(R"(program p target sm_80
dim B in 1..=64, P in 1..=1024
in lens: i32[B], x: f32[B, P, 32]
out y: f32[B, 32]
where lens in 0..=P
kernel k {
  grid (B)
  role main: warps 1 {
    var sum: f32 = 0.0
    for n in 0..ld lens[cta] { sum += ld x[cta, n, lane] }
    st y[cta, lane] <- sum
  }
}
)");
  EXPECT_DOUBLE_EQ(BytesRead(l, "x", Bind(l, {{"B", 4}, {"P", 100}})), 4.0 * 100 * 128);
}

// Pages that all lanes share are read as whole rows; rows that each lane looks up lie apart.
TEST(Contents, OnlyWhatLanesLookUpByThemselvesIsScattered) {
  const auto program = [](const std::string& index) {
    return Load(R"(program p target sm_80
dim B in 1..=64, R in 32..=4096
in table: i32[B, 32], x: f32[R, 32]
out y: f32[B, 32]
where table in 0..R
kernel k {
  grid (B)
  role main: warps 1 {
    var row: i32 = 0
    for n in 0..100 { row = ld table[cta, )" +
                index + R"(]; st y[cta, lane] <- ld x[row, lane] }
  }
}
)");
  };
  const std::map<std::string, int64_t> dims = {{"B", 1}, {"R", 64}};
  const Loaded shared = program("n % 32"), own = program("lane");
  EXPECT_DOUBLE_EQ(BytesRead(shared, "x", Bind(shared, dims)), 100.0 * 128);
  EXPECT_DOUBLE_EQ(BytesRead(own, "x", Bind(own, dims)), 100.0 * 32 * 32);
}

// Work that shrinks from ticket to ticket, with a period that a ticket in the middle would hit.
TEST(Contents, TicketsAreThoseOfTheWholeNotOfTheMiddle) {
  const Loaded l = Load(R"(program p target sm_80
dim N in 1..=1000, H in 1..=64
in x: f32[N, 32]
out y: f32[N, 32]
kernel k {
  grid (SMS)
  dynamic iter work() -> (i32) { for t in cta..N*H step ctas { yield N - t % N } }
  role main: warps 1 {
    for m in work() {
      var sum: f32 = 0.0
      for n in 0..m { sum += ld x[n, lane] }
      st y[m - 1, lane] <- sum
    }
  }
}
)");
  const double all = 2 * (100.0 * 101 / 2) * 128;
  const double read = BytesRead(l, "x", Bind(l, {{"N", 100}, {"H", 2}}));
  EXPECT_GT(read, 0.85 * all);
  EXPECT_LT(read, 1.15 * all);
}

}  // namespace
}  // namespace costmodel
