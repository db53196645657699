// A grid that some admitted shape makes larger than a launch may be. The launcher refuses such a
// shape with both numbers; here the limit is known before any shape is tried.
#include "compiler/facts/walk.h"
#include "verifier/rules.h"

namespace verifier {
namespace {

using compiler::diag::Applicability;
using compiler::diag::Category;
using compiler::diag::Def;
using compiler::diag::Name;
using compiler::diag::Severity;

constexpr Def<int64_t, int64_t, Name, int64_t> kGridTooLarge{
    "CK3202", Severity::kError, Category::kHardware,
    "grid dimension {0} may reach {1} CTAs; {2} allows {3}",
    "a launch with a larger extent fails; only the first dimension may be large"};

void Check(const RuleInput& input, RuleOutput& out) {
  const int64_t limits[] = {input.device.max_grid_x, input.device.max_grid_y,
                            input.device.max_grid_z};
  for (const KernelAnalysis& analysis : input.kernels) {
    const ir::Kernel& kernel = input.program.kernels[analysis.kernel];
    for (size_t d = 0; d < kernel.grid.size(); ++d) {
      const Interval range = analysis.atoms.RangeOf(analysis.grid[d]);
      const Prover prover(analysis.atoms);
      if (range.high <= limits[d] ||
          prover.AtMost(analysis.grid[d], Linear::Constant(limits[d]), analysis.launch)) {
        ++out.proved;
        continue;
      }
      ++out.unknown;
      out.report
          .Add(kGridTooLarge, input.program[kernel.grid[d]].source.span, static_cast<int64_t>(d),
               range.high, Name{input.device.arch}, limits[d])
          .Fix("cap the dims it grows with (`dim N in 1..=..`), or make it the first dimension", {},
               Applicability::kManual);
    }
  }
}

constexpr Example kRejects[] = {{"CK3202", R"(program p target sm_80
dim M in 1..=100000
out y: f32[M, 32]
kernel k {
  grid (1, M)
  role main: warps 1 { st y[cta.y, lane] <- 0.0 }
}
)"}};
constexpr Example kAccepts[] = {{"", R"(program p target sm_80
dim M in 1..=100000
out y: f32[M, 32]
kernel k {
  grid (M)
  role main: warps 1 { st y[cta, lane] <- 0.0 }
}
)"}};

}  // namespace

const Rule kGridLimits{
    .name = "grid_limits",
    .property = "resources",
    .check = Check,
    .explain =
        "The largest grid that the guard admits must be one that the device can launch: 2^31 - 1 "
        "CTAs in the first dimension, 65,535 in the others.",
    .rejects = kRejects,
    .accepts = kAccepts};

}  // namespace verifier
