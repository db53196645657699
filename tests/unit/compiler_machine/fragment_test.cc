// Products and matrix copies on the machine against plain C++.
#include <random>

#include "absl/strings/str_cat.h"
#include "compiler/ir/constant.h"
#include "tests/unit/compiler_machine/source_harness.h"

namespace compiler::machine {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// Small integers, whose products and sums are exact in every type here.
std::vector<int> SmallIntegers(size_t count, int low, int high, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<int> values(count);
  for (int& value : values) {
    value = low + static_cast<int>(random() % static_cast<unsigned>(high - low + 1));
  }
  return values;
}

struct Case {
  std::string a, b, d;  // element types
  int m, n, k;
};

// a[M, K] * b[N, K], element by element into fragments.
std::string ByElements(const Case& c) {
  return absl::StrCat(
      "program t target sm_90a\nin a: ", c.a, "[", c.m, ", ", c.k, "], b: ", c.b, "[", c.n, ", ",
      c.k, "]; out y: ", c.d, "[", c.m, ", ", c.n, "]\nkernel k {\n  grid (1)\n",
      "  role main: warps 1 {\n    var fa: mma.a ", c.a, "[", c.m, ", ", c.k, "]; var fb: mma.b ",
      c.b, "[", c.k, ", ", c.n, "]; var acc: mma ", c.d, "[", c.m, ", ", c.n, "]\n",
      "    for (r, e) in fa { fa[r, e] = ld a[fa.row(r), fa.col(e)] }\n",
      "    for (r, e) in fb { fb[r, e] = ld b[fb.col(e), fb.row(r)] }\n", "    mma acc = fa * fb\n",
      "    for (r, e) in acc { st y[acc.row(r), acc.col(e)] <- acc[r, e] }\n  }\n}\n");
}

std::vector<int> Reference(const Case& c, const std::vector<int>& a, const std::vector<int>& b) {
  std::vector<int> d;
  for (int i = 0; i < c.m; ++i) {
    for (int j = 0; j < c.n; ++j) {
      int sum = 0;
      for (int p = 0; p < c.k; ++p) sum += a[i * c.k + p] * b[j * c.k + p];
      d.push_back(sum);
    }
  }
  return d;
}

std::vector<std::byte> Encoded(const std::string& type, const std::vector<int>& values) {
  const ir::DType dtype = *ir::ParseDType(type);
  const auto size = static_cast<size_t>(ir::Info(dtype).bits / 8);
  std::vector<std::byte> bytes(values.size() * size);
  for (size_t i = 0; i < values.size(); ++i) {
    const uint64_t bits = ir::Info(dtype).is_float ? ir::EncodeFloat(dtype, values[i])
                                                   : static_cast<uint64_t>(values[i]);
    std::memcpy(&bytes[i * size], &bits, size);  // the low bytes: little-endian
  }
  return bytes;
}

std::vector<int> Decoded(const std::string& type, const Ran& ran) {
  std::vector<int> out;
  if (type == "i32") return ran.Values<int>("y");
  if (type == "f32") {
    for (const float value : ran.Values<float>("y")) out.push_back(static_cast<int>(value));
  } else {
    for (const uint16_t bits : ran.Values<uint16_t>("y")) {
      out.push_back(static_cast<int>(ir::DecodeFloat(ir::DType::kF16, bits)));
    }
  }
  return out;
}

// Slices as values: read, written with a fragment and with a scalar, converted, passed on.
TEST(Fragments, SlicesAreFragmentsOfTheirColumns) {
  const std::string source =
      "program p target sm_80\nin x: f32[16, 32]; out y: f32[16, 32], z: bf16[16, 16], s: f32[16]\n"
      "kernel k {\n  grid (1)\n  role main: warps 1 {\n    var acc: mma f32[16, 32]\n"
      "    for (r, e) in acc { acc[r, e] = ld x[acc.row(r), acc.col(e)] }\n"
      "    fn first(f: frag, r: i32) -> (f32) { return f[r, 0] + f[r, 1] }\n"
      "    let p = cvt.bf16(acc[:, 8:+16])\n"
      "    for (r, e) in p { st z[p.row(r), p.col(e)] <- p[r, e] }\n"
      "    for r in 0..2 {\n      let t = lanes.sum(first(acc[:, 24:+8], r), 4)\n"
      "      if lane % 4 == 0 { st s[acc.row(r)] <- t }\n    }\n"
      "    for c in 0..2 { acc[:, c*8:+8] = acc[:, 16 + c*8:+8] }\n"
      "    acc[:, 24:+8] = -1.0\n"
      "    fn twice(f: inout frag) { for (r, e) in f { f[r, e] *= 2.0 } }\n"
      "    twice(acc[:, 8:+8])\n"
      "    for (r, e) in acc { st y[acc.row(r), acc.col(e)] <- acc[r, e] }\n  }\n}\n";
  std::vector<float> x(16 * 32);
  for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i % 251);
  const Ran ran = RunSource(source, {}, {{"x", Bytes(x)}});
  ASSERT_THAT(ran.Codes(), IsEmpty()) << ran.text;
  const auto y = ran.Values<float>("y"), s = ran.Values<float>("s");
  const auto z = ran.Values<uint16_t>("z");
  for (size_t i = 0; i < 16; ++i) {
    float sum = 0;
    for (size_t j = 0; j < 8; ++j) sum += x[i * 32 + 24 + j];
    EXPECT_EQ(s[i], sum) << i;
    for (size_t j = 0; j < 32; ++j) {
      const float factor = j / 8 == 1 ? 2 : 1;
      EXPECT_EQ(y[i * 32 + j], j < 16   ? factor * x[i * 32 + 16 + j]
                               : j < 24 ? x[i * 32 + j]
                                        : -1.0f)
          << i << " " << j;
    }
    for (size_t j = 0; j < 16; ++j) {
      EXPECT_EQ(ir::DecodeFloat(ir::DType::kBF16, z[i * 16 + j]),
                static_cast<double>(x[i * 32 + 8 + j]));
    }
  }
}

