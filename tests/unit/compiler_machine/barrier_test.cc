// Named barriers between roles: pipelines that work, and each way in which they do not.
#include "tests/unit/compiler_machine/source_harness.h"

namespace compiler::machine {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

// A producer fills two slots in turn, a consumer doubles them. `full` and `empty` carry the slots
// over.
std::string Pipeline(const std::string& produce, const std::string& consume,
                     const std::string& full_threads = "64", const std::string& prologue = "") {
  return "program p target sm_90a\ndim T in 0..=64\nin x: f32[64, 32]; out y: f32[64, 32]\n"
         "kernel k {\n  grid (1)\n  smem b[2]: f32[32]\n"
         "  barrier full[2] threads " +
         full_threads +
         "\n  barrier empty[2] threads 64\n"
         "  role load: warps 1 {\n    for t in 0..T {\n" +
         produce +
         "    }\n  }\n"
         "  role math: warps 1 {\n" +
         prologue + "    for t in 0..T {\n" + consume + "    }\n  }\n}\n";
}

const char* const kProduce =
    "      bar.sync empty[t % 2]\n      st b@t[lane] <- ld x[t, lane]\n      bar.arrive full[t % "
    "2]\n";
const char* const kConsume =
    "      bar.sync full[t % 2]\n      st y[t, lane] <- ld b@t[31 - lane]\n"
    "      if t + 2 < T { bar.arrive empty[t % 2] }\n";
const char* const kPrologue = "    for s in 0..min(T, 2) { bar.arrive empty[s] }\n";

std::vector<float> Input() {
  std::vector<float> x(64 * 32);
  for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i) * 0.25f;
  return x;
}

Ran RunPipeline(const std::string& source, int64_t trips, uint64_t seed = 0) {
  Options options;
  options.schedule_seed = seed;
  return RunSource(source, {{"T", trips}}, {{"x", Bytes(Input())}}, options);
}

TEST(Pipeline, CarriesValuesForAnyNumberOfTrips) {
  const std::string source = Pipeline(kProduce, kConsume, "64", kPrologue);
  const std::vector<float> x = Input();
  for (const int64_t trips : {0, 1, 2, 3, 7, 64}) {
    const Ran ran = RunPipeline(source, trips);
    ASSERT_THAT(ran.Codes(), IsEmpty()) << trips << ran.text;
    const std::vector<float> y = ran.Values<float>("y");
    for (int64_t i = 0; i < trips * 32; ++i) {
      ASSERT_EQ(y[static_cast<size_t>(i)], x[static_cast<size_t>(i / 32 * 32 + 31 - i % 32)]) << i;
    }
  }
}

TEST(Pipeline, WithoutTheEmptySideTheProducerRunsAhead) {
  // Nothing tells the producer that generation g of `full` is complete before it arrives again.
  const std::string source =
      Pipeline("      st b@t[lane] <- ld x[t, lane]\n      bar.arrive full[t % 2]\n",
               "      bar.sync full[t % 2]\n      st y[t, lane] <- ld b@t[31 - lane]\n");
  const Ran two = RunPipeline(source, 2);
  EXPECT_THAT(two.Codes(), IsEmpty()) << two.text;
  const Ran three = RunPipeline(source, 3);
  EXPECT_THAT(three.Codes(), testing::Contains("CK2042")) << three.text;
  EXPECT_EQ(three.result.outcome, Outcome::kFault);
}

TEST(Pipeline, ReadingBeforeTheHandOverIsARace) {
  const Ran ran =
      RunPipeline(Pipeline(kProduce,
                           "      st y[t, lane] <- ld b@t[31 - lane]\n      bar.sync full[t % 2]\n"
                           "      if t + 2 < T { bar.arrive empty[t % 2] }\n",
                           "64", kPrologue),
                  1);
  // The consumer reads before anything is written, or while it is.
  EXPECT_NE(ran.Codes().size(), 0u) << ran.text;
}

