// Elements of memory as doubles and back, one rounding to nearest even: the oracle's own
// arithmetic, shared with no code that it judges.
#pragma once

#include <cstddef>
#include <cstdint>

#include "compiler/ir/types.h"
#include "runner/contract/numbers.h"

namespace runner::reference {

// Value of the element at `at`. Integers above 2^53 lose bits; exact comparison works on bytes
// instead.
double LoadElement(compiler::ir::DType dtype, const std::byte* at);
// Rounds once to nearest even; integers saturate.
void StoreElement(compiler::ir::DType dtype, double value, std::byte* at);
// What StoreElement would leave, as a double.
double Rounded(compiler::ir::DType dtype, double value);

// Unit roundoff: half the distance of 1 to the next number. 0 for integers.
double UnitRoundoff(compiler::ir::DType dtype);
// Smallest positive (subnormal) number; 0 for integers.
double SmallestPositive(compiler::ir::DType dtype);
double SmallestNormal(compiler::ir::DType dtype);
using contract::LargestFinite;

inline int64_t ElementBytes(compiler::ir::DType dtype) {
  return compiler::ir::Info(dtype).bits / 8;
}

}  // namespace runner::reference