TEST(Fragments, ProductsOfEveryTypeAndOfSeveralTiles) {
  const Case cases[] = {{"bf16", "bf16", "f32", 16, 8, 16},  {"bf16", "bf16", "f32", 48, 24, 40},
                        {"f16", "f16", "f32", 16, 8, 8},     {"f16", "f16", "f32", 32, 16, 48},
                        {"f16", "f16", "f16", 16, 16, 24},   {"i8", "i8", "i32", 16, 8, 32},
                        {"i8", "u8", "i32", 32, 8, 48},      {"u8", "i8", "i32", 16, 16, 16},
                        {"u8", "u8", "i32", 16, 8, 64},      {"tf32", "tf32", "f32", 16, 8, 4},
                        {"tf32", "tf32", "f32", 32, 16, 20}, {"e4m3", "e4m3", "f32", 16, 8, 32},
                        {"e4m3", "e5m2", "f32", 16, 16, 48}, {"e5m2", "e4m3", "f16", 16, 8, 16},
                        {"e5m2", "e5m2", "f16", 16, 8, 64}};
  for (const Case& c : cases) {
    const std::vector<int> a =
        SmallIntegers(static_cast<size_t>(c.m * c.k), c.a[0] == 'u' ? 0 : -4, 4, 1);
    const std::vector<int> b =
        SmallIntegers(static_cast<size_t>(c.n * c.k), c.b[0] == 'u' ? 0 : -4, 4, 2);
    const Ran ran = RunSource(ByElements(c), {}, {{"a", Encoded(c.a, a)}, {"b", Encoded(c.b, b)}});
    EXPECT_THAT(ran.Codes(), IsEmpty()) << ran.text;
    EXPECT_EQ(Decoded(c.d, ran), Reference(c, a, b)) << c.a << " " << c.b << " " << c.d;
  }
}

