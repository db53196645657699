// Products of pairs of CTAs on the machine against plain C++: whose rows and columns come from
// where, who issues, whom a commit tells.
#include "absl/strings/str_cat.h"
#include "compiler/ir/tensor_memory.h"
#include "tests/unit/compiler_machine/source_harness.h"
#include "tests/unit/compiler_machine/tensor_values.h"

namespace compiler::machine {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// Operands come by TMA; `multiply` is what the even CTA does when both CTAs have theirs. With
// `rows` of 64 a CTA the accumulator folds its columns.
std::string Pair(const ir::UmmaShape& shape, int64_t n, const std::string& multiply,
                 const std::string& wait = "    wait done@0\n", int64_t rows = 128) {
  const int64_t k = 2 * shape.k;
  const int64_t bytes = k * ir::Info(shape.a).bits / 8;
  const int64_t swizzle = bytes % 128 == 0 ? 128 : bytes % 64 == 0 ? 64 : 32;
  const std::string a = Name(shape.a), b = Name(shape.b), d = Name(shape.d);
  const int64_t columns = rows == 128 ? n : n / 2;
  return absl::StrCat(
      "program t target sm_100a\nin a: ", a, "[", 2 * rows, ", ", k, "], b: ", b, "[", n, ", ", k,
      "]; out y: ", d, "[", 2 * rows, ", ", n,
      "]\nkernel k {\n  cluster 2\n  grid (2)\n  smem sa: ", a, "[", rows, ", ", k, "] swizzle ",
      swizzle, "\n  smem sb: ", b, "[", n / 2, ", ", k, "] swizzle ", swizzle, "\n  tmem acc: ", d,
      "[128, ", columns,
      "]\n  event full[1] count 1\n  event both[1] count 2\n  event done[1] count 1\n",
      "  role main: warps 4 {\n    let m = cluster.rank*", rows, "\n    if warp == 0 {\n",
      "      tma.load sa <- a[m:+", rows, ", :] on full@0\n      tma.load sb <- b[cluster.rank*",
      n / 2, ":+", n / 2, ", :] on full@0\n      expect full@0\n      wait full@0\n",
      "      arrive both@0 at 0\n      if cluster.rank == 0 {\n        wait.cluster both@0\n",
      multiply, "      }\n    }\n", wait, "    var f: tmem.32x32b ", d, "[128, ", columns,
      "]\n    tmem.ld f <- acc\n    tmem.wait ld\n",
      "    for e in 0..f.cols { st y[m + f.row(0) % ", rows, ", f.row(0) / ", rows, "*", columns,
      " + e] <- f[0, e] }\n  }\n}\n");
}

constexpr const char* kTwice =
    "        umma.2cta acc = sa * sb.T\n        umma.2cta acc += sa * sb.T\n"
    "        umma.commit.2cta done@0\n";

void ExpectProduct(const ir::UmmaShape& shape, int64_t n, uint64_t seed, int64_t rows = 128) {
  const int64_t k = 2 * shape.k;
  const bool a_signed = ir::Info(shape.a).is_signed, b_signed = ir::Info(shape.b).is_signed;
  const std::vector<int> a = SmallIntegers(2 * rows * k, a_signed, 1);
  const std::vector<int> b = SmallIntegers(n * k, b_signed, 2);
  const std::string source = Pair(shape, n, kTwice, "    wait done@0\n", rows);
  const Ran ran = RunSource(source, {}, {{"a", Encoded(shape.a, a)}, {"b", Encoded(shape.b, b)}},
                            {.schedule_seed = seed});
  ASSERT_THAT(ran.Codes(), IsEmpty()) << ran.text << source;
  std::vector<int> expected, found;
  for (int64_t i = 0; i < 2 * rows; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      int sum = 0;
      for (int64_t p = 0; p < k; ++p) {
        sum += a[static_cast<size_t>(i * k + p)] * b[static_cast<size_t>(j * k + p)];
      }
      expected.push_back(2 * sum);
    }
  }
  if (shape.d == ir::DType::kI32) {
    found = ran.Values<int>("y");
  } else {
    for (const float value : ran.Values<float>("y")) found.push_back(static_cast<int>(value));
  }
  EXPECT_EQ(found, expected) << source;
}

