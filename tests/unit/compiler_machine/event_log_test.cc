// What a run logs of each warp: uses and generations without bound, in the warp's own order.
#include "compiler/machine/event_log.h"

#include "absl/strings/str_cat.h"
#include "compiler/machine/event_lanes.h"
#include "tests/unit/compiler_machine/source_harness.h"

namespace compiler::machine {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

std::vector<std::string> Texts(const WarpEvents& warp) {
  std::vector<std::string> out;
  for (const EventRecord& r : warp.records) {
    std::string text(ToString(r.action));
    if (r.ring >= 0) absl::StrAppend(&text, " ring ", r.ring, r.empty ? " empty" : " full");
    if (r.event >= 0) absl::StrAppend(&text, " event ", r.event);
    if (r.use >= 0) absl::StrAppend(&text, " use ", r.use, " generation ", r.generation);
    if (r.barrier >= 0) absl::StrAppend(&text, " barrier ", r.barrier, "[", r.barrier_index, "]");
    if (r.action == EventAction::kSync)
      absl::StrAppend(&text, " scope ", static_cast<int>(r.scope));
    if (r.lanes != 32) absl::StrAppend(&text, " by ", r.lanes);
    if (LanesOf(r) != kWholeWarp) absl::StrAppend(&text, " of 0x", absl::Hex(LanesOf(r)));
    out.push_back(text);
  }
  return out;
}

const std::string kEvery = OneCta("in x: f32[32]; out y: f32[32]", R"(
  ring r[2] { v: f32[32] } from fill to drain
  event e[1] count 40
  barrier b[2] threads 64
  role fill: warps 1 {
    acquire r@0
    tma.load r.v@0 <- x[0:+32]
    commit r@0
    for k in 1..3 { acquire r@k; st r.v@k[lane] <- 1.0; commit r@k }
    arrive.thread e@0
    if lane < 8 { arrive.thread e@0 }
    bar.arrive b[1]
  }
  role drain: warps 1 {
    var s: f32 = 0.0
    for k in 0..3 { wait r@k; s += ld r.v@k[lane]; release r@k }
    wait e@(0 - 1)
    while !test(e@0) {}
    bar.sync b[1]
    sync role
    st y[lane] <- s
  }
)");

TEST(EventLog, HoldsEveryKindInOrder) {
  for (const uint64_t seed : {0u, 1u, 2u, 3u}) {
    const Ran ran = RunSource(kEvery, {}, {}, {.schedule_seed = seed, .log_events = true});
    ASSERT_EQ(ran.result.outcome, Outcome::kFinished) << ran.text;
    ASSERT_THAT(ran.result.events, SizeIs(2));
    EXPECT_THAT(
        Texts(ran.result.events[0]),
        ElementsAre(
            "acquire ring 0 empty use 0 generation -1",
            "load ring 0 full use 0 generation 0 by 1 of 0x1",
            "commit ring 0 full use 0 generation 0", "acquire ring 0 empty use 1 generation -1",
            "commit ring 0 full use 1 generation 0", "acquire ring 0 empty use 2 generation 0",
            "commit ring 0 full use 2 generation 1", "arrive.thread event 0 use 0 generation 0",
            "arrive.thread event 0 use 0 generation 0 by 8 of 0xff", "bar.arrive barrier 0[1]"));
    EXPECT_THAT(
        Texts(ran.result.events[1]),
        ElementsAre(
            "wait ring 0 full use 0 generation 0", "release ring 0 empty use 0 generation 0",
            "wait ring 0 full use 1 generation 0", "release ring 0 empty use 1 generation 0",
            "wait ring 0 full use 2 generation 1", "release ring 0 empty use 2 generation 1",
            "test event 0 use 0 generation 0", "bar.sync barrier 0[1]",
            absl::StrCat("sync scope ", static_cast<int>(ir::Scope::kRole))));
  }
}

TEST(EventLog, IsEmptyWhereNobodyAsks) { EXPECT_THAT(RunSource(kEvery).result.events, IsEmpty()); }

TEST(EventLog, EveryWarpOfEveryCtaHasItsOwn) {
  const Ran ran = RunSource(
      "program t target sm_80\nout y: f32[64]\nkernel k {\n  grid (2)\n  role main: warps 2 {\n"
      "    for i in 0..cta + 1 { sync cta }\n    if cta == 0 { st y[thread] <- 1.0 }\n  }\n}\n",
      {}, {}, {.log_events = true});
  ASSERT_EQ(ran.result.outcome, Outcome::kFinished) << ran.text;
  ASSERT_THAT(ran.result.events, SizeIs(4));
  for (size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(ran.result.events[i].cta, static_cast<int64_t>(i / 2));
    EXPECT_EQ(ran.result.events[i].warp, static_cast<int>(i % 2));
    EXPECT_THAT(ran.result.events[i].records, SizeIs(i / 2 + 1));
  }
}

// CTAs of four warps side by side, each of which hands its turn to the next.
const std::string kMany = R"(program t target sm_80
out y: f32[400, 32]
workspace turn: i32[1] zero
kernel k {
  grid (100)
  role main: warps 4 {
    once {
      while (ld.acquire.gpu turn[0]) != cta { }
      st.release.gpu turn[0] <- cta + 1
    }
    sync cta
    st y[cta*4 + warp, lane] <- 1.0
  }
}
)";

