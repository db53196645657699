// Which statements of a kernel other CTAs decide over: their addresses or whether they run follow
// from tickets and flags, or they stand behind an acquire or a barrier of the grid. Only these can
// be ordered with what another CTA of the launch does; how, the machine judges over the CTAs of the
// shapes that run.
#pragma once

#include <vector>

#include "compiler/ir/program.h"

namespace verifier {

// By StmtId.
std::vector<bool> OrderedWithOtherCtas(const compiler::ir::Program& program,
                                       const compiler::ir::Kernel& kernel);

// Whether the answer of some `test` decides over more than a loop that does nothing but ask: it
// depends on the schedule, and one run shows one way.
bool TestsDecide(const compiler::ir::Program& program);

}  // namespace verifier
