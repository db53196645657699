// What rows say of products: a row times a factor that is not negative is a row of products.
#include <algorithm>
#include <iterator>
#include <map>
#include <set>

#include "verifier/prover.h"

namespace verifier {
namespace {

constexpr size_t kMaxProducts = 16;        // of one proof
constexpr size_t kMaxOrderedProducts = 6;  // compared in pairs, each a proof of its own
constexpr size_t kMaxMultipliedTerms = 5;  // of a row
constexpr size_t kMaxMultipliedRows = 80;  // added to one proof
constexpr int64_t kRowsTriedARow = 8;      // of the budget

using Factors = std::vector<AtomId>;

std::set<AtomId> AtomsOf(const Facts& rows) {
  std::set<AtomId> atoms;
  for (const Linear& row : rows) {
    for (const Term& term : row.terms) atoms.insert(term.atom);
  }
  return atoms;
}

std::vector<AtomId> ProductsOf(const Facts& rows, const Atoms& atoms) {
  std::vector<AtomId> products;
  for (const AtomId id : AtomsOf(rows)) {
    if (atoms[id].kind == AtomKind::kProduct) products.push_back(id);
  }
  return products;
}

Factors Merged(const Factors& a, const Factors& b) {
  Factors all;
  std::merge(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(all));
  return all;
}

bool NotNegative(const Factors& factors, const Atoms& atoms) {
  return std::all_of(factors.begin(), factors.end(),
                     [&](AtomId id) { return atoms[id].range.low >= 0; });
}

// Multiplies rows, not those that ranges give anyway, by what makes products of theirs that the
// proof speaks of. A product that nobody has named gets a number beyond the atoms; one at most in a
// row, and only where two rows that have it may cancel it.
class Multiplier {
 public:
  Multiplier(const Atoms& atoms, const std::vector<AtomId>& products) : atoms_(atoms) {
    for (const AtomId product : products) Split(product);
  }

  // Those made of the first `seeds` rows come first.
  std::pair<Facts, size_t> Multiply(const Facts& rows, const std::vector<bool>& bounds,
                                    size_t seeds) {
    size_t of_seeds = 0;
    for (size_t i = 0; i < rows.size(); ++i) {
      if (i == seeds) of_seeds = made_.size();
      const Linear row = Tightened(rows[i]);
      if (made_.size() >= kMaxMultipliedRows) break;
      if (row.terms.size() > kMaxMultipliedTerms || (bounds[i] && !AtLeastOne(row))) continue;
      std::set<Factors> by;
      for (const Term& term : row.terms) {
        const auto found = multipliers_.find(term.atom);
        if (found != multipliers_.end()) by.insert(found->second.begin(), found->second.end());
      }
      for (const Factors& factors : by) One(row, factors, !bounds[i]);
    }
    return Useful(seeds < rows.size() ? of_seeds : made_.size());
  }
  int64_t tried() const { return tried_; }

 private:
  struct Made {
    Linear row;
    AtomId unnamed = -1;
    bool positive = false;  // its coefficient
  };

  // Every way in which the product is one atom times the rest.
  void Split(AtomId product) {
    const Factors& all = atoms_[product].factors;
    const size_t ways = size_t{1} << all.size();
    for (size_t way = 1; way + 1 < ways; ++way) {
      Factors part, rest;
      for (size_t i = 0; i < all.size(); ++i) (way >> i & 1 ? part : rest).push_back(all[i]);
      const std::optional<Linear> atom = atoms_.ExistingProduct(part);
      if (atom && NotNegative(rest, atoms_)) multipliers_[atom->terms[0].atom].insert(rest);
    }
  }

  // x >= 1: a product is no less without such a factor.
  static bool AtLeastOne(const Linear& row) {
    return row.terms.size() == 1 && row.terms[0].coefficient > 0 && row.constant < 0;
  }

