#include "verifier/prover.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

namespace verifier {
namespace {

constexpr size_t kMaxRows = 600;  // of one elimination, at its start and while it runs
// Made by one elimination: of those that prove something nearly all make fewer than a tenth.
constexpr int64_t kMaxRowsOfOne = 2'500;
// Of all proofs of a program, a few tenths of a second: the analyses share one budget, the rules
// another.
constexpr int64_t kMaxRowsMade = 600'000;
// Looking through facts or terms costs this much less than making a row.
constexpr int64_t kFactsScannedARow = 16;
constexpr int64_t kTermsScannedARow = 8;
constexpr size_t kMaxRelevant = 160;
constexpr size_t kMaxNear = 64;  // rows looked at before all are
constexpr int kMaxSplits = 3;    // cases of min and max
constexpr int64_t kLargestCoefficient = int64_t{1} << 45;

int64_t FloorDivide(int64_t a, int64_t b) {  // b > 0
  const int64_t q = a / b;
  return q - (a % b != 0 && a < 0);
}

enum class Shape : uint8_t { kUseful, kTrivial, kFalse };

// Divides by the common divisor of the coefficients; over the integers the constant rounds down.
Shape Normalise(Linear& row) {
  if (row.terms.empty()) return row.constant < 0 ? Shape::kFalse : Shape::kTrivial;
  int64_t divisor = 0;
  for (const Term& term : row.terms) {
    divisor = std::gcd(divisor, std::abs(term.coefficient));
    if (divisor == 1) break;
  }
  if (divisor > 1) {
    for (Term& term : row.terms) term.coefficient /= divisor;
    row.constant = FloorDivide(row.constant, divisor);
  }
  for (const Term& term : row.terms) {
    if (std::abs(term.coefficient) > kLargestCoefficient) return Shape::kTrivial;
  }
  return Shape::kUseful;
}

using Terms = std::vector<Term>;

int64_t CoefficientOf(const Terms& terms, AtomId atom) {
  for (const Term& term : terms) {
    if (term.atom == atom) return term.coefficient;
  }
  return 0;
}
int64_t CoefficientOf(const Linear& row, AtomId atom) { return CoefficientOf(row.terms, atom); }

struct TermsBefore {
  bool operator()(const Terms& a, const Terms& b) const {
    return std::lexicographical_compare(
        a.begin(), a.end(), b.begin(), b.end(), [](const Term& x, const Term& y) {
          return x.atom != y.atom ? x.atom < y.atom : x.coefficient < y.coefficient;
        });
  }
};

// Rows by their terms, each with its constant: of two with the same terms the stronger is kept.
class Rows {
 public:
  // False: the row contradicts on its own.
  bool Insert(Linear row) {
    switch (Normalise(row)) {
      case Shape::kFalse: return false;
      case Shape::kTrivial: return true;
      case Shape::kUseful: break;
    }
    const auto [at, inserted] = rows_.try_emplace(std::move(row.terms), row.constant);
    if (!inserted) at->second = std::min(at->second, row.constant);
    return true;
  }
  // Takes out the rows with this atom.
  std::vector<Linear> Take(AtomId atom) {
    std::vector<Linear> taken;
    for (auto it = rows_.begin(); it != rows_.end();) {
      const auto next = std::next(it);
      if (CoefficientOf(it->first, atom) != 0) {
        auto node = rows_.extract(it);
        taken.push_back({std::move(node.key()), node.mapped()});
      }
      it = next;
    }
    return taken;
  }
  const std::map<Terms, int64_t, TermsBefore>& rows() const { return rows_; }

