// The wrappers of warp-wide products against the table and the assembler.
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "compiler/arch/device.h"
#include "compiler/device/device.h"
#include "compiler/facts/matrix_ops.h"
#include "compiler/ir/fragment.h"
#include "tests/unit/compiler_emit/emit_support.h"
#include "tests/unit/compiler_emit/nvrtc_support.h"

namespace compiler::emit {
namespace {

std::string PtxType(ir::DType dtype) {
  if (dtype == ir::DType::kI8) return "s8";
  if (dtype == ir::DType::kI32) return "s32";
  if (dtype == ir::DType::kI4x2) return "s4";
  if (dtype == ir::DType::kU4x2) return "u4";
  if (dtype == ir::DType::kB1x8) return "b1";
  return std::string(ir::ToString(dtype));
}

// "mma_m16n8k16_f32_bf16_bf16"
std::string WrapperOf(const ir::MmaShape& shape) {
  return absl::StrCat("mma_m", shape.m, "n8k", shape.k * ir::NumbersOf(shape.a), "_",
                      PtxType(shape.d), "_", PtxType(shape.a), "_", PtxType(shape.b));
}

// The instruction, up to its operands; `saturation` as in ".satfinite".
std::string InstructionOf(const ir::MmaShape& shape, const std::string& saturation = "") {
  return absl::StrCat("mma.sync.aligned.m", shape.m, "n8k", shape.k * ir::NumbersOf(shape.a),
                      ".row.col", saturation, ".", PtxType(shape.d), ".", PtxType(shape.a), ".",
                      PtxType(shape.b), ".", PtxType(shape.d));
}

// A kernel with one call of the wrapper of `shape`.
std::string CallOf(const ir::MmaShape& shape, const std::string& name) {
  const int64_t right = 8 * shape.k * ir::Info(shape.a).bits / 32 / 32;
  const int64_t left = right * shape.m / 8;
  const bool half = shape.d == ir::DType::kF16;
  const std::string type = half ? "unsigned" : shape.d == ir::DType::kF32 ? "float" : "int";
  std::string text = absl::StrCat("extern \"C\" __global__ void k(", type,
                                  "* d, const unsigned* a) {\n  cake::", name, "(");
  for (int64_t i = 0; i < shape.m / (half ? 8 : 4); ++i)
    absl::StrAppend(&text, i == 0 ? "" : ", ", "d[", i, "]");
  for (int64_t i = 0; i < left + right; ++i) absl::StrAppend(&text, ", a[", i, "]");
  return absl::StrCat(text, ");\n}\n");
}

TEST(Product, EveryShapeOfTheTableAssemblesForItsFirstArchitecture) {
  if (!RealNvrtc().available()) GTEST_SKIP() << "no NVRTC 13 in /usr/local/cuda/lib64";
  for (const ir::MmaShape& shape : ir::MmaShapes()) {
    if (shape.a == ir::DType::kB1x8) continue;
    const std::string name = WrapperOf(shape);
    const std::string call = CallOf(shape, name);
    const std::string instruction = InstructionOf(shape);
    const Compiled compiled = RealNvrtc().Compile(device::PartsFor(call) + call, {"--std=c++20"},
                                                  std::string(shape.min_arch));
    ASSERT_EQ(compiled.status, 0) << name << "\n" << compiled.log;
    EXPECT_NE(compiled.ptx.find(instruction), std::string::npos) << name;
  }
}

TEST(Product, SaturatingSumsHaveAWrapperForEveryIntegerShape) {
  if (!RealNvrtc().available()) GTEST_SKIP() << "no NVRTC 13 in /usr/local/cuda/lib64";
  int shapes = 0;
  for (const ir::MmaShape& shape : ir::MmaShapes()) {
    if (shape.d != ir::DType::kI32 || shape.a == ir::DType::kB1x8) continue;
    ++shapes;
    const std::string call = CallOf(shape, WrapperOf(shape) + "_sat");
    const Compiled compiled = RealNvrtc().Compile(device::PartsFor(call) + call, {"--std=c++20"},
                                                  std::string(shape.min_arch));
    const std::string instruction = InstructionOf(shape, ".satfinite");
    ASSERT_EQ(compiled.status, 0) << instruction << "\n" << compiled.log;
    EXPECT_NE(compiled.ptx.find(instruction), std::string::npos) << instruction;
  }
  EXPECT_EQ(shapes, 24);
}

// What the device descriptions say the assembler makes a routine of, it makes a routine of: the
// symbol of one is in the cubin.
TEST(Product, RoutinesOfTheAssemblerAreThoseOfTheDescriptions) {
  if (!RealNvrtc().available()) GTEST_SKIP() << "no NVRTC 13 in /usr/local/cuda/lib64";
  for (const char* arch : {"sm_80", "sm_89", "sm_90a", "sm_100a", "sm_120a"}) {
    const arch::Device& device = **arch::Find(arch);
    for (const ir::MmaShape& shape : ir::MmaShapes()) {
      const bool bits = shape.a == ir::DType::kB1x8;
      if (shape.a != shape.b || ir::NumbersOf(shape.a) == 1 || shape.k != 32) continue;
      for (const char* operation : {"and", "xor"}) {
        if (!bits && operation[0] == 'x') continue;
        const std::string suffix = bits ? absl::StrCat("_", operation) : "";
        const std::string call = CallOf(shape, WrapperOf(shape) + suffix);
        const Compiled compiled =
            RealNvrtc().Compile(device::PartsFor(call) + call, {"--std=c++20"}, arch);
        ASSERT_EQ(compiled.status, 0) << compiled.log;
        const std::string words = bits ? absl::StrCat(".s32.", operation, ".popc") : "";
        EXPECT_NE(compiled.ptx.find(InstructionOf(shape).substr(0, 20)), std::string::npos);
        EXPECT_NE(compiled.ptx.find(words), std::string::npos) << words;
        const bool routine = compiled.cubin.find("_mma_") != std::string::npos;
        EXPECT_EQ(routine, facts::MmaRoutine(device, shape.a, operation[0] == 'x') > 0)
            << arch << " " << WrapperOf(shape) << suffix;
      }
    }
  }
}

// The first architecture of the table is the first that has the instruction.
TEST(Product, NoShapeAssemblesBelowItsFirstArchitecture) {
  if (!RealNvrtc().available()) GTEST_SKIP() << "no NVRTC 13 in /usr/local/cuda/lib64";
  for (const ir::MmaShape& shape : ir::MmaShapes()) {
    if (shape.min_arch == "sm_80") continue;
    const std::string name = WrapperOf(shape);
    const std::string call = CallOf(shape, name);
    const Compiled compiled =
        RealNvrtc().Compile(device::PartsFor(call) + call, {"--std=c++20"}, "sm_80");
    EXPECT_NE(compiled.status, 0) << name;
  }
}

// a[M, K] * b[N, K] with both operands through shared memory, tiles of several instructions.
std::string Staged(const std::string& a, const std::string& b, const std::string& d, int64_t k,
                   const std::string& product = "mma") {
  return absl::StrCat(
      "program p target sm_89\nin a: ", a, "[32, ", k, "], b: ", b, "[24, ", k, "]\nout y: ", d,
      "[32, 24]\nkernel k {\n  grid (1)\n  smem sa: ", a, "[32, ", k, "] padded ",
      128 / ir::Info(*ir::ParseDType(a)).bits, "\n  smem sb: ", b, "[24, ", k, "] padded ",
      128 / ir::Info(*ir::ParseDType(b)).bits,
      "\n  role main: warps 1 {\n    fn add(d: inout frag, p: frag, q: frag) { ", product,
      " d += p * q }\n"
      "    for c in 0..",
      k,
      " {\n      st sa[lane, c] <- ld a[lane, c]\n"
      "      if lane < 24 { st sb[lane, c] <- ld b[lane, c] }\n    }\n    sync warp\n"
      "    var fa: mma.a ",
      a, "[32, ", k, "]\n    var fb: mma.b ", b, "[", k,
      ", 24]\n"
      "    var acc: mma ",
      d,
      "[32, 24]\n    ldmatrix fa <- sa\n    ldmatrix fb <- sb.T\n"
      "    acc = ",
      d == "i32" ? "0" : "0.0",
      "\n    add(acc, fa, fb)\n    add(acc[:, 8:+8], fa, fb[:, 8:+8])\n"
      "    for n in 0..3 { ",
      product,
      " acc[:, n*8:+8] += fa * fb[:, n*8:+8] zero n == 1 }\n"
      "    for (r, e) in acc { st y[acc.row(r), acc.col(e)] <- acc[r, e] }\n  }\n}\n");
}

void ExpectNoStack(const std::string& source, const std::string& arch) {
  const Emitted emitted = EmitText(source);
  ASSERT_NE(emitted.program, nullptr) << source;
  const Compiled compiled = RealNvrtc().Compile(emitted.source.cuda, emitted.source.options, arch);
  ASSERT_EQ(compiled.status, 0) << compiled.log << emitted.source.cuda;
  EXPECT_NE(compiled.log.find("0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads"),
            std::string::npos)
      << compiled.log << emitted.source.cuda;
}

// Fragments are register arrays: nothing of them may end in local memory, whatever the types,
// slices, calls and copies.
TEST(Product, FragmentsStayInRegisters) {
  if (!RealNvrtc().available()) GTEST_SKIP() << "no NVRTC 13 in /usr/local/cuda/lib64";
  for (const char* arch : {"sm_89", "sm_90a", "sm_120a"}) {
    ExpectNoStack(Staged("f16", "f16", "f16", 40), arch);
    ExpectNoStack(Staged("bf16", "bf16", "f32", 48), arch);
    ExpectNoStack(Staged("tf32", "tf32", "f32", 20), arch);
    ExpectNoStack(Staged("e4m3", "e5m2", "f32", 48), arch);
    ExpectNoStack(Staged("u8", "i8", "i32", 80), arch);
    ExpectNoStack(Staged("u8", "i8", "i32", 80, "mma.sat"), arch);
    ExpectNoStack(Staged("i4x2", "u4x2", "i32", 48), arch);
    ExpectNoStack(Staged("b1x8", "b1x8", "i32", 48, "mma.xor"), arch);
  }
}

TEST(Product, ConversionsAndStoresOfFragmentsStayInRegisters) {
  if (!RealNvrtc().available()) GTEST_SKIP() << "no NVRTC 13 in /usr/local/cuda/lib64";
  const std::string source = R"(program p target sm_90a
in x: f32[16, 32]
out y: bf16[32, 16]
kernel k {
  grid (1)
  smem s: bf16[32, 16] swizzle 32
  role main: warps 1 {
    var f: mma f32[16, 32]
    var v: mma.b bf16[32, 16]
    var o: mma f32[16, 16]
    for (r, e) in f { f[r, e] = ld x[f.row(r), f.col(e)] }
    let p: mma.a bf16[16, 32] = cvt.bf16(f)
    stmatrix s.T <- p
    sync warp
    ldmatrix v <- s
    mma o = p * v
    sync warp
    stmatrix s[0:+16, :] <- cvt.bf16(o)
    sync warp
    for r in 0..32 { if lane < 16 { st y[r, lane] <- ld s[r, lane] } }
  }
}
)";
  ExpectNoStack(source, "sm_90a");
  const Emitted emitted = EmitText(source);
  ASSERT_NE(emitted.program, nullptr);
  for (const char* expected : {"cake::stmatrix_x4_trans(", "cake::ldmatrix_x4_trans(",
                               "cake::stmatrix_x4(", "cake::pack_bf16("}) {
    EXPECT_NE(emitted.source.cuda.find(expected), std::string::npos) << expected;
  }
}

// The registers of each instruction of `name`, operand `from` and `count` on, as written.
std::set<std::string> RegistersOf(const std::string& cuda, const std::string& name, size_t from,
                                  size_t count) {
  std::set<std::string> found;
  for (size_t at = cuda.find("cake::" + name); at != std::string::npos;
       at = cuda.find("cake::" + name, at + 1)) {
    const size_t open = cuda.find('(', at) + 1;
    const std::string all = cuda.substr(open, cuda.find(");", open) - open);
    std::vector<std::string> operands = absl::StrSplit(all, ',');
    for (std::string& operand : operands) absl::StripAsciiWhitespace(&operand);
    found.insert(absl::StrJoin(operands.begin() + static_cast<int64_t>(from),
                               operands.begin() + static_cast<int64_t>(from + count), ","));
  }
  return found;
}

// Registers of one instruction are consecutive: those of a product's operand, spread over two
// copies, would be moved together before each product.
TEST(Product, CopiesFillWhatProductsReadSideBySide) {
  for (const bool transposed : {false, true}) {
    const std::string source = absl::StrCat(
        "program p target sm_80\nin a: bf16[16, 16], b: bf16[16, 16]\nout y: f32[16, 16]\n"
        "kernel k {\n  grid (1)\n"
        "  smem sa: bf16[16, 16] swizzle 32; smem sb: bf16[16, 16] swizzle 32\n"
        "  role main: warps 1 {\n    if lane < 16 {\n"
        "      for r in 0..16 { st sa[r, lane] <- ld a[r, lane]; st sb[r, lane] <- ld b[r, lane] }"
        "\n    }\n    sync warp\n    var fa: mma.a bf16[16, 16]\n    var fb: mma.b bf16[16, 16]\n"
        "    var acc: mma f32[16, 16]\n    acc = 0.0\n    ldmatrix fa <- sa",
        transposed ? ".T" : "", "\n    ldmatrix fb <- sb", transposed ? "" : ".T",
        "\n    mma acc += fa * fb\n"
        "    for (r, e) in acc { st y[acc.row(r), acc.col(e)] <- acc[r, e] }\n  }\n}\n");
    const Emitted emitted = EmitText(source);
    ASSERT_NE(emitted.program, nullptr) << source;
    const std::string& cuda = emitted.source.cuda;
    const auto loaded = RegistersOf(cuda, transposed ? "ldmatrix_x4_trans" : "ldmatrix_x4", 0, 4);
    EXPECT_TRUE(loaded.contains("fa.reg[0][0],fa.reg[1][0],fa.reg[0][1],fa.reg[1][1]")) << cuda;
    EXPECT_TRUE(loaded.contains("fb.reg[0][0],fb.reg[1][0],fb.reg[0][1],fb.reg[1][1]")) << cuda;
    EXPECT_EQ(RegistersOf(cuda, "mma_m16n8k16", 4, 4),
              std::set<std::string>{"fa.reg[0][0],fa.reg[1][0],fa.reg[0][1],fa.reg[1][1]"});
    EXPECT_EQ(RegistersOf(cuda, "mma_m16n8k16", 8, 2),
              std::set<std::string>{"fb.reg[0][n],fb.reg[1][n]"});
  }
}

}  // namespace
}  // namespace compiler::emit