// Of elements that hold several numbers, against plain C++ on the numbers.
TEST(Fragments, ProductsOfFourBitsAndOfBits) {
  struct Packed {
    std::string a, b, product;
    int m, n, k;
  };
  const Packed cases[] = {
      {"i4x2", "i4x2", "mma", 16, 8, 32},     {"i4x2", "u4x2", "mma", 32, 16, 48},
      {"u4x2", "i4x2", "mma", 8, 8, 16},      {"u4x2", "u4x2", "mma.sat", 24, 8, 32},
      {"b1x8", "b1x8", "mma.and", 16, 8, 32}, {"b1x8", "b1x8", "mma.xor", 32, 8, 48},
      {"b1x8", "b1x8", "mma.xor", 8, 16, 16}, {"i8", "u8", "mma", 8, 8, 32}};
  for (const Packed& c : cases) {
    std::string source = ByElements({c.a, c.b, "i32", c.m, c.n, c.k});
    source.replace(source.find("mma acc ="), 9, c.product + " acc =");
    const std::vector<int> a = SmallIntegers(static_cast<size_t>(c.m * c.k), 0, 255, 3);
    const std::vector<int> b = SmallIntegers(static_cast<size_t>(c.n * c.k), 0, 255, 4);
    const auto numbers = [&](const std::string& type, const std::vector<int>& bytes) {
      std::vector<int> out;
      const int bits = type == "b1x8" ? 1 : type.find('4') != std::string::npos ? 4 : 8;
      for (const int byte : bytes) {
        for (int at = 0; at < 8; at += bits) {
          const int number = byte >> at & ((1 << bits) - 1);
          out.push_back(type[0] == 'i' && number >> (bits - 1) != 0 ? number - (1 << bits)
                                                                    : number);
        }
      }
      return out;
    };
    const std::vector<int> left = numbers(c.a, a), right = numbers(c.b, b);
    const auto k = static_cast<int>(left.size()) / c.m;
    std::vector<int> expected;
    for (int i = 0; i < c.m; ++i) {
      for (int j = 0; j < c.n; ++j) {
        int sum = 0;
        for (int p = 0; p < k; ++p) {
          const int x = left[static_cast<size_t>(i * k + p)],
                    y = right[static_cast<size_t>(j * k + p)];
          sum += c.product == "mma.xor" ? x ^ y : x * y;
        }
        expected.push_back(sum);
      }
    }
    const Ran ran = RunSource(source, {}, {{"a", Encoded(c.a, a)}, {"b", Encoded(c.b, b)}});
    EXPECT_THAT(ran.Codes(), IsEmpty()) << ran.text;
    EXPECT_EQ(ran.Values<int>("y"), expected) << c.a << " " << c.b << " " << c.product;
  }
}

// K = 64 is two instructions: the first one's sum ends at the end of i32, the second goes on from
// there.
TEST(Fragments, SaturatingProductsAreClampedByEachInstruction) {
  for (const bool saturate : {false, true}) {
    std::string source = ByElements({"i8", "i8", "i32", 16, 8, 64});
    const std::string product = "    mma acc = fa * fb\n";
    source.replace(
        source.find(product), product.size(),
        absl::StrCat("    acc = 2147483640\n    mma", saturate ? ".sat" : "", " acc += fa * fb\n"));
    std::vector<int> a(16 * 64), b(8 * 64, 1);
    for (size_t i = 0; i < a.size(); ++i) a[i] = i % 64 < 32 ? 1 : -1;
    const Ran ran = RunSource(source, {}, {{"a", Encoded("i8", a)}, {"b", Encoded("i8", b)}});
    EXPECT_THAT(ran.Codes(), IsEmpty()) << ran.text;
    EXPECT_THAT(ran.Values<int>("y"), testing::Each(saturate ? 2147483647 - 32 : 2147483640));
  }
}

