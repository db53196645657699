// The linter of contracts: what makes one unusable, or so weak that a wrong program passes it.
// Beyond the form (contract::Lint) it runs the reference: an answer that needs no work must fail,
// every input must matter, and the contents must be of the kinds that find wrong programs.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "runner/contract/workload.h"

namespace runner::oracle {

struct LintFinding {
  std::string_view rule;  // of LintRules()
  std::string message;    // the fact, with names and numbers
};

struct LintRule {
  std::string_view name, why;  // why: what kind of wrong program passes a contract that breaks it
};
const std::vector<LintRule>& LintRules();

// All findings, those of the form first; with any of these the reference is not run.
// InvalidArgument: the reference does not fit the contract.
absl::StatusOr<std::vector<LintFinding>> LintContract(const contract::Workload& workload);

// Elements that an output has at least for its answers to be worth guessing.
inline constexpr int64_t kGuessedElementsMin = 8;
// Of the plain machine-tier cases, the share in which an answer without work may be right.
inline constexpr double kGuessedShareMax = 1.0 / 3;

}  // namespace runner::oracle
