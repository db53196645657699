// Rules over one kind of requirement share this loop.
#pragma once

#include <map>

#include "verifier/rules.h"

namespace verifier {

// An expression that is read several times (the two ways of a condition) is one obligation, proved
// if every reading is. Counts the proved ones and calls `report` for the others.
template <typename Report>
void ForEachRequirement(const RuleInput& input, Requirement::Kind kind, RuleOutput& out,
                        const Report& report) {
  for (const KernelAnalysis& analysis : input.kernels) {
    std::map<ir::ExprId, const Requirement*> worst;
    for (const Requirement& requirement : analysis.requirements) {
      if (requirement.kind != kind) continue;
      const auto [at, inserted] = worst.try_emplace(requirement.expr, &requirement);
      if (!inserted && !requirement.proved && at->second->proved) at->second = &requirement;
    }
    for (const auto& [expr, requirement] : worst) {
      if (requirement->proved) {
        ++out.proved;
        continue;
      }
      ++out.unknown;
      report(analysis, *requirement);
    }
  }
}

}  // namespace verifier
