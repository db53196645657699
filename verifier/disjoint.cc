#include "verifier/disjoint.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "verifier/digits.h"
#include "verifier/disjoint_cases.h"

namespace verifier {
namespace {

constexpr size_t kMaxLoadedPairs = 16;
constexpr size_t kMaxEqualTerms = 120;
constexpr size_t kMaxAskedTerms = 40;  // by proofs; the others by what they are made of alone

// Renames every term that may differ between two threads: the second thread's copy of the kernel.
class Twin {
 public:
  explicit Twin(Atoms& atoms) : atoms_(atoms) {}

  Linear Of(const Linear& value) {
    Linear out = Linear::Constant(value.constant);
    for (const Term& term : value.terms) {
      const AtomId atom = AtomOf(term.atom);
      if (const auto sum = Combine(out, 1, Linear::Atom(atom), term.coefficient)) out = *sum;
    }
    return out;
  }
  Facts Of(const Facts& facts) {
    Facts out;
    for (const Linear& fact : facts) out.push_back(Of(fact));
    return out;
  }

 private:
  AtomId AtomOf(AtomId id) {
    if (atoms_[id].uniform) return id;
    const auto found = twins_.find(id);
    if (found != twins_.end()) return found->second;
    if (atoms_[id].kind == AtomKind::kProduct) return ProductOf(id);
    Atom copy = atoms_[id];
    copy.name += "'";
    copy.facts.clear();
    const AtomId twin = atoms_.Add(std::move(copy));
    twins_[id] = twin;
    const Atom original = atoms_[id];
    Facts facts;
    for (const Linear& fact : original.facts) facts.push_back(Of(fact));
    const Linear left = Of(original.left), right = Of(original.right);
    const Linear start = Of(original.start), step = Of(original.step);
    Facts if_left = Of(original.if_left), if_right = Of(original.if_right);
    std::vector<Linear> indices;
    for (const Linear& index : original.indices) indices.push_back(Of(index));
    Atom& at = atoms_.Mutable(twin);
    at.facts = std::move(facts);
    at.left = left;
    at.right = right;
    at.if_left = std::move(if_left);
    at.if_right = std::move(if_right);
    at.start = start;
    at.step = step;
    at.indices = std::move(indices);
    return twin;
  }

  // The product of the twins, so that products of what is equal are found to be.
  AtomId ProductOf(AtomId id) {
    const Atom original = atoms_[id];
    std::vector<AtomId> factors;
    for (const AtomId factor : original.factors) factors.push_back(AtomOf(factor));
    std::sort(factors.begin(), factors.end());
    const AtomId twin = atoms_.ProductOf(factors);
    twins_[id] = twin;
    const Facts facts = Of(original.facts);
    Atom& at = atoms_.Mutable(twin);
    at.range = Meet(at.range, original.range);
    at.facts.insert(at.facts.end(), facts.begin(), facts.end());
    return twin;
  }

  Atoms& atoms_;
  std::map<AtomId, AtomId> twins_;
};

bool NeverDiffer(const Prover& prover, const Facts& rows, const Linear& a, const Linear& b) {
  return prover.AtMost(a, b, rows) && prover.AtMost(b, a, rows);
}

void AddEqual(const Linear& a, const Linear& b, Facts& rows) {
  if (const auto up = Minus(a, b)) rows.push_back(*up);
  if (const auto down = Minus(b, a)) rows.push_back(*down);
}

// The elements of index tensors that rows speak of, in pairs of one tensor.
std::vector<std::pair<AtomId, AtomId>> LoadedPairs(const Atoms& atoms, const Facts& rows) {
  std::set<AtomId> loaded;
  for (const Linear& row : rows) {
    for (const Term& term : row.terms) {
      if (atoms[term.atom].tensor >= 0) loaded.insert(term.atom);
    }
  }
  std::vector<std::pair<AtomId, AtomId>> pairs;
  for (const AtomId a : loaded) {
    for (const AtomId b : loaded) {
      const bool pair = a < b && atoms[a].tensor == atoms[b].tensor;
      if (pair && pairs.size() < kMaxLoadedPairs) pairs.emplace_back(a, b);
    }
  }
  return pairs;
}

// What contracts on whole tensors say of two of their elements: in `distinct` ones equal elements
// that are not negative have equal indices, in ones that never fall a later element is not smaller.
// Their loads were in bounds, or the access that they lead to would not be reached.
class ContentFacts {
 public:
  ContentFacts(const RuleInput& input, const KernelAnalysis& analysis, const Prover& prover)
      : input_(input), atoms_(analysis.atoms), prover_(prover) {}

