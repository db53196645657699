// Functions that hardware approximates.
//
// The exact forms are computed in double and rounded once; the libdevice routines that emitted code
// calls stay within `ulp` of that (CUDA programming guide, mathematical functions, table of single
// precision errors). The `.approx` forms are what one SFU instruction computes, with the bounds of
// the PTX ISA turned into f32 ulps: a relative error of 2^-n is at most 2^(24-n) ulp.
#include <algorithm>
#include <bit>
#include <cmath>
#include <string>

#include "absl/strings/str_cat.h"
#include "compiler/ir/packed.h"
#include "compiler/ops/example.h"
#include "compiler/ops/families.h"
#include "compiler/ops/lowering.h"
#include "compiler/ops/meaning.h"
#include "compiler/ops/packed_meaning.h"

namespace compiler::ops {
namespace {

constexpr float kLog2E = 1.44269504f;
constexpr float kLn2 = 0.693147182f;

using OfDouble = double (*)(double);

double Exp2(double x) { return std::exp2(x); }
double Exp(double x) { return std::exp(x); }
double Log2(double x) { return std::log2(x); }
double Log(double x) { return std::log(x); }
double Rsqrt(double x) { return 1.0 / std::sqrt(x); }
double Sqrt(double x) { return std::sqrt(x); }
double Rcp(double x) { return 1.0 / x; }
double Sin(double x) { return std::sin(x); }
double Cos(double x) { return std::cos(x); }
double Tanh(double x) { return std::tanh(x); }

float Once(OfDouble f, float x) { return static_cast<float>(f(static_cast<double>(x))); }
// An `.approx.ftz` instruction.
float Sfu(OfDouble f, float x) { return Flush(Once(f, Flush(x))); }

template <OfDouble kFunction>
float Exact(float x) {
  return Once(kFunction, x);
}
template <OfDouble kFunction>
float Approximate(float x) {
  return Sfu(kFunction, x);
}
float ApproximateExp(float x) { return Sfu(Exp2, x * kLog2E); }
float ApproximateLog(float x) { return Sfu(Log2, x) * kLn2; }
// The instruction promises 11 bits. A meaning that had them all would let programs pass that need
// more: it keeps 11 of the fraction, half of the error that the instruction may have.
float ApproximateTanh(float x) {
  constexpr uint32_t kDropped = 12;  // of 23
  const float value = Once(Tanh, x);
  if (!std::isnormal(value)) return value;
  auto bits = std::bit_cast<uint32_t>(value);
  bits += (uint32_t{1} << (kDropped - 1)) - 1 + (bits >> kDropped & 1);
  return std::bit_cast<float>(bits >> kDropped << kDropped);
}
// Step by step in f32, as emitted: exp(-x) overflows where the true value is still subnormal.
float ExactSigmoid(float x) { return 1.0f / (1.0f + Once(Exp, -x)); }
float ApproximateSigmoid(float x) { return Sfu(Rcp, 1.0f + Sfu(Exp2, x * -kLog2E)); }

using OfFloat = float (*)(float);

template <OfFloat kExact, OfFloat kApproximate>
std::string_view Mean(const MeaningArgs& args) {
  const bool approximate = Has(args, "approx");
  return EachLane(args, [&](int lane) -> std::string_view {
    const float x = Operand(args, Get<float>(*args.in[0], lane));
    Set<float>(*args.out[0], lane, Rounded(args, approximate ? kApproximate(x) : kExact(x)));
    return {};
  });
}

std::string Lower(const ir::LowerArgs& args) {
  const std::string name(args.name);
  std::string function = "cake::" + name + "_approx";
  if (!HasModifier(args, "approx")) {
    function = name == "rcp" ? "__frcp_rn" : name == "sigmoid" ? "cake::sigmoid" : name + "f";
  }
  const std::string_view x = args.args[0];
  const absl::string_view operand(x.data(), x.size());
  if (!args.ftz) return absl::StrCat(function, "(", operand, ")");
  return absl::StrCat("cake::flush(", function, "(cake::flush(", operand, ")))");
}

// exp2 and tanh of packed 16-bit floats: one instruction for both halves, approximate only.
template <OfDouble kFunction, bool kFlushesBF16, OfFloat kExact, OfFloat kApproximate>
std::string_view MeanOfPacked(const MeaningArgs& args) {
  if (!ir::IsPacked(args.operand_type)) return Mean<kExact, kApproximate>(args);
  return PackedApproximate(args, kFunction, kFlushesBF16);
}

std::string LowerOfPacked(const ir::LowerArgs& args) {
  if (!ir::IsPacked(args.operand_type)) return Lower(args);
  return LowerPacked(std::string(args.name) + "_approx", args);
}

// PTX ISA, half precision ex2 and tanh: target notes.
ir::Needs ApproximationNeeds(const ir::UseArgs& use) {
  if (!ir::IsPacked(use.operand_type)) return {};
  if (std::find(use.modifiers.begin(), use.modifiers.end(), "approx") == use.modifiers.end()) {
    return {.refused = "packed values have the approximation only, `.approx`"};
  }
  if (use.operand_type == DType::kBF16x2) return {.min_arch = "sm_90"};
  return {};
}

// `ulp`: of the half types, from the relative errors 2^-9.9 (f16 ex2), 2^-7 (bf16 ex2), 2^-10.987
// (f16 tanh), 2^-8 (bf16 tanh) of the PTX ISA.
OpDef WithPacked(OpDef op, ir::Meaning meaning, double ulp) {
  op.args = {ArgKind::kFloat};
  op.dtypes = kF32AndHalves;
  op.capability = ApproximationNeeds;
  op.meaning = meaning;
  op.lower = LowerOfPacked;
  op.packed_ulp = ulp;
  return op;
}

struct Bounds {
  double exact_ulp, approx_ulp, approx_absolute;
  ir::ApproxDomain domain = {};
};

OpDef OfF32(std::string_view name, std::string_view summary, ir::Meaning meaning, Bounds bounds,
            double issue_slots) {
  return {.name = name,
          .form = Form::kFunction,
          .summary = summary,
          .args = {ArgKind::kF32},
          .modifiers = {{{"approx"}}},
          .result = ResultRule::kSameAsArgs,
          .dtypes = kF32Only,
          .cost = {.pipe = Pipe::kSfu, .issue_slots = issue_slots, .flops_per_lane = 1},
          .ulp = bounds.exact_ulp,
          .approx_ulp = bounds.approx_ulp,
          .approx_absolute = bounds.approx_absolute,
          .approx_domain = bounds.domain,
          .meaning = meaning,
          .lower = Lower,
          .source =
              "CUDA programming guide, mathematical functions; PTX ISA, approximate "
              "floating-point instructions",
          .example = ExampleOfExpression(
              "in a: f32[N]; out y: f32[N]",
              absl::StrCat(absl::string_view(name.data(), name.size()), "(ld a[i]) + ",
                           absl::string_view(name.data(), name.size()), ".approx(ld a[i])"))};
}

}  // namespace

// Bounds of the approximations: PTX ISA, floating-point instructions; CUDA programming guide,
// intrinsic functions.
//   ex2      relative error 2^-22 everywhere; `.ftz` gives subnormals as zero
//   lg2      absolute error 2^-22 in (0.5, 2), relative 2^-22 outside
//   rsqrt    relative error 2^-22.9 for all positive finite numbers, subnormals taken as zero
//   rcp      1 ulp for all finite numbers, subnormals taken and given as zero
//   sqrt     relative error 2^-23 for all positive finite numbers
//   sin, cos absolute error 2^-20.5 in [-pi, pi]. The error of the product that turns radians into
//            turns grows with the operand, so that outside the result is a value in [-1, 1].
//   tanh     relative error 2^-11 everywhere, subnormals included; that of the meaning, half as
//            much, comes on top
// exp, log and sigmoid are one of these after or before f32 operations that `meaning` does too.
std::vector<OpDef> Transcendental() {
  const double two_to_minus_22 = std::ldexp(1.0, -22);
  // An operand that rounds to pi or -pi is inside.
  constexpr ir::ApproxDomain kOneTurn{
      .low = -3.14159274101257324, .high = 3.14159274101257324, .least = -1, .most = 1};
  const Bounds turning{2, 2, std::ldexp(1.0, -20), kOneTurn};
  return {
      WithPacked(OfF32("exp2", "2 to the power x; of f16x2 and bf16x2 as `.approx`.", nullptr,
                       {2, 4, 0}, 2),
                 MeanOfPacked<Exp2, true, Exact<Exp2>, Approximate<Exp2>>, 3),
      OfF32("exp", "e to the power x.", Mean<Exact<Exp>, ApproximateExp>, {2, 4, 0}, 6),
      OfF32("log2", "Logarithm to base 2.", Mean<Exact<Log2>, Approximate<Log2>>,
            {2, 4, two_to_minus_22}, 10),
      OfF32("log", "Natural logarithm.", Mean<Exact<Log>, ApproximateLog>, {2, 5, two_to_minus_22},
            10),
      OfF32("rsqrt", "1 / sqrt(x).", Mean<Exact<Rsqrt>, Approximate<Rsqrt>>, {2, 3, 0}, 4),
      OfF32("sqrt", "Square root, IEEE.", Mean<Exact<Sqrt>, Approximate<Sqrt>>, {0, 2, 0}, 8),
      OfF32("rcp", "1 / x, IEEE.", Mean<Exact<Rcp>, Approximate<Rcp>>, {0, 2, 0}, 8),
      OfF32("sin", "Sine of x radians; `.approx` is accurate within [-pi, pi].",
            Mean<Exact<Sin>, Approximate<Sin>>, turning, 18),
      OfF32("cos", "Cosine of x radians; `.approx` is accurate within [-pi, pi].",
            Mean<Exact<Cos>, Approximate<Cos>>, turning, 18),
      WithPacked(
          OfF32("tanh", "Hyperbolic tangent; `.approx` to 11 bits, also of f16x2 and bf16x2.",
                nullptr, {2, 8192 + 4096, 0}, 14),
          MeanOfPacked<Tanh, false, Exact<Tanh>, ApproximateTanh>, 2),
      OfF32("sigmoid", "1 / (1 + exp(-x)).", Mean<ExactSigmoid, ApproximateSigmoid>, {4, 8, 0}, 16),
  };
}

}  // namespace compiler::ops
