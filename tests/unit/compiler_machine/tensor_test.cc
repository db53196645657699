// Tensor memory on the machine against plain C++: products of every kind and layout, copies of
// every form, and what orders them.
#include "absl/strings/str_cat.h"
#include "compiler/ir/tensor_memory.h"
#include "tests/unit/compiler_machine/source_harness.h"
#include "tests/unit/compiler_machine/tensor_values.h"

namespace compiler::machine {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<int> Decoded(ir::DType dtype, const Ran& ran) {
  if (dtype == ir::DType::kI32) return ran.Values<int>("y");
  std::vector<int> out;
  for (const float value : ran.Values<float>("y")) out.push_back(static_cast<int>(value));
  return out;
}

enum class Left { kAlongK, kTransposed, kTensorMemory };

struct Case {
  ir::UmmaShape shape;
  int64_t m, n;
  Left left;
  bool right_transposed;  // rows of memory do not run along K
  std::string form;       // that the result is read in
};

// y[M, N] = a[M, K] * b[N, K]^T twice: once from zero, once added.
std::string Source(const Case& c, int64_t k) {
  const std::string a = Name(c.shape.a), b = Name(c.shape.b), d = Name(c.shape.d);
  std::string items, fill;
  const auto shared = [&](const std::string& name, const std::string& from, const std::string& type,
                          int64_t side, bool transposed) {
    const int64_t bytes = (transposed ? side : k) * ir::Info(*ir::ParseDType(type)).bits / 8;
    const int64_t swizzle = bytes % 128 == 0 ? 128 : bytes % 64 == 0 ? 64 : 32;
    absl::StrAppend(&items, "  smem ", name, ": ", type, "[", transposed ? k : side, ", ",
                    transposed ? side : k, "] swizzle ", swizzle, "\n");
    const std::string at = absl::StrCat("i / ", k, ", i % ", k);
    const std::string turned = absl::StrCat("i % ", k, ", i / ", k);
    absl::StrAppend(&fill, "    for i in thread..", side * k, " step 128 { st ", name, "[",
                    transposed ? turned : at, "] <- ld ", from, "[", at, "] }\n");
  };
  if (c.left == Left::kTensorMemory) {
    absl::StrAppend(&items, "  tmem sa: ", a, "[128, ", k, "]\n");
    absl::StrAppend(&fill, "    var fa: tmem.32x32b ", a, "[128, ", k, "]\n    for e in 0..", k,
                    " { fa[0, e] = ld a[fa.row(0), e] }\n    tmem.st sa <- fa\n    tmem.wait st\n");
  } else {
    shared("sa", "a", a, c.m, c.left == Left::kTransposed);
  }
  shared("sb", "b", b, c.n, c.right_transposed);
  const std::string left = c.left == Left::kTransposed ? "sa.T" : "sa";
  const std::string right = c.right_transposed ? "sb" : "sb.T";
  return absl::StrCat(
      "program t target sm_100a\nin a: ", a, "[", c.m, ", ", k, "], b: ", b, "[", c.n, ", ", k,
      "]; out y: ", d, "[", c.m, ", ", c.n, "]\nkernel k {\n  grid (1)\n", items, "  tmem acc: ", d,
      "[", c.m, ", ", c.n, "]\n  event done[1] count 1\n  role main: warps 4 {\n", fill,
      "    fence async\n    sync role\n    if warp == 0 {\n      umma acc = ", left, " * ", right,
      "\n      umma acc += ", left, " * ", right, "\n      umma.commit done@0\n    }\n",
      "    wait done@0\n    var f: tmem.", c.form, " ", d, "[", c.m, ", ", c.n,
      "]\n    tmem.ld f <- acc\n    tmem.wait ld\n",
      "    for (r, e) in f { st y[f.row(r), f.col(e)] <- f[r, e] }\n  }\n}\n");
}

void ExpectProduct(const Case& c) {
  const int64_t k = 2 * c.shape.k;
  const auto with_sign = [](ir::DType dtype) { return ir::Info(dtype).is_signed; };
  const std::vector<int> a = SmallIntegers(c.m * k, with_sign(c.shape.a), 1);
  const std::vector<int> b = SmallIntegers(c.n * k, with_sign(c.shape.b), 2);
  const std::string source = Source(c, k);
  const Ran ran =
      RunSource(source, {}, {{"a", Encoded(c.shape.a, a)}, {"b", Encoded(c.shape.b, b)}});
  ASSERT_THAT(ran.Codes(), IsEmpty()) << ran.text << source;
  std::vector<int> expected;
  for (int64_t i = 0; i < c.m; ++i) {
    for (int64_t j = 0; j < c.n; ++j) {
      int sum = 0;
      for (int64_t p = 0; p < k; ++p) {
        sum += a[static_cast<size_t>(i * k + p)] * b[static_cast<size_t>(j * k + p)];
      }
      expected.push_back(2 * sum);
    }
  }
  EXPECT_EQ(Decoded(c.shape.d, ran), expected) << source;
}

// Factors of 6 or 4 bits a number, padded by their copies: tensor_scale_test.cc.
bool Padded(const ir::UmmaShape& shape) {
  return ir::PackedTypeOf(shape.a) != ir::DType::kUnknown ||
         ir::PackedTypeOf(shape.b) != ir::DType::kUnknown;
}

TEST(TensorProducts, EveryKindFromEveryLayoutIntoEveryForm) {
  const std::string forms[] = {"32x32b", "16x64b", "16x128b", "16x256b"};
  size_t form = 0;
  for (const ir::UmmaShape& shape : ir::UmmaShapes()) {
    if (shape.block > 0 || Padded(shape)) continue;
    const bool transposable = ir::Info(shape.a).bits < 32;
    for (const Left left : {Left::kAlongK, Left::kTransposed, Left::kTensorMemory}) {
      if (left == Left::kTransposed && !transposable) continue;
      for (const bool right_transposed : {false, true}) {
        if (right_transposed && !transposable) continue;
        ExpectProduct({shape, 128, 32, left, right_transposed, forms[form++ % 4]});
        if (left == Left::kTensorMemory) continue;
        ExpectProduct({shape, 64, 32, left, right_transposed, forms[form % 3 + 1]});
      }
    }
  }
}

// What goes into tensor memory in one form is there in any other.
TEST(TensorCopies, AllFormsSeeOneMemory) {
  const std::string forms[] = {"32x32b", "16x64b", "16x128b", "16x256b"};
  for (const ir::DType type : {ir::DType::kF32, ir::DType::kBF16, ir::DType::kE4M3}) {
    for (const int rows : {128, 64}) {
      for (const std::string& to : forms) {
        for (const std::string& from : forms) {
          if (rows == 64 && (to == forms[0] || from == forms[0])) continue;
          const std::string fragment = absl::StrCat(" ", Name(type), "[", rows, ", 32]");
          const std::string source = absl::StrCat(
              "program t target sm_100a\nin x: ", Name(type), "[", rows,
              ", 32]; out y: ", Name(type), "[", rows,
              ", 32]\nkernel k {\n  grid (1)\n  tmem t:", fragment,
              "\n  role main: warps 4 {\n    var f: tmem.", to, fragment, "; var g: tmem.", from,
              fragment, "\n    for (r, e) in f { f[r, e] = ld x[f.row(r), f.col(e)] }\n",
              "    tmem.st t <- f\n    tmem.wait st\n    tmem.ld g <- t\n    tmem.wait ld\n",
              "    for (r, e) in g { st y[g.row(r), g.col(e)] <- g[r, e] }\n  }\n}\n");
          const std::vector<std::byte> x = Encoded(type, SmallIntegers(rows * 32, true, 3));
          const Ran ran = RunSource(source, {}, {{"x", x}});
          // A row moves between warps of the same lanes only: nobody has to wait for another warp.
          EXPECT_THAT(ran.Codes(), IsEmpty()) << ran.text << source;
          EXPECT_EQ(ran.memory.at("y"), x) << source;
        }
      }
    }
  }
}

// Undefined rows of the left operand stay rows, undefined columns of the right one columns.
TEST(TensorProducts, UndefinedRowsAndColumnsStayRowsAndColumns) {
  const auto stored = [](int rows, int columns, const std::string& condition) {
    return absl::StrCat(
        "program t target sm_100a\nout y: f32[128, 16]\nkernel k {\n  grid (1)\n",
        "  smem sa: bf16[128, 16] swizzle 32\n  smem sb: bf16[16, 16] swizzle 32\n",
        "  tmem acc: f32[128, 16]\n  event done[1] count 1\n  role main: warps 4 {\n",
        "    if thread < ", rows, " { for i in 0..16 { st sa[thread, i] <- 1.0 } }\n",
        "    if thread < ", columns, " { for i in 0..16 { st sb[thread, i] <- 2.0 } }\n",
        "    fence async\n    sync role\n    if warp == 0 { umma acc = sa * sb.T; umma.commit "
        "done@0 "
        "}\n    wait done@0\n    var f: tmem.32x32b f32[128, 16]\n    tmem.ld f <- acc\n",
        "    tmem.wait ld\n    for e in 0..f.cols { if ", condition,
        " { st y[f.row(0), e] <- f[0, e] } }\n  }\n}\n");
  };
  EXPECT_THAT(RunSource(stored(100, 16, "f.row(0) < 100")).Codes(), IsEmpty());
  EXPECT_THAT(RunSource(stored(100, 16, "f.row(0) < 101")).Codes(), ElementsAre("CK2010"));
  EXPECT_THAT(RunSource(stored(128, 9, "e < 9")).Codes(), IsEmpty());
  EXPECT_THAT(RunSource(stored(128, 9, "e < 10")).Codes(), ElementsAre("CK2010"));
}

// An arrival of the tensor cores tells of products, and not of what the warp has stored before.
TEST(TensorProducts, ACommitDoesNotPublishStores) {
  const auto source = [](const std::string& arrival, int count) {
    return absl::StrCat(
        "program t target sm_100a\nout y: f32[32]\nkernel k {\n  grid (1)\n",
        "  smem s: f32[32]\n  smem sa: bf16[128, 16] swizzle 32\n",
        "  smem sb: bf16[16, 16] swizzle 32\n  tmem acc: f32[128, 16]\n", "  event done[1] count ",
        count, "\n  role a: warps 1 {\n",
        "    for r in 0..4 { for i in 0..16 { st sa[r*32 + lane, i] <- 1.0 } }\n",
        "    if lane < 16 { for i in 0..16 { st sb[lane, i] <- 2.0 } }\n",
        "    fence async\n    sync warp\n    st s[lane] <- 1.0\n    umma acc = sa * sb.T\n",
        "    umma.commit done@0\n", arrival,
        "  }\n  role b: warps 1 { wait done@0; st y[lane] <- ld s[lane] }\n}\n");
  };
  EXPECT_THAT(RunSource(source("    arrive done@0\n", 2)).Codes(), IsEmpty());
  EXPECT_THAT(RunSource(source("", 1)).Codes(), ElementsAre("CK2020"));
}

}  // namespace
}  // namespace compiler::machine
