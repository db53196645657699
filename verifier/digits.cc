#include "verifier/digits.h"

#include <set>

namespace verifier {
namespace {

constexpr int kMaxDigits = 4;      // of one position
constexpr size_t kMaxRadices = 6;  // tried for one digit, the largest first

struct Split {
  Linear high, low;  // value == radix*high + low
};

int64_t CoefficientOf(const Linear& value, AtomId atom) {
  for (const Term& term : value.terms) {
    if (term.atom == atom) return term.coefficient;
  }
  return 0;
}

// Whether the term is the quotient of a remainder that the value holds: -c*d * floor(x / d) beside
// c*x. The two stay together, or neither has a bound.
bool OfRemainder(const Atoms& atoms, const Linear& value, const Term& term, int64_t radix) {
  const Atom& atom = atoms[term.atom];
  if (atom.kind != AtomKind::kQuotient || !atom.right.is_constant()) return false;
  const int64_t d = atom.right.constant;
  if (d <= 0 || term.coefficient % d != 0) return false;
  const std::optional<Linear> dividend = Times(atom.left, -term.coefficient / d);
  bool below = false;
  for (const Term& part : dividend.value_or(Linear()).terms) {
    if (CoefficientOf(value, part.atom) != part.coefficient) return false;
    below |= part.coefficient % radix != 0;
  }
  return below;
}

std::optional<Split> SplitAt(const Atoms& atoms, const Linear& value, int64_t radix) {
  const int64_t rest = ((value.constant % radix) + radix) % radix;
  Split out{Linear::Constant((value.constant - rest) / radix), Linear::Constant(rest)};
  for (const Term& term : value.terms) {
    const bool high = term.coefficient % radix == 0 && !OfRemainder(atoms, value, term, radix);
    Linear& side = high ? out.high : out.low;
    const auto sum = Combine(side, 1, Linear::Atom(term.atom),
                             high ? term.coefficient / radix : term.coefficient);
    if (!sum) return std::nullopt;
    side = *sum;
  }
  return out;
}

// The same by a factor that all threads share, of the products that have it: `head*group + g`.
std::optional<Split> SplitBy(const Atoms& atoms, const Linear& value, AtomId radix) {
  Split out{Linear::Constant(0), Linear::Constant(value.constant)};
  for (const Term& term : value.terms) {
    const auto others = Without(atoms.FactorsOf(term.atom), {radix});
    const auto rest = others ? atoms.ExistingProduct(*others) : Linear::Atom(term.atom);
    Linear& side = others ? out.high : out.low;
    const auto sum = rest ? Combine(side, 1, *rest, term.coefficient) : std::nullopt;
    if (!sum) return std::nullopt;
    side = *sum;
  }
  return out;
}

class Digits {
 public:
  Digits(const Atoms& atoms, const Prover& prover, const Access& a, const Access& b,
         const std::function<Linear(const Linear&)>& twin)
      : atoms_(atoms), prover_(prover), a_(a), b_(b), twin_(twin) {}

  // Of positions that are equal up to the extents of what is touched there.
  void Add(const Linear& a, int64_t extent_a, const Linear& b, int64_t extent_b, int depth) {
    if (depth >= kMaxDigits) return;
    for (const int64_t radix : Radices(a)) {
      const auto of_a = SplitAt(atoms_, a, radix), of_b = SplitAt(atoms_, b, radix);
      if (!of_a || !of_b || of_a->high.is_constant()) continue;
      if (!IsDigit(of_a->low, extent_a, radix, a_) || !IsDigit(of_b->low, extent_b, radix, b_)) {
        continue;
      }
      AddEqual(of_a->high, of_b->high);
      if (extent_a == 1 && extent_b == 1) AddEqual(of_a->low, of_b->low);
      Add(of_a->high, 1, of_b->high, 1, depth + 1);
      return;  // smaller digits are in `low`, whose bounds say all that is needed of it
    }
  }

  void AddShared(const Linear& a, int64_t extent_a, const Linear& b, int64_t extent_b) {
    for (const AtomId radix : SharedFactors(a)) {
      const auto of_a = SplitBy(atoms_, a, radix), of_b = SplitBy(atoms_, b, radix);
      if (!of_a || !of_b || of_a->high.is_constant()) continue;
      if (!IsBelow(of_a->low, extent_a, radix, a_) || !IsBelow(of_b->low, extent_b, radix, b_)) {
        continue;
      }
      AddEqual(of_a->high, of_b->high);
      return;
    }
  }

  Facts Take() && { return std::move(rows_); }

 private:
  static std::vector<int64_t> Radices(const Linear& value) {
    std::set<int64_t, std::greater<>> all;
    for (const Term& term : value.terms) {
      if (std::abs(term.coefficient) > 1) all.insert(std::abs(term.coefficient));
    }
    std::vector<int64_t> out(all.begin(), all.end());
    if (out.size() > kMaxRadices) out.resize(kMaxRadices);
    return out;
  }

  std::set<AtomId> SharedFactors(const Linear& value) const {
    std::set<AtomId> factors;
    for (const Term& term : value.terms) {
      for (const AtomId factor : atoms_[term.atom].factors) {
        if (atoms_[factor].uniform && factors.size() < kMaxRadices) factors.insert(factor);
      }
    }
    return factors;
  }

  bool IsBelow(const Linear& low, int64_t extent, AtomId radix, const Access& access) const {
    return prover_.NonNegative(low, access.facts) &&
           prover_.AtMost(Shift(low, extent), Linear::Atom(radix), access.facts);
  }

  bool IsDigit(const Linear& low, int64_t extent, int64_t radix, const Access& access) const {
    return prover_.NonNegative(low, access.facts) &&
           prover_.AtMost(Shift(low, extent), Linear::Constant(radix), access.facts);
  }

  void AddEqual(const Linear& a, const Linear& b) {
    const auto up = Minus(a, twin_(b)), down = Minus(twin_(b), a);
    if (!up || !down || up->is_constant()) return;
    rows_.push_back(*up);
    rows_.push_back(*down);
  }

  const Atoms& atoms_;
  const Prover& prover_;
  const Access &a_, &b_;
  const std::function<Linear(const Linear&)>& twin_;
  Facts rows_;
};

}  // namespace

Facts EqualDigits(const Atoms& atoms, const Prover& prover, const Access& a, const Access& b,
                  const std::function<Linear(const Linear&)>& twin) {
  Digits digits(atoms, prover, a, b, twin);
  for (size_t d = 0; d < a.offsets.size(); ++d) {
    digits.Add(a.offsets[d], a.extents[d], b.offsets[d], b.extents[d], 0);
    digits.AddShared(a.offsets[d], a.extents[d], b.offsets[d], b.extents[d]);
  }
  return std::move(digits).Take();
}

}  // namespace verifier
