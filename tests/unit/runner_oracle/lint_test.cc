// The linter of contracts: the corpus passes, and each rule finds the weakness that it is about.
#include "runner/oracle/lint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

namespace runner::oracle {
namespace {

namespace fs = std::filesystem;
using contract::Case;
using contract::Dist;
using contract::Workload;

constexpr std::string_view kSuffix = ".workload.textproto";

Workload Load(const fs::path& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  auto workload = contract::ParseTextproto(text.str());
  EXPECT_TRUE(workload.ok()) << path << workload.status();
  return *std::move(workload);
}
Workload Corpus(const std::string& family, const std::string& name) {
  return Load("tests/corpus/" + family + "/" + name + std::string(kSuffix));
}

// "RULE: MESSAGE" of each finding.
std::vector<std::string> Found(const Workload& workload) {
  const auto findings = LintContract(workload);
  EXPECT_TRUE(findings.ok()) << findings.status();
  std::vector<std::string> out;
  for (const LintFinding& one : *findings)
    out.push_back(std::string(one.rule) + ": " + one.message);
  return out;
}

TEST(LintContract, TheCorpusIsSound) {
  int contracts = 0;
  for (const auto& at : fs::recursive_directory_iterator("tests/corpus")) {
    if (!at.path().string().ends_with(kSuffix)) continue;
    EXPECT_THAT(Found(Load(at.path())), testing::IsEmpty()) << at.path();
    ++contracts;
  }
  EXPECT_GE(contracts, 24);
}

TEST(LintContract, TheFormComesFirstAndAlone) {
  Workload workload = Corpus("vector_add", "vector_add");
  workload.protocol.clear();
  std::erase_if(workload.cases, [](const Case& at) { return at.name == "specials"; });
  EXPECT_THAT(Found(workload), testing::ElementsAre("form: no timing protocol"));
}

TEST(LintContract, AnInputThatNothingReads) {
  Workload workload = Corpus("rmsnorm", "rmsnorm");
  for (auto& generator : workload.generators) {
    if (generator.tensor == "w")
      generator = {
          .tensor = "w", .variant = generator.variant, .dist = Dist::kConstant, .first = 1};
  }
  EXPECT_THAT(Found(workload), testing::Contains("input.unused: no output depends on `w` in any "
                                                 "machine-tier case"));
}

TEST(LintContract, ContentsThatAreTheSameInEveryJob) {
  Workload workload = Corpus("transpose", "copy");
  workload.generators[0].seed_policy = contract::SeedPolicy::kFixed;
  EXPECT_THAT(
      Found(workload),
      testing::ElementsAre("seed.fixed: input `x` has the same plain contents in every job"));
}

// Sums of zeros are zero, and a constant result is guessed.
TEST(LintContract, AnswersWithoutWork) {
  Workload zeros = Corpus("vector_add", "vector_add");
  Workload equal = zeros;
  for (auto& generator : zeros.generators) {
    if (generator.variant.empty()) generator = {generator.tensor, "", Dist::kConstant, 0, 0};
  }
  for (auto& generator : equal.generators) {
    if (generator.variant.empty()) generator = {generator.tensor, "", Dist::kConstant, 3, 0};
  }
  // The cases of plain contents say nothing about sizes either: leave that rule its sizes.
  for (Workload* one : {&zeros, &equal}) {
    const auto found = Found(*one);
    EXPECT_THAT(found, testing::Contains(testing::StartsWith(
                           "answer.trivial: output `c`: the mean everywhere is right in ")));
    EXPECT_EQ(std::any_of(found.begin(), found.end(),
                          [](const std::string& line) {
                            return line.starts_with("answer.trivial: output `c`: zero ");
                          }),
              one == &zeros);
  }
}

TEST(LintContract, ABoundThatHidesHalfOfTheValue) {
  Workload workload = Corpus("gemm", "gemm_bf16");
  EXPECT_THAT(Found(workload), testing::IsEmpty());
  workload.compare[0].operand = compiler::ir::DType::kE4M3;
  EXPECT_THAT(Found(workload),
              testing::Contains(testing::StartsWith(
                  "bound.loose: output `y`: half of the right value passes for ")));
  workload = Corpus("rmsnorm", "rmsnorm");
  workload.compare[0].output_ulps = 128;
  EXPECT_THAT(Found(workload), testing::Contains(testing::StartsWith("bound.loose: ")));
}

TEST(LintContract, KindsOfContents) {
  Workload specials = Corpus("vector_add", "vector_add");
  std::erase_if(specials.cases, [](const Case& at) { return at.name == "specials"; });
  EXPECT_THAT(Found(specials),
              testing::ElementsAre(testing::StartsWith("variant.specials: input `a` "),
                                   testing::StartsWith("variant.specials: input `b` ")));
  Workload ties = Corpus("row_topk", "row_topk");
  std::erase_if(ties.cases, [](const Case& at) {
    return at.variant == "ties" || at.variant == "equal" || at.variant == "minus_zeros";
  });
  EXPECT_THAT(Found(ties), testing::ElementsAre(testing::StartsWith("variant.ties: output `i` ")));
  Workload large = Corpus("gemm", "gemm_bf16");
  std::erase_if(large.cases, [](const Case& at) { return at.variant == "cancel"; });
  EXPECT_THAT(Found(large), testing::ElementsAre(testing::StartsWith("variant.large: ")));
  Workload none = Corpus("transpose", "copy");
  std::erase_if(none.cases, [](const Case& at) { return !at.variant.empty(); });
  EXPECT_THAT(Found(none), testing::ElementsAre(testing::StartsWith("variant.none: ")));
}

TEST(LintContract, AnArgThatNobodyNotices) {
  Workload workload = Corpus("layernorm", "layernorm");
  std::erase_if(workload.cases, [](const Case& at) { return at.variant == "small"; });
  EXPECT_THAT(Found(workload),
              testing::ElementsAre(
                  "arg.fixed: `eps` has the same value in every machine-tier case",
                  "arg.loose: twice `eps` gives right outputs in every machine-tier case"));
}

TEST(LintContract, Sizes) {
  Workload workload = Corpus("transpose", "transpose");
  std::erase_if(workload.cases, [](const Case& at) { return at.name == "no_columns"; });
  EXPECT_THAT(Found(workload),
              testing::ElementsAre(
                  "sizes.low: dim `N4` begins at 0 and no machine-tier case has that size"));
  for (Case& at : workload.cases) at.dims["N4"] = 8;
  EXPECT_THAT(Found(workload), testing::Contains("sizes.few: dim `N4` has 1 machine-tier sizes; "
                                                 "at least 2"));
}

TEST(LintContract, Sets) {
  Workload workload = Corpus("vector_add", "vector_add");
  for (Case& at : workload.cases) {
    if (at.set == contract::Set::kHeldOut) at.set = contract::Set::kBoundary;
  }
  EXPECT_THAT(Found(workload),
              testing::ElementsAre("sets.missing: no device-tier case is held out"));
}

TEST(LintContract, EveryRuleHasAReasonAndANameOfItsOwn) {
  std::set<std::string_view> names;
  for (const LintRule& rule : LintRules()) {
    EXPECT_TRUE(names.insert(rule.name).second) << rule.name;
    EXPECT_FALSE(rule.why.empty()) << rule.name;
  }
}

}  // namespace
}  // namespace runner::oracle
