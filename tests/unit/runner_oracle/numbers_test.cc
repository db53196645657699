// The oracle's numbers against the compiler's: written apart, they agree code by code.
#include "runner/reference/numbers.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "compiler/ir/constant.h"

namespace runner::reference {
namespace {

using compiler::ir::DType;

uint64_t Stored(DType dtype, double value) {
  std::byte bytes[8] = {};
  StoreElement(dtype, value, bytes);
  uint64_t bits = 0;
  std::memcpy(&bits, bytes, sizeof(bits));
  return bits;
}

double Loaded(DType dtype, uint64_t bits) {
  std::byte bytes[8];
  std::memcpy(bytes, &bits, sizeof(bits));
  return LoadElement(dtype, bytes);
}

TEST(NumbersTest, EveryCodeOfTheNarrowFloats) {
  struct Type {
    DType dtype;
    uint64_t codes;
    int spare_bits;
  };
  for (const Type& type :
       {Type{DType::kE4M3, 0x100, 0}, Type{DType::kE5M2, 0x100, 0}, Type{DType::kF16, 0x10000, 0},
        Type{DType::kBF16, 0x10000, 0}, Type{DType::kTF32, 0x80000, 13}}) {
    for (uint64_t code = 0; code < type.codes; ++code) {
      const uint64_t bits = code << type.spare_bits;
      const double value = compiler::ir::DecodeFloat(type.dtype, bits);
      const double loaded = Loaded(type.dtype, bits);
      ASSERT_EQ(std::isnan(loaded), std::isnan(value)) << code;
      if (std::isnan(value)) continue;
      ASSERT_EQ(loaded, value) << code;
      const bool saturates = std::isinf(value) && compiler::ir::Info(type.dtype).bits == 8;
      if (!saturates) ASSERT_EQ(Stored(type.dtype, value), bits) << code;
    }
  }
}

TEST(NumbersTest, RoundsAndSaturatesAsTheCompilerDoes) {
  for (const DType dtype : {DType::kE4M3, DType::kE5M2, DType::kTF32, DType::kF16, DType::kBF16}) {
    for (int i = -4000; i <= 4000; ++i) {
      const double x = std::ldexp(1.0 + i * 0x1p-12, i / 40);
      ASSERT_EQ(Rounded(dtype, x), compiler::ir::RoundTo(dtype, x)) << x;
    }
    EXPECT_EQ(Rounded(dtype, LargestFinite(dtype)), LargestFinite(dtype));
    EXPECT_EQ(Rounded(dtype, SmallestPositive(dtype)), SmallestPositive(dtype));
    EXPECT_EQ(Rounded(dtype, SmallestPositive(dtype) / 2), 0);
    EXPECT_GT(Rounded(dtype, 1 + 2.1 * UnitRoundoff(dtype)), 1);
    EXPECT_EQ(Rounded(dtype, 1 + 0.9 * UnitRoundoff(dtype)), 1);
  }
}

}  // namespace
}  // namespace runner::reference
