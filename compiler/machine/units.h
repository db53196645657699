// In which units races are looked for in global memory. A tensor that every access of a launch
// takes in whole vectors needs one shadow cell a vector; only what is also taken element by element
// needs one an element.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/machine/bytecode.h"
#include "compiler/machine/compile.h"

namespace compiler::machine {

constexpr int64_t kWidestUnit = 16;  // bytes

// By TensorId. Bytes, powers of two: the largest unit, up to the widest access, that every access
// of the code to a tensor begins and ends with.
using Units = std::vector<int64_t>;

// Of all code that shares the tensors.
void NarrowUnits(const KernelCode& code, const Layouts& layouts, Units& units);

}  // namespace compiler::machine
