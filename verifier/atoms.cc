#include "verifier/atoms.h"

#include <algorithm>
#include <numeric>

#include "absl/strings/str_cat.h"

namespace verifier {
namespace {

constexpr size_t kMaxProductTerms = 6;
constexpr int64_t kLargestBound = int64_t{1} << 40;  // McCormick rows need products that stay small

int64_t FloorDivide(int64_t a, int64_t b) {
  const int64_t q = a / b;
  return q - (a % b != 0 && (a < 0) != (b < 0));
}

void AddFact(Atom& atom, const std::optional<Linear>& fact) {
  if (fact) atom.facts.push_back(*fact);
}

// The four lines that bound a product of two ranges: (a - al)(b - bl) >= 0 and its three mirrors.
void AddMcCormick(Atom& product, AtomId self, const Atom& a, AtomId ia, const Atom& b, AtomId ib) {
  for (const auto& [abound, asign] : {std::pair{a.range.low, 1}, std::pair{a.range.high, -1}}) {
    for (const auto& [bbound, bsign] : {std::pair{b.range.low, 1}, std::pair{b.range.high, -1}}) {
      if (std::abs(abound + 1) > kLargestBound || std::abs(bbound + 1) > kLargestBound) continue;
      // asign*(a - abound) * bsign*(b - bbound) >= 0
      const int64_t sign = asign * bsign;
      Linear row;
      const std::optional<Linear> first =
          Combine(Linear::Atom(ia), -sign * bbound, Linear::Atom(ib), -sign * abound);
      if (!first) continue;
      const std::optional<Linear> sum = Combine(*first, 1, Linear::Atom(self), sign);
      const __int128 constant = static_cast<__int128>(sign) * abound * bbound;
      if (!sum || constant > (__int128{1} << 61) || constant < -(__int128{1} << 61)) continue;
      row = Shift(*sum, static_cast<int64_t>(constant));
      product.facts.push_back(row);
    }
  }
}

}  // namespace

AtomId Atoms::Add(Atom atom) {
  atoms_.push_back(std::move(atom));
  return static_cast<AtomId>(atoms_.size() - 1);
}

std::string Atoms::Key(const Linear& value) const {
  std::string key;
  for (const Term& term : value.terms) absl::StrAppend(&key, term.coefficient, "a", term.atom, "+");
  return absl::StrCat(key, value.constant);
}

AtomId Atoms::Opaque(const std::string& key, Interval range) {
  const auto [at, inserted] = memo_.try_emplace(absl::StrCat("opaque:", key), 0);
  if (inserted) at->second = Add({.name = key, .range = range});
  return at->second;
}

AtomId Atoms::Element(int32_t tensor, const std::vector<Linear>& indices, Interval range) {
  std::string key = absl::StrCat("ld:", tensor);
  bool uniform = true;
  for (const Linear& index : indices) {
    absl::StrAppend(&key, ",", Key(index));
    uniform = uniform && Uniform(index);
  }
  const auto [at, inserted] = memo_.try_emplace(key, 0);
  if (inserted) {
    at->second = Add({.name = key,
                      .range = range,
                      .uniform = uniform,
                      .tensor = tensor,
                      .indices = indices,
                      .of_elements = true});
  }
  return at->second;
}

Linear Atoms::ProductOfAtoms(AtomId a, AtomId b) {
  if (a > b) std::swap(a, b);
  const auto [at, inserted] = memo_.try_emplace(absl::StrCat("mul:", a, ",", b), 0);
  if (inserted) {
    const Atom left = (*this)[a], right = (*this)[b];
    Atom atom{.kind = AtomKind::kProduct,
              .name = absl::StrCat(left.name, "*", right.name),
              .range = Multiply(left.range, right.range),
              .uniform = left.uniform && right.uniform,
              .factors = {a, b},
              .of_elements = left.of_elements || right.of_elements};
    if (__builtin_mul_overflow(left.divisor, right.divisor, &atom.divisor)) atom.divisor = 1;
    const auto self = static_cast<AtomId>(atoms_.size());
    AddMcCormick(atom, self, left, a, right, b);
    at->second = Add(std::move(atom));
  }
  return Linear::Atom(at->second);
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
      sum = Combine(*sum, 1, ProductOfAtoms(s.atom, t.atom), coefficient);
      if (!sum) return std::nullopt;
    }
  }
  return sum;
}