// Both operands through shared memory in every form it can have, and both ways round: the fragments
// must be what element loads make of the same buffer.
TEST(Fragments, LdmatrixIsWhatElementLoadsAre) {
  struct Way {
    std::string form, fragment, view, element;
  };
  const Way ways[] = {
      {"bf16[32, 16] padded 8", "mma.a bf16[32, 16]", "s", "s[f.row(r), f.col(e)]"},
      {"bf16[16, 32] padded 8", "mma.a bf16[32, 16]", "s.T", "s[f.col(e), f.row(r)]"},
      {"bf16[24, 16]", "mma.b bf16[16, 24]", "s.T", "s[f.col(e), f.row(r)]"},
      {"bf16[16, 24]", "mma.b bf16[16, 24]", "s", "s[f.row(r), f.col(e)]"},
      {"bf16[16, 64]", "mma.a bf16[16, 32]", "s[:, 32:+32]", "s[f.row(r), 32 + f.col(e)]"},
      {"i8[16, 64]", "mma.a i8[16, 64]", "s", "s[f.row(r), f.col(e)]"},
      {"i8[8, 32]", "mma.b i8[32, 8]", "s.T", "s[f.col(e), f.row(r)]"},
      {"f16[16, 16]", "mma f16[16, 16]", "s", "s[f.row(r), f.col(e)]"},
  };
  for (const Way& way : ways) {
    const std::string type = way.form.substr(0, way.form.find('['));
    const std::string shape = way.form.substr(type.size(), way.form.find(']') + 1 - type.size());
    const int rows = std::stoi(shape.substr(1));
    const int columns = std::stoi(shape.substr(shape.find(',') + 2));
    const std::string source = absl::StrCat(
        "program t target sm_90a\nin x: ", type, shape, "; out y: i32[1]\nkernel k {\n  grid (1)\n",
        "  smem s: ", way.form, "\n  role main: warps 1 {\n    for r in 0..", rows,
        " { for c in lane..", columns, " step 32 { st s[r, c] <- ld x[r, c] } }\n    sync warp\n",
        "    var f: ", way.fragment, "\n    ldmatrix f <- ", way.view, "\n    var wrong = 0\n",
        "    for (r, e) in f {\n      let v = ld ", way.element, "\n      if cvt.i32(",
        type == "i8" ? "f[r, e]" : "cvt.f32(f[r, e])", ") != cvt.i32(",
        type == "i8" ? "v" : "cvt.f32(v)", ") { wrong += 1 }\n    }\n",
        "    let all = lanes.sum(wrong, 32)\n    elect { st y[0] <- all }\n  }\n}\n");
    std::vector<int> values(static_cast<size_t>(rows * columns));
    for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<int>(i * 7 % 127);
    const Ran ran = RunSource(source, {}, {{"x", Encoded(type, values)}});
    EXPECT_THAT(ran.Codes(), IsEmpty()) << ran.text << source;
    EXPECT_THAT(ran.Values<int>("y"), ElementsAre(0)) << source;
  }
}

TEST(Fragments, StmatrixIsTheReverseOfLdmatrix) {
  for (const char* view : {"s", "s.T"}) {
    const bool transposed = std::string(view) == "s.T";
    const std::string source = absl::StrCat(
        "program t target sm_90a\nin x: f32[16, 24]; out y: f16[", transposed ? "24, 16" : "16, 24",
        "]\nkernel k {\n  grid (1)\n  smem s: f16[", transposed ? "24, 16" : "16, 24",
        "]\n  role main: warps 1 {\n    var f: mma f32[16, 24]\n",
        "    for (r, e) in f { f[r, e] = ld x[f.row(r), f.col(e)] }\n    stmatrix ", view,
        " <- cvt.f16(f)\n    sync warp\n    for r in 0..", transposed ? 24 : 16, " { if lane < ",
        transposed ? 16 : 24, " { st y[r, lane] <- ld s[r, lane] } }\n  }\n}\n");
    std::vector<float> x;
    std::vector<uint16_t> expected(16 * 24);
    for (int i = 0; i < 16 * 24; ++i) {
      x.push_back(static_cast<float>(i));
      const int at = transposed ? i % 24 * 16 + i / 24 : i;
      expected[static_cast<size_t>(at)] =
          static_cast<uint16_t>(ir::EncodeFloat(ir::DType::kF16, i));
    }
    const Ran ran = RunSource(source, {}, {{"x", Bytes(x)}});
    EXPECT_THAT(ran.Codes(), IsEmpty()) << ran.text;
    EXPECT_EQ(ran.Values<uint16_t>("y"), expected) << view;
  }
}

