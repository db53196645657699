// Functions that hardware approximates.
#include "compiler/ops/families.h"

namespace compiler::ops {
namespace {

OpDef OfF32(std::string_view name, std::string_view summary) {
  return {.name = name,
          .form = Form::kFunction,
          .summary = summary,
          .args = {ArgKind::kF32},
          .modifiers = {{{"approx"}}},
          .result = ResultRule::kSameAsArgs,
          .dtypes = kF32Only};
}

}  // namespace

std::vector<OpDef> Transcendental() {
  return {
      OfF32("exp2", "2 to the power x."),
      OfF32("exp", "e to the power x."),
      OfF32("log2", "Logarithm to base 2."),
      OfF32("log", "Natural logarithm."),
      OfF32("rsqrt", "1 / sqrt(x)."),
      OfF32("sqrt", "Square root."),
      OfF32("rcp", "1 / x."),
      OfF32("sin", "Sine of x radians."),
      OfF32("cos", "Cosine of x radians."),
      OfF32("tanh", "Hyperbolic tangent."),
      OfF32("sigmoid", "1 / (1 + exp(-x))."),
  };
}

}  // namespace compiler::ops
