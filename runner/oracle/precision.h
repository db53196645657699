// How narrow the accumulator was that an output came from, told from the errors alone.
#pragma once

#include <cstdint>
#include <string>

#include "runner/oracle/compare.h"

namespace runner::oracle {

// Few elements say nothing, and beyond many more of them say no more.
inline constexpr int64_t kPrecisionElementsMin = 64, kPrecisionElementsMax = 1 << 15;

// `measured`: root mean square, over the finite elements, of what the error has beyond the rounding
// of the output, relative to the sum of the terms' sizes. `limit`: what sums in the contract's
// accumulator can have. A sum of n roundings of random signs errs by about sqrt(n) unit roundoffs;
// tensor cores cut off instead of rounding, which adds up, a part of a roundoff each step. The
// worst case, n, is what `correct` allows each element; here all elements speak together, and an
// accumulator of half the width stands out where the rounding of a narrow output hides it.
struct Precision {
  bool measurable = false;
  std::string why_not;
  int64_t elements = 0;
  double measured = 0, limit = 0;
};
// How many elements of an output, from the first on, it looks at.
int64_t PrecisionElements(const reference::Builtin& builtin, const reference::Inputs& inputs,
                          const OutputView& output);
Precision MeasurePrecision(const reference::Builtin& builtin, const reference::Inputs& inputs,
                           const OutputView& output);

}  // namespace runner::oracle
