// Whole jobs on the reference machine, through real children.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "runner/contract/hash.h"
#include "runner/worker/evaluator.h"
#include "runner/worker/job_mode.h"
#include "runner/worker/job_process.h"
#include "runner/worker/job_run.h"
#include "runner/worker/program_cache.h"

namespace runner::worker {
namespace {

using contract::Blame;
using contract::Verdict;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string Read(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

Job CorpusJob(const std::string& name) {
  Job job;
  job.program.source = Read("tests/corpus/" + name + "/" + name + ".cake");
  job.program.file = name + ".cake";
  job.workload =
      contract::ParseTextproto(Read("tests/corpus/" + name + "/" + name + ".workload.textproto"))
          .value();
  job.seed = 11;
  return job;
}

// A vector add of one element a thread, with a body of the test's choosing.
Job AddJob(const std::string& body, const std::string& roles = "") {
  Job job = CorpusJob("vector_add");
  job.program.source =
      "program add target sm_80\n"
      "dim N in 0..=1073741824\n"
      "in a: f32[N], b: f32[N]\n"
      "out c: f32[N]\n"
      "kernel add {\n"
      "  grid (ceildiv(N, 256))\n" +
      roles +
      "  role main: warps 8 {\n"
      "    let i = cta*256 + thread\n" +
      body + "\n  }\n}\n";
  return job;
}

class Jobs : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    options_ = new EvaluatorOptions{.worker = CAKE_WORKER,
                                    .libnvrtc = "/nowhere/libnvrtc.so",
                                    .sandbox_min = child::Level::kL1};
    auto evaluator = Evaluator::Create(*options_);
    ASSERT_TRUE(evaluator.ok()) << evaluator.status();
    evaluator_ = evaluator->release();
  }
  static void TearDownTestSuite() {
    delete evaluator_;
    delete options_;
  }
  static JobResult Run(const Job& job) {
    auto result = evaluator_->Run(job, [](const std::string&, int) {});
    EXPECT_TRUE(result.ok()) << result.status();
    return result.ok() ? *result : JobResult{};
  }
  static inline EvaluatorOptions* options_ = nullptr;
  static inline Evaluator* evaluator_ = nullptr;
};

TEST_F(Jobs, CorpusProgramsAreCorrectOnEveryMachineCase) {
  for (const char* name : {"vector_add", "rmsnorm"}) {
    const JobResult result = Run(CorpusJob(name));
    EXPECT_EQ(result.verdict, Verdict::kCorrect) << name << ": " << result.detail;
    EXPECT_EQ(result.blame, Blame::kNone);
    EXPECT_EQ(result.machine, "right");
    EXPECT_EQ(result.protocol, "machine-v1");
    EXPECT_GE(result.cases.size(), 6u);
    EXPECT_EQ(result.time_ns, 0) << "nothing is timed on the machine";
    EXPECT_TRUE(result.source.empty());
    ASSERT_EQ(result.stages.size(), 2u);
    EXPECT_EQ(result.stages[0].end, "NOT_RUN") << "no compiler is no failure";
    EXPECT_EQ(result.stages[1].stage, "ORACLE");
    EXPECT_EQ(result.stages[1].end, "OK");
  }
}

TEST_F(Jobs, WrongValueIsAWrongResultAtItsPlace) {
  const JobResult result = Run(AddJob("    if i < N { st c[i] <- (ld a[i]) - (ld b[i]) }"));
  EXPECT_EQ(result.verdict, Verdict::kWrongResult);
  EXPECT_EQ(result.blame, Blame::kCandidate);
  EXPECT_EQ(result.machine, "wrong");
  EXPECT_THAT(result.detail, HasSubstr("case one: c[0] is "));
  ASSERT_TRUE(result.cases.back().difference.has_value());
  EXPECT_THAT(result.cases.back().difference->index, ::testing::ElementsAre(0));
}

TEST_F(Jobs, UnwrittenTailIsIncomplete) {
  const JobResult result = Run(AddJob("    if i < N - N % 2 { st c[i] <- (ld a[i]) + (ld b[i]) }"));
  EXPECT_EQ(result.verdict, Verdict::kIncompleteOutput) << result.detail;
  EXPECT_THAT(result.detail, HasSubstr("1 of 1 elements of c are never written"));
}

TEST_F(Jobs, OutOfBoundsReadIsADeviceFaultWithItsFinding) {
  const JobResult result = Run(AddJob("    st c[i] <- (ld a[i]) + (ld b[i])"));
  EXPECT_EQ(result.verdict, Verdict::kDeviceFault) << result.detail;
  EXPECT_THAT(result.detail, HasSubstr("CK2001"));
  EXPECT_THAT(result.diagnostics_json, HasSubstr("CK2001"));
}

TEST_F(Jobs, EndlessLoopIsAHangByTheStepLimit) {
  const JobResult result = Run(AddJob(
      "    var x: f32 = 0.0\n    while x < 1.0 { x = x * 0.5 }\n    if i < N { st c[i] <- x }"));
  EXPECT_EQ(result.verdict, Verdict::kHang) << result.detail;
  EXPECT_THAT(result.detail, HasSubstr("case one"));
}

TEST_F(Jobs, TheNextCandidateIsServedAfterEachFailure) {
  EXPECT_NE(Run(AddJob("    st c[i] <- 1.0")).verdict, Verdict::kCorrect);
  EXPECT_EQ(Run(AddJob("    if i < N { st c[i] <- (ld a[i]) + (ld b[i]) }")).verdict,
            Verdict::kCorrect);
}

TEST_F(Jobs, ProgramThatDoesNotFitTheContractIsRejected) {
  Job job = CorpusJob("vector_add");
  job.workload = CorpusJob("rmsnorm").workload;
  const JobResult result = Run(job);
  EXPECT_EQ(result.verdict, Verdict::kRejectedData);
  for (const char* code : {"CK9101", "CK9102", "CK9104"})
    EXPECT_THAT(result.diagnostics_json, HasSubstr(code));
  job.program.source = "program {";
  EXPECT_EQ(Run(job).verdict, Verdict::kRejectedData);
}

TEST_F(Jobs, UnknownCaseIsAnErrorOfTheJob) {
  Job job = CorpusJob("vector_add");
  job.cases = {"no_such_case"};
  EXPECT_EQ(evaluator_->Run(job, [](const std::string&, int) {}).status().code(),
            absl::StatusCode::kInvalidArgument);
}

TEST_F(Jobs, SeedsDecideTheInputsAndNothingElse) {
  Job job = AddJob("    if i < N { st c[i] <- (ld a[i]) - (ld b[i]) }");
  const auto got = [&](uint64_t seed) {
    job.seed = seed;
    return Run(job).cases.back().difference->got;
  };
  EXPECT_EQ(got(5), got(5));
  EXPECT_NE(got(5), got(6));
}

TEST_F(Jobs, JobAndResultRoundTripAndTheReceiptIsCanonical) {
  Job job = CorpusJob("vector_add");
  job.program.binding = {{"WARPS", 4}};
  job.cases = {"tile", "empty"};
  job.fresh_child = true;
  const auto again = JobFromJson(ToJson(job));
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(ToJson(*again), ToJson(job));
  const JobResult result = Run(job);
  EXPECT_EQ(result.verdict, Verdict::kCorrect) << result.detail;
  const auto read = JobResultFromJson(ToJson(result));
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->verdict, result.verdict);
  EXPECT_EQ(read->hashes, result.hashes);
  const std::string receipt = ReceiptJson(job, result);
  EXPECT_EQ(receipt, contract::CanonicalJson(receipt));
  EXPECT_EQ(receipt, ReceiptJson(job, Run(job))) << "equal runs give equal receipts";
}

