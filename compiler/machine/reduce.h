// What one element of a bulk or tensor reduction becomes.
#pragma once

#include <cstdint>
#include <string_view>

#include "compiler/ir/types.h"

namespace compiler::machine {

// `word` of old and value, bits of `type` each (PTX ISA, cp.reduce.async.bulk). Floats are added in
// their own precision, to nearest even; min and max drop NaN.
uint64_t Reduced(std::string_view word, ir::DType type, uint64_t old, uint64_t value);

}  // namespace compiler::machine