Linear Atoms::MinOrMax(bool is_min, const Linear& a, const Linear& b) {
  if (a == b) return a;
  const Interval ra = RangeOf(a), rb = RangeOf(b);
  if (ra.high <= rb.low) return is_min ? a : b;
  if (rb.high <= ra.low) return is_min ? b : a;
  const auto [at, inserted] =
      memo_.try_emplace(absl::StrCat(is_min ? "min:" : "max:", Key(a), ",", Key(b)), 0);
  if (inserted) {
    const Linear self = Linear::Atom(static_cast<AtomId>(atoms_.size()));
    Atom atom{.kind = is_min ? AtomKind::kMin : AtomKind::kMax,
              .name = is_min ? "min" : "max",
              .uniform = Uniform(a) && Uniform(b),
              .left = a,
              .right = b};
    atom.range = is_min ? Interval{std::min(ra.low, rb.low), std::min(ra.high, rb.high)}
                        : Interval{std::max(ra.low, rb.low), std::max(ra.high, rb.high)};
    atom.divisor = std::max<int64_t>(1, std::gcd(DivisorOf(a), DivisorOf(b)));
    AddFact(atom, is_min ? Minus(a, self) : Minus(self, a));
    AddFact(atom, is_min ? Minus(b, self) : Minus(self, b));
    at->second = Add(std::move(atom));
  }
  return Linear::Atom(at->second);
}

Linear Atoms::FloorQuotient(const Linear& all, int64_t c) {
  if (c == 1) return all;
  // What c divides leaves the quotient; the rest is divided, with a constant below c.
  Linear whole = Linear::Constant(FloorDivide(all.constant, c));
  Linear a = Linear::Constant(all.constant - whole.constant * c);
  for (const Term& t : all.terms) {
    if (t.coefficient % c == 0) {
      whole.terms.push_back({t.atom, t.coefficient / c});
    } else {
      a.terms.push_back(t);
    }
  }
  const Interval rest = RangeOf(a);
  if (rest.low >= 0 && rest.high < c) return whole;
  if (!(whole == Linear::Constant(0))) {
    if (const std::optional<Linear> sum = Plus(whole, FloorQuotient(a, c))) return *sum;
    whole = Linear::Constant(0);
    a = all;
  }
  const auto [at, inserted] = memo_.try_emplace(absl::StrCat("div:", Key(a), "/", c), 0);
  if (inserted) {
    const Linear self = Linear::Atom(static_cast<AtomId>(atoms_.size()));
    const Interval range = RangeOf(a);
    Atom atom{.kind = AtomKind::kQuotient,
              .name = "quotient",
              .uniform = Uniform(a),
              .left = a,
              .right = Linear::Constant(c),
              .of_elements = OfElements(a)};
    if (range.has_low()) atom.range.low = FloorDivide(range.low, c);
    if (range.has_high()) atom.range.high = FloorDivide(range.high, c);
    if (const int64_t divisor = DivisorOf(a); divisor % c == 0 && divisor != 0) {
      atom.divisor = divisor / c;
      AddFact(atom, Combine(self, c, a, -1));  // the remainder is 0
    }
    const std::optional<Linear> rest = Combine(a, 1, self, -c);
    AddFact(atom, rest);
    if (rest) {
      if (const std::optional<Linear> below = Times(*rest, -1)) {
        atom.facts.push_back(Shift(*below, c - 1));
      }
    }
    at->second = Add(std::move(atom));
  }
  return Linear::Atom(at->second);
}

