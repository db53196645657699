// An index into a register array that may leave it. After unrolling such indices are constants, so
// this proves.
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

constexpr Def<Name, int64_t> kUnprovenRegister{
    "CK2507", Severity::kError, Category::kUnproven,
    "the index `{0}` of an array is not proven to be in 0..={1}",
    "an array in registers has no addresses, and beyond an arg array lie other parameters"};

void Check(const RuleInput& input, RuleOutput& out) {
  ForEachRequirement(
      input, Requirement::Kind::kRegisterIndex, out,
      [&](const KernelAnalysis&, const Requirement& r) {
        const ir::Expr& expr = input.program[r.expr];
        const std::string text(compiler::facts::TextOf(input.program, expr.source.span));
        out.report.Add(kUnprovenRegister, expr.source.span, Name{text}, r.range.high)
            .Fix("bound the loop by the length of the array", {}, Applicability::kManual);
      });
}

constexpr Example kRejects[] = {{"CK2507", R"(program p target sm_80
out y: f32[32]
kernel k {
  grid (1)
  role main: warps 1 {
    var a: f32[4] = 0.0
    for i in 0..5 { a[i] = 1.0 }
    st y[lane] <- a[0]
  }
}
)"}};
constexpr Example kAccepts[] = {{"", R"(program p target sm_80
out y: f32[32]
kernel k {
  grid (1)
  role main: warps 1 {
    var a: f32[4] = 0.0
    for i in 0..4 { a[i] = 1.0 }
    st y[lane] <- a[0]
  }
}
)"}};

}  // namespace

const Rule kRegisterIndex{
    .name = "register_index",
    .property = "bounds",
    .check = Check,
    .explain = "The index of every register array is inside it for every iteration.",
    .rejects = kRejects,
    .accepts = kAccepts};

}  // namespace verifier
