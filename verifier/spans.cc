// Each step keeps an upper bound: a sum is at most the sum of its terms' bounds, where a term that
// is taken away counts with its least value; floor(a / c) <= a / c; a product of factors that are
// not negative is at most the bound of one times the largest values of the others; and a fact,
// being not negative, may be added. All in exact fractions: nothing is rounded before the end.
#include "verifier/spans.h"

#include <algorithm>

namespace verifier {
namespace {

constexpr int kMaxDepth = 10;
constexpr int kMaxFactDepth = 6;
constexpr __int128 kLargest = __int128{1} << 60;

std::optional<SpanBound> Fit(__int128 rise, __int128 constant, __int128 denominator) {
  const auto fits = [](__int128 v) { return v <= kLargest && v >= -kLargest; };
  if (!fits(rise) || !fits(constant) || !fits(denominator)) return std::nullopt;
  return SpanBound{static_cast<int64_t>(rise), static_cast<int64_t>(constant),
                   static_cast<int64_t>(denominator)};
}

std::optional<SpanBound> Sum(const SpanBound& a, const SpanBound& b) {
  const __int128 da = a.denominator, db = b.denominator;
  if (da == db) {
    return Fit(static_cast<__int128>(a.rise) + b.rise,
               static_cast<__int128>(a.constant) + b.constant, da);
  }
  return Fit(a.rise * db + b.rise * da, a.constant * db + b.constant * da, da * db);
}

std::optional<SpanBound> Scaled(const SpanBound& a, int64_t by) {  // by >= 0
  return Fit(static_cast<__int128>(a.rise) * by, static_cast<__int128>(a.constant) * by,
             a.denominator);
}

}  // namespace

SpanBounds::Found SpanBounds::Better(const Found& a, const Found& b) const {
  if (!a || !b) return a ? a : b;
  const auto cost = [&](const SpanBound& bound) {
    return (static_cast<double>(bound.rise) * static_cast<double>(distance_) +
            static_cast<double>(bound.constant) * static_cast<double>(count_)) /
           static_cast<double>(bound.denominator);
  };
  return cost(*b) < cost(*a) ? b : a;
}

SpanBounds::Found SpanBounds::Upper(const Linear& value, int depth) const {
  if (depth > kMaxDepth) return std::nullopt;
  Found best = BySum(value, depth);
  if (depth > kMaxFactDepth) return best;
  atoms_.rows_made() += static_cast<int64_t>(facts_.size()) / kFactsScannedARow;
  for (const Linear& fact : facts_) {
    const auto more = Plus(value, fact);
    // Only what leaves fewer terms: others say nothing of this one.
    if (!more || more->terms.size() >= value.terms.size()) continue;
    best = Better(best, Upper(*more, depth + 1));
  }
  return best;
}

SpanBounds::Found SpanBounds::BySum(const Linear& value, int depth) const {
  int64_t of_later = 0, of_earlier = 0;
  for (const Term& term : value.terms) {
    if (term.atom == later_) of_later = term.coefficient;
    if (term.atom == earlier_) of_earlier = term.coefficient;
  }
  const int64_t spans = std::max<int64_t>(0, std::min(of_later, -of_earlier));
  Found sum = Fit(spans, value.constant, 1);
  for (const Term& term : value.terms) {
    int64_t coefficient = term.coefficient;
    if (term.atom == later_) coefficient -= spans;
    if (term.atom == earlier_) coefficient += spans;
    if (coefficient == 0) continue;
    const Interval& range = atoms_[term.atom].range;
    Found of_term;
    if (coefficient > 0) {
      of_term = OfAtom(term.atom, depth + 1);
      if (of_term) of_term = Scaled(*of_term, coefficient);
    } else if (range.has_low()) {
      of_term = Fit(0, static_cast<__int128>(range.low) * coefficient, 1);
    }
    sum = sum && of_term ? Sum(*sum, *of_term) : std::nullopt;
    if (!sum) return sum;
  }
  return sum;
}

SpanBounds::Found SpanBounds::OfAtom(AtomId id, int depth) const {
  const Atom& atom = atoms_[id];
  Found best;
  if (atom.range.has_high()) best = Fit(0, atom.range.high, 1);
  if (depth > kMaxDepth || id == later_ || id == earlier_) return best;
  switch (atom.kind) {
    case AtomKind::kQuotient:
      if (atom.right.is_constant() && atom.right.constant > 0 && atom.of_elements) {
        const Found left = Upper(atom.left, depth + 1);
        if (left) {
          best = Better(best, Fit(left->rise, left->constant,
                                  static_cast<__int128>(left->denominator) * atom.right.constant));
        }
      }
      break;
    case AtomKind::kProduct: best = Better(best, OfProduct(atom, depth)); break;
    case AtomKind::kMin:
      best = Better(best, Upper(atom.left, depth + 1));
      best = Better(best, Upper(atom.right, depth + 1));
      break;
    case AtomKind::kOpaque:
      if (!atom.left.terms.empty()) best = Better(best, Upper(atom.left, depth + 1));
      // The room of a loop: no more than its high end, or 0.
      if (atom.left.terms.empty() && !atom.right.terms.empty()) {
        const Found high = Upper(atom.right, depth + 1);
        if (high && high->rise >= 0 && high->constant >= 0) best = Better(best, high);
      }
      break;
    default: break;
  }
  return best;
}

SpanBounds::Found SpanBounds::OfProduct(const Atom& product, int depth) const {
  Found best;
  for (const AtomId one : product.factors) {
    Found found = OfAtom(one, depth + 1);
    bool left_out = false;
    for (const AtomId other : product.factors) {
      const Interval& range = atoms_[other].range;
      if (range.low < 0) return std::nullopt;
      if (other == one && !left_out) {
        left_out = true;
        continue;
      }
      found = found && range.has_high() ? Scaled(*found, range.high) : std::nullopt;
    }
    best = Better(best, found);
  }
  return best;
}

}  // namespace verifier
