// An access whose indices are one of two values each, by cases.
#pragma once

#include <vector>

#include "verifier/analysis.h"
#include "verifier/prover.h"

namespace verifier {

struct AccessCase {
  Access access;  // its offsets are those that are picked
  Facts said;     // what holds where they are, and what follows from it in one thread
};

// Every thread that reaches the access is in one of the cases. One, as it is, where nothing is
// picked by a condition or there are too many cases.
std::vector<AccessCase> CasesOf(const Atoms& atoms, const Prover& prover, const Access& access);

// The facts of the access without those that speak of variables on which its indices do not depend:
// how far a ring has come says nothing of where a tile lies, but makes proofs long.
Facts FactsOfIndices(const Atoms& atoms, const Access& access);

}  // namespace verifier
