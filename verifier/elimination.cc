// Fourier-Motzkin elimination over the integers. Rows lie one after the other in one array of terms
// and are found again by a hash that is linear in the coefficients, so that making, looking up and
// negating a row allocate nothing.
#include <algorithm>
#include <bit>
#include <numeric>
#include <span>

#include "verifier/prover.h"

namespace verifier {
namespace {

// Made by one elimination: of those that prove something nearly all make fewer than a tenth.
constexpr int64_t kMaxRowsOfOne = 2'500;
// Looking through terms costs this much less than making a row.
constexpr int64_t kTermsScannedARow = 8;
constexpr int64_t kLargestCoefficient = int64_t{1} << 45;

int64_t FloorDivide(int64_t a, int64_t b) {  // b > 0
  const int64_t q = a / b;
  return q - (a % b != 0 && a < 0);
}

enum class Shape : uint8_t { kUseful, kTrivial, kFalse };

// Divides by the common divisor of the coefficients; over the integers the constant rounds down.
Shape Normalise(std::span<Term> terms, int64_t& constant) {
  if (terms.empty()) return constant < 0 ? Shape::kFalse : Shape::kTrivial;
  int64_t divisor = 0;
  for (const Term& term : terms) {
    divisor = std::gcd(divisor, std::abs(term.coefficient));
    if (divisor == 1) break;
  }
  if (divisor > 1) {
    for (Term& term : terms) term.coefficient /= divisor;
    constant = FloorDivide(constant, divisor);
  }
  for (const Term& term : terms) {
    if (std::abs(term.coefficient) > kLargestCoefficient) return Shape::kTrivial;
  }
  return Shape::kUseful;
}

// The rows of one elimination. Of two with the same terms the stronger is kept. Atoms are numbered
// anew, in their order.
class Rows {
 public:
  using Id = uint32_t;

  explicit Rows(const Facts& all) {
    for (const Linear& row : all) {
      for (const Term& term : row.terms) atoms_.push_back(term.atom);
    }
    std::sort(atoms_.begin(), atoms_.end());
    atoms_.erase(std::unique(atoms_.begin(), atoms_.end()), atoms_.end());
    signs_.resize(atoms_.size());
    table_.assign(std::bit_ceil(4 * all.size() + 16), kEmpty);
    rows_.reserve(2 * all.size());
    terms_.reserve(8 * all.size());
  }

  size_t size() const { return live_; }
  // Of the system's atoms, by number in this elimination.
  const std::vector<AtomId>& atoms() const { return atoms_; }
  // The values of `atom` that a row leaves where all of its other atoms have these values.
  void Bound(Id id, AtomId atom, const std::vector<int64_t>& values, Interval& range) const {
    __int128 rest = rows_[id].constant;
    int64_t coefficient = 0;
    for (const Term& term : TermsOf(rows_[id])) {
      if (term.atom == atom) {
        coefficient = term.coefficient;
      } else {
        rest += static_cast<__int128>(term.coefficient) * values[static_cast<size_t>(term.atom)];
      }
    }
    constexpr __int128 kLargest = __int128{1} << 62;
    if (rest > kLargest || rest < -kLargest) return;
    const auto room = static_cast<int64_t>(rest);
    if (coefficient > 0) range.low = std::max(range.low, -FloorDivide(room, coefficient));
    if (coefficient < 0) range.high = std::min(range.high, FloorDivide(room, -coefficient));
  }
  int64_t terms() const { return live_terms_; }

  // False: the row contradicts on its own.
  bool Insert(const Linear& row) {
    made_.clear();
    auto from = atoms_.begin();
    for (const Term& term : row.terms) {
      from = std::lower_bound(from, atoms_.end(), term.atom);
      made_.push_back({static_cast<AtomId>(from - atoms_.begin()), term.coefficient});
    }
    return Keep(row.constant);
  }
  // The same of a * scale_a + b * scale_b; one with coefficients that are too large is left out.
  bool InsertSum(Id a, int64_t scale_a, Id b, int64_t scale_b) {
    int64_t constant = 0;
    return !Sum(rows_[a], scale_a, rows_[b], scale_b, &constant) || Keep(constant);
  }

