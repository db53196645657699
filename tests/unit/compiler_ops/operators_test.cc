#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/unit/compiler_ops/meaning_support.h"

namespace compiler::ops {
namespace {

using Wide = __int128;

template <typename T>
class IntegerTest : public testing::Test {};
using Integers =
    testing::Types<int8_t, uint8_t, int16_t, uint16_t, int32_t, uint32_t, int64_t, uint64_t>;
TYPED_TEST_SUITE(IntegerTest, Integers);

template <typename T>
bool Holds(Wide value) {
  return value >= std::numeric_limits<T>::min() && value <= std::numeric_limits<T>::max();
}

// Of u64 the product needs all 128 bits, and only the low ones matter.
template <typename T>
Wide Product(T a, T b) {
  if constexpr (std::is_unsigned_v<T>) {
    return static_cast<Wide>(static_cast<unsigned __int128>(a) * b);
  } else {
    return Wide{a} * b;
  }
}

// The exact result brought to T: an error where T is signed and does not hold it, else wrapped.
template <typename T>
void ExpectExact(std::string_view op, T a, T b, Wide exact) {
  const Scalar got = RunScalar(
      {.op = op, .operand_type = DTypeOf<T>(), .result_type = DTypeOf<T>()}, {Bits(a), Bits(b)});
  if (std::is_signed_v<T> && !Holds<T>(exact)) {
    EXPECT_EQ(got.error, "signed overflow") << op << " " << +a << " " << +b;
    return;
  }
  EXPECT_EQ(got.error, "") << op << " " << +a << " " << +b;
  EXPECT_EQ(got.bits, Bits(static_cast<T>(static_cast<uint64_t>(exact))))
      << op << " " << +a << " " << +b;
}

TYPED_TEST(IntegerTest, SumsAndProducts) {
  using T = TypeParam;
  const std::vector<T> samples = IntegerSamples<T>(40);
  for (const T a : samples) {
    for (const T b : samples) {
      ExpectExact<T>("+", a, b, Wide{a} + b);
      ExpectExact<T>("-", a, b, Wide{a} - b);
      ExpectExact<T>("*", a, b, Product(a, b));
    }
  }
}

TYPED_TEST(IntegerTest, DivisionTruncatesAndReportsZero) {
  using T = TypeParam;
  const std::vector<T> samples = IntegerSamples<T>(40);
  for (const T a : samples) {
    for (const T b : samples) {
      for (const std::string_view op : {"/", "%"}) {
        if (b == 0) {
          const Scalar got =
              RunScalar({.op = op, .operand_type = DTypeOf<T>()}, {Bits(a), Bits(b)});
          EXPECT_EQ(got.error, "division by zero");
        } else if (Wide{a} / b > std::numeric_limits<T>::max()) {
          const Scalar got =
              RunScalar({.op = op, .operand_type = DTypeOf<T>()}, {Bits(a), Bits(b)});
          EXPECT_EQ(got.error, "signed overflow");
        } else {
          ExpectExact<T>(op, a, b, op == "/" ? Wide{a} / b : Wide{a} % b);
        }
      }
    }
  }
}

TYPED_TEST(IntegerTest, CeildivIsTheSmallestQuotientThatCovers) {
  using T = TypeParam;
  const std::vector<T> samples = IntegerSamples<T>(40);
  for (const T a : samples) {
    for (const T b : samples) {
      const Scalar got =
          RunScalar({.op = "ceildiv", .operand_type = DTypeOf<T>()}, {Bits(a), Bits(b)});
      if (b == 0) {
        EXPECT_EQ(got.error, "division by zero");
      } else if (b < 0) {
        EXPECT_EQ(got.error, "ceildiv by a negative value");
      } else {
        ASSERT_EQ(got.error, "");
        const Wide q = static_cast<T>(got.bits);
        EXPECT_TRUE(q * b >= a && (q - 1) * b < a) << +a << " " << +b;
        EXPECT_EQ(got.bits, Bits(static_cast<T>(q)));
      }
    }
  }
}

TYPED_TEST(IntegerTest, ShiftsCheckTheCountAndTheSignedResult) {
  using T = TypeParam;
  constexpr int kWidth = static_cast<int>(sizeof(T)) * 8;
  for (const T a : IntegerSamples<T>(60)) {
    for (int64_t count = -1; count <= kWidth; ++count) {
      const Call left{.op = "<<", .operand_type = DTypeOf<T>()};
      const Call right{.op = ">>", .operand_type = DTypeOf<T>()};
      const Scalar shifted_left = RunScalar(left, {Bits(a), Bits(count)});
      const Scalar shifted_right = RunScalar(right, {Bits(a), Bits(count)});
      if (count < 0 || count >= kWidth) {
        EXPECT_EQ(shifted_left.error, "shift count outside 0..width");
        EXPECT_EQ(shifted_right.error, "shift count outside 0..width");
        continue;
      }
      const Wide power = Wide{1} << count;
      Wide floor = Wide{a} / power;
      if (floor * power > a) floor -= 1;
      EXPECT_EQ(shifted_right.bits, Bits(static_cast<T>(floor))) << +a << " >> " << count;
      const Wide exact = Wide{a} * power;
      if (std::is_signed_v<T> && !Holds<T>(exact)) {
        EXPECT_EQ(shifted_left.error, "signed overflow");
      } else {
        EXPECT_EQ(shifted_left.error, "");
        EXPECT_EQ(shifted_left.bits, Bits(static_cast<T>(static_cast<uint64_t>(exact))));
      }
    }
  }
}

TYPED_TEST(IntegerTest, ComparisonsAndBits) {
  using T = TypeParam;
  const std::vector<T> samples = IntegerSamples<T>(30);
  for (const T a : samples) {
    for (const T b : samples) {
      const auto compare = [&](std::string_view op) {
        return RunScalar({.op = op, .operand_type = DTypeOf<T>(), .result_type = DType::kBool},
                         {Bits(a), Bits(b)})
                   .bits != 0;
      };
      EXPECT_EQ(compare("=="), a == b);
      EXPECT_EQ(compare("!="), a != b);
      EXPECT_EQ(compare("<"), a < b);
      EXPECT_EQ(compare("<="), a <= b);
      EXPECT_EQ(compare(">"), a > b);
      EXPECT_EQ(compare(">="), a >= b);
      ExpectExact<T>("&", a, b, static_cast<T>(a & b));
      ExpectExact<T>("|", a, b, static_cast<T>(a | b));
      ExpectExact<T>("^", a, b, static_cast<T>(a ^ b));
      ExpectExact<T>("min", a, b, std::min(a, b));
      ExpectExact<T>("max", a, b, std::max(a, b));
    }
    const Scalar complement = RunScalar({.op = "~", .operand_type = DTypeOf<T>()}, {Bits(a)});
    EXPECT_EQ(complement.bits, Bits(static_cast<T>(~a)));
  }
}

TEST(SignedTest, NegationAndAbsoluteValueOfTheSmallest) {
  const auto run = [](std::string_view op, int32_t a) {
    return RunScalar({.op = op, .operand_type = DType::kI32}, {Bits(a)});
  };
  EXPECT_EQ(run("-", 5).bits, Bits(int32_t{-5}));
  EXPECT_EQ(run("-", std::numeric_limits<int32_t>::min()).error, "signed overflow");
  EXPECT_EQ(run("abs", -5).bits, 5u);
  EXPECT_EQ(run("abs", std::numeric_limits<int32_t>::min()).error, "signed overflow");
}

uint64_t NanBits() { return 0x7fffffff; }

uint64_t Expected(float value) { return std::isnan(value) ? NanBits() : Bits(value); }

TEST(FloatTest, ArithmeticRoundsOnceAndHasOneNan) {
  const std::vector<float> samples = FloatSamples(60);
  const auto run = [](std::string_view op, std::vector<uint64_t> operands) {
    return RunScalar({.op = op, .operand_type = DType::kF32, .result_type = DType::kF32}, operands);
  };
  for (const float a : samples) {
    for (const float b : samples) {
      const double wide_a = a;
      const double wide_b = b;
      // Double holds an f32 sum or product to more than twice the bits, so rounding it is exact.
      EXPECT_EQ(run("*", {Bits(a), Bits(b)}).bits, Expected(static_cast<float>(wide_a * wide_b)));
      EXPECT_EQ(run("+", {Bits(a), Bits(b)}).bits, Expected(static_cast<float>(wide_a + wide_b)));
      EXPECT_EQ(run("-", {Bits(a), Bits(b)}).bits, Expected(static_cast<float>(wide_a - wide_b)));
      EXPECT_EQ(run("/", {Bits(a), Bits(b)}).bits, Expected(static_cast<float>(wide_a / wide_b)));
      for (const float c : {0.0f, 1.0f, -1e30f}) {
        EXPECT_EQ(run("fma", {Bits(a), Bits(b), Bits(c)}).bits, Expected(std::fmaf(a, b, c)));
      }
    }
    EXPECT_EQ(run("-", {Bits(a)}).bits, Bits(a) ^ 0x80000000u);
    EXPECT_EQ(run("abs", {Bits(a)}).bits, Bits(a) & 0x7fffffffu);
  }
}

TEST(FloatTest, ComparisonsWithNanAreFalse) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (const std::string_view op : {"==", "<", "<=", ">", ">="}) {
    EXPECT_EQ(RunScalar({.op = op, .operand_type = DType::kF32}, {Bits(nan), Bits(1.0f)}).bits, 0u);
  }
  EXPECT_EQ(RunScalar({.op = "!=", .operand_type = DType::kF32}, {Bits(nan), Bits(nan)}).bits, 1u);
  EXPECT_EQ(RunScalar({.op = "==", .operand_type = DType::kF32}, {Bits(0.0f), Bits(-0.0f)}).bits,
            1u);
}

TEST(FloatTest, MinAndMaxDropNanUnlessAsked) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const auto run = [](std::string_view op, float a, float b, bool keep) {
    std::vector<std::string_view> modifiers;
    if (keep) modifiers.push_back("nan");
    return RunScalar({.op = op, .operand_type = DType::kF32, .modifiers = modifiers},
                     {Bits(a), Bits(b)})
        .bits;
  };
  for (const std::string_view op : {"min", "max"}) {
    EXPECT_EQ(run(op, nan, 2.0f, false), Bits(2.0f));
    EXPECT_EQ(run(op, 2.0f, nan, false), Bits(2.0f));
    EXPECT_EQ(run(op, nan, nan, false), NanBits());
    EXPECT_EQ(run(op, nan, 2.0f, true), NanBits());
    EXPECT_EQ(run(op, 2.0f, nan, true), NanBits());
  }
  EXPECT_EQ(run("max", -0.0f, 0.0f, false), Bits(0.0f));
  EXPECT_EQ(run("max", 0.0f, -0.0f, false), Bits(0.0f));
  EXPECT_EQ(run("min", 0.0f, -0.0f, false), Bits(-0.0f));
  EXPECT_EQ(run("min", -3.0f, 4.0f, false), Bits(-3.0f));
  EXPECT_EQ(run("max", -3.0f, 4.0f, false), Bits(4.0f));
}

