// Linear integer expressions over atoms, with checked 64-bit coefficients: what proofs compute
// with.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

namespace verifier {

using AtomId = int32_t;

struct Term {
  AtomId atom = 0;
  int64_t coefficient = 0;
  bool operator==(const Term&) const = default;
};

// sum of coefficient * atom, plus constant. Terms are sorted by atom, none has coefficient 0.
struct Linear {
  std::vector<Term> terms;
  int64_t constant = 0;

  static Linear Constant(int64_t value) { return {{}, value}; }
  static Linear Atom(AtomId atom) { return {{{atom, 1}}, 0}; }
  bool is_constant() const { return terms.empty(); }
  bool is_atom() const { return terms.size() == 1 && terms[0].coefficient == 1 && constant == 0; }
  bool operator==(const Linear&) const = default;
};

// Nothing when a coefficient leaves 62 bits: the caller treats the value as opaque.
std::optional<Linear> Combine(const Linear& a, int64_t scale_a, const Linear& b, int64_t scale_b);
std::optional<Linear> Plus(const Linear& a, const Linear& b);
std::optional<Linear> Minus(const Linear& a, const Linear& b);
std::optional<Linear> Times(const Linear& a, int64_t scale);
// a + constant; the constant is small by construction at every caller.
Linear Shift(Linear a, int64_t constant);

// A closed range; the extremes of int64_t stand for no bound.
struct Interval {
  int64_t low = std::numeric_limits<int64_t>::min();
  int64_t high = std::numeric_limits<int64_t>::max();
  bool has_low() const { return low != std::numeric_limits<int64_t>::min(); }
  bool has_high() const { return high != std::numeric_limits<int64_t>::max(); }
  bool operator==(const Interval&) const = default;
};

Interval Add(const Interval& a, const Interval& b);
Interval Scale(const Interval& a, int64_t scale);
Interval Multiply(const Interval& a, const Interval& b);
Interval Hull(const Interval& a, const Interval& b);
Interval Meet(const Interval& a, const Interval& b);

}  // namespace verifier
