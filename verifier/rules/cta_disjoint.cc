// Two CTAs that write the same element: nothing orders them, so the result is either's. Every pair
// of stores of a tensor (and every store and load of one) is shown to touch different elements
// whenever the CTAs differ, for all shapes. A pair that is not is refused, unless it may be ordered
// by tickets, flags or a barrier of the grid: then the machine's race check over the shapes that
// ran is all there is, and the report says so.
#include <algorithm>
#include <map>
#include <set>

#include "absl/strings/str_cat.h"
#include "compiler/facts/walk.h"
#include "verifier/injective.h"
#include "verifier/order_dependence.h"
#include "verifier/rules.h"

namespace verifier {
namespace {

using compiler::diag::Applicability;
using compiler::diag::Category;
using compiler::diag::Def;
using compiler::diag::Name;
using compiler::diag::Severity;

constexpr size_t kMaxPairs = 400;  // of one tensor: every one is a proof
constexpr size_t kMaxNotes = 12;   // tensors named in the coverage
constexpr size_t kMaxLoadedPairs = 16;

constexpr Def<Name> kOverlappingRows{
    "CK2570", Severity::kError, Category::kUnproven,
    "the strides of `{0}` are not known to keep its elements apart",
    "with a smaller stride two indices are one address, and CTAs that write different elements "
    "overwrite each other's"};

constexpr Def<Name> kMayMeet{
    "CK2530", Severity::kError, Category::kUnproven,
    "two CTAs are not known to touch different elements of `{0}`",
    "nothing orders the CTAs of a launch: where two of them touch one element and one writes it, "
    "the result is either's; the shapes that ran do not show it, larger ones may"};
constexpr Def<Name, Name> kMayMeetInAlias{
    "CK2531", Severity::kError, Category::kUnproven,
    "`{0}` may be the memory of `{1}`, in which two CTAs are not known to touch different elements",
    "nothing orders the CTAs of a launch: what one reads through one name, another may already "
    "have "
    "overwritten through the other"};

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

struct Pair {
  const Access* a = nullptr;
  const Access* b = nullptr;
};

// What is known of all pairs of a tensor that two CTAs may make.
struct Finding {
  bool ordered = false;  // some pair is not shown apart, but may be ordered
  Pair unproven;         // the first that is neither
};

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

  // Every pair with a write in it.
  Finding Compare(size_t tensor) {
    Finding finding;
    const std::vector<const Access*>& all = of_tensor_[tensor];
    size_t pairs = 0;
    for (size_t i = 0; i < all.size(); ++i) {
      for (size_t j = i; j < all.size(); ++j) {
        if (all[i]->write || all[j]->write) Add({all[i], all[j]}, ++pairs, true, finding);
      }
    }
    return finding;
  }

  // The same of one tensor and another that may be the same memory.
  Finding CompareAliases(size_t tensor, size_t other) {
    Finding finding;
    size_t pairs = 0;
    const bool alike = SameLayout(tensor, other);
    for (const Access* a : of_tensor_[tensor]) {
      for (const Access* b : of_tensor_[other]) {
        if (a->write || b->write) Add({a, b}, ++pairs, alike, finding);
      }
    }
    return finding;
  }

  // Tensors whose memory may be the same by `alias`, as far as this kernel touches them.
  std::vector<size_t> AliasesOf(size_t tensor) const {
    std::vector<size_t> others;
    for (const auto& [x, y] : input_.program.aliases) {
      const auto a = static_cast<size_t>(x), b = static_cast<size_t>(y);
      if (a != tensor && b != tensor) continue;
      const size_t other = a == tensor ? b : a;
      if (other != tensor && of_tensor_.contains(other)) others.push_back(other);
    }
    return others;
  }

  bool one_cta() const {
    return std::all_of(kernel_.coordinates.begin(), kernel_.coordinates.end(),
                       [](const Linear& coordinate) { return coordinate.is_constant(); });
  }

 private:
  // `comparable`: equal indices are equal addresses, and only they.
  void Add(const Pair& pair, size_t number, bool comparable, Finding& finding) {
    if (finding.unproven.a != nullptr) return;
    if (pair.a->strong && pair.b->strong) return;  // scopes are the machine's to check
    if (pair.a->reduces && pair.b->reduces) return;
    if (comparable && number <= kMaxPairs && Disjoint(input_, kernel_, *pair.a, *pair.b)) return;
    if (Ordered(*pair.a) || Ordered(*pair.b)) {
      finding.ordered = true;
    } else {
      finding.unproven = pair;
    }
  }

  bool Ordered(const Access& access) {
    if (ordered_.empty()) {
      ordered_ = OrderedWithOtherCtas(input_.program, input_.program.kernels[kernel_.kernel]);
    }
    return ordered_[static_cast<size_t>(access.stmt)];
  }

  // Both begin at one address; then equal strides make equal indices equal addresses.
  bool SameLayout(size_t a, size_t b) const {
    const std::vector<ir::Tensor>& tensors = input_.program.tensors;
    const std::vector<Linear>&x = kernel_.strides[a], &y = kernel_.strides[b];
    if (ir::Info(tensors[a].dtype).bits != ir::Info(tensors[b].dtype).bits) return false;
    if (x.size() != y.size()) return false;
    const Prover prover(kernel_.atoms);
    for (size_t d = 0; d < x.size(); ++d) {
      if (x[d] == y[d]) continue;
      if (!prover.AtMost(x[d], y[d], kernel_.launch)) return false;
      if (!prover.AtMost(y[d], x[d], kernel_.launch)) return false;
    }
    return true;
  }

