// Bounds that hold of a term where it stands, though the ranges of its atoms do not give them.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "verifier/evaluator.h"

namespace verifier {

using ir::Algebra;
using ir::Expr;
using ir::ExprKind;

namespace {

constexpr int64_t kLargestFactor = int64_t{1} << 31;

bool SharesAnAtom(const Linear& a, const Linear& b) {
  return std::any_of(a.terms.begin(), a.terms.end(), [&](const Term& s) {
    return std::any_of(b.terms.begin(), b.terms.end(),
                       [&](const Term& t) { return s.atom == t.atom; });
  });
}

}  // namespace

Interval Evaluator::KnownRange(const Linear& value) const {
  const Interval of_atoms = analysis.atoms.RangeOfBits(value);
  Interval range = of_atoms;
  analysis.atoms.rows_made() += static_cast<int64_t>(facts.size()) / kFactsScannedARow;
  for (const Linear& fact : facts) {
    if (!SharesAnAtom(fact, value)) continue;
    // The fact is not negative: value <= value + fact, value >= value - fact.
    if (const auto above = Plus(value, fact)) {
      range.high = std::min(range.high, analysis.atoms.RangeOf(*above).high);
    }
    if (const auto below = Minus(value, fact)) {
      range.low = std::max(range.low, analysis.atoms.RangeOf(*below).low);
    }
  }
  return range.low <= range.high ? range : of_atoms;  // facts that contradict: nothing gets here
}

// The same, where one fact of the place is used for each of its atoms.
Interval Evaluator::RangeByFacts(const Linear& value) const {
  Interval range{value.constant, value.constant};
  for (const Term& term : value.terms) {
    range = Add(range, Scale(KnownRange(Linear::Atom(term.atom)), term.coefficient));
  }
  return Meet(range, KnownRange(value));
}

// A term of elements that contracts bound at this place: an atom with these bounds for its range,
// and the equality as a fact. Products and quotients of it are then bounded wherever they stand,
// where the elements' own ranges are those of their type. The name has the bounds, because another
// place may prove others.
Linear Evaluator::Narrowed(const Linear& value) {
  if (!analysis.atoms.OfElements(value)) return value;
  return Within(value, KnownRange(value));
}

// A value that fits its type, by proof or because that is a requirement of its own, though the
// ranges of its atoms do not show it.
Linear Evaluator::WithinType(const Linear& value, ir::DType dtype) {
  const Interval of_atoms = analysis.atoms.RangeOf(value), type = RangeOfDType(dtype);
  if (of_atoms.low >= type.low && of_atoms.high <= type.high) return value;
  Interval range = Meet(RangeByFacts(value), type);
  if (range.low < 0 &&
      (prover.NonNegativeInContext(value, facts) || prover.NonNegative(value, facts))) {
    range.low = 0;
  }
  return range.low <= range.high ? Within(value, range) : value;
}

// A term of products and quotients that is shown not to be negative: said once, where it is named.
Linear Evaluator::NotNegative(const Linear& value) {
  const Interval range = analysis.atoms.RangeOf(value);
  if (range.low >= 0 || value.terms.size() < 2) return value;
  const bool nonlinear = std::any_of(value.terms.begin(), value.terms.end(), [&](const Term& term) {
    const Atom& atom = analysis.atoms[term.atom];
    return atom.kind == AtomKind::kProduct ||
           (atom.kind == AtomKind::kQuotient && !atom.right.is_constant());
  });
  if (!nonlinear || !prover.NonNegative(value, facts)) return value;
  return Within(value, {0, range.high});
}

Linear Evaluator::Within(const Linear& value, const Interval& range) {
  if (range == analysis.atoms.RangeOf(value)) return value;
  const AtomId id = analysis.atoms.Opaque(
      absl::StrCat("in ", range.low, "..", range.high, ":", analysis.atoms.Key(value)), range);
  analysis.atoms.Mutable(id).left = value;
  analysis.atoms.Mutable(id).uniform = analysis.atoms.Uniform(value);
  analysis.atoms.Mutable(id).divisor = std::max<int64_t>(1, analysis.atoms.DivisorOf(value));
  analysis.atoms.Mutable(id).of_elements = analysis.atoms.OfElements(value);
  const Linear narrow = Linear::Atom(id);
  for (const int sign : {1, -1}) {
    const auto fact = Combine(narrow, sign, value, -sign);
    if (!fact) return value;
    if (std::find(facts.begin(), facts.end(), *fact) == facts.end()) facts.push_back(*fact);
  }
  return narrow;
}

// What McCormick's lines say of two atoms, of a product whose factors are sums or remainders: each
// factor's range bounds it by a multiple of the other.
void Evaluator::BoundProduct(const Linear& product, const Linear& a, const Linear& b) {
  const Interval ra = analysis.atoms.RangeOfBits(a), rb = analysis.atoms.RangeOfBits(b);
  if (ra.low < 0 || rb.low < 0) return;
  const auto keep = [&](const std::optional<Linear>& fact) {
    if (fact && std::find(facts.begin(), facts.end(), *fact) == facts.end()) {
      facts.push_back(*fact);
    }
  };
  keep(product);
  for (const auto& [factor, most] : {std::pair{&a, rb.high}, std::pair{&b, ra.high}}) {
    if (most <= kLargestFactor) keep(Combine(*factor, most, product, -1));
  }
}

// The factors' ranges bound a product better than its terms do, where a factor is a remainder.
Linear Evaluator::Product(ir::ExprId id, const Linear& a, const Linear& b) {
  Atoms& atoms = analysis.atoms;
  if (a.is_constant() || b.is_constant()) return Fit(id, atoms.Product(a, b));
  const Linear left = Narrowed(a), right = Narrowed(b);
  const std::optional<Linear> product = atoms.Product(left, right);
  if (product && !product->is_atom() && atoms.OfElements(*product)) {
    BoundProduct(*product, left, right);
  }
  return Fit(id, product);
}

// The atom is one of two values, each with what holds where it is.
void Evaluator::Picks(const Linear& picked, const Linear& left, const Facts& if_left,
                      const Linear& right, const Facts& if_right) {
  Atom& atom = analysis.atoms.Mutable(picked.terms[0].atom);
  atom.kind = AtomKind::kSelect;
  atom.left = left;
  atom.right = right;
  atom.if_left = if_left;
  atom.if_right = if_right;
}

// One of two values: both bounds that each has where the condition picks it hold of the result, and
// where one is a remainder, so does its divisor if the other stays below it too.
Linear Evaluator::Select(const Expr& expr) {
  const Linear sides[] = {Value(expr.args[1]), Value(expr.args[2])};
  if (sides[0] == sides[1]) return sides[0];
  Interval range;
  Facts here[2];
  for (size_t s = 0; s < 2; ++s) {
    here[s] = Conditions(expr.args[0], s == 0);
    const size_t depth = facts.size();
    facts.insert(facts.end(), here[s].begin(), here[s].end());
    const Interval known = KnownRange(sides[s]);
    range = s == 0 ? known : Hull(range, known);
    facts.resize(depth);
  }
  const Linear picked = Fresh(Text(expr), range);
  Picks(picked, sides[0], here[0], sides[1], here[1]);
  const auto bound_by = [&](const Linear& bound, bool above) {
    for (size_t s = 0; s < 2; ++s) {
      const size_t depth = facts.size();
      facts.insert(facts.end(), here[s].begin(), here[s].end());
      const auto room = above ? Minus(bound, sides[s]) : Minus(sides[s], bound);
      const bool holds =
          room && (prover.NonNegativeInContext(*room, facts) || prover.NonNegative(*room, facts));
      facts.resize(depth);
      if (!holds) return;
    }
    if (const auto fact = above ? Minus(bound, picked) : Minus(picked, bound)) {
      facts.push_back(*fact);
    }
  };
  for (const size_t s : {1, 2}) {
    const Expr& side = program[expr.args[s]];
    const bool remainder =
        side.kind == ExprKind::kOp && side.op != nullptr && side.op->algebra == Algebra::kModulo;
    if (remainder) bound_by(Shift(Value(side.args[1]), -1), true);
  }
  if (range.low < 0) bound_by(Linear::Constant(0), false);
  return picked;
}

}  // namespace verifier
