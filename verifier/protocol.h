// A program without its arithmetic: who waits for whom, and which bytes of shared and tensor memory
// are accessed in between, is what it was; what is computed from them is left out. It runs many
// more iterations for the same work, so that every slot comes round.
#pragma once

#include "compiler/ir/program.h"

namespace verifier {

// What neither hands over nor touches such memory, and decides nothing that does, is dead: register
// arithmetic, products of registers, plain accesses of global memory, conditions around nothing
// else. Numbers of statements stay. Values that are left out are undefined.
compiler::ir::Program WithoutData(const compiler::ir::Program& program);

}  // namespace verifier
