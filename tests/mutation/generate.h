// Random protocols: patterns that real kernels have, broken at random places.
#pragma once

#include <cstdint>
#include <string>

#include "tests/mutation/protocol.h"

namespace mutation {

// The same for the same seed, always well-formed.
Protocol Generate(uint64_t seed);

// A protocol that is right, and the same with one thing changed.
struct Mutant {
  std::string family, change;  // which pattern it is, what was done to it
  Protocol base, mutant;
  int agent = 0, step = 0;  // where, in the base; -1: the count of a barrier or an event
};
Mutant GenerateMutant(uint64_t seed);

}  // namespace mutation
