// Which kernels reach beyond their CTA. Only compiler/facts includes this.
#pragma once

#include <string>

#include "compiler/facts/derived.h"
#include "compiler/ir/program.h"

namespace compiler::facts {

// Whether CTAs of the kernel's clusters name each other's shared memory or mbarriers: then each
// begins only when all have begun, and ends when all have ended.
bool ReachesOtherCtas(const ir::Program& program, const ir::Kernel& kernel);

// The lines of `cake explain` for a kernel with clusters.
std::string ClusterLines(const ir::Kernel& kernel, const KernelFacts& facts);

}  // namespace compiler::facts
