// CTAs of a cluster on the machine: what reaches whom, and that every schedule gives the same.
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "tests/unit/compiler_machine/source_harness.h"

namespace compiler::machine {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr uint64_t kSeeds = 12;

std::vector<float> Count(size_t n) {
  std::vector<float> x(n);
  for (size_t i = 0; i < n; ++i) x[i] = static_cast<float>(i + 1);
  return x;
}

std::string Program(int cluster, const std::string& kernel) {
  return absl::StrCat("program t target sm_90a\nin x: f32[256]; out y: f32[256]\nkernel k {\n",
                      "  cluster ", cluster, "\n  grid (8)\n", kernel, "\n}\n");
}

// Each CTA has 32 elements; y[32*c + i] is x[32*from(c) + i], in every schedule.
template <typename From>
void ExpectMoved(const std::string& source, const From& from) {
  const std::vector<float> x = Count(256);
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    const Ran ran = RunSource(source, {}, {{"x", Bytes(x)}}, {.schedule_seed = seed});
    ASSERT_THAT(ran.Codes(), IsEmpty()) << seed << "\n" << source << ran.text;
    const std::vector<float> y = ran.Values<float>("y");
    for (size_t c = 0; c < 8; ++c) {
      for (size_t i = 0; i < 32; ++i) ASSERT_EQ(y[32 * c + i], x[32 * from(c) + i]) << source;
    }
  }
}

size_t Next(size_t cta, size_t cluster) { return cta / cluster * cluster + (cta + 1) % cluster; }
size_t Before(size_t cta, size_t cluster) {
  return cta / cluster * cluster + (cta + cluster - 1) % cluster;
}

TEST(Clusters, ReadEachOthersSharedMemory) {
  for (const int size : {1, 2, 4, 8}) {
    const std::string source =
        Program(size, absl::StrCat("  smem s: f32[32]\n  role main: warps 1 {\n"
                                   "    st s[lane] <- ld x[cta*32 + lane]\n    cluster.sync\n"
                                   "    st y[cta*32 + lane] <- ld s[lane] at (cluster.rank + 1) % ",
                                   size, "\n  }"));
    ExpectMoved(source, [&](size_t c) { return Next(c, static_cast<size_t>(size)); });
  }
}

TEST(Clusters, ArriveInEachOther) {
  const std::string source =
      Program(4,
              "  smem s: f32[32]\n  event full[1] count 1\n  role main: warps 1 {\n"
              "    st s[lane] at (cluster.rank + 1) % 4 <- ld x[cta*32 + lane]\n"
              "    arrive full@0 at (cluster.rank + 1) % 4\n    wait.cluster full@0\n"
              "    st y[cta*32 + lane] <- ld s[lane]\n  }");
  ExpectMoved(source, [](size_t c) { return Before(c, 4); });
}

TEST(Clusters, StoreAsynchronously) {
  const std::string source =
      Program(2,
              "  smem s: f32[32]\n  event full[1] count 1\n  role main: warps 1 {\n"
              "    expect full@0 bytes 128\n"
              "    st.async s[lane] at 1 - cluster.rank <- ld x[cta*32 + lane] on full@0\n"
              "    wait full@0\n    st y[cta*32 + lane] <- ld s[lane]\n  }");
  ExpectMoved(source, [](size_t c) { return c ^ 1; });
}

// Each lane names a CTA of its own.
TEST(Clusters, LanesNameDifferentRanks) {
  const std::string source =
      Program(4,
              "  smem s: f32[32]\n  role main: warps 1 {\n"
              "    st s[cluster.rank*8 + lane / 4] at lane % 4 <- ld x[cta*32 + lane]\n"
              "    cluster.sync\n    st y[cta*32 + lane] <- ld s[lane]\n  }");
  const std::vector<float> x = Count(256);
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    const Ran ran = RunSource(source, {}, {{"x", Bytes(x)}}, {.schedule_seed = seed});
    ASSERT_THAT(ran.Codes(), IsEmpty()) << ran.text;
    const std::vector<float> y = ran.Values<float>("y");
    for (size_t c = 0; c < 8; ++c) {
      for (size_t i = 0; i < 32; ++i) {
        ASSERT_EQ(y[32 * c + i], x[32 * (c / 4 * 4 + i / 8) + i % 8 * 4 + c % 4]);
      }
    }
  }
}

// A ring through several wraps: every CTA loads a part for all.
std::string Multicast(int cluster) {
  return absl::StrReplaceAll(
      "program t target sm_90a\nin w: f32[24, 32]; out y: f32[8, 24, 32]\nkernel k {\n"
      "  cluster CL\n  grid (8)\n"
      "  ring t[2] { v: f32[4, 32] } from load to take cluster\n"
      "  role load: warps 1 {\n    let p = cluster.rank*(4/CL)\n    for k in 0..6 {\n"
      "      acquire t@k\n"
      "      tma.load t.v@k[p:+4/CL, :] <- w[k*4 + p:+4/CL, :] multicast (1 << CL) - 1\n"
      "      commit t@k\n    }\n  }\n"
      "  role take: warps 2 {\n    for k in 0..6 {\n      wait t@k\n"
      "      for r in warp..4 step 2 { st y[cta, k*4 + r, lane] <- ld t.v@k[r, lane] }\n"
      "      release t@k\n    }\n  }\n}\n",
      {{"CL", std::to_string(cluster)}});
}

TEST(Clusters, LoadForEachOther) {
  const std::vector<float> w = Count(24 * 32);
  for (const int size : {2, 4}) {
    for (uint64_t seed = 0; seed < kSeeds; ++seed) {
      const Ran ran = RunSource(Multicast(size), {}, {{"w", Bytes(w)}}, {.schedule_seed = seed});
      ASSERT_THAT(ran.Codes(), IsEmpty()) << size << ran.text;
      const std::vector<float> y = ran.Values<float>("y");
      for (size_t i = 0; i < y.size(); ++i) ASSERT_EQ(y[i], w[i % w.size()]);
    }
  }
}

std::vector<std::string> CodesOf(std::string source, const std::string& from,
                                 const std::string& to) {
  const size_t at = source.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  source.replace(at, from.size(), to);
  return RunSource(source).Codes();
}

// What keeps the ring right, taken out piece by piece.
TEST(Clusters, FindWhatBreaksAMulticastRing) {
  const std::string good = Multicast(2);
  EXPECT_THAT(CodesOf(good, " to take cluster", " to take"), ElementsAre("CK2428"));
  EXPECT_THAT(CodesOf(good, "      release t@k\n", ""), testing::Contains("CK2060"));
  EXPECT_THAT(CodesOf(good, "      wait t@k\n", ""), testing::Contains("CK2064"));
  EXPECT_THAT(CodesOf(good, "multicast (1 << 2) - 1", "multicast 1"), testing::Contains("CK2067"));
}

}  // namespace
}  // namespace compiler::machine
