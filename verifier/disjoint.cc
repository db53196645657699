#include "verifier/disjoint.h"

#include <map>
#include <set>
#include <utility>

namespace verifier {
namespace {

constexpr size_t kMaxLoadedPairs = 16;

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
    std::vector<AtomId> factors;
    for (const AtomId factor : original.factors) factors.push_back(AtomOf(factor));
    std::vector<Linear> indices;
    for (const Linear& index : original.indices) indices.push_back(Of(index));
    Atom& at = atoms_.Mutable(twin);
    at.facts = std::move(facts);
    at.left = left;
    at.right = right;
    at.start = start;
    at.step = step;
    at.factors = std::move(factors);
    at.indices = std::move(indices);
    return twin;
  }

  Atoms& atoms_;
  std::map<AtomId, AtomId> twins_;
};

bool NeverDiffer(const Prover& prover, Facts rows, const Linear& a, const Linear& b) {
  for (const auto& [x, y] : {std::pair{&a, &b}, std::pair{&b, &a}}) {
    const std::optional<Linear> difference = Minus(*x, *y);
    if (!difference) return false;
    rows.push_back(Shift(*difference, -1));
    if (!prover.Contradiction(rows)) return false;
    rows.pop_back();
  }
  return true;
}

void AddEqual(const Linear& a, const Linear& b, Facts& rows) {
  if (const auto up = Minus(a, b)) rows.push_back(*up);
  if (const auto down = Minus(b, a)) rows.push_back(*down);
}

// A grid-stride loop: equal values of the counter are equal modulo the step, so their starts, both
// below the step, are equal too (uniqueness of the remainder).
void AddStrideFacts(const KernelAnalysis& analysis, const Prover& prover, Twin& twin,
                    const Access& access, Facts& rows) {
  std::set<AtomId> counters;
  for (const Linear& offset : access.offsets) {
    for (const Term& term : offset.terms) {
      if (analysis.atoms[term.atom].has_step) counters.insert(term.atom);
    }
  }
  for (const AtomId id : counters) {
    const Linear start = analysis.atoms[id].start, step = analysis.atoms[id].step;
    const Linear counter = Linear::Atom(id);
    if (!analysis.atoms.Uniform(step)) continue;
    if (!prover.NonNegative(start, access.facts) || !prover.Below(start, step, access.facts)) {
      continue;
    }
    if (!NeverDiffer(prover, rows, counter, twin.Of(counter))) continue;
    AddEqual(counter, twin.Of(counter), rows);
    AddEqual(start, twin.Of(start), rows);
  }
}

// In a cluster an index may count pieces of all its CTAs: the rank says which is a CTA's only once
// the counters are known to be equal.
void AddCounterFacts(const KernelAnalysis& analysis, const Prover& prover, Twin& twin,
                     const Access& access, Facts& rows) {
  std::set<AtomId> counters;
  for (const Linear& offset : access.offsets) {
    for (const Term& term : offset.terms) {
      const Atom& atom = analysis.atoms[term.atom];
      if (atom.kind == AtomKind::kCounter && !atom.has_step) counters.insert(term.atom);
    }
  }
  for (const AtomId id : counters) {
    const Linear counter = Linear::Atom(id), other = twin.Of(counter);
    if (NeverDiffer(prover, rows, counter, other)) AddEqual(counter, other, rows);
  }
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
    if (more.size() == before && !prover.Contradiction(rows)) return false;
    if (!prover.Contradiction(more)) return false;
  }
  return true;
}

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

}  // namespace

bool Disjoint(const RuleInput& input, KernelAnalysis& analysis, const Access& a, const Access& b) {
  Twin twin(analysis.atoms);
  Facts rows = a.facts;
  for (const Linear& fact : twin.Of(b.facts)) rows.push_back(fact);
  for (size_t d = 0; d < a.offsets.size(); ++d) {
    const Linear other = twin.Of(b.offsets[d]);
    const std::optional<Linear> ahead = Minus(a.offsets[d], other),
                                behind = Minus(other, a.offsets[d]);
    if (!ahead || !behind) return false;
    rows.push_back(Shift(*ahead, a.extents[d] - 1));
    rows.push_back(Shift(*behind, b.extents[d] - 1));
    rows.push_back(a.offsets[d]);  // what is outside the tensor is not touched
    rows.push_back(other);
  }
  const Prover prover(analysis.atoms);
  if (prover.Contradiction(rows)) return true;  // never the same element at all
  AddStrideFacts(analysis, prover, twin, a, rows);
  const bool cluster = input.program.kernels[analysis.kernel].cluster > 1;
  if (cluster) AddCounterFacts(analysis, prover, twin, a, rows);
  const ContentFacts contents(input, analysis, prover);
  contents.Add(rows);
  return SamePlace(prover, contents, std::move(rows), analysis.place, twin);
}

}  // namespace verifier