  void Add(Facts& rows) const {
    for (const auto& [a, b] : LoadedPairs(atoms_, rows)) {
      for (const ir::ContentContract& contract : input_.program.contracts) {
        if (static_cast<int32_t>(contract.tensor) != atoms_[a].tensor) continue;
        if (contract.kind == ir::ContentContract::Kind::kDistinct) AddDistinct(a, b, rows);
        if (contract.kind == ir::ContentContract::Kind::kSteps && NeverFalls(contract)) {
          AddOrder(a, b, rows);
          AddOrder(b, a, rows);
        }
      }
    }
  }

 private:
  void AddDistinct(AtomId a, AtomId b, Facts& rows) const {
    const Linear x = Linear::Atom(a), y = Linear::Atom(b);
    if (!prover_.NonNegative(x, rows) || !NeverDiffer(prover_, rows, x, y)) return;
    for (size_t d = 0; d < atoms_[a].indices.size(); ++d) {
      const Linear &i = atoms_[a].indices[d], &j = atoms_[b].indices[d];
      if (const auto up = Minus(i, j)) rows.push_back(*up);
      if (const auto down = Minus(j, i)) rows.push_back(*down);
    }
  }

  void AddOrder(AtomId first, AtomId second, Facts& rows) const {
    if (!prover_.AtMost(atoms_[first].indices[0], atoms_[second].indices[0], rows)) return;
    if (const auto rise = Minus(Linear::Atom(second), Linear::Atom(first))) rows.push_back(*rise);
  }

  bool NeverFalls(const ir::ContentContract& contract) const {
    const ir::Expr& low = input_.program[contract.low];
    return low.kind == ir::ExprKind::kInt && low.int_value >= 0;
  }

  const RuleInput& input_;
  const Atoms& atoms_;
  const Prover& prover_;
};

// The same with what the contracts say once the one is assumed to be ahead of the other.
bool NeverDiffer(const Prover& prover, const ContentFacts& contents, const Facts& rows,
                 const Linear& a, const Linear& b) {
  if (NeverDiffer(prover, rows, a, b)) return true;
  for (const auto& [x, y] : {std::pair{&a, &b}, std::pair{&b, &a}}) {
    const std::optional<Linear> difference = Minus(*x, *y);
    if (!difference) return false;
    Facts more = rows;
    more.push_back(Shift(*difference, -1));
    const size_t before = more.size();
    contents.Add(more);
    // What contradicts has to do with what the contracts have added.
    const auto added = more.begin() + static_cast<std::ptrdiff_t>(before) - 1;
    if (!prover.Contradicts({added, more.end()}, rows)) return false;
  }
  return true;
}

// Terms of one thread's access that the other's cannot differ from: quotients and remainders of a
// tile's number, then the number; the sequence that a row lies in, then what is loaded for it.
class EqualTerms {
 public:
  EqualTerms(const KernelAnalysis& analysis, const Prover& prover, const ContentFacts& contents,
             Twin& twin, const Access& access, const Access& other)
      : atoms_(analysis.atoms), prover_(prover), contents_(contents), twin_(twin) {
    Of(access, other);
  }

  // Goes on with what the same accesses are in a case; what is equal stays so.
  void Of(const Access& access, const Access& other) {
    access_ = &access;
    other_ = &other;
    for (const Linear& offset : access.offsets) Collect(offset);
  }

  // In a case: also terms of the other access, and of what is said.
  void OfCase(const Access& access, const Access& other, const Facts& said, Facts& rows) {
    Of(access, other);
    for (const Linear& offset : other.offsets) Collect(offset);
    for (const Linear& fact : said) Collect(fact);
    AddMadeOfEquals(rows);
  }

  // Adds the equalities. What is found of one term helps with the next.
  void Add(Facts& rows) {
    std::vector<AtomId> open;
    for (const AtomId id : terms_) {
      if (open.size() < kMaxAskedTerms && Asked(id) && !equal_.contains(id)) open.push_back(id);
    }
    for (size_t before = open.size() + 1; !open.empty() && open.size() < before;) {
      before = open.size();
      std::erase_if(open, [&](AtomId id) { return One(id, rows); });
      if (open.size() < before) AddDistances(rows);
    }
  }

