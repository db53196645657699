// Values of whole programs against plain C++.
#include <bit>
#include <cmath>

#include "tests/unit/compiler_machine/source_harness.h"

namespace compiler::machine {
namespace {

using testing::IsEmpty;

uint16_t ToBf16(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  return static_cast<uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}
float FromBf16(uint16_t value) { return std::bit_cast<float>(uint32_t{value} << 16); }

// The order of `lanes.sum(x, 32)`: lane xor 1, 2, 4, ..
float WarpSum(std::vector<float> lanes) {
  for (int distance = 1; distance < 32; distance *= 2) {
    std::vector<float> next(32);
    for (int lane = 0; lane < 32; ++lane) next[lane] = lanes[lane] + lanes[lane ^ distance];
    lanes = next;
  }
  return lanes[0];
}

const char* const kVectorAdd = R"(
program vector_add target sm_80
dim N in 0..=16777216
in x: f32[N], y: f32[N]; out z: f32[N]
kernel add {
  grid (ceildiv(N, 1024))
  role main: warps 8 {
    let i = cta*1024 + thread*4
    if i + 4 <= N {
      let a = ld x[i:+4]; let b = ld y[i:+4]
      st z[i:+4] <- [a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3]]
    } else {
      for j in i..min(i + 4, N) { st z[j] <- ld x[j] + ld y[j] }
    }
  }
}
)";

TEST(Values, VectorAddOfAnyLength) {
  for (const int n : {0, 1, 3, 4, 1023, 1024, 1025, 3001}) {
    std::vector<float> x(n), y(n), z(n);
    for (int i = 0; i < n; ++i) {
      x[i] = 0.1f * static_cast<float>(i);
      y[i] = 7.0f / static_cast<float>(i + 1);
      z[i] = x[i] + y[i];
    }
    const Ran ran = RunSource(kVectorAdd, {{"N", n}}, {{"x", Bytes(x)}, {"y", Bytes(y)}});
    EXPECT_THAT(ran.Codes(), IsEmpty()) << ran.text;
    EXPECT_EQ(ran.Values<float>("z"), z) << n;
    EXPECT_THAT(ran.result.written.at(2), testing::Each(true));
  }
}

const char* const kRmsNorm = R"(
program rmsnorm target sm_80
dim M in 1..=65536, N in 8..=4096
in x: bf16[M, N], w: bf16[N]; out y: bf16[M, N]
arg eps: f32
where N % 8 == 0
kernel rows {
  grid (M)
  smem part: f32[8]
  role main: warps 8 {
    var s: f32 = 0.0
    for c in thread*8 .. N step 2048 {
      let v = ld x[cta, c:+8]
      for e in 0..8 { let f = cvt.f32(v[e]); s = fma(f, f, s) }
    }
    s = lanes.sum(s, 32)
    elect { st part[warp] <- s }
    sync cta
    var total: f32 = 0.0
    for p in 0..8 { total += ld part[p] }
    let r = rsqrt(total / cvt.f32(N) + eps)
    for c in thread*8 .. N step 2048 {
      let v = ld x[cta, c:+8]; let g = ld w[c:+8]
      var o: bf16[8]
      for e in 0..8 { o[e] = cvt.bf16(cvt.f32(v[e]) * r * cvt.f32(g[e])) }
      st y[cta, c:+8] <- o
    }
  }
}
)";

TEST(Values, RmsNormInBfloat16) {
  const int m = 3, n = 2056;
  std::vector<uint16_t> x(m * n), w(n);
  for (int i = 0; i < m * n; ++i) x[i] = ToBf16(std::sin(static_cast<float>(i)));
  for (int i = 0; i < n; ++i) w[i] = ToBf16(1.0f + 0.001f * static_cast<float>(i));
  const float eps = 1e-5f;
  const std::map<std::string, int64_t> named = {
      {"M", m}, {"N", n}, {"eps", static_cast<int64_t>(std::bit_cast<uint32_t>(eps))}};
  const Inputs inputs = {{"x", Bytes(x)}, {"w", Bytes(w)}};
  const Ran ran = RunSource(kRmsNorm, named, inputs);
  ASSERT_THAT(ran.Codes(), IsEmpty()) << ran.text;
  const std::vector<uint16_t> y = ran.Values<uint16_t>("y");
  for (int row = 0; row < m; ++row) {
    std::vector<float> parts;
    for (int warp = 0; warp < 8; ++warp) {
      std::vector<float> lanes(32, 0.0f);
      for (int lane = 0; lane < 32; ++lane) {
        for (int c = (warp * 32 + lane) * 8; c < n; c += 2048) {
          for (int e = 0; e < 8; ++e) {
            const float f = FromBf16(x[row * n + c + e]);
            lanes[lane] = std::fma(f, f, lanes[lane]);
          }
        }
      }
      parts.push_back(WarpSum(lanes));
    }
    float total = 0;
    for (float part : parts) total += part;
    const double exact = 1.0 / std::sqrt(static_cast<double>(total / static_cast<float>(n) + eps));
    for (int c = 0; c < n; ++c) {
      const double expected = FromBf16(x[row * n + c]) * exact * FromBf16(w[c]);
      const double got = FromBf16(y[row * n + c]);
      ASSERT_NEAR(got, expected, std::fabs(expected) / 250) << row << " " << c;
    }
  }
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    Options options;
    options.schedule_seed = seed;
    const Ran again = RunSource(kRmsNorm, named, inputs, options);
    EXPECT_THAT(again.Codes(), IsEmpty()) << seed << again.text;
    EXPECT_EQ(again.memory, ran.memory) << seed;
  }
}