Linear Atoms::SymbolicQuotient(const Linear& a, const Linear& d) {
  if (d.is_constant()) return FloorQuotient(a, d.constant);
  const std::string key = absl::StrCat("div:", Key(a), "/", Key(d));
  if (const auto found = memo_.find(key); found != memo_.end()) {
    return Linear::Atom(found->second);
  }
  const Interval range = RangeOf(a);
  const AtomId id = Add({.kind = AtomKind::kQuotient,
                         .name = "quotient",
                         .range = {0, range.high},
                         .uniform = Uniform(a) && Uniform(d),
                         .left = a,
                         .right = d,
                         .of_elements = OfElements(a) || OfElements(d)});
  memo_[key] = id;
  // q*d <= a < q*d + d, with q*d a product of its own.
  if (const std::optional<Linear> qd = Product(Linear::Atom(id), d)) {
    AddFact(Mutable(id), Minus(a, *qd));
    if (const std::optional<Linear> above = Plus(*qd, d)) {
      if (const std::optional<Linear> room = Minus(*above, a)) {
        Mutable(id).facts.push_back(Shift(*room, -1));
      }
    }
  }
  return Linear::Atom(id);
}

std::pair<Linear, Linear> Atoms::SplitBy(const Linear& a, const Linear& d) const {
  std::pair<Linear, Linear> split{{}, Linear::Constant(a.constant)};
  if (!d.is_atom()) return {{}, a};
  const AtomId divisor = d.terms[0].atom;
  for (const Term& term : a.terms) {
    const Atom& atom = (*this)[term.atom];
    std::optional<Linear> factor;
    if (term.atom == divisor) factor = Linear::Constant(1);
    for (size_t i = 0; i < atom.factors.size() && !factor; ++i) {
      if (atom.factors[i] == divisor) factor = Linear::Atom(atom.factors[1 - i]);
    }
    const std::optional<Linear> sum =
        factor ? Combine(split.first, 1, *factor, term.coefficient) : std::nullopt;
    if (sum) {
      split.first = *sum;
    } else {
      split.second.terms.push_back(term);
    }
  }
  return split;
}

Interval Atoms::RangeOf(const Linear& value) const {
  Interval sum{value.constant, value.constant};
  for (const Term& term : value.terms) {
    sum = verifier::Add(sum, Scale((*this)[term.atom].range, term.coefficient));
  }
  return sum;
}

Interval Atoms::RangeOfBits(const Linear& value) const {
  for (const Term& term : value.terms) {
    const Atom& atom = (*this)[term.atom];
    const bool by_constant = atom.kind == AtomKind::kQuotient && atom.right.is_constant();
    if (!by_constant || term.coefficient != -atom.right.constant) continue;
    const auto dividend = Combine(value, 1, Linear::Atom(term.atom), atom.right.constant);
    if (dividend && *dividend == atom.left) return {0, atom.right.constant - 1};
  }
  for (const Term& term : value.terms) {
    if (term.coefficient != -1 || (*this)[term.atom].kind != AtomKind::kProduct) continue;
    const std::vector<AtomId>& factors = (*this)[term.atom].factors;
    for (const auto& [q, d] : {std::pair{factors[0], factors[1]}, {factors[1], factors[0]}}) {
      const Atom& quotient = (*this)[q];
      if (quotient.kind != AtomKind::kQuotient || !(quotient.right == Linear::Atom(d))) continue;
      const auto dividend = Plus(value, Linear::Atom(term.atom));
      const Interval divisor = (*this)[d].range;
      if (dividend && *dividend == quotient.left && divisor.has_high()) {
        return {0, std::max<int64_t>(divisor.high - 1, 0)};
      }
    }
  }
  return RangeOf(value);
}

int64_t Atoms::DivisorOf(const Linear& value) const {
  int64_t divisor = std::abs(value.constant);
  for (const Term& term : value.terms) {
    int64_t of_term = 0;
    if (__builtin_mul_overflow(std::abs(term.coefficient), (*this)[term.atom].divisor, &of_term)) {
      of_term = std::abs(term.coefficient);
    }
    divisor = std::gcd(divisor, of_term);
  }
  return divisor;
}

bool Atoms::Uniform(const Linear& value) const {
  return std::all_of(value.terms.begin(), value.terms.end(),
                     [this](const Term& t) { return (*this)[t.atom].uniform; });
}

bool Atoms::OfElements(const Linear& value) const {
  return std::any_of(value.terms.begin(), value.terms.end(),
                     [this](const Term& t) { return (*this)[t.atom].of_elements; });
}

}  // namespace verifier