  // Takes out the rows with this atom, in the order of their terms. Their numbers stay good.
  void Take(AtomId atom, std::vector<Id>& taken) {
    taken.clear();
    const uint64_t bit = Bit(atom);
    for (Id id = 0; id < rows_.size(); ++id) {
      const Row& row = rows_[id];
      if (row.live && (row.atoms & bit) != 0 && Coefficient(id, atom) != 0) taken.push_back(id);
    }
    for (const Id id : taken) Remove(id);
    std::sort(taken.begin(), taken.end(), [&](Id x, Id y) { return Before(x, y); });
  }
  int64_t Coefficient(Id id, AtomId atom) const {
    for (const Term& term : TermsOf(rows_[id])) {
      if (term.atom == atom) return term.coefficient;
    }
    return 0;
  }

  // The atom whose elimination makes the fewest new rows; -1 if there is none left.
  AtomId Cheapest() const {
    AtomId best = -1;
    int64_t cost = 0;
    for (size_t atom = 0; atom < signs_.size(); ++atom) {
      const auto [negative, positive] = signs_[atom];
      if (negative + positive == 0) continue;
      const int64_t here = positive * negative - positive - negative;
      if (best >= 0 && here >= cost) continue;
      best = static_cast<AtomId>(atom);
      cost = here;
    }
    return best;
  }

  // The first row, in the order of terms, that an opposite one makes an equality in which some atom
  // has coefficient 1 or -1.
  struct Equality {
    Id row = 0;
    AtomId atom = -1;
    int64_t coefficient = 0;
  };
  bool FindEquality(Equality* found) const {
    bool any = false;
    for (Id id = 0; id < rows_.size(); ++id) {
      const Row& row = rows_[id];
      if (!row.live || !HasOpposite(row) || (any && !Before(id, found->row))) continue;
      for (const Term& term : TermsOf(row)) {
        if (term.coefficient != 1 && term.coefficient != -1) continue;
        *found = {id, term.atom, term.coefficient};
        any = true;
        break;
      }
    }
    return any;
  }

 private:
  static constexpr Id kEmpty = ~Id{0};

  struct Row {
    uint32_t first = 0, count = 0;  // in terms_
    int64_t constant = 0;
    uint64_t hash = 0;   // sum of coefficient * number of the atom
    uint64_t atoms = 0;  // a bit for each, some share one
    bool live = true;
  };
  struct Signs {
    int64_t negative = 0, positive = 0;
  };

  static uint64_t Bit(AtomId atom) { return uint64_t{1} << (atom & 63); }
  static uint64_t NumberOf(AtomId atom) {
    uint64_t x = (static_cast<uint64_t>(atom) + 1) * 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 31)) * 0xbf58476d1ce4e5b9u;
    return x | 1;
  }
  std::span<const Term> TermsOf(const Row& row) const { return {&terms_[row.first], row.count}; }

  bool Before(Id x, Id y) const {
    const std::span<const Term> a = TermsOf(rows_[x]), b = TermsOf(rows_[y]);
    return std::lexicographical_compare(
        a.begin(), a.end(), b.begin(), b.end(), [](const Term& s, const Term& t) {
          return s.atom != t.atom ? s.atom < t.atom : s.coefficient < t.coefficient;
        });
  }

  // Into made_; false where a coefficient leaves 62 bits.
  bool Sum(const Row& a, int64_t scale_a, const Row& b, int64_t scale_b, int64_t* constant) {
    constexpr __int128 kLargest = __int128{1} << 62;
    const auto fits = [](__int128 value) { return value <= kLargest && value >= -kLargest; };
    const __int128 sum =
        static_cast<__int128>(a.constant) * scale_a + static_cast<__int128>(b.constant) * scale_b;
    if (!fits(sum)) return false;
    *constant = static_cast<int64_t>(sum);
    made_.clear();
    const Term *x = &terms_[a.first], *y = &terms_[b.first];
    const Term *const x_end = x + a.count, *const y_end = y + b.count;
    while (x != x_end || y != y_end) {
      const bool take_x = y == y_end || (x != x_end && x->atom <= y->atom);
      const bool take_y = x == x_end || (y != y_end && y->atom <= x->atom);
      const AtomId atom = take_x ? x->atom : y->atom;
      __int128 coefficient = 0;
      if (take_x) coefficient += static_cast<__int128>(x++->coefficient) * scale_a;
      if (take_y) coefficient += static_cast<__int128>(y++->coefficient) * scale_b;
      if (!fits(coefficient)) return false;
      if (coefficient != 0) made_.push_back({atom, static_cast<int64_t>(coefficient)});
    }
    return true;
  }

