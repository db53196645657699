// Products of warpgroups on the machine against plain C++, and what is found where they go wrong.
#include <random>

#include "absl/strings/str_cat.h"
#include "compiler/ir/constant.h"
#include "tests/unit/compiler_machine/source_harness.h"

namespace compiler::machine {
namespace {

using testing::IsEmpty;

struct Case {
  std::string a, b, d;  // element types
  int m, n, k;
  int swizzle = 128;
  bool registers = false;                 // the left operand
  bool along_m = false, along_n = false;  // the contiguous dimension of the buffers
};

std::vector<int> SmallIntegers(size_t count, int low, int high, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<int> values(count);
  for (int& value : values) {
    value = low + static_cast<int>(random() % static_cast<unsigned>(high - low + 1));
  }
  return values;
}

std::string Shape(int rows, int columns) { return absl::StrCat("[", rows, ", ", columns, "]"); }

// Panels are no wider than the rows are.
std::string Swizzle(const Case& c, const std::string& type, int columns) {
  const int bytes = columns * ir::Info(*ir::ParseDType(type)).bits / 8;
  return absl::StrCat(" swizzle ", std::min(c.swizzle, bytes));
}

std::string Source(const Case& c) {
  const std::string a = c.along_m ? Shape(c.k, c.m) : Shape(c.m, c.k);
  const std::string b = c.along_n ? Shape(c.k, c.n) : Shape(c.n, c.k);
  std::string left = c.along_m ? "sa.T" : "sa";
  std::string fill;
  if (c.registers) {
    left = "fa";
    fill = absl::StrCat("    var fa: wgmma.a ", c.a, Shape(c.m, c.k),
                        "\n    for (r, e) in fa { fa[r, e] = ld a[fa.row(r), fa.col(e)] }\n");
  }
  return absl::StrCat(
      "program t target sm_90a\nin a: ", c.a, a, ", b: ", c.b, b, "; out y: ", c.d, Shape(c.m, c.n),
      "\nkernel k {\n  grid (1)\n  smem sa: ", c.a, a, Swizzle(c, c.a, c.along_m ? c.m : c.k),
      "\n  smem sb: ", c.b, b, Swizzle(c, c.b, c.along_n ? c.n : c.k),
      "\n  event full[1] count 1\n  role main: warps 4 {\n    if warp == 0 {\n"
      "      tma.load sa <- a on full@0\n      tma.load sb <- b on full@0\n      expect full@0\n"
      "    }\n    wait full@0\n",
      fill, "    var acc: wgmma ", c.d, Shape(c.m, c.n), "\n    wgmma acc = ", left, " * ",
      c.along_n ? "sb" : "sb.T",
      "\n    wgmma.commit\n    wgmma.wait 0\n"
      "    for (r, e) in acc { st y[acc.row(r), acc.col(e)] <- acc[r, e] }\n  }\n}\n");
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

// The element [i, k] of a matrix that is stored as [rows, k], or the other way round.
int At(const std::vector<int>& values, bool transposed, int rows, int depth, int i, int k) {
  return values[static_cast<size_t>(transposed ? k * rows + i : i * depth + k)];
}

TEST(Wgmma, ProductsOfEveryTypePlaceAndSwizzle) {
  const Case cases[] = {
      {"bf16", "bf16", "f32", 64, 8, 16, 32},
      {"bf16", "bf16", "f32", 128, 24, 128, 128},
      {"f16", "f16", "f32", 64, 16, 64, 64},
      {"f16", "f16", "f16", 64, 32, 48, 32},
      {"tf32", "tf32", "f32", 64, 8, 32, 128},
      {"tf32", "tf32", "f32", 64, 16, 24, 32},
      {"e4m3", "e4m3", "f32", 64, 8, 128, 128},
      {"e4m3", "e5m2", "f32", 64, 16, 96, 32},
      {"e5m2", "e4m3", "f16", 64, 8, 64, 64},
      {"e5m2", "e5m2", "f32", 64, 40, 32, 32},
      {"i8", "i8", "i32", 64, 48, 64, 64},
      {"i8", "u8", "i32", 64, 24, 128, 128},
      {"u8", "i8", "i32", 64, 16, 32, 32},
      {"u8", "u8", "i32", 128, 8, 64, 64},
      {"bf16", "bf16", "f32", 64, 16, 64, 128, true},
      {"e4m3", "e4m3", "f32", 64, 8, 64, 64, true},
      {"tf32", "tf32", "f32", 128, 8, 16, 64, true},
      {"bf16", "bf16", "f32", 64, 64, 32, 128, false, false, true},
      {"bf16", "bf16", "f32", 64, 96, 32, 64, false, false, true},
      {"f16", "f16", "f32", 64, 128, 16, 128, true, false, true},
      {"f16", "f16", "f16", 64, 16, 32, 32, false, true, true},
      {"bf16", "bf16", "f32", 128, 64, 48, 128, false, true, true},
  };
  for (const Case& c : cases) {
    const auto a = SmallIntegers(static_cast<size_t>(c.m * c.k), c.a[0] == 'u' ? 0 : -3, 3, 1);
    const auto b = SmallIntegers(static_cast<size_t>(c.n * c.k), c.b[0] == 'u' ? 0 : -3, 3, 2);
    std::vector<int> expected;
    for (int i = 0; i < c.m; ++i) {
      for (int j = 0; j < c.n; ++j) {
        int sum = 0;
        for (int p = 0; p < c.k; ++p) {
          sum += At(a, c.along_m, c.m, c.k, i, p) * At(b, c.along_n, c.n, c.k, j, p);
        }
        expected.push_back(sum);
      }
    }
    const std::string source = Source(c);
    const Ran ran = RunSource(source, {}, {{"a", Encoded(c.a, a)}, {"b", Encoded(c.b, b)}});
    EXPECT_THAT(ran.Codes(), IsEmpty()) << ran.text << source;
    EXPECT_EQ(Decoded(c.d, ran), expected) << source;
  }
}

// `+=` adds, `zero` starts again, and a slice of the accumulator's columns leaves the others alone.
TEST(Wgmma, AccumulatesAndStartsAgain) {
  const std::string source = R"(program t target sm_90a
in a: bf16[64, 64], b: bf16[32, 64]; out y: f32[64, 32]
kernel k {
  grid (1)
  smem sa: bf16[64, 64] swizzle 128
  smem sb: bf16[32, 64] swizzle 128
  event full[1] count 1
  role main: warps 4 {
    if warp == 0 {
      tma.load sa <- a on full@0
      tma.load sb <- b on full@0
      expect full@0
    }
    wait full@0
    var acc: wgmma f32[64, 32]
    acc = 100.0
    for i in 0..3 {
      wgmma acc[:, 8:+16] += sa * sb[8:+16, :].T zero i == 1
      wgmma.commit
    }
    wgmma.wait 0
    for (r, e) in acc { st y[acc.row(r), acc.col(e)] <- acc[r, e] }
  }
}
)";
  const auto a = SmallIntegers(64 * 64, -3, 3, 5);
  const auto b = SmallIntegers(32 * 64, -3, 3, 6);
  std::vector<int> expected;
  for (int i = 0; i < 64; ++i) {
    for (int j = 0; j < 32; ++j) {
      int sum = 0;
      for (int p = 0; p < 64; ++p)
        sum += a[static_cast<size_t>(i * 64 + p)] * b[static_cast<size_t>(j * 64 + p)];
      expected.push_back(j >= 8 && j < 24 ? 2 * sum : 100);
    }
  }
  const Ran ran = RunSource(source, {}, {{"a", Encoded("bf16", a)}, {"b", Encoded("bf16", b)}});
  EXPECT_THAT(ran.Codes(), IsEmpty()) << ran.text;
  EXPECT_EQ(Decoded("f32", ran), expected);
}

// Each warp stores its band, whichever way round, and reads it back.
TEST(Wgmma, StmatrixStoresEachWarpsBand) {
  for (const char* view : {"s", "s.T"}) {
    const bool transposed = std::string(view) == "s.T";
    const std::string shape = transposed ? "[32, 128]" : "[128, 32]";
    const std::string source = absl::StrCat(
        "program t target sm_90a\nin x: f32[128, 32]; out y: bf16", shape,
        "\nkernel k {\n  grid (1)\n  smem s: bf16", shape,
        " swizzle 64\n  role main: warps 4 {\n    var f: wgmma f32[128, 32]\n",
        "    for (r, e) in f { f[r, e] = ld x[f.row(r), f.col(e)] }\n    stmatrix ", view,
        " <- cvt.bf16(f)\n    sync role\n    for i in thread..128*32 step 128 { st y[i / ",
        transposed ? 128 : 32, ", i % ", transposed ? 128 : 32, "] <- ld s[i / ",
        transposed ? 128 : 32, ", i % ", transposed ? 128 : 32, "] }\n  }\n}\n");
    std::vector<float> x;
    for (int i = 0; i < 128 * 32; ++i) x.push_back(static_cast<float>(i % 255));
    const Ran ran = RunSource(source, {}, {{"x", Bytes(x)}});
    EXPECT_THAT(ran.Codes(), IsEmpty()) << ran.text << source;
    const auto y = ran.Values<uint16_t>("y");
    for (int i = 0; i < 128 * 32; ++i) {
      const int at = transposed ? i % 32 * 128 + i / 32 : i;
      EXPECT_EQ(ir::DecodeFloat(ir::DType::kBF16, y[static_cast<size_t>(at)]), i % 255)
          << view << " " << i;
    }
  }
}

std::string WaitedFor() {
  return R"(program t target sm_90a
in a: bf16[64, 64]; out y: f32[64, 64]
kernel k {
  grid (1)
  smem sa: bf16[64, 64] swizzle 128
  event full[1] count 1
  role main: warps 4 {
    if warp == 0 {
      tma.load sa <- a on full@0
      expect full@0
    }
    wait full@0
    var acc: wgmma f32[64, 64]
    if wg == 0 { wgmma acc = sa * sa.T }
    wgmma.commit
    wgmma.wait 0
    for (r, e) in acc { st y[acc.row(r), acc.col(e)] <- acc[r, e] }
  }
}
)";
}

// What the elaboration refuses the machine finds by itself: the trees of these two are changed
// behind its back.
TEST(Wgmma, ProductsThatAreLeftRunningAreFound) {
  const Inputs inputs = {{"a", Encoded("bf16", std::vector<int>(64 * 64, 1))}};
  const std::unique_ptr<ir::Program> program = Elaborated(WaitedFor());
  ASSERT_NE(program, nullptr);
  EXPECT_THAT(RunProgram(*program, {}, inputs).Codes(), IsEmpty());
  for (ir::Stmt& stmt : program->stmts) {
    if (stmt.op != nullptr && stmt.op->effects.sync == ir::SyncEffect::kProductWait) {
      stmt.dead = true;
    }
  }
  EXPECT_EQ(RunProgram(*program, {}, inputs).Codes(), std::vector<std::string>{"CK2402"});
}

TEST(Wgmma, AllFourWarpsMultiplyOrNone) {
  const Inputs inputs = {{"a", Encoded("bf16", std::vector<int>(64 * 64, 1))}};
  const std::unique_ptr<ir::Program> program = Elaborated(WaitedFor());
  ASSERT_NE(program, nullptr);
  for (ir::Expr& expr : program->exprs) {
    if (expr.kind == ir::ExprKind::kBuiltin && expr.builtin == ir::BuiltinValue::kWg) {
      expr.builtin = ir::BuiltinValue::kWarp;
    }
  }
  EXPECT_EQ(RunProgram(*program, {}, inputs).Codes(), std::vector<std::string>{"CK2401"});
}

// What is undefined in a row of the left operand makes a row of the product undefined.
TEST(Wgmma, UndefinedRowsOfAnOperandTaintTheirRows) {
  const std::string source = R"(program t target sm_90a
in a: bf16[64, 64], b: bf16[8, 64]; out y: f32[64, 8]
kernel k {
  grid (1)
  smem sa: bf16[64, 64] swizzle 128
  smem sb: bf16[8, 64] swizzle 128
  role main: warps 4 {
    for i in thread..63*64 step 128 { st sa[i / 64, i % 64] <- ld a[i / 64, i % 64] }
    for i in thread..8*64 step 128 { st sb[i / 64, i % 64] <- ld b[i / 64, i % 64] }
    fence async; sync role
    var acc: wgmma f32[64, 8]
    wgmma acc = sa * sb.T
    wgmma.commit
    wgmma.wait 0
    for (r, e) in acc { if acc.row(r) < LIMIT { st y[acc.row(r), acc.col(e)] <- acc[r, e] } }
  }
}
)";
  const auto run = [&](const std::string& limit) {
    std::string text = source;
    text.replace(text.find("LIMIT"), 5, limit);
    return RunSource(text, {},
                     {{"a", Encoded("bf16", std::vector<int>(64 * 64, 1))},
                      {"b", Encoded("bf16", std::vector<int>(8 * 64, 1))}})
        .Codes();
  };
  EXPECT_THAT(run("63"), IsEmpty());
  EXPECT_EQ(run("64"), std::vector<std::string>{"CK2010"});
}

}  // namespace
}  // namespace compiler::machine
