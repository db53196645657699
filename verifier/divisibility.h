// Whether numbers of a proof are multiples of a constant.
#pragma once

#include "verifier/prover.h"

namespace verifier {

// Whether the facts make `value` a multiple of `unit`.
bool Divides(Atoms& atoms, int64_t unit, const Linear& value, const Facts& facts);

}  // namespace verifier
