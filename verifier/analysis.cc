// Instructions that copy, and what rules read of a whole program.
#include "verifier/analysis.h"

#include "compiler/facts/tmem.h"
#include "compiler/machine/machine.h"
#include "compiler/machine/values.h"
#include "verifier/walker.h"

namespace verifier {

using compiler::machine::kOutcomeAbove;
using compiler::machine::kOutcomeBelow;
using compiler::machine::kOutcomeEqual;

// Products and copies of tensor memory: their operands are tiles, whose form the type check
// knows; false where the statement is another one.
bool Walker::TensorMemory(const Stmt& stmt) {
  if (!compiler::facts::UsesTensorMemory(*stmt.op)) return false;
  Visit(stmt.zero);
  for (const ir::ViewId view :
       {stmt.destination, stmt.source_view, stmt.accumulator_view, stmt.left_view, stmt.right_view,
        stmt.left_scale, stmt.right_scale}) {
    if (view == ir::ViewId::kNone) continue;
    for (const ir::ViewIndex& index : program_[view].index) Visit(index.offset);
    const bool write = view == stmt.destination || view == stmt.accumulator_view;
    const size_t recorded = analysis_.accesses.size();
    Record(view, ExprId::kNone, write, false, {});
    if (analysis_.accesses.size() != recorded) analysis_.accesses.back().tile = true;
  }
  return true;
}

// A rank behind `at`, a mask of ranks behind `multicast`.
void Walker::ClusterNumbers(ExprId rank, ExprId mask) {
  const int64_t size = e_.kernel.cluster;
  for (const ExprId id : {rank, mask}) {
    if (id == ExprId::kNone) continue;
    Visit(id);
    const bool is_rank = id == rank;
    const int64_t all = (int64_t{1} << std::min<int64_t>(size, 30)) - 1;
    e_.Require(is_rank ? Requirement::Kind::kRank : Requirement::Kind::kMask, id, e_.IndexValue(id),
               is_rank ? Interval{0, size - 1} : Interval{1, all});
  }
}

// From memory to memory: both sides are accesses. Tensor copies are clipped where they leave the
// tensor.
void Walker::Copy(const Stmt& stmt) {
  const ir::CopyEffect effect = stmt.op->effects.copy;
  const bool box = compiler::facts::IsTensorCopy(effect);
  for (const ir::ViewId view : {stmt.destination, stmt.source_view}) {
    for (const ir::ViewIndex& index : program_[view].index) Visit(index.offset);
    const bool clipped = box && program_[view].space == ir::Space::kGlobal;
    const bool has_else = view == stmt.source_view && stmt.else_value != ExprId::kNone;
    const size_t recorded = analysis_.accesses.size();
    Record(view, ExprId::kNone, view == stmt.destination, clipped || has_else, {});
    if (analysis_.accesses.size() == recorded) continue;
    if (clipped && stmt.end != ExprId::kNone) {
      analysis_.accesses.back().end = e_.IndexValue(stmt.end);
      analysis_.accesses.back().end_dimension = static_cast<size_t>(stmt.end_dimension);
    }
    analysis_.accesses.back().bulk = box || compiler::facts::IsBulkCopy(effect);
    analysis_.accesses.back().reduces =
        view == stmt.destination &&
        (effect == ir::CopyEffect::kTensorReduce || effect == ir::CopyEffect::kBulkReduce);
  }
}

// The last element that the patched map lets in is one of the tensor.
void Walker::SetTensorMap(const Stmt& stmt) {
  Visit(stmt.end);
  for (const ir::ViewIndex& index : program_[stmt.source_view].index) Visit(index.offset);
  const size_t recorded = analysis_.accesses.size();
  const ir::View& view = program_[stmt.source_view];
  Record(stmt.source_view, ExprId::kNone, false, false, {});
  if (analysis_.accesses.size() == recorded) return;
  Access& access = analysis_.accesses.back();
  access.place_only = true;
  // Only the dimension that is set says something.
  for (size_t d = 0; d < view.index.size(); ++d) {
    if (static_cast<int32_t>(d) != stmt.end_dimension) access.limits[d] = Linear::Constant(1);
  }
}

void Walker::Decide(ExprId id, const Expr& expr) {
  constexpr uint8_t kNotBelow = kOutcomeEqual | kOutcomeAbove;
  for (const uint8_t outcome : {kOutcomeBelow, kNotBelow, kOutcomeAbove}) {
    const std::pair<ExprId, uint8_t> decision{id, outcome};
    if (!watched.decisions.contains(decision)) continue;
    bool never = false;
    if (expr.type.dtype == ir::DType::kBool) {
      never = e_.Never(id, outcome == compiler::machine::kOutcomeTrue);
    } else {
      const auto order = *compiler::machine::OrderIn(program_, expr);
      const Linear left = e_.Value(expr.args[order.left]);
      const Linear right =
          order.right ? e_.Value(expr.args[*order.right]) : Linear::Constant(order.number);
      never = outcome == kOutcomeBelow   ? e_.prover.AtMost(right, left, e_.facts)
              : outcome == kOutcomeAbove ? e_.prover.AtMost(left, right, e_.facts)
                                         : e_.prover.Below(left, right, e_.facts);
    }
    if (!never) possible.insert(decision);
    if (possible.contains(decision)) {
      impossible.decisions.erase(decision);
    } else {
      impossible.decisions.insert(decision);
    }
  }
}

KernelAnalysis Analyse(const ir::Program& program, const compiler::facts::Facts& facts,
                       size_t kernel) {
  KernelAnalysis analysis;
  analysis.kernel = kernel;
  Walker(program, facts, analysis).Run();
  analysis.atoms.rows_made() = 0;  // the rules have a budget of their own
  return analysis;
}

Watched Impossible(const ir::Program& program, const compiler::facts::Facts& facts,
                   const KernelAnalysis& before, const Watched& watched) {
  KernelAnalysis analysis;
  analysis.kernel = before.kernel;
  analysis.atoms.ShareEliminations(before.atoms);
  Walker walker(program, facts, analysis);
  walker.watched = watched;
  walker.Run();
  return std::move(walker.impossible);
}

std::vector<KernelAnalysis> AnalyseAll(const ir::Program& program,
                                       const compiler::facts::Facts& facts) {
  const auto reading = std::make_shared<int64_t>(0), rules = std::make_shared<int64_t>(0);
  std::vector<KernelAnalysis> all(program.kernels.size());
  for (size_t k = 0; k < all.size(); ++k) {
    all[k].kernel = k;
    all[k].atoms.ShareRowsMade(reading);
    if (k > 0) all[k].atoms.ShareEliminations(all[0].atoms);
    Walker(program, facts, all[k]).Run();
    all[k].atoms.ShareRowsMade(rules);
  }
  return all;
}

}  // namespace verifier
