// What an instruction computes of the values of its operands, where it touches nothing else.
#pragma once

#include <cstdint>
#include <vector>

#include "tests/mutation/ptx/module.h"

namespace ptx {

// Operands as bits in low ends. Throws Unknown for an opcode that is none of these.
uint64_t Compute(const Instruction& i, const std::vector<uint64_t>& args);

}  // namespace ptx
