#include "compiler/ir/types.h"

#include <gtest/gtest.h>

namespace compiler::ir {
namespace {

TEST(Types, TableIsInEnumerationOrderAndNamesRoundTrip) {
  for (int i = 1; i <= static_cast<int>(kLastDType); ++i) {
    const auto dtype = static_cast<DType>(i);
    EXPECT_EQ(Info(dtype).dtype, dtype);
    EXPECT_EQ(ParseDType(ToString(dtype)), dtype);
  }
  EXPECT_EQ(ParseDType("unknown"), std::nullopt);
  EXPECT_EQ(ParseDType("f64"), std::nullopt);
}

TEST(Types, TypesPrintAsWritten) {
  EXPECT_EQ(ToString(Type{.dtype = DType::kF32}), "f32");
  EXPECT_EQ(ToString(Type{.dtype = DType::kBF16, .shape = {8}}), "bf16[8]");
  EXPECT_EQ(ToString(Type{.dtype = DType::kF32, .shape = {64, 128}, .form = "wgmma"}),
            "wgmma f32[64, 128]");
}

TEST(Types, SixteenBitFloatsDoNotCompute) {
  EXPECT_FALSE(Info(DType::kBF16).computes);
  EXPECT_FALSE(Info(DType::kF16).computes);
  EXPECT_TRUE(Info(DType::kF32).computes);
}

TEST(Levels, ScopeNeedsItsOwnLevel) {
  EXPECT_EQ(RequiredLevel(Scope::kThread), Level::kLane);
  EXPECT_EQ(RequiredLevel(Scope::kWarp), Level::kWarp);
  EXPECT_EQ(RequiredLevel(Scope::kCluster), Level::kCluster);
  EXPECT_EQ(Narrower(Level::kCta, Level::kWarp), Level::kWarp);
  EXPECT_EQ(Narrower(Level::kConst, Level::kLaunch), Level::kLaunch);
}

}  // namespace
}  // namespace compiler::ir
