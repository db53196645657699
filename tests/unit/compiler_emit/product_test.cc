// The wrappers of warp-wide products against the table and the assembler.
#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "compiler/device/device.h"
#include "compiler/ir/fragment.h"
#include "tests/unit/compiler_emit/nvrtc_support.h"

namespace compiler::emit {
namespace {

std::string PtxType(ir::DType dtype) {
  if (dtype == ir::DType::kI8) return "s8";
  if (dtype == ir::DType::kI32) return "s32";
  return std::string(ir::ToString(dtype));
}

// A kernel with one call of the wrapper of `shape`.
std::string CallOf(const ir::MmaShape& shape, const std::string& name) {
  const int64_t left = 16 * shape.k * ir::Info(shape.a).bits / 32 / 32;
  const int64_t right = left / 2;
  const bool half = shape.d == ir::DType::kF16;
  const std::string type = half ? "unsigned" : shape.d == ir::DType::kF32 ? "float" : "int";
  std::string text = absl::StrCat("extern \"C\" __global__ void k(", type,
                                  "* d, const unsigned* a) {\n  cake::", name, "(");
  for (int64_t i = 0; i < (half ? 2 : 4); ++i)
    absl::StrAppend(&text, i == 0 ? "" : ", ", "d[", i, "]");
  for (int64_t i = 0; i < left + right; ++i) absl::StrAppend(&text, ", a[", i, "]");
  return absl::StrCat(text, ");\n}\n");
}

TEST(Product, EveryShapeOfTheTableAssemblesForItsFirstArchitecture) {
  if (!RealNvrtc().available()) GTEST_SKIP() << "no NVRTC 13 in /usr/local/cuda/lib64";
  for (const ir::MmaShape& shape : ir::MmaShapes()) {
    const std::string name = absl::StrCat("mma_m16n8k", shape.k, "_", PtxType(shape.d), "_",
                                          PtxType(shape.a), "_", PtxType(shape.b));
    const std::string call = CallOf(shape, name);
    const std::string instruction =
        absl::StrCat("mma.sync.aligned.m16n8k", shape.k, ".row.col.", PtxType(shape.d), ".",
                     PtxType(shape.a), ".", PtxType(shape.b), ".", PtxType(shape.d));
    const Compiled compiled = RealNvrtc().Compile(device::PartsFor(call) + call, {"--std=c++20"},
                                                  std::string(shape.min_arch));
    ASSERT_EQ(compiled.status, 0) << name << "\n" << compiled.log;
    EXPECT_NE(compiled.ptx.find(instruction), std::string::npos) << name;
  }
}

// The first architecture of the table is the first that has the instruction.
TEST(Product, NoShapeAssemblesBelowItsFirstArchitecture) {
  if (!RealNvrtc().available()) GTEST_SKIP() << "no NVRTC 13 in /usr/local/cuda/lib64";
  for (const ir::MmaShape& shape : ir::MmaShapes()) {
    if (shape.min_arch == "sm_80") continue;
    const std::string name = absl::StrCat("mma_m16n8k", shape.k, "_", PtxType(shape.d), "_",
                                          PtxType(shape.a), "_", PtxType(shape.b));
    const std::string call = CallOf(shape, name);
    const Compiled compiled =
        RealNvrtc().Compile(device::PartsFor(call) + call, {"--std=c++20"}, "sm_80");
    EXPECT_NE(compiled.status, 0) << name;
  }
}

}  // namespace
}  // namespace compiler::emit