TEST(Pipeline, ReleasingBeforeTheReadIsARaceThatNamesTheHandOver) {
  const std::string source =
      Pipeline(kProduce,
               "      bar.sync full[t % 2]\n      if t + 2 < T { bar.arrive empty[t % 2] }\n"
               "      st y[t, lane] <- ld b@t[31 - lane]\n",
               "64", kPrologue);
  EXPECT_THAT(RunPipeline(source, 2).Codes(), IsEmpty());
  const Ran ran = RunPipeline(source, 4);
  ASSERT_THAT(ran.Codes(), ElementsAre("CK2020")) << ran.text;
  const diag::Diagnostic& d = ran.result.report.diagnostics()[0];
  EXPECT_EQ(d.instance.role, "load");
  EXPECT_THAT(d.labels[0].text, HasSubstr("read here by role math"));
  EXPECT_THAT(d.fixes, IsEmpty());
}

TEST(Pipeline, AMissingArrivalDeadlocksAndTheGraphSaysWhy) {
  const std::string source =
      Pipeline(kProduce, "      bar.sync full[t % 2]\n      st y[t, lane] <- ld b@t[31 - lane]\n",
               "64", kPrologue);
  EXPECT_THAT(RunPipeline(source, 2).Codes(), IsEmpty());
  const Ran ran = RunPipeline(source, 3);
  ASSERT_THAT(ran.Codes(), ElementsAre("CK2040")) << ran.text;
  EXPECT_EQ(ran.result.outcome, Outcome::kDeadlock);
  const diag::Diagnostic& d = ran.result.report.diagnostics()[0];
  EXPECT_EQ(d.message, "no warp can move: `empty[0]` has 32 of 64 arrivals");
  ASSERT_EQ(d.wait_graph.size(), 2u);
  EXPECT_EQ(d.wait_graph[0].waiter, "role math");
  EXPECT_EQ(d.wait_graph[0].event, "full[0]");
  EXPECT_EQ(d.wait_graph[0].missing, "role load waits for `empty[0]`");
  EXPECT_EQ(d.wait_graph[1].waiter, "role load");
  EXPECT_EQ(d.wait_graph[1].event, "empty[0]");
  EXPECT_EQ(d.wait_graph[1].missing, "role math waits for `full[0]`");
  EXPECT_EQ(d.wait_graph[1].arrived, 32);
  EXPECT_EQ(d.wait_graph[1].needed, 64);
}

// Two consumer warps on a barrier declared for one: its generations open without the other side.
TEST(Pipeline, ACountThatLeavesAWarpOutIsFound) {
  const auto program = [](const std::string& threads) {
    return "program p target sm_90a\nout y: f32[64]\nkernel k {\n  grid (1)\n  smem b: f32[32]\n"
           "  barrier full threads " +
           threads +
           "\n"
           "  role load: warps 1 { st b[lane] <- 1.0; bar.arrive full }\n"
           "  role math: warps 2 { bar.sync full; st y[thread] <- ld b[lane] }\n}\n";
  };
  const Ran right = RunSource(program("96"));
  EXPECT_THAT(right.Codes(), IsEmpty()) << right.text;
  const Ran wrong = RunSource(program("64"));
  EXPECT_THAT(wrong.Codes(), Not(IsEmpty()));
  EXPECT_NE(wrong.result.outcome, Outcome::kFinished);
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    Options options;
    options.schedule_seed = seed;
    EXPECT_THAT(RunSource(program("64"), {}, {}, options).Codes(), Not(IsEmpty())) << seed;
    EXPECT_THAT(RunSource(program("96"), {}, {}, options).Codes(), IsEmpty()) << seed;
  }
}

TEST(Barriers, AnIndexPastTheArrayIsFound) {
  const auto program = [](const std::string& index) {
    return "program p target sm_90a\nout y: f32[64]\nkernel k {\n  grid (1)\n"
           "  barrier b[2] threads 64\n  role main: warps 2 {\n"
           "    for i in 0..2 { bar.sync b[" +
           index + "] }\n    st y[thread] <- 1.0\n  }\n}\n";
  };
  const Ran wrong = RunSource(program("i + 1"));
  ASSERT_THAT(wrong.Codes(), ElementsAre("CK2044")) << wrong.text;
  EXPECT_EQ(wrong.result.report.diagnostics()[0].message, "barrier index 2 of `b` is outside 0..2");
  EXPECT_EQ(wrong.result.report.diagnostics()[0].instance.iteration, 1);
  EXPECT_THAT(RunSource(program("i")).Codes(), IsEmpty());
}

