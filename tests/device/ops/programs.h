// Programs that use one instruction, made from its entry in the table: over each of its operand
// dtypes and each of its modifiers, as far as the type check admits them; the entry's own example
// is always one of them.
#pragma once

#include <string>
#include <vector>

#include "compiler/ir/op_def.h"

namespace device::ops {

struct UseProgram {
  std::string source;
  std::string dtype;  // of the operands; "" : of the example
  std::string modifiers;
  bool is_example = false;
};

inline constexpr size_t kProgramsMax = 64;  // of one entry

std::vector<UseProgram> ProgramsOf(const compiler::ir::OpDef& op);

}  // namespace device::ops
