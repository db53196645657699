// An index into a barrier array that may leave it: another barrier, or none, would be used.
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

constexpr Def<Name, int64_t> kUnprovenBarrier{
    "CK2506", Severity::kError, Category::kUnproven,
    "the barrier index `{0}` is not proven to be in 0..={1}",
    "an index past the end names the barrier of somebody else"};

void Check(const RuleInput& input, RuleOutput& out) {
  ForEachRequirement(
      input, Requirement::Kind::kBarrierIndex, out,
      [&](const KernelAnalysis&, const Requirement& r) {
        const ir::Expr& expr = input.program[r.expr];
        const std::string text(compiler::facts::TextOf(input.program, expr.source.span));
        out.report.Add(kUnprovenBarrier, expr.source.span, Name{text}, r.range.high)
            .Fix("take it modulo the number of barriers", {}, Applicability::kManual);
      });
}

constexpr Example kRejects[] = {{"CK2506", R"(program p target sm_80
dim N in 1..=8
out y: f32[32]
kernel k {
  grid (1)
  barrier b[2] threads 32
  role main: warps 1 {
    for i in 0..N { bar.sync b[i] }
    st y[lane] <- 0.0
  }
}
)"}};
constexpr Example kAccepts[] = {{"", R"(program p target sm_80
dim N in 1..=8
out y: f32[32]
kernel k {
  grid (1)
  barrier b[2] threads 32
  role main: warps 1 {
    for i in 0..N { bar.sync b[i % 2] }
    st y[lane] <- 0.0
  }
}
)"}};

}  // namespace

const Rule kBarrierIndex{
    .name = "barrier_index",
    .property = "bounds",
    .check = Check,
    .explain = "The index of `bar.sync B[i]` and `bar.arrive B[i]` is inside the declared array.",
    .rejects = kRejects,
    .accepts = kAccepts};

}  // namespace verifier
