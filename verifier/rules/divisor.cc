// An index that divides by a number that may be 0 or negative. Divisions of data are not the
// concern here: the\n// machine checks those that run.
#include "compiler/facts/walk.h"
#include "verifier/requirements.h"
#include "verifier/rules.h"

namespace verifier {
namespace {

using compiler::diag::Applicability;
using compiler::diag::Category;
using compiler::diag::Def;
using compiler::diag::Name;
using compiler::diag::Severity;

constexpr Def<Name> kUnprovenDivisor{
    "CK2505", Severity::kError, Category::kUnproven,
    "the divisor `{0}` of an index is not proven positive",
    "division by zero is an error; a negative divisor would turn the bounds of an index round"};

void Check(const RuleInput& input, RuleOutput& out) {
  ForEachRequirement(
      input, Requirement::Kind::kDivisor, out, [&](const KernelAnalysis&, const Requirement& r) {
        const ir::Expr& expr = input.program[r.expr];
        const std::string text(compiler::facts::TextOf(input.program, expr.source.span));
        out.report.Add(kUnprovenDivisor, expr.source.span, Name{text})
            .Fix("bound it below, for example by the range of its dim", {}, Applicability::kManual);
      });
}

constexpr Example kRejects[] = {{"CK2505", R"(program p target sm_80
dim M in 0..=8
out y: f32[64]
kernel k {
  grid (1)
  role main: warps 1 { st y[lane / M] <- 0.0 }
}
)"}};
constexpr Example kAccepts[] = {{"", R"(program p target sm_80
dim M in 1..=8
inout y: f32[64]
kernel k {
  grid (1)
  role main: warps 1 { elect { st y[64 / M - 1] <- 0.0 } }
}
)"}};

}  // namespace

const Rule kDivisor{
    .name = "divisor",
    .property = "bounds",
    .check = Check,
    .explain = "A divisor in an address, a bound or a step is at least 1 for every admitted shape.",
    .rejects = kRejects,
    .accepts = kAccepts};

}  // namespace verifier
