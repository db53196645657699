#include "costmodel/counts.h"

#include <algorithm>

#include "absl/status/status.h"
#include "compiler/facts/launch.h"
#include "compiler/facts/walk.h"
#include "costmodel/walker.h"

namespace costmodel {

namespace ir = compiler::ir;

namespace {

constexpr int64_t kMaxStatementsSampledWell = 1000;
constexpr int kBetweenCtas = 4;
constexpr int kBetweenWarps = 2;
constexpr int kMaxWarps = 62;  // with first and last, more than a CTA has
constexpr double kMaxLoadsInFlight = 8;

// Loads of one straight-line block are issued before their first use; unrolling multiplies them.
double LoadsBetweenUses(const ir::Program& program, const std::vector<ir::StmtId>& body,
                        double unroll) {
  double here = 0, nested = 0;
  for (const ir::StmtId id : body) {
    const ir::Stmt& stmt = program[id];
    if (stmt.dead) continue;
    for (const ir::ExprId root : compiler::facts::OwnExprs(program, stmt)) {
      compiler::facts::ForEachExpr(program, root, [&](ir::ExprId, const ir::Expr& expr) {
        if (expr.kind == ir::ExprKind::kLoad && program[expr.view].space == ir::Space::kGlobal) {
          here += 1;
        }
      });
    }
    double by = 1;
    if (stmt.kind == ir::StmtKind::kFor && stmt.unroll > 0) by = static_cast<double>(stmt.unroll);
    nested = std::max({nested, LoadsBetweenUses(program, stmt.body, by),
                       LoadsBetweenUses(program, stmt.else_body, by)});
  }
  return std::max(here * unroll, nested);
}

// Room for this kernel's own statements only: a program of many kernels has one such table for
// each.
void ReserveStatements(const ir::Program& program, const ir::Kernel& kernel, KernelCounts& counts) {
  size_t first = program.stmts.size(), behind = 0;
  const auto note = [&](ir::StmtId id, const ir::Stmt&) {
    first = std::min(first, static_cast<size_t>(id));
    behind = std::max(behind, static_cast<size_t>(id) + 1);
  };
  compiler::facts::ForEachStmt(program, kernel.lets, note);
  for (const ir::Role& role : kernel.roles) compiler::facts::ForEachStmt(program, role.body, note);
  counts.first = std::min(first, behind);
  counts.statements.resize(behind - counts.first);
}

}  // namespace

absl::StatusOr<KernelCounts> CountKernel(const ir::Program& program,
                                         const compiler::facts::Facts& facts, size_t kernel_index,
                                         const ir::LaunchValues& values) {
  const ir::Kernel& kernel = program.kernels[kernel_index];
  KernelCounts counts;
  ReserveStatements(program, kernel, counts);
  counts.ctas = 1;
  for (size_t d = 0; d < kernel.grid.size(); ++d) {
    const absl::StatusOr<int64_t> extent =
        compiler::facts::EvaluateKernelLaunch(program, kernel, kernel.grid[d], values);
    if (!extent.ok()) return extent.status();
    counts.grid[d] = *extent;
    if (__builtin_mul_overflow(counts.ctas, std::max<int64_t>(*extent, 0), &counts.ctas)) {
      return absl::FailedPreconditionError("the number of CTAs overflows 64 bits");
    }
  }
  if (kernel.when != ir::ExprId::kNone) {
    const absl::StatusOr<int64_t> runs =
        compiler::facts::EvaluateKernelLaunch(program, kernel, kernel.when, values);
    if (!runs.ok()) return runs.status();
    counts.skipped = *runs == 0;
  }
  counts.skipped = counts.skipped || counts.ctas == 0;
  for (const ir::Role& role : kernel.roles) {
    counts.warps += role.warps;
    counts.loads_between_uses =
        std::max(counts.loads_between_uses, LoadsBetweenUses(program, role.body, 1));
  }
  counts.loads_between_uses = std::min(counts.loads_between_uses, kMaxLoadsInFlight);
  if (counts.skipped) return counts;

  // A long program is sampled more thinly: first and last only.
  int64_t statements = 0;
  for (const ir::Role& role : kernel.roles) {
    compiler::facts::ForEachStmt(program, role.body,
                                 [&](ir::StmtId, const ir::Stmt&) { ++statements; });
  }
  const bool thin = statements > kMaxStatementsSampledWell;
  Walker walker(program, facts, kernel_index, values, counts);
  // Of a second and third grid dimension fewer are run: the first is where most kernels differ.
  const std::vector<Sample> xs = Spread(counts.grid[0], thin ? 0 : kBetweenCtas);
  const std::vector<Sample> ys = Spread(counts.grid[1], thin ? 0 : 1);
  const std::vector<Sample> zs = Spread(counts.grid[2], thin ? 0 : 1);
  const auto ran = static_cast<int64_t>(xs.size() * ys.size() * zs.size());
  if (ran != counts.ctas) counts.exact = false;
  for (size_t role = 0; role < kernel.roles.size(); ++role) {
    const int64_t all = kernel.roles[role].warps;
    const std::vector<Sample> few = Spread(all, thin ? 0 : kBetweenWarps),
                              every = thin ? few : Spread(all, kMaxWarps);
    for (const Sample& z : zs) {
      for (const Sample& y : ys) {
        for (const Sample& x : xs) {
          const int64_t cta[3] = {x.index, y.index, z.index};
          // Ragged tails are in the last CTAs: there the warps differ, elsewhere some stand for
          // all.
          const bool last = x.index + 1 == counts.grid[0] || y.index + 1 == counts.grid[1] ||
                            z.index + 1 == counts.grid[2];
          const std::vector<Sample>& warps = last ? every : few;
          if (static_cast<int64_t>(warps.size()) != all) counts.exact = false;
          for (const Sample& warp : warps) {
            walker.Run(role, warp.index, cta, x.weight * y.weight * z.weight * warp.weight);
          }
        }
      }
    }
  }
  return counts;
}

}  // namespace costmodel
