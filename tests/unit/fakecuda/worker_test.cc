// The whole CUDA side of the worker against the fake libraries: real children, real sandbox, a
// launch that runs the program, and each fault of the plan.
#include <set>

#include "runner/compile/compiler.h"
#include "runner/worker/passport.h"
#include "tests/unit/fakecuda/fake_worker.h"

namespace runner::worker {
namespace {

using contract::Blame;
using contract::Verdict;
using ::testing::HasSubstr;

TEST_F(Fake, CorpusProgramsAreCorrect) {
  const JobResult add = Run(CorpusJob("vector_add"));
  EXPECT_EQ(add.verdict, Verdict::kCorrect) << add.detail;
  const JobResult norm = Again(CorpusJob("rmsnorm"));
  EXPECT_EQ(norm.verdict, Verdict::kCorrect) << norm.detail;
  EXPECT_THAT(norm.device_json, HasSubstr("Cake simulated GPU"));
  EXPECT_THAT(norm.build_json, HasSubstr("\"registers\":32"));
}

// The launcher makes the maps, the driver checks them, and the launch compares them with the
// program's; the case without elements launches nothing and makes none.
TEST_F(Fake, TensorMapsReachTheKernel) {
  Job job = CorpusJob("vector_add");
  job.program.source =
      "program add target sm_90\n"
      "dim N in 0..=1073741824\n"
      "in a: f32[N], b: f32[N]\n"
      "out c: f32[N]\n"
      "kernel add {\n"
      "  grid (ceildiv(N, 256))\n"
      "  smem left: f32[256]\n"
      "  smem right: f32[256]\n"
      "  event full[1] count 1\n"
      "  role main: warps 8 {\n"
      "    if warp == 0 {\n"
      "      tma.load left <- a[cta*256:+256] on full@0\n"
      "      tma.load right <- b[cta*256:+256] on full@0\n"
      "      expect full@0\n"
      "    }\n"
      "    wait full@0\n"
      "    let i = cta*256 + thread\n"
      "    if i < N { st c[i] <- (ld left[thread]) + (ld right[thread]) }\n"
      "  }\n"
      "}\n";
  const JobResult result = Run(job);
  EXPECT_EQ(result.verdict, Verdict::kCorrect) << result.detail;
}

// A workspace that has to be zero, last in an image of several chunks: the copy of its poison must
// be in place before the launch clears it.
TEST_F(Fake, TheImageIsInPlaceBeforeTheLaunch) {
  Job job = AddJob(
      "    once { st seen[cta] <- (ld seen[cta]) + 1.0 }\n"
      "    sync cta\n"
      "    if i < N && (ld seen[cta]) == 1.0 { st c[i] <- (ld a[i]) + (ld b[i]) }");
  job.program.source.insert(job.program.source.find("kernel add"),
                            "workspace seen: f32[ceildiv(N, 256)] zero\n");
  for (contract::Case& at : job.workload.cases) {
    if (at.name == job.cases.front()) at.dims["N"] = 100003;
  }
  const JobResult result = Run(job);
  EXPECT_EQ(result.verdict, Verdict::kCorrect) << result.detail;
}

// 132 SMs, which the description of sm_90a has, hold the grid; the fake device has four.
TEST_F(Fake, ACooperativeGridThatDoesNotFitIsRefusedAsTheDriverDoes) {
  Job job = AddJob("    if i < N { st c[i] <- (ld a[i]) + (ld b[i]) }\n    grid.sync");
  for (contract::Case& at : job.workload.cases) at.dims["N"] = 256 * 100;
  const JobResult result = Run(job);
  EXPECT_EQ(result.verdict, Verdict::kLaunchFailed) << result.detail;
  EXPECT_THAT(result.detail, HasSubstr("CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE"));
}

TEST_F(Fake, TheBestSandboxOfThisMachineIsGoodEnough) {
  EvaluatorOptions options = Options("{}");
  options.sandbox_max = child::Level::kL3;
  const JobResult result = RunWith(options, AddJob(kRight));
  EXPECT_EQ(result.verdict, Verdict::kCorrect) << result.detail;
}

TEST_F(Fake, AProgramThatIsWrongGivesWrongBytes) {
  const JobResult result = Run(AddJob("    if i < N { st c[i] <- (ld a[i]) - (ld b[i]) }"));
  EXPECT_EQ(result.verdict, Verdict::kWrongResult) << result.detail;
  EXPECT_EQ(result.blame, Blame::kCandidate);
  const JobResult next = Again(AddJob(kRight));
  EXPECT_EQ(next.verdict, Verdict::kCorrect) << next.detail;
}

TEST_F(Fake, AnAccessOutsideIsADeviceFaultAndTheNextCandidateIsServed) {
  const JobResult result = Run(AddJob("    st c[i] <- (ld a[i]) + (ld b[i])"));
  EXPECT_EQ(result.verdict, Verdict::kDeviceFault) << result.detail;
  EXPECT_THAT(result.detail, HasSubstr("CUDA_ERROR_ILLEGAL_ADDRESS"));
  EXPECT_EQ(Again(AddJob(kRight)).verdict, Verdict::kCorrect);
}

TEST_F(Fake, ALaunchWithoutEndIsAHangAndTheNextCandidateIsServed) {
  const std::string plan = R"({"max_lane_statements": 200000})";
  const JobResult result = Run(AddJob("    var x: f32 = 0.0\n    while x < 1.0 { x = x * 0.5 }\n"
                                      "    if i < N { st c[i] <- x }"),
                               plan);
  EXPECT_EQ(result.verdict, Verdict::kHang) << result.detail;
  EXPECT_EQ(Again(AddJob(kRight)).verdict, Verdict::kCorrect);
}

// The consumer gives back one slot less than the producer asks for: both wait, each for the other's
// use, and the words say for which.
constexpr char kStuckRing[] =
    "program add target sm_90\n"
    "dim N in 0..=1073741824\n"
    "in a: f32[N], b: f32[N]\n"
    "out c: f32[N]\n"
    "kernel add {\n"
    "  grid (1)\n"
    "  ring r[2] { v: f32[32] } from fill to drain\n"
    "  role fill: warps 1 {\n"
    "    for k in 0..4 {\n"
    "      acquire r@k\n"
    "      st r.v@k[lane] <- 1.0\n"
    "      commit r@k\n"
    "    }\n"
    "  }\n"
    "  role drain: warps 1 {\n"
    "    for k in 0..5 {\n"
    "      wait r@k\n"
    "      if lane < N { st c[lane] <- ld r.v@k[lane] }\n"
    "      release r@k\n"
    "    }\n"
    "  }\n"
    "}\n";

TEST_F(Fake, AHangIsOpenedAndSaysWhoWaitsForWhichUse) {
  Job job = CorpusJob("vector_add");
  job.program.source = kStuckRing;
  job.attempts = 1;
  std::erase_if(job.cases, [&](const std::string& name) {
    return contract::FindCase(job.workload, name)->dims.at("N") < 32;
  });
  ASSERT_FALSE(job.cases.empty());
  const JobResult result = Run(job);
  EXPECT_EQ(result.verdict, Verdict::kHang) << result.detail;
  const oracle::Check& check = CheckOf(result, kCheckAutopsy);
  EXPECT_EQ(check.outcome, oracle::Outcome::kFail);
  EXPECT_EQ(check.detail,
            "role drain waits at line 17, at `wait` of r for use 4 (stage 0, parity 0): 1 warp of "
            "1 CTA; 32 of 64 threads ended");
  EXPECT_THAT(result.detail, HasSubstr("role drain waits at line 17"));
  EXPECT_THAT(result.objects.at("autopsy"), HasSubstr("\"event\":\"r\""));
  EXPECT_EQ(Again(AddJob(kRight)).verdict, Verdict::kCorrect);
}

// A loop without end waits for nothing: the words say that too.
TEST_F(Fake, AHangWithoutAWaitIsOneThatRuns) {
  Job job = AddJob(
      "    var x: f32 = 0.0\n    while x < 1.0 { x = x * 0.5 }\n"
      "    if i < N { st c[i] <- x }");
  job.attempts = 1;
  const JobResult result = Run(job, R"({"max_lane_statements": 200000})");
  EXPECT_EQ(result.verdict, Verdict::kHang) << result.detail;
  EXPECT_THAT(CheckOf(result, kCheckAutopsy).detail,
              HasSubstr("nobody waits at an event or barrier"));
}

// The second build finished: said so, and nothing is made up.
TEST_F(Fake, AHangThatDoesNotComeAgainHasNoAutopsy) {
  Job job = AddJob(kRight);
  job.attempts = 1;
  const JobResult result = Run(job, R"({"rules": [{"fault": "hang", "attempt": 1}]})");
  EXPECT_EQ(result.verdict, Verdict::kHang) << result.detail;
  const oracle::Check& check = CheckOf(result, kCheckAutopsy);
  EXPECT_EQ(check.outcome, oracle::Outcome::kNotRun);
  EXPECT_THAT(check.detail, HasSubstr("a matter of timing"));
}

TEST_F(Fake, AnInjectedHangIsFinalOnlyAfterASecondAttempt) {
  const JobResult twice = Run(AddJob(kRight), R"({"rules": [{"fault": "hang", "nth": 1}]})");
  EXPECT_EQ(twice.verdict, Verdict::kHang) << twice.detail;
}

TEST_F(Fake, AHangOfTheFirstAttemptOnlyIsForgiven) {
  const JobResult once = Run(AddJob(kRight), R"({"rules": [{"fault": "hang", "attempt": 1}]})");
  EXPECT_EQ(once.verdict, Verdict::kCorrect) << once.detail;
}

TEST_F(Fake, StickyErrorsAreDeviceFaults) {
  for (const int code : {700, 719}) {
    const JobResult result = Run(AddJob(kRight), R"({"rules": [{"fault": "sticky", "code": )" +
                                                     std::to_string(code) + "}]}");
    EXPECT_EQ(result.verdict, Verdict::kDeviceFault) << code << " " << result.detail;
  }
}

TEST_F(Fake, NoMemoryIsTheDevicesFault) {
  const JobResult result =
      Run(AddJob(kRight), R"({"rules": [{"stage": "alloc", "nth": 3, "fault": "oom"}]})");
  EXPECT_EQ(result.verdict, Verdict::kInfraDevice) << result.detail;
  EXPECT_EQ(result.blame, Blame::kInfra);
}

TEST_F(Fake, AContextThatCannotBeMadeIsTheDevicesFault) {
  const JobResult result =
      Run(AddJob(kRight), R"({"rules": [{"stage": "context", "fault": "error", "code": 999}]})");
  EXPECT_EQ(result.verdict, Verdict::kInfraDevice) << result.detail;
  EXPECT_THAT(result.detail, HasSubstr("cuCtxCreate"));
}

// Every launch gives the same wrong bytes, and the machine says that the program is right.
TEST_F(Fake, BytesThatTheDeviceGetsWrongAreFoundAtTheirPlace) {
  const JobResult result =
      Run(AddJob(kRight), R"({"rules": [{"fault": "flip", "byte": 0, "count": 4}]})");
  EXPECT_EQ(result.verdict, Verdict::kWrongResult) << result.detail;
  EXPECT_EQ(result.machine, "right");
  EXPECT_THAT(result.detail, HasSubstr("c[0]"));
}

TEST_F(Fake, BytesThatAreWrongOnlyOnceAreNondeterminism) {
  const JobResult result =
      Run(AddJob(kRight), R"({"rules": [{"fault": "flip", "nth": 2, "byte": 0, "count": 4}]})");
  EXPECT_EQ(result.verdict, Verdict::kNondeterministic) << result.detail;
  EXPECT_TRUE(result.varies);
  EXPECT_EQ(result.machine, "right");
}

TEST_F(Fake, AChildThatDiesIsInfrastructure) {
  const JobResult result = Run(AddJob(kRight), R"({"rules": [{"fault": "kill"}]})");
  EXPECT_EQ(result.blame, Blame::kInfra) << result.detail;
  EXPECT_NE(result.verdict, Verdict::kCorrect);
}

// Libraries of others run in the child: its last words say where.
TEST_F(Fake, AChildThatFaultsSaysWhatItWasDoing) {
  Job job = TimedJob();
  job.protocol = "rot-graph-v1";
  const JobResult result =
      Run(job, R"({"rules": [{"stage": "timed", "fault": "kill", "code": 11}]})");
  EXPECT_EQ(result.verdict, Verdict::kInfraDevice);
#if !defined(__SANITIZE_ADDRESS__)
  EXPECT_THAT(result.detail, HasSubstr("signal 11"));
  EXPECT_THAT(result.detail, HasSubstr("while tracing the nodes of the graph of the candidate"));
  EXPECT_THAT(result.detail, HasSubstr("libcuda.so.1")) << "the stack";
#endif
}

TEST_F(Fake, ARefusedCompilationIsTheSystemsFault) {
  const JobResult result =
      Run(AddJob(kRight), R"({"rules": [{"stage": "compile", "program": "", "nth": 2, )"
                          R"("fault": "error"}]})");  // the first is the compile child's warm-up
  EXPECT_EQ(result.verdict, Verdict::kLoweringFailed) << result.detail;
  EXPECT_EQ(result.blame, Blame::kSystem);
  EXPECT_THAT(result.detail, HasSubstr("error: injected"));
}

// The job's own limit counts, and what passed the gates is not blamed for it.
TEST_F(Fake, ACompilationOverTheJobsLimitIsTheSystemsFault) {
  Job job = AddJob(kRight);
  job.limits.compile_cpu_s = 1;
  const JobResult result =
      Run(job, R"({"rules": [{"stage": "compile", "program": "", "nth": 2, "fault": "hang"}]})");
  EXPECT_EQ(result.verdict, Verdict::kCompileLimit) << result.detail;
  EXPECT_EQ(result.blame, Blame::kSystem);
  EXPECT_EQ(result.detail, "more than 1 s of CPU time");
}

// Through the compiler's own interface, with limits that a test can wait for.
class FakeCompiler : public Fake {
 protected:
  compile::Build Compile(const std::string& fault) {
    const EvaluatorOptions from =
        Options(R"({"rules": [{"stage": "compile", "nth": 2, "attempt": 1,)"
                R"("fault": ")" +
                fault + "\"}]}");
    fs::remove_all(dir_ + "/state");  // the next process is attempt 1 again
    fs::create_directory(dir_ + "/state");
    chmod((dir_ + "/state").c_str(), 0777);
    auto compiler = compile::Compiler::Start({.worker = from.worker,
                                              .nvrtc = from.libnvrtc,
                                              .environment = from.environment,
                                              .visible = from.visible,
                                              .cpu_seconds = 1,
                                              .address_bytes = int64_t{1} << 30});
    EXPECT_TRUE(compiler.ok()) << compiler.status();
    if (!compiler.ok()) return {};
    const compile::Request request{
        .cuda = "__global__ void k() {}", .file_name = "k.cu", .arch = "sm_90a"};
    auto build = (*compiler)->Compile(request);
    EXPECT_TRUE(build.ok()) << build.status();
    const auto next = (*compiler)->Compile(request);
    EXPECT_TRUE(next.ok() && next->outcome == compile::Outcome::kBuilt) << next.status();
    return build.ok() ? *std::move(build) : compile::Build();
  }
};

TEST_F(FakeCompiler, ExplosionsAndSpinsMeetTheirLimits) {
  EXPECT_EQ(Compile("bomb").outcome, compile::Outcome::kLimit);
  EXPECT_EQ(Compile("hang").outcome, compile::Outcome::kLimit);
}

TEST_F(FakeCompiler, ADeathIsACrashAndARefusalIsARefusal) {
  EXPECT_EQ(Compile("kill").outcome, compile::Outcome::kCrashed);
  const compile::Build refused = Compile("error");
  EXPECT_EQ(refused.outcome, compile::Outcome::kRefused);
  EXPECT_THAT(refused.log, HasSubstr("k.cu(1): error: injected"));
}

// ---- Timing

TEST_F(Fake, TimesAreSimulatedAndComeFromTheRecords) {
  const JobResult result = Run(TimedJob());
  ASSERT_EQ(result.verdict, Verdict::kCorrect) << result.detail;
  EXPECT_EQ(result.source, "SIMULATED");
  ASSERT_FALSE(result.timings.empty());
  for (const CaseTiming& timing : result.timings) {
    EXPECT_EQ(timing.clock, "cupti");
    EXPECT_FALSE(timing.candidate.cold_ns.empty());
    EXPECT_THAT(timing.kernels, ::testing::ElementsAre("add_add"));
    // The same program at the same size takes the same time, always.
    for (const double ns : timing.candidate.cold_ns) {
      EXPECT_EQ(ns, timing.candidate.cold_ns.front());
    }
  }
  const JobResult again = Again(TimedJob());
  EXPECT_EQ(again.timings[0].candidate.cold_ns, result.timings[0].candidate.cold_ns);
}

constexpr double kGigabytesPerSecond = 4300;  // of the simulated device's architecture, sm_90a

// The passport that a worker measures before it serves, at sizes that the machine can run.
TEST_F(Fake, APassportHasAFloorForEveryClassThatItTimed) {
  auto job = PassportJob();
  ASSERT_TRUE(job.ok()) << job.status();
  int64_t elements = 1000;
  for (contract::Case& at : job->workload.cases) at.dims["N"] = elements += 24;
  job->repeats = 2;
  const JobResult result = Run(*job);
  ASSERT_EQ(result.verdict, Verdict::kCorrect) << result.detail;
  EXPECT_TRUE(result.cases.empty()) << "a calibration has no oracle";
  ASSERT_EQ(result.timings.size(), 6u);
  EXPECT_EQ(result.timings[0].ratio.median, 1);
  const auto floors = FloorsOf(result);
  ASSERT_TRUE(floors.ok()) << floors.status();
  EXPECT_THAT(*floors,
              ::testing::ElementsAre(::testing::Pair("under_10us", timing::kNoiseFloorMin)));
  EXPECT_EQ(FloorsOf(JobResult{}).status().code(), absl::StatusCode::kFailedPrecondition);
}

// A state in place: after 15 runs on two images the outputs are still those of one step.
TEST_F(Fake, EverySampleStartsFromTheSameContents) {
  const JobResult result =
      Run(TimedCorpusJob("ssu_decode", {{"B", 3}, {"G", 1}, {"HG", 2}, {"SPARE", 1}}));
  ASSERT_EQ(result.verdict, Verdict::kCorrect) << result.detail;
  EXPECT_FALSE(result.varies);
  ASSERT_EQ(result.timings.size(), 3u);
}

// A program that runs the longer the more runs there were before: times follow the contents, so
// that each image gives one time, to the candidate as to the baseline. What precedes a sample is
// in neither clock: the simulated device is as fast cold as warm, and 400 ns lie between an event
// and the next operation.
TEST_F(Fake, RestoresAreInNoClock) {
  Job job = TimedCorpusJob("ssu_decode", {{"B", 2}, {"G", 1}, {"HG", 1}, {"SPARE", 0}});
  const std::string at = "      let step = ld dt[b, h]\n";
  ASSERT_NE(job.program.source.find(at), std::string::npos);
  job.program.source.insert(job.program.source.find(at),
                            "      var left: f32 = ld own[r, c]\n"
                            "      while left > 0.0 { left = left - 0.001 }\n");
  job.baseline = job.program;
  const JobResult result = Run(job);
  ASSERT_EQ(result.verdict, Verdict::kCorrect) << result.detail;
  for (const CaseTiming& timing : result.timings) {
    const Series& mine = timing.candidate;
    const std::set<double> times(mine.cold_ns.begin(), mine.cold_ns.end());
    EXPECT_EQ(times.size(), 2u) << "one an image";
    EXPECT_EQ(std::set<double>(mine.warm_ns.begin(), mine.warm_ns.end()), times);
    EXPECT_EQ(std::set<double>(timing.baseline.cold_ns.begin(), timing.baseline.cold_ns.end()),
              times);
    for (size_t i = 0; i < mine.cold_ns.size(); ++i) {
      EXPECT_NEAR(mine.events_ns[i], mine.cold_ns[i] + 400, 1);
    }
    EXPECT_THAT(timing.kernels, ::testing::ElementsAre("ssu_decode_update"));
  }
}

// B = 6, 2 query heads on each of 4: of a cache of 832 KiB a run has to write 12 KiB.
TEST_F(Fake, OnlyWhatARunHasToTouchCounts) {
  const JobResult result =
      Run(TimedCorpusJob("rope_append", {{"B", 6}, {"G", 2}, {"HK", 4}, {"P", 4}, {"SPARE", 2}}));
  ASSERT_EQ(result.verdict, Verdict::kCorrect) << result.detail;
  const double read = 6 * 16 * 128 + 2 * 6 * 4 * 128 * 2 + 128 * 4 + 6 * 4 + 6 * 4;
  ASSERT_EQ(read, 25136) << "q, k, v, a row of angles, lengths, one page number a sequence";
  const double written = 6 * 16 * 128 + 2 * 6 * 4 * 128 * 2;
  ASSERT_EQ(written, 24576) << "qr and a slot a sequence in both caches; fits the L2";
  EXPECT_DOUBLE_EQ(result.timings[0].speed_of_light_ns, read / kGigabytesPerSecond);
  EXPECT_EQ(result.timings[0].copy_bytes, 49664) << "halves of whole 256 bytes";
}

TEST_F(Fake, AProgramThatTouchesAllIsComparedWithACopyOfAll) {
  const JobResult result = Run(TimedJob());
  ASSERT_EQ(result.verdict, Verdict::kCorrect) << result.detail;
  EXPECT_DOUBLE_EQ(result.timings[0].speed_of_light_ns, 24000 / kGigabytesPerSecond);
  EXPECT_EQ(result.timings[0].copy_bytes, 35840) << "of 36000";
}

TEST_F(Fake, WithoutCuptiTheProtocolSaysSo) {
  EvaluatorOptions options = Options("{}");
  options.libcupti = "none";
  const JobResult result = RunWith(options, TimedJob());
  ASSERT_EQ(result.verdict, Verdict::kCorrect) << result.detail;
  EXPECT_EQ(result.timings[0].clock, "events");
  EXPECT_TRUE(result.timings[0].protocol.ends_with("-events"));
}

TEST_F(Fake, AThrottledDeviceIsSlower) {
  const double plain = Run(TimedJob()).timings.at(0).candidate.cold_ns.at(0);
  const double slow = Run(TimedJob(), R"({"rules": [{"fault": "throttle", "factor": 3}]})")
                          .timings.at(0)
                          .candidate.cold_ns.at(0);
  EXPECT_GT(slow, 2 * plain);
}

TEST_F(Fake, ClocksThatDisagreeShow) {
  const JobResult result =
      Run(TimedJob(), R"({"rules": [{"stage": "timed", "fault": "skew", "factor": 20}]})");
  if (!result.timings.empty()) {
    EXPECT_GT(result.timings[0].candidate.events_ns.back(),
              5 * result.timings[0].candidate.cold_ns.back());
  }
  EXPECT_NE(result.blame, Blame::kCandidate);
}

}  // namespace
}  // namespace runner::worker
