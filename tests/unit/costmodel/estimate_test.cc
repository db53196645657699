#include "costmodel/estimate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "compiler/machine/machine.h"
#include "compiler/ops/table.h"
#include "compiler/sema/analyze.h"
#include "compiler/text/parse.h"
#include "costmodel/access.h"
#include "costmodel/counts.h"
#include "costmodel/walker.h"
#include "tests/unit/costmodel/load.h"

namespace costmodel {
namespace {

std::string ReadFile(const std::string& path) {
  std::ifstream in(path);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

// Every statement's executions and bytes as the machine counts them and as the model does.
void ExpectEqualCounts(const Loaded& l, const std::map<std::string, int64_t>& named) {
  const ir::LaunchValues values = Bind(l, named);
  const facts::LaunchPlan plan = *facts::PlanLaunch(*l.program, l.derived, values, "");
  std::vector<std::vector<std::byte>> storage;
  compiler::machine::Memory memory;
  for (const facts::TensorPlan& tensor : plan.tensors) {
    storage.emplace_back(static_cast<size_t>(tensor.bytes));
  }
  for (auto& bytes : storage) memory.tensors.emplace_back(bytes);
  const auto run = compiler::machine::Run(*l.program, l.derived, plan, values, memory, {});
  ASSERT_TRUE(run.ok()) << run.status();
  ASSERT_FALSE(run->report.has_errors());
  std::vector<StatementCost> sums(l.program->stmts.size());
  bool exact = true;
  for (size_t k = 0; k < l.program->kernels.size(); ++k) {
    const auto counts = CountKernel(*l.program, l.derived, k, values);
    ASSERT_TRUE(counts.ok()) << counts.status();
    exact = exact && counts->exact;
    for (size_t s = 0; s < sums.size(); ++s) {
      sums[s].warp_executions += counts->statements[s].warp_executions;
      sums[s].lane_executions += counts->statements[s].lane_executions;
      sums[s].global_bytes_read += counts->statements[s].global_bytes_read;
      sums[s].global_bytes_written += counts->statements[s].global_bytes_written;
      sums[s].shared_bytes_read += counts->statements[s].shared_bytes_read;
      sums[s].shared_bytes_written += counts->statements[s].shared_bytes_written;
    }
  }
  EXPECT_TRUE(exact) << "the shape is small enough to be counted whole";
  for (size_t s = 0; s < sums.size(); ++s) {
    const compiler::machine::StatementCount& m = run->statements[s];
    const ir::Stmt& stmt = l.program->stmts[s];
    SCOPED_TRACE(l.program->source.substr(stmt.source.span.begin,
                                          stmt.source.span.end - stmt.source.span.begin));
    EXPECT_DOUBLE_EQ(sums[s].warp_executions, static_cast<double>(m.warp_executions));
    EXPECT_DOUBLE_EQ(sums[s].lane_executions, static_cast<double>(m.lane_executions));
    EXPECT_DOUBLE_EQ(sums[s].global_bytes_read, static_cast<double>(m.global_bytes_read));
    EXPECT_DOUBLE_EQ(sums[s].global_bytes_written, static_cast<double>(m.global_bytes_written));
    EXPECT_DOUBLE_EQ(sums[s].shared_bytes_read, static_cast<double>(m.shared_bytes_read));
    EXPECT_DOUBLE_EQ(sums[s].shared_bytes_written, static_cast<double>(m.shared_bytes_written));
  }
}

TEST(Counts, EqualTheMachinesOnVectorAdd) {
  for (const int64_t n : {0, 1, 255, 1000, 1024, 4099}) {
    ExpectEqualCounts(Load(ReadFile("tests/corpus/vector_add/vector_add.cake"), {{"WARPS", 4}}),
                      {{"N", n}});
  }
}

TEST(Counts, EqualTheMachinesOnRmsNorm) {
  for (const int64_t n : {1, 33, 64, 1000}) {
    ExpectEqualCounts(
        Load(ReadFile("tests/corpus/rmsnorm/rmsnorm.cake"), {{"WARPS", 4}, {"V", 2}, {"KEEP", 1}}),
        {{"M", 3}, {"N", n}, {"eps", 0}});
  }
}

constexpr char kShared[] = R"(program transpose target sm_80
dim M in 1..=4096, N in 1..=4096
in x: f32[M, N]
out y: f32[N, M]
kernel k {
  grid (ceildiv(N, 32), ceildiv(M, 32))
  smem tile: f32[32, 32] padded 1
  role main: warps 4 {
    let c = cta.x*32; let r = cta.y*32
    for i in 0..32 step 4 {
      st tile[i + warp, lane] <- ld x[r + i + warp, c + lane] else 0.0
    }
    sync cta
    for i in 0..32 step 4 {
      if c + i + warp < N && r + lane < M {
        st y[c + i + warp, r + lane] <- ld tile[lane, i + warp]
      }
    }
  }
}
)";

std::string Transpose(bool padded) {
  std::string source = kShared;
  if (!padded) source.erase(source.find(" padded 1"), 9);
  return source;
}

// Sums over large grids are sampled, yet right where only the last CTA differs: the requested bytes
// of a ragged copy are those of its elements.
TEST(Counts, SampledTotalsAreThoseOfTheShape) {
  const Loaded l = Load(ReadFile("tests/corpus/vector_add/vector_add.cake"));
  for (const int64_t n : {1000003, 50000000}) {
    const auto counts = CountKernel(*l.program, l.derived, 0, Bind(l, {{"N", n}}));
    double read = 0, written = 0;
    for (const StatementCost& cost : counts->statements) {
      read += cost.global_bytes_read;
      written += cost.global_bytes_written;
    }
    EXPECT_DOUBLE_EQ(read, 8.0 * static_cast<double>(n));
    EXPECT_DOUBLE_EQ(written, 4.0 * static_cast<double>(n));
  }
}

TEST(Counts, BankConflictsFollowFromTheLayout) {
  const auto wavefronts = [](bool pad) {
    const Loaded l = Load(Transpose(pad));
    const auto counts = CountKernel(*l.program, l.derived, 0, Bind(l, {{"M", 32}, {"N", 32}}));
    double sum = 0, ideal = 0;
    for (const StatementCost& cost : counts->statements) {
      sum += cost.shared_wavefronts;
      ideal += cost.shared_wavefronts_ideal;
    }
    return std::pair{sum, ideal};
  };
  // 32 warp stores and 32 warp loads; without padding each load hits one bank with all lanes.
  EXPECT_EQ(wavefronts(true), std::pair(64.0, 64.0));
  EXPECT_EQ(wavefronts(false), std::pair(32.0 + 32 * 32, 64.0));
}

TEST(Counts, EqualTheMachinesOnAProductOfTiles) {
  ExpectEqualCounts(Load(ReadFile("tests/corpus/gemm/gemm_bf16.cake"), {{"BM", 64}, {"BN", 64}}),
                    {{"M", 64}, {"N", 64}, {"K", 64}});
}

// One tile of a[16, 64] by ldmatrix and one product: the sum over its statements.
StatementCost TileCost(const std::string& form) {
  const Loaded l = Load(
      "program p target sm_80\nin a: bf16[16, 64]\nout y: f32[16, 8]\n"
      "kernel k {\n  grid (1)\n  smem s: bf16[16, 64] " +
      form +
      "\n  role main: warps 1 {\n"
      "    for c in 0..32 { st s[lane/2, lane%2*32 + c] <- ld a[lane/2, c] }\n"
      "    sync warp\n    var fa: mma.a bf16[16, 64]\n"
      "    var fb: mma.b bf16[64, 8]\n    var acc: mma f32[16, 8]\n"
      "    ldmatrix fa <- s\n    fb = 1.0\n    mma acc = fa * fb\n"
      "    for (r, e) in acc { st y[acc.row(r), acc.col(e)] <- acc[r, e] }\n"
      "  }\n}\n");
  const auto counts = CountKernel(*l.program, l.derived, 0, Bind(l, {}));
  StatementCost sum;
  for (size_t i = 0; i < counts->statements.size(); ++i) {
    const ir::Stmt& stmt = l.program->stmts[i];
    if (stmt.op == nullptr || stmt.op->scope != ir::Scope::kWarp) continue;
    sum.product_flops += counts->statements[i].product_flops;
    sum.tensor_work += counts->statements[i].tensor_work;
    sum.shared_wavefronts += counts->statements[i].shared_wavefronts;
    sum.shared_wavefronts_ideal += counts->statements[i].shared_wavefronts_ideal;
    sum.shared_bytes_read += counts->statements[i].shared_bytes_read;
  }
  return sum;
}

TEST(Counts, MatrixRowsConflictWhereTheirPitchIsAllBanks) {
  const StatementCost plain = TileCost("rows");
  EXPECT_DOUBLE_EQ(plain.product_flops, 2.0 * 16 * 8 * 64);
  EXPECT_DOUBLE_EQ(plain.tensor_work, plain.product_flops);
  EXPECT_DOUBLE_EQ(plain.shared_bytes_read, 16 * 64 * 2);
  EXPECT_DOUBLE_EQ(plain.shared_wavefronts_ideal, 16);  // matrices of 128 bytes
  EXPECT_DOUBLE_EQ(plain.shared_wavefronts, 16 * 8);    // 8 rows of 128 bytes: one group of banks
  EXPECT_DOUBLE_EQ(TileCost("padded 8").shared_wavefronts, 16);
}

TEST(Estimate, ALargeProductUsesTheTensorCores) {
  const Loaded l = Load(ReadFile("tests/corpus/gemm/gemm_bf16.cake"), {}, "sm_80");
  const auto estimate = EstimateLaunch(*l.program, l.derived,
                                       Bind(l, {{"M", 4096}, {"N", 4096}, {"K", 4096}}), *l.device);
  ASSERT_TRUE(estimate.ok()) << estimate.status();
  EXPECT_DOUBLE_EQ(estimate->flops, 2.0 * 4096 * 4096 * 4096);
  EXPECT_GT(estimate->utilisation.at("tensor"), 0);
  // 137 GFLOP at 312 TFLOPS take 441 us.
  EXPECT_NEAR(estimate->roofline_ns, 440'000, 2'000);
}

TEST(Counts, EqualTheMachinesOnAProductOfWarpgroups) {
  ExpectEqualCounts(
      Load(ReadFile("tests/corpus/gemm/gemm_f16_wgmma.cake"), {{"BN", 128}}, "sm_90a"),
      {{"M", 128}, {"N", 128}, {"K", 128}});
}

TEST(Estimate, WarpgroupsMultiplyAtTheirOwnRate) {
  const Loaded l = Load(ReadFile("tests/corpus/gemm/gemm_bf16_wgmma.cake"), {}, "sm_90a");
  const auto estimate = EstimateLaunch(*l.program, l.derived,
                                       Bind(l, {{"M", 8192}, {"N", 8192}, {"K", 8192}}), *l.device);
  ASSERT_TRUE(estimate.ok()) << estimate.status();
  // 1,100 GFLOP at 4,096 a clock of 132 SMs at 1.83 GHz, 989 TFLOPS, take 1.11 ms.
  EXPECT_NEAR(estimate->roofline_ns, 1'111'000, 5'000);
  EXPECT_GT(estimate->utilisation.at("tensor"), 0);
}

TEST(Estimate, OneThreadOfAPairMultipliesForBothCtas) {
  for (const char* name : {"gemm_bf16_tensor_memory", "gemm_bf16_umma_2cta"}) {
    const Loaded l =
        Load(ReadFile(std::string("tests/corpus/gemm/") + name + ".cake"), {}, "sm_100a");
    const auto estimate = EstimateLaunch(
        *l.program, l.derived, Bind(l, {{"M", 4096}, {"N", 4096}, {"K", 4096}}), *l.device);
    ASSERT_TRUE(estimate.ok()) << estimate.status();
    const double flops = 2.0 * 4096 * 4096 * 4096;
    // A sample of CTAs stands for all, which do not share the tiles evenly.
    EXPECT_NEAR(estimate->flops, flops, 0.05 * flops) << name;
    const double rate = l.device->wgmma_flops_per_clock_per_sm *
                        static_cast<double>(l.device->sm_count) * l.device->clock_ghz;
    EXPECT_NEAR(estimate->roofline_ns, estimate->flops / rate, 0.01 * flops / rate) << name;
    EXPECT_GT(estimate->utilisation.at("tensor"), 0) << name;
  }
}

TEST(Counts, AMulticastLoadIsReadOnceAndWrittenInEveryCta) {
  const auto written = [](const std::string& multicast) {
    const Loaded l = Load(
        "program p target sm_90\nin x: f32[32]\nout y: f32[64]\nkernel k {\n  cluster 2\n"
        "  grid (2)\n  smem s: f32[32]\n  event full[1] count 1\n  role main: warps 1 {\n"
        "    expect full@0 bytes 128\n"
        "    if cluster.rank == 0 { tma.load s <- x[:] on full@0" +
        multicast + " }\n    wait full@0\n    st y[cta*32 + lane] <- ld s[lane]\n  }\n}\n");
    const auto counts = CountKernel(*l.program, l.derived, 0, Bind(l, {}));
    StatementCost sum;
    for (const StatementCost& cost : counts->statements) {
      sum.shared_bytes_written += cost.shared_bytes_written;
      sum.global_bytes_read += cost.global_bytes_read;
    }
    EXPECT_DOUBLE_EQ(sum.global_bytes_read, 128) << multicast;
    return sum.shared_bytes_written;
  };
  EXPECT_DOUBLE_EQ(written(""), 128);
  EXPECT_DOUBLE_EQ(written(" multicast 3"), 256);
}

TEST(Access, SectorsAndWavefronts) {
  WarpAccess access{.mask = ~0u, .bytes = 4, .known = true};
  for (size_t i = 0; i < 32; ++i) access.address[i] = static_cast<int64_t>(4 * i);
  EXPECT_EQ(SectorBytes(access), 128);
  EXPECT_EQ(SharedWavefronts(access), 1);
  for (size_t i = 0; i < 32; ++i) access.address[i] = static_cast<int64_t>(128 * i);
  EXPECT_EQ(SectorBytes(access), 32 * 32);
  EXPECT_EQ(SharedWavefronts(access), 32);
  for (size_t i = 0; i < 32; ++i) access.address[i] = 64;
  EXPECT_EQ(SectorBytes(access), 32);
  EXPECT_EQ(SharedWavefronts(access), 1);
  access.bytes = 16;  // a broadcast of 16 bytes still takes four wavefronts
  EXPECT_EQ(SharedWavefronts(access), 4);
  access.mask = 0;
  EXPECT_EQ(SectorBytes(access), 0);
}

TEST(Spread, WeightsAddUpAndEndsStandForThemselves) {
  for (const int64_t count : {0, 1, 5, 6, 7, 1000, 1 << 30}) {
    for (const int between : {0, 1, 4}) {
      double sum = 0;
      const std::vector<Sample> samples = Spread(count, between);
      for (const Sample& sample : samples) sum += sample.weight;
      EXPECT_DOUBLE_EQ(sum, static_cast<double>(count));
      if (count > 0) {
        EXPECT_EQ(samples.front().index, 0);
        EXPECT_EQ(samples.back().index, count - 1);
      }
    }
  }
}

Estimate Estimated(const Loaded& l, std::map<std::string, int64_t> named) {
  named.emplace("SMS", l.device->sm_count);
  const auto values = facts::BindLaunch(*l.program, named);
  EXPECT_TRUE(values.ok()) << values.status();
  const auto estimate = EstimateLaunch(*l.program, l.derived, *values, *l.device);
  EXPECT_TRUE(estimate.ok()) << estimate.status();
  return *estimate;
}

TEST(Estimate, ALargeCopyIsBoundByMemoryAndSumsUp) {
  const Loaded l = Load(ReadFile("tests/corpus/vector_add/vector_add.cake"));
  const Estimate e = Estimated(l, {{"N", 1 << 28}});
  EXPECT_EQ(e.bottleneck, "hbm");
  EXPECT_NE(e.runner_up, "hbm");
  EXPECT_DOUBLE_EQ(e.global_bytes, 12.0 * (1 << 28));
  EXPECT_DOUBLE_EQ(e.flops, 1 << 28);
  EXPECT_DOUBLE_EQ(e.roofline_ns, 12.0 * (1 << 28) / l.device->hbm_gb_per_s);
  EXPECT_LE(e.roofline_ns, e.time_ns);
  EXPECT_LE(e.low_ns, e.time_ns);
  EXPECT_LE(e.time_ns, e.high_ns);
  EXPECT_TRUE(e.rank_only);
  double attributed = 0;
  for (const SpanTime& at : e.attribution) attributed += at.ns;
  EXPECT_LE(attributed, e.time_ns * 1.0001);
  EXPECT_GE(attributed, e.time_ns * 0.9);
  for (const WhatIf& what : e.what_if) EXPECT_LT(what.time_ns, e.time_ns) << what.change;
}

TEST(Estimate, ASmallLaunchIsBoundByTheLaunch) {
  const Loaded l = Load(ReadFile("tests/corpus/vector_add/vector_add.cake"));
  EXPECT_EQ(Estimated(l, {{"N", 1000}}).bottleneck, "launch");
}

TEST(Estimate, RanksWiderAccessesFirstAndIdleWarpsLast) {
  const std::string source = ReadFile("tests/corpus/rmsnorm/rmsnorm.cake");
  const auto time = [&](int64_t warps, int64_t v, int64_t n) {
    const Loaded l = Load(source, {{"WARPS", warps}, {"V", v}});
    return Estimated(l, {{"M", 8192}, {"N", n}, {"eps", 0}}).time_ns;
  };
  EXPECT_LT(time(8, 8, 8192), time(8, 1, 8192));
  EXPECT_LT(time(1, 8, 64), time(16, 8, 64));
}

TEST(Estimate, ConflictsBecomeAWhatIf) {
  const std::map<std::string, int64_t> shape = {{"M", 4096}, {"N", 4096}};
  const Estimate slow = Estimated(Load(Transpose(false)), shape);
  const Estimate fast = Estimated(Load(Transpose(true)), shape);
  EXPECT_EQ(slow.bottleneck, "smem");
  EXPECT_LT(fast.time_ns, slow.time_ns);
  const auto named = [](const WhatIf& w) { return w.change; };
  EXPECT_THAT(slow.what_if,
              testing::Contains(testing::ResultOf(named, "no shared-memory bank conflicts")));
}

// 8 CTAs of 8 warps fill an SM: that one more would help is no advice.
TEST(Estimate, NoAdviceThatNoSmCanFollow) {
  const Loaded l = Load(ReadFile("tests/corpus/vector_add/vector_add.cake"), {{"V", 1}});
  const Estimate e = Estimated(l, {{"N", 1 << 26}});
  EXPECT_DOUBLE_EQ(e.occupancy, 1);
  for (const WhatIf& what : e.what_if) EXPECT_NE(what.change, "one more CTA resident on each SM");
}

TEST(Estimate, CostDoesNotGrowWithTripsOrGrid) {
  const Loaded l = Load(ReadFile("tests/corpus/rmsnorm/rmsnorm.cake"));
  const auto small =
      CountKernel(*l.program, l.derived, 0, Bind(l, {{"M", 64}, {"N", 8192}, {"eps", 0}}));
  const auto large =
      CountKernel(*l.program, l.derived, 0, Bind(l, {{"M", 1 << 20}, {"N", 65536}, {"eps", 0}}));
  ASSERT_TRUE(small.ok() && large.ok());
  EXPECT_FALSE(large->exact);
  // The bytes of x, read twice, of y and of w once a row: what the shape says, found by samples.
  double read = 0;
  for (const StatementCost& cost : large->statements) read += cost.global_bytes_read;
  const double x = 2.0 * (1 << 20) * 65536;
  EXPECT_GT(read, 2 * x);
  EXPECT_LT(read, 3 * x * 1.01);
}

TEST(Estimate, RefusesWhatTheGuardDoesNotAdmit) {
  const Loaded l = Load(ReadFile("tests/corpus/rmsnorm/rmsnorm.cake"));
  const auto e = EstimateLaunch(*l.program, l.derived,
                                Bind(l, {{"M", 1}, {"N", 65537}, {"eps", 0}}), *l.device);
  EXPECT_EQ(e.status().code(), absl::StatusCode::kFailedPrecondition);
}

TEST(Estimate, TextAndJsonSayThatItRanks) {
  const Loaded l = Load(ReadFile("tests/corpus/vector_add/vector_add.cake"));
  const Estimate e = Estimated(l, {{"N", 1 << 20}});
  EXPECT_THAT(ToText(e, l.program->source), testing::HasSubstr("it ranks, it does not measure"));
  const std::string json = ToJson(e, l.program->source);
  EXPECT_THAT(json, testing::HasSubstr("\"coverage\":\"RANK_ONLY\""));
  EXPECT_THAT(json, testing::HasSubstr("\"calibration\":\"none\""));
}

std::string Persistent(const std::string& iter) {
  return R"(program p target sm_80
dim N in 0..=100000
in x: f32[N, 32]
out y: f32[N, 32]
kernel k {
  grid (SMS)
  )" + iter +
         R"( work() -> (i32) { for t in cta..N step ctas { yield t } }
  role main: warps 1 { for t in work() { st y[t, lane] <- ld x[t, lane] } }
}
)";
}

// Tickets change who does the work, not how much there is.
TEST(Counts, ADynamicIterMovesTheBytesOfTheFixedOne) {
  for (const int64_t n : {0, 3, 4000}) {
    double moved[2] = {0, 0};
    for (const bool dynamic : {false, true}) {
      const Loaded l = Load(Persistent(dynamic ? "dynamic iter" : "iter"), {}, "sm_80");
      const auto counts = CountKernel(*l.program, l.derived, 0, Bind(l, {{"N", n}}));
      ASSERT_TRUE(counts.ok()) << counts.status();
      for (const auto& [tensor, bytes] : counts->sector_bytes_read) {
        if (l.program->tensors[static_cast<size_t>(tensor)].name == "x") moved[dynamic] += bytes;
      }
    }
    EXPECT_DOUBLE_EQ(moved[0], 128.0 * static_cast<double>(n));
    EXPECT_DOUBLE_EQ(moved[1], moved[0]);
  }
}

}  // namespace
}  // namespace costmodel
