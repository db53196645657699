// Arrival counts and places of mbarriers. Only compiler/facts includes this.
#pragma once

#include <cstdint>
#include <string>

#include "compiler/diag/diagnostic.h"
#include "compiler/facts/derived.h"
#include "compiler/ir/program.h"

namespace compiler::facts {

// Derives the arrival counts of every ring from the text of its roles, compares them with declared
// ones, and places all mbarriers from byte `next` on. Gives the byte after the last one.
int64_t PlaceEvents(const ir::Program& program, const ir::Kernel& kernel, int64_t next,
                    KernelFacts& facts, diag::Report& report);

// The lines of `cake explain` for the rings and events of one kernel.
std::string EventLines(const ir::Kernel& kernel, const KernelFacts& facts);

}  // namespace compiler::facts
