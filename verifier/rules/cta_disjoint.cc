// Two CTAs that write the same element: nothing orders them, so the result is either's. Where every
// pair of stores of a tensor (and every store and load of one) is shown to touch different elements
// whenever the CTAs differ, the property is proved for all shapes; where not, the machine's global
// race check over the instances that ran is all there is, and the report says so.
#include <algorithm>
#include <map>
#include <set>

#include "absl/strings/str_cat.h"
#include "verifier/injective.h"
#include "verifier/rules.h"

namespace verifier {
namespace {

using compiler::diag::Applicability;
using compiler::diag::Category;
using compiler::diag::Def;
using compiler::diag::Name;
using compiler::diag::Severity;

constexpr size_t kMaxAccesses = 24;  // of one tensor: every pair of them is a proof
constexpr size_t kMaxNotes = 12;     // tensors named in the coverage
constexpr size_t kMaxLoadedPairs = 16;

constexpr Def<Name> kOverlappingRows{
    "CK2570", Severity::kError, Category::kUnproven,
    "the strides of `{0}` are not known to keep its elements apart",
    "with a smaller stride two indices are one address, and CTAs that write different elements "
    "overwrite each other's"};

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
  const ContentFacts contents(input, analysis, prover);
  contents.Add(rows);
  for (const Linear& coordinate : analysis.coordinates) {
    if (coordinate.is_constant()) continue;
    if (!NeverDiffer(prover, contents, rows, coordinate, twin.Of(coordinate))) return false;
  }
  return true;
}

// Before the first kernel, where every name of the program's items is declared.
void Warn(const RuleInput& input, size_t tensor, const std::string& missing, RuleOutput& out) {
  const ir::Program& program = input.program;
  const ir::Tensor& declared = program.tensors[tensor];
  auto added = out.report.Add(kOverlappingRows, declared.declared, Name{declared.name});
  if (missing.empty()) return;
  const uint32_t name = program.kernels[0].declared.begin;
  const size_t at = program.source.rfind("kernel", name);
  if (at == std::string::npos) return;
  const auto begin = static_cast<uint32_t>(at);
  added.Fix(absl::StrCat("require it: `where ", missing, "`"),
            {{{begin, begin}, absl::StrCat("where ", missing, "\n")}}, Applicability::kMachine);
}

// The accesses of one kernel, by tensor; those of a tensor that it writes are compared.
class Comparison {
 public:
  Comparison(const RuleInput& input, KernelAnalysis& analysis) : input_(input), kernel_(analysis) {
    for (const Access& access : analysis.accesses) {
      const ir::View& view = input.program[access.view];
      if (view.space != ir::Space::kGlobal) continue;
      of_tensor_[static_cast<size_t>(view.tensor)].push_back(&access);
      if (access.write) written_.insert(static_cast<size_t>(view.tensor));
    }
  }
  const std::set<size_t>& written() const { return written_; }

  // Whether every pair with a write in it touches different indices whenever the CTAs differ.
  bool IndicesDiffer(size_t tensor) {
    const std::vector<const Access*>& all = of_tensor_[tensor];
    if (all.size() > kMaxAccesses) return false;
    for (size_t i = 0; i < all.size(); ++i) {
      for (size_t j = i; j < all.size(); ++j) {
        if (!all[i]->write && !all[j]->write) continue;
        if (all[i]->strong && all[j]->strong) continue;  // scopes are the machine's to check
        if (!Disjoint(input_, kernel_, *all[i], *all[j])) return false;
      }
    }
    return true;
  }

  // The tensor whose memory may be the same by `alias`, if this kernel touches it; else nothing.
  const ir::Tensor* Alias(size_t tensor) const {
    for (const auto& [x, y] : input_.program.aliases) {
      const auto a = static_cast<size_t>(x), b = static_cast<size_t>(y);
      if (a != tensor && b != tensor) continue;
      const size_t other = a == tensor ? b : a;
      if (of_tensor_.contains(other)) return &input_.program.tensors[other];
    }
    return nullptr;
  }

  bool one_cta() const {
    return std::all_of(kernel_.coordinates.begin(), kernel_.coordinates.end(),
                       [](const Linear& coordinate) { return coordinate.is_constant(); });
  }

 private:
  const RuleInput& input_;
  KernelAnalysis& kernel_;
  std::map<size_t, std::vector<const Access*>> of_tensor_;
  std::set<size_t> written_;
};

void Check(const RuleInput& input, RuleOutput& out) {
  std::set<size_t> warned;
  size_t unnamed = 0;
  for (KernelAnalysis& analysis : input.kernels) {
    Comparison comparison(input, analysis);
    for (const size_t tensor : comparison.written()) {
      const std::string& name = input.program.tensors[tensor].name;
      std::string note = " disjoint";
      if (!comparison.one_cta()) {
        const ir::Tensor* alias = comparison.Alias(tensor);
        const auto missing = MissingStrideGuard(input.program, analysis, tensor);
        if (!comparison.IndicesDiffer(tensor)) {
          note = " not proven";
        } else if (alias != nullptr) {
          note = absl::StrCat(" not proven: it may overlap `", alias->name, "`");
          out.beyond_runs = true;
        } else if (missing) {
          note = " not proven: its strides may overlap";
          out.beyond_runs = true;
          if (warned.insert(tensor).second) Warn(input, tensor, *missing, out);
        }
      }
      ++(note == " disjoint" ? out.proved : out.unknown);
      if (out.notes.size() < kMaxNotes) {
        out.notes.push_back(absl::StrCat("`", name, "`", note));
      } else {
        ++unnamed;
      }
    }
  }
  if (unnamed > 0) out.notes.push_back(absl::StrCat(unnamed, " more"));
}

constexpr Example kRejects[] = {{"CK2570", R"(program p target sm_80
dim M in 1..=100, N in 1..=128
out y: f32[M, N] stride (sy, 1)
kernel k {
  grid (M)
  role main: warps 4 { if thread < N { st y[cta, thread] <- 1.0 } }
}
)"}};
constexpr Example kAccepts[] = {{"", R"(program p target sm_80
dim M in 1..=100, N in 1..=128
out y: f32[M, N] stride (sy, 1)
where sy >= N
kernel k {
  grid (M)
  role main: warps 4 { if thread < N { st y[cta, thread] <- 1.0 } }
}
)"}};

}  // namespace

const Rule kCtaDisjoint{
    .name = "cta_disjoint",
    .property = "global races",
    .check = Check,
    .explain =
        "Elements that one CTA writes are touched by no other CTA of the launch, for every "
        "admitted "
        "shape: two copies of the kernel with different CTA coordinates never meet. What is not "
        "proven is left to the machine's race check and reported as such; it never blocks. Strides "
        "of the launch must keep the elements apart by `where`.",
    .rejects = kRejects,
    .accepts = kAccepts};

}  // namespace verifier