 private:
  // Every atom that the value is made of; what a term stands on comes before it.
  void Collect(const Linear& value) {
    for (const Term& term : value.terms) {
      const AtomId id = term.atom;
      if (atoms_[id].uniform || !seen_.insert(id).second) continue;
      for (const AtomId factor : atoms_[id].factors) Collect(Linear::Atom(factor));
      for (const Linear& index : atoms_[id].indices) {
        Collect(index);
        if (index.terms.size() == 1) is_index_.insert(index.terms[0].atom);
      }
      Collect(atoms_[id].left);
      Collect(atoms_[id].start);
      for (const Linear& fact : atoms_[id].facts) Collect(fact);
      if (terms_.size() < kMaxEqualTerms) terms_.push_back(id);
    }
  }

  // The value with what its terms stand for written out.
  Linear WrittenOut(const Linear& value) const {
    Linear out = Linear::Constant(value.constant);
    for (const Term& term : value.terms) {
      const Atom& atom = atoms_[term.atom];
      const bool stands =
          atom.kind == AtomKind::kOpaque && !atom.remainder && !atom.left.terms.empty();
      const Linear part = stands ? WrittenOut(atom.left) : Linear::Atom(term.atom);
      if (const auto sum = Combine(out, 1, part, term.coefficient)) out = *sum;
    }
    return out;
  }

  // How far the accesses are apart in each dimension, without the terms that are equal.
  void AddDistances(Facts& rows) {
    for (size_t d = 0; d < access_->offsets.size(); ++d) {
      auto distance =
          Minus(WrittenOut(access_->offsets[d]), twin_.Of(WrittenOut(other_->offsets[d])));
      if (!distance) continue;
      for (const AtomId id : equal_) {
        const Linear pair = *Minus(Linear::Atom(id), twin_.Of(Linear::Atom(id)));
        for (const Term& term : distance->terms) {
          if (term.atom != id) continue;
          distance = Combine(*distance, 1, pair, -term.coefficient);
          break;
        }
        if (!distance) return;
      }
      if (distance->terms.empty()) continue;
      rows.push_back(Shift(*distance, access_->extents[d] - 1));
      rows.push_back(Shift(*Times(*distance, -1), other_->extents[d] - 1));
      distances_.insert(distances_.end(), rows.end() - 2, rows.end());
    }
  }

  void Same(const Linear& a, const Linear& b, Facts& rows) {
    AddEqual(a, b, rows);
    AddEqual(a, b, found_);
  }

  // Whose equality says something of others.
  bool Asked(AtomId id) const {
    const Atom& atom = atoms_[id];
    return atom.kind == AtomKind::kCounter || atom.kind == AtomKind::kQuotient || atom.remainder ||
           atom.tensor >= 0 || is_index_.contains(id);
  }

  bool One(AtomId id, Facts& rows) {
    const Linear term = Linear::Atom(id), other = twin_.Of(term);
    if (atoms_[id].tensor >= 0) {
      if (!SameIndices(id, rows)) return false;
    } else if (!ByDistance(term, other) &&
               !(is_index_.contains(id) ? NeverDiffer(prover_, contents_, rows, term, other)
                                        : NeverDiffer(prover_, rows, term, other)) &&
               !SameRound(id, rows)) {
      return false;
    }
    Same(term, other, rows);
    equal_.insert(id);
    if (atoms_[id].remainder) Same(atoms_[id].left, twin_.Of(atoms_[id].left), rows);
    AddStart(id, rows);
    AddMadeOfEquals(rows);
    return true;
  }

  // By what is equal and the distances that are left of it alone: where a place has many facts, of
  // counters for example, they crowd out the few that such a proof needs.
  bool ByDistance(const Linear& a, const Linear& b) const {
    if (distances_.empty()) return false;
    Facts rows = found_;
    rows.insert(rows.end(), distances_.begin(), distances_.end());
    return NeverDiffer(prover_, rows, a, b);
  }

  // Two numbers that leave the same remainder and are nearer to each other than the divisor are
  // one: whole multiples of it are no nearer. Their quotients are equal then.
  bool SameRound(AtomId id, const Facts& rows) const {
    const Atom& atom = atoms_[id];
    if (atom.kind != AtomKind::kQuotient || atom.right.is_constant() || !IsEqual(atom.right)) {
      return false;
    }
    const Linear left = atom.left, right = atom.right, twin = twin_.Of(left);
    const std::optional<Linear> multiple = ExistingMultiple(id, right);
    const auto rest = multiple ? Minus(left, *multiple) : std::nullopt;
    if (!rest || !NeverDiffer(prover_, rows, *rest, twin_.Of(*rest))) return false;
    const auto ahead = Minus(left, twin), behind = Minus(twin, left);
    return ahead && behind && prover_.Below(*ahead, right, found_) &&
           prover_.Below(*behind, right, found_);
  }

