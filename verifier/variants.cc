#include "verifier/variants.h"

#include <algorithm>

#include "compiler/machine/machine.h"
#include "verifier/order_dependence.h"
#include "verifier/residency.h"

namespace verifier {
namespace {

// Whether some kernel's CTAs learn from each other and may not all be resident.
bool MayBeCrowded(const ir::Program& program, const compiler::facts::Facts& facts,
                  const std::vector<KernelAnalysis>& kernels) {
  return std::any_of(kernels.begin(), kernels.end(), [&](const KernelAnalysis& analysis) {
    return compiler::machine::OrdersCtas(program, program.kernels[analysis.kernel]) &&
           !facts.kernels[analysis.kernel].cooperative && !SurelyResident(program, facts, analysis);
  });
}

}  // namespace

bool LearnFromEachOther(const ir::Program& program) {
  return std::any_of(program.kernels.begin(), program.kernels.end(), [&](const ir::Kernel& kernel) {
    return compiler::machine::OrdersCtas(program, kernel);
  });
}

bool TakesTurns(const ir::Program& program) {
  return std::any_of(program.exprs.begin(), program.exprs.end(), [&](const ir::Expr& expr) {
    return expr.kind == ir::ExprKind::kAtomic && program[expr.view].space == ir::Space::kGlobal;
  });
}

std::vector<Variant> MoreVariants(const ir::Program& program, const compiler::facts::Facts& facts,
                                  const std::vector<KernelAnalysis>& kernels) {
  std::vector<Variant> more;
  // Where a grid may be larger than the device, its CTAs must get on with few of them at a time.
  if (MayBeCrowded(program, facts, kernels)) more.push_back({.resident_ctas = 1});
  // In the canonical schedule a CTA mostly finds those before it at their end.
  if (LearnFromEachOther(program)) more.push_back({.schedule_seed = 1});
  // Both answers of a test, on the way and in the end.
  for (uint64_t seed = 2; seed < 2 + kSeedsOfTests && TestsDecide(program); ++seed) {
    more.push_back({.schedule_seed = seed});
  }
  // Others run one after the other: the number that one takes must mean nothing else.
  if (!LearnFromEachOther(program) && TakesTurns(program)) more.push_back({.reversed = true});
  // Rows that two CTAs write because two indices are equal.
  const bool ranges = std::any_of(program.contracts.begin(), program.contracts.end(),
                                  [](const ir::ContentContract& contract) {
                                    return contract.kind == ir::ContentContract::Kind::kRange ||
                                           contract.kind == ir::ContentContract::Kind::kDistinct;
                                  });
  if (ranges) more.push_back({.contents = compiler::facts::Choice::kHighest});
  if (!program.aliases.empty()) more.push_back({.aliased = true});
  return more;
}

}  // namespace verifier
