#include "server/pipeline/pipeline.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "compiler/diag/render.h"

namespace server::pipeline {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::SizeIs;

std::string ReadFile(const std::string& path) {
  std::ifstream in(path);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

std::string RmsNorm() { return ReadFile("tests/corpus/rmsnorm/rmsnorm.cake"); }

Member CheckDefault(const Candidate& candidate) {
  return candidate.CheckMember(*candidate.Bind({}));
}

std::vector<std::string> Codes(const Member& member) {
  std::vector<std::string> codes;
  for (const auto& d : member.report.diagnostics()) codes.emplace_back(d.code);
  return codes;
}

TEST(Pipeline, AGoodCandidateGoesThroughEveryStage) {
  Options options;
  options.arch = "sm_90a";
  options.estimate_case = CaseValues{{"M", 8192}, {"N", 8192}, {"eps", 0}};
  const Candidate candidate(RmsNorm(), options);
  ASSERT_TRUE(candidate.ok());
  EXPECT_EQ(candidate.program_name(), "rmsnorm");
  const Member member = CheckDefault(candidate);
  EXPECT_EQ(member.verdict, Verdict::kPassed) << ToText(candidate, member, false);
  EXPECT_EQ(member.stage, Stage::kDone);
  EXPECT_EQ(member.device->arch, "sm_90a");
  EXPECT_THAT(member.canonical_hash, SizeIs(64));
  ASSERT_TRUE(member.estimate.has_value()) << member.estimate_status;
  EXPECT_EQ(member.estimate->bottleneck, "hbm");
  ASSERT_TRUE(member.cuda.has_value());
  EXPECT_THAT(member.cuda->kernels, testing::ElementsAre("rmsnorm_norm"));
  const auto plan = PlanCase(member, {{"M", 3}, {"N", 100}, {"eps", 0}});
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_EQ(plan->kernels[0].name, member.cuda->kernels[0]);
  EXPECT_EQ(plan->kernels[0].grid[0], 3);
  EXPECT_EQ(PlanCase(member, {{"M", 3}, {"N", 70000}, {"eps", 0}}).status().code(),
            absl::StatusCode::kFailedPrecondition);
}

TEST(Pipeline, ACaseTheGuardRefusesIsNoFaultOfTheCandidate) {
  Options options;
  options.run_gates = false;
  options.estimate_case = CaseValues{{"M", 1}, {"N", 70000}, {"eps", 0}};
  const Candidate candidate(RmsNorm(), options);
  const Member member = CheckDefault(candidate);
  EXPECT_EQ(member.verdict, Verdict::kPassed);
  EXPECT_FALSE(member.estimate.has_value());
  EXPECT_EQ(member.estimate_status.code(), absl::StatusCode::kFailedPrecondition);
}

struct Bad {
  std::string what, from, to;
  Verdict verdict;
  Stage stage;
};

TEST(Pipeline, EachKindOfFaultHasItsVerdictAndStage) {
  const std::string good = RmsNorm();
  const Bad all[] = {
      {"syntax", "grid (ceildiv(M, ROWS))", "grid (ceildiv(M, ROWS)", Verdict::kRejectedSyntax,
       Stage::kSyntax},
      {"name", "if row < M {", "if row < MM {", Verdict::kRejectedType, Stage::kMember},
      {"type", "sum = fma(f, f, sum)", "sum = fma(f, f, 1)", Verdict::kRejectedType,
       Stage::kMember},
      {"level", "sync cta", "if lane == 0 { sync cta }", Verdict::kRejectedType, Stage::kMember},
      {"domain", "param PARTS in {1, 2} = 2", "param PARTS in 1..=100000 = 2",
       Verdict::kRejectedLimit, Stage::kSyntax},
      {"target", "target sm_80", "target sm_75", Verdict::kRejectedHardware, Stage::kFacts},
      {"shared", "f32[WARPS]\n", "f32[WARPS*8192]\n", Verdict::kRejectedHardware, Stage::kFacts},
      {"bounds", "if row < M {", "if row < M + 1 {", Verdict::kPassed, Stage::kDone},
      {"race", "        sync cta\n", "", Verdict::kRejectedSafety, Stage::kGates},
  };
  for (const Bad& bad : all) {
    SCOPED_TRACE(bad.what);
    std::string source = good;
    const size_t at = source.find(bad.from);
    ASSERT_NE(at, std::string::npos);
    source.replace(at, bad.from.size(), bad.to);
    const Candidate candidate(source, {});
    const Member member =
        candidate.CheckMember(candidate.Bind({}).value_or(compiler::sema::Binding()));
    EXPECT_EQ(ToString(member.verdict), ToString(bad.verdict)) << ToText(candidate, member, false);
    EXPECT_EQ(ToString(member.stage), ToString(bad.stage)) << ToText(candidate, member, false);
  }
}

// One line that does not parse must not hide what is wrong with the others.
TEST(Pipeline, SyntaxErrorsDoNotHideTypeErrors) {
  std::string source = RmsNorm();
  source.replace(source.find("sync cta"), 8, "sync cta)");
  source.replace(source.find("if row < M {"), 12, "if row < MM {");
  const Candidate candidate(source, {});
  const Member member = CheckDefault(candidate);
  EXPECT_EQ(member.verdict, Verdict::kRejectedSyntax);
  EXPECT_THAT(Codes(member), Contains("CK1001"));
}

TEST(Pipeline, ExactlyOneBadMemberOfAFamilyIsFound) {
  std::string source = R"(program p target sm_80
dim N in 1..=100000
param SHIFT in {0, 1, 2, 3} = 0
out y: f32[N]
kernel k {
  grid (ceildiv(N, 128))
  role main: warps 4 {
    let i = cta*128 + thread
    if i < N && SHIFT < 3 { st y[i] <- 1.0 }
    if SHIFT == 3 { st y[i] <- 1.0 }
  }
}
)";
  const Candidate candidate(source, {});
  ASSERT_TRUE(candidate.ok());
  MemberCursor cursor(candidate, 4096, 0);
  EXPECT_FALSE(cursor.sampled());
  std::vector<int64_t> rejected;
  while (const auto binding = cursor.Next()) {
    if (candidate.CheckMember(*binding).verdict != Verdict::kPassed) {
      rejected.push_back(binding->at("SHIFT"));
    }
  }
  EXPECT_THAT(rejected, testing::ElementsAre(3));
}

TEST(Pipeline, ALargeFamilyIsSampledDistinctlyFromTheDefaultOn) {
  std::string source = "program p target sm_80\n";
  for (const char* name : {"A", "B", "C", "D"}) {
    source += std::string("param ") + name + " in 1..=1000 = 7\n";
  }
  source += "out y: f32[32]\nkernel k { grid (1)\n role main: warps 1 { st y[lane] <- 0.0 } }\n";
  const Candidate candidate(source, {});
  ASSERT_TRUE(candidate.ok()) << compiler::diag::RenderText(candidate.report(), "p", source);
  EXPECT_EQ(candidate.family_size(), 1000000000000);
  MemberCursor cursor(candidate, 50, 9), again(candidate, 50, 9), other(candidate, 50, 10);
  EXPECT_TRUE(cursor.sampled());
  std::set<compiler::sema::Binding> seen;
  int differ = 0;
  while (const auto binding = cursor.Next()) {
    EXPECT_TRUE(!seen.empty() || *binding == *candidate.Bind({}));
    EXPECT_TRUE(seen.insert(*binding).second);
    EXPECT_EQ(again.Next(), binding);
    differ += other.Next() != binding;
  }
  EXPECT_THAT(seen, SizeIs(50));
  EXPECT_GT(differ, 40);
}

TEST(Pipeline, AFamilyWithFixedParamsIsTheRestOfIt) {
  const Candidate candidate(RmsNorm(), {});
  MemberCursor all(candidate, 4096, 0), part(candidate, 4096, 0, {{"V", 2}});
  std::vector<compiler::sema::Binding> wanted, got;
  while (const auto binding = all.Next()) {
    if (binding->at("V") == 2) wanted.push_back(*binding);
  }
  while (const auto binding = part.Next()) got.push_back(*binding);
  EXPECT_FALSE(got.empty());
  EXPECT_EQ(got, wanted);
  MemberCursor sampled(candidate, 5, 0, {{"V", 2}});
  EXPECT_TRUE(sampled.sampled());
  while (const auto binding = sampled.Next()) EXPECT_EQ(binding->at("V"), 2);
}

TEST(Pipeline, TwoStepsAreOneCheck) {
  const Candidate candidate(RmsNorm(), {});
  for (const int64_t v : {4, 16}) {
    const auto binding = candidate.Bind({{"V", v}});
    const Member whole = candidate.CheckMember(*binding);
    Member steps = candidate.Elaborate(*binding);
    if (steps.program != nullptr) {
      EXPECT_EQ(steps.stage, Stage::kFacts);
      steps = candidate.Judge(std::move(steps));
    }
    EXPECT_EQ(ToJson(candidate, steps), ToJson(candidate, whole));
    EXPECT_EQ(steps.verdict == Verdict::kPassed, v == 4);
  }
}

TEST(Pipeline, BindNamesWhatIsWrong) {
  const Candidate candidate(RmsNorm(), {});
  EXPECT_EQ(candidate.Bind({{"V", 3}}).status().message(),
            "param `V` = 3 is outside its domain {1, 2, 4, 8, 16}");
  EXPECT_EQ(candidate.Bind({{"Q", 3}}).status().message(), "program `rmsnorm` has no param `Q`");
  EXPECT_EQ(candidate.Bind({{"V", 2}})->at("V"), 2);
}

TEST(Pipeline, FilesWithSeveralProgramsNeedAName) {
  const std::string one =
      "out y: f32[32]\nkernel k { grid (1)\n role r: warps 1 { st y[lane] <- 0.0 } }\n";
  const std::string source = "program a target sm_80\n" + one + "program b target sm_80\n" + one;
  EXPECT_THAT(Codes(Candidate(source, {}).CheckMember({})), Contains("CK9002"));
  Options options;
  options.program = "b";
  const Candidate b(source, options);
  EXPECT_EQ(b.CheckMember({}).verdict, Verdict::kPassed);
  options.program = "c";
  EXPECT_THAT(Codes(Candidate(source, options).CheckMember({})), Contains("CK9001"));
}

TEST(Pipeline, TargetsDecideWhichDevicesAreAdmitted) {
  Options options;
  options.arch = "sm_100a";
  EXPECT_EQ(CheckDefault(Candidate(RmsNorm(), options)).device->arch, "sm_100a");
  std::string exact = RmsNorm();
  exact.replace(exact.find("sm_80"), 5, "sm_90a");
  const Candidate candidate(exact, options);
  EXPECT_THAT(Codes(CheckDefault(candidate)), Contains("CK3302"));
}

TEST(Pipeline, JsonIsCompleteAndEqualForEqualInputs) {
  std::string source = RmsNorm();
  source.replace(source.find("        sync cta\n"), 17, "");
  const Candidate candidate(source, {});
  const Member member = CheckDefault(candidate);
  const std::string text = ToJson(candidate, member);
  EXPECT_EQ(text, ToJson(candidate, CheckDefault(candidate)));
  const nlohmann::json json = nlohmann::json::parse(text);
  EXPECT_EQ(json["verdict"], "REJECTED_SAFETY");
  EXPECT_EQ(json["blame"], "CANDIDATE");
  EXPECT_EQ(json["stage"], "gates");
  EXPECT_EQ(json["binding"]["WARPS"], 8);
  EXPECT_EQ(json["errors"], 1);
  EXPECT_EQ(json["diagnostics"][0]["code"], "CK2021");
  EXPECT_EQ(json["properties"][0]["property"], "bounds");
  EXPECT_EQ(json["properties"][0]["how"], "proved");
  EXPECT_EQ(json["estimate"], nullptr);
}

TEST(Pipeline, TheEarliestCategoryDecidesTheVerdict) {
  using compiler::diag::Category;
  compiler::diag::Report report;
  const auto add = [&](Category category) {
    report.AddMade({.code = "CK0000", .category = category});
    return VerdictOf(report);
  };
  EXPECT_EQ(add(Category::kUnproven), Verdict::kRejectedUnproven);
  EXPECT_EQ(add(Category::kSchedule), Verdict::kRejectedSchedule);
  EXPECT_EQ(add(Category::kSafety), Verdict::kRejectedSafety);
  EXPECT_EQ(add(Category::kData), Verdict::kRejectedData);
  EXPECT_EQ(add(Category::kHardware), Verdict::kRejectedHardware);
  EXPECT_EQ(add(Category::kLimit), Verdict::kRejectedLimit);
  EXPECT_EQ(add(Category::kType), Verdict::kRejectedType);
  EXPECT_EQ(add(Category::kSyntax), Verdict::kRejectedSyntax);
}

// Any bytes end in a report: never a crash, never an endless run.
TEST(Pipeline, AnyBytesEndInAReport) {
  const std::string good = RmsNorm();
  uint64_t state = 7;
  const auto next = [&](size_t n) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<size_t>(state >> 33) % n;
  };
  for (int round = 0; round < 150; ++round) {
    std::string source = good;
    for (size_t edits = 1 + next(3); edits > 0; --edits) {
      const size_t at = next(source.size());
      switch (next(4)) {
        case 0: source[at] = static_cast<char>(next(256)); break;
        case 1: source.erase(at, next(12)); break;
        case 2: source.insert(at, source.substr(next(source.size()), next(20))); break;
        default: source.insert(at, std::to_string(next(100))); break;
      }
    }
    Options options;
    options.policy.max_instances = 4;
    const Candidate candidate(source, options);
    const auto binding = candidate.Bind({});
    const Member member = candidate.CheckMember(binding.value_or(compiler::sema::Binding()));
    EXPECT_EQ(member.verdict == Verdict::kPassed, member.stage == Stage::kDone) << source;
    EXPECT_EQ(member.verdict == Verdict::kPassed, !member.report.has_errors()) << source;
  }
}

TEST(Pipeline, ProgramsOutsideThisBuildEndInAReport) {
  const std::string source = ReadFile("tests/corpus/language/kernels.cake");
  ASSERT_FALSE(source.empty());
  for (const char* name : {"kmeans_assign", "fa3_fwd", "moe_fc1", "kda_chunk", "ssu_decode",
                           "streamk_gemm", "fp8_blockwise"}) {
    Options options;
    options.program = name;
    const Candidate candidate(source, options);
    const Member member =
        candidate.CheckMember(candidate.Bind({}).value_or(compiler::sema::Binding()));
    EXPECT_EQ(candidate.program_name(), name);
    EXPECT_NE(member.verdict, Verdict::kRejectedSyntax) << ToText(candidate, member, false);
  }
}

}  // namespace
}  // namespace server::pipeline
