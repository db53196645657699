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
#include "verifier/disjoint.h"
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
      if (view.space != ir::Space::kGlobal || access.place_only) continue;
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
    // Of scope `cta` an access is a single step for its own CTA only; whether wider scopes reach
    // each other is the machine's to check.
    const bool reach = !pair.a->of_cta && !pair.b->of_cta;
    if (pair.a->strong && pair.b->strong && reach) return;
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