// Garbage rows of A reach only their rows of the product, garbage columns of B only their columns.
TEST(Fragments, UndefinedRowsAndColumnsStayRowsAndColumns) {
  const auto stored = [](const std::string& fill, const std::string& condition) {
    return OneCta(
        "out y: f32[16, 8]",
        "  role main: warps 1 {\n    var fa: mma.a f16[16, 16]; var fb: mma.b f16[16, 8]; "
        "var acc: mma f32[16, 8]\n" +
            fill + "\n    mma acc = fa * fb\n    for (r, e) in acc { if " + condition +
            " { st y[acc.row(r), acc.col(e)] <- acc[r, e] } }\n  }");
  };
  const std::string rows = "    fb = 1.0; for e in 0..fa.cols { fa[0, e] = 1.0 }";
  EXPECT_THAT(RunSource(stored(rows, "acc.row(r) < 8")).Codes(), IsEmpty());
  EXPECT_THAT(RunSource(stored(rows, "acc.row(r) < 9")).Codes(), ElementsAre("CK2011"));
  const std::string columns = "    fa = 1.0; if lane < 28 { for (r, e) in fb { fb[r, e] = 1.0 } }";
  EXPECT_THAT(RunSource(stored(columns, "acc.col(e) < 7")).Codes(), IsEmpty());
  EXPECT_THAT(RunSource(stored(columns, "acc.col(e) < 8")).Codes(), ElementsAre("CK2011"));
}

TEST(Fragments, SlicesAreColumnsOfTheWhole) {
  const std::string source = OneCta(
      "out y: f32[16, 16]",
      "  role main: warps 1 {\n    var fa: mma.a f16[16, 32]; var fb: mma.b f16[16, 16]; var acc: "
      "mma f32[16, 16]\n    for (r, e) in fa { fa[r, e] = cvt.f16(cvt.f32(fa.col(e) / 16 + 1)) }\n"
      "    for (r, e) in fb { fb[r, e] = cvt.f16(cvt.f32(fb.col(e) / 8 + 1)) }\n    acc = 0.0\n"
      "    for n in 0..2 { mma acc[:, n*8:+8] += fa[:, 16:+16] * fb[:, n*8:+8] }\n"
      "    mma acc[:, 8:+8] += fa[:, 0:+16] * fb[:, 0:+8] zero true\n"
      "    for (r, e) in acc { st y[acc.row(r), acc.col(e)] <- acc[r, e] }\n  }");
  const Ran ran = RunSource(source);
  EXPECT_THAT(ran.Codes(), IsEmpty()) << ran.text;
  const std::vector<float> y = ran.Values<float>("y");
  for (size_t i = 0; i < y.size(); ++i) EXPECT_EQ(y[i], i % 16 < 8 ? 32.0f : 16.0f) << i;
}

// A product is one native loop, not a walk over its elements.
TEST(Fragments, AProductIsOneStatementOfTheWarp) {
  const std::string source = OneCta(
      "out y: f32[1]",
      "  role main: warps 1 {\n    var fa: mma.a f16[64, 64]; var fb: mma.b f16[64, 64]; var acc: "
      "mma f32[64, 64]\n    fa = 1.0; fb = 1.0\n    mma acc = fa * fb\n"
      "    elect { st y[0] <- acc[0, 0] }\n  }");
  const Ran ran = RunSource(source);
  EXPECT_THAT(ran.Codes(), IsEmpty()) << ran.text;
  EXPECT_THAT(ran.Values<float>("y"), ElementsAre(64.0f));
  EXPECT_LT(ran.result.lane_statements, 1000);
}

}  // namespace
}  // namespace compiler::machine
