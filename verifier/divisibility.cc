#include "verifier/divisibility.h"

namespace verifier {

bool Divides(Atoms& atoms, int64_t unit, const Linear& value, const Facts& facts) {
  if (unit <= 1 || atoms.DivisorOf(value) % unit == 0) return true;
  const std::optional<Linear> rest = Combine(value, -1, atoms.FloorQuotient(value, unit), unit);
  return rest && Prover(atoms).NonNegative(*rest, facts);
}

}  // namespace verifier
