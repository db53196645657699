// Bounds of what passes say the same as the comparison that they were made from, at every code.
#include "runner/oracle/accepted.h"

#include <cmath>
#include <cstring>
#include <limits>

#include "runner/oracle/fingerprint.h"
#include "runner/oracle/philox.h"
#include "tests/unit/runner_oracle/arena.h"

namespace runner::oracle {
namespace {

using compiler::ir::DType;
using contract::Metric;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// An output of one element with a comparison.
struct One {
  contract::Tensor tensor{.name = "y", .role = contract::Role::kOut};
  contract::CaseTensor at;
  contract::Compare compare{.output = "y", .operations = 4};

  One(DType dtype, Metric metric) {
    tensor.dtype = dtype;
    compare.metric = metric;
    const int64_t bytes = reference::ElementBytes(dtype);
    at = {.tensor = &tensor, .shape = {1}, .elements = 1, .bytes = bytes};
  }
  OutputView View() const { return {.at = &at, .compare = &compare, .reduction = 100}; }
};

std::optional<Accepted> Of(const One& one, const std::vector<double>& want,
                           const std::vector<double>& scale) {
  return AcceptedOf(one.View(), want, scale, 1);
}

// What a device decides of some bits.
bool Inside(DType dtype, const Accepted& accepted, uint64_t bits) {
  uint64_t low = 0, high = 0;
  const auto width = static_cast<size_t>(accepted.width);
  std::memcpy(&low, accepted.bounds.data(), width);
  std::memcpy(&high, accepted.bounds.data() + width, width);
  const uint64_t all = width == 8 ? ~uint64_t{0} : (uint64_t{1} << 8 * width) - 1;
  if (low <= high) return low <= CodeOf(dtype, bits) && CodeOf(dtype, bits) <= high;
  const bool nan = OrderOf(dtype) == Order::kFloat && (bits & (all >> 1)) > LargestMagnitude(dtype);
  return low == kAnyNan && nan;
}

bool ByComparison(const OutputView& view, uint64_t bits, double want, double scale) {
  std::byte bytes[8];
  std::memcpy(bytes, &bits, sizeof(bits));
  return Passes(view, bytes, want, scale);
}

TEST(Compare, OverflowIsNoLargestNumberAndExactlyMeansSigns) {
  const uint64_t infinity = 0x7F800000, largest = 0x7F7FFFFF, minus_zero = 0x80000000;
  for (const Metric metric : {Metric::kScaled, Metric::kExact}) {
    const One one(DType::kF32, metric);
    EXPECT_TRUE(ByComparison(one.View(), infinity, 5e38, 0));
    EXPECT_FALSE(ByComparison(one.View(), largest, 5e38, 0));
    EXPECT_TRUE(ByComparison(one.View(), largest, 0x1.fffffep127, 0));
    EXPECT_TRUE(ByComparison(one.View(), minus_zero, -0.0, 0));
    EXPECT_TRUE(ByComparison(one.View(), 0x7FC00001, kNan, 0));
    EXPECT_FALSE(ByComparison(one.View(), infinity, kNan, 0));
  }
  EXPECT_FALSE(ByComparison(One(DType::kF32, Metric::kExact).View(), minus_zero, 0, 0));
  // What is allowed reaches back into the format.
  EXPECT_TRUE(ByComparison(One(DType::kF32, Metric::kScaled).View(), largest, 0x1p128, 0));
}

TEST(Accepted, EveryCodeOfNarrowFormatsIsDecidedAsTheComparisonDoes) {
  const double wants[] = {0,    -0.0,  1,    -3.14159, 65504,     -65519,     65536,
                          1e-8, -6e-8, 448,  -449,     470,       3.3e38,     -3.5e38,
                          1e39, 0.1,   -255, 2e-40,    kInfinity, -kInfinity, kNan};
  for (const DType dtype : {DType::kBF16, DType::kF16, DType::kE4M3, DType::kI16, DType::kU8}) {
    for (const Metric metric : {Metric::kScaled, Metric::kExact}) {
      const One one(dtype, metric);
      for (const double want : wants) {
        const bool integer = OrderOf(dtype) != Order::kFloat;
        if (integer && !std::isfinite(want)) continue;
        for (const double scale : {std::abs(want), 100.0, 0.0}) {
          const auto accepted = Of(one, {want}, {scale});
          if (!accepted) continue;  // judged from memory
          const uint64_t codes = uint64_t{1} << compiler::ir::Info(dtype).bits;
          for (uint64_t bits = 0; bits < codes; ++bits) {
            ASSERT_EQ(Inside(dtype, *accepted, bits), ByComparison(one.View(), bits, want, scale))
                << compiler::ir::ToString(dtype) << " bits " << bits << " want " << want
                << " scale " << scale;
          }
        }
      }
    }
  }
}

TEST(Accepted, WideFormatsAreDecidedAtTheirBoundsAndAroundThem) {
  for (const DType dtype : {DType::kF32, DType::kI32, DType::kU32}) {
    const One one(dtype, Metric::kScaled);
    for (uint64_t i = 0; i < 200; ++i) {
      const auto word = PhiloxWord(7, i);
      const double size = std::ldexp(1.0 + static_cast<double>(word % 1000) / 1000,
                                     static_cast<int>(word >> 32 & 63) - 32);
      const double want = OrderOf(dtype) != Order::kUnsigned && (word >> 40 & 1) ? -size : size;
      const auto accepted = Of(one, {want}, {4 * size});
      if (OrderOf(dtype) == Order::kFloat) ASSERT_TRUE(accepted.has_value()) << want;
      if (!accepted) continue;
      uint64_t ends[2] = {0, 0};
      std::memcpy(&ends[0], accepted->bounds.data(), 4);
      std::memcpy(&ends[1], accepted->bounds.data() + 4, 4);
      for (const uint64_t end : ends) {
        for (uint64_t step = 0; step <= 6; ++step) {
          const uint64_t bits = BitsOf(dtype, (end + step - 3) & 0xFFFFFFFF);
          EXPECT_EQ(Inside(dtype, *accepted, bits), ByComparison(one.View(), bits, want, 4 * size))
              << compiler::ir::ToString(dtype) << " " << want << " bits " << bits;
        }
      }
    }
  }
}

TEST(Accepted, AnIndexThatIsJudgedByItsRegretHasNoBounds) {
  const One one(DType::kI32, Metric::kRegret);
  EXPECT_FALSE(Of(one, {1}, {1}).has_value());
}

// Rows that lie apart: what is between them keeps its poison.
TEST(Accepted, PlacesBetweenElementsAreSetApart) {
  One one(DType::kF32, Metric::kScaled);
  one.tensor.strides = {"3", "1"};
  one.at.shape = {2, 2};
  one.at.strides = {3, 1};
  one.at.elements = 4;
  one.at.bytes = 5 * 4;
  const auto accepted = Of(one, {1, 2, 3, 4}, {1, 2, 3, 4});
  ASSERT_TRUE(accepted.has_value());
  ASSERT_EQ(accepted->places, 5);
  std::vector<uint32_t> words(10);
  std::memcpy(words.data(), accepted->bounds.data(), 40);
  EXPECT_EQ(words[2], kBetweenElements);
  EXPECT_EQ(words[7], 0u);
  EXPECT_LE(words[3], words[8]);
}

TEST(Poison, NumbersSayTheSameAsTheFunction) {
  for (const DType dtype : {DType::kF32, DType::kTF32, DType::kBF16, DType::kF16, DType::kE4M3,
                            DType::kI8, DType::kU16, DType::kI32, DType::kU64, DType::kBool}) {
    const auto form = PoisonFormOf(dtype);
    ASSERT_TRUE(form.has_value());
    for (int64_t i = 0; i < 100; ++i) {
      uint64_t z = PoisonStart(77, 3) + static_cast<uint64_t>(i) * 0x9E3779B97F4A7C15ull;
      z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
      z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
      z ^= z >> 31;
      EXPECT_EQ(PoisonElement(dtype, 77, 3, i),
                form->add + (form->modulo > 0 ? z % form->modulo : z & form->mask))
          << compiler::ir::ToString(dtype);
    }
  }
  EXPECT_FALSE(PoisonFormOf(DType::kE5M2).has_value());
}

TEST(Fingerprint, EveryBitItsPlaceAndTheKeyCount) {
  std::vector<std::byte> bytes(1003);
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(PhiloxWord(1, i));
  const uint64_t whole = Fingerprint(5, bytes, 1);
  EXPECT_EQ(Fingerprint(5, bytes, 4), whole);
  EXPECT_NE(Fingerprint(6, bytes, 1), whole);
  for (size_t i = 0; i < bytes.size(); i += 17) {
    bytes[i] ^= std::byte{4};
    EXPECT_NE(Fingerprint(5, bytes, 1), whole) << i;
    bytes[i] ^= std::byte{4};
  }
  std::swap_ranges(bytes.begin(), bytes.begin() + 8, bytes.begin() + 8);
  EXPECT_NE(Fingerprint(5, bytes, 1), whole);
}

}  // namespace
}  // namespace runner::oracle
