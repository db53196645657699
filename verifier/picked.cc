// What a condition says of a value that is one of two: where one of them cannot be it, the other
// is, and what decided between them is known; what bounds the smaller or the larger one from the
// other side bounds both.
#include <algorithm>

#include "verifier/evaluator.h"

namespace verifier {

namespace {

constexpr int kMaxNested = 4;
// Each pick brings the rows of its own, and those the rows of what they are picked from: chains of
// picks double them. Rows left out only leave something unproven.
constexpr size_t kMostPicked = 256;

// The fact with `value` in place of the term's atom.
std::optional<Linear> With(const Linear& fact, const Term& term, const Linear& value) {
  const auto rest = Combine(fact, 1, Linear::Atom(term.atom), -term.coefficient);
  return rest ? Combine(*rest, 1, value, term.coefficient) : std::nullopt;
}

}  // namespace

// Adds to `out` what follows of its facts from ranges alone. A value that is picked may be picked
// from two itself.
void Evaluator::AddPicked(Facts& out) const {
  const auto never = [&](const Linear& fact, const Term& term, const Linear& side) {
    const auto with = With(fact, term, side);
    return with && analysis.atoms.RangeOf(*with).high < 0;
  };
  size_t done = 0;
  for (int round = 0; round < kMaxNested && done < out.size(); ++round) {
    const size_t end = out.size();
    for (; done < end && out.size() < kMostPicked; ++done) {
      const Linear fact = out[done];
      for (const Term& term : fact.terms) {
        const Atom& atom = analysis.atoms[term.atom];
        // What is above the smaller of two is above both.
        if ((atom.kind == AtomKind::kMin && term.coefficient > 0) ||
            (atom.kind == AtomKind::kMax && term.coefficient < 0)) {
          for (const Linear* side : {&atom.left, &atom.right}) {
            if (const auto with = With(fact, term, *side)) out.push_back(*with);
          }
        }
        if (atom.kind != AtomKind::kSelect) continue;
        const bool left = never(fact, term, atom.right);
        if (!left && !never(fact, term, atom.left)) continue;
        const auto equal = Minus(Linear::Atom(term.atom), left ? atom.left : atom.right);
        if (!equal) continue;
        const Facts& picked = left ? atom.if_left : atom.if_right;
        out.insert(out.end(), picked.begin(), picked.end());
        out.push_back(*equal);
        out.push_back(*Times(*equal, -1));
        if (const auto with = With(fact, term, left ? atom.left : atom.right)) out.push_back(*with);
      }
    }
  }
}

}  // namespace verifier