TEST(WithoutClocks, TheNumberOfWarpsSideBySideIsNoLimit) {
  Options options{.check_races = false, .max_clock_bytes = int64_t{1} << 20, .log_events = true};
  const Ran with = RunSource(kMany, {}, {}, options);
  EXPECT_EQ(with.result.outcome, Outcome::kLimit);
  EXPECT_THAT(with.Codes(), ElementsAre("CK2170"));
  options.clocks = false;
  const Ran without = RunSource(kMany, {}, {}, options);
  EXPECT_EQ(without.result.outcome, Outcome::kFinished) << without.text;
  EXPECT_EQ(without.result.events.size(), 400u);
}

// What counts tell is found as ever; what only a clock tells is not.
TEST(WithoutClocks, CountsAreStillJudged) {
  const auto codes = [](const std::string& roles, bool clocks) {
    return RunSource(OneCta("out y: f32[32]", roles), {}, {},
                     {.check_races = false, .clocks = clocks})
        .Codes();
  };
  const std::string twice = R"(
  event e[1] count 1
  role a: warps 1 { arrive e@0; arrive e@0; wait e@0; st y[lane] <- 1.0 })";
  EXPECT_THAT(codes(twice, true), SizeIs(1));
  EXPECT_EQ(codes(twice, false), codes(twice, true));
  const std::string ahead = R"(
  event e[1] count 1
  role a: warps 1 { wait e@0; wait e@1; st y[lane] <- 1.0 }
  role b: warps 1 { arrive e@0 }
  role c: warps 1 { arrive e@1 })";
  EXPECT_THAT(codes(ahead, true), SizeIs(1));
  EXPECT_THAT(codes(ahead, false), IsEmpty());
}

TEST(WithoutClocks, NothingIsAskedThatClocksTell) {
  const std::unique_ptr<ir::Program> program = Elaborated(kEvery);
  diag::Report report;
  const facts::Facts facts = facts::Derive(*program, **arch::Find("sm_90a"), report);
  const auto values = facts::BindLaunch(*program, {});
  const auto plan = facts::PlanLaunch(*program, facts, *values, "hash");
  const CutPlan cuts;
  for (const Options& options :
       {Options{.clocks = false},
        Options{.check_races = false, .clocks = false, .hash_order = true},
        Options{.check_races = false, .clocks = false, .cuts = &cuts}}) {
    EXPECT_EQ(machine::Run(*program, facts, *plan, *values, {}, options).status().code(),
              absl::StatusCode::kInvalidArgument);
  }
}

TEST(EventLog, AFullOneStopsTheRun) {
  const std::string source =
      "program t target sm_80\nout y: f32[32]\nkernel k {\n  grid (1)\n  role main: warps 1 {\n"
      "    for i in 0..100 { sync cta }\n    st y[thread] <- 1.0\n  }\n}\n";
  const Ran enough = RunSource(source, {}, {}, {.log_events = true, .max_event_records = 100});
  EXPECT_EQ(enough.result.outcome, Outcome::kFinished);
  EXPECT_FALSE(enough.result.event_log_full);
  const Ran full = RunSource(source, {}, {}, {.log_events = true, .max_event_records = 99});
  EXPECT_EQ(full.result.outcome, Outcome::kLimit);
  EXPECT_TRUE(full.result.event_log_full);
}

}  // namespace
}  // namespace compiler::machine
