// A rule: one file in verifier/rules/, with its diagnostics, its check, its explanation and example
// programs. The list below is explicit and ordered: findings of earlier rules are the likelier
// causes.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "compiler/arch/device.h"
#include "verifier/analysis.h"
#include "verifier/verify.h"

namespace verifier {

struct RuleInput {
  const ir::Program& program;
  const compiler::facts::Facts& facts;
  const compiler::arch::Device& device;
  std::vector<KernelAnalysis>& kernels;
};

struct RuleOutput {
  compiler::diag::Report report;
  int64_t proved = 0, unknown = 0;  // obligations
  std::vector<std::string> notes;   // for the coverage text
  bool beyond_runs = false;         // some unknown one is nothing that the machine's shapes show
};

// A whole program; for `rejects` the one code it must give.
struct Example {
  std::string_view code;
  std::string_view program;
};

struct Rule {
  std::string_view name;
  std::string_view property;  // which line of the report its obligations belong to
  void (*check)(const RuleInput&, RuleOutput&);
  std::string_view explain;
  std::span<const Example> rejects;
  std::span<const Example> accepts;
};

extern const Rule kArchitecture, kGridLimits, kAccessBounds, kRegisterIndex, kVectorAlignment,
    kIndexOverflow, kLoopStep, kDivisor, kBarrierIndex, kCtaDisjoint, kResidency, kCopyAlignment,
    kTensorMemory, kCluster, kCopyPadding, kProductRegisters;

std::span<const Rule* const> Rules();

}  // namespace verifier