TEST(FloatTest, FlushingTakesAndGivesNoSubnormals) {
  const float tiny = std::numeric_limits<float>::denorm_min();
  const float smallest = std::numeric_limits<float>::min();
  const auto run = [](std::string_view op, float a, float b) {
    return RunScalar({.op = op, .operand_type = DType::kF32, .ftz = true}, {Bits(a), Bits(b)}).bits;
  };
  EXPECT_EQ(run("+", tiny, 0.0f), Bits(0.0f));
  EXPECT_EQ(run("*", smallest, 0.5f), Bits(0.0f));
  EXPECT_EQ(run("*", smallest, -0.5f), Bits(-0.0f));
  EXPECT_EQ(run("*", 2.0f, 0.5f), Bits(1.0f));
}

TEST(UndefinedTest, SpreadsWithoutErrorsAndLeavesInactiveLanesAlone) {
  LaneVector a;
  LaneVector b;
  a.bits.fill(Bits(int32_t{std::numeric_limits<int32_t>::max()}));
  b.bits.fill(1);
  b.bits[3] = 0;
  a.undefined = 0xfffffff7;  // all but lane 3, where nothing overflows
  const Outcome sum = CallMeaning({.op = "+"}, {a, b});
  EXPECT_EQ(sum.error, "");
  EXPECT_EQ(sum.value.undefined, 0xfffffff7u);
  EXPECT_EQ(sum.value.bits[3], Bits(std::numeric_limits<int32_t>::max()));
  const Outcome part = CallMeaning({.op = "+", .mask = 8}, {a, b});
  EXPECT_EQ(part.value.undefined, 0u);
  EXPECT_EQ(part.value.bits[4], 0u);
}