TEST(Pairs, EveryKindMultipliesTheRowsOfBothByTheColumnsOfBoth) {
  uint64_t seed = 0;
  for (const ir::UmmaShape& shape : ir::UmmaShapes()) {
    const bool padded = ir::PackedTypeOf(shape.a) != ir::DType::kUnknown ||
                        ir::PackedTypeOf(shape.b) != ir::DType::kUnknown;
    if (shape.block > 0 || padded) continue;
    SCOPED_TRACE(Name(shape.a) + "*" + Name(shape.b));
    ExpectProduct(shape, 32, seed++);
    ExpectProduct(shape, 64, seed++, 64);
  }
  ExpectProduct(*ir::FindUmma(ir::DType::kBF16, ir::DType::kBF16, ir::DType::kF32), 96, 0);
}

const ir::UmmaShape& Bf16() {
  return *ir::FindUmma(ir::DType::kBF16, ir::DType::kBF16, ir::DType::kF32);
}

std::vector<std::string> Codes(const std::string& source) {
  const Inputs inputs = {{"a", Encoded(ir::DType::kBF16, std::vector<int>(256 * 32, 1))},
                         {"b", Encoded(ir::DType::kBF16, std::vector<int>(32 * 32, 1))}};
  return RunSource(source, {}, inputs).Codes();
}

// A commit of the even CTA alone leaves the odd one waiting, and nothing tells it of its rows.
TEST(Pairs, BothAreToldByACommitOfThePair) {
  const std::string alone = "        umma.2cta acc = sa * sb.T\n        umma.commit done@0\n";
  EXPECT_THAT(Codes(Pair(Bf16(), 32, alone)), ElementsAre("CK2060"));
  EXPECT_THAT(Codes(Pair(Bf16(), 32, kTwice)), IsEmpty());
}

// The even CTA multiplies what the odd one has brought only after it has been told of it.
TEST(Pairs, OperandsOfTheOddCtaAreHandedOver) {
  std::string source = Pair(Bf16(), 32, kTwice);
  const std::string wait = "        wait.cluster both@0\n";
  source.erase(source.find(wait), wait.size());
  EXPECT_THAT(Codes(source), testing::Not(IsEmpty()));
}

TEST(Pairs, TheOddCtaIssuesNothing) {
  std::string source = Pair(Bf16(), 32, kTwice);
  const std::string even = "if cluster.rank == 0 {";
  source.replace(source.find(even), even.size(), "if cluster.rank == 1 {");
  const std::string told = "arrive both@0 at 0";
  source.replace(source.find(told), told.size(), "arrive both@0 at 1");
  EXPECT_THAT(Codes(source), testing::Contains("CK2460"));
}

// Undefined rows of one CTA's operand are rows of that CTA.
TEST(Pairs, UndefinedRowsStayInTheirCta) {
  const auto source = [](int rows_of_odd, const std::string& condition) {
    return absl::StrCat(
        "program t target sm_100a\nout y: f32[256, 16]\nkernel k {\n  cluster 2\n  grid (2)\n",
        "  smem sa: bf16[128, 16] swizzle 32\n  smem sb: bf16[8, 16] swizzle 32\n",
        "  tmem acc: f32[128, 16]\n  event both[1] count 8\n  event done[1] count 1\n",
        "  role main: warps 4 {\n    let m = cluster.rank*128\n",
        "    if cluster.rank == 0 || thread < ", rows_of_odd,
        " { for i in 0..16 { st sa[thread, i] <- 1.0 } }\n",
        "    if thread < 8 { for i in 0..16 { st sb[thread, i] <- 2.0 } }\n    fence async\n",
        "    arrive both@0 at 0\n    if cluster.rank == 0 && warp == 0 {\n",
        "      wait.cluster both@0\n      fence async\n      umma.2cta acc = sa * sb.T\n",
        "      umma.commit.2cta done@0\n    }\n    wait done@0\n",
        "    var f: tmem.32x32b f32[128, 16]\n    tmem.ld f <- acc\n    tmem.wait ld\n",
        "    for e in 0..f.cols { if ", condition, " { st y[m + f.row(0), e] <- f[0, e] } }\n",
        "  }\n}\n");
  };
  EXPECT_THAT(RunSource(source(128, "true")).Codes(), IsEmpty());
  EXPECT_THAT(RunSource(source(100, "m + f.row(0) < 228")).Codes(), IsEmpty());
  EXPECT_THAT(RunSource(source(100, "m + f.row(0) < 229")).Codes(), ElementsAre("CK2010"));
}

}  // namespace
}  // namespace compiler::machine
