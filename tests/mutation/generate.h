// Random protocols: patterns that real kernels have, broken at random places.
#pragma once

#include <cstdint>

#include "tests/mutation/protocol.h"

namespace mutation {

// The same for the same seed, always well-formed.
Protocol Generate(uint64_t seed);

}  // namespace mutation