TEST(SelectTest, TakesTheDefinednessOfTheChosenArm) {
  LaneVector condition;
  LaneVector yes;
  LaneVector no;
  condition.bits[0] = 1;
  condition.undefined = 4;
  yes.bits = {10, 11, 12};
  no.bits = {20, 21, 22};
  yes.undefined = 2;
  no.undefined = 1;
  const Outcome got =
      CallMeaning({.op = "select", .operand_type = DType::kBool, .mask = 7}, {condition, yes, no});
  EXPECT_EQ(got.value.bits[0], 10u);
  EXPECT_EQ(got.value.bits[1], 21u);
  EXPECT_EQ(got.value.undefined, 4u);
}

TEST(BoolTest, NotAndBitwise) {
  EXPECT_EQ(RunScalar({.op = "!", .operand_type = DType::kBool}, {1}).bits, 0u);
  EXPECT_EQ(RunScalar({.op = "!", .operand_type = DType::kBool}, {0}).bits, 1u);
  EXPECT_EQ(RunScalar({.op = "^", .operand_type = DType::kBool}, {1, 1}).bits, 0u);
  EXPECT_EQ(RunScalar({.op = "==", .operand_type = DType::kBool}, {1, 1}).bits, 1u);
}

}  // namespace
}  // namespace compiler::ops
