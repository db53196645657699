#include "verifier/atoms.h"

#include <algorithm>
#include <numeric>

#include "absl/strings/str_cat.h"

namespace verifier {
namespace {

int64_t FloorDivide(int64_t a, int64_t b) {
  const int64_t q = a / b;
  return q - (a % b != 0 && (a < 0) != (b < 0));
}

void AddFact(Atom& atom, const std::optional<Linear>& fact) {
  if (fact) atom.facts.push_back(*fact);
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
  if (const std::optional<Linear> nested = QuotientOfQuotient(a, d)) return *nested;
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
  AddQuotientFacts(id, a, d);
  return Linear::Atom(id);
}

Linear Atoms::Remainder(const Linear& rest, const Linear& d) {
  if (rest.terms.size() <= 1) return rest;
  const auto [at, inserted] = memo_.try_emplace(absl::StrCat("rest:", Key(rest), "%", Key(d)), 0);
  if (!inserted) return Linear::Atom(at->second);
  const Interval divisor = RangeOf(d), terms = RangeOf(rest);
  const int64_t most = divisor.has_high() ? divisor.high - 1 : divisor.high;
  const Linear self = Linear::Atom(static_cast<AtomId>(atoms_.size()));
  Atom atom{.name = "remainder",
            .range = {0, std::max<int64_t>(0, std::min(most, terms.high))},
            .uniform = Uniform(rest),
            .left = rest,
            .remainder = true,
            .of_elements = OfElements(rest)};
  AddFact(atom, Minus(self, rest));
  AddFact(atom, Minus(rest, self));
  if (const std::optional<Linear> room = Minus(d, self)) atom.facts.push_back(Shift(*room, -1));
  at->second = Add(std::move(atom));
  return self;
}

// q*d <= a < q*d + d, with q*d a product of its own.
void Atoms::AddQuotientFacts(AtomId q, const Linear& a, const Linear& d) {
  const std::optional<Linear> qd = Product(Linear::Atom(q), d);
  const std::optional<Linear> above = qd ? Plus(*qd, d) : std::nullopt;
  const std::optional<Linear> rest = qd ? Minus(a, *qd) : std::nullopt;
  const std::optional<Linear> room = above ? Minus(*above, a) : std::nullopt;
  AddFact(Mutable(q), rest);
  if (room) Mutable(q).facts.push_back(Shift(*room, -1));
}

// floor(floor(a / r) / d) == floor(a / (r*d)): the one that is written with a product. The facts of
// both readings hold of it.
std::optional<Linear> Atoms::QuotientOfQuotient(const Linear& a, const Linear& d) {
  if (!a.is_atom() || (*this)[a.terms[0].atom].kind != AtomKind::kQuotient) return std::nullopt;
  const Linear left = (*this)[a.terms[0].atom].left, right = (*this)[a.terms[0].atom].right;
  if (right.is_constant()) return std::nullopt;
  const std::optional<Linear> both = Product(right, d);
  if (!both) return std::nullopt;
  const Linear quotient = SymbolicQuotient(left, *both);
  const bool read = !memo_.try_emplace(absl::StrCat("nested:", Key(a), "/", Key(d)), 0).second;
  if (!read && quotient.is_atom()) AddQuotientFacts(quotient.terms[0].atom, a, d);
  return quotient;
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
    for (const AtomId q : (*this)[term.atom].factors) {
      const Atom& quotient = (*this)[q];
      if (quotient.kind != AtomKind::kQuotient) continue;
      const auto divisor = ExistingProduct(Without((*this)[term.atom].factors, {q}).value());
      if (!divisor || !(quotient.right == *divisor)) continue;
      const auto dividend = Plus(value, Linear::Atom(term.atom));
      const Interval range = RangeOf(*divisor);
      if (dividend && *dividend == quotient.left && range.has_high()) {
        return {0, std::max<int64_t>(range.high - 1, 0)};
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
