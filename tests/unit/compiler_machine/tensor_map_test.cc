// Tensor maps on the machine: rows by number, and maps that end where the kernel says.
#include <random>

#include "absl/strings/str_cat.h"
#include "tests/unit/compiler_machine/source_harness.h"

namespace compiler::machine {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<float> Count(size_t n) {
  std::vector<float> x(n);
  for (size_t i = 0; i < n; ++i) x[i] = static_cast<float>(i + 1);
  return x;
}

// Four rows of any numbers and columns that leave the tensor: zeros outside.
TEST(Gather, BringsTheRowsByNumberAndZerosForOthers) {
  std::mt19937 random(7);
  for (int column = -4; column <= 20; column += 8) {
    std::vector<int> rows(4);
    for (int& row : rows) row = static_cast<int>(random() % 12) - 3;
    const std::string source = absl::StrCat(
        "program t target sm_100a\nin x: f32[6, 20], r: i32[4]; out y: f32[4, 8]\nkernel k {\n"
        "  grid (1)\n  smem tile: f32[4, 8]\n  event full[1] count 1\n  role main: warps 1 {\n"
        "    tma.gather4 tile <- x[ld r[0:+4], ",
        column, ":+8] on full@0\n    expect full@0\n    wait full@0\n",
        "    st y[lane/8, lane%8] <- ld tile[lane/8, lane%8]\n  }\n}\n");
    const std::vector<float> x = Count(120);
    const Ran ran = RunSource(source, {}, {{"x", Bytes(x)}, {"r", Bytes(rows)}});
    ASSERT_THAT(ran.Codes(), IsEmpty()) << ran.text;
    std::vector<float> expected;
    for (const int row : rows) {
      for (int c = column; c < column + 8; ++c) {
        const bool inside = row >= 0 && row < 6 && c >= 0 && c < 20;
        expected.push_back(inside ? x[static_cast<size_t>(row * 20 + c)] : 0.0f);
      }
    }
    EXPECT_EQ(ran.Values<float>("y"), expected) << column;
  }
}

// Loads through the map read zeros from its end on, stores leave what is there.
TEST(PatchedMaps, EndWhereTheKernelSays) {
  for (const int end : {1, 3, 8}) {
    const std::string source = absl::StrCat(
        "program t target sm_90a\nin x: f32[8, 8]; inout y: f32[8, 8]; out z: f32[8, 8]\n"
        "kernel k {\n  grid (1)\n  smem tile: f32[8, 8]\n  event full[1] count 1\n  tensormap x, "
        "y\n"
        "  role main: warps 1 {\n    tensormap.set x[",
        end, ", :]\n    tensormap.set y[", 9 - end,
        ", :]\n    tma.load tile <- x[:, :] on full@0\n    expect full@0\n    wait full@0\n"
        "    once { tma.store y[:, :] <- tile; tma.commit; tma.wait 0 }\n"
        "    for i in 0..2 { st z[i*4 + lane/8, lane%8] <- ld tile[i*4 + lane/8, lane%8] }\n"
        "  }\n}\n");
    const std::vector<float> x = Count(64), y(64, -1.0f);
    const Ran ran = RunSource(source, {}, {{"x", Bytes(x)}, {"y", Bytes(y)}});
    ASSERT_THAT(ran.Codes(), IsEmpty()) << ran.text;
    std::vector<float> loaded, stored;
    for (int row = 0; row < 8; ++row) {
      for (int c = 0; c < 8; ++c) {
        loaded.push_back(row < end ? x[static_cast<size_t>(row * 8 + c)] : 0.0f);
        stored.push_back(row < 9 - end ? loaded.back() : -1.0f);
      }
    }
    EXPECT_EQ(ran.Values<float>("z"), loaded);
    EXPECT_EQ(ran.Values<float>("y"), stored);
  }
}

// The copies through a map are over before it is set again, and each end is one of the tensor.
TEST(PatchedMaps, AreSetBetweenCopies) {
  const auto run = [](const std::string& wait, const std::string& end) {
    return RunSource(
               absl::StrCat(
                   "program t target sm_90a\ninout y: f32[16, 8]\nkernel k {\n",
                   "  grid (1)\n  smem tile: f32[8, 8]\n  tensormap y\n  role main: warps 1 {\n",
                   "    for i in 0..2 { st tile[i*4 + lane/8, lane%8] <- 1.0 }\n",
                   "    fence async; sync warp\n    for m in 0..2 {\n", "      tensormap.set y[",
                   end, ", :]\n", "      once { tma.store y[m*8:+8, :] <- tile; tma.commit; ", wait,
                   " }\n    }\n    once { tma.wait 0 }\n  }\n}\n"))
        .Codes();
  };
  EXPECT_THAT(run("tma.wait 0", "m*8 + 5"), IsEmpty());
  EXPECT_THAT(run("tma.wait.read 0", "m*8 + 5"), ElementsAre("CK2455"));
  EXPECT_THAT(run("tma.wait 0", "m*8 + 9"), ElementsAre("CK2001"));
  EXPECT_THAT(run("tma.wait 0", "m*8"), ElementsAre("CK2001"));
}

}  // namespace
}  // namespace compiler::machine