  // The quotient times its divisor, as its definition has it.
  std::optional<Linear> ExistingMultiple(AtomId quotient, const Linear& divisor) const {
    Linear sum = Linear::Constant(0);
    const auto add = [&](std::vector<AtomId> factors, int64_t coefficient) {
      factors.push_back(quotient);
      std::sort(factors.begin(), factors.end());
      const std::optional<Linear> product = atoms_.ExistingProduct(factors);
      const auto next = product ? Combine(sum, 1, *product, coefficient) : std::nullopt;
      if (next) sum = *next;
      return next.has_value();
    };
    for (const Term& term : divisor.terms) {
      if (!add(atoms_.FactorsOf(term.atom), term.coefficient)) return std::nullopt;
    }
    if (divisor.constant != 0 && !add({}, divisor.constant)) return std::nullopt;
    return sum;
  }

  // Products, quotients, minima, names of what is equal, and elements with equal indices.
  void AddMadeOfEquals(Facts& rows) {
    for (const AtomId id : terms_) {
      const Atom& atom = atoms_[id];
      const bool made = atom.kind == AtomKind::kProduct || atom.kind == AtomKind::kQuotient ||
                        atom.kind == AtomKind::kMin || atom.kind == AtomKind::kMax ||
                        atom.tensor >= 0 ||
                        (atom.kind == AtomKind::kOpaque && !atom.left.terms.empty());
      if (!made || equal_.contains(id)) continue;
      const bool indices = std::all_of(atom.indices.begin(), atom.indices.end(),
                                       [&](const Linear& index) { return IsEqual(index); });
      if (!indices) continue;
      const bool factors = std::all_of(atom.factors.begin(), atom.factors.end(),
                                       [&](AtomId factor) { return IsEqual(factor); });
      if (!factors || !IsEqual(atom.left) || !IsEqual(atom.right)) continue;
      equal_.insert(id);
      Same(Linear::Atom(id), twin_.Of(Linear::Atom(id)), rows);
    }
  }
  bool IsEqual(AtomId id) const { return atoms_[id].uniform || equal_.contains(id); }
  bool IsEqual(const Linear& value) const {
    return std::all_of(value.terms.begin(), value.terms.end(),
                       [&](const Term& term) { return IsEqual(term.atom); });
  }

  // One element of a tensor that nothing writes.
  bool SameIndices(AtomId id, const Facts& rows) {
    const std::vector<Linear> indices = atoms_[id].indices;
    return std::all_of(indices.begin(), indices.end(), [&](const Linear& index) {
      return NeverDiffer(prover_, rows, index, twin_.Of(index));
    });
  }

  // A grid-stride loop: equal values of the counter are equal modulo the step, so their starts,
  // both below the step, are equal too (uniqueness of the remainder).
  void AddStart(AtomId id, Facts& rows) {
    if (!atoms_[id].has_step) return;
    const Linear start = atoms_[id].start, step = atoms_[id].step;
    const auto same_step = Minus(step, twin_.Of(step));
    if (!same_step || !(*same_step == Linear::Constant(0))) return;
    if (!prover_.NonNegative(start, access_->facts)) return;
    if (!prover_.Below(start, step, access_->facts)) return;
    Same(start, twin_.Of(start), rows);
  }

