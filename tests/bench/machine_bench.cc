// How many lane statements a second the reference machine executes, with and without its observers.
#include <benchmark/benchmark.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
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

void Require(bool ok, const char* what) {
  if (ok) return;
  std::fprintf(stderr, "machine_bench: %s failed\n", what);
  std::abort();
}

void RowNorm(benchmark::State& state) {
  diag::Report report;
  const std::unique_ptr<text::File> file = text::Parse(kRowNorm, ops::Table(), report);
  const std::unique_ptr<ir::Program> program =
      sema::Elaborate(*file, *file->programs.at(0), {}, ops::Table(), report);
  Require(program != nullptr, "elaboration");
  const facts::Facts facts = facts::Derive(*program, **arch::Find("sm_90a"), report);
  const int64_t rows = 64, columns = 4096;
  const auto values = facts::BindLaunch(*program, {{"M", rows}, {"N", columns}, {"SMS", 4}});
  Require(values.ok(), "binding");
  const auto plan = facts::PlanLaunch(*program, facts, *values, "");
  Require(plan.ok(), "planning");
  std::vector<float> x(rows * columns, 1.0f), y(rows * columns);
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
BENCHMARK(RowNorm)->ArgName("checked")->Arg(0)->Arg(1);

}  // namespace

BENCHMARK_MAIN();
