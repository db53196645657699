// How far two results of one element type are apart.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "compiler/ir/types.h"

namespace device::ops {

// What an entry allows between the reference machine and the GPU.
struct Bound {
  double ulp = 0;       // 0: equal bits, but for the payload of a NaN
  double absolute = 0;  // or at most so far apart, whichever is wider
};

struct Distance {
  int64_t elements = 0, outside = 0;  // outside the bound
  double max_ulp = 0;                 // of finite pairs; infinite where only one side is a NaN
  int64_t first_outside = -1;
};

void Compare(compiler::ir::DType dtype, std::span<const std::byte> want,
             std::span<const std::byte> got, const Bound& bound, Distance& out);

}  // namespace device::ops
