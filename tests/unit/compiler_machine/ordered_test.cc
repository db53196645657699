// Ordered accesses: values, and each way in which an order is missing.
#include "tests/unit/compiler_machine/source_harness.h"

namespace compiler::machine {
namespace {

using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<float> Ramp(size_t count) {
  std::vector<float> x(count);
  for (size_t i = 0; i < count; ++i) x[i] = static_cast<float>(i) * 0.5f;
  return x;
}

// CTA 0 writes a box and sets a flag, CTA 1 waits for the flag and reads the box.
std::string Message(const std::string& set, const std::string& get) {
  return "program p target sm_80\nin x: f32[32]; out y: f32[32]\n"
         "workspace box: f32[32]; workspace flag: u32[1] zero\n"
         "kernel k {\n  grid (2)\n  role main: warps 1 {\n    if cta == 0 {\n"
         "      st box[lane] <- ld x[lane]\n" +
         set + "    } else {\n" + get + "      st y[lane] <- ld box[31 - lane]\n    }\n  }\n}\n";
}

struct Handover {
  const char* name;
  const char* set;
  const char* get;
  const char* code;  // "" where it is right
};

constexpr char kRelease[] = "      sync warp\n      once { st.release.gpu flag[0] <- 1 }\n";
constexpr char kAcquire[] =
    "      once { while (ld.acquire.gpu flag[0]) == 0 { } }\n      sync warp\n";

constexpr Handover kHandovers[] = {
    {"Right", kRelease, kAcquire, ""},
    {"ByAtomics", "      sync warp\n      once { red.add.release.gpu(flag[0], 1) }\n",
     "      once { while atomic.add.acquire.gpu(flag[0], 0) == 0 { } }\n      sync warp\n", ""},
    {"ByFences",
     "      sync warp\n      once {\n        fence gpu\n        st.relaxed.gpu flag[0] <- 1\n      "
     "}\n",
     "      once {\n        while (ld.relaxed.gpu flag[0]) == 0 { }\n        fence gpu\n      }\n"
     "      sync warp\n",
     ""},
    {"ByVolatileAndFences",
     "      sync warp\n      once {\n        fence.sc sys\n        st.volatile flag[0] <- 1\n      "
     "}\n",
     "      once {\n        while (ld.volatile flag[0]) == 0 { }\n        fence.sc sys\n      }\n"
     "      sync warp\n",
     ""},
    {"ByTheWholeWarp", kRelease, "      while lanes.any((ld.acquire.gpu flag[0]) == 0, 32) { }\n",
     ""},
    {"Relaxed", "      sync warp\n      once { st.relaxed.gpu flag[0] <- 1 }\n", kAcquire,
     "CK2162"},
    {"NotAcquired", kRelease,
     "      once { while (ld.relaxed.gpu flag[0]) == 0 { } }\n      sync warp\n", "CK2162"},
    {"NotGathered", "      once { st.release.gpu flag[0] <- 1 }\n", kAcquire, "CK2162"},
    {"NotTold", kRelease, "      once { while (ld.acquire.gpu flag[0]) == 0 { } }\n", "CK2162"},
    {"FencedByTheOthers", "      fence gpu\n      once { st.relaxed.gpu flag[0] <- 1 }\n", kAcquire,
     "CK2162"},
    {"NarrowFence",
     "      sync warp\n      once {\n        fence cta\n        st.relaxed.gpu flag[0] <- 1\n      "
     "}\n",
     kAcquire, "CK2162"},
    {"NarrowRelease", "      sync warp\n      once { st.release.cta flag[0] <- 1 }\n", kAcquire,
     "CK2160"},
    {"NarrowAcquire", kRelease,
     "      once { while (ld.acquire.cta flag[0]) == 0 { } }\n      sync warp\n", "CK2160"},
    {"PlainFlag", "      sync warp\n      once { st flag[0] <- 1 }\n", kAcquire, "CK2161"},
};

class HandoverTest : public testing::TestWithParam<Handover> {};

TEST_P(HandoverTest, IsRightOrFound) {
  for (const uint64_t seed : {0, 1, 2, 3}) {
    Options options;
    options.schedule_seed = seed;
    const Ran ran =
        RunSource(Message(GetParam().set, GetParam().get), {}, {{"x", Bytes(Ramp(32))}}, options);
    if (*GetParam().code != 0) {
      EXPECT_THAT(ran.Codes(), Contains(GetParam().code)) << seed << ran.text;
      continue;
    }
    ASSERT_THAT(ran.Codes(), IsEmpty()) << seed << ran.text;
    const std::vector<float> x = Ramp(32), y = ran.Values<float>("y");
    for (size_t i = 0; i < 32; ++i) EXPECT_EQ(y[i], x[31 - i]);
  }
}

INSTANTIATE_TEST_SUITE_P(All, HandoverTest, testing::ValuesIn(kHandovers),
                         [](const auto& info) { return std::string(info.param.name); });

// Two warps add rows of 8; the sums of 16-bit floats round after each addition.
TEST(Ordered, NeighboursAreAddedOneByOne) {
  const std::string source =
      "program p target sm_90\nin x: f32[2, 8]; inout h: f16[8], b: bf16[8], f: f32[4]\n"
      "out was: f32[4]\nkernel k {\n  grid (1)\n  role main: warps 2 {\n    elect {\n"
      "      let v = ld x[warp, 0:+4]\n      let w = ld x[warp, 4:+4]\n"
      "      red.add.relaxed.gpu(h[0:+4], cvt.f16(v)); red.add.relaxed.gpu(h[4:+4], cvt.f16(w))\n"
      "      red.add.relaxed.gpu(b[0:+4], cvt.bf16(v)); red.add.relaxed.gpu(b[4:+2], 1.0)\n"
      "      red.add.relaxed.gpu(b[6], cvt.bf16(w[2]))\n"
      "      let old = atomic.add.relaxed.gpu(f[0:+4], v)\n"
      "      if warp == 1 { st was[0:+4] <- old }\n    }\n  }\n}\n";
  const std::vector<float> x = {1, 2, 3, 4, 5, 6, 7, 8, 256, 0.5, -3, 0, 1, 1, 512, 1};
  const std::vector<uint16_t> zeros(8, 0);
  const Ran ran = RunSource(source, {},
                            {{"x", Bytes(x)},
                             {"h", Bytes(zeros)},
                             {"b", Bytes(zeros)},
                             {"f", Bytes(std::vector<float>(4, 0))}});
  ASSERT_THAT(ran.Codes(), IsEmpty()) << ran.text;
  // f16: 257, 2.5, 0, 4, 6, 7, 519, 9; bf16 of 8 bits of precision: 257 and 519 round to even.
  EXPECT_THAT(ran.Values<uint16_t>("h"),
              ElementsAre(0x5c04, 0x4100, 0, 0x4400, 0x4600, 0x4700, 0x600e, 0x4880));
  EXPECT_THAT(ran.Values<uint16_t>("b"),
              ElementsAre(0x4380, 0x4020, 0, 0x4080, 0x4000, 0x4000, 0x4402, 0));
  EXPECT_THAT(ran.Values<float>("f"), ElementsAre(257, 2.5, 0, 4));
  EXPECT_THAT(ran.Values<float>("was"), ElementsAre(1, 2, 3, 4));
}

// A number wins against NaN, and +0 is the larger zero.
TEST(Ordered, NeighboursOfSixteenBitsHaveTheirExtremes) {
  const std::string source =
      "program p target sm_90\nin x: bf16[4], z: f16[8]; inout low: bf16[4], high: f16[8]\n"
      "out was: bf16[2]\nkernel k {\n  grid (1)\n  role main: warps 1 {\n    once {\n"
      "      red.min.relaxed.gpu(low[0:+4], ld x[0:+4])\n"
      "      red.max.relaxed.gpu(high[0:+8], ld z[0:+8])\n"
      "      st was[0:+2] <- atomic.max.relaxed.gpu(low[2:+2], 8.0)\n    }\n  }\n}\n";
  const Ran ran = RunSource(
      source, {},
      {{"x", Bytes(std::vector<uint16_t>{0x3f80, 0xbf80, 0x7fc0, 0x8000})},    // 1 -1 NaN -0
       {"low", Bytes(std::vector<uint16_t>{0x4000, 0xbf00, 0x4040, 0x0000})},  // 2 -0.5 3 0
       {"z", Bytes(std::vector<uint16_t>{0, 0x8000, 0x3c00, 0xbc00, 0x7e00, 0x7c00, 1, 0x4000})},
       {"high",
        Bytes(std::vector<uint16_t>{0x8000, 0, 0x3800, 0x3800, 0xfc00, 0x7bff, 0, 0x4200})}});
  ASSERT_THAT(ran.Codes(), IsEmpty()) << ran.text;
  EXPECT_THAT(ran.Values<uint16_t>("low"), ElementsAre(0x3f80, 0xbf80, 0x4100, 0x4100));
  EXPECT_THAT(ran.Values<uint16_t>("was"), ElementsAre(0x4040, 0x8000));
  EXPECT_THAT(ran.Values<uint16_t>("high"),
              ElementsAre(0, 0, 0x3c00, 0x3800, 0xfc00, 0x7c00, 1, 0x4200));
}

// A number that CTAs draw keeps them in turn: only where they take turns in the middle of their
// work does one look at the flag of the CTA before it too early.
TEST(Ordered, CtasTakeTurnsUnderASeed) {
  const std::string source =
      "program p target sm_80\nout y: i32[4]; workspace ticket: i32[1] zero\n"
      "workspace flag: u32[4] zero\nkernel k {\n  grid (4)\n  role main: warps 1 {\n    once {\n"
      "      let t = atomic.add.relaxed.gpu(ticket[0], 1)\n"
      "      if t >= 0 && t < 4 {\n        var early = 0\n"
      "        if t > 0 { while (ld.acquire.gpu flag[t - 1]) == 0 { early = 1 } }\n"
      "        st.release.gpu flag[t] <- 1\n        st y[t] <- early\n      }\n    }\n  }\n}\n";
  int early = 0;
  for (uint64_t seed = 0; seed < 16; ++seed) {
    Options options;
    options.schedule_seed = seed;
    const Ran ran = RunSource(source, {}, {}, options);
    ASSERT_THAT(ran.Codes(), IsEmpty()) << seed << ran.text;
    const std::vector<int32_t> y = ran.Values<int32_t>("y");
    EXPECT_EQ(y[0], 0) << seed;
    const auto count = std::count(y.begin(), y.end(), 1);
    if (seed == 0) {
      EXPECT_EQ(count, 0);
    }
    early += static_cast<int>(count);
  }
  EXPECT_GT(early, 0);
}

TEST(Ordered, AtomicsOfOneWarpTakeTurns) {
  const Ran ran = RunSource(
      "program p target sm_80\nout y: i32[32]; workspace n: i32[1] zero\nkernel k {\n  grid (1)\n"
      "  role main: warps 1 { st y[lane] <- atomic.add.relaxed.gpu(n[0], 2) }\n}\n",
      {});
  ASSERT_THAT(ran.Codes(), IsEmpty()) << ran.text;
  std::vector<int32_t> y = ran.Values<int32_t>("y");
  std::sort(y.begin(), y.end());
  for (int32_t i = 0; i < 32; ++i) EXPECT_EQ(y[static_cast<size_t>(i)], 2 * i);
  EXPECT_EQ(ran.Values<int32_t>("n")[0], 64);
}

TEST(Ordered, EveryOperationComputes) {
  const Ran ran = RunSource(
      "program p target sm_80\nout old: u32[8]; inout w: u32[8]; inout f: f32[1]\nkernel k {\n"
      "  grid (1)\n  role main: warps 1 {\n    once {\n"
      "      st old[0] <- atomic.add.relaxed.gpu(w[0], 0xffffffff)\n"
      "      st old[1] <- atomic.max.relaxed.gpu(w[1], 9)\n"
      "      st old[2] <- atomic.min.relaxed.gpu(w[2], 9)\n"
      "      st old[3] <- atomic.and.relaxed.gpu(w[3], 6)\n"
      "      st old[4] <- atomic.or.relaxed.gpu(w[4], 6)\n"
      "      st old[5] <- atomic.xor.relaxed.gpu(w[5], 6)\n"
      "      st old[6] <- atomic.exch.relaxed.gpu(w[6], 77)\n"
      "      st old[7] <- atomic.cas.relaxed.gpu(w[7], 5, 8)\n"
      "      red.add.relaxed.gpu(f[0], 1.5)\n    }\n  }\n}\n",
      {}, {{"w", Bytes(std::vector<uint32_t>(8, 5))}, {"f", Bytes(std::vector<float>{0.25f})}});
  ASSERT_THAT(ran.Codes(), IsEmpty()) << ran.text;
  EXPECT_THAT(ran.Values<uint32_t>("old"), Each(5u));
  EXPECT_THAT(ran.Values<uint32_t>("w"), ElementsAre(4u, 9u, 5u, 4u, 7u, 3u, 77u, 8u));
  EXPECT_THAT(ran.Values<float>("f"), ElementsAre(1.75f));
}

// PTX: f32 addition flushes subnormals in global memory and keeps them in shared memory.
TEST(Ordered, FloatAddFlushesInGlobalMemoryOnly) {
  const std::vector<float> tiny{1e-40f};
  const Ran ran = RunSource(
      "program p target sm_80\nin x: f32[1]; inout g: f32[1]; out s: f32[1]\nkernel k {\n"
      "  grid (1)\n  smem h: f32[1]\n  role main: warps 1 {\n    once {\n"
      "      st h[0] <- 0.0\n      red.add.relaxed.cta(h[0], ld x[0])\n"
      "      red.add.relaxed.gpu(g[0], ld x[0])\n      st s[0] <- ld h[0]\n    }\n  }\n}\n",
      {}, {{"x", Bytes(tiny)}, {"g", Bytes(std::vector<float>{0.0f})}});
  ASSERT_THAT(ran.Codes(), IsEmpty()) << ran.text;
  EXPECT_EQ(ran.Values<float>("g")[0], 0.0f);
  EXPECT_EQ(ran.Values<float>("s")[0], 1e-40f);
}

std::string SpinLock(const std::string& unlock) {
  return "program p target sm_80\nin x: i32[4]; inout sum: i32[1]; workspace lock: u32[1] zero\n"
         "kernel k {\n  grid (4)\n  role main: warps 1 {\n    once {\n"
         "      while atomic.cas.acquire.gpu(lock[0], 0, 1) != 0 { }\n"
         "      st sum[0] <- ((ld sum[0]) & 0xffff) + ((ld x[cta]) & 0xffff)\n" +
         unlock + "    }\n  }\n}\n";
}

TEST(Ordered, ALockOrdersWhatItGuards) {
  const std::map<std::string, std::vector<std::byte>> inputs = {
      {"x", Bytes(std::vector<int32_t>{1, 2, 3, 4})}, {"sum", Bytes(std::vector<int32_t>{10})}};
  for (const uint64_t seed : {0, 1, 2}) {
    Options options;
    options.schedule_seed = seed;
    const Ran right =
        RunSource(SpinLock("      st.release.gpu lock[0] <- 0\n"), {}, inputs, options);
    EXPECT_THAT(right.Codes(), IsEmpty()) << right.text;
    EXPECT_EQ(right.Values<int32_t>("sum")[0], 20);
    const Ran wrong =
        RunSource(SpinLock("      st.relaxed.gpu lock[0] <- 0\n"), {}, inputs, options);
    EXPECT_THAT(wrong.Codes(), Contains("CK2162")) << wrong.text;
  }
  const Ran kept = RunSource(SpinLock(""), {}, inputs);
  EXPECT_THAT(kept.Codes(), ElementsAre("CK2164")) << kept.text;
  EXPECT_EQ(kept.result.outcome, Outcome::kDeadlock);
}

// A loop that counts its tries ends by itself, also where nothing else moves.
TEST(Ordered, BoundedTriesAreNoDeadlock) {
  const Ran ran = RunSource(
      "program p target sm_80\nout y: i32[1]; workspace flag: u32[1] zero\nkernel k {\n  grid (1)\n"
      "  role main: warps 1 {\n    once {\n      var tries: i32 = 0\n"
      "      while tries < 20 && (ld.acquire.gpu flag[0]) == 0 { tries += 1 }\n"
      "      st y[0] <- tries\n    }\n  }\n}\n",
      {});
  ASSERT_THAT(ran.Codes(), IsEmpty()) << ran.text;
  EXPECT_EQ(ran.Values<int32_t>("y")[0], 20);
}

std::string WaitForLower(const std::string& number) {
  return "program p target sm_80\ndim N in 1..=64\nout y: i32[N]\n"
         "workspace ticket: i32[1] zero; workspace state: u32[N] zero\nkernel k {\n  grid (N)\n"
         "  role main: warps 1 {\n    once {\n      let at = " +
         number +
         "\n      if at > 0 { while (ld.acquire.gpu state[at - 1]) == 0 { } }\n"
         "      st y[at] <- at\n      st.release.gpu state[at] <- 1\n    }\n  }\n}\n";
}

TEST(Residency, TicketsNeedOneCtaNumbersNeedAll) {
  Options one;
  one.resident_ctas = 1;
  const std::string tickets = WaitForLower("atomic.add.relaxed.gpu(ticket[0], 1)");
  for (const Options& options : {Options(), one}) {
    const Ran ran = RunSource(tickets, {{"N", 9}}, {}, options);
    ASSERT_THAT(ran.Codes(), IsEmpty()) << ran.text;
    const std::vector<int32_t> y = ran.Values<int32_t>("y");
    for (int32_t i = 0; i < 9; ++i) EXPECT_EQ(y[static_cast<size_t>(i)], i);
  }
  EXPECT_THAT(RunSource(WaitForLower("cta"), {{"N", 9}}).Codes(), IsEmpty());
  const Ran stuck = RunSource(WaitForLower("cta"), {{"N", 9}}, {}, one);
  EXPECT_THAT(stuck.Codes(), ElementsAre("CK2165"));
  EXPECT_THAT(stuck.text, HasSubstr("1 of 9 CTAs"));
}

TEST(GridSync, OrdersTheWholeGrid) {
  const std::string source =
      "program p target sm_80\ndim N in 1..=4096\nin x: f32[N]; out y: f32[N]\n"
      "workspace part: f32[N]\nkernel k {\n  grid (SMS)\n  role main: warps 2 {\n"
      "    for r in 0..3 {\n"
      "      for i in cta*64 + thread..N step ctas*64 { st part[N - 1 - i] <- ld x[i] }\n"
      "      grid.sync\n"
      "      for i in cta*64 + thread..N step ctas*64 { st y[i] <- ld part[i] }\n"
      "      grid.sync\n    }\n  }\n}\n";
  for (const uint64_t seed : {0, 1}) {
    Options options;
    options.schedule_seed = seed;
    const Ran ran = RunSource(source, {{"N", 300}, {"SMS", 4}}, {{"x", Bytes(Ramp(300))}}, options);
    ASSERT_THAT(ran.Codes(), IsEmpty()) << ran.text;
    const std::vector<float> x = Ramp(300), y = ran.Values<float>("y");
    for (size_t i = 0; i < 300; ++i) ASSERT_EQ(y[i], x[299 - i]);
  }
  std::string once = source;
  once.replace(once.rfind("      grid.sync\n"), 16, "");
  const Ran ran = RunSource(once, {{"N", 300}, {"SMS", 4}}, {{"x", Bytes(Ramp(300))}});
  EXPECT_THAT(ran.Codes(), Contains("CK2162")) << ran.text;
}

std::string Early(const std::string& first, const std::string& second) {
  return "program p target sm_90\nin x: f32[32]; inout z: f32[32]; out y: f32[32]\n"
         "workspace h: f32[32]\nkernel a {\n  grid (1)\n  role main: warps 1 {\n" +
         first + "  }\n}\nkernel b pdl {\n  grid (1)\n  role main: warps 1 {\n" + second +
         "  }\n}\n";
}

TEST(EarlyStart, OrdersOnlyByTheWait) {
  const Inputs inputs = {{"x", Bytes(Ramp(32))}, {"z", Bytes(Ramp(32))}};
  const std::string first = "    pdl.launch\n    st h[lane] <- ld z[lane]\n";
  const auto codes = [&](const std::string& second) {
    return RunSource(Early(first, second), {}, inputs).Codes();
  };
  EXPECT_THAT(codes("    let v = ld x[lane]\n    pdl.wait\n    st y[lane] <- v + (ld h[lane])\n"),
              IsEmpty());
  EXPECT_THAT(codes("    st y[lane] <- ld h[lane]\n    pdl.wait\n"), ElementsAre("CK2168"));
  EXPECT_THAT(codes("    st z[lane] <- 0.0\n    pdl.wait\n    st y[lane] <- ld h[lane]\n"),
              ElementsAre("CK2168"));
  // One lane has waited: the others have not.
  EXPECT_THAT(codes("    once { pdl.wait }\n    st y[lane] <- ld h[lane]\n"),
              ElementsAre("CK2168"));
  EXPECT_THAT(codes("    once { pdl.wait }\n    sync warp\n    st y[lane] <- ld h[lane]\n"),
              IsEmpty());
}

}  // namespace
}  // namespace compiler::machine