  void One(const Linear& row, const Factors& factors, bool may_name) {
    ++tried_;
    Made made;
    const auto add = [&](const Factors& of_term, int64_t coefficient) {
      const std::optional<Linear> known = atoms_.ExistingProduct(of_term);
      AtomId atom = -1;
      if (known) {
        atom = known->terms[0].atom;
      } else {
        if (made.unnamed >= 0 || !may_name) return false;
        const auto next = static_cast<AtomId>(atoms_.size() + unnamed_.size());
        atom = made.unnamed = unnamed_.try_emplace(of_term, next).first->second;
        made.positive = coefficient > 0;
      }
      const auto sum = Combine(made.row, 1, Linear::Atom(atom), coefficient);
      if (sum) made.row = *sum;
      return sum.has_value();
    };
    for (const Term& term : row.terms) {
      if (!add(Merged(atoms_.FactorsOf(term.atom), factors), term.coefficient)) return;
    }
    if (row.constant != 0 && !add(factors, row.constant)) return;
    made_.push_back(std::move(made));
  }

  std::pair<Facts, size_t> Useful(size_t of_seeds) const {
    std::set<std::pair<AtomId, bool>> signs;
    for (const Made& made : made_) signs.emplace(made.unnamed, made.positive);
    std::pair<Facts, size_t> useful;
    for (size_t i = 0; i < made_.size(); ++i) {
      const Made& made = made_[i];
      if (made.unnamed >= 0 && !signs.contains({made.unnamed, !made.positive})) continue;
      useful.first.push_back(made.row);
      useful.second += i < of_seeds ? 1 : 0;
    }
    return useful;
  }

  const Atoms& atoms_;
  std::map<AtomId, std::set<Factors>> multipliers_;  // what makes a product of the proof of an atom
  std::map<Factors, AtomId> unnamed_;
  std::vector<Made> made_;
  int64_t tried_ = 0;
};

}  // namespace

// What comes of the seeds is put behind them and counted as more of them. False: there is nothing.
bool Prover::MultiplyRows(Related& related, size_t& seeds) const {
  Facts& rows = related.rows;
  const std::vector<AtomId> products = ProductsOf(rows, atoms_);
  if (products.empty() || products.size() > kMaxProducts) return false;
  Multiplier multiplier(atoms_, products);
  const auto [made, of_seeds] = multiplier.Multiply(rows, related.bounds, seeds);
  atoms_.rows_made() += multiplier.tried() / kRowsTriedARow;
  const auto middle = made.begin() + static_cast<std::ptrdiff_t>(of_seeds);
  rows.insert(rows.begin() + static_cast<std::ptrdiff_t>(seeds), made.begin(), middle);
  rows.insert(rows.end(), middle, made.end());
  const auto seed_flags = related.bounds.begin() + static_cast<std::ptrdiff_t>(seeds);
  related.bounds.insert(seed_flags, of_seeds, false);
  related.bounds.resize(rows.size(), false);
  seeds += of_seeds;
  return !made.empty();
}

// a*b <= c*b where a <= c and b >= 0, where that a <= c takes a proof of its own.
void Prover::OrderProducts(const Facts& rows, const Facts& facts, Facts& more) const {
  const std::vector<AtomId> products = ProductsOf(rows, atoms_);
  if (products.size() > kMaxOrderedProducts) return;
  for (const AtomId p : products) {
    for (const AtomId q : products) {
      if (p != q) OrderPair(p, q, facts, more);
    }
  }
}

void Prover::OrderPair(AtomId p, AtomId q, const Facts& facts, Facts& more) const {
  const Factors &of_p = atoms_[p].factors, &of_q = atoms_[q].factors;
  Factors shared;
  std::set_intersection(of_p.begin(), of_p.end(), of_q.begin(), of_q.end(),
                        std::back_inserter(shared));
  if (shared.empty() || !NotNegative(shared, atoms_)) return;
  const auto a = atoms_.ExistingProduct(Without(of_p, shared).value());
  const auto c = atoms_.ExistingProduct(Without(of_q, shared).value());
  const auto b = atoms_.ExistingProduct(shared);
  const auto above = a && c ? Minus(*a, *c) : std::nullopt;
  const auto difference = Minus(Linear::Atom(q), Linear::Atom(p));
  if (!above || !b || !difference) return;
  // Mostly neither holds, and what is not at most is not below either.
  if (!Eliminate(Relevant({Shift(*above, -1)}, facts), atoms_)) return;
  const bool below = Eliminate(Relevant({*above}, facts), atoms_);
  const auto strict = below ? Minus(*difference, *b) : std::nullopt;
  more.push_back(strict ? *strict : *difference);
}

}  // namespace verifier
