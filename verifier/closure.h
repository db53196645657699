// Whether the loops of a kernel's roles are the same trip after trip, so that runs of some trip
// counts speak for all of them.
//
// The theorem: control in the body depends on the trip by thresholds near the first and the last
// trip and by remainders of constants, and on nothing else that goes with the trip count: no CTA of
// a grid that grows with it, no number that a guard ties to it, no data; shared memory is addressed
// by the trip only through stages; uses of rings and events go on by the same number each trip. If
// the state at cut k (cuts.h) comes again at cut k + p, then a launch of n > k + p + d trips, d the
// distance to the end at which conditions or roles that are ahead look, makes no trip that a launch
// of k + p + d trips does not make, and ends as one of k + d .. k + p + d - 1 trips does. So all
// are clean when those are. Accesses of global memory are not in the state: what other CTAs or
// other trips write there is the business of `global races`, and of shapes.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "compiler/ir/program.h"
#include "compiler/machine/cuts.h"
#include "verifier/analysis.h"
#include "verifier/instances.h"

namespace verifier {

struct ClosurePlan {
  compiler::machine::CutPlan cuts;
  ir::StmtId loop = ir::StmtId::kNone;  // the first of them
  int64_t period = 1;                   // trips after which slots and remainders come round
  int64_t first = 0;    // trips after which no condition looks at the first ones any more
  int64_t last = 0;     // distance to the end from which on conditions look at it
  std::string why_not;  // in words; "": there is a plan
};

// Of the kernel's outermost loops that hand slots, generations or groups over; nothing where it has
// none.
std::optional<ClosurePlan> PlanClosure(const ir::Program& program, const KernelAnalysis& analysis);

struct Closure {
  int64_t after = 0;   // k
  int64_t states = 0;  // p
  int64_t needed = 0;  // launches of 0 .. needed trips have to be clean
};

// What is known of a kernel.
struct KernelClosure {
  ClosurePlan plan;
  std::optional<Closure> found;
  std::set<int64_t> ran;     // trip counts of launches that were clean
  bool always_runs = false;  // no launch makes 0 trips
  int64_t cuts = 0;          // that were looked at

  // Every trip count is clean.
  bool Closed() const;
  // "; every trip count of the loop in line 9: ..", or why not.
  std::string Words(const ir::Program& program) const;
};

// Nothing where some CTA came to no state twice.
std::optional<Closure> FindClosure(const ClosurePlan& plan,
                                   const std::vector<compiler::machine::Cut>& cuts);

// Whether the loop is one of those that are closed.
bool IsClosed(const std::vector<KernelClosure>& closures, ir::StmtId loop);

// Of the kernels that have a plan, or should have.
std::vector<KernelClosure> PlanClosures(const ir::Program& program,
                                        const std::vector<KernelAnalysis>& kernels);

}  // namespace verifier
