// In which units races are looked for. Memory that every access of a launch takes in whole vectors
// needs one shadow cell a vector; only what is also taken element by element needs one an element.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/facts/derived.h"
#include "compiler/machine/bytecode.h"
#include "compiler/machine/compile.h"

namespace compiler::machine {

constexpr int64_t kWidestUnit = 16;  // bytes

// Bytes, powers of two: the largest unit, up to the widest access, that every access of the code to
// a buffer begins and ends with.
struct Units {
  std::vector<int64_t> tensors;  // by TensorId
  std::vector<int64_t> shared;   // by SharedId
};

// Of all code that shares the tensors. Buffers of shared memory that overlap have one unit.
void NarrowUnits(const KernelCode& code, const Layouts& layouts, Units& units);
void UniteOverlaps(const facts::KernelFacts& facts, std::vector<int64_t>& shared);

}  // namespace compiler::machine
