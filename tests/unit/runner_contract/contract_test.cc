#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "runner/contract/hash.h"
#include "runner/contract/verdict.h"
#include "runner/contract/workload.h"

namespace runner::contract {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string Read(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

Workload Parse(const std::string& text) {
  auto workload = ParseTextproto(text);
  EXPECT_TRUE(workload.ok()) << workload.status();
  return workload.ok() ? *workload : Workload{};
}

const std::string kRmsNorm = "tests/corpus/rmsnorm/rmsnorm.workload.textproto";
const std::string kVectorAdd = "tests/corpus/vector_add/vector_add.workload.textproto";

// Every contract below tests/corpus, by path.
std::vector<std::string> CorpusContracts() {
  std::vector<std::string> paths;
  for (const auto& entry : std::filesystem::recursive_directory_iterator("tests/corpus")) {
    if (entry.path().extension() == ".textproto") paths.push_back(entry.path().string());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

TEST(Textproto, CorpusContractsAreSound) {
  ASSERT_GE(CorpusContracts().size(), 20U);
  for (const std::string& path : CorpusContracts()) {
    const Workload workload = Parse(Read(path));
    EXPECT_THAT(Lint(workload), IsEmpty()) << path;
    EXPECT_EQ(std::filesystem::path(path).filename(), workload.name + ".workload.textproto");
  }
}

TEST(Textproto, UnknownFieldIsNamedWithItsLine) {
  const auto parsed = ParseTextproto("name: \"x\"\n\ncolour: \"red\"\n");
  ASSERT_FALSE(parsed.ok());
  EXPECT_THAT(std::string(parsed.status().message()), HasSubstr("3:7: "));
  EXPECT_THAT(std::string(parsed.status().message()), HasSubstr("colour"));
}

TEST(Textproto, UnknownEnumNumberAndDTypeAreErrors) {
  EXPECT_FALSE(ParseTextproto("tensors { name: \"x\" dtype: \"f32\" role: 77 }").ok());
  const auto parsed =
      ParseTextproto("tensors { name: \"x\" dtype: \"f33\" role: WORKLOAD_ROLE_IN }");
  ASSERT_FALSE(parsed.ok());
  EXPECT_EQ(parsed.status().message(), "tensor x: unknown dtype `f33`");
}

TEST(Textproto, BoundedSize) {
  EXPECT_FALSE(ParseTextproto(std::string(kContractBytesMax + 1, ' ')).ok());
}

TEST(Hash, IgnoresCommentsAndSpacingOnly) {
  const std::string text = Read(kRmsNorm);
  const std::string hash = Hash(Parse(text));
  EXPECT_TRUE(IsSha256Hex(hash));
  EXPECT_EQ(Hash(Parse("# another comment\n\n" + text)), hash);
  std::string changed = text;
  changed.replace(changed.find("1e-6"), 4, "1e-5");
  EXPECT_NE(Hash(Parse(changed)), hash);
}

TEST(Json, RoundTripKeepsEverything) {
  for (const std::string& path : CorpusContracts()) {
    const std::string json = ToCanonicalJson(Parse(Read(path)));
    const auto again = FromJson(json);
    ASSERT_TRUE(again.ok()) << again.status();
    EXPECT_EQ(ToCanonicalJson(*again), json);
  }
  // A negative zero is an input of its own kind.
  Workload workload = Parse(Read(kVectorAdd));
  workload.generators[0].first = -0.0;
  EXPECT_TRUE(std::signbit(FromJson(ToCanonicalJson(workload))->generators[0].first));
  workload.generators[0].first = 0.0;
  EXPECT_FALSE(std::signbit(FromJson(ToCanonicalJson(workload))->generators[0].first));
  EXPECT_FALSE(FromJson("{}").ok());
  EXPECT_FALSE(FromJson("[1, 2").ok());
}

TEST(CanonicalJson, FollowsRfc8785) {
  EXPECT_EQ(CanonicalJson(R"({"b": 1.0, "a": [1e3, 0.1, -0.0], "c": 9007199254740993})"),
            R"({"a":[1000,0.1,0],"b":1,"c":"9007199254740993"})");
  EXPECT_EQ(CanonicalJson("{"), "");
}

TEST(Sha256, KnownAnswer) {
  EXPECT_EQ(Sha256Hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST(SizeExpression, ValuesAndFaults) {
  const std::map<std::string, int64_t> dims = {{"N", 1000}, {"M", 3}};
  EXPECT_EQ(EvaluateSize("(N + 127) / 128 * M - 1", dims).value(), 23);
  EXPECT_EQ(EvaluateSize("0 - 7 / 2", dims).value(), -3);
  EXPECT_EQ(EvaluateSize("(0 - 7) / 2", dims).value(), -4);
  for (const char* bad :
       {"", "N +", "K", "N / 0", "9223372036854775807 + 1", "(N", "N N", "N % 2"}) {
    EXPECT_FALSE(EvaluateSize(bad, dims).ok()) << bad;
  }
  EXPECT_FALSE(EvaluateSize(std::string(100, '(') + "1" + std::string(100, ')'), dims).ok());
}

TEST(Tensors, ShapesStridesAndBytesOfACase) {
  const Workload workload = Parse(Read(kRmsNorm));
  const auto tensors = TensorsOf(workload, *FindCase(workload, "ragged"));
  ASSERT_TRUE(tensors.ok());
  EXPECT_THAT((*tensors)[0].shape, ElementsAre(7, 1000));
  EXPECT_THAT((*tensors)[0].strides, ElementsAre(1000, 1));
  EXPECT_EQ((*tensors)[0].bytes, 14000);
  EXPECT_EQ((*tensors)[1].bytes, 2000);
}

// One contract with many faults: each is reported, and nothing else.
Workload WithArray(const std::string& fields) {
  std::string text = Read(kVectorAdd);
  const size_t at = text.find("args { key");
  EXPECT_EQ(at, std::string::npos);
  return Parse(text + "args { name: \"w\" dtype: \"f32\" " + fields + " }\n");
}

TEST(Args, ElementsOfAnArrayHaveNamesOverridesAndRounding) {
  Workload workload = WithArray("values: 0.1 values: 2 values: 3");
  EXPECT_THAT(NamesOf(workload.args[0]), ElementsAre("w[0]", "w[1]", "w[2]"));
  Case at = workload.cases[0];
  using Values = std::map<std::string, double>;
  EXPECT_EQ(ArgsOf(workload, at),
            (Values{{"w[0]", static_cast<float>(0.1)}, {"w[1]", 2}, {"w[2]", 3}}));
  at.args = {{"w", 7}, {"w[2]", 9}};
  EXPECT_EQ(ArgsOf(workload, at), (Values{{"w[0]", 7}, {"w[1]", 7}, {"w[2]", 9}}));
  workload.cases[0].args = at.args;
  EXPECT_THAT(Lint(workload), IsEmpty());
  workload.cases[0].args = {{"w[3]", 1}};
  EXPECT_THAT(Lint(workload), ElementsAre(HasSubstr("unknown arg w[3]")));
}

TEST(Args, ArraysAreInTheHashAndOthersHaveNoTraceOfThem) {
  const Workload array = WithArray("values: 1 values: 2"), one = WithArray("value: 1");
  EXPECT_THAT(ToCanonicalJson(array), HasSubstr(R"("values":[1,2])"));
  EXPECT_EQ(ToCanonicalJson(one).find("values"), std::string::npos);
  EXPECT_NE(Hash(array), Hash(WithArray("values: 2 values: 1")));
  EXPECT_EQ(FromJson(ToCanonicalJson(array))->args[0].values, array.args[0].values);
  EXPECT_THAT(Lint(WithArray("value: 1 values: 2")), ElementsAre(HasSubstr("not both")));
  Workload long_one = array;
  long_one.args[0].values.resize(kArgValuesMax + 1, 1);
  EXPECT_THAT(Lint(long_one), ElementsAre(HasSubstr("1025 values; at most 1024")));
}

const std::string kRope = "tests/corpus/rope_append/rope_append.workload.textproto";

Traffic TrafficAt(const Workload& workload, const std::string& name) {
  const auto traffic = TrafficOf(workload, *FindCase(workload, name));
  EXPECT_TRUE(traffic.ok()) << traffic.status();
  return traffic.ok() ? *traffic : Traffic{};
}

TEST(Traffic, WithoutAWordEveryElementIsMoved) {
  Workload workload = Parse(Read(kRmsNorm));
  EXPECT_EQ(TrafficAt(workload, "ragged").read, 14000 + 2000);
  EXPECT_EQ(TrafficAt(workload, "ragged").written, 14000);
  // Between elements that are apart nothing has to be read, and what is one element in memory is
  // read once.
  workload.tensors[0].strides = {"2*N", "2"};
  EXPECT_EQ(TrafficAt(workload, "ragged").read, 14000 + 2000);
  workload.tensors[0].strides = {"0", "1"};
  EXPECT_EQ(TrafficAt(workload, "ragged").read, 2000 + 2000);
}

TEST(Traffic, OfATensorBehindIndicesAPart) {
  const Workload rope = Parse(Read(kRope));
  // q, k, v, one row of angles, lengths and one page number a sequence.
  EXPECT_EQ(TrafficAt(rope, "b256").read, 4194304 + 2 * 524288 + 512 + 1024 + 1024);
  // qr and one slot a sequence of caches that have 136 MB each.
  EXPECT_EQ(TrafficAt(rope, "b256").written, 4194304 + 2 * 524288);
  // A state is read and written, a spare one is not.
  const Workload ssu = Parse(Read("tests/corpus/ssu_decode/ssu_decode.workload.textproto"));
  EXPECT_EQ(TrafficAt(ssu, "b128_h64").read,
            134217728 + 524288 + 16384 + 2 * 128 + 2 * 32768 + 512);
  EXPECT_EQ(TrafficAt(ssu, "b128_h64").written, 134217728 + 524288);
}

TEST(Traffic, AnInOutIsReadUnlessItIsOverwritten) {
  Workload rope = Parse(Read(kRope));
  const Traffic before = TrafficAt(rope, "b256");
  for (Tensor& tensor : rope.tensors) tensor.overwritten = false;
  EXPECT_EQ(TrafficAt(rope, "b256").read, before.read + 2 * 524288);
  EXPECT_EQ(TrafficAt(rope, "b256").written, before.written);
}

TEST(Touched, IsInTheHashAndOthersHaveNoTraceOfIt) {
  Workload workload = Parse(Read(kVectorAdd));
  const std::string hash = Hash(workload);
  EXPECT_EQ(ToCanonicalJson(workload).find("touched"), std::string::npos);
  EXPECT_EQ(ToCanonicalJson(workload).find("overwritten"), std::string::npos);
  workload.tensors[0].touched = "N / 2";
  EXPECT_THAT(ToCanonicalJson(workload), HasSubstr(R"("touched":"N / 2")"));
  EXPECT_EQ(FromJson(ToCanonicalJson(workload))->tensors[0].touched, "N / 2");
  EXPECT_NE(Hash(workload), hash);
  const Workload rope = Parse(Read(kRope));
  EXPECT_TRUE(FromJson(ToCanonicalJson(rope))->tensors[6].overwritten);
  EXPECT_FALSE(FromJson(ToCanonicalJson(rope))->tensors[5].overwritten);
}

TEST(Touched, IsAtMostWhatThereIsAtEveryCase) {
  Workload workload = Parse(Read(kVectorAdd));
  workload.tensors[0].touched = "N";
  EXPECT_THAT(Lint(workload), IsEmpty());
  workload.tensors[0].touched = "N / 1024 * 1025";
  EXPECT_THAT(Lint(workload),
              ::testing::Contains("case `tile`: tensor a: touched N / 1024 * 1025 = 1025 of 1024 "
                                  "elements"));
  EXPECT_THAT(Lint(workload), ::testing::Each(HasSubstr(" elements")));
  for (const char* bad : {"0 - 1", "K", "N +"}) {
    workload.tensors[0].touched = bad;
    EXPECT_EQ(Lint(workload).size(), workload.cases.size()) << bad;
  }
  workload.tensors[0].touched.clear();
  workload.tensors[1].overwritten = true;
  EXPECT_THAT(Lint(workload), ElementsAre("tensor `b`: only an inout can be overwritten"));
}

TEST(Alignment, IsInTheHashAndOthersHaveNoTraceOfIt) {
  Workload workload = Parse(Read(kVectorAdd));
  const std::string hash = Hash(workload);
  EXPECT_EQ(ToCanonicalJson(workload).find("alignment"), std::string::npos);
  EXPECT_EQ(AlignmentOf(workload.tensors[0]), 256);
  std::string text = Read(kVectorAdd);
  const std::string at = "tensors { name: \"a\"";
  ASSERT_NE(text.find(at), std::string::npos);
  workload = Parse(text.insert(text.find(at) + at.size(), " alignment: 16"));
  EXPECT_EQ(AlignmentOf(workload.tensors[0]), 16);
  EXPECT_NE(Hash(workload), hash);
  EXPECT_EQ(Hash(*FromJson(ToCanonicalJson(workload))), Hash(workload));
  EXPECT_THAT(Lint(workload), IsEmpty());
  for (const int64_t bad : {2, 24, 512}) {
    workload.tensors[0].alignment = bad;
    EXPECT_THAT(Lint(workload), ElementsAre(HasSubstr("is no power of two from 4 to 256"))) << bad;
  }
}

TEST(Strides, ElementsOfOutputsLieApartAndNoneLieBehind) {
  Workload workload = Parse(Read("tests/corpus/rmsnorm/rmsnorm.workload.textproto"));
  const auto with = [&](std::vector<std::string> x, std::vector<std::string> y) {
    for (Tensor& tensor : workload.tensors) {
      if (tensor.name == "x") tensor.strides = x;
      if (tensor.name == "y") tensor.strides = y;
    }
    return Lint(workload);
  };
  EXPECT_THAT(with({"N + 8", "1"}, {"2 * N", "2"}), IsEmpty());
  EXPECT_THAT(with({"0", "1"}, {}), IsEmpty()) << "one row, read again and again";
  EXPECT_THAT(with({}, {"1", "M"}), IsEmpty()) << "transposed";
  EXPECT_THAT(with({}, {"N - 1", "1"}),
              ::testing::Contains(HasSubstr("elements of output `y` that lie ")));
  EXPECT_THAT(with({}, {"0", "1"}), ::testing::Contains(HasSubstr("lie 0 apart run into others")));
  EXPECT_THAT(with({"N", "0 - 1"}, {}),
              ::testing::Contains(HasSubstr("tensor x: stride 0 - 1 = -1")));
}

TEST(Lint, ReportsEveryFault) {
  Workload workload = Parse(Read(kVectorAdd));
  workload.cases.resize(6);
  workload.cases[1].dims["N"] = -1;
  workload.cases[2].dims["K"] = 1;
  workload.cases[3].weight = 1;
  workload.cases[4].variant = "unheard";
  workload.compare.clear();
  workload.tensors[0].content = Content::kFinite;
  workload.reference.command.argv = {"python3"};
  EXPECT_THAT(Lint(workload),
              ElementsAre(HasSubstr("N = -1 is outside"), HasSubstr("extent N = -1"),
                          HasSubstr("unknown dim K"), HasSubstr("weight 1"),
                          HasSubstr("no generator has variant `unheard`"),
                          HasSubstr("specials in a tensor whose content is finite"),
                          HasSubstr("output `c` has no comparison"), HasSubstr("exactly one of")));
}

// Each by what it says; a generator that draws nothing useful makes every program correct.
TEST(Lint, NumbersOfGenerators) {
  struct Row {
    Dist dist;
    double first, second;
    const char* said;
  };
  const Row rows[] = {{Dist::kNormal, 0, -1, "stddev -1"},
                      {Dist::kNormal, 0, 0, "stddev 0"},
                      {Dist::kNormal, 1e300, 1, "f32 holds"},
                      {Dist::kNormal, NAN, 1, "finite"},
                      {Dist::kUniform, 1, 0, "low 1 is above high 0"},
                      {Dist::kUniform, 0, INFINITY, "finite"},
                      {Dist::kUniform, 0, 1e39, "f32 holds"},
                      {Dist::kConstant, -1e39, 0, "f32 holds"},
                      {Dist::kSpecials, 1.5, 1, "fraction 1.5"},
                      {Dist::kSpecials, 0.5, -2, "stddev -2"},
                      {Dist::kTies, 0, 1, "0 levels"},
                      {Dist::kTies, 3, 0, "of step 0"}};
  for (const Row& row : rows) {
    Workload workload = Parse(Read(kVectorAdd));
    Generator& generator = workload.generators[0];
    generator.dist = row.dist, generator.first = row.first, generator.second = row.second;
    EXPECT_THAT(Lint(workload), ElementsAre(HasSubstr(row.said))) << row.said;
  }
}

// A program that doubles its inputs between 28 and 1022 is right where they are all zero.
TEST(Lint, AsksForContentsBetweenSizes) {
  Workload workload = Parse(Read(kVectorAdd));
  std::erase_if(workload.cases, [](const Case& at) { return at.name == "middle"; });
  EXPECT_THAT(Lint(workload),
              ElementsAre(HasSubstr("draw contents at 27 and 1023 and nowhere between")));
}

TEST(Lint, IndexContents) {
  Workload workload = Parse(Read("tests/corpus/rope_append/rope_append.workload.textproto"));
  for (Generator& generator : workload.generators) {
    if (generator.tensor == "table") generator.range = "B*P - 1";
    if (generator.tensor == "lens" && generator.variant.empty()) generator.range = "K";
    if (generator.tensor == "q" && generator.variant.empty()) {
      generator = {.tensor = "q", .dist = Dist::kBelow, .range = "4"};
    }
  }
  EXPECT_THAT(Lint(workload),
              ElementsAre(HasSubstr("need an integer"), HasSubstr("unknown"),
                          HasSubstr("range B*P - 1 = -1 of case `no_sequence` is below 0")));
}

TEST(Lint, RegretIsOfIndices) {
  Workload workload = Parse(Read("tests/corpus/row_topk/row_topk.workload.textproto"));
  for (Compare& compare : workload.compare) {
    compare.metric = compare.metric == Metric::kRegret ? Metric::kScaled : Metric::kRegret;
  }
  EXPECT_THAT(Lint(workload), ElementsAre(HasSubstr("regret is of integers"),
                                          HasSubstr("compared exactly or by regret")));
}

TEST(Lint, AsksForSixMachineCases) {
  Workload workload = Parse(Read(kVectorAdd));
  workload.cases.resize(5);
  EXPECT_THAT(Lint(workload), ElementsAre("5 machine-tier cases, at least 6 are needed"));
}

TEST(Verdict, WordsRoundTripAndBlameIsTotal) {
  for (int i = 0; i < kVerdicts; ++i) {
    const auto verdict = static_cast<Verdict>(i);
    EXPECT_EQ(ParseVerdict(ToString(verdict)), verdict);
  }
  EXPECT_EQ(ParseVerdict("FINE"), std::nullopt);
  EXPECT_EQ(DefaultBlame(Verdict::kMachineDisagrees), Blame::kSystem);
  EXPECT_EQ(DefaultBlame(Verdict::kCompileLimit), Blame::kSystem);
  EXPECT_EQ(DefaultBlame(Verdict::kWrongResult), Blame::kCandidate);
  EXPECT_EQ(DefaultBlame(Verdict::kCorrect), Blame::kNone);
  EXPECT_TRUE(NeedsSecondAttempt(Verdict::kHang));
  EXPECT_FALSE(NeedsSecondAttempt(Verdict::kWrongResult));
}

}  // namespace
}  // namespace runner::contract
