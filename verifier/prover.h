// Proves linear inequalities over the integers from facts, in-house: interval bounds first, then
// Fourier-Motzkin elimination with integer tightening over the facts that share atoms with the
// goal. A proof is sound; giving up is not a refutation.
#pragma once

#include <vector>

#include "verifier/atoms.h"

namespace verifier {

using Facts = std::vector<Linear>;  // each is >= 0

constexpr size_t kMaxRows = 600;  // of one elimination, at its start and while it runs
// Of all proofs of a program, a few tenths of a second: the analyses share one budget, the rules
// another.
constexpr int64_t kMaxRowsMade = 600'000;
// Looking through facts costs this much less than making a row.
constexpr int64_t kFactsScannedARow = 16;

// True: no integers satisfy the rows. False: unknown, or the budget is spent. Answers are kept.
bool Eliminate(const Facts& rows, const Atoms& atoms);

// The same of integers, divided by what divides the coefficients.
Linear Tightened(Linear row);

class Prover {
 public:
  explicit Prover(const Atoms& atoms) : atoms_(atoms) {}

  // Whether `goal` >= 0 follows from `facts`, the atoms' own facts and ranges.
  bool NonNegative(const Linear& goal, const Facts& facts) const;
  // The same by `facts` and ranges alone: cheaper, and no definitions of atoms crowd out the facts.
  bool NonNegativeInContext(const Linear& goal, const Facts& facts) const;
  // Whether the facts contradict each other.
  bool Contradiction(const Facts& facts) const;
  // Whether `more` contradict themselves or the facts around them.
  bool Contradicts(const Facts& more, const Facts& facts) const;
  // left <= right, left < right.
  bool AtMost(const Linear& left, const Linear& right, const Facts& facts) const;
  bool Below(const Linear& left, const Linear& right, const Facts& facts) const;

 private:
  struct Related {
    Facts rows;
    std::vector<bool> bounds;  // of each: only what ranges say of an atom or of a product
  };

  static bool NeverHold(const Facts& facts);
  bool ForBothOperands(const Linear& goal, const Facts& facts) const;
  bool Infeasible(const Facts& rows, const Facts& facts, int splits) const;
  Facts Relevant(const Facts& seed, const Facts& facts, bool definitions = true) const;
  bool SpeaksOf(const Linear& fact, AtomId atom) const;
  Related Closure(const Facts& seed, const Facts& facts, bool definitions) const;
  Facts Near(const Related& related, size_t seeds) const;
  // product_facts.cc
  bool MultiplyRows(Related& related, size_t& seeds) const;
  void OrderProducts(const Facts& rows, const Facts& facts, Facts& more) const;
  void OrderPair(AtomId p, AtomId q, const Facts& facts, Facts& more) const;
  std::optional<bool> SplitOnSelect(const Facts& rows, const Facts& facts, int splits) const;
  bool SplitOnMinMax(const Facts& rows, const Facts& facts, const Facts& relevant,
                     int splits) const;

  const Atoms& atoms_;
};

}  // namespace verifier