  // made_ becomes a row, unless there is a stronger one.
  bool Keep(int64_t constant) {
    switch (Normalise(made_, constant)) {
      case Shape::kFalse: return false;
      case Shape::kTrivial: return true;
      case Shape::kUseful: break;
    }
    Row row{.first = static_cast<uint32_t>(terms_.size()),
            .count = static_cast<uint32_t>(made_.size()),
            .constant = constant};
    for (const Term& term : made_) {
      row.hash += static_cast<uint64_t>(term.coefficient) * NumberOf(term.atom);
      row.atoms |= Bit(term.atom);
    }
    if (const Id same = Find(row.hash, made_, 1); same != kEmpty) {
      rows_[same].constant = std::min(rows_[same].constant, constant);
      return true;
    }
    terms_.insert(terms_.end(), made_.begin(), made_.end());
    if (2 * (rows_.size() + 1) > table_.size()) Grow();
    Place(static_cast<Id>(rows_.size()), row.hash);
    rows_.push_back(row);
    Count(row, 1);
    return true;
  }
  void Count(const Row& row, int64_t by) {
    live_ += static_cast<size_t>(by);
    live_terms_ += by * static_cast<int64_t>(row.count);
    for (const Term& term : TermsOf(row)) {
      Signs& signs = signs_[static_cast<size_t>(term.atom)];
      (term.coefficient > 0 ? signs.positive : signs.negative) += by;
    }
  }
  void Remove(Id id) {
    rows_[id].live = false;
    Count(rows_[id], -1);
  }

  // The living row with these terms, each times `sign`.
  Id Find(uint64_t hash, std::span<const Term> terms, int64_t sign) const {
    for (size_t at = Home(hash);; at = (at + 1) & (table_.size() - 1)) {
      const Id id = table_[at];
      if (id == kEmpty) return kEmpty;
      const Row& row = rows_[id];
      if (!row.live || row.hash != hash || row.count != terms.size()) continue;
      const Term* other = &terms_[row.first];
      if (std::all_of(terms.begin(), terms.end(), [&](const Term& term) {
            const Term& theirs = *other++;
            return theirs.atom == term.atom && theirs.coefficient == sign * term.coefficient;
          })) {
        return id;
      }
    }
  }
  bool HasOpposite(const Row& row) const {
    const Id other = Find(-row.hash, TermsOf(row), -1);
    return other != kEmpty && rows_[other].constant == -row.constant;
  }
  size_t Home(uint64_t hash) const { return (hash ^ (hash >> 29)) & (table_.size() - 1); }
  void Place(Id id, uint64_t hash) {
    size_t at = Home(hash);
    while (table_[at] != kEmpty) at = (at + 1) & (table_.size() - 1);
    table_[at] = id;
  }
  void Grow() {
    table_.assign(2 * table_.size(), kEmpty);
    for (Id id = 0; id < rows_.size(); ++id) {
      if (rows_[id].live) Place(id, rows_[id].hash);
    }
  }

  std::vector<AtomId> atoms_;  // by number in this elimination
  std::vector<Signs> signs_;   // by the same: of the living rows
  std::vector<Term> terms_;
  std::vector<Row> rows_;
  std::vector<Id> table_;  // by hash
  size_t live_ = 0;
  int64_t live_terms_ = 0;
  std::vector<Term> made_;  // a row that is being made
};

// One atom leaves the rows, and these with it.
struct Step {
  AtomId atom = -1;
  std::vector<Rows::Id> rows;
};

