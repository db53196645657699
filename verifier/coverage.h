// What no run of the machine has shown: statements that none executed, and outcomes of conditions
// that none had. An `if` without `else` has two sides as any other.
#pragma once

#include <string>
#include <vector>

#include "verifier/decisions.h"
#include "verifier/explore.h"

namespace verifier {

// That the condition of an `if` is `truth` for some thread, or that some thread leaves a `for` out.
struct Side {
  ir::StmtId stmt = ir::StmtId::kNone;
  bool truth = false;
};

// That a decision has one of its outcomes for some thread.
struct Undecided {
  Decision decision;
  uint8_t outcome = 0;  // decision.low or decision.high
};

struct Missing {
  // Of one that stands inside another, and of neighbours, only the first.
  std::vector<ir::StmtId> statements;
  std::vector<Side> sides;  // whose other side runs
  // What would have to have another value: conditions, and both bounds of a loop.
  std::vector<std::vector<ir::ExprId>> conditions;
  std::vector<Undecided> decisions;  // inside expressions that were computed
  bool empty() const { return statements.empty() && sides.empty() && decisions.empty(); }
};

// Of a launched kernel; nothing of one that never was.
Missing MissingOf(const ir::Program& program, const Exploration& exploration, size_t kernel);

// Advice for each place that some thread may reach and no run has shown; and in words, with what
// the verdict's coverage goes on: "" where nothing is missing.
std::string ReportMissing(const ir::Program& program, const compiler::facts::Facts& facts,
                          const std::vector<KernelAnalysis>& kernels,
                          const Exploration& exploration, compiler::diag::Report& report);

}  // namespace verifier
