// How many lane statements a second the reference machine executes, with and without its observers,
// and what the same work costs as plain C++ on one core.
#include <benchmark/benchmark.h>

#include <bit>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/arch/device.h"
#include "compiler/facts/launch.h"
#include "compiler/machine/machine.h"
#include "compiler/ops/table.h"
#include "compiler/sema/analyze.h"
#include "compiler/text/parse.h"

namespace {

using namespace compiler;

// A row norm: vector loads, a reduction over lanes and through shared memory, a barrier, stores.
constexpr std::string_view kRowNorm = R"(
program row_norm target sm_80
dim M in 1..=65536, N in 8..=65536
in x: f32[M, N]; out y: f32[M, N]
where N % 4 == 0
kernel rows {
  grid (M)
  smem part: f32[8]
  role main: warps 8 {
    var s: f32 = 0.0
    for c in thread*4 .. N step 1024 {
      let v = ld x[cta, c:+4]
      for e in 0..4 { s = fma(v[e], v[e], s) }
    }
    s = lanes.sum(s, 32)
    elect { st part[warp] <- s }
    sync cta
    var total: f32 = 0.0
    for p in 0..8 { total += ld part[p] }
    let r = rsqrt(total / cvt.f32(N))
    for c in thread*4 .. N step 1024 {
      let v = ld x[cta, c:+4]
      st y[cta, c:+4] <- [v[0]*r, v[1]*r, v[2]*r, v[3]*r]
    }
  }
}
)";

// A stream of elements: one load, one fma and one store each.
constexpr std::string_view kScale = R"(
program scale target sm_80
dim N in 1..=1073741824
in x: f32[N]; out y: f32[N]
kernel scale {
  grid (ceildiv(N, 1024))
  role main: warps 8 {
    let i = cta*1024 + thread*4
    if i + 4 <= N {
      let v = ld x[i:+4]
      var r: f32[4]
      for e in 0..4 { r[e] = fma(v[e], 2.0, 1.0) }
      st y[i:+4] <- r
    }
  }
}
)";

// Bit counts by lanes and words: integer work and a scan over the warp.
constexpr std::string_view kRanks = R"(
program ranks target sm_80
dim N in 32..=1073741824
in x: u32[N]; out y: i32[N]
where N % 32 == 0
kernel ranks {
  grid (ceildiv(N, 256))
  role main: warps 8 {
    let i = cta*256 + thread
    let v = ld x[i] else 0
    let bits = popc(v ^ (v >> 1))
    let before = lanes.exscan_sum(bits, 32)
    if i < N { st y[i] <- before*2 + select(v > 7, 1, 0) }
  }
}
)";

void Require(bool ok, const char* what) {
  if (ok) return;
  std::fprintf(stderr, "machine_bench: %s failed\n", what);
  std::abort();
}

using Sizes = std::map<std::string, int64_t>;

// One input and one output of 4-byte elements.
void OnMachine(benchmark::State& state, std::string_view source, const Sizes& sizes,
               int64_t elements) {
  diag::Report report;
  const std::unique_ptr<text::File> file = text::Parse(source, ops::Table(), report);
  const std::unique_ptr<ir::Program> program =
      sema::Elaborate(*file, *file->programs.at(0), {}, ops::Table(), report);
  Require(program != nullptr, "elaboration");
  const facts::Facts facts = facts::Derive(*program, **arch::Find("sm_90a"), report);
  const auto values = facts::BindLaunch(*program, sizes);
  Require(values.ok(), "binding");
  const auto plan = facts::PlanLaunch(*program, facts, *values, "");
  Require(plan.ok(), "planning");
  std::vector<float> x(static_cast<size_t>(elements), 1.0f), y(x.size());
  const machine::Memory memory{
      {std::as_writable_bytes(std::span(x)), std::as_writable_bytes(std::span(y))}};
  machine::Options options;
  options.check_races = state.range(0) != 0;
  options.check_definedness = state.range(0) != 0;
  int64_t lane_statements = 0;
  for (auto _ : state) {
    const auto result = machine::Run(*program, facts, *plan, *values, memory, options);
    Require(result.ok() && result->outcome == machine::Outcome::kFinished, "run");
    lane_statements += result->lane_statements;
  }
  state.counters["lane_statements"] =
      benchmark::Counter(static_cast<double>(lane_statements), benchmark::Counter::kIsRate);
}

template <typename F>
void InCpp(benchmark::State& state, int64_t elements, F f) {
  std::vector<float> x(static_cast<size_t>(elements), 1.0f), y(x.size());
  for (auto _ : state) {
    f(x.data(), y.data());
    benchmark::DoNotOptimize(y.data());
    benchmark::ClobberMemory();
  }
}

constexpr int64_t kRows = 64, kColumns = 4096, kElements = kRows * kColumns;

void MachineRowNorm(benchmark::State& state) {
  OnMachine(state, kRowNorm, {{"M", kRows}, {"N", kColumns}, {"SMS", 4}}, kElements);
}
void CppRowNorm(benchmark::State& state) {
  InCpp(state, kElements, [](const float* x, float* y) {
    for (int64_t row = 0; row < kRows; ++row) {
      float sum = 0;
      for (int64_t c = 0; c < kColumns; ++c) sum += x[row * kColumns + c] * x[row * kColumns + c];
      const float r = 1.0f / std::sqrt(sum / static_cast<float>(kColumns));
      for (int64_t c = 0; c < kColumns; ++c) y[row * kColumns + c] = x[row * kColumns + c] * r;
    }
  });
}

void MachineScale(benchmark::State& state) {
  OnMachine(state, kScale, {{"N", kElements}, {"SMS", 4}}, kElements);
}
void CppScale(benchmark::State& state) {
  InCpp(state, kElements, [](const float* x, float* y) {
    for (int64_t i = 0; i < kElements; ++i) y[i] = x[i] * 2.0f + 1.0f;
  });
}

void MachineRanks(benchmark::State& state) {
  OnMachine(state, kRanks, {{"N", kElements}, {"SMS", 4}}, kElements);
}
void CppRanks(benchmark::State& state) {
  InCpp(state, kElements, [](const float* x, float* y) {
    int before = 0;
    for (int64_t i = 0; i < kElements; ++i) {
      const auto v = std::bit_cast<uint32_t>(x[i]);
      if (i % 32 == 0) before = 0;
      y[i] = std::bit_cast<float>(before * 2 + (v > 7 ? 1 : 0));
      before += std::popcount(v ^ v >> 1);
    }
  });
}

BENCHMARK(MachineRowNorm)->ArgName("checked")->Arg(0)->Arg(1);
BENCHMARK(CppRowNorm);
BENCHMARK(MachineScale)->ArgName("checked")->Arg(0)->Arg(1);
BENCHMARK(CppScale);
BENCHMARK(MachineRanks)->ArgName("checked")->Arg(0)->Arg(1);
BENCHMARK(CppRanks);

}  // namespace

BENCHMARK_MAIN();
