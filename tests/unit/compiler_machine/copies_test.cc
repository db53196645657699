// Asynchronous copies on the machine: their values, and what orders them.
#include "compiler/machine/reduce.h"
#include "tests/unit/compiler_machine/source_harness.h"

namespace compiler::machine {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::IsEmpty;

std::vector<float> Count(size_t n) {
  std::vector<float> x(n);
  for (size_t i = 0; i < n; ++i) x[i] = static_cast<float>(i + 1);
  return x;
}

// A box of `tile` is loaded from x[rows, columns], added 1000 to, and stored at the same place of
// y.
std::string ThroughShared(const std::string& tile, const std::string& box) {
  return "program t target sm_90a\ndim M in 1..=64, N in 1..=64\nin x: f32[M, N]; inout y: f32[M, "
         "N]\nwhere N % 4 == 0\nkernel k {\n  grid (1)\n  smem tile: " +
         tile + "\n  event full[1] count 1\n  role main: warps 1 {\n    tma.load tile <- x[" + box +
         "] on full@0\n    expect full@0\n    wait full@0\n"
         "    for r in 0..8 { st tile[r, lane] <- 1000.0 + (ld tile[r, lane]) }\n"
         "    fence async; sync warp\n    once { tma.store y[" +
         box + "] <- tile; tma.commit; tma.wait 0 }\n  }\n}\n";
}

// What is outside of the tensor reads as zero and is not written; inside every element arrives,
// whatever the form of the buffer.
TEST(TensorCopies, FillWithZerosAndClip) {
  for (const char* tile :
       {"f32[8, 32]", "f32[8, 32] swizzle 128", "f32[8, 32] swizzle 64", "f32[8, 32] swizzle 32"}) {
    for (const auto& [row, column] : {std::pair{0, 0}, {-3, -4}, {6, 20}, {-9, 0}, {40, 0}}) {
      const std::string box = std::to_string(row) + ":+8, " + std::to_string(column) + ":+32";
      const std::string source = ThroughShared(tile, box);
      const int64_t m = 10, n = 36;
      const std::vector<float> x = Count(static_cast<size_t>(m * n));
      const std::vector<float> before(x.size(), -1.0f);
      const Ran ran =
          RunSource(source, {{"M", m}, {"N", n}}, {{"x", Bytes(x)}, {"y", Bytes(before)}});
      ASSERT_THAT(ran.Codes(), IsEmpty()) << tile << ran.text;
      const std::vector<float> y = ran.Values<float>("y");
      for (int64_t i = 0; i < m; ++i) {
        for (int64_t j = 0; j < n; ++j) {
          const bool inside = i >= row && i < row + 8 && j >= column && j < column + 32;
          const auto at = static_cast<size_t>(i * n + j);
          ASSERT_EQ(y[at], inside ? 1000.0f + x[at] : -1.0f) << tile << " " << i << " " << j;
        }
      }
    }
  }
}

TEST(AsyncCopies, FillWithZerosWhereTheSourceEnds) {
  const std::string source = OneCta(
      "dim N in 1..=32\nin x: f32[N]; out y: f32[32]",
      "  smem tile: f32[32]\n  role main: warps 1 {\n    cp.async tile[lane] <- x[lane] else 0.0\n"
      "    cp.async.commit; cp.async.wait 0\n    st y[lane] <- ld tile[lane]\n  }");
  const Ran ran = RunSource(source, {{"N", 5}}, {{"x", Bytes(Count(5))}});
  ASSERT_THAT(ran.Codes(), IsEmpty()) << ran.text;
  const std::vector<float> y = ran.Values<float>("y");
  EXPECT_EQ(y[4], 5.0f);
  EXPECT_THAT(std::vector<float>(y.begin() + 5, y.end()), Each(0.0f));
}

TEST(Reductions, AddOfManyCtas) {
  const std::string source =
      "program t target sm_90a\nin x: f32[4, 8, 32]; inout y: f32[8, 32]\nkernel k {\n  grid (4)\n"
      "  smem tile: f32[8, 32]\n  role main: warps 1 {\n"
      "    for r in 0..8 { st tile[r, lane] <- ld x[cta, r, lane] }\n    fence async; sync warp\n"
      "    once { tma.reduce.add y[:, :] <- tile; tma.commit; tma.wait.read 0 }\n  }\n}\n";
  const Ran ran = RunSource(source, {},
                            {{"x", Bytes(std::vector<float>(4 * 256, 0.5f))},
                             {"y", Bytes(std::vector<float>(256, 1.0f))}});
  ASSERT_THAT(ran.Codes(), IsEmpty()) << ran.text;
  EXPECT_THAT(ran.Values<float>("y"), Each(3.0f));
}

TEST(Reductions, OfEveryTypeAndOperation) {
  using ir::DType;
  EXPECT_EQ(Reduced("add", DType::kF32, 0x3f800000, 0x40000000), 0x40400000u);
  EXPECT_EQ(Reduced("add", DType::kBF16, 0x3f80, 0x4000), 0x4040u);
  EXPECT_EQ(Reduced("add", DType::kF16, 0x3c00, 0x4000), 0x4200u);
  EXPECT_EQ(Reduced("add", DType::kF16, 0x6800, 0x3c00), 0x6800u);  // 2048 + 1: tie to even
  EXPECT_EQ(Reduced("min", DType::kF16, 0x7e00, 0x3c00), 0x3c00u);  // NaN never wins
  EXPECT_EQ(Reduced("max", DType::kI32, 0xffffffff, 1) & 0xffffffff, 1u);
  EXPECT_EQ(Reduced("max", DType::kU32, 0xffffffff, 1), 0xffffffffu);
  EXPECT_EQ(Reduced("add", DType::kU32, 0xffffffff, 2), 1u);
  EXPECT_EQ(Reduced("inc", DType::kU32, 3, 3), 0u);
  EXPECT_EQ(Reduced("inc", DType::kU32, 2, 3), 3u);
  EXPECT_EQ(Reduced("dec", DType::kU32, 0, 3), 3u);
  EXPECT_EQ(Reduced("dec", DType::kU32, 2, 3), 1u);
  EXPECT_EQ(Reduced("xor", DType::kI64, 0xff00ff00ff00ff00, 0xff), 0xff00ff00ff00ffffu);
}

// One lane's wait says nothing of another lane's copy, and groups are counted from the newest.
TEST(AsyncCopies, GroupsAreTheirThreadsOwn) {
  const auto run = [](const std::string& body) {
    return RunSource(OneCta("in x: f32[2, 32]; out y: f32[32]",
                            "  smem tile: f32[2, 32]\n  role main: warps 1 {\n" + body + "\n  }"),
                     {}, {{"x", Bytes(Count(64))}})
        .Codes();
  };
  const std::string two =
      "    cp.async tile[0, lane] <- x[0, lane]; cp.async.commit\n"
      "    cp.async tile[1, lane] <- x[1, lane]; cp.async.commit\n";
  EXPECT_THAT(run(two + "    cp.async.wait 1; st y[lane] <- ld tile[0, lane]"), IsEmpty());
  EXPECT_THAT(run(two + "    cp.async.wait 1; st y[lane] <- ld tile[1, lane]"),
              ElementsAre("CK2100"));
  EXPECT_THAT(run(two + "    cp.async.wait 0; st y[lane] <- ld tile[1, lane]"), IsEmpty());
  EXPECT_THAT(run(two + "    cp.async.wait 0; st y[lane] <- ld tile[1, 31 - lane]"),
              ElementsAre("CK2100"));
  EXPECT_THAT(run(two + "    cp.async.wait 0; sync warp; st y[lane] <- ld tile[1, 31 - lane]"),
              IsEmpty());
  EXPECT_THAT(run(two + "    sync warp; cp.async.wait 0; st y[lane] <- ld tile[1, 31 - lane]"),
              ElementsAre("CK2100"));
  EXPECT_THAT(run(two + "    if lane < 16 { cp.async.wait 0 }\n    st y[lane] <- ld tile[1, lane]"),
              ElementsAre("CK2100"));
}

// A fence covers what its thread knows when it executes it, and nothing that it learns later.
TEST(Proxies, AFenceIsASnapshot) {
  const auto run = [](const std::string& body) {
    return RunSource(
               OneCta("out y: f32[8, 32]",
                      "  smem tile: f32[8, 32]\n  role main: warps 2 {\n" + body +
                          "\n    once { tma.store y[:, :] <- tile; tma.commit; tma.wait.read 0 "
                          "}\n  }"))
        .Codes();
  };
  const std::string write = "    for r in warp..8 step 2 { st tile[r, lane] <- 1.0 }\n";
  EXPECT_THAT(run(write + "    fence async; sync role"), IsEmpty());
  EXPECT_THAT(run(write + "    sync role; fence async"), IsEmpty());
  EXPECT_THAT(run(write + "    sync role; once { fence async }"), IsEmpty());
  EXPECT_THAT(run(write + "    sync role"), ElementsAre("CK2102"));
  EXPECT_THAT(run("    fence async\n" + write + "    sync role"), ElementsAre("CK2102"));
  EXPECT_THAT(run(write + "    if warp == 0 { fence async }\n    sync role"),
              ElementsAre("CK2102"));
  EXPECT_THAT(run(write + "    sync role; if warp == 1 { fence async }"), ElementsAre("CK2102"));
  EXPECT_THAT(run(write + "    sync role; if warp == 1 { fence async }\n    sync role"), IsEmpty());
}

// Neither the order in which warps run nor the seed changes what is found.
TEST(Proxies, EveryScheduleSaysTheSame) {
  const std::string source = ThroughShared("f32[8, 32] swizzle 128", "0:+8, 0:+32");
  for (uint64_t seed = 0; seed < 8; ++seed) {
    Options options;
    options.schedule_seed = seed;
    const Ran ran = RunSource(source, {{"M", 8}, {"N", 32}},
                              {{"x", Bytes(Count(256))}, {"y", Bytes(Count(256))}}, options);
    EXPECT_THAT(ran.Codes(), IsEmpty()) << seed << ran.text;
  }
}

// Undefined bytes of shared memory are not copied to global memory.
TEST(TensorCopies, OfUnwrittenMemoryAreFindings) {
  const std::string source =
      OneCta("out y: f32[8, 32]",
             "  smem tile: f32[8, 32]\n  role main: warps 1 {\n    st tile[0, lane] <- 1.0\n"
             "    fence async; sync warp\n"
             "    once { tma.store y[:, :] <- tile; tma.commit; tma.wait.read 0 }\n  }");
  EXPECT_THAT(RunSource(source).Codes(), ElementsAre("CK2010"));
}

}  // namespace
}  // namespace compiler::machine