// The objects of a lease are any bytes: one that is no text is refused, before a process is
// started.
TEST(JobProcess, TextThatIsNotUtf8IsRefused) {
  Job job = CorpusJob("vector_add");
  job.direct_cuda = "// \xff\n";
  JobProcess process({.worker = "/nowhere/cake-worker"});
  EXPECT_EQ(process.Start(job).code(), absl::StatusCode::kInvalidArgument);
}

TEST(JobFile, LimitsAreBounded) {
  Job job = CorpusJob("vector_add");
  job.limits = {.compile_cpu_s = int64_t{1} << 62,
                .case_wall_ms = int64_t{1} << 62,
                .launch_ms = -(int64_t{1} << 62)};
  const auto read = JobFromJson(ToJson(job));
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->limits.compile_cpu_s, kCompileCpuSecondsMax);
  EXPECT_EQ(read->limits.case_wall_ms, kJobWaitMsMax);
  EXPECT_EQ(read->limits.launch_ms, 1);
}

TEST(Findings, EachKindHasItsVerdict) {
  EXPECT_EQ(VerdictOfFinding("CK2001"), Verdict::kDeviceFault);
  EXPECT_EQ(VerdictOfFinding("CK2010"), Verdict::kNondeterministic);
  EXPECT_EQ(VerdictOfFinding("CK2023"), Verdict::kRaceObserved);
  EXPECT_EQ(VerdictOfFinding("CK2030"), Verdict::kHang);
  EXPECT_EQ(VerdictOfFinding("CK2042"), Verdict::kHang);
  EXPECT_EQ(VerdictOfFinding("CK2044"), Verdict::kDeviceFault) << "an index out of bounds";
  EXPECT_EQ(VerdictOfFinding("CK6201"), Verdict::kHang);
  EXPECT_EQ(VerdictOfFinding("CK2090"), Verdict::kLaunchFailed) << "assumed more than promised";
}

