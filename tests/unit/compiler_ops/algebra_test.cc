// The algebra of an entry is a second statement of what its meaning computes: both must agree.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <set>
#include <utility>

#include "tests/unit/compiler_ops/meaning_support.h"

namespace compiler::ops {
namespace {

using ir::Algebra;

constexpr int64_t kTop = 12;  // small operands: no overflow, every pair is tried

// What the algebra says, or nothing where the operation has no result.
std::optional<int64_t> Expected(Algebra algebra, int64_t a, int64_t b) {
  switch (algebra) {
    case Algebra::kAdd: return a + b;
    case Algebra::kSubtract: return a - b;
    case Algebra::kMultiply: return a * b;
    case Algebra::kDivide: return b == 0 ? std::nullopt : std::optional(a / b);
    case Algebra::kModulo: return b == 0 ? std::nullopt : std::optional(a % b);
    case Algebra::kCeilDivide:
      return b <= 0 ? std::nullopt : std::optional(a / b + (a % b > 0 ? 1 : 0));
    case Algebra::kMin: return std::min(a, b);
    case Algebra::kMax: return std::max(a, b);
    case Algebra::kAnd: return a & b;
    case Algebra::kOr: return a | b;
    case Algebra::kXor: return a ^ b;
    case Algebra::kShiftLeft: return b < 0 ? std::nullopt : std::optional(a * (int64_t{1} << b));
    case Algebra::kShiftRight: return b < 0 ? std::nullopt : std::optional(a >> b);
    case Algebra::kEqual: return a == b;
    case Algebra::kNotEqual: return a != b;
    case Algebra::kLess: return a < b;
    case Algebra::kLessEqual: return a <= b;
    case Algebra::kGreater: return a > b;
    case Algebra::kGreaterEqual: return a >= b;
    case Algebra::kNegate: return -a;
    case Algebra::kAbs: return a < 0 ? -a : a;
    case Algebra::kConvert: return a;
    default: return std::nullopt;
  }
}

bool IsOfOneOrTwoIntegers(const ir::OpDef& op) {
  const bool other = op.algebra == Algebra::kOpaque || op.algebra == Algebra::kSelect ||
                     op.algebra == Algebra::kNot || op.algebra == Algebra::kAlign ||
                     op.algebra == Algebra::kCountBits;
  return !other && !op.args.empty() && op.args.size() <= 2;
}

TEST(Algebra, AgreesWithTheMeaningOfItsEntry) {
  std::set<Algebra> seen;
  for (const ir::OpDef& op : Table().ops()) {
    if (!IsOfOneOrTwoIntegers(op)) continue;
    seen.insert(op.algebra);
    const DType result = op.result == ir::ResultRule::kBool ? DType::kBool : DType::kI32;
    for (int64_t a = -kTop; a <= kTop; ++a) {
      for (int64_t b = -kTop; b <= kTop; ++b) {
        std::vector<uint64_t> operands{Bits(static_cast<int32_t>(a))};
        if (op.args.size() == 2) operands.push_back(Bits(static_cast<int32_t>(b)));
        const Scalar got = RunScalar({.op = op.name, .result_type = result}, operands);
        const std::optional<int64_t> expected = Expected(op.algebra, a, b);
        ASSERT_EQ(got.error.empty(), expected.has_value()) << op.name << " " << a << " " << b;
        if (!expected) continue;
        ASSERT_EQ(static_cast<int64_t>(got.bits), *expected) << op.name << " " << a << " " << b;
      }
    }
  }
  EXPECT_EQ(seen.size(), 22u);
}

TEST(Algebra, CountsOfBitsAreFromZeroToTheWidth) {
  int entries = 0;
  for (const ir::OpDef& op : Table().ops()) {
    if (op.algebra != Algebra::kCountBits) continue;
    ++entries;
    std::set<int64_t> counts;
    for (const uint64_t x : {uint64_t{0}, ~uint64_t{0}, uint64_t{1}, uint64_t{1} << 63}) {
      const Scalar got =
          RunScalar({.op = op.name, .operand_type = DType::kU64, .result_type = DType::kI32}, {x});
      counts.insert(static_cast<int64_t>(got.bits));
    }
    EXPECT_EQ(*counts.begin(), 0) << op.name;
    EXPECT_EQ(*counts.rbegin(), 64) << op.name;
  }
  EXPECT_EQ(entries, 2);
}

// mad.wide: exact where 64 bits hold the sum, an error of signed integers where they do not.
TEST(Algebra, AProductAndASumOfTwiceTheWidth) {
  const Call call{.op = "mad.wide", .operand_type = DType::kI32, .result_type = DType::kI64};
  const auto bits = [](int64_t x) { return static_cast<uint64_t>(x); };
  constexpr int64_t kLow = std::numeric_limits<int32_t>::min();
  EXPECT_EQ(RunScalar(call, {bits(kLow), bits(kLow), bits(-1)}).bits, bits(kLow * kLow - 1));
  EXPECT_EQ(RunScalar(call, {bits(-3), bits(5), bits(7)}).bits, bits(-8));
  EXPECT_EQ(RunScalar(call, {1, 1, bits(std::numeric_limits<int64_t>::max())}).error,
            "signed overflow");
  const Call wraps{.op = "mad.wide", .operand_type = DType::kU32, .result_type = DType::kU64};
  EXPECT_EQ(RunScalar(wraps, {0xffffffff, 0xffffffff, ~uint64_t{0}}).bits, 0xfffffffe00000000);
}

TEST(Algebra, RangesHoldEveryValueOfTheMeaning) {
  constexpr int64_t kSmall = 4;
  std::set<Algebra> ranged;
  for (const ir::OpDef& op : Table().ops()) {
    if (op.algebra == Algebra::kOpaque || op.args.size() != 2) continue;
    for (int64_t al = -kSmall; al <= kSmall; ++al) {
      for (int64_t ah = al; ah <= kSmall; ++ah) {
        for (int64_t bl = -kSmall; bl <= kSmall; ++bl) {
          for (int64_t bh = bl; bh <= kSmall; ++bh) {
            const auto range = ir::RangeOf(op.algebra, {al, ah}, {bl, bh});
            if (!range) continue;
            ranged.insert(op.algebra);
            for (const auto& [a, b] : {std::pair(al, bl), {al, bh}, {ah, bl}, {ah, bh}}) {
              const std::optional<int64_t> value = Expected(op.algebra, a, b);
              ASSERT_TRUE(value) << op.name << " " << a << " " << b;
              ASSERT_GE(*value, range->low) << op.name << " " << a << " " << b;
              ASSERT_LE(*value, range->high) << op.name << " " << a << " " << b;
            }
          }
        }
      }
    }
  }
  EXPECT_EQ(ranged, (std::set<Algebra>{Algebra::kAdd, Algebra::kSubtract, Algebra::kMultiply,
                                       Algebra::kDivide, Algebra::kModulo, Algebra::kCeilDivide,
                                       Algebra::kMin, Algebra::kMax}));
}

TEST(Algebra, RangesOfAnySizeDoNotOverflow) {
  constexpr int64_t kLow = std::numeric_limits<int64_t>::min();
  constexpr int64_t kHigh = std::numeric_limits<int64_t>::max();
  EXPECT_EQ(ir::RangeOf(Algebra::kAdd, {kHigh, kHigh}, {1, 1}), std::nullopt);
  EXPECT_EQ(ir::RangeOf(Algebra::kSubtract, {kLow, kHigh}, {kLow, kHigh}), std::nullopt);
  EXPECT_EQ(ir::RangeOf(Algebra::kMultiply, {kLow, kHigh}, {kLow, kHigh}), std::nullopt);
  EXPECT_EQ(ir::RangeOf(Algebra::kCeilDivide, {0, kHigh}, {2, 9}), (ir::Range{0, kHigh / 2 + 1}));
  EXPECT_EQ(ir::RangeOf(Algebra::kDivide, {4, 8}, {0, 2}), std::nullopt);
}

}  // namespace
}  // namespace compiler::ops