  const RuleInput& input_;
  KernelAnalysis& kernel_;
  std::map<size_t, std::vector<const Access*>> of_tensor_;
  std::set<size_t> written_;
  std::vector<bool> ordered_;  // by StmtId; filled when first needed
};

compiler::diag::Span PlaceOf(const ir::Program& program, const Access& access) {
  return access.load != ir::ExprId::kNone ? program[access.load].source.span
                                          : program[access.view].source.span;
}

void Refuse(const RuleInput& input, size_t tensor, size_t other, const Pair& pair,
            RuleOutput& out) {
  const ir::Program& program = input.program;
  const Name name{program.tensors[tensor].name};
  const bool b_first = !pair.a->write;
  const Access &writes = b_first ? *pair.b : *pair.a, &meets = b_first ? *pair.a : *pair.b;
  const compiler::diag::Span at = PlaceOf(program, writes), second = PlaceOf(program, meets);
  auto added = other == tensor
                   ? out.report.Add(kMayMeet, at, name)
                   : out.report.Add(kMayMeetInAlias, at, name, Name{program.tensors[other].name});
  if (!(second == at)) added.Label(second, "another CTA may be here with the same element");
  added.Fix(
      "let each CTA touch elements of its own: an index that grows with `cta` by at least what the "
      "CTA touches; of numbers that come from memory say `distinct(..)` in `where`; sum up with "
      "`red.add`; or part the two accesses by `grid.sync` or into two kernels",
      {}, Applicability::kManual);
}

// What is said of one written tensor; "disjoint" is proved.
std::string Judge(const RuleInput& input, KernelAnalysis& analysis, Comparison& comparison,
                  size_t tensor, std::set<size_t>& warned, RuleOutput& out) {
  std::string note = " disjoint";
  const auto take = [&](const Finding& finding, size_t other) {
    if (finding.unproven.a != nullptr) {
      out.beyond_runs = true;
      Refuse(input, tensor, other, finding.unproven, out);
    }
    if (finding.ordered || finding.unproven.a != nullptr) note = " not proven";
  };
  take(comparison.Compare(tensor), tensor);
  for (const size_t other : comparison.AliasesOf(tensor)) {
    // A pair of two written tensors is told once.
    if (comparison.written().contains(other) && other < tensor) continue;
    take(comparison.CompareAliases(tensor, other), other);
  }
  if (note != " disjoint") return note;
  const auto missing = MissingStrideGuard(input.program, analysis, tensor);
  if (!missing) return note;
  out.beyond_runs = true;
  if (warned.insert(tensor).second) Warn(input, tensor, *missing, out);
  return " not proven: its strides may overlap";
}

void Check(const RuleInput& input, RuleOutput& out) {
  std::set<size_t> warned;
  size_t unnamed = 0;
  for (KernelAnalysis& analysis : input.kernels) {
    Comparison comparison(input, analysis);
    for (const size_t tensor : comparison.written()) {
      const std::string note = comparison.one_cta()
                                   ? " disjoint"
                                   : Judge(input, analysis, comparison, tensor, warned, out);
      ++(note == " disjoint" ? out.proved : out.unknown);
      if (out.notes.size() < kMaxNotes) {
        out.notes.push_back(absl::StrCat("`", input.program.tensors[tensor].name, "`", note));
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
)"},
                                {"CK2530", R"(program p target sm_80
dim N in 1..=1000000
out y: f32[N]
kernel k {
  grid (ceildiv(N, 128))
  role main: warps 4 {
    let i = cta*128 + thread
    if i < N { st y[min(i, 900000)] <- 1.0 }
  }
}
)"},
                                {"CK2531", R"(program p target sm_80
dim N in 1..=1000000
in x: f32[N]
out y: f32[N]
alias x, y
kernel k {
  grid (ceildiv(N, 128))
  role main: warps 4 {
    let i = cta*128 + thread
    if i + 400000 < N { st y[i] <- ld x[i + 400000] }
  }
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
)"},
                                {"", R"(program p target sm_80
dim N in 1..=1000000
in x: f32[N]
out y: f32[N]
alias x, y
kernel k {
  grid (ceildiv(N, 128))
  role main: warps 4 {
    let i = cta*128 + thread
    if i < N { st y[i] <- ld x[i] }
  }
}
)"}};

}  // namespace

const Rule kCtaDisjoint{
    .name = "cta_disjoint",
    .property = "global races",
    .check = Check,
    .explain =
        "Elements that one CTA writes are touched by no other CTA of the launch, for every "
        "admitted shape: two copies of the kernel with different CTA coordinates never meet, nor "
        "do tensors that `alias` says may be one memory. Only what tickets, flags or a barrier of "
        "the grid may order is left to the machine's race check and reported as such. Strides of "
        "the launch must keep the elements apart by `where`.",
    .rejects = kRejects,
    .accepts = kAccepts};

}  // namespace verifier