// Theory 2.2, P2: the counts fit, the cohorts do not.
TEST(Barriers, AnArrivalTwoGenerationsAheadIsFoundInEverySchedule) {
  const std::string source =
      "program p target sm_90a\nout y: f32[32]\nkernel k {\n  grid (1)\n  smem b: f32[32]\n"
      "  barrier full threads 64\n"
      "  role load: warps 1 { for i in 0..2 { st b[lane] <- 1.0; bar.arrive full } }\n"
      "  role math: warps 1 { for i in 0..2 { bar.sync full }; st y[lane] <- ld b[lane] }\n}\n";
  for (uint64_t seed = 0; seed <= 20; ++seed) {
    Options options;
    options.schedule_seed = seed;
    const Ran ran = RunSource(source, {}, {}, options);
    EXPECT_THAT(ran.Codes(), testing::Contains("CK2042")) << seed << ran.text;
  }
}

TEST(Pipeline, AnArrivalLeftOverAtExitIsFound) {
  const std::string source =
      Pipeline(kProduce,
               "      bar.sync full[t % 2]\n      st y[t, lane] <- ld b@t[31 - lane]\n"
               "      bar.arrive empty[t % 2]\n",
               "64", kPrologue);
  const Ran ran = RunPipeline(source, 4);
  EXPECT_THAT(ran.Codes(), ElementsAre("CK2041")) << ran.text;
  EXPECT_THAT(RunPipeline(Pipeline(kProduce, kConsume, "64", kPrologue), 4).Codes(), IsEmpty());
}

TEST(Pipeline, EveryScheduleGivesTheSameValuesAndFindings) {
  const std::string good = Pipeline(kProduce, kConsume, "64", kPrologue);
  const Ran canonical = RunPipeline(good, 9);
  ASSERT_THAT(canonical.Codes(), IsEmpty());
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    const Ran ran = RunPipeline(good, 9, seed);
    EXPECT_THAT(ran.Codes(), IsEmpty()) << seed << ran.text;
    EXPECT_EQ(ran.memory, canonical.memory) << seed;
    EXPECT_EQ(ran.result.lane_statements, canonical.result.lane_statements);
  }
}

TEST(PingPong, TwoWarpgroupsTakeTurns) {
  const std::string source =
      "program p target sm_90a\nout y: f32[2, 8]\nkernel k {\n  grid (1)\n  smem turns: i32[1]\n"
      "  barrier turn[2] threads 256\n  role math: warps 8 {\n"
      "    once { st turns[0] <- 0 }\n    sync role\n"
      "    if wg == 1 { bar.arrive turn[0] }\n"
      "    for t in 0..8 {\n      bar.sync turn[wg]\n"
      "      if warp % 4 == 0 { elect { let n = ld turns[0]; st turns[0] <- n + 1\n"
      "        st y[wg, t] <- cvt.f32(n) } }\n"
      "      sync wg\n"
      "      if wg == 0 || t < 7 { bar.arrive turn[1 - wg] }\n    }\n  }\n}\n";
  for (const uint64_t seed : {0, 1, 2, 3, 4, 5}) {
    Options options;
    options.schedule_seed = seed;
    const Ran ran = RunSource(source, {}, {}, options);
    ASSERT_THAT(ran.Codes(), IsEmpty()) << ran.text;
    const std::vector<float> y = ran.Values<float>("y");
    for (int t = 0; t < 8; ++t) {
      EXPECT_EQ(y[t], 2.0f * static_cast<float>(t));
      EXPECT_EQ(y[8 + t], 2.0f * static_cast<float>(t) + 1.0f);
    }
  }
}

}  // namespace
}  // namespace compiler::machine
