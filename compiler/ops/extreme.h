// The floating-point minimum and maximum of the hardware.
#pragma once

#include <cmath>

#include "compiler/ops/meaning.h"

namespace compiler::ops {

// PTX ISA, min and max: a number wins against NaN unless `nan_wins`, and -0 is less than +0.
template <bool kMax>
float Extreme(float a, float b, bool nan_wins) {
  if (std::isnan(a) || std::isnan(b)) {
    if (nan_wins || (std::isnan(a) && std::isnan(b))) return CanonicalNan();
    return std::isnan(a) ? b : a;
  }
  if (a == b) return std::signbit(a) == kMax ? b : a;
  return (a < b) == kMax ? b : a;
}

}  // namespace compiler::ops
