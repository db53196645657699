// A thread's index is the one value where the condition holds and the other where it does not: in
// each case it is what was picked, and what the condition says is known.
#include "verifier/disjoint_cases.h"

#include <algorithm>
#include <optional>
#include <set>

namespace verifier {
namespace {

constexpr size_t kMaxCases = 4;          // of one access
constexpr size_t kMaxProductsAsked = 6;  // of one case: whether they are 0

bool IsName(const Atom& atom) {
  return atom.kind == AtomKind::kOpaque && !atom.remainder && !atom.left.terms.empty();
}

// The first term of the value, or of what its names stand for, that is one of two values.
std::optional<AtomId> PickIn(const Atoms& atoms, const Linear& value) {
  for (const Term& term : value.terms) {
    const Atom& atom = atoms[term.atom];
    if (atom.kind == AtomKind::kSelect) return term.atom;
    if (!IsName(atom)) continue;
    if (const auto pick = PickIn(atoms, atom.left)) return pick;
  }
  return std::nullopt;
}

// The value with every pick by this condition replaced by its side, which is said too, and names
// that stand for such written out. Nothing where a coefficient leaves its range.
std::optional<Linear> Picked(const Atoms& atoms, const Linear& value, const Atom& by, bool left,
                             Facts& said) {
  Linear out = Linear::Constant(value.constant);
  for (const Term& term : value.terms) {
    const Atom& atom = atoms[term.atom];
    std::optional<Linear> part = Linear::Atom(term.atom);
    if (atom.kind == AtomKind::kSelect && atom.if_left == by.if_left &&
        atom.if_right == by.if_right) {
      part = left ? atom.left : atom.right;
      const auto more = Minus(Linear::Atom(term.atom), *part);
      if (!more) return std::nullopt;
      said.push_back(*more);
      said.push_back(*Times(*more, -1));
    } else if (IsName(atom) && PickIn(atoms, atom.left)) {
      part = Picked(atoms, atom.left, by, left, said);
    }
    const auto sum = part ? Combine(out, 1, *part, term.coefficient) : std::nullopt;
    if (!sum) return std::nullopt;
    out = *sum;
  }
  return out;
}

// False: there are too many, or one cannot be written.
bool AddCases(const Atoms& atoms, const AccessCase& of, std::vector<AccessCase>& cases) {
  std::optional<AtomId> pick;
  for (const Linear& offset : of.access.offsets) {
    if (!pick) pick = PickIn(atoms, offset);
  }
  if (!pick) {
    cases.push_back(of);
    return cases.size() <= kMaxCases;
  }
  const Atom by = atoms[*pick];
  for (const bool left : {true, false}) {
    AccessCase one = of;
    const Facts& said = left ? by.if_left : by.if_right;
    one.said.insert(one.said.end(), said.begin(), said.end());
    for (Linear& offset : one.access.offsets) {
      const auto picked = Picked(atoms, offset, by, left, one.said);
      if (!picked) return false;
      offset = *picked;
    }
    if (!AddCases(atoms, one, cases)) return false;
  }
  return true;
}

// a < r*d gives floor(a / d) < r: of every quotient by d of an `a` that one fact bounds so.
void AddQuotients(const Atoms& atoms, AccessCase& one, const Facts& facts) {
  Facts more;
  for (const Linear& fact : facts) {
    for (const Term& product : fact.terms) {
      const Atom& atom = atoms[product.atom];
      if (atom.kind != AtomKind::kProduct || product.coefficient != 1) continue;
      const auto below = Minus(Shift(Linear::Atom(product.atom), -1), fact);  // a <= below
      for (const Linear& offset : one.access.offsets) {
        for (const Term& term : offset.terms) {
          const Atom& quotient = atoms[term.atom];
          if (quotient.kind != AtomKind::kQuotient || !quotient.right.is_atom() || !below) continue;
          const auto rest = Without(atom.factors, atoms.FactorsOf(quotient.right.terms[0].atom));
          const auto factor = rest ? atoms.ExistingProduct(*rest) : std::nullopt;
          const auto over = factor ? Minus(*below, quotient.left) : std::nullopt;
          if (!over || !over->is_constant() || over->constant < 0) continue;
          const auto room = Minus(*factor, Linear::Atom(term.atom));
          if (room) more.push_back(Shift(*room, -1));
        }
      }
    }
  }
  one.said.insert(one.said.end(), more.begin(), more.end());
}

// A product of factors that are not negative which is at least 1 has none that is 0.
void AddFactors(const Atoms& atoms, const Prover& prover, AccessCase& one, const Facts& facts) {
  std::set<AtomId> asked;
  for (const Linear& fact : facts) {
    for (const Term& term : fact.terms) {
      const Atom& atom = atoms[term.atom];
      const bool by_zero = atom.kind == AtomKind::kProduct && atom.of_elements &&
                           atom.range.low == 0 && asked.size() < kMaxProductsAsked;
      if (!by_zero || !asked.insert(term.atom).second) continue;
      const bool natural = std::all_of(atom.factors.begin(), atom.factors.end(),
                                       [&](AtomId f) { return atoms[f].range.low >= 0; });
      if (!natural || !prover.NonNegative(Shift(Linear::Atom(term.atom), -1), facts)) continue;
      for (const AtomId factor : atom.factors) {
        one.said.push_back(Shift(Linear::Atom(factor), -1));
      }
    }
  }
}

}  // namespace

Facts FactsOfIndices(const Atoms& atoms, const Access& access) {
  std::vector<bool> seen(atoms.size(), false);
  std::vector<AtomId> open;
  const auto visit = [&](const Linear& value) {
    for (const Term& term : value.terms) {
      if (seen[static_cast<size_t>(term.atom)]) continue;
      seen[static_cast<size_t>(term.atom)] = true;
      open.push_back(term.atom);
    }
  };
  const auto visit_all = [&](const std::vector<Linear>& values) {
    for (const Linear& value : values) visit(value);
  };
  visit_all(access.offsets);
  while (!open.empty()) {
    const Atom& atom = atoms[open.back()];
    open.pop_back();
    for (const AtomId factor : atom.factors) visit(Linear::Atom(factor));
    for (const Linear* part : {&atom.left, &atom.right, &atom.start, &atom.step}) visit(*part);
    for (const auto* parts : {&atom.facts, &atom.indices, &atom.if_left, &atom.if_right}) {
      visit_all(*parts);
    }
  }
  Facts facts;
  for (const Linear& fact : access.facts) {
    const bool strange = std::any_of(fact.terms.begin(), fact.terms.end(), [&](const Term& term) {
      return atoms[term.atom].of_local && !seen[static_cast<size_t>(term.atom)];
    });
    if (!strange) facts.push_back(fact);
  }
  return facts;
}

std::vector<AccessCase> CasesOf(const Atoms& atoms, const Prover& prover, const Access& access) {
  std::vector<AccessCase> cases;
  if (!AddCases(atoms, {access, {}}, cases)) return {{access, {}}};
  if (cases.size() == 1) return cases;
  for (AccessCase& one : cases) {
    Facts facts = access.facts;
    facts.insert(facts.end(), one.said.begin(), one.said.end());
    AddQuotients(atoms, one, facts);
    AddFactors(atoms, prover, one, facts);
  }
  return cases;
}

}  // namespace verifier
