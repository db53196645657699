// Exact forms against extended precision; `.approx` forms against the bound that the entry states.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/unit/compiler_ops/meaning_support.h"

namespace compiler::ops {
namespace {

using Extended = long double;

struct Function {
  std::string_view name;
  Extended (*value)(Extended);
  float low, high;  // where samples are taken
};

constexpr Function kFunctions[] = {
    {"exp2", [](Extended x) { return std::exp2(x); }, -120, 120},
    {"exp", [](Extended x) { return std::exp(x); }, -80, 80},
    {"log2", [](Extended x) { return std::log2(x); }, 1e-30f, 1e30f},
    {"log", [](Extended x) { return std::log(x); }, 1e-30f, 1e30f},
    {"rsqrt", [](Extended x) { return 1 / std::sqrt(x); }, 1e-30f, 1e30f},
    {"sqrt", [](Extended x) { return std::sqrt(x); }, 1e-30f, 1e30f},
    {"rcp", [](Extended x) { return 1 / x; }, -1e30f, 1e30f},
    {"sin", [](Extended x) { return std::sin(x); }, -3.1f, 3.1f},
    {"cos", [](Extended x) { return std::cos(x); }, -3.1f, 3.1f},
    {"tanh", [](Extended x) { return std::tanh(x); }, -12, 12},
    {"sigmoid", [](Extended x) { return 1 / (1 + std::exp(-x)); }, -60, 60},
};

float Evaluate(std::string_view name, float x, bool approximate) {
  std::vector<std::string_view> modifiers;
  if (approximate) modifiers.push_back("approx");
  const Scalar got = RunScalar(
      {.op = name, .operand_type = DType::kF32, .result_type = DType::kF32, .modifiers = modifiers},
      {Bits(x)});
  EXPECT_EQ(got.error, "");
  return std::bit_cast<float>(static_cast<uint32_t>(got.bits));
}

double Ulp(Extended value) {
  const int exponent = std::max(std::ilogb(value), -126);
  return std::ldexp(1.0, exponent - 23);
}

// log-spaced where the range spans magnitudes, else even.
float Sample(const Function& f, std::mt19937_64& generator) {
  const double u = static_cast<double>(generator() >> 11) * 0x1p-53;
  if (f.low > 0)
    return static_cast<float>(std::exp(std::log(f.low) + u * (std::log(f.high) - std::log(f.low))));
  return static_cast<float>(f.low + u * (static_cast<double>(f.high) - f.low));
}

TEST(TranscendentalTest, ExactFormsAreCorrectlyRoundedAndApproximationsInTheirBound) {
  for (const Function& f : kFunctions) {
    const ir::OpDef* op = Table().Find(f.name);
    std::mt19937_64 generator(17);
    for (int i = 0; i < 3000; ++i) {
      const float x = Sample(f, generator);
      const Extended value = f.value(x);
      const double half = f.name == "sigmoid" ? 3 : 0.5001;
      EXPECT_LE(std::fabs(static_cast<Extended>(Evaluate(f.name, x, false)) - value),
                half * Ulp(value))
          << f.name << " " << x;
      // What the instruction may give, and what the meaning gives, lie on both sides of the value;
      // the stated bound is between the two, so the meaning itself must stay well inside.
      const double bound = std::max(op->approx_ulp * Ulp(value), op->approx_absolute);
      const double amplified = f.name == "exp" || f.name == "sigmoid" ? 100 * Ulp(value) : 0;
      EXPECT_LE(std::fabs(static_cast<Extended>(Evaluate(f.name, x, true)) - value),
                bound + amplified)
          << f.name << " " << x;
    }
  }
}

TEST(TranscendentalTest, Edges) {
  const float infinity = std::numeric_limits<float>::infinity();
  const float tiny = std::numeric_limits<float>::denorm_min();
  for (const bool approximate : {false, true}) {
    EXPECT_EQ(Evaluate("exp2", -infinity, approximate), 0.0f);
    EXPECT_EQ(Evaluate("exp2", infinity, approximate), infinity);
    EXPECT_EQ(Evaluate("log2", 0.0f, approximate), -infinity);
    EXPECT_EQ(Bits(Evaluate("log2", -1.0f, approximate)), 0x7fffffffu);
    EXPECT_EQ(Evaluate("rcp", -0.0f, approximate), -infinity);
    EXPECT_EQ(Evaluate("rsqrt", 0.0f, approximate), infinity);
    EXPECT_EQ(Evaluate("sqrt", 4.0f, approximate), 2.0f);
    EXPECT_EQ(Evaluate("sigmoid", 0.0f, approximate), 0.5f);
    EXPECT_EQ(Evaluate("sigmoid", -200.0f, approximate), 0.0f);
  }
  // `.approx` flushes what it takes and what it gives.
  EXPECT_EQ(Evaluate("rcp", tiny, true), infinity);
  EXPECT_EQ(Evaluate("exp2", -130.0f, true), 0.0f);
  EXPECT_EQ(Evaluate("exp2", -130.0f, false), std::ldexp(1.0f, -130));
}

}  // namespace
}  // namespace compiler::ops
