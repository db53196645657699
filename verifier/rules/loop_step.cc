// A range loop whose step may be 0 or negative: its trips are not a number, and the lowered loop
// would not end.
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

constexpr Def<Name> kUnprovenStep{"CK2504", Severity::kError, Category::kUnproven,
                                  "the step `{0}` is not proven positive",
                                  "the trips of a range loop are fixed at entry; with a step of 0 "
                                  "or less there is no such number"};

void Check(const RuleInput& input, RuleOutput& out) {
  ForEachRequirement(
      input, Requirement::Kind::kStep, out, [&](const KernelAnalysis&, const Requirement& r) {
        const ir::Expr& expr = input.program[r.expr];
        const std::string text(compiler::facts::TextOf(input.program, expr.source.span));
        out.report.Add(kUnprovenStep, expr.source.span, Name{text})
            .Fix("bound it below, for example by the range of its dim", {}, Applicability::kManual);
      });
}

constexpr Example kRejects[] = {{"CK2504", R"(program p target sm_80
dim S in 0..=8
out y: f32[64]
kernel k {
  grid (1)
  role main: warps 1 { elect { for i in 0..64 step S { st y[i] <- 0.0 } } }
}
)"}};
constexpr Example kAccepts[] = {{"", R"(program p target sm_80
dim S in 1..=8
inout y: f32[64]
kernel k {
  grid (1)
  role main: warps 1 { elect { for i in 0..64 step S { st y[i] <- 0.0 } } }
}
)"}};

}  // namespace

const Rule kLoopStep{
    .name = "loop_step",
    .property = "bounds",
    .check = Check,
    .explain = "The step of every range loop is at least 1 for every admitted shape.",
    .rejects = kRejects,
    .accepts = kAccepts};

}  // namespace verifier
