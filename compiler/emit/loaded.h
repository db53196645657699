// Fragments that loads from tensor memory may still bring values to.
#pragma once

#include <vector>

#include "compiler/ir/program.h"

namespace compiler::emit {

// Of the role with this body: what `tmem.wait ld` at `wait` ends, as far as it is in scope there,
// in the order of declaration.
std::vector<ir::LocalId> LoadedAt(const ir::Program& program, const std::vector<ir::StmtId>& body,
                                  const ir::Stmt& wait);

}  // namespace compiler::emit