// Substitutes equalities first: dividing what is left rounds constants down, which eliminating in
// any order would lose (N = 8q and i = 8t and i < N give i + 8 <= N). False: contradiction.
bool SubstituteEqualities(Rows& rows, std::vector<Step>& steps) {
  for (Rows::Equality equality; rows.FindEquality(&equality);) {
    Step& step = steps.emplace_back(Step{.atom = equality.atom});
    rows.Take(equality.atom, step.rows);
    for (const Rows::Id row : step.rows) {
      const int64_t c = rows.Coefficient(row, equality.atom);
      // The equality is 0, so any multiple of it may be added.
      if (!rows.InsertSum(row, 1, equality.row, -c * equality.coefficient)) return false;
    }
  }
  return true;
}

// Every pair of a lower and an upper bound of the atom. True: they contradict each other.
bool EliminateAtom(Rows& rows, const Step& step, int64_t before, int64_t& rows_made, bool* cut) {
  std::vector<Rows::Id> positive, negative;
  for (const Rows::Id id : step.rows) {
    (rows.Coefficient(id, step.atom) > 0 ? positive : negative).push_back(id);
  }
  for (const Rows::Id p : positive) {
    const int64_t cp = rows.Coefficient(p, step.atom);
    for (const Rows::Id n : negative) {
      const int64_t cn = -rows.Coefficient(n, step.atom), g = std::gcd(cp, cn);
      if (!rows.InsertSum(p, cn / g, n, cp / g)) return true;
    }
    rows_made += static_cast<int64_t>(negative.size());
    *cut = rows.size() > kMaxRows || rows_made - before > kMaxRowsOfOne;
    if (*cut) return false;
  }
  return false;
}

// Values that satisfy what the steps have left, from the last atom to the first: of each the
// smallest that the rows it left with allow. There may be none between bounds that do not
// contradict each other over the rationals.
void Solve(const Rows& rows, const std::vector<Step>& steps, Witness& witness) {
  std::vector<int64_t> values(rows.atoms().size(), 0);
  for (size_t i = steps.size(); i-- > 0;) {
    Interval range;
    for (const Rows::Id id : steps[i].rows) rows.Bound(id, steps[i].atom, values, range);
    if (range.low > range.high) return;
    int64_t& value = values[static_cast<size_t>(steps[i].atom)];
    value = range.has_low() ? range.low : range.has_high() ? range.high : 0;
  }
  for (size_t i = 0; i < values.size(); ++i) witness.Set(rows.atoms()[i], values[i]);
}

bool Infeasible(const Facts& all, int64_t& rows_made, Witness& witness) {
  if (rows_made > kMaxRowsMade) return false;
  const int64_t before = rows_made;
  Rows rows(all);
  for (const Linear& row : all) {
    if (!rows.Insert(row)) return true;
  }
  rows_made += static_cast<int64_t>(all.size());
  std::vector<Step> steps;
  if (!SubstituteEqualities(rows, steps)) return true;
  for (bool cut = false; !cut;) {
    rows_made += rows.terms() / kTermsScannedARow;
    const AtomId atom = rows.Cheapest();
    if (rows_made > kMaxRowsMade) return false;
    if (atom < 0) {
      Solve(rows, steps, witness);
      return false;
    }
    Step& step = steps.emplace_back(Step{.atom = atom});
    rows.Take(atom, step.rows);
    if (EliminateAtom(rows, step, before, rows_made, &cut)) return true;
  }
  return false;
}

}  // namespace

Linear Tightened(Linear row) {
  Normalise(row.terms, row.constant);
  return row;
}

bool Eliminate(const Facts& all, const Atoms& atoms) {
  if (const Eliminations::Outcome* known = atoms.eliminations().Find(all)) {
    atoms.rows_made() += static_cast<int64_t>(all.size()) / kFactsScannedARow;
    return known->infeasible;
  }
  const int64_t before = atoms.rows_made();
  Witness witness;
  const bool satisfied = atoms.eliminations().Satisfied(all);
  if (satisfied) atoms.rows_made() += static_cast<int64_t>(all.size()) / kFactsScannedARow;
  const bool infeasible = !satisfied && Infeasible(all, atoms.rows_made(), witness);
  if (witness.Satisfies(all)) atoms.eliminations().Keep(std::move(witness));
  // What the budget has cut short is no answer.
  if (atoms.rows_made() <= kMaxRowsMade) {
    atoms.eliminations().Keep({infeasible}, atoms.rows_made() - before);
  }
  return infeasible;
}

}  // namespace verifier
