// Two CTAs that write the same element: nothing orders them, so the result is either's. Where every
// pair of stores of a tensor (and every store and load of one) is shown to touch different elements
// whenever the CTAs differ, the property is proved for all shapes; where not, the machine's global
// race check over the instances that ran is all there is, and the report says so.
#include <map>
#include <set>

#include "absl/strings/str_cat.h"
#include "verifier/rules.h"

namespace verifier {
namespace {

constexpr size_t kMaxAccesses = 24;  // of one tensor: every pair of them is a proof

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
    Atom& at = atoms_.Mutable(twin);
    at.facts = std::move(facts);
    at.left = left;
    at.right = right;
    at.start = start;
    at.step = step;
    at.factors = std::move(factors);
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
    const Linear other = twin.Of(start);
    if (const auto up = Minus(start, other)) rows.push_back(*up);
    if (const auto down = Minus(other, start)) rows.push_back(*down);
  }
}

bool Disjoint(KernelAnalysis& analysis, const Access& a, const Access& b) {
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
  }
  const Prover prover(analysis.atoms);
  if (prover.Contradiction(rows)) return true;  // never the same element at all
  AddStrideFacts(analysis, prover, twin, a, rows);
  for (const Linear& coordinate : analysis.coordinates) {
    if (coordinate.is_constant()) continue;
    if (!NeverDiffer(prover, rows, coordinate, twin.Of(coordinate))) return false;
  }
  return true;
}

void Check(const RuleInput& input, RuleOutput& out) {
  for (KernelAnalysis& analysis : input.kernels) {
    std::map<int, std::vector<const Access*>> of_tensor;
    std::set<int> written;
    for (const Access& access : analysis.accesses) {
      const ir::View& view = input.program[access.view];
      if (view.space != ir::Space::kGlobal) continue;
      of_tensor[static_cast<int>(view.tensor)].push_back(&access);
      if (access.write) written.insert(static_cast<int>(view.tensor));
    }
    for (const int tensor : written) {
      const std::vector<const Access*>& all = of_tensor[tensor];
      bool disjoint = all.size() <= kMaxAccesses;
      for (size_t i = 0; i < all.size() && disjoint; ++i) {
        for (size_t j = i; j < all.size() && disjoint; ++j) {
          if (!all[i]->write && !all[j]->write) continue;
          disjoint = Disjoint(analysis, *all[i], *all[j]);
        }
      }
      ++(disjoint ? out.proved : out.unknown);
      const std::string& name = input.program.tensors[static_cast<size_t>(tensor)].name;
      out.notes.push_back(absl::StrCat("`", name, "`", disjoint ? " disjoint" : " not proven"));
    }
  }
}

}  // namespace

const Rule kCtaDisjoint{
    .name = "cta_disjoint",
    .property = "global races",
    .check = Check,
    .explain =
        "Elements that one CTA writes are touched by no other CTA of the launch, for every "
        "admitted "
        "shape: two copies of the kernel with different CTA coordinates never meet. What is not "
        "proven is left to the machine's race check and reported as such; it never blocks."};

}  // namespace verifier
