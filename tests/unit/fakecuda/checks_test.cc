// The named checks of the oracle that need a device, on the fake one.
#include <algorithm>
#include <regex>
#include <set>

#include "tests/unit/fakecuda/fake_worker.h"

namespace runner::worker {
namespace {

using contract::Verdict;

TEST_F(Fake, BuffersAreShiftedAndInputsPerturbed) {
  const JobResult result = Run(CorpusJob("vector_add"));
  EXPECT_EQ(result.verdict, Verdict::kCorrect) << result.detail;
  EXPECT_EQ(CheckOf(result, "misaligned_bases").outcome, oracle::Outcome::kPass);
  EXPECT_EQ(CheckOf(result, "perturbed_inputs").outcome, oracle::Outcome::kPass);
  EXPECT_EQ(CheckOf(result, "jittered").outcome, oracle::Outcome::kNotRun);
}

// Without its barrier a sum through shared memory is right as long as warps run in order: each warp
// adds what the one before it has read, the last one also its own.
TEST_F(Fake, ARaceShowsWhereTheBuildHasDelays) {
  const auto job = [](const char* meet) {
    Job out = CorpusJob("vector_add");
    out.program.source = std::string(
                             "program add target sm_80\n"
                             "dim N in 0..=1073741824\n"
                             "in a: f32[N], b: f32[N]\n"
                             "out c: f32[N]\n"
                             "kernel add {\n"
                             "  grid (ceildiv(N, 128))\n"
                             "  smem s: f32[128]\n"
                             "  role main: warps 4 {\n"
                             "    let i = cta*128 + thread\n"
                             "    if i < N { st s[thread] <- ld a[i] }\n") +
                         meet +
                         "    let before = cta*128 + thread - 32\n"
                         "    if thread >= 32 && before < N { st c[before] <- (ld s[thread - "
                         "32]) + (ld b[before]) }\n"
                         "    if thread >= 96 && i < N { st c[i] <- (ld s[thread]) + (ld b[i]) }\n"
                         "  }\n}\n";
    out.jitter = true;
    for (contract::Case& at : out.workload.cases)  // large ones run with delays too
      if (at.name == "ragged") at.tier = contract::Tier::kDevice;
    return out;
  };
  const JobResult good = Run(job("    sync cta\n"));
  EXPECT_EQ(good.verdict, Verdict::kCorrect) << good.detail;
  std::set<std::string> tiers;
  for (const CaseOutcome& one : good.cases) {
    tiers.insert(one.tier);
    const auto jittered = [](const oracle::Check& check) { return check.name == "jittered"; };
    const auto check = std::find_if(one.checks.begin(), one.checks.end(), jittered);
    ASSERT_NE(check, one.checks.end()) << one.name;
    EXPECT_EQ(check->outcome, oracle::Outcome::kPass) << one.name << ": " << check->detail;
  }
  EXPECT_EQ(tiers, (std::set<std::string>{"device", "machine"}));
  const JobResult bad = Again(job(""));
  EXPECT_EQ(bad.verdict, Verdict::kRaceObserved) << bad.detail;
  EXPECT_TRUE(bad.varies);
  EXPECT_EQ(CheckOf(bad, "jittered").outcome, oracle::Outcome::kFail)
      << CheckOf(bad, "jittered").detail;
}

// Rows that lie apart, at addresses of the least alignment: filled, judged and timed so, from
// memory and by the device's own judge.
TEST_F(Fake, StridedRowsAtTheLeastAlignmentAreJudgedAsTheyLie) {
  Job job = CorpusJob("rmsnorm");
  for (contract::Tensor& tensor : job.workload.tensors) {
    if (tensor.name != "w") tensor.strides = {"N + 8", "1"};
    tensor.alignment = 16;
  }
  std::string& source = job.program.source;
  source = std::regex_replace(source, std::regex(R"(in x: (\w+\[M, N\]))"),
                              "in x: $1 stride (N + 8, 1)");
  source = std::regex_replace(source, std::regex(R"(out y: (\w+\[M, N\]))"),
                              "out y: $1 stride (N + 8, 1)");
  ASSERT_NE(source.find("stride (N + 8, 1)"), std::string::npos);
  const JobResult first = Run(job);
  ASSERT_EQ(first.verdict, contract::Verdict::kCorrect) << first.detail << first.diagnostics_json;
  EXPECT_THAT(CheckOf(first, "misaligned_bases").outcome, oracle::Outcome::kPass);
  const JobResult second = Again(job);
  ASSERT_EQ(second.verdict, contract::Verdict::kCorrect) << second.detail;
  EXPECT_GT(second.spans.at("judge.marks").count, 0);
}

}  // namespace
}  // namespace runner::worker
