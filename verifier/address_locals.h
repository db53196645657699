// Which locals of a kernel reach an address, a loop bound, a step or a barrier index: their
// arithmetic must not overflow. What only data depends on is no concern of the index rules.
#pragma once

#include <vector>

#include "compiler/ir/program.h"

namespace verifier {

// By LocalId.
std::vector<bool> AddressLocals(const compiler::ir::Program& program,
                                const compiler::ir::Kernel& kernel);

// LocalIds that some statement of the body assigns to, in order, each once.
std::vector<size_t> AssignedLocals(const compiler::ir::Program& program,
                                   const std::vector<compiler::ir::StmtId>& body);

}  // namespace verifier
