// Block-scaled products on the machine against plain C++, from codes of factors and scales; and
// what orders the copies of scales.
#include <cmath>
#include <random>

#include "absl/strings/str_cat.h"
#include "compiler/ir/tensor_memory.h"
#include "tests/unit/compiler_machine/source_harness.h"
#include "tests/unit/compiler_machine/tensor_values.h"

namespace compiler::machine {
namespace {

using testing::IsEmpty;

std::vector<std::byte> Codes(size_t count, int low, int high, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<std::byte> codes(count);
  for (std::byte& code : codes) {
    code = static_cast<std::byte>(
        low + static_cast<int>(random() % static_cast<unsigned>(high - low + 1)));
  }
  return codes;
}

// A float of these bits: sign, exponent, mantissa.
double Float(int code, int exponent_bits, int mantissa_bits, bool with_sign) {
  const int bias = (1 << (exponent_bits - 1)) - 1;
  const int mantissa = code & ((1 << mantissa_bits) - 1);
  const int exponent = code >> mantissa_bits & ((1 << exponent_bits) - 1);
  const double size =
      exponent == 0 ? std::ldexp(mantissa, 1 - bias - mantissa_bits)
                    : std::ldexp(mantissa + (1 << mantissa_bits), exponent - bias - mantissa_bits);
  return with_sign && (code >> (exponent_bits + mantissa_bits) & 1) != 0 ? -size : size;
}

double Factor(ir::DType dtype, const std::vector<std::byte>& codes, int64_t at) {
  const auto byte = [&](int64_t i) { return static_cast<int>(codes[static_cast<size_t>(i)]); };
  if (dtype == ir::DType::kE2M1x2) return Float(byte(at / 2) >> (at % 2 * 4) & 15, 2, 1, true);
  return dtype == ir::DType::kE4M3 ? Float(byte(at), 4, 3, true) : Float(byte(at), 5, 2, true);
}

bool IsPadded(const ir::UmmaShape& shape) {
  return ir::PackedTypeOf(shape.a) != ir::DType::kUnknown ||
         ir::PackedTypeOf(shape.b) != ir::DType::kUnknown;
}

double Scale(ir::DType dtype, int code) {
  return dtype == ir::DType::kUE8M0 ? std::ldexp(1.0, code - 127) : Float(code, 4, 3, false);
}

// Scales of `words` words along K lie in blocks of 512 bytes, those of 128 rows one after the
// other.
double ScaleAt(const ir::UmmaShape& shape, const std::vector<std::byte>& codes, int64_t words,
               int64_t row, int64_t k) {
  const int64_t scale = k / shape.block;
  const int64_t block = row / 128 * words + scale / 4;
  const int64_t at = block * 512 + row % 32 * 16 + row % 128 / 32 * 4 + scale % 4;
  return Scale(shape.scale, static_cast<int>(codes[static_cast<size_t>(at)]));
}

std::string Source(const ir::UmmaShape& shape, int64_t n, int64_t k, int64_t words) {
  const int64_t elements = k / ir::NumbersOf(shape.a), groups = (n + 127) / 128;
  const int64_t bytes = elements * ir::Info(shape.a).bits / 8;
  const int64_t swizzle = bytes % 128 == 0 ? 128 : bytes % 64 == 0 ? 64 : 32;
  const std::string a = Name(shape.a), b = Name(shape.b), scale = Name(shape.scale);
  const auto fill = [&](const std::string& to, const std::string& from, int64_t rows) {
    return absl::StrCat("    for i in thread..", rows * elements, " step 128 { st ", to, "[i / ",
                        elements, ", i % ", elements, "] <- ld ", from, "[i / ", elements, ", i % ",
                        elements, "] }\n");
  };
  const auto scales = [&](const std::string& to, const std::string& from, int64_t blocks) {
    return absl::StrCat("    for i in thread..", blocks * 512, " step 128 { st ", to,
                        "[i / 512, i % 512 / 16, i % 16] <- ld ", from,
                        "[i / 512, i % 512 / 16, i % 16] }\n");
  };
  return absl::StrCat(
      "program t target sm_100a\nin a: ", a, "[128, ", elements, "], b: ", b, "[", n, ", ",
      elements, "], sa: ", scale, "[", words, ", 32, 16], sb: ", scale, "[", groups * words,
      ", 32, 16]; out y: f32[128, ", n, "]\nkernel k {\n  grid (1)\n  smem ta: ", a, "[128, ",
      elements, "] swizzle ", swizzle, "\n  smem tb: ", b, "[", n, ", ", elements, "] swizzle ",
      swizzle, "\n  smem ua: ", scale, "[", words, ", 32, 16]\n  smem ub: ", scale, "[",
      groups * words, ", 32, 16]\n  tmem acc: f32[128, ", n, "]\n  tmem va: ", scale, "[128, ",
      4 * words, "]\n  tmem vb: ", scale, "[", groups * 128, ", ", 4 * words,
      "]\n  event done[1] count 1\n  role main: warps 4 {\n", fill("ta", "a", 128),
      fill("tb", "b", n), scales("ua", "sa", words), scales("ub", "sb", groups * words),
      "    fence async\n    sync role\n    if warp == 0 {\n      tmem.cp va <- ua\n",
      "      tmem.cp vb <- ub\n      umma acc = ta * tb.T scale va, vb\n",
      "      umma acc += ta * tb.T scale va, vb\n      umma.commit done@0\n    }\n    wait "
      "done@0\n",
      "    var f: tmem.32x32b f32[128, 16]\n    for c in 0..", n / 16, " {\n",
      "      tmem.ld f <- acc[:, c*16:+16]\n      tmem.wait ld\n",
      "      for e in 0..f.cols { st y[f.row(0), c*16 + e] <- f[0, e] }\n    }\n  }\n}\n");
}

// Codes whose products and sums are exact in f32: factors up to 6, scales from 1/2 to 2.
void ExpectScaled(const ir::UmmaShape& shape, int64_t n, int64_t words) {
  const int64_t k = words * 4 * shape.block;
  const auto elements = static_cast<size_t>(k / ir::NumbersOf(shape.a));
  const bool small = shape.a == ir::DType::kE2M1x2;
  const auto factors = [&](ir::DType dtype, size_t rows, unsigned seed) {
    const int one = dtype == ir::DType::kE4M3 ? 0x38 : 0x3c;
    return small ? Codes(rows * elements, 0, 255, seed)
                 : Codes(rows * elements, one - 8, one + 8, seed);
  };
  const auto groups = static_cast<size_t>((n + 127) / 128),
             blocks = static_cast<size_t>(words) * 512;
  const int one = shape.scale == ir::DType::kUE8M0 ? 127 : 0x38;
  const int spread = shape.scale == ir::DType::kUE8M0 ? 1 : 8;
  const std::vector<std::byte> a = factors(shape.a, 128, 1);
  const std::vector<std::byte> b = factors(shape.b, static_cast<size_t>(n), 2);
  const std::vector<std::byte> sa = Codes(blocks, one - spread, one + spread, 3);
  const std::vector<std::byte> sb = Codes(groups * blocks, one - spread, one + spread, 4);
  const std::string source = Source(shape, n, k, words);
  const Ran ran = RunSource(source, {}, {{"a", a}, {"b", b}, {"sa", sa}, {"sb", sb}});
  ASSERT_THAT(ran.Codes(), IsEmpty()) << ran.text << source;
  std::vector<float> expected;
  for (int64_t i = 0; i < 128; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      double sum = 0;
      for (int64_t p = 0; p < k; ++p) {
        sum += Factor(shape.a, a, i * k + p) * ScaleAt(shape, sa, words, i, p) *
               Factor(shape.b, b, j * k + p) * ScaleAt(shape, sb, words, j, p);
      }
      expected.push_back(static_cast<float>(2 * sum));
    }
  }
  EXPECT_EQ(ran.Values<float>("y"), expected) << source;
}

TEST(ScaledProducts, EveryKindIsWhatItsCodesSay) {
  for (const ir::UmmaShape& shape : ir::UmmaShapes()) {
    if (shape.block == 0 || IsPadded(shape)) continue;
    SCOPED_TRACE(
        absl::StrCat(Name(shape.a), "*", Name(shape.b), " ", Name(shape.scale), " ", shape.block));
    ExpectScaled(shape, 32, 1);
    ExpectScaled(shape, 48, 2);
  }
  ExpectScaled(*ir::FindScaledUmma(ir::DType::kE2M1x2, ir::DType::kE2M1x2, ir::DType::kF32,
                                   ir::DType::kUE4M3, 16),
               256, 2);
}

// Factors of 6 and 4 bits, packed in global memory: number n is the bits from n * width on.
struct PackedSide {
  std::string type, packed;
  int width, exponent, mantissa;
  int64_t numbers;
  std::vector<std::byte> bytes;
  double At(int64_t n) const {
    const int64_t bit = n * width;
    int word = static_cast<int>(bytes[static_cast<size_t>(bit / 8)]);
    if (bit % 8 + width > 8) word |= static_cast<int>(bytes[static_cast<size_t>(bit / 8 + 1)]) << 8;
    return Float(word >> bit % 8 & ((1 << width) - 1), exponent, mantissa, true);
  }
};
constexpr int64_t kDepth = 128, kColumns = 32;

PackedSide SideOf(ir::DType dtype, int64_t rows, unsigned seed) {
  const ir::DType packed = ir::PackedTypeOf(dtype);
  PackedSide made{.type = Name(dtype), .packed = Name(packed)};
  made.numbers = ir::NumbersOf(packed);
  if (dtype == ir::DType::kE4M3) made = {"e4m3", "e4m3", 8, 4, 3, 1};
  if (dtype == ir::DType::kE5M2) made = {"e5m2", "e5m2", 8, 5, 2, 1};
  if (dtype == ir::DType::kE2M1) made.width = 4, made.exponent = 2, made.mantissa = 1;
  if (dtype == ir::DType::kE2M3) made.width = 6, made.exponent = 2, made.mantissa = 3;
  if (dtype == ir::DType::kE3M2) made.width = 6, made.exponent = 3, made.mantissa = 2;
  const bool eight = made.width == 8;  // near one, whose products and sums are exact
  made.bytes = Codes(static_cast<size_t>(rows * kDepth * made.width / 8), eight ? 0x38 : 0,
                     eight ? 0x40 : 255, seed);
  return made;
}

// `copied`: the left operand goes on to tensor memory.
std::string PaddedSource(const PackedSide& a, const PackedSide& b, bool scaled, bool copied) {
  return absl::StrCat(
      "program t target sm_100a\nin a: ", a.packed, "[128, ", kDepth / a.numbers,
      "], b: ", b.packed, "[", kColumns, ", ", kDepth / b.numbers,
      "]; in sa: ue8m0[1, 32, 16], sb: ue8m0[1, 32, 16]; out y: f32[128, ", kColumns,
      "]\nkernel k {\n  grid (1)\n  smem ta: ", a.type, "[128, ", kDepth,
      "] swizzle 128\n  smem tb: ", b.type, "[", kColumns, ", ", kDepth,
      "] swizzle 128\n  smem ua: ue8m0[1, 32, 16]\n  smem ub: ue8m0[1, 32, 16]\n"
      "  tmem acc: f32[128, ",
      kColumns, "]\n  tmem left: ", a.type, "[128, ", kDepth,
      "]\n  tmem va: ue8m0[128, 4]\n  tmem vb: ue8m0[128, 4]\n  event full[1] count 1\n"
      "  event done[1] count 1\n  role main: warps 4 {\n    if warp == 0 {\n"
      "      tma.load ta <- a on full@0\n      tma.load tb <- b on full@0\n"
      "      tma.load ua <- sa on full@0\n      tma.load ub <- sb on full@0\n"
      "      expect full@0\n      wait full@0\n      tmem.cp va <- ua\n      tmem.cp vb <- ub\n",
      copied ? "      tmem.cp left <- ta\n" : "", "      umma acc = ", copied ? "left" : "ta",
      " * tb.T", scaled ? " scale va, vb" : "",
      "\n      umma.commit done@0\n    }\n    wait done@0\n    var f: tmem.32x32b f32[128, ",
      kColumns, "]\n    tmem.ld f <- acc\n    tmem.wait ld\n",
      "    for e in 0..f.cols { st y[f.row(0), e] <- f[0, e] }\n  }\n}\n");
}

void ExpectPadded(const ir::UmmaShape& shape) {
  const PackedSide a = SideOf(shape.a, 128, 1), b = SideOf(shape.b, kColumns, 2);
  const bool scaled = shape.block > 0;
  // Scales of 1 and 2, of four blocks of each row; the second operand has 32 rows of its 128.
  const std::vector<std::byte> sa = Codes(512, 127, 128, 3), sb = Codes(512, 127, 128, 4);
  std::vector<float> expected;
  for (int64_t i = 0; i < 128; ++i) {
    for (int64_t j = 0; j < kColumns; ++j) {
      double sum = 0;
      for (int64_t p = 0; p < kDepth; ++p) {
        const double product = a.At(i * kDepth + p) * b.At(j * kDepth + p);
        sum +=
            scaled ? product * ScaleAt(shape, sa, 1, i, p) * ScaleAt(shape, sb, 1, j, p) : product;
      }
      expected.push_back(static_cast<float>(sum));
    }
  }
  for (const bool copied : {false, true}) {
    const std::string source = PaddedSource(a, b, scaled, copied);
    const Ran ran = RunSource(source, {}, {{"a", a.bytes}, {"b", b.bytes}, {"sa", sa}, {"sb", sb}});
    ASSERT_THAT(ran.Codes(), IsEmpty()) << ran.text << source;
    EXPECT_EQ(ran.Values<float>("y"), expected) << source;
  }
}

TEST(PaddedFactors, EveryPairIsWhatItsCodesSay) {
  for (const ir::UmmaShape& shape : ir::UmmaShapes()) {
    if (IsPadded(shape)) ExpectPadded(shape);
  }
}

}  // namespace
}  // namespace compiler::machine
