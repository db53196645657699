// A cooperative grid has to be on the device as a whole: its CTAs wait for each other. The launcher
// refuses a shape that does not fit; here every admitted shape has to.
#include "verifier/residency.h"

#include "verifier/rules.h"

namespace verifier {
namespace {

using compiler::diag::Applicability;
using compiler::diag::Category;
using compiler::diag::Def;
using compiler::diag::Name;
using compiler::diag::Severity;

constexpr Def<Name, int64_t, int64_t, Name> kNotResident{
    "CK2550", Severity::kError, Category::kUnproven,
    "kernel `{0}` meets in `grid.sync`, but its grid is not shown to fit: {1} CTAs an SM are sure, "
    "on "
    "the {2} SMs of {3}",
    "CTAs that are not on the device cannot arrive, and those that wait for them keep their "
    "places"};

void Check(const RuleInput& input, RuleOutput& out) {
  for (const KernelAnalysis& analysis : input.kernels) {
    const compiler::facts::KernelFacts& facts = input.facts.kernels[analysis.kernel];
    if (!facts.cooperative) continue;
    if (SurelyResident(input.program, input.facts, analysis)) {
      ++out.proved;
      continue;
    }
    ++out.unknown;
    const ir::Kernel& kernel = input.program.kernels[analysis.kernel];
    out.report
        .Add(kNotResident, input.program[kernel.grid[0]].source.span, Name{kernel.name},
             facts.ctas_per_sm, facts.sms, Name{input.device.arch})
        .Fix("launch `grid (SMS)` and loop over the tiles with `step ctas`", {},
             Applicability::kManual);
  }
}

constexpr Example kRejects[] = {{"CK2550", R"(program p target sm_80
dim N in 1..=100000
out y: f32[N, 32]
workspace part: f32[N, 32]
kernel k {
  grid (N)
  role main: warps 1 {
    st part[cta, lane] <- 1.0
    grid.sync
    st y[cta, lane] <- ld part[N - 1 - cta, lane]
  }
}
)"}};
constexpr Example kAccepts[] = {{"", R"(program p target sm_80
dim N in 1..=100000
out y: f32[N, 32]
workspace part: f32[N, 32]
kernel k {
  grid (SMS)
  role main: warps 1 {
    for i in cta..N step ctas { st part[i, lane] <- 1.0 }
    grid.sync
    for i in cta..N step ctas { st y[i, lane] <- ld part[N - 1 - i, lane] }
  }
}
)"}};

}  // namespace

bool SurelyResident(const ir::Program& program, const compiler::facts::Facts& facts,
                    const KernelAnalysis& analysis) {
  const compiler::facts::KernelFacts& kernel = facts.kernels[analysis.kernel];
  Linear room = Linear::Constant(kernel.sms * kernel.ctas_per_sm);
  for (size_t i = 0; i < program.symbols.size(); ++i) {
    if (program.symbols[i].kind != ir::SymbolKind::kSms) continue;
    const auto times = Times(Linear::Atom(static_cast<AtomId>(i)), kernel.ctas_per_sm);
    if (times) room = *times;  // symbol i is atom i
  }
  const Prover prover(analysis.atoms);
  int64_t others = 1;
  for (size_t d = 1; d < analysis.grid.size(); ++d) {
    const Interval range = analysis.atoms.RangeOf(analysis.grid[d]);
    if (!range.has_high() || range.high > kernel.sms * kernel.ctas_per_sm) return false;
    others *= range.high;
  }
  const auto grid = Times(analysis.grid[0], others);
  return grid && prover.AtMost(*grid, room, analysis.launch);
}

const Rule kResidency{
    .name = "residency",
    .property = "resources",
    .check = Check,
    .explain =
        "The grid of a kernel with `grid.sync` is at most as large as the number of CTAs that are "
        "surely resident together: SMs times the CTAs that fit one SM with all the registers that "
        "the launch bounds allow.",
    .rejects = kRejects,
    .accepts = kAccepts};

}  // namespace verifier