  const Atoms& atoms_;
  const Prover& prover_;
  const ContentFacts& contents_;
  Twin& twin_;
  const Access *access_ = nullptr, *other_ = nullptr;
  std::vector<AtomId> terms_;
  Facts found_;      // the equalities alone: what is near follows from them
  Facts distances_;  // of the accesses, without the terms that are equal
  std::set<AtomId> seen_, is_index_, equal_;
};

// Whether both threads are of one CTA. What is known to be equal helps with the rest: a cluster and
// a rank of one number of a CTA, for example.
bool SamePlace(const Prover& prover, const ContentFacts& contents, Facts rows,
               std::vector<Linear> open, Twin& twin) {
  for (size_t before = open.size() + 1; !open.empty() && open.size() < before;) {
    before = open.size();
    std::erase_if(open, [&](const Linear& coordinate) {
      const Linear other = twin.Of(coordinate);
      if (!NeverDiffer(prover, contents, rows, coordinate, other)) return false;
      AddEqual(coordinate, other, rows);
      return true;
    });
  }
  return open.empty();
}

// The rows that stand there with both signs.
Facts EqualitiesOf(const Facts& rows) {
  const auto before = [](const Linear& a, const Linear& b) {
    if (a.constant != b.constant) return a.constant < b.constant;
    return std::lexicographical_compare(a.terms.begin(), a.terms.end(), b.terms.begin(),
                                        b.terms.end(), [](const Term& x, const Term& y) {
                                          return x.atom != y.atom ? x.atom < y.atom
                                                                  : x.coefficient < y.coefficient;
                                        });
  };
  const std::set<Linear, decltype(before)> all(rows.begin(), rows.end(), before);
  Facts equalities;
  for (const Linear& row : all) {
    const auto other = Times(row, -1);
    if (!row.is_constant() && other && all.contains(*other)) equalities.push_back(row);
  }
  return equalities;
}

}  // namespace

bool Disjoint(const RuleInput& input, KernelAnalysis& analysis, const Access& a, const Access& b) {
  Twin twin(analysis.atoms);
  Facts rows = FactsOfIndices(analysis.atoms, a);
  for (const Linear& fact : twin.Of(FactsOfIndices(analysis.atoms, b))) rows.push_back(fact);
  for (size_t d = 0; d < a.offsets.size(); ++d) {
    const Linear other = twin.Of(b.offsets[d]);
    const std::optional<Linear> ahead = Minus(a.offsets[d], other),
                                behind = Minus(other, a.offsets[d]);
    if (!ahead || !behind) return false;
    rows.push_back(Shift(*ahead, a.extents[d] - 1));
    rows.push_back(Shift(*behind, b.extents[d] - 1));
    rows.push_back(a.offsets[d]);  // what is outside the tensor is not touched
    rows.push_back(other);
    // The element is at or behind both beginnings and before both ends.
    const bool ends_a = a.end && a.end_dimension == d, ends_b = b.end && b.end_dimension == d;
    for (const Linear& begin : {a.offsets[d], other}) {
      const auto room_a = ends_a ? Minus(*a.end, begin) : std::nullopt;
      const auto room_b = ends_b ? Minus(twin.Of(*b.end), begin) : std::nullopt;
      if (room_a) rows.push_back(Shift(*room_a, -1));
      if (room_b) rows.push_back(Shift(*room_b, -1));
    }
  }
  const Prover prover(analysis.atoms);
  // Never the same element at all; a thread may always meet itself.
  if (&a != &b && prover.Contradiction(rows)) return true;  // never the same element at all
  const auto of_twin = [&](const Linear& value) { return twin.Of(value); };
  for (const Linear& row : EqualDigits(analysis.atoms, prover, a, b, of_twin)) rows.push_back(row);
  const ContentFacts contents(input, analysis, prover);
  EqualTerms equal(analysis, prover, contents, twin, a, b);
  equal.Add(rows);
  contents.Add(rows);
  const std::vector<AccessCase> of_a = CasesOf(analysis.atoms, prover, a),
                                of_b = CasesOf(analysis.atoms, prover, b);
  if (of_a.size() + of_b.size() <= 2) {
    return SamePlace(prover, contents, std::move(rows), analysis.place, twin);
  }
  for (size_t i = 0; i < of_a.size(); ++i) {
    // Of one access the cases (i, j) and (j, i) are the same with the threads' names exchanged.
    for (size_t j = &a == &b ? i : 0; j < of_b.size(); ++j) {
      Facts said = of_a[i].said, here = rows;
      for (const Linear& fact : twin.Of(of_b[j].said)) said.push_back(fact);
      EqualTerms of_case = equal;
      Facts both = of_a[i].said;
      both.insert(both.end(), of_b[j].said.begin(), of_b[j].said.end());
      of_case.OfCase(of_a[i].access, of_b[j].access, both, here);
      if (prover.Contradicts(said, EqualitiesOf(here))) continue;
      here.insert(here.end(), said.begin(), said.end());
      of_case.Add(here);
      if (!SamePlace(prover, contents, std::move(here), analysis.place, twin)) return false;
    }
  }
  return true;
}

}  // namespace verifier