const char* const kTreeReduction = R"(
program tree target sm_80
dim N in 1..=100000
in x: i32[N]; out y: i32[1]
workspace part: i32[64]
kernel blocks {
  grid (64)
  smem b: i32[256]
  role main: warps 8 {
    var s = 0
    for i in cta*256 + thread .. N step 64*256 { s += ld x[i] }
    st b[thread] <- s
    var d = 128
    while d > 0 {
      sync cta
      if thread < d { st b[thread] <- ld b[thread] + ld b[thread + d] }
      d = d / 2
    }
    once { st part[cta] <- ld b[0] }
  }
}
kernel total {
  grid (1)
  role main: warps 1 {
    let s = lanes.sum(ld part[lane] + ld part[lane + 32], 32)
    elect { st y[0] <- s }
  }
}
)";

TEST(Values, TreeReductionThroughSharedMemoryAndTwoKernels) {
  std::vector<int> x(12345);
  int sum = 0;
  for (size_t i = 0; i < x.size(); ++i) sum += x[i] = static_cast<int>(i * 37 % 1001) - 500;
  for (const uint64_t seed : {0, 1, 2, 3}) {
    Options options;
    options.schedule_seed = seed;
    const Ran ran = RunSource(kTreeReduction, {{"N", 12345}}, {{"x", Bytes(x)}}, options);
    ASSERT_THAT(ran.Codes(), IsEmpty()) << ran.text;
    EXPECT_EQ(ran.Values<int>("y"), std::vector<int>{sum});
  }
}

// A transpose through padded shared memory: strides, two-dimensional indices, both tails.
const char* const kTranspose = R"(
program transpose target sm_80
dim M in 1..=1000, N in 1..=1000
in x: f32[M, N]; out y: f32[N, M]
kernel t {
  grid (ceildiv(N, 32), ceildiv(M, 32))
  smem b: f32[32, 32] padded 1
  role main: warps 4 {
    for r in warp .. 32 step 4 {
      let i = cta.y*32 + r; let j = cta.x*32 + lane
      if i < M && j < N { st b[r, lane] <- ld x[i, j] }
    }
    sync cta
    for r in warp .. 32 step 4 {
      let j = cta.x*32 + r; let i = cta.y*32 + lane
      if i < M && j < N { st y[j, i] <- ld b[lane, r] }
    }
  }
}
)";

TEST(Values, TransposeOfRaggedShapes) {
  for (const auto& [m, n] : {std::pair{1, 1}, {33, 31}, {64, 70}}) {
    std::vector<float> x(m * n), y(m * n);
    for (int i = 0; i < m; ++i) {
      for (int j = 0; j < n; ++j) y[j * m + i] = x[i * n + j] = static_cast<float>(i * 1000 + j);
    }
    const Ran ran = RunSource(kTranspose, {{"M", m}, {"N", n}}, {{"x", Bytes(x)}});
    ASSERT_THAT(ran.Codes(), IsEmpty()) << ran.text;
    EXPECT_EQ(ran.Values<float>("y"), y);
  }
}

// `else` computes its value only where the access is out of bounds.
TEST(Values, TheElseOfALoadIsEvaluatedWhereItIsNeeded) {
  const std::string source =
      OneCta("in x: f32[20], v: f32[12]; out y: f32[32]",
             "role main: warps 1 { st y[lane] <- ld x[lane] else ld v[lane - 20] }");
  std::vector<float> x(20), v(12), y;
  for (int i = 0; i < 32; ++i) {
    const auto value = static_cast<float>(i * i);
    (i < 20 ? x[i] : v[i - 20]) = value;
    y.push_back(value);
  }
  const Ran ran = RunSource(source, {}, {{"x", Bytes(x)}, {"v", Bytes(v)}});
  EXPECT_THAT(ran.Codes(), IsEmpty()) << ran.text;
  EXPECT_EQ(ran.Values<float>("y"), y);
}

