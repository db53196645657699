// Quotients and remainders.
#include <algorithm>
#include <set>

#include "verifier/evaluator.h"

namespace verifier {

using ir::Algebra;
using ir::Expr;
using ir::ExprId;

void Evaluator::DivisorIsPositive(ExprId id, const Linear& divisor) {
  if (index_depth_ == 0 || (divisor.is_constant() && divisor.constant > 0)) return;
  Require(Requirement::Kind::kDivisor, id, divisor, {.low = 1});
  facts.push_back(Shift(divisor, -1));  // said once; what follows is read as if it held
}

// floor(a / d) of proven a >= 0, d >= 1: multiples of d leave the quotient.
Linear Evaluator::Divided(const Linear& a, const Linear& d) {
  const Linear quotient = QuotientOf(a, d);
  KeepShare(quotient, a, d);
  KeepBelow(quotient, a, d);
  return quotient;
}

// a < n*d gives floor(a / d) < n, of the numbers of tiles n*d that facts of the place speak of: the
// prover would have to multiply what it is to show.
void Evaluator::KeepBelow(const Linear& quotient, const Linear& a, const Linear& d) {
  if (!d.is_atom() || d.is_constant() || quotient.is_constant()) return;
  const std::vector<AtomId> divisor = analysis.atoms.FactorsOf(d.terms[0].atom);
  std::set<AtomId> multiples;
  for (const Linear& fact : facts) {
    for (const Term& term : fact.terms) {
      const Atom& atom = analysis.atoms[term.atom];
      if (atom.kind != AtomKind::kProduct || !atom.uniform) continue;
      if (Without(atom.factors, divisor)) multiples.insert(term.atom);
    }
  }
  for (const AtomId multiple : multiples) {
    const auto room = Minus(Linear::Atom(multiple), a);
    if (!room || !prover.NonNegativeInContext(Shift(*room, -1), facts)) continue;
    const std::vector<AtomId> rest = *Without(analysis.atoms[multiple].factors, divisor);
    const Linear tiles = rest.size() > 1 ? Linear::Atom(analysis.atoms.ProductOf(rest))
                                         : analysis.atoms.ExistingProduct(rest).value();
    const auto below = Minus(tiles, quotient);
    if (!below) continue;
    const Linear fact = Shift(*below, -1);
    if (std::find(facts.begin(), facts.end(), fact) == facts.end()) facts.push_back(fact);
  }
}

bool Evaluator::HasProduct(const Linear& value) const {
  return std::any_of(value.terms.begin(), value.terms.end(), [&](const Term& term) {
    return analysis.atoms[term.atom].kind == AtomKind::kProduct;
  });
}

// f*a <= f*b where a <= b and f >= 0: what is left of both without a factor of the larger one.
bool Evaluator::AtMostByFactor(const Linear& value, const Linear& most) {
  if (!most.is_atom()) return false;
  const std::vector<AtomId> all = analysis.atoms[most.terms[0].atom].factors;
  for (const AtomId one : all) {
    if (analysis.atoms[one].range.low < 0) continue;
    const auto [part, rest] = analysis.atoms.SplitBy(value, Linear::Atom(one));
    if (!(rest == Linear::Constant(0)) || part.is_constant()) continue;
    const auto others = analysis.atoms.ExistingProduct(*Without(all, {one}));
    const auto room = others ? Minus(*others, part) : std::nullopt;
    if (room && prover.NonNegativeInContext(*room, facts)) return true;
  }
  return false;
}

// floor(s*n / d) <= s where n <= d, and below s where 1 is taken from s*n: shares of s.
void Evaluator::KeepShare(const Linear& quotient, const Linear& a, const Linear& d) {
  if (d.is_constant() || quotient.is_constant() || a.constant < -1) return;
  const Linear terms = Shift(a, a.constant == -1 ? 1 : 0);
  std::set<AtomId> factors;
  for (const Term& term : terms.terms) {
    for (const AtomId factor : analysis.atoms.FactorsOf(term.atom)) factors.insert(factor);
    factors.insert(term.atom);
  }
  for (const AtomId factor : factors) {
    const Linear share = Linear::Atom(factor);
    const auto [part, rest] = analysis.atoms.SplitBy(terms, share);
    if (!(rest == Linear::Constant(0)) || !analysis.atoms.Uniform(share)) continue;
    // A number of tiles times others is hardly below a plain number: not worth a proof.
    if (HasProduct(part) && !HasProduct(d)) continue;
    if (analysis.atoms.RangeOf(share).low < 1) continue;
    if (!AtMostByFactor(part, d) && !prover.AtMost(part, d, facts)) continue;
    const auto room = Minus(share, quotient);
    if (!room) continue;
    const Linear fact = Shift(*room, a.constant == -1 ? -1 : 0);
    if (std::find(facts.begin(), facts.end(), fact) == facts.end()) facts.push_back(fact);
  }
}

Linear Evaluator::QuotientOf(const Linear& a, const Linear& d) {
  const auto [whole, rest] = analysis.atoms.SplitBy(a, d);
  if (!(whole == Linear::Constant(0)) && prover.NonNegative(rest, facts)) {
    if (prover.Below(rest, d, facts)) return whole;
    if (const auto sum = Plus(whole, analysis.atoms.SymbolicQuotient(rest, d))) return *sum;
  }
  return analysis.atoms.SymbolicQuotient(a, d);
}

// floor division, which is `/` where the dividend is not negative.
Linear Evaluator::Quotient(ExprId id, const Expr& expr) {
  const Linear a = Narrowed(Value(expr.args[0])), d = Narrowed(Value(expr.args[1]));
  DivisorIsPositive(expr.args[1], d);
  const bool ceil = expr.op->algebra == Algebra::kCeilDivide;
  if (!prover.AtMost(Linear::Constant(0), a, facts) ||
      !prover.AtMost(Linear::Constant(1), d, facts)) {
    Linear unknown = Unknown(expr);
    const Interval range = analysis.atoms.RangeOf(a);
    if (d.is_constant() && d.constant > 0 && range.has_low() && range.has_high() && !ceil) {
      analysis.atoms.Mutable(unknown.terms[0].atom).range = {range.low / d.constant,
                                                             range.high / d.constant};
    }
    return unknown;
  }
  if (!ceil) return Fit(id, Divided(a, d));
  const std::optional<Linear> sum = Plus(a, Shift(d, -1));
  if (!sum) return Unknown(expr);
  return Fit(id, analysis.atoms.SymbolicQuotient(*sum, d));
}

Linear Evaluator::Remainder(ExprId id, const Expr& expr) {
  const Linear a = Narrowed(Value(expr.args[0])), d = Narrowed(Value(expr.args[1]));
  DivisorIsPositive(expr.args[1], d);
  if (!prover.AtMost(Linear::Constant(1), d, facts)) return Unknown(expr);
  if (!prover.AtMost(Linear::Constant(0), a, facts)) {
    Linear unknown = Unknown(expr);
    const Interval range = analysis.atoms.RangeOf(d);
    if (range.has_high()) {
      analysis.atoms.Mutable(unknown.terms[0].atom).range = {1 - range.high, range.high - 1};
    }
    return unknown;
  }
  const std::optional<Linear> below = Minus(d, a);
  const bool whole = d.is_constant()
                         ? prover.Below(a, d, facts)
                         : below && prover.NonNegativeInContext(Shift(*below, -1), facts);
  if (whole) return a;
  const Linear q = Divided(a, d);
  const std::optional<Linear> qd = analysis.atoms.Product(q, d);
  const std::optional<Linear> rest = qd ? Minus(a, *qd) : std::nullopt;
  if (!rest || d.is_constant() || in_guard_) return Fit(id, rest);
  return Fit(id, analysis.atoms.Remainder(*rest, d));
}

}  // namespace verifier
