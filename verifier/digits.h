// Positions written in a mixed radix: `(band*8 + row)*128 + warp*64 + lane`. Where two threads
// touch one element, the digits of their positions are equal one by one.
#pragma once

#include <functional>

#include "verifier/analysis.h"

namespace verifier {

// Equalities (pairs of rows, each >= 0) between digits of the offsets of `a` and of the twin of
// `b`, if both touch one element. For every radix r of a coefficient: offset == r*high + low; where
// each thread's own facts prove 0 <= low and low + extent <= r, equal elements have equal highs
// (uniqueness of quotients), and so on inside of high. A factor that all threads share is a radix
// too.
Facts EqualDigits(const Atoms& atoms, const Prover& prover, const Access& a, const Access& b,
                  const std::function<Linear(const Linear&)>& twin);

}  // namespace verifier
