// The wrappers of warpgroup products against the table and the assembler, and what whole programs
// make of them.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "compiler/device/device.h"
#include "compiler/ir/fragment.h"
#include "tests/unit/compiler_emit/emit_support.h"
#include "tests/unit/compiler_emit/nvrtc_support.h"

namespace compiler::emit {
namespace {

std::string PtxType(ir::DType dtype) {
  if (dtype == ir::DType::kI8) return "s8";
  if (dtype == ir::DType::kI32) return "s32";
  return std::string(ir::ToString(dtype));
}

struct Wrapper {
  const ir::WgmmaShape* shape;
  int64_t n;
  std::string operands;  // "", "_ra", "_ta_tb", ..

  std::string Name() const {
    return absl::StrCat("wgmma_m64n", n, "k", shape->k, "_", PtxType(shape->d), "_",
                        PtxType(shape->a), "_", PtxType(shape->b), operands);
  }
  // "m64n8k16.f32.bf16.bf16"
  std::string Instruction() const {
    return absl::StrCat("wgmma.mma_async.sync.aligned.m64n", n, "k", shape->k, ".",
                        PtxType(shape->d), ".", PtxType(shape->a), ".", PtxType(shape->b), " ");
  }
  // A kernel with one call.
  std::string Kernel(size_t number) const {
    const bool half = shape->d == ir::DType::kF16;
    const std::string type = half ? "unsigned" : shape->d == ir::DType::kF32 ? "float" : "int";
    const bool registers = operands.find("_ra") != std::string::npos;
    return absl::StrCat(
        "struct tile_", number, " { ", type, " reg[2][", half ? n / 8 : n / 4, "]; };\n",
        "extern \"C\" __global__ void __launch_bounds__(128) k", number, "(tile_", number,
        "* d, fragment_2* a, unsigned long long x, unsigned long long y) {\n  tile_", number,
        " t = d[threadIdx.x];\n  fragment_2 f = a[threadIdx.x];\n  cake::wgmma_fence();\n  cake::",
        Name(), "(t, 0, 0, ", registers ? "f, 0" : "x",
        ", y, true);\n  cake::wgmma_commit();\n  cake::wgmma_wait<0>();\n  d[threadIdx.x] = "
        "t;\n}\n");
  }
};

// One unit of all of them; each must be in the PTX.
void ExpectAssembled(const std::vector<Wrapper>& wrappers) {
  std::string calls = "struct fragment_2 { unsigned reg[2][2]; };\n";
  for (size_t i = 0; i < wrappers.size(); ++i) calls += wrappers[i].Kernel(i);
  const Compiled compiled =
      RealNvrtc().Compile(device::PartsFor(calls) + calls, {"--std=c++20"}, "sm_90a");
  ASSERT_EQ(compiled.status, 0) << compiled.log;
  for (const Wrapper& wrapper : wrappers) {
    EXPECT_NE(compiled.ptx.find(wrapper.Instruction()), std::string::npos) << wrapper.Name();
  }
}

TEST(Wgmma, EveryTypeAssembles) {
  if (!RealNvrtc().available()) GTEST_SKIP() << "no NVRTC 13 in /usr/local/cuda/lib64";
  std::vector<Wrapper> wrappers;
  for (const ir::WgmmaShape& shape : ir::WgmmaShapes()) {
    for (const char* operands : {"", "_ra"}) wrappers.push_back({&shape, 8, operands});
    if (ir::Info(shape.a).bits != 16) continue;
    for (const char* operands : {"_ta", "_tb", "_ta_tb", "_ra_tb"}) {
      wrappers.push_back({&shape, 16, operands});
    }
  }
  ExpectAssembled(wrappers);
}

// Every number of columns that the table has assembles, of floats and of integers.
TEST(Wgmma, EveryNumberOfColumnsAssembles) {
  if (!RealNvrtc().available()) GTEST_SKIP() << "no NVRTC 13 in /usr/local/cuda/lib64";
  const ir::WgmmaShape* floats = ir::FindWgmma(ir::DType::kE4M3, ir::DType::kE4M3, ir::DType::kF16);
  const ir::WgmmaShape* integers = ir::FindWgmma(ir::DType::kI8, ir::DType::kI8, ir::DType::kI32);
  std::vector<Wrapper> wrappers;
  int columns = 0;
  for (int64_t n = 0; n <= 264; ++n) {
    if (ir::WgmmaHasColumns(*floats, n)) {
      wrappers.push_back({floats, n, ""});
      ++columns;
    }
    if (ir::WgmmaHasColumns(*integers, n)) wrappers.push_back({integers, n, ""});
  }
  EXPECT_EQ(columns, 32);
  EXPECT_EQ(wrappers.size(), 32u + 18u);
  ExpectAssembled(wrappers);
}

// And those that it has not are refused by the assembler.
TEST(Wgmma, OtherNumbersOfColumnsDoNotAssemble) {
  if (!RealNvrtc().available()) GTEST_SKIP() << "no NVRTC 13 in /usr/local/cuda/lib64";
  const Wrapper wrapper{ir::FindWgmma(ir::DType::kI8, ir::DType::kI8, ir::DType::kI32), 40, ""};
  const std::string call = "struct fragment_2 { unsigned reg[2][2]; };\n" + wrapper.Kernel(0);
  const Compiled compiled =
      RealNvrtc().Compile(device::PartsFor(call) + call, {"--std=c++20"}, "sm_90a");
  EXPECT_NE(compiled.status, 0);
}

// Products as programs write them: no local memory, and nothing that serialises them.
void ExpectFast(const std::string& source, const std::vector<std::string>& expected) {
  const Emitted emitted = EmitText(source);
  ASSERT_NE(emitted.program, nullptr) << source;
  for (const std::string& text : expected) {
    EXPECT_NE(emitted.source.cuda.find(text), std::string::npos) << text << emitted.source.cuda;
  }
  if (!RealNvrtc().available()) GTEST_SKIP() << "no NVRTC 13 in /usr/local/cuda/lib64";
  const Compiled compiled =
      RealNvrtc().Compile(emitted.source.cuda, emitted.source.options, "sm_90a");
  ASSERT_EQ(compiled.status, 0) << compiled.log << emitted.source.cuda;
  EXPECT_NE(compiled.log.find("0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads"),
            std::string::npos)
      << compiled.log << emitted.source.cuda;
  EXPECT_EQ(compiled.log.find("(C75"), std::string::npos) << compiled.log << emitted.source.cuda;
}

std::string Program(const std::string& items, const std::string& kernel, const std::string& body) {
  return absl::StrCat("program p target sm_90a\n", items, "\nkernel k {\n  grid (1)\n", kernel,
                      "  event full[1] count 1\n  role main: warps 4 {\n", body, "  }\n}\n");
}

TEST(Wgmma, DescriptorsOfEveryPlaceAndSwizzle) {
  const std::string store =
      "    wgmma.commit\n    wgmma.wait 0\n"
      "    for (r, e) in acc { st y[acc.row(r), acc.col(e)] <- acc[r, e] }\n";
  const std::string load =
      "    if warp == 0 {\n      tma.load sa <- a on full@0\n      tma.load sb <- b on full@0\n"
      "      expect full@0\n    }\n    wait full@0\n    var acc: wgmma f32[64, 64]\n";
  const std::string out = "; out y: f32[64, 64]";
  // Two panels along K: 64 rows of 128 bytes each are 512 units of 16 bytes.
  ExpectFast(Program("in a: bf16[64, 128], b: bf16[64, 128]" + out,
                     "  smem sa: bf16[64, 128] swizzle 128\n  smem sb: bf16[64, 128] swizzle 128\n",
                     load + "    wgmma acc = sa * sb.T\n" + store),
             {"cake::matrix_descriptor<128, 16, 1024>(cake::shared_address(sa))",
              "left + k / 4 * 512 + k % 4 * 2", "right + k / 4 * 512 + k % 4 * 2, k > 0)"});
  // A step along the rows is 16 rows of 64 bytes; panels of 32 columns follow each other.
  ExpectFast(Program("in a: bf16[64, 32], b: bf16[32, 64]" + out,
                     "  smem sa: bf16[64, 32] swizzle 64\n  smem sb: bf16[32, 64] swizzle 64\n",
                     load + "    wgmma acc = sa * sb\n" + store),
             {"cake::matrix_descriptor<64, 16, 512>(cake::shared_address(sa))",
              "cake::matrix_descriptor<64, 2048, 512>(cake::shared_address(sb))",
              "_f32_bf16_bf16_tb(acc, 0, 0, left + k * 2, right + k * 64, k > 0)"});
  ExpectFast(Program("in a: e4m3[64, 64], b: e5m2[64, 64]" + out,
                     "  smem sa: e4m3[64, 64] swizzle 32\n  smem sb: e5m2[64, 64] swizzle 32\n",
                     load + "    wgmma acc = sa * sb.T\n" + store),
             {"cake::matrix_descriptor<32, 16, 256>(cake::shared_address(sa))",
              "cake::wgmma_m64n64k32_f32_e4m3_e5m2(acc, 0, 0, left + k * 128, right + k * 128"});
}

// Weights of a second product are made in place from the scores of the first one.
TEST(Wgmma, ConvertedScoresAreTheLeftOperand) {
  ExpectFast(Program("in a: bf16[64, 64], b: bf16[64, 64]; out y: f32[64, 64]",
                     "  smem sa: bf16[64, 64] swizzle 128\n  smem sb: bf16[64, 64] swizzle 128\n",
                     R"(    if warp == 0 {
      tma.load sa <- a on full@0
      tma.load sb <- b on full@0
      expect full@0
    }
    wait full@0
    var s: wgmma f32[64, 64]
    var acc: wgmma f32[64, 64]
    var p: wgmma.a bf16[64, 64]
    acc = 0.0
    for i in 0..4 {
      wgmma s = sa * sb.T
      wgmma.commit
      wgmma.wait 0
      for (r, e) in s { s[r, e] = exp2.approx(s[r, e]) }
      p = cvt.bf16(s)
      wgmma acc += p * sb
      wgmma.commit
      wgmma.wait 0
    }
    for (r, e) in acc { st y[acc.row(r), acc.col(e)] <- acc[r, e] }
)"),
             {"cake::wgmma_m64n64k16_f32_bf16_bf16_ra_tb(acc, 0, 0, p, k * 2, right"});
}

// All warps of a warpgroup execute setmaxnreg, those that pad it and roles that share it included.
TEST(Wgmma, RegisterBudgetsAreOfWholeWarpgroups) {
  const Emitted emitted = EmitText(R"(program p target sm_90a
out y: f32[1]
kernel k {
  grid (1)
  role one: warps 1 regs 40 { elect { st y[0] <- 1.0 } }
  role two: warps 2 regs 40 { sync warp }
  role math: warps 8 regs 232 { sync warp }
}
)");
  ASSERT_NE(emitted.program, nullptr);
  const std::string& cuda = emitted.source.cuda;
  EXPECT_NE(cuda.find("__launch_bounds__(384, 1)"), std::string::npos) << cuda;
  EXPECT_NE(
      cuda.find("if (warp_index < 4) {\n    asm volatile(\"setmaxnreg.dec.sync.aligned.u32 40;"),
      std::string::npos)
      << cuda;
  EXPECT_NE(cuda.find("    } else if (warp_index >= 1 && warp_index < 3) {  // role two"),
            std::string::npos)
      << cuda;
  EXPECT_NE(cuda.find("if (warp_index >= 4 && warp_index < 12) {  // role math\n    asm volatile("
                      "\"setmaxnreg.inc.sync.aligned.u32 232;"),
            std::string::npos)
      << cuda;
  if (!RealNvrtc().available()) GTEST_SKIP() << "no NVRTC 13 in /usr/local/cuda/lib64";
  const Compiled compiled = RealNvrtc().Compile(cuda, emitted.source.options, "sm_90a");
  EXPECT_EQ(compiled.status, 0) << compiled.log;
}

}  // namespace
}  // namespace compiler::emit
