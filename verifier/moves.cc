// How far one iteration of a loop moves a variable, where no single fact says it: what is assigned
// several times on the way, some of them under a condition, is named in between.
#include <algorithm>
#include <cstdlib>

#include "verifier/evaluator.h"

namespace verifier {
namespace {

constexpr int64_t kFar = int64_t{1} << 31;  // bounds beyond say no more than a type does

bool SharesAnAtom(const Linear& a, const Linear& b) {
  return std::any_of(a.terms.begin(), a.terms.end(), [&](const Term& s) {
    return std::any_of(b.terms.begin(), b.terms.end(),
                       [&](const Term& t) { return s.atom == t.atom; });
  });
}

bool Tight(const Interval& range) {
  return range.has_low() && range.has_high() && range.low > -kFar && range.high < kFar &&
         range.high - range.low < kFar;
}

}  // namespace

// Each fact is not negative, so value - fact <= value <= value + fact, and what one more fact says
// of either bound holds of the value. Only where one fact alone does not bound it.
Interval Evaluator::RangeOfMove(const Linear& moved) const {
  Interval range = KnownRange(moved);
  if (Tight(range)) return range;
  const Interval by_one = range;
  analysis.atoms.rows_made() += static_cast<int64_t>(facts.size()) / kFactsScannedARow;
  for (const Linear& fact : facts) {
    if (!SharesAnAtom(fact, moved)) continue;
    if (const auto above = Plus(moved, fact)) {
      range.high = std::min(range.high, KnownRange(*above).high);
    }
    if (const auto below = Minus(moved, fact)) {
      range.low = std::max(range.low, KnownRange(*below).low);
    }
  }
  return range.low <= range.high ? range : by_one;
}

}  // namespace verifier