// The rows of the daemon's table (server/routing) that a verdict alone does not settle.
TEST(JobFile, WithoutADaemonTheMachineSaysWhoseFaultItWas) {
  struct Row {
    Verdict verdict;
    const char* machine;
    bool varies;
    Verdict routed;
    Blame blame;
  };
  const Row rows[] = {
      {Verdict::kNondeterministic, "right", true, Verdict::kNondeterministic, Blame::kSystem},
      {Verdict::kNondeterministic, "wrong", true, Verdict::kNondeterministic, Blame::kCandidate},
      {Verdict::kNondeterministic, "not_run", true, Verdict::kNondeterministic, Blame::kCandidate},
      {Verdict::kRaceObserved, "right", true, Verdict::kRaceObserved, Blame::kSystem},
      {Verdict::kWrongResult, "right", true, Verdict::kWrongResult, Blame::kSystem},
      {Verdict::kWrongResult, "right", false, Verdict::kMachineDisagrees, Blame::kSystem},
      {Verdict::kStaleOutput, "right", false, Verdict::kMachineDisagrees, Blame::kSystem},
      {Verdict::kWrongResult, "wrong", false, Verdict::kWrongResult, Blame::kCandidate},
      {Verdict::kHang, "right", true, Verdict::kHang, Blame::kCandidate},
      {Verdict::kInfraDevice, "right", true, Verdict::kInfraDevice, Blame::kInfra}};
  for (const Row& row : rows) {
    JobResult result{.verdict = row.verdict, .blame = contract::DefaultBlame(row.verdict)};
    result.device_json = R"({"uuid": "GPU-1"})";
    result.machine = row.machine, result.varies = row.varies;
    Route(result);
    EXPECT_EQ(result.verdict, row.routed) << contract::ToString(row.verdict) << row.machine;
    EXPECT_EQ(result.blame, row.blame) << contract::ToString(row.verdict) << row.machine;
  }
}

TEST(JobFile, ExitCodesFollowTheBlame) {
  JobResult result;
  const auto code = [&](Verdict verdict) {
    result.verdict = verdict;
    result.blame = contract::DefaultBlame(verdict);
    return ExitCodeOf(result);
  };
  EXPECT_EQ(code(Verdict::kCorrect), 0);
  EXPECT_EQ(code(Verdict::kWrongResult), 1);
  EXPECT_EQ(code(Verdict::kLoweringFailed), 3);
  EXPECT_EQ(code(Verdict::kInfraDevice), 3);
  EXPECT_EQ(code(Verdict::kContractSuspect), 2);
  const EvaluatorOptions options{.worker = CAKE_WORKER};
  EXPECT_EQ(RunJobFile(options, "/nowhere/job.json", "", "", ""), 2);
}

TEST(JobFile, BrokenJobsAreRefused) {
  for (const char* text : {"", "{", "[]", R"({"schema": 2})", R"({"schema": 1, "source": "x"})",
                           R"({"schema": 1, "source": "x", "contract_text": "nope: 1"})"}) {
    EXPECT_EQ(JobFromJson(text).status().code(), absl::StatusCode::kInvalidArgument) << text;
  }
}

TEST(SandboxMin, IsRefusedWhereItCannotBeHeld) {
  const EvaluatorOptions options{
      .worker = CAKE_WORKER, .sandbox_min = child::Level::kL3, .sandbox_max = child::Level::kL1};
  const auto evaluator = Evaluator::Create(options);
  EXPECT_EQ(evaluator.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(evaluator.status().message()), HasSubstr("--sandbox-min"));
}

TEST(ProgramCache, HoldsWhatWasPut) {
  const std::string dir = ::testing::TempDir() + "/programs";
  std::filesystem::remove_all(dir);
  const std::string id(64, 'b');
  EXPECT_EQ(GetProgram(dir, id).status().code(), absl::StatusCode::kNotFound);
  ASSERT_TRUE(PutProgram(dir, id, {"src", "p", "f", "sm_90a", {{"BN", 256}}}).ok());
  ASSERT_TRUE(PutProgram(dir, id, {"other", "", "", "", {}}).ok()) << "the first stays";
  const auto got = GetProgram(dir, id).value();
  EXPECT_EQ(got.source, "src");
  EXPECT_EQ(got.binding.at("BN"), 256);
  EXPECT_FALSE(PutProgram(dir, "../x", {}).ok());
}

}  // namespace
}  // namespace runner::worker
