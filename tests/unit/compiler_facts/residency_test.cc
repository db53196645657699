// How many CTAs are surely resident, and what a cooperative launch asks for.
#include <gtest/gtest.h>

#include "compiler/arch/device.h"
#include "compiler/facts/launch.h"
#include "compiler/ops/table.h"
#include "compiler/sema/analyze.h"
#include "compiler/text/parse.h"

namespace compiler::facts {
namespace {

struct Derived {
  std::unique_ptr<ir::Program> program;
  Facts facts;
};

Derived Of(const std::string& source) {
  Derived derived;
  diag::Report report;
  const auto file = text::Parse(source, ops::Table(), report);
  const text::Program& parsed = *file->programs[0];
  const auto binding = sema::DefaultBinding(sema::Params(parsed, report));
  derived.program = sema::Elaborate(*file, parsed, binding, ops::Table(), report);
  EXPECT_NE(derived.program, nullptr);
  const auto device = arch::Find("sm_90a");
  EXPECT_TRUE(device.ok());
  if (derived.program != nullptr) {
    derived.facts = Derive(*derived.program, **device, report);
  }
  EXPECT_FALSE(report.has_errors());
  return derived;
}

std::string Kernel(int warps, int shared_floats, const std::string& grid, const std::string& body) {
  return "program p target sm_90\ndim N in 1..=100000\nout y: f32[32]\nworkspace w: f32[32]\n"
         "kernel a {\n  grid (" +
         grid + ")\n  smem s: f32[" + std::to_string(shared_floats) + "]\n  role main: warps " +
         std::to_string(warps) + " {\n    st s[0] <- 0.0\n" + body + "  }\n}\n";
}

// sm_90a: 65,536 registers, 228 KiB of shared memory and 2,048 threads an SM.
TEST(Residency, IsLimitedByRegistersThreadsAndSharedMemory) {
  const auto per_sm = [](int warps, int floats) {
    return Of(Kernel(warps, floats, "1", "")).facts.kernels[0].ctas_per_sm;
  };
  EXPECT_EQ(per_sm(1, 32), 8);  // 256 registers a thread
  EXPECT_EQ(per_sm(4, 32), 2);
  EXPECT_EQ(per_sm(8, 32), 1);
  EXPECT_EQ(per_sm(32, 32), 1);        // 64 registers a thread, 1,024 threads
  EXPECT_EQ(per_sm(1, 16 * 1024), 3);  // 64 KiB and what the system reserves
  EXPECT_EQ(Of(Kernel(1, 32, "1", "")).facts.kernels[0].sms, 132);
}

TEST(Residency, ACooperativeLaunchHasToFit) {
  const Derived d = Of(Kernel(4, 32, "N", "    grid.sync\n"));
  EXPECT_TRUE(d.facts.kernels[0].cooperative);
  ASSERT_NE(d.facts.kernels[0].grid_word, ir::TensorId::kNone);
  const auto plan = [&](int64_t n) {
    return PlanLaunch(*d.program, d.facts, *BindLaunch(*d.program, {{"N", n}}), "hash");
  };
  const auto fits = plan(264);
  ASSERT_TRUE(fits.ok()) << fits.status();
  EXPECT_TRUE(fits->kernels[0].cooperative);
  EXPECT_EQ(fits->tensors.back().name, "grid.sync");
  EXPECT_TRUE(fits->tensors.back().zero);
  EXPECT_EQ(fits->tensors.back().bytes, 4);
  const auto large = plan(265);
  EXPECT_EQ(large.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_NE(large.status().message().find("265 CTAs; 132 SMs surely hold 264"),
            absl::string_view::npos)
      << large.status();
}

TEST(Launch, TheFirstKernelOverlapsNothing) {
  const Derived d =
      Of("program p target sm_90\ndim N in 0..=1\nout y: f32[32]\n"
         "kernel a when N > 0 {\n  grid (1)\n  role main: warps 1 { pdl.launch }\n}\n"
         "kernel b pdl {\n  grid (1)\n  role main: warps 1 { pdl.wait; st y[lane] <- 0.0 }\n}\n");
  for (const int64_t n : {0, 1}) {
    const auto plan = PlanLaunch(*d.program, d.facts, *BindLaunch(*d.program, {{"N", n}}), "hash");
    ASSERT_TRUE(plan.ok()) << plan.status();
    EXPECT_EQ(plan->kernels[0].skipped, n == 0);
    EXPECT_EQ(plan->kernels[1].pdl, n == 1);
  }
}

}  // namespace
}  // namespace compiler::facts
