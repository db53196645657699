// Products of atoms in a normal form: the sorted factors, so that a product written in any order,
// or in parts, is one unknown.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "verifier/atoms.h"

namespace verifier {
namespace {

constexpr size_t kMaxProductTerms = 6;
constexpr size_t kMaxFactors = 6;
constexpr int64_t kLargestBound = int64_t{1} << 40;  // McCormick rows need products that stay small

// The four lines that bound a product of two ranges: (a - al)(b - bl) >= 0 and its three mirrors.
std::vector<Linear> McCormick(AtomId product, const Atom& a, AtomId ia, const Atom& b, AtomId ib) {
  std::vector<Linear> rows;
  for (const auto& [abound, asign] : {std::pair{a.range.low, 1}, std::pair{a.range.high, -1}}) {
    for (const auto& [bbound, bsign] : {std::pair{b.range.low, 1}, std::pair{b.range.high, -1}}) {
      if (abound > kLargestBound || abound < -kLargestBound) continue;
      if (bbound > kLargestBound || bbound < -kLargestBound) continue;
      // asign*(a - abound) * bsign*(b - bbound) >= 0
      const int64_t sign = asign * bsign;
      const std::optional<Linear> first =
          Combine(Linear::Atom(ia), -sign * bbound, Linear::Atom(ib), -sign * abound);
      if (!first) continue;
      const std::optional<Linear> sum = Combine(*first, 1, Linear::Atom(product), sign);
      const __int128 constant = static_cast<__int128>(sign) * abound * bbound;
      if (!sum || constant > (__int128{1} << 61) || constant < -(__int128{1} << 61)) continue;
      rows.push_back(Shift(*sum, static_cast<int64_t>(constant)));
    }
  }
  return rows;
}

}  // namespace

std::optional<std::vector<AtomId>> Without(const std::vector<AtomId>& all,
                                           const std::vector<AtomId>& some) {
  if (!std::includes(all.begin(), all.end(), some.begin(), some.end())) return std::nullopt;
  std::vector<AtomId> rest;
  std::set_difference(all.begin(), all.end(), some.begin(), some.end(), std::back_inserter(rest));
  return rest;
}

std::vector<AtomId> Atoms::FactorsOf(AtomId atom) const {
  const Atom& at = (*this)[atom];
  return at.kind == AtomKind::kProduct ? at.factors : std::vector<AtomId>{atom};
}

std::optional<Linear> Atoms::ExistingProduct(const std::vector<AtomId>& factors) const {
  if (factors.empty()) return Linear::Constant(1);
  if (factors.size() == 1) return Linear::Atom(factors[0]);
  const auto found = products_.find(factors);
  if (found == products_.end()) return std::nullopt;
  return Linear::Atom(found->second);
}

AtomId Atoms::ProductOf(const std::vector<AtomId>& factors) {
  const auto [at, inserted] = products_.try_emplace(factors, 0);
  if (!inserted) return at->second;
  Atom atom{.kind = AtomKind::kProduct, .range = {1, 1}, .uniform = true, .factors = factors};
  for (const AtomId id : factors) {
    const Atom& factor = (*this)[id];
    absl::StrAppend(&atom.name, atom.name.empty() ? "" : "*", factor.name);
    atom.range = Multiply(atom.range, factor.range);
    atom.uniform = atom.uniform && factor.uniform;
    atom.of_elements = atom.of_elements || factor.of_elements;
    if (__builtin_mul_overflow(atom.divisor, factor.divisor, &atom.divisor)) atom.divisor = 1;
  }
  at->second = Add(std::move(atom));
  return at->second;
}

// Each way in which a product is put together adds what the ranges of those parts say of it.
std::optional<Linear> Atoms::ProductOfAtoms(AtomId a, AtomId b) {
  if (a > b) std::swap(a, b);
  const auto [at, inserted] = memo_.try_emplace(absl::StrCat("mul:", a, ",", b), 0);
  if (!inserted) return at->second < 0 ? std::nullopt : std::optional(Linear::Atom(at->second));
  std::vector<AtomId> factors = FactorsOf(a);
  for (const AtomId factor : FactorsOf(b)) factors.push_back(factor);
  std::sort(factors.begin(), factors.end());
  at->second = factors.size() > kMaxFactors ? -1 : ProductOf(factors);
  if (at->second < 0) return std::nullopt;
  const AtomId self = at->second;
  const Atom left = (*this)[a], right = (*this)[b];
  Atom& product = Mutable(self);
  const Interval range = Meet(product.range, Multiply(left.range, right.range));
  if (range.low <= range.high) product.range = range;
  for (Linear& row : McCormick(self, left, a, right, b)) product.facts.push_back(std::move(row));
  return Linear::Atom(self);
}

std::optional<Linear> Atoms::Product(const Linear& a, const Linear& b) {
  if (a.is_constant()) return Times(b, a.constant);
  if (b.is_constant()) return Times(a, b.constant);
  if (a.terms.size() * b.terms.size() > kMaxProductTerms) return std::nullopt;
  std::optional<Linear> sum = Combine(a, b.constant, b, a.constant);
  if (!sum) return std::nullopt;
  // The constants' product is counted twice above.
  const __int128 constant = static_cast<__int128>(a.constant) * b.constant;
  if (constant > (__int128{1} << 61) || constant < -(__int128{1} << 61)) return std::nullopt;
  sum->constant -= static_cast<int64_t>(constant);
  for (const Term& s : a.terms) {
    for (const Term& t : b.terms) {
      int64_t coefficient = 0;
      if (__builtin_mul_overflow(s.coefficient, t.coefficient, &coefficient)) return std::nullopt;
      const std::optional<Linear> product = ProductOfAtoms(s.atom, t.atom);
      sum = product ? Combine(*sum, 1, *product, coefficient) : std::nullopt;
      if (!sum) return std::nullopt;
    }
  }
  return sum;
}

std::pair<Linear, Linear> Atoms::SplitBy(const Linear& a, const Linear& d) {
  std::pair<Linear, Linear> split{{}, Linear::Constant(a.constant)};
  if (!d.is_atom()) return {{}, a};
  const std::vector<AtomId> divisor = FactorsOf(d.terms[0].atom);
  for (const Term& term : a.terms) {
    const auto rest = Without(FactorsOf(term.atom), divisor);
    std::optional<Linear> sum;
    if (rest) {
      const Linear factor =
          rest->size() > 1 ? Linear::Atom(ProductOf(*rest)) : ExistingProduct(*rest).value();
      sum = Combine(split.first, 1, factor, term.coefficient);
    }
    if (sum) {
      split.first = *sum;
    } else {
      split.second.terms.push_back(term);
    }
  }
  return split;
}

}  // namespace verifier
