#include "verifier/prover.h"

#include <algorithm>

namespace verifier {
namespace {

constexpr size_t kMaxRelevant = 160;
constexpr size_t kMaxNear = 64;  // rows looked at before all are
constexpr int kMaxSplits = 3;    // cases of min and max

}  // namespace

// What is said of a product is said of its factors.
bool Prover::SpeaksOf(const Linear& fact, AtomId atom) const {
  return std::any_of(fact.terms.begin(), fact.terms.end(), [&](const Term& term) {
    if (term.atom == atom) return true;
    const std::vector<AtomId>& factors = atoms_[term.atom].factors;
    return std::binary_search(factors.begin(), factors.end(), atom);
  });
}

// The seed's rows and everything that shares an atom with them, transitively: ranges, definitions,
// facts of the context.
Facts Prover::Relevant(const Facts& seed, const Facts& facts, bool definitions) const {
  return Closure(seed, facts, definitions).rows;
}

Prover::Related Prover::Closure(const Facts& seed, const Facts& facts, bool definitions) const {
  Related related{.rows = seed, .bounds = std::vector<bool>(seed.size(), false)};
  Facts& rows = related.rows;
  std::vector<bool> seen(atoms_.size(), false);
  std::vector<AtomId> work;
  std::vector<bool> used(facts.size(), false);
  const auto visit = [&](const Linear& row) {
    for (const Term& term : row.terms) {
      const auto at = static_cast<size_t>(term.atom);
      if (!seen[at]) work.push_back(term.atom);
      seen[at] = true;
    }
  };
  for (const Linear& row : seed) visit(row);
  for (size_t next = 0; next < work.size() && rows.size() < kMaxRelevant; ++next) {
    const AtomId id = work[next];
    atoms_.rows_made() += static_cast<int64_t>(facts.size()) / kFactsScannedARow;
    const Atom& atom = atoms_[id];
    if (atom.range.has_low()) rows.push_back(Shift(Linear::Atom(id), -atom.range.low));
    if (atom.range.has_high()) rows.push_back({{{id, -1}}, atom.range.high});
    related.bounds.resize(rows.size(), true);
    for (size_t i = 0; definitions && i < atom.facts.size(); ++i) {
      rows.push_back(atom.facts[i]);
      visit(atom.facts[i]);
    }
    related.bounds.resize(rows.size(), atom.kind == AtomKind::kProduct);
    // From the innermost condition outwards: where there are too many, the outermost are left out.
    for (size_t i = facts.size(); i-- > 0 && rows.size() < kMaxRows;) {
      if (used[i] || !SpeaksOf(facts[i], id)) continue;
      used[i] = true;
      rows.push_back(facts[i]);
      visit(facts[i]);
    }
    related.bounds.resize(rows.size(), false);
  }
  return related;
}

// The rows closest to the first `seeds` ones: those that speak of the same atoms only, then, one by
// one, those that bring in the fewest others, bounds last. Few rows are eliminated fast, and mostly
// suffice.
Facts Prover::Near(const Related& related, size_t seeds) const {
  const Facts& rows = related.rows;
  Facts near;
  AtomId last = 0;
  for (const Linear& row : rows) {
    if (!row.terms.empty()) last = std::max(last, row.terms.back().atom);
  }
  std::vector<char> atoms(static_cast<size_t>(last) + 1, 0);  // of the rows that are taken
  std::vector<bool> taken(rows.size(), false);
  const auto take = [&](size_t i) {
    taken[i] = true;
    near.push_back(rows[i]);
    for (const Term& term : rows[i].terms) atoms[static_cast<size_t>(term.atom)] = 1;
  };
  for (size_t i = 0; i < seeds && i < rows.size(); ++i) take(i);
  while (near.size() < kMaxNear) {
    atoms_.rows_made() += static_cast<int64_t>(rows.size()) / kFactsScannedARow;
    size_t best = rows.size();
    std::pair<bool, size_t> fewest{true, std::numeric_limits<size_t>::max()};
    for (size_t i = 0; i < rows.size(); ++i) {
      if (taken[i]) continue;
      const auto others = static_cast<size_t>(
          std::count_if(rows[i].terms.begin(), rows[i].terms.end(),
                        [&](const Term& term) { return !atoms[static_cast<size_t>(term.atom)]; }));
      const std::pair<bool, size_t> here{related.bounds[i], others};
      if (others == 0) {
        take(i);
      } else if (here < fewest && others < rows[i].terms.size()) {
        best = i;
        fewest = here;
      }
    }
    if (best == rows.size()) break;
    take(best);
  }
  return near;
}

bool Prover::SplitOnMinMax(const Facts& rows, const Facts& facts, const Facts& relevant,
                           int splits) const {
  if (splits >= kMaxSplits) return false;
  for (const Linear& row : relevant) {
    for (const Term& term : row.terms) {
      const Atom& atom = atoms_[term.atom];
      if (atom.kind != AtomKind::kMin && atom.kind != AtomKind::kMax) continue;
      const Linear self = Linear::Atom(term.atom);
      bool already = false;
      bool both = true;
      for (const Linear* side : {&atom.left, &atom.right}) {
        // The atom equals one of its operands: the facts of the definition give the other
        // direction.
        const std::optional<Linear> equal =
            atom.kind == AtomKind::kMin ? Minus(self, *side) : Minus(*side, self);
        if (!equal) return false;
        if (std::find(rows.begin(), rows.end(), *equal) != rows.end()) {
          already = true;
          break;
        }
        Facts more = rows;
        more.push_back(*equal);
        both = both && Infeasible(more, facts, splits + 1);
        if (!both) break;
      }
      if (already) continue;
      return both;
    }
  }
  return false;
}

// The first of the rows' own terms that is one of two values, by both.
std::optional<bool> Prover::SplitOnSelect(const Facts& rows, const Facts& facts, int splits) const {
  for (const Linear& row : rows) {
    for (const Term& term : row.terms) {
      const Atom& atom = atoms_[term.atom];
      if (atom.kind != AtomKind::kSelect) continue;
      const auto above = Minus(Linear::Atom(term.atom), atom.left);
      const auto other = Minus(Linear::Atom(term.atom), atom.right);
      if (!above || !other) continue;
      if (std::find(rows.begin(), rows.end(), *above) != rows.end()) continue;
      if (std::find(rows.begin(), rows.end(), *other) != rows.end()) continue;
      for (const bool left : {true, false}) {
        Facts more = rows;
        const Linear& equal = left ? *above : *other;
        more.push_back(equal);
        more.push_back(*Times(equal, -1));
        const Facts& picked = left ? atom.if_left : atom.if_right;
        more.insert(more.end(), picked.begin(), picked.end());
        if (!Infeasible(more, facts, splits + 1)) return false;
      }
      return true;
    }
  }
  return std::nullopt;
}

bool Prover::Infeasible(const Facts& rows, const Facts& facts, int splits) const {
  if (atoms_.rows_made() > kMaxRowsMade) return false;
  const Related related = Closure(rows, facts, true);
  const Facts& relevant = related.rows;
  if (relevant.size() > kMaxNear && Eliminate(Near(related, rows.size()), atoms_)) return true;
  if (Eliminate(relevant, atoms_)) return true;
  Related multiplied = related;
  if (size_t seeds = rows.size(); MultiplyRows(multiplied, seeds)) {
    if (Eliminate(Near(multiplied, seeds), atoms_)) return true;
  }
  Facts more = std::move(multiplied.rows);
  const size_t before = more.size();
  if (splits == 0) {
    Facts known = facts;
    known.insert(known.end(), rows.begin(), rows.end());
    OrderProducts(relevant, known, more);
  }
  if (more.size() > before && Eliminate(more, atoms_)) return true;
  if (splits < kMaxSplits) {
    if (const auto selected = SplitOnSelect(rows, facts, splits)) return *selected;
  }
  return SplitOnMinMax(rows, facts, relevant, splits);
}

// A condition that is false for this member of a family, as that of a kernel which others have.
// It shares no atom with any goal.
bool Prover::NeverHold(const Facts& facts) {
  return std::any_of(facts.begin(), facts.end(), [](const Linear& fact) {
    return fact.is_constant() && fact.constant < 0;
  });
}

bool Prover::NonNegative(const Linear& goal, const Facts& facts) const {
  if (atoms_.RangeOf(goal).low >= 0 || NeverHold(facts)) return true;
  const std::optional<Linear> negated = Times(goal, -1);
  if (!negated) return false;
  return Infeasible({Shift(*negated, -1)}, facts, 0) || ForBothOperands(goal, facts);
}

// What holds of both operands holds of the smaller one, and of the larger one that is taken away:
// then each case is about what it is made of, and products that only one of them has are found.
bool Prover::ForBothOperands(const Linear& goal, const Facts& facts) const {
  for (const Term& term : goal.terms) {
    const Atom& atom = atoms_[term.atom];
    const bool least = atom.kind == AtomKind::kMin && term.coefficient > 0;
    const bool most = atom.kind == AtomKind::kMax && term.coefficient < 0;
    if (!least && !most) continue;
    const auto rest = Combine(goal, 1, Linear::Atom(term.atom), -term.coefficient);
    const auto holds = [&](const Linear& side) {
      const auto of_side = rest ? Combine(*rest, 1, side, term.coefficient) : std::nullopt;
      return of_side && NonNegative(*of_side, facts);
    };
    return holds(atom.left) && holds(atom.right);
  }
  return false;
}

bool Prover::NonNegativeInContext(const Linear& goal, const Facts& facts) const {
  if (atoms_.RangeOf(goal).low >= 0 || NeverHold(facts)) return true;
  const std::optional<Linear> negated = Times(goal, -1);
  return negated && Eliminate(Relevant({Shift(*negated, -1)}, facts, false), atoms_);
}

bool Prover::Contradiction(const Facts& facts) const {
  return NeverHold(facts) || Infeasible(facts, facts, 0);
}

bool Prover::Contradicts(const Facts& more, const Facts& facts) const {
  return Infeasible(more, facts, 0);
}

bool Prover::AtMost(const Linear& left, const Linear& right, const Facts& facts) const {
  const std::optional<Linear> room = Minus(right, left);
  return room && NonNegative(*room, facts);
}

bool Prover::Below(const Linear& left, const Linear& right, const Facts& facts) const {
  const std::optional<Linear> room = Minus(right, left);
  return room && NonNegative(Shift(*room, -1), facts);
}

}  // namespace verifier
