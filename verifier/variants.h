// The ways in which one shape is run: what the canonical schedule with spread contents leaves out.
#pragma once

#include <vector>

#include "compiler/facts/contents.h"
#include "compiler/machine/cuts.h"
#include "verifier/analysis.h"
#include "verifier/cells.h"

namespace verifier {

inline constexpr uint64_t kSeedsOfTests = 4;

// How one shape is run.
struct Variant {
  int64_t resident_ctas = 0;  // 0: as many as fit
  uint64_t schedule_seed = 0;
  compiler::facts::Choice contents = compiler::facts::Choice::kSpread;
  bool aliased = false;          // tensors that may be one memory are
  const Cells* cells = nullptr;  // what most elements of tensors are
  bool reversed = false;         // CTAs that run one after the other do it from the last on
  bool protocol = false;         // values are left out, and what is undefined is not looked for
  const compiler::machine::CutPlan* cuts = nullptr;
};

// Whether CTAs of one launch learn from each other.
bool LearnFromEachOther(const ir::Program& program);

// Whether what a CTA does follows from what others have added before it.
bool TakesTurns(const ir::Program& program);

// What one run of a shape would not show.
std::vector<Variant> MoreVariants(const ir::Program& program, const compiler::facts::Facts& facts,
                                  const std::vector<KernelAnalysis>& kernels);

}  // namespace verifier
