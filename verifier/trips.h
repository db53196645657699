// Loops whose mistakes show only after several iterations: those that hand slots, generations or
// groups over. A slot that is reused too early is first touched by the iteration that comes round
// to it, so a run of fewer says nothing about it.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "compiler/ir/program.h"

namespace verifier {

namespace ir = compiler::ir;

struct LoopNeed {
  size_t kernel = 0, role = 0;
  ir::StmtId loop = ir::StmtId::kNone;
  int32_t outer = -1;  // the innermost such loop around it: its place in LoopsToRepeat
  // Iterations of one entry that show what the loop can do wrong: stages + lag + the constants of
  // its conditions + 3, and the least common multiple of the stages where uses are not counted by
  // one index. Behind the trip in which the last comparison with a constant has its other outcome,
  // where that is further away; `near`: without those.
  int64_t trips = 0, near = 0;
};

// In source order of their kernels and roles.
std::vector<LoopNeed> LoopsToRepeat(const ir::Program& program);

// How often a loop runs at given launches.
class TripCounter {
 public:
  // Both must outlive it.
  TripCounter(const ir::Program& program, const LoopNeed& need);

  // The symbols that the bounds depend on, lets followed.
  std::set<size_t> Symbols() const;
  // The most trips that the first thread of the first or the last CTA makes, enclosing loops in
  // their first iteration. Nothing where data or variables decide.
  std::optional<int64_t> At(const ir::LaunchValues& values) const;
  // Expressions evaluated so far.
  int64_t work() const { return work_; }

 private:
  const ir::Program& program_;
  const ir::Kernel& kernel_;
  const ir::Stmt& loop_;
  mutable int64_t work_ = 0;
  const std::vector<ir::ExprId> fixed_;  // by LocalId: what a let or a loop's variable begins with
};

}  // namespace verifier
