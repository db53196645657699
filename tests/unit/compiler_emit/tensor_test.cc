// Tensor memory as ptxas takes it: every shape and kind of product, every form and width of copies,
// for each device of the family, without spills.
#include <set>

#include "absl/strings/str_cat.h"
#include "compiler/ir/tensor_memory.h"
#include "tests/unit/compiler_emit/emit_support.h"
#include "tests/unit/compiler_emit/nvrtc_support.h"

namespace compiler::emit {
namespace {

constexpr const char* kFamily[] = {"sm_100a", "sm_103a"};

void ExpectCompiles(const std::string& source, const std::string& arch) {
  if (!RealNvrtc().available()) GTEST_SKIP() << "no NVRTC 13 in /usr/local/cuda/lib64";
  const Emitted emitted = EmitText(source, arch);
  ASSERT_NE(emitted.program, nullptr);
  const Compiled compiled = RealNvrtc().Compile(emitted.source.cuda, emitted.source.options, arch);
  ASSERT_EQ(compiled.status, 0) << compiled.log << emitted.source.cuda;
  EXPECT_NE(compiled.log.find("0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads"),
            std::string::npos)
      << compiled.log << emitted.source.cuda;
  EXPECT_EQ(compiled.log.find("warning"), std::string::npos) << compiled.log;
}

std::string Name(ir::DType type) { return std::string(ir::ToString(type)); }

// One product of each way that its operands can lie; `n` columns, two steps of K and more.
std::string Products(const ir::UmmaShape& shape, int64_t m, int64_t n, int swizzle,
                     const std::string& target) {
  const int64_t bits = ir::Info(shape.a).bits;
  const int64_t k = std::max<int64_t>(4 * shape.k, swizzle * 8 / bits);
  const auto smem = [&](const std::string& name, ir::DType type, int64_t rows, int64_t columns) {
    return absl::StrCat("  smem ", name, ": ", Name(type), "[", rows, ", ", columns, "] swizzle ",
                        swizzle, "\n");
  };
  std::string items = smem("a", shape.a, m, k) + smem("b", shape.b, n, k);
  std::string body = "    umma d = a * b.T\n    umma d += a * b.T zero warp == 0\n";
  if (bits < 32) {
    const int64_t columns = std::max<int64_t>(n, swizzle * 8 / bits);
    absl::StrAppend(&items, smem("at", shape.a, k, std::max<int64_t>(m, swizzle * 8 / bits)),
                    smem("bt", shape.b, k, columns));
    absl::StrAppend(&body, "    umma d += at[:, 0:+", m, "].T * bt[:, 0:+", n, "]\n");
  }
  if (m == ir::kTmemLanes) {
    absl::StrAppend(&items, "  tmem left: ", Name(shape.a), "[128, ", k, "]\n");
    absl::StrAppend(&body, "    umma d += left * b.T\n");
  }
  return absl::StrCat("program p target ", target, "\nout y: f32[32]\nkernel k {\n  grid (1)\n",
                      items, "  tmem d: ", Name(shape.d), "[", m, ", ", n,
                      "]\n  event done[1] count 1\n  role main: warps 1 {\n", body,
                      "    umma.commit done@0\n    wait done@0\n    st y[lane] <- 1.0\n  }\n}\n");
}

class ProductSweep : public testing::TestWithParam<ir::UmmaShape> {};

TEST_P(ProductSweep, EveryShapeCompiles) {
  const ir::UmmaShape& shape = GetParam();
  for (const std::string arch : kFamily) {
    if (shape.min_arch.ends_with('a') && arch != shape.min_arch) continue;
    ExpectCompiles(Products(shape, 128, 32, 128, arch), arch);
    ExpectCompiles(Products(shape, 64, 16, 64, arch), arch);
    ExpectCompiles(Products(shape, 128, 16, 32, arch), arch);
  }
  ExpectCompiles(Products(shape, 64, 8, 32, "sm_100a"), "sm_100a");
  ExpectCompiles(Products(shape, 128, 128, 128, "sm_100a"), "sm_100a");
}

// Products with scales, both ways that the left operand can lie, more columns than an instruction
// takes and several words of scales.
std::string ScaledProducts(const ir::UmmaShape& shape, int64_t n, const std::string& target) {
  const int64_t k = 8 * shape.block / ir::NumbersOf(shape.a);  // elements: two words of scales
  const int64_t rows = (n + 127) / 128 * 128;
  const auto smem = [&](const std::string& name, ir::DType type, int64_t side) {
    return absl::StrCat("  smem ", name, ": ", Name(type), "[", side, ", ", k, "] swizzle 32\n");
  };
  return absl::StrCat(
      "program p target ", target, "\nout y: f32[32]\nkernel k {\n  grid (1)\n",
      smem("a", shape.a, 128), smem("b", shape.b, n), "  smem ua: ", Name(shape.scale),
      "[2, 32, 16]\n  smem ub: ", Name(shape.scale), "[", rows / 64,
      ", 32, 16]\n  tmem d: f32[128, ", n, "]\n  tmem va: ", Name(shape.scale),
      "[128, 8]\n  tmem vb: ", Name(shape.scale), "[", rows, ", 8]\n  tmem left: ", Name(shape.a),
      "[128, ", k,
      "]\n  event done[1] count 1\n  role main: warps 1 {\n    tmem.cp va <- ua\n    tmem.cp vb <- "
      "ub\n",
      "    umma d = a * b.T scale va, vb\n    umma d += left * b.T scale va, vb zero warp == 0\n",
      "    umma.commit done@0\n    wait done@0\n    st y[lane] <- 1.0\n  }\n}\n");
}

class ScaledSweep : public testing::TestWithParam<ir::UmmaShape> {};

TEST_P(ScaledSweep, EveryShapeCompiles) {
  for (const std::string arch : kFamily) {
    ExpectCompiles(ScaledProducts(GetParam(), 128, arch), arch);
  }
  ExpectCompiles(ScaledProducts(GetParam(), 16, "sm_100a"), "sm_100a");
  ExpectCompiles(ScaledProducts(GetParam(), 256, "sm_100a"), "sm_100a");
}

// Without factors of 6 or 4 bits a number: only a tensor map's copy pads them.
std::vector<ir::UmmaShape> Shapes(bool scaled) {
  std::vector<ir::UmmaShape> shapes;
  for (const ir::UmmaShape& shape : ir::UmmaShapes()) {
    if (ir::PackedTypeOf(shape.a) != ir::DType::kUnknown) continue;
    if (ir::PackedTypeOf(shape.b) != ir::DType::kUnknown) continue;
    if ((shape.block > 0) == scaled) shapes.push_back(shape);
  }
  return shapes;
}

std::string ShapeName(const testing::TestParamInfo<ir::UmmaShape>& info) {
  const ir::UmmaShape& shape = info.param;
  const std::string factors = Name(shape.a) + "_" + Name(shape.b);
  if (shape.block == 0) return factors;
  return absl::StrCat(factors, "_", Name(shape.scale), "_", shape.block);
}

INSTANTIATE_TEST_SUITE_P(Shapes, ProductSweep, testing::ValuesIn(Shapes(false)), ShapeName);
INSTANTIATE_TEST_SUITE_P(Shapes, ScaledSweep, testing::ValuesIn(Shapes(true)), ShapeName);

// Loads and stores of one form: 128 rows, 64 rows where the form has them, all widths.
std::string Copies(std::string_view form, ir::DType type, int64_t rows, int64_t columns,
                   const std::string& target) {
  const std::string fragment = absl::StrCat("tmem.", std::string(form), " ", Name(type));
  return absl::StrCat("program p target ", target, "\nout y: f32[32]\nkernel k {\n  grid (1)\n",
                      "  tmem t: ", Name(type), "[", rows, ", ", columns, "]\n",
                      "  role main: warps 4 {\n    var f: ", fragment, "[", rows, ", ", columns,
                      "]\n    tmem.ld f <- t\n    tmem.wait ld\n    tmem.st t <- f\n"
                      "    tmem.wait st\n    if warp == 0 { st y[lane] <- 1.0 }\n  }\n}\n");
}

TEST(TensorCopies, EveryFormAndWidthCompiles) {
  struct Form {
    const char* name;
    int64_t words;  // of .x1
    int64_t most;   // columns a fragment of 128 rows may have
    bool short_rows;
  };
  constexpr Form kForms[] = {{"32x32b", 8, 128, false},
                             {"16x64b", 2, 128, true},
                             {"16x128b", 4, 128, true},
                             {"16x256b", 8, 128, true}};
  for (const Form& form : kForms) {
    for (int64_t words = form.words; words <= form.most; words *= 2) {
      ExpectCompiles(Copies(form.name, ir::DType::kF32, 128, words, "sm_100a"), "sm_100a");
    }
    ExpectCompiles(Copies(form.name, ir::DType::kF32, 128, 11 * form.words, "sm_103a"), "sm_103a");
    ExpectCompiles(Copies(form.name, ir::DType::kI32, 128, 2 * form.words, "sm_100a"), "sm_100a");
    ExpectCompiles(Copies(form.name, ir::DType::kBF16, 128, 4 * form.words, "sm_100a"), "sm_100a");
    ExpectCompiles(Copies(form.name, ir::DType::kE4M3, 128, 4 * form.words, "sm_100a"), "sm_100a");
    if (!form.short_rows) continue;
    ExpectCompiles(Copies(form.name, ir::DType::kF32, 64, 4 * form.words, "sm_100a"), "sm_100a");
  }
}

// A slice of scales begins where the machine and the hardware have its first one, of 128 rows and
// of 256, whether its column is known or not.
TEST(ScaleSlices, BeginAtTheirColumn) {
  for (const int64_t n : {128, 256}) {
    const int64_t rows = (n + 127) / 128 * 128;
    const Emitted emitted = EmitText(
        absl::StrCat("program p target sm_100a\ndim N in 1..=2\nout y: f32[N]\nkernel k {\n"
                     "  grid (1)\n  smem a: e2m1x2[128, 32] swizzle 32\n  smem b: e2m1x2[",
                     n, ", 32] swizzle 32\n  tmem d: f32[128, ", n,
                     "]\n  tmem va: ue4m3[128, 12]\n  tmem vb: ue4m3[", rows,
                     ", 12]\n  event done[1] count 1\n  role main: warps 1 {\n"
                     "    umma d = a * b.T scale va[:, 4:+4], vb[:, 4:+4]\n"
                     "    umma d = a * b.T scale va[:, 4*N:+4], vb[:, 4*N:+4]\n"
                     "    umma.commit done@0\n    wait done@0\n    st y[0] <- 1.0\n  }\n}\n"),
        "sm_100a");
    ASSERT_NE(emitted.program, nullptr);
    const ir::TmemBuffer& scales = emitted.program->kernels[0].tmem[2];
    ASSERT_EQ(scales.rows, rows);
    const std::string known = absl::StrCat("va + 4, vb + ", ir::ScaleColumn(scales, 0, 4), ",");
    EXPECT_NE(emitted.source.cuda.find(known), std::string::npos) << known << emitted.source.cuda;
    const std::string wide = rows == 256 ? " * 2" : "";
    const std::string open = absl::StrCat("vb + 4 * N", wide, ",");
    EXPECT_NE(emitted.source.cuda.find(open), std::string::npos) << open << emitted.source.cuda;
  }
}

// Left operands that copies bring from shared memory: whole elements, and numbers of 6 and 4 bits,
// which get a byte each; multiplied with and without scales, or by a pair of CTAs.
std::string TileCopies(const std::string& target, bool pair) {
  const std::string by = pair ? ".2cta " : " ";
  std::string inputs, items, loads, products;
  for (const ir::DType type :
       {ir::DType::kE2M3, ir::DType::kE3M2, ir::DType::kE2M1, ir::DType::kE4M3}) {
    const std::string name = Name(type);
    const ir::DType packed = ir::PackedTypeOf(type);
    const ir::DType outside = packed == ir::DType::kUnknown ? type : packed;
    absl::StrAppend(&inputs, "in x", name, ": ", Name(outside), "[128, ",
                    256 / ir::NumbersOf(outside), "]\n");
    absl::StrAppend(&items, "  smem s", name, ": ", name, "[128, 256] swizzle 128\n  tmem t", name,
                    ": ", name, "[128, 256]\n");
    for (const char* const half : {"0:+128", "128:+128"}) {
      const int64_t first = half[0] == '0' ? 0 : 128 / ir::NumbersOf(outside);
      absl::StrAppend(&loads, "    tma.load s", name, "[:, ", half, "] <- x", name, "[:, ", first,
                      ":+", 128 / ir::NumbersOf(outside), "] on full@0\n");
    }
    absl::StrAppend(&products, "    tmem.cp", by, "t", name, " <- s", name, "\n    umma", by,
                    "d += t", name, " * b.T\n");
    if (!pair) absl::StrAppend(&products, "    umma d += t", name, " * b.T scale va, vb\n");
  }
  const std::string scales =
      pair ? ""
           : "  smem ua: ue8m0[2, 32, 16]\n  tmem va: ue8m0[128, 8]\n  tmem vb: ue8m0[128, 8]\n";
  const std::string filled = pair ? "" : "    tmem.cp va <- ua\n    tmem.cp vb <- ua\n";
  return absl::StrCat(
      "program p target ", target, "\n", inputs, "out y: f32[32]\nkernel k {\n  grid (",
      pair ? "2)\n  cluster 2" : "1)", "\n", items, "  smem b: e4m3[16, 256] swizzle 128\n", scales,
      "  tmem d: f32[128, ", pair ? 32 : 16,
      "]\n  event full[1] count 1\n  event done[1] count 1\n  role main: warps 1 {\n", loads,
      "    expect full@0\n    wait full@0\n", filled, products, "    umma.commit done@0\n",
      "    wait done@0\n    st y[lane] <- 1.0\n  }\n}\n");
}

TEST(TileCopies, EveryWidthOfNumbersCompiles) {
  for (const std::string arch : kFamily) {
    ExpectCompiles(TileCopies(arch, false), arch);
    ExpectCompiles(TileCopies(arch, true), arch);
  }
  const Emitted emitted = EmitText(TileCopies("sm_100a", false), "sm_100a");
  ASSERT_NE(emitted.program, nullptr);
  for (const char* const format : {".128x256b.b8x16.b6x16_p32 ", ".128x256b.b8x16.b4x16_p64 ",
                                   ".128x256b [", "tile_b6(te2m3 + k * 8, "}) {
    EXPECT_NE(emitted.source.cuda.find(format), std::string::npos) << format;
  }
}

// PTX ISA, tcgen05 instruction descriptor, written out bit by bit.
TEST(TensorDescriptor, BitsAreThoseOfThePtxIsa) {
  const ir::UmmaShape& bf16 = *ir::FindUmma(ir::DType::kBF16, ir::DType::kBF16, ir::DType::kF32);
  // D f32 (1 << 4), A and B bf16 (1 << 7, 1 << 10), N / 8 = 4 (<< 17), M / 16 = 8 (<< 24).
  EXPECT_EQ(ir::UmmaDescriptor(bf16, 128, 32, false, false), 0x08080490u);
  EXPECT_EQ(ir::UmmaDescriptor(bf16, 64, 256, true, true), 0x04418490u);
  const ir::UmmaShape& mixed = *ir::FindUmma(ir::DType::kE4M3, ir::DType::kE5M2, ir::DType::kF32);
  EXPECT_EQ(ir::UmmaDescriptor(mixed, 128, 16, false, true), 0x08050410u);
  const ir::UmmaShape& bytes = *ir::FindUmma(ir::DType::kI8, ir::DType::kU8, ir::DType::kI32);
  EXPECT_EQ(ir::UmmaDescriptor(bytes, 128, 16, false, false), 0x080400a0u);
}

// Of block-scaled kinds: no type of D, the type of the scales in bit 23 (ue8m0), M / 128 << 27, and
// where the scales of a step begin in their words, << 29 of A and << 4 of B.
TEST(TensorDescriptor, BitsOfScaledKindsAreThoseOfThePtxIsa) {
  const auto shape = [](ir::DType factors, ir::DType scale, int64_t block) {
    return *ir::FindScaledUmma(factors, factors, ir::DType::kF32, scale, block);
  };
  const ir::UmmaShape nvf4 = shape(ir::DType::kE2M1x2, ir::DType::kUE4M3, 16);
  EXPECT_EQ(ir::UmmaDescriptor(nvf4, 128, 128, false, false), 0x08200480u);
  EXPECT_EQ(ir::ScaleSteps(nvf4), 1);
  const ir::UmmaShape mxf4 = shape(ir::DType::kE2M1x2, ir::DType::kUE8M0, 32);
  EXPECT_EQ(ir::UmmaDescriptor(mxf4, 128, 64, false, false), 0x08900480u);
  EXPECT_EQ(ir::ScaleSteps(mxf4), 2);
  EXPECT_EQ(ir::ScaleStep(mxf4), 0x40000020u);
  const ir::UmmaShape mxf8 = shape(ir::DType::kE5M2, ir::DType::kUE8M0, 32);
  EXPECT_EQ(ir::UmmaDescriptor(mxf8, 128, 64, true, false), 0x08908480u);
  EXPECT_EQ(ir::ScaleSteps(mxf8), 4);
  EXPECT_EQ(ir::ScaleStep(mxf8), 0x20000010u);
}

TEST(TensorDescriptor, ColumnsOfAnInstructionDivideTheProduct) {
  const ir::UmmaShape& bf16 = *ir::FindUmma(ir::DType::kBF16, ir::DType::kBF16, ir::DType::kF32);
  const ir::UmmaShape& bytes = *ir::FindUmma(ir::DType::kI8, ir::DType::kI8, ir::DType::kI32);
  EXPECT_EQ(ir::UmmaColumns(bf16, 128, 512), 256);
  EXPECT_EQ(ir::UmmaColumns(bf16, 128, 48), 48);
  EXPECT_EQ(ir::UmmaColumns(bf16, 128, 8), 0);
  EXPECT_EQ(ir::UmmaColumns(bf16, 64, 8), 8);
  EXPECT_EQ(ir::UmmaColumns(bf16, 64, 12), 0);
  EXPECT_EQ(ir::UmmaColumns(bytes, 64, 40), 8);
  EXPECT_EQ(ir::UmmaColumns(bytes, 128, 40), 0);
}

}  // namespace
}  // namespace compiler::emit
