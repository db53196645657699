// What candidates are timed against, and how, on the fake libraries.
#include <string>
#include <vector>

#include "tests/unit/fakecuda/fake_worker.h"

namespace runner::worker {
namespace {

using contract::Blame;
using contract::Verdict;
using ::testing::HasSubstr;

// Half of an all-out vector add: what it leaves undone is wrong, but a calibration only compares.
std::string Slower(const std::string& source) {
  const std::string at = "    let i = cta*256 + thread\n";
  std::string out = source;
  out.insert(out.find(at) + at.size(),
             "    var left: f32 = 40.0\n    while left > 0.0 { left = left - 1.0 }\n");
  return out;
}

TEST_F(Fake, AnIncumbentTakesPartInTheSameBlocks) {
  Job job = TimedJob();
  job.baseline = job.program;
  job.incumbent = job.program;
  job.incumbent->source = Slower(job.program.source);
  const JobResult result = Run(job);
  ASSERT_EQ(result.verdict, Verdict::kCorrect) << result.detail;
  EXPECT_EQ(result.ratio.median, 1);
  EXPECT_GT(result.incumbent_ratio.low, 1.1);
  const CaseTiming& timing = result.timings.at(0);
  EXPECT_EQ(timing.incumbent.cold_ns.size(), timing.candidate.cold_ns.size()) << "equal duty";
  EXPECT_EQ(timing.incumbent.cold_ns.size(), timing.baseline.cold_ns.size());
  EXPECT_TRUE(result.hashes.contains("incumbent"));
}

Job ProductJob() {
  Job job = TimedCorpusJob("gemm_bf16", "gemm", {{"M", 24}, {"N8", 2}, {"K8", 4}});
  job.baseline.reset();
  job.baseline_library = "cublaslt";
  return job;
}

EvaluatorOptions WithCublasLt(EvaluatorOptions options) {
  options.libcublaslt = std::string(CAKE_FAKE_FOLDER) + "/libcublasLt.so.13";
  return options;
}

// Of its four proposals the second is refused when it is used; the third is the fastest.
TEST_F(Fake, ALibrarysFastestAlgorithmIsTheBaseline) {
  const JobResult result = RunWith(WithCublasLt(Options("{}")), ProductJob());
  ASSERT_EQ(result.verdict, Verdict::kCorrect) << result.detail;
  const CaseTiming& timing = result.timings.at(0);
  EXPECT_EQ(timing.baseline.cold_ns, std::vector<double>(timing.candidate.cold_ns.size(), 5000));
  EXPECT_GT(result.ratio.median, 0);
  EXPECT_THAT(timing.library_json, HasSubstr(R"("proposal":2,)"));
  EXPECT_THAT(timing.library_json, HasSubstr(R"("proposals":4)"));
  EXPECT_THAT(timing.library_json, HasSubstr(R"("version":130100)"));
  EXPECT_THAT(timing.library_json, ::testing::ContainsRegex(R"("sha256":"[0-9a-f]{64}")"));
  EXPECT_EQ(CheckOf(result, "baseline_outputs").outcome, oracle::Outcome::kPass);
  EXPECT_EQ(Again(ProductJob()).verdict, Verdict::kCorrect) << "chosen and judged once";
}

TEST_F(Fake, ALibraryThatComputesSomethingElseIsNoBaseline) {
  EvaluatorOptions options = WithCublasLt(Options("{}"));
  options.environment.emplace_back("CAKE_FAKE_PRODUCT=wrong");
  const JobResult result = RunWith(options, ProductJob());
  EXPECT_EQ(result.verdict, Verdict::kMeasurementFault);
  EXPECT_EQ(result.blame, Blame::kInfra);
  EXPECT_EQ(CheckOf(result, "baseline_outputs").outcome, oracle::Outcome::kFail);
}

TEST_F(Fake, WithoutTheLibraryTheWorldIsToBlame) {
  const JobResult result = Run(ProductJob());
  EXPECT_EQ(result.verdict, Verdict::kInfraToolchain) << result.detail;
  EXPECT_THAT(result.detail, HasSubstr("cuBLASLt"));
  Job job = TimedJob();
  job.baseline_library = "cublaslt";
  const JobResult other = RunWith(WithCublasLt(Options("{}")), job);
  EXPECT_EQ(other.verdict, Verdict::kInfraToolchain);
  EXPECT_THAT(other.detail, HasSubstr("`gemm`"));
}

// A program that adds, and says that a call takes 9 us.
Job ForeignJob(const std::string& how) {
  Job job = TimedJob();
  job.baseline_command.argv = {"python3", "tests/unit/fakecuda/add_baseline.py", how};
  return job;
}

TEST_F(Fake, AnotherProgramIsTheBaseline) {
  const JobResult result = Run(ForeignJob("right"));
  ASSERT_EQ(result.verdict, Verdict::kCorrect) << result.detail;
  const CaseTiming& timing = result.timings.at(0);
  EXPECT_EQ(timing.clock, "events") << "both by the same clock";
  EXPECT_EQ(result.protocol, "cold-abba-v1-events");
  EXPECT_EQ(timing.candidate.cold_ns, timing.candidate.events_ns);
  EXPECT_EQ(timing.baseline.cold_ns, std::vector<double>(timing.candidate.cold_ns.size(), 9000));
  EXPECT_EQ(timing.baseline.warm_ns.front(), 8000);
  EXPECT_GT(result.ratio.median, 1);
  EXPECT_EQ(CheckOf(result, "baseline_outputs").outcome, oracle::Outcome::kPass);
  EXPECT_THAT(timing.library_json, HasSubstr(R"("python":)"));
}

TEST_F(Fake, AnotherProgramThatIsWrongMissingOrDeadIsNoBaseline) {
  JobResult result = Run(ForeignJob("wrong"));
  EXPECT_EQ(result.verdict, Verdict::kMeasurementFault);
  EXPECT_EQ(CheckOf(result, "baseline_outputs").outcome, oracle::Outcome::kFail);
  result = Again(ForeignJob("missing"));
  EXPECT_EQ(result.verdict, Verdict::kInfraToolchain);
  EXPECT_THAT(result.detail, HasSubstr("adders are not installed"));
  result = Again(ForeignJob("dies"));
  EXPECT_EQ(result.verdict, Verdict::kMeasurementFault);
  EXPECT_THAT(result.detail, HasSubstr("exit code 3"));
  result = Again(ForeignJob("else"));
  EXPECT_EQ(result.verdict, Verdict::kCorrect) << result.detail;
  EXPECT_EQ(CheckOf(result, "baseline_outputs").outcome, oracle::Outcome::kNotRun);
}

// A graph of 32 runs, each on an image of its own: a run's time is its share of the whole, gaps of
// the simulated device included, and the outputs are right after it.
TEST_F(Fake, GraphsTimeManyRunsAsOne) {
  Job job = TimedJob();
  const double single = Run(job).timings.at(0).candidate.cold_ns.at(0);
  job.protocol = "rot-graph-v1";
  job.baseline = job.program;
  const JobResult result = Again(job);
  ASSERT_EQ(result.verdict, Verdict::kCorrect) << result.detail;
  EXPECT_EQ(result.protocol, "rot-graph-v1");
  const CaseTiming& timing = result.timings.at(0);
  EXPECT_EQ(timing.runs_a_sample, 32);
  EXPECT_THAT(timing.kernels, ::testing::ElementsAre("add_add"));
  EXPECT_NEAR(timing.candidate.cold_ns.at(0), single + 400.0 * 31 / 32, 1);
  EXPECT_EQ(result.ratio.median, 1);
  EXPECT_EQ(Again(job).timings.at(0).candidate.cold_ns, timing.candidate.cold_ns);
}

TEST_F(Fake, GraphsStartFromTheSameContents) {
  Job job = TimedCorpusJob("ssu_decode", {{"B", 2}, {"G", 1}, {"HG", 1}, {"SPARE", 0}});
  job.protocol = "rot-graph-v1";
  const JobResult result = Run(job);
  ASSERT_EQ(result.verdict, Verdict::kCorrect) << result.detail;
  EXPECT_FALSE(result.varies);
}

TEST_F(Fake, GraphsWithoutCuptiSaySo) {
  EvaluatorOptions options = Options("{}");
  options.libcupti = "none";
  Job job = TimedJob();
  job.protocol = "rot-graph-v1";
  EXPECT_EQ(RunWith(options, job).protocol, "rot-graph-v1-events");
}

// 36 kB of traffic take far less than 2 us; what takes longer is timed by single runs.
TEST_F(Fake, TheCasesProtocolFollowsItsTraffic) {
  Job job = TimedJob();
  job.protocol = "cold-or-graph-v1";
  const JobResult result = Run(job);
  ASSERT_EQ(result.verdict, Verdict::kCorrect) << result.detail;
  EXPECT_EQ(result.protocol, "cold-or-graph-v1");
  EXPECT_EQ(result.timings.at(0).protocol, "rot-graph-v1");
}

// The second candidate of a child finds inputs and expected outputs made; what is said of it is
// what a worker says that knows nothing.
TEST_F(Fake, WhatIsKnownOfACaseChangesNothing) {
  Job wrong = TimedJob();
  wrong.program.source = AddJob("    if i < N { st c[i] <- (ld a[i]) - (ld b[i]) }").program.source;
  const JobResult first = Run(wrong);
  ASSERT_EQ(Run(TimedJob()).verdict, Verdict::kCorrect);
  const JobResult second = Again(wrong);
  EXPECT_EQ(first.verdict, Verdict::kWrongResult);
  EXPECT_EQ(second.verdict, first.verdict);
  EXPECT_EQ(second.detail, first.detail);
  ASSERT_EQ(second.checks.size(), first.checks.size());
  for (size_t i = 0; i < first.checks.size(); ++i)
    EXPECT_EQ(second.checks[i].detail, first.checks[i].detail) << first.checks[i].name;
  Again(TimedJob());  // in a child of its own: a wrong candidate's is dropped
  const JobResult right = Again(TimedJob()), again = Again(TimedJob());
  EXPECT_EQ(ReceiptJson(TimedJob(), right), ReceiptJson(TimedJob(), again));
}

TEST_F(Fake, SpansSayWhereTheTimeWent) {
  const JobResult result = Run(TimedJob());
  for (const char* what :
       {"ask.setup", "ask.compile", "ask.case", "judge.case", "ask.timing", "judge.timed",
        "child.setup", "child.place", "child.launch", "child.download", "child.timing"}) {
    ASSERT_TRUE(result.spans.contains(what)) << what;
    EXPECT_GT(result.spans.at(what).count, 0) << what;
  }
  EXPECT_GT(result.device_busy_ns, 0);
}

}  // namespace
}  // namespace runner::worker
