// Each finding: a program that has it, and the same program repaired, which has none.
#include "tests/unit/compiler_machine/source_harness.h"

namespace compiler::machine {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

struct Pair {
  std::string name;
  std::string items, bad, good;  // the kernel's text beside `grid (1)`
  std::vector<std::string> codes;
  std::string at;  // text that the primary span covers, or a part of it
};

std::ostream& operator<<(std::ostream& out, const Pair& pair) { return out << pair.name; }

const char* const kOut = "out y: f32[64]";
const char* const kInOut = "in x: f32[64]; out y: f32[64]";

const Pair kPairs[] = {
    {"global_index_outside",
     kInOut,
     "role main: warps 2 { let i = thread; st y[i] <- ld x[i + 1] }",
     "role main: warps 2 { let i = thread; st y[i] <- ld x[i + 1] else 0.0 }",
     {"CK2001"},
     "x[i + 1]"},
    {"global_store_outside",
     "out y: f32[60]",
     "role main: warps 2 { st y[thread] <- 1.0 }",
     "role main: warps 2 { if thread < 60 { st y[thread] <- 1.0 } }",
     {"CK2001"},
     "y[thread]"},
    {"global_slice_outside",
     "in x: f32[62]; out y: f32[64]",
     "role main: warps 1 { if lane < 16 { let v = ld x[lane*4:+4]; st y[lane*4:+4] <- v } }",
     "role main: warps 1 { if lane < 16 { let v = ld x[lane*4:+4] else 0.0; st y[lane*4:+4] <- v } "
     "}",
     {"CK2002"},
     "x[lane*4:+4]"},
    {"shared_index_outside",
     kOut,
     "smem b: f32[32]\nrole main: warps 2 { st b[thread] <- 1.0\n sync cta\n"
     " if thread < 32 { st y[thread] <- ld b[thread] } }",
     "smem b: f32[64]\nrole main: warps 2 { st b[thread] <- 1.0\n sync cta\n"
     " if thread < 32 { st y[thread] <- ld b[thread] } }",
     {"CK2003"},
     "b[thread]"},
    {"shared_slice_outside",
     kOut,
     "smem b: f32[62]\nrole main: warps 1 { if lane < 16 { st b[lane*4:+4] <- 1.0 }\n sync cta\n"
     " st y[lane] <- ld b[lane] }",
     "smem b: f32[64]\nrole main: warps 1 { if lane < 16 { st b[lane*4:+4] <- 1.0 }\n sync cta\n"
     " st y[lane] <- ld b[lane] }",
     {"CK2004"},
     "b[lane*4:+4]"},
    {"misaligned_vector",
     "in x: f32[80]; out y: f32[64]",
     "role main: warps 1 { if lane < 16 { let v = ld x[lane*4 + 2:+4]; st y[lane*4:+4] <- v } }",
     "role main: warps 1 { if lane < 16 { let v = ld x[lane*4 + 4:+4]; st y[lane*4:+4] <- v } }",
     {"CK2006"},
     "x[lane*4 + 2:+4]"},
    {"uninitialised_shared_read",
     kOut,
     "smem b: f32[64]\nrole main: warps 2 { if thread < 63 { st b[thread] <- 1.0 }\n sync cta\n"
     " st y[thread] <- ld b[63 - thread] }",
     "smem b: f32[64]\nrole main: warps 2 { st b[thread] <- 1.0\n sync cta\n"
     " st y[thread] <- ld b[63 - thread] }",
     {"CK2010"},
     "b[63 - thread]"},
    {"other_alternative",
     kOut,
     "either { smem a: f32[64] } or { smem c: u8[2]; smem b: f32[60] }\n"
     "role main: warps 2 { st a[thread] <- 1.0\n sync cta\n if thread < 2 { st c[thread] <- 1 }\n"
     " sync cta\n if thread < 60 { st y[thread] <- ld a[thread] } }",
     "either { smem a: f32[64] } or { smem c: u8[2]; smem b: f32[60] }\n"
     "role main: warps 2 { st a[thread] <- 1.0\n sync cta\n if thread < 2 { st c[thread] <- 1 }\n"
     " sync cta\n if 0 < thread && thread < 60 { st y[thread] <- ld a[thread] } }",
     {"CK2190"},
     "a[thread]"},
    {"other_alternative_by_atomics",
     "out y: u32[64]",
     "either { smem a: u32[64] } or { smem b: u32[64] }\n"
     "role main: warps 2 { st a[thread] <- 1\n sync cta\n red.add.relaxed.cta(b[thread], 1)\n"
     " sync cta\n st y[thread] <- ld b[thread] }",
     "either { smem a: u32[64] } or { smem b: u32[64] }\n"
     "role main: warps 2 { st b[thread] <- 1\n sync cta\n red.add.relaxed.cta(b[thread], 1)\n"
     " sync cta\n st y[thread] <- ld b[thread] }",
     {"CK2190"},
     "b[thread]"},
    {"uninitialised_register_stored",
     kOut,
     "role main: warps 2 { var s: f32\n if thread > 0 { s = 2.0 }\n st y[thread] <- s }",
     "role main: warps 2 { var s: f32\n if thread >= 0 { s = 2.0 }\n st y[thread] <- s }",
     {"CK2011"},
     "st y[thread] <- s"},
    {"uninitialised_branch",
     kOut,
     "role main: warps 2 { var s: f32\n if thread > 0 { s = 2.0 }\n if s > 1.0 { st y[thread] <- "
     "1.0 } }",
     "role main: warps 2 { var s: f32 = 0.0\n if thread > 0 { s = 2.0 }\n"
     " if s > 1.0 { st y[thread] <- 1.0 } }",
     {"CK2012"},
     "s > 1.0"},
    {"uninitialised_address",
     kOut,
     "role main: warps 2 { var i: i32\n if thread > 0 { i = thread }\n st y[i] <- 1.0 }",
     "role main: warps 2 { var i: i32 = 0\n if thread > 0 { i = thread }\n st y[i] <- 1.0 }",
     {"CK2013"},
     "st y[i] <- 1.0"},
    {"uninitialised_trips",
     kOut,
     "role main: warps 2 { var n: i32\n if thread > 0 { n = 3 }\n var s = 0.0\n"
     " for i in 0..n { s += 1.0 }\n st y[thread] <- s }",
     "role main: warps 2 { var n: i32 = 1\n if thread > 0 { n = 3 }\n var s = 0.0\n"
     " for i in 0..n { s += 1.0 }\n st y[thread] <- s }",
     {"CK2014"},
     "0..n"},
    {"race_read_after_write",
     kOut,
     "smem b: f32[64]\nrole main: warps 2 { st b[thread] <- 1.0\n st y[thread] <- ld b[63 - "
     "thread] }",
     "smem b: f32[64]\nrole main: warps 2 { st b[thread] <- 1.0\n sync cta\n"
     " st y[thread] <- ld b[63 - thread] }",
     {"CK2020"},
     "b[63 - thread]"},
    {"race_write_after_read",
     kOut,
     "smem b: f32[64]\nrole main: warps 2 { st b[thread] <- 1.0\n sync cta\n"
     " let v = ld b[63 - thread]\n st b[thread] <- v + 1.0\n sync cta\n st y[thread] <- ld "
     "b[thread] }",
     "smem b: f32[64]\nrole main: warps 2 { st b[thread] <- 1.0\n sync cta\n"
     " let v = ld b[63 - thread]\n sync cta\n st b[thread] <- v + 1.0\n sync cta\n"
     " st y[thread] <- ld b[thread] }",
     {"CK2020"},
     "b[thread]"},
    {"race_write_after_write",
     kOut,
     "smem b: f32[32]\nrole main: warps 2 { st b[lane] <- cvt.f32(thread)\n sync cta\n"
     " st y[thread] <- ld b[lane] }",
     "smem b: f32[64]\nrole main: warps 2 { st b[thread] <- cvt.f32(thread)\n sync cta\n"
     " st y[thread] <- ld b[thread] }",
     {"CK2020"},
     "b[lane]"},
    {"race_between_lanes",
     kOut,
     "smem b: f32[64]\nrole main: warps 2 { st b[thread] <- 1.0\n"
     " st y[thread] <- ld b[warp*32 + 31 - lane] }",
     "smem b: f32[64]\nrole main: warps 2 { st b[thread] <- 1.0\n sync warp\n"
     " st y[thread] <- ld b[warp*32 + 31 - lane] }",
     {"CK2021"},
     "b[warp*32 + 31 - lane]"},
    {"shuffle_orders_no_memory",
     kOut,
     "smem b: f32[64]\nrole main: warps 1 { st b[lane] <- 1.0\n let s = lanes.sum(1.0, 32)\n"
     " st y[lane] <- s + ld b[31 - lane] }",
     "smem b: f32[64]\nrole main: warps 1 { st b[lane] <- 1.0\n let s = lanes.sum(1.0, 32)\n sync "
     "warp\n"
     " st y[lane] <- s + ld b[31 - lane] }",
     {"CK2021"},
     "b[31 - lane]"},
    {"race_in_global_memory",
     "out y: f32[64]; workspace w: f32[64]",
     "role main: warps 2 { st w[thread] <- 1.0\n st y[thread] <- ld w[63 - thread] }",
     "role main: warps 2 { st w[thread] <- 1.0\n sync cta\n st y[thread] <- ld w[63 - thread] }",
     {"CK2022"},
     "w[63 - thread]"},
    {"step_error",
     kOut,
     "role main: warps 2 { st y[thread] <- cvt.f32(100 / thread) }",
     "role main: warps 2 { st y[thread] <- cvt.f32(100 / (thread + 1)) }",
     {"CK2050"},
     "100 / thread"},
    {"integer_overflow",
     kOut,
     "role main: warps 2 { st y[thread] <- cvt.f32(2147483600 + thread) }",
     "role main: warps 2 { st y[thread] <- cvt.f32(2147483000 + thread) }",
     {"CK2050"},
     "2147483600 + thread"},
};

class Findings : public testing::TestWithParam<Pair> {};

TEST_P(Findings, RejectsAndAccepts) {
  const Pair& pair = GetParam();
  const std::string bad = OneCta(pair.items, pair.bad);
  const Inputs inputs = {{"x", Bytes(std::vector<float>(80, 1.0f))}};
  const Ran rejected = RunSource(bad, {}, inputs);
  ASSERT_EQ(rejected.Codes(), pair.codes) << rejected.text;
  EXPECT_THAT(Text(bad, rejected.result.report.diagnostics()[0].primary), HasSubstr(pair.at));
  EXPECT_EQ(rejected.result.outcome, Outcome::kFault);
  EXPECT_EQ(rejected.result.report.diagnostics()[0].instance.role, "main");
  const Ran accepted = RunSource(OneCta(pair.items, pair.good), {}, inputs);
  EXPECT_THAT(accepted.Codes(), IsEmpty()) << accepted.text;
  EXPECT_EQ(accepted.result.outcome, Outcome::kFinished);
}

INSTANTIATE_TEST_SUITE_P(All, Findings, testing::ValuesIn(kPairs),
                         [](const auto& info) { return info.param.name; });

TEST(Findings, BoundsNameIndexDimensionAndInstance) {
  const std::string source =
      "program t target sm_90a\ndim M in 1..=64, N in 1..=64\nin x: f32[M, N]; out y: f32[M, N]\n"
      "kernel k {\n  grid (M)\n  role main: warps 1 {\n"
      "    for j in 0..2 { st y[cta, j*32 + lane] <- ld x[cta, j*32 + lane] }\n  }\n}\n";
  const Ran ran =
      RunSource(source, {{"M", 3}, {"N", 50}}, {{"x", Bytes(std::vector<float>(150, 1.0f))}});
  ASSERT_THAT(ran.Codes(), ElementsAre("CK2001", "CK2001")) << ran.text;
  const diag::Diagnostic& d = ran.result.report.diagnostics()[1];
  EXPECT_EQ(d.message, "`x[cta, j*32 + lane]`: index 50 of dimension 1 is outside 0..50");
  EXPECT_EQ(d.instance.cta, 0);
  EXPECT_EQ(d.instance.lane, 18);
  EXPECT_EQ(d.instance.iteration, 1);
  EXPECT_EQ(d.instance.shape, "M=3, N=50");
}

TEST(Findings, TaintTravelsThroughSharedMemory) {
  const std::string kernel =
      "smem b: f32[64]\nrole main: warps 2 {\n var s: f32\n if thread != 5 { s = 1.0 }\n"
      " st b[thread] <- s\n sync cta\n";
  const Ran unused =
      RunSource(OneCta(kOut, kernel + " if thread != 5 { st y[thread] <- ld b[thread] } }"));
  EXPECT_THAT(unused.Codes(), IsEmpty()) << unused.text;
  const std::string source = OneCta(kOut, kernel + " st y[thread] <- ld b[63 - thread] }");
  const Ran used = RunSource(source);
  ASSERT_THAT(used.Codes(), ElementsAre("CK2011")) << used.text;
  EXPECT_EQ(used.result.report.diagnostics()[0].instance.lane, 26);  // thread 58 reads element 5
  EXPECT_EQ(Text(source, used.result.report.diagnostics()[0].labels[0].span), "var s: f32");
}

TEST(Findings, SelectClearsTaintAndProductsDoNot) {
  const std::string kernel = "role main: warps 2 {\n var s: f32\n if thread != 5 { s = 1.0 }\n";
  EXPECT_THAT(
      RunSource(OneCta(kOut, kernel + " st y[thread] <- select(thread == 5, 0.0, s) }")).Codes(),
      IsEmpty());
  EXPECT_THAT(RunSource(OneCta(kOut, kernel + " st y[thread] <- s * 0.0 }")).Codes(),
              ElementsAre("CK2011"));
}

TEST(Findings, ASyncIsOfferedWhereAllThreadsReachIt) {
  const std::string source =
      OneCta(kOut,
             "  smem b: f32[64]\n  role main: warps 2 {\n    st b[thread] <- 1.0\n"
             "    if thread < 10 {\n      st y[thread] <- ld b[63 - thread]\n    }\n  }");
  const Ran ran = RunSource(source);
  ASSERT_THAT(ran.Codes(), ElementsAre("CK2020")) << ran.text;
  const diag::Diagnostic& d = ran.result.report.diagnostics()[0];
  ASSERT_EQ(d.fixes.size(), 1u);
  EXPECT_EQ(d.fixes[0].applicability, diag::Applicability::kMaybe);
  std::string fixed = source;
  fixed.insert(d.fixes[0].edits[0].span.begin, d.fixes[0].edits[0].text);
  EXPECT_THAT(fixed, HasSubstr("    st b[thread] <- 1.0\n    sync cta\n    if thread < 10 {\n"));
  EXPECT_THAT(RunSource(fixed).Codes(), IsEmpty());
}

TEST(Findings, RacesOfCtasAreFoundInBothDirections) {
  const auto program = [](const std::string& body) {
    return "program t target sm_90a\nout y: f32[64]; workspace w: f32[64] zero\n"
           "kernel k {\n  grid (2)\n  role main: warps 1 { " +
           body + " }\n}\n";
  };
  const Ran write_read =
      RunSource(program("if cta == 0 { st w[lane] <- 1.0 }\n st y[cta*32 + lane] <- ld w[lane]"));
  EXPECT_THAT(write_read.Codes(), ElementsAre("CK2023")) << write_read.text;
  const Ran read_write =
      RunSource(program("st y[cta*32 + lane] <- ld w[lane]\n if cta == 1 { st w[lane] <- 1.0 }"));
  EXPECT_THAT(read_write.Codes(), ElementsAre("CK2023")) << read_write.text;
  const Ran write_write = RunSource(program("st y[lane] <- cvt.f32(cta)"));
  EXPECT_THAT(write_write.Codes(), ElementsAre("CK2023")) << write_write.text;
  const Ran apart =
      RunSource(program("st w[cta*32 + lane] <- 1.0\n st y[cta*32 + lane] <- ld w[cta*32 + lane]"));
  EXPECT_THAT(apart.Codes(), IsEmpty()) << apart.text;
}

// The other side of a race between CTAs is named by its own role and warp, also where a reader of
// this CTA stands before it in the shadow.
TEST(Findings, RacesBetweenCtasNameTheRoleAndWarpOfBothSides) {
  const auto program = [](const std::string& a, const std::string& b) {
    return "program t target sm_90a\ninout w: f32[32]; inout y: f32[128]\nkernel k {\n  grid (2)\n"
           "  role a: warps 2 { " +
           a + " }\n  role b: warps 1 { " + b + " }\n}\n";
  };
  const auto expect = [](const Ran& ran, const std::string& label) {
    ASSERT_THAT(ran.Codes(), ElementsAre("CK2023")) << ran.text;
    const diag::Diagnostic& d = ran.result.report.diagnostics()[0];
    EXPECT_EQ(d.instance.role, "b");
    EXPECT_EQ(d.instance.cta, 1);
    ASSERT_EQ(d.labels.size(), 1u);
    EXPECT_EQ(d.labels[0].text, label);
  };
  expect(RunSource(program("if cta == 0 && warp == 1 { st w[lane] <- 1.0 }",
                           "if cta == 1 { st y[lane] <- ld w[lane] }")),
         "written here by role a, warp 1, CTA 0");
  expect(RunSource(program("if cta == 0 && warp == 1 { st y[lane] <- ld w[lane] }",
                           "if cta == 1 { st y[64 + lane] <- ld w[lane]; st w[lane] <- 1.0 }")),
         "read here by role a, warp 1, CTA 0");
}

TEST(Findings, EqualConstantsFromSeveralThreadsAreAWarning) {
  const Ran ran = RunSource(OneCta(kOut, "role main: warps 2 { st y[lane] <- 1.0 }"));
  ASSERT_THAT(ran.Codes(), ElementsAre("CK2024")) << ran.text;
  EXPECT_EQ(ran.result.outcome, Outcome::kFinished);
}

TEST(Findings, KernelBoundariesOrderEverything) {
  const Ran ran = RunSource(
      "program t target sm_90a\nout y: f32[64]; workspace w: f32[64]\n"
      "kernel a {\n  grid (2)\n  role main: warps 1 { st w[cta*32 + lane] <- cvt.f32(cta*32 + "
      "lane) }\n}\n"
      "kernel b {\n  grid (2)\n  role main: warps 1 { st y[cta*32 + lane] <- ld w[63 - cta*32 - "
      "lane] }\n}\n");
  EXPECT_THAT(ran.Codes(), IsEmpty()) << ran.text;
  EXPECT_EQ(ran.Values<float>("y")[0], 63.0f);
  EXPECT_EQ(ran.Values<float>("y")[63], 0.0f);
}

TEST(Findings, AnUnwrittenWorkspaceIsUndefinedAZeroedOneIsNot) {
  const auto program = [](const std::string& zero) {
    return OneCta("out y: f32[32]; workspace w: f32[32]" + zero,
                  "role main: warps 1 { st y[lane] <- ld w[lane] }");
  };
  EXPECT_THAT(RunSource(program("")).Codes(), ElementsAre("CK2010"));
  const Ran zeroed = RunSource(program(" zero"));
  EXPECT_THAT(zeroed.Codes(), IsEmpty()) << zeroed.text;
  EXPECT_EQ(zeroed.Values<float>("y"), std::vector<float>(32, 0.0f));
}

TEST(Findings, AnEndlessLoopEndsAtTheStepLimit) {
  Options options;
  options.max_lane_statements = 10'000;
  const std::string source = OneCta(
      kOut, "role main: warps 1 { var i = 0\n while i < 1 { i = min(i, 0) }\n st y[lane] <- 1.0 }");
  const Ran ran = RunSource(source, {}, {}, options);
  ASSERT_THAT(ran.Codes(), ElementsAre("CK6201")) << ran.text;
  EXPECT_EQ(ran.result.outcome, Outcome::kLimit);
  EXPECT_LE(ran.result.lane_statements, 10'032);
}

TEST(Findings, TheShadowOfGlobalMemoryIsBounded) {
  const std::string source =
      "program t target sm_90a\nout y: f32[65536]\n"
      "kernel k {\n  grid (64)\n  role main: warps 32 { st y[cta*1024 + thread] <- 1.0 }\n}\n";
  EXPECT_THAT(RunSource(source).Codes(), IsEmpty());
  Options options;
  options.max_shadow_bytes = 1 << 20;
  const Ran ran = RunSource(source, {}, {}, options);
  ASSERT_THAT(ran.Codes(), ElementsAre("CK6203")) << ran.text;
  EXPECT_EQ(ran.result.outcome, Outcome::kLimit);
}

TEST(Findings, ARunThatOnlyRepeatsItselfEnds) {
  const Ran ran = RunSource(OneCta(
      "out y: f32[32]", "role main: warps 8 { for i in 0..60000 { st y[thread + 32] <- 1.0 } }"));
  EXPECT_THAT(ran.Codes(), ElementsAre("CK2001")) << ran.text;
  EXPECT_EQ(ran.result.outcome, Outcome::kFault);
  EXPECT_LT(ran.result.lane_statements, 1'000'000);
}

// B62: no implicit lockstep in global memory either.
TEST(Findings, AReadBackByAnotherLaneNeedsASyncInGlobalMemoryToo) {
  const auto program = [](const std::string& sync) {
    return OneCta(
        "out y: f32[32]; workspace w: f32[32]",
        "role main: warps 1 { st w[lane] <- 1.0\n" + sync + " st y[lane] <- ld w[lane ^ 1] }");
  };
  EXPECT_THAT(RunSource(program("")).Codes(), ElementsAre("CK2021"));
  EXPECT_THAT(RunSource(program(" sync warp\n")).Codes(), IsEmpty());
}

// An arrival publishes what all lanes did; only a wait tells the lanes of each other.
TEST(Findings, AnArrivalDoesNotJoinTheLanesOfItsWarpAWaitDoes) {
  const auto program = [](const std::string& first) {
    return OneCta("out y: f32[32]",
                  "smem b: f32[32]\nbarrier full threads 64\n"
                  "role one: warps 1 { st b[lane] <- 1.0\n " +
                      first +
                      " full\n"
                      " st y[lane] <- ld b[31 - lane] }\n"
                      "role two: warps 1 { bar.sync full }");
  };
  EXPECT_THAT(RunSource(program("bar.arrive")).Codes(), ElementsAre("CK2021"));
  EXPECT_THAT(RunSource(program("bar.sync")).Codes(), IsEmpty());
}

// Theory 2.2, P5: the trip count would differ by schedule.
TEST(Findings, ALoopConditionReadUnsynchronisedIsARace) {
  const auto program = [](const std::string& sync) {
    return OneCta(
        kOut,
        "smem flag: i32[1]\nrole main: warps 2 {\n  once { st flag[0] <- 0 }\n  sync cta\n"
        "  var n = 0\n  for i in 0..4 {\n    if ld flag[0] == 0 { n += 1 }\n" +
            sync + "    if i == 2 { once { st flag[0] <- 1 } }\n" + sync +
            "  }\n"
            "  st y[thread] <- cvt.f32(n)\n}");
  };
  EXPECT_THAT(RunSource(program("")).Codes(), testing::Contains("CK2020"));
  const Ran ordered = RunSource(program("    sync cta\n"));
  EXPECT_THAT(ordered.Codes(), IsEmpty()) << ordered.text;
  EXPECT_EQ(ordered.Values<float>("y"), std::vector<float>(64, 3.0f));
}

TEST(Findings, TheSameMistakeInALoopIsOneFinding) {
  const Ran ran = RunSource(
      OneCta(kOut,
             "smem b: f32[64]\nrole main: warps 2 { for i in 0..10 { st b[thread] <- 1.0\n"
             " let v = ld b[63 - thread]\n if i == 9 { st y[thread] <- v }\n sync cta } }"));
  EXPECT_THAT(ran.Codes(), ElementsAre("CK2020")) << ran.text;
}

}  // namespace
}  // namespace compiler::machine
