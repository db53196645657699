// Rules over one kind of requirement share this loop.
#pragma once

#include "verifier/rules.h"

namespace verifier {

// Counts the proved ones and calls `report` for the others.
template <typename Report>
void ForEachRequirement(const RuleInput& input, Requirement::Kind kind, RuleOutput& out,
                        const Report& report) {
  for (const KernelAnalysis& analysis : input.kernels) {
    for (const Requirement& requirement : analysis.requirements) {
      if (requirement.kind != kind) continue;
      if (requirement.proved) {
        ++out.proved;
        continue;
      }
      ++out.unknown;
      report(analysis, requirement);
    }
  }
}

}  // namespace verifier
