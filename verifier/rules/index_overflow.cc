// Index arithmetic that leaves its type at the largest admitted shapes. The GPU wraps silently and
// the address is wrong; the machine calls it an error. Values that reach no address, bound or step
// are not the concern here.
#include "absl/strings/str_cat.h"
#include "compiler/facts/walk.h"
#include "verifier/overflowing.h"
#include "verifier/requirements.h"
#include "verifier/rules.h"

namespace verifier {
namespace {

using compiler::diag::Applicability;
using compiler::diag::Category;
using compiler::diag::Def;
using compiler::diag::Name;
using compiler::diag::Severity;

constexpr Def<Name, Name> kUnbounded{
    "CK2508", Severity::kError, Category::kUnproven, "`{0}` may leave {1}: nothing bounds it",
    "index arithmetic must fit its type at the largest shapes that the guard admits"};
constexpr Def<Name, Name, int64_t> kMayOverflow{
    "CK2503", Severity::kError, Category::kUnproven,
    "`{0}` may leave {1}: it is bounded by {2} only",
    "index arithmetic must fit its type at the largest shapes that the guard admits"};

void Check(const RuleInput& input, RuleOutput& out) {
  std::map<size_t, Overflowing> overflowing;
  ForEachRequirement(
      input, Requirement::Kind::kOverflow, out,
      [&](const KernelAnalysis& analysis, const Requirement& r) {
        const auto& causes =
            overflowing.try_emplace(analysis.kernel, input.program, analysis).first->second;
        if (causes.Before(r.expr)) return;
        const ir::Expr& expr = input.program[r.expr];
        const Interval reach = analysis.atoms.RangeOf(r.value);
        const std::string text(compiler::facts::TextOf(input.program, expr.source.span));
        const Name type{std::string(ir::ToString(expr.type.dtype))};
        constexpr const char* kFix =
            "cap the dims it grows with (`dim N in 1..=..`), or compute it in i64 by `cvt.i64`";
        const bool above = reach.high > r.range.high;
        if (above ? !reach.has_high() : !reach.has_low()) {
          out.report.Add(kUnbounded, expr.source.span, Name{text}, type)
              .Fix("bound it by the condition around the access", {}, Applicability::kManual);
        } else {
          out.report
              .Add(kMayOverflow, expr.source.span, Name{text}, type, above ? reach.high : reach.low)
              .Fix(kFix, {}, Applicability::kManual);
        }
      });
}

constexpr Example kRejects[] = {{"CK2503", R"(program p target sm_80
dim N in 1..=2147483647
out y: f32[N]
kernel k {
  grid (ceildiv(N, 96))
  role main: warps 3 {
    let i = cta*96 + thread
    if i < N { st y[i] <- 1.0 }
  }
}
)"},
                                {"CK2508", R"(program p target sm_80
dim N in 1..=1000
in ids: i64[N]
out y: f32[N]
kernel k {
  grid (1)
  role main: warps 1 {
    elect {
      let i = (ld ids[0]) + 1
      if i >= 0 && i < cvt.i64(N) { st y[i] <- 1.0 }
    }
  }
}
)"},
                                {"CK2503", R"(program p target sm_80
dim M in 1..=100000, N in 1..=100000
out y: f32[32]
kernel k {
  grid (1)
  event e[3] count 1
  role main: warps 1 {
    var use = 0
    for m in 0..M {
      for n in 0..N { arrive e@use; wait e@use; use += 1 }
    }
    st y[lane] <- 0.0
  }
}
)"}};
constexpr Example kAccepts[] = {{"", R"(program p target sm_80
dim N in 1..=2147483000
out y: f32[N]
kernel k {
  grid (ceildiv(N, 96))
  role main: warps 3 {
    let i = cta*96 + thread
    if i < N { st y[i] <- 1.0 }
  }
}
)"},
                                {"", R"(program p target sm_80
dim M in 1..=10000, N in 1..=10000
out y: f32[32]
kernel k {
  grid (1)
  event e[3] count 1
  role main: warps 1 {
    var use = 0
    for m in 0..M {
      for n in 0..ceildiv(N, 64) { arrive e@use; wait e@use; use += 1 }
    }
    st y[lane] <- 0.0
  }
}
)"}};

}  // namespace

const Rule kIndexOverflow{
    .name = "index_overflow",
    .property = "overflow",
    .check = Check,
    .explain =
        "Every sum and product that reaches an address, a loop bound or a step is bounded from the "
        "ranges of dims; it must fit the type it is computed in.",
    .rejects = kRejects,
    .accepts = kAccepts};

}  // namespace verifier
