// Atoms of proofs: symbols, thread ids, loop counters and terms that are not linear (products,
// quotients, minima, loaded values), each with a range, a known divisor and the facts that define
// it.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "verifier/eliminations.h"
#include "verifier/linear.h"

namespace verifier {

enum class AtomKind : uint8_t {
  kSymbol,
  kThread,
  kCounter,
  kProduct,
  kQuotient,
  kMin,
  kMax,
  kSelect,  // left where a condition holds, right elsewhere
  kOpaque
};

struct Atom {
  AtomKind kind = AtomKind::kOpaque;
  std::string name;  // for messages
  Interval range;
  int64_t divisor = 1;          // it is a multiple of this
  bool uniform = false;         // equal for every thread of the launch: symbols and terms of them
  std::vector<Linear> facts;    // each is >= 0 whatever the context
  std::vector<AtomId> factors;  // kProduct: two or more atoms, sorted, none of them a product
  // kMin, kMax, kQuotient: operands. kOpaque: left is what it stands for; right without left: it is
  // not larger than that or 0, whichever is larger.
  Linear left, right;
  std::vector<Linear> if_left, if_right;  // kSelect: each >= 0 where the side is picked
  // kCounter of a loop with a step that is not constant: value == start modulo the step.
  Linear start, step;
  bool has_step = false;
  bool remainder = false;  // of a division by a term that is no constant
  // An element of a global tensor that nothing writes: which one.
  int32_t tensor = -1;
  std::vector<Linear> indices;
  bool of_local = false;     // what a variable of a loop is at its head, or behind it
  bool of_elements = false;  // made of elements of such tensors
};

// Sorted factors that are left of `all` without `some`; nothing where some is no part of it.
std::optional<std::vector<AtomId>> Without(const std::vector<AtomId>& all,
                                           const std::vector<AtomId>& some);

class Atoms {
 public:
  AtomId Add(Atom atom);
  const Atom& operator[](AtomId id) const { return atoms_[static_cast<size_t>(id)]; }
  Atom& Mutable(AtomId id) { return atoms_[static_cast<size_t>(id)]; }
  size_t size() const { return atoms_.size(); }

  // The same operands give the same atom, so that a term written twice is one unknown.
  std::optional<Linear> Product(const Linear& a, const Linear& b);
  Linear MinOrMax(bool is_min, const Linear& a, const Linear& b);
  // floor(a / c) for a constant c > 0.
  Linear FloorQuotient(const Linear& a, int64_t c);
  // floor(a / d) for d >= 1, a >= 0, both already proven.
  Linear SymbolicQuotient(const Linear& a, const Linear& d);
  // What a division by d leaves, `rest` written out: its range and 0 <= rest < d are then at hand.
  Linear Remainder(const Linear& rest, const Linear& d);
  // a == first * d + second, where d is one atom: the terms that have it as a factor, and the rest.
  std::pair<Linear, Linear> SplitBy(const Linear& a, const Linear& d);
  // The product of two or more sorted factors.
  AtomId ProductOf(const std::vector<AtomId>& factors);
  // What an atom is the product of: itself, unless it is a product.
  std::vector<AtomId> FactorsOf(AtomId atom) const;
  // The product of sorted factors, 1 of none; nothing where nobody has asked for it yet.
  std::optional<Linear> ExistingProduct(const std::vector<AtomId>& factors) const;
  // An atom known only by `key` and its range.
  AtomId Opaque(const std::string& key, Interval range);
  // The element of a tensor of constant contents: equal indices give the same atom.
  AtomId Element(int32_t tensor, const std::vector<Linear>& indices, Interval range);

  Interval RangeOf(const Linear& value) const;
  // The same, and of a remainder, x - c * floor(x / c), what is below c.
  Interval RangeOfBits(const Linear& value) const;
  // The largest known divisor of the value; 0 for the constant 0.
  int64_t DivisorOf(const Linear& value) const;
  bool Uniform(const Linear& value) const;
  bool OfElements(const Linear& value) const;
  std::string Key(const Linear& value) const;
  // Rows that eliminations have made; beyond kMaxRowsMade (prover.h) everything is unknown.
  int64_t& rows_made() const { return *rows_made_; }
  Eliminations& eliminations() const { return *eliminations_; }
  // From now on counts into the budget of several kernels.
  void ShareRowsMade(std::shared_ptr<int64_t> rows_made) { rows_made_ = std::move(rows_made); }
  // Asks where another reading has asked: rows say by themselves whether they can hold, whatever
  // their atoms are.
  void ShareEliminations(const Atoms& other) { eliminations_ = other.eliminations_; }

 private:
  std::optional<Linear> ProductOfAtoms(AtomId a, AtomId b);
  void AddQuotientFacts(AtomId q, const Linear& a, const Linear& d);
  std::optional<Linear> QuotientOfQuotient(const Linear& a, const Linear& d);

  std::vector<Atom> atoms_;
  std::shared_ptr<Eliminations> eliminations_ = std::make_shared<Eliminations>();
  std::map<std::string, AtomId> memo_;
  std::map<std::vector<AtomId>, AtomId> products_;  // by factors
  std::shared_ptr<int64_t> rows_made_ = std::make_shared<int64_t>(0);
};

}  // namespace verifier
