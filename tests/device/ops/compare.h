// How far two results of one element type are apart.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "compiler/ir/op_def.h"

namespace device::ops {

// What an entry allows between the reference machine and the GPU.
struct Bound {
  double ulp = 0;                     // 0: equal bits, but for the payload of a NaN
  double absolute = 0;                // or at most so far apart, whichever is wider
  compiler::ir::ApproxDomain domain;  // of the operands that this is promised for
};

struct Distance {
  int64_t elements = 0, outside = 0;  // outside the bound
  double max_ulp = 0;                 // of finite pairs; infinite where only one side is a NaN
  int64_t first_outside = -1;
};

// `operands`: those of the results, one by one and of their type; empty: all are in the domain.
// Where a finite operand is outside, the result must lie where the domain says and no more.
void Compare(compiler::ir::DType dtype, std::span<const std::byte> want,
             std::span<const std::byte> got, std::span<const std::byte> operands,
             const Bound& bound, Distance& out);

}  // namespace device::ops
