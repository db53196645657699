// What a cluster asks of its kernel: a grid of whole clusters, ranks and masks that name its CTAs.
#include "compiler/facts/walk.h"
#include "verifier/requirements.h"
#include "verifier/rules.h"

namespace verifier {
namespace {

using compiler::diag::Applicability;
using compiler::diag::Category;
using compiler::diag::Def;
using compiler::diag::Name;
using compiler::diag::Severity;

constexpr Def<Name, int64_t> kUnprovenGrid{
    "CK2430", Severity::kError, Category::kUnproven,
    "the grid of kernel `{0}` is not proven to be a multiple of {1} CTAs in x",
    "a launch is made of whole clusters, side by side in x; one with a part of a cluster fails"};
constexpr Def<Name, int64_t> kUnprovenRank{
    "CK2431", Severity::kError, Category::kUnproven,
    "the rank `{0}` is not proven to be in 0..={1}",
    "beyond the last CTA of the cluster there is no shared memory, and the access faults"};
constexpr Def<Name, int64_t> kUnprovenMask{
    "CK2432", Severity::kError, Category::kUnproven,
    "the multicast mask `{0}` is not proven to be in 1..={1}",
    "bit r stands for the CTA of rank r: a copy to nobody, or to a CTA that is none, never "
    "completes"};

void CheckGrid(const RuleInput& input, RuleOutput& out) {
  for (const KernelAnalysis& analysis : input.kernels) {
    const ir::Kernel& kernel = input.program.kernels[analysis.kernel];
    if (kernel.cluster <= 1 || kernel.grid.empty()) continue;
    if (analysis.atoms.DivisorOf(analysis.grid[0]) % kernel.cluster == 0) {
      ++out.proved;
      continue;
    }
    ++out.unknown;
    out.report
        .Add(kUnprovenGrid, input.program[kernel.grid[0]].source.span, Name{kernel.name},
             kernel.cluster)
        .Fix(
            "round it up to whole clusters, `ceildiv(n, C)*C`, or launch `grid (SMS)`; the CTAs "
            "beyond n do nothing but keep step with their cluster",
            {}, Applicability::kManual);
  }
}

void Check(const RuleInput& input, RuleOutput& out) {
  CheckGrid(input, out);
  const auto text = [&](const Requirement& r) {
    return std::string(compiler::facts::TextOf(input.program, input.program[r.expr].source.span));
  };
  ForEachRequirement(
      input, Requirement::Kind::kRank, out, [&](const KernelAnalysis&, const Requirement& r) {
        out.report
            .Add(kUnprovenRank, input.program[r.expr].source.span, Name{text(r)}, r.range.high)
            .Fix("take it modulo the size of the cluster", {}, Applicability::kManual);
      });
  ForEachRequirement(
      input, Requirement::Kind::kMask, out, [&](const KernelAnalysis&, const Requirement& r) {
        out.report
            .Add(kUnprovenMask, input.program[r.expr].source.span, Name{text(r)}, r.range.high)
            .Fix("say a constant mask, or one of `cluster.rank` alone", {}, Applicability::kManual);
      });
}

constexpr Example kRejects[] = {{"CK2430", R"(program p target sm_90
dim N in 1..=1000
out y: f32[N, 32]
kernel k {
  cluster 2
  grid (N)
  role main: warps 1 { st y[cta, lane] <- 0.0 }
}
)"},
                                {"CK2431", R"(program p target sm_90
dim N in 1..=3
out y: f32[64]
kernel k {
  cluster 2
  grid (2)
  smem s: f32[32]
  role main: warps 1 {
    st s[lane] <- 1.0
    cluster.sync
    st y[cta*32 + lane] <- ld s[lane] at N - 1
  }
}
)"},
                                {"CK2432", R"(program p target sm_90
dim N in 0..=3
in x: f32[16, 32]
out y: f32[64]
kernel k {
  cluster 2
  grid (2)
  ring t[1] { v: f32[16, 32] } from load to drain cluster
  role load: warps 1 {
    acquire t@0
    tma.load t.v@0[cluster.rank*8:+8, :] <- x[cluster.rank*8:+8, :] multicast N
    commit t@0
  }
  role drain: warps 1 {
    wait t@0
    st y[cta*32 + lane] <- ld t.v@0[0, lane]
    release t@0
  }
}
)"}};
constexpr Example kAccepts[] = {{"", R"(program p target sm_90
dim N in 1..=1000
out y: f32[N, 32]
kernel k {
  cluster 2
  grid (ceildiv(N, 2)*2)
  role main: warps 1 { if cta < N { st y[cta, lane] <- 0.0 } }
}
)"},
                                {"", R"(program p target sm_90
dim N in 1..=3
out y: f32[64]
kernel k {
  cluster 2
  grid (2)
  smem s: f32[32]
  role main: warps 1 {
    st s[lane] <- 1.0
    cluster.sync
    st y[cta*32 + lane] <- ld s[lane] at (N + cluster.rank) % 2
  }
}
)"},
                                {"", R"(program p target sm_90
in x: f32[16, 32]
out y: f32[64]
kernel k {
  cluster 2
  grid (2)
  ring t[1] { v: f32[16, 32] } from load to drain cluster
  role load: warps 1 {
    acquire t@0
    tma.load t.v@0 <- x[:, :] multicast 1 << (cluster.rank ^ 1)
    commit t@0
  }
  role drain: warps 1 {
    wait t@0
    st y[cta*32 + lane] <- ld t.v@0[0, lane]
    release t@0
  }
}
)"}};

}  // namespace

const Rule kCluster{
    .name = "cluster",
    .property = "bounds",
    .check = Check,
    .explain =
        "The grid of a kernel with `cluster C` is a multiple of C in x; the ranks behind `at` and "
        "the bits of `multicast` masks are those of the cluster's CTAs.",
    .rejects = kRejects,
    .accepts = kAccepts};

}  // namespace verifier