 private:
  std::map<Terms, int64_t, TermsBefore> rows_;
};

// The atom whose elimination makes the fewest new rows; -1 if there is none left.
AtomId Cheapest(Rows& rows, int64_t& rows_made) {
  struct Signs {
    int64_t negative = 0, positive = 0;
  };
  std::vector<Signs> by_atom;
  std::vector<AtomId> atoms;  // that occur
  int64_t terms = 0;
  for (const auto& [of_row, constant] : rows.rows()) {
    terms += static_cast<int64_t>(of_row.size());
    for (const Term& term : of_row) {
      const auto at = static_cast<size_t>(term.atom);
      if (at >= by_atom.size()) by_atom.resize(2 * at + 1);
      Signs& signs = by_atom[at];
      if (signs.negative + signs.positive == 0) atoms.push_back(term.atom);
      ++(term.coefficient > 0 ? signs.positive : signs.negative);
    }
  }
  rows_made += terms / kTermsScannedARow;
  AtomId best = -1;
  int64_t cost = 0;
  for (const AtomId atom : atoms) {
    const auto [negative, positive] = by_atom[static_cast<size_t>(atom)];
    const int64_t here = positive * negative - positive - negative;
    if (best >= 0 && (here > cost || (here == cost && atom > best))) continue;
    best = atom;
    cost = here;
  }
  return best;
}

// An equality among the rows (a row and its negation) in which some atom has coefficient 1 or -1.
struct Equality {
  Linear row;
  AtomId atom = -1;
  int64_t coefficient = 0;
};

std::optional<Equality> FindEquality(Rows& rows) {
  for (const auto& [terms, constant] : rows.rows()) {
    const auto unit = std::find_if(terms.begin(), terms.end(), [](const Term& t) {
      return t.coefficient == 1 || t.coefficient == -1;
    });
    if (unit == terms.end()) continue;
    Terms opposite = terms;
    for (Term& term : opposite) term.coefficient = -term.coefficient;
    const auto other = rows.rows().find(opposite);
    if (other == rows.rows().end() || other->second != -constant) continue;
    return Equality{{terms, constant}, unit->atom, unit->coefficient};
  }
  return std::nullopt;
}

// Substitutes equalities first: dividing what is left rounds constants down, which eliminating in
// any order would lose (N = 8q and i = 8t and i < N give i + 8 <= N). False: contradiction.
bool SubstituteEqualities(Rows& rows) {
  while (const std::optional<Equality> equality = FindEquality(rows)) {
    for (const Linear& row : rows.Take(equality->atom)) {
      const int64_t c = CoefficientOf(row, equality->atom);
      // The equality is 0, so any multiple of it may be added.
      std::optional<Linear> without = Combine(row, 1, equality->row, -c * equality->coefficient);
      if (without && !rows.Insert(*std::move(without))) return false;
    }
  }
  return true;
}

// True: the rows have no integer solution. False: unknown.
bool Eliminate(const Facts& all, int64_t& rows_made) {
  if (rows_made > kMaxRowsMade) return false;
  const int64_t before = rows_made;
  Rows rows;
  for (const Linear& row : all) {
    if (!rows.Insert(row)) return true;
  }
  rows_made += static_cast<int64_t>(all.size());
  if (!SubstituteEqualities(rows)) return true;
  for (AtomId atom = Cheapest(rows, rows_made); atom >= 0; atom = Cheapest(rows, rows_made)) {
    if (rows_made > kMaxRowsMade) return false;
    std::vector<Linear> positive, negative;
    for (Linear& row : rows.Take(atom)) {
      (CoefficientOf(row, atom) > 0 ? positive : negative).push_back(std::move(row));
    }
    for (const Linear& p : positive) {
      for (const Linear& n : negative) {
        const int64_t cp = CoefficientOf(p, atom), cn = -CoefficientOf(n, atom);
        const int64_t g = std::gcd(cp, cn);
        std::optional<Linear> sum = Combine(p, cn / g, n, cp / g);
        if (sum && !rows.Insert(*std::move(sum))) return true;
      }
      rows_made += static_cast<int64_t>(negative.size());
      if (rows.rows().size() > kMaxRows || rows_made - before > kMaxRowsOfOne) return false;
    }
  }
  return false;
}

}  // namespace

Linear Tightened(Linear row) {
  Normalise(row);
  return row;
}

bool Eliminate(const Facts& all, const Atoms& atoms) {
  if (const Eliminations::Outcome* known = atoms.eliminations().Find(all)) {
    atoms.rows_made() += static_cast<int64_t>(all.size()) / kFactsScannedARow;
    return known->infeasible;
  }
  const bool infeasible = Eliminate(all, atoms.rows_made());
  // What the budget has cut short is no answer.
  if (atoms.rows_made() <= kMaxRowsMade) {
    atoms.eliminations().Keep(all, {infeasible});
  }
  return infeasible;
}

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
  std::set<AtomId> seen;
  std::vector<AtomId> work;
  std::vector<bool> used(facts.size(), false);
  const auto visit = [&](const Linear& row) {
    for (const Term& term : row.terms) {
      if (seen.insert(term.atom).second) work.push_back(term.atom);
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
  std::set<AtomId> atoms;
  std::vector<bool> taken(rows.size(), false);
  const auto take = [&](size_t i) {
    taken[i] = true;
    near.push_back(rows[i]);
    for (const Term& term : rows[i].terms) atoms.insert(term.atom);
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
                        [&](const Term& term) { return !atoms.contains(term.atom); }));
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

bool Prover::NonNegative(const Linear& goal, const Facts& facts) const {
  if (atoms_.RangeOf(goal).low >= 0) return true;
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
  if (atoms_.RangeOf(goal).low >= 0) return true;
  const std::optional<Linear> negated = Times(goal, -1);
  return negated && Eliminate(Relevant({Shift(*negated, -1)}, facts, false), atoms_);
}

bool Prover::Contradiction(const Facts& facts) const { return Infeasible(facts, facts, 0); }

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
