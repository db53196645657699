// An access that leaves its buffer for some admitted shape. On the GPU it reads a neighbour's
// bytes, corrupts them, or ends in an illegal address long after. Each dimension is proven by
// itself, for every shape, thread and iteration. What this misses on purpose: accesses with an
// `else`, which the hardware predicates, and the content of index tensors, which no shape bounds.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "compiler/facts/walk.h"
#include "verifier/overflowing.h"
#include "verifier/rules.h"

namespace verifier {
namespace {

using compiler::diag::Applicability;
using compiler::diag::Category;
using compiler::diag::Def;
using compiler::diag::Name;
using compiler::diag::Severity;

constexpr Def<Name, Name> kUnprovenBounds{
    "CK2501", Severity::kError, Category::kUnproven,
    "access to `{0}` is not proven in bounds: it needs `{1}`",
    "an access is proven in bounds for every shape that the guard admits, or carries an `else`"};

struct Buffer {
  std::string name;
  compiler::diag::Span declared;
};

Buffer BufferOf(const RuleInput& input, const KernelAnalysis& analysis, const ir::View& view) {
  if (view.space == ir::Space::kGlobal) {
    const ir::Tensor& tensor = input.program[view.tensor];
    return {tensor.name, tensor.declared};
  }
  if (view.space == ir::Space::kTmem) {
    const ir::TmemBuffer& tmem =
        input.program.kernels[analysis.kernel].tmem[static_cast<size_t>(view.tmem)];
    return {tmem.name, tmem.declared};
  }
  const ir::SharedBuffer& shared =
      input.program.kernels[analysis.kernel].shared[static_cast<size_t>(view.shared)];
  return {shared.name, shared.declared};
}

std::string LimitText(const RuleInput& input, const KernelAnalysis& analysis, const ir::View& view,
                      size_t d) {
  if (view.space == ir::Space::kTmem) {
    const ir::TmemBuffer& tmem =
        input.program.kernels[analysis.kernel].tmem[static_cast<size_t>(view.tmem)];
    return absl::StrCat(d == 0 ? tmem.rows : tmem.columns);
  }
  if (view.space != ir::Space::kGlobal) {
    return absl::StrCat(
        input.program.kernels[analysis.kernel].shared[static_cast<size_t>(view.shared)].shape[d]);
  }
  const ir::ExprId extent = input.program[view.tensor].shape[d];
  return std::string(compiler::facts::TextOf(input.program, input.program[extent].source.span));
}

// The index as the left side of a comparison: what binds weaker than that is in parentheses.
std::string Compared(std::string_view text) {
  const bool weaker = text.find_first_of("&|^=<>") != text.npos || text.find(" else ") != text.npos;
  return weaker ? absl::StrCat("(", std::string(text), ")") : std::string(text);
}

// The condition that would have to hold, as the author could write it.
std::string Needed(const RuleInput& input, const KernelAnalysis& analysis, const Access& access) {
  const ir::View& view = input.program[access.view];
  const Prover prover(analysis.atoms);
  std::vector<std::string> needs;
  for (size_t d = 0; d < access.offsets.size(); ++d) {
    if (view.index[d].offset == ir::ExprId::kNone) continue;
    const ir::Expr& offset = input.program[view.index[d].offset];
    const std::string text = Compared(compiler::facts::TextOf(input.program, offset.source.span));
    if (!prover.NonNegative(access.offsets[d], access.facts)) {
      needs.push_back(absl::StrCat(text, " >= 0"));
    }
    const int64_t extent = access.extents[d];
    const std::optional<Linear> room = Minus(access.limits[d], access.offsets[d]);
    if (room && prover.NonNegative(Shift(*room, -extent), access.facts)) continue;
    const std::string limit = LimitText(input, analysis, view, d);
    needs.push_back(extent == 1 ? absl::StrCat(text, " < ", limit)
                                : absl::StrCat(text, " + ", extent, " <= ", limit));
  }
  std::string all;
  for (const std::string& need : needs) {
    absl::StrAppend(&all, all.empty() ? "" : " && ", need);
  }
  return all;
}

// Whether leaving the access out under the condition is what the author can only have meant, and
// enough: where part of a vector is outside, leaving all of it out is another program; a value that
// is read from memory again is another unknown.
bool Sure(const ir::Program& program, const Access& access) {
  bool sure = std::all_of(access.extents.begin(), access.extents.end(),
                          [](int64_t extent) { return extent == 1; });
  for (const ir::ViewIndex& index : program[access.view].index) {
    compiler::facts::ForEachExpr(program, index.offset, [&](ir::ExprId, const ir::Expr& expr) {
      sure = sure && expr.kind != ir::ExprKind::kLoad;
    });
  }
  return sure;
}

void Report(const RuleInput& input, const KernelAnalysis& analysis, const Access& access,
            const std::string& needed, RuleOutput& out) {
  const ir::Program& program = input.program;
  const ir::View& view = program[access.view];
  const Buffer buffer = BufferOf(input, analysis, view);
  const bool load = access.load != ir::ExprId::kNone;
  const compiler::diag::Span at = load ? program[access.load].source.span : view.source.span;
  auto added = out.report.Add(kUnprovenBounds, at, Name{buffer.name}, Name{needed});
  added.Label(buffer.declared, "declared here");
  if (access.place_only) return;  // nothing that could be left out
  const compiler::diag::Span stmt = program[access.stmt].source.span;
  if (!load) {
    const bool sure = Sure(input.program, access);
    added.Fix(absl::StrCat(access.write ? "store" : "load", " only where `", needed, "`"),
              {{{stmt.begin, stmt.begin}, absl::StrCat("if ", needed, " { ")},
               {{stmt.end, stmt.end}, " }"}},
              sure ? Applicability::kMachine : Applicability::kMaybe);
  } else {
    const ir::DType dtype = program[access.load].type.dtype;
    added.Fix("load 0 where the access is out of bounds",
              {{{at.end, at.end}, ir::Info(dtype).is_float ? " else 0.0" : " else 0"}},
              Applicability::kMaybe);
  }
}

void Check(const RuleInput& input, RuleOutput& out) {
  for (const KernelAnalysis& analysis : input.kernels) {
    const Overflowing overflowing(input.program, analysis);
    for (const Access& access : analysis.accesses) {
      if (access.predicated) {
        ++out.proved;
        continue;
      }
      const std::string needed = Needed(input, analysis, access);
      if (needed.empty()) {
        ++out.proved;
        continue;
      }
      ++out.unknown;
      if (!overflowing.Reaches(access.view)) Report(input, analysis, access, needed, out);
    }
  }
}

constexpr Example kRejects[] = {{"CK2501", R"(program p target sm_80
dim N in 1..=1000000
out y: f32[N]
kernel k {
  grid (ceildiv(N, 128))
  role main: warps 4 {
    let i = cta*128 + thread
    st y[i] <- 1.0
  }
}
)"}};
constexpr Example kAccepts[] = {{"", R"(program p target sm_80
dim N in 1..=1000000
out y: f32[N]
kernel k {
  grid (ceildiv(N, 128))
  role main: warps 4 {
    let i = cta*128 + thread
    if i < N { st y[i] <- 1.0 }
  }
}
)"}};

}  // namespace

const Rule kAccessBounds{
    .name = "access_bounds",
    .property = "bounds",
    .check = Check,
    .explain =
        "For each dimension of each access: offset >= 0 and offset + width <= extent, from the "
        "ranges of dims, `where`, loop bounds and the conditions around the access.",
    .rejects = kRejects,
    .accepts = kAccepts};

}  // namespace verifier