TEST(Values, StridedTensorsAndSmallTypes) {
  const std::string source =
      "program s target sm_80\ndim M in 1..=8\nin x: i8[M, 4] stride (LD, 1); out y: u8[M, 4], f: "
      "bool[M]\n"
      "where LD >= 4\n"
      "kernel k {\n  grid (M)\n  role main: warps 1 {\n    if lane < 4 {\n"
      "      let v = cvt.i32(ld x[cta, lane])\n      st y[cta, lane] <- cvt.u8(v + 128) }\n"
      "    elect { st f[cta] <- cta % 2 == 1 }\n  }\n}\n";
  std::vector<int8_t> x(3 * 7);
  for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<int8_t>(static_cast<int>(i) * 11 - 120);
  const Ran ran = RunSource(source, {{"M", 3}, {"LD", 7}}, {{"x", Bytes(x)}});
  ASSERT_THAT(ran.Codes(), IsEmpty()) << ran.text;
  for (int i = 0; i < 12; ++i) {
    EXPECT_EQ(ran.Values<uint8_t>("y")[i], x[i / 4 * 7 + i % 4] + 128) << i;
  }
  EXPECT_EQ(ran.Values<uint8_t>("f"), (std::vector<uint8_t>{0, 1, 0}));
}

TEST(Values, ArgmaxGivesBothHalves) {
  const std::string source =
      OneCta("in x: f32[32]; out v: f32[1], i: i32[1]",
             "role main: warps 1 { let (m, at) = lanes.argmax(ld x[lane], lane, 32)\n"
             " elect { st v[0] <- m; st i[0] <- at } }");
  std::vector<float> x(32, 1.0f);
  x[9] = x[20] = 5.0f;
  const Ran ran = RunSource(source, {}, {{"x", Bytes(x)}});
  ASSERT_THAT(ran.Codes(), IsEmpty()) << ran.text;
  EXPECT_EQ(ran.Values<float>("v")[0], 5.0f);
  EXPECT_EQ(ran.Values<int>("i")[0], 9);
}

TEST(Run, OnlyTheAskedCtasRunAndOnlyTheirElementsAreWritten) {
  Options options;
  options.ctas = {1, 99};
  const std::vector<float> x(3000, 1.0f);
  const Ran ran = RunSource(kVectorAdd, {{"N", 3000}}, {{"x", Bytes(x)}, {"y", Bytes(x)}}, options);
  EXPECT_THAT(ran.Codes(), IsEmpty()) << ran.text;
  const std::vector<bool>& written = ran.result.written.at(2);
  for (size_t i = 0; i < written.size(); ++i) EXPECT_EQ(written[i], i / 1024 == 1) << i;
}

TEST(Run, AKernelWhoseConditionIsFalseIsSkipped) {
  const std::string source =
      "program w target sm_80\ndim N in 0..=10\nout y: i32[32]\n"
      "kernel a { grid (1)\n role main: warps 1 { st y[lane] <- 1 } }\n"
      "kernel b when N > 5 { grid (1)\n role main: warps 1 { st y[lane] <- 2 } }\n"
      "kernel c { grid (N)\n role main: warps 1 { if cta == 0 { st y[lane] <- 3 + ld y[lane] } } "
      "}\n";
  EXPECT_EQ(RunSource(source, {{"N", 0}}).Values<int>("y"), std::vector<int>(32, 1));
  EXPECT_EQ(RunSource(source, {{"N", 5}}).Values<int>("y"), std::vector<int>(32, 4));
  EXPECT_EQ(RunSource(source, {{"N", 6}}).Values<int>("y"), std::vector<int>(32, 5));
}

TEST(Run, TheNumberOfMultiprocessorsIsALaunchValue) {
  const std::string source =
      "program p target sm_80\nout y: i32[100]\n"
      "kernel a { grid (SMS)\n role main: warps 1 { for i in cta .. 100 step ctas { elect { st "
      "y[i] <- cta } } } }\n";
  for (const int sms : {1, 4}) {
    const Ran ran = RunSource(source, {{"SMS", sms}});
    ASSERT_THAT(ran.Codes(), IsEmpty()) << ran.text;
    for (int i = 0; i < 100; ++i) EXPECT_EQ(ran.Values<int>("y")[i], i % sms);
  }
}

}  // namespace
}  // namespace compiler::machine
