// Cluster launch control: which CTAs begin, who works in the place of those that do not, and that
// every schedule does all of the work once.
#include <algorithm>
#include <map>

#include "absl/strings/str_cat.h"
#include "compiler/machine/launch_pool.h"
#include "tests/unit/compiler_machine/source_harness.h"

namespace compiler::machine {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(LaunchPool, GroupsThatAreCancelledDoNotBegin) {
  LaunchPool pool;
  pool.Start(5, 0, [](int64_t i) { return 2 * i; });
  EXPECT_TRUE(pool.Begin(0));
  EXPECT_EQ(pool.Cancel(0), 2);
  EXPECT_EQ(pool.Cancel(1), 4);
  EXPECT_EQ(pool.Cancel(7), std::nullopt);
  EXPECT_FALSE(pool.Begin(1));
  EXPECT_FALSE(pool.Begin(2));
  EXPECT_TRUE(pool.Begin(3));
  EXPECT_EQ(pool.Cancel(0), 8);
  EXPECT_EQ(pool.Cancel(1), std::nullopt);
  EXPECT_FALSE(pool.Begin(4));
}

// Each tile gets the number of the CTA that worked on it.
std::string Workers(const std::string& loop) {
  return "program t target sm_100a\nout y: i32[12]\nkernel k {\n  grid (12)\n" + loop + "}\n";
}

constexpr const char* kByHand =
    "  smem answer[2]: u64[2]\n  event told[2] count 1\n  role main: warps 1 {\n"
    "    var t = cta; var k = 0\n    while t >= 0 {\n"
    "      clc.try_cancel answer@k on told@k; expect told@k\n"
    "      if lane == 0 { st y[t] <- cta }\n      wait told@k\n"
    "      let a = ld answer@k[0:+2]\n      t = clc.cta(a[0], a[1]); k += 1\n    }\n  }\n";

constexpr const char* kDynamic =
    "  dynamic iter work() -> (i32) { for t in cta..12 step ctas { yield t } }\n"
    "  role main: warps 1 { for t in work() { if lane == 0 { st y[t] <- cta } } }\n";

TEST(LaunchControl, RunningCtasTakeThePlacesOfOthers) {
  for (const char* loop : {kByHand, kDynamic}) {
    const Ran ran = RunSource(Workers(loop));
    ASSERT_THAT(ran.Codes(), IsEmpty()) << ran.text;
    EXPECT_THAT(ran.Values<int>("y"), ElementsAre(0, 0, 0, 0, 0, 0, 0, 0, 8, 8, 8, 8));
  }
}

TEST(LaunchControl, EveryScheduleDoesAllOfTheWorkOnce) {
  bool shared = false, alone = false;
  for (uint64_t seed = 1; seed < 20; ++seed) {
    for (const char* loop : {kByHand, kDynamic}) {
      const Ran ran = RunSource(Workers(loop), {}, {}, {.schedule_seed = seed});
      ASSERT_THAT(ran.Codes(), IsEmpty()) << ran.text;
      std::vector<int> y = ran.Values<int>("y");
      for (const int worker : y) {
        ASSERT_TRUE(worker >= 0 && worker < 12);
        ASSERT_EQ(y[static_cast<size_t>(worker)], worker);  // who works begins with its own tile
        const auto tiles = std::count(y.begin(), y.end(), worker);
        shared = shared || tiles > 1;
        alone = alone || tiles == 1;
      }
    }
  }
  EXPECT_TRUE(shared && alone);
}

// Events of each warp as text, by CTA and role.
std::map<std::pair<int64_t, int>, std::string> Logs(const Ran& ran) {
  std::map<std::pair<int64_t, int>, std::string> logs;
  for (const WarpEvents& warp : ran.result.events) {
    std::string& log = logs[{warp.cta, warp.role}];
    for (const EventRecord& r : warp.records) {
      absl::StrAppend(&log, std::string(ToString(r.action)), " ", r.use, " ", r.lane, " ", r.value,
                      "; ");
    }
  }
  return logs;
}

// A run that is given what another one was answered does the same, warp by warp.
TEST(LaunchControl, ARunFollowsTheAnswersOfAnother) {
  const std::string own = Logs(RunSource(Workers(kByHand), {}, {}, {.log_events = true}))[{0, 0}];
  for (uint64_t seed = 1; seed < 10; ++seed) {
    for (const char* loop : {kByHand, kDynamic}) {
      const Options first{.schedule_seed = seed, .log_events = true};
      const Ran other = RunSource(Workers(loop), {}, {}, first);
      ASSERT_THAT(other.Codes(), IsEmpty()) << other.text;
      std::vector<WarpTickets> tickets;
      size_t answers = 0;
      for (const WarpEvents& warp : other.result.events) {
        WarpTickets& of = tickets.emplace_back(WarpTickets{
            .kernel = warp.kernel, .cta = warp.cta, .role = warp.role, .warp = warp.warp});
        for (const EventRecord& r : warp.records) {
          if (r.action != EventAction::kAnswer) continue;
          of.answers[static_cast<size_t>(r.lane)].push_back(static_cast<int32_t>(r.value));
          ++answers;
        }
      }
      EXPECT_GT(answers, 0u);
      const Ran ran = RunSource(Workers(loop), {}, {}, {.replay = &tickets, .log_events = true});
      ASSERT_THAT(ran.Codes(), IsEmpty()) << ran.text;
      EXPECT_EQ(Logs(ran), Logs(other));
      EXPECT_EQ(ran.Values<int>("y"), other.Values<int>("y"));
    }
  }
  EXPECT_THAT(own, testing::HasSubstr("answer -1 31 4294967295; "));
}

// The answer reaches all CTAs of the cluster, and names the first of the one that never begins.
TEST(LaunchControl, AClusterTakesThePlaceOfAnother) {
  const std::string source =
      "program t target sm_100a\nout y: i32[8]\nkernel k {\n  cluster 2\n  grid (8)\n"
      "  smem answer: u64[2]\n  event told[1] count 1\n  event read[1] count 2\n"
      "  role main: warps 1 {\n    var t = cta; var k = 0\n    while t >= 0 {\n"
      "      expect told@k bytes 16\n      if cluster.rank == 0 {\n"
      "        wait.cluster read@(k - 1)\n"
      "        clc.try_cancel answer on told@k multicast 3\n      }\n"
      "      if lane == 0 { st y[t] <- cta }\n      wait told@k\n"
      "      let a = ld answer[0:+2]\n      let first = clc.cta(a[0], a[1])\n"
      "      arrive read@k at 0\n"
      "      t = select(first < 0, -1, first + cluster.rank); k += 1\n    }\n  }\n}\n";
  const Ran ran = RunSource(source);
  ASSERT_THAT(ran.Codes(), IsEmpty()) << ran.text;
  EXPECT_THAT(ran.Values<int>("y"), ElementsAre(0, 1, 0, 1, 0, 1, 0, 1));
}

// The same in short: roles of a cluster's CTAs work on the same tiles, and each tile is done once.
TEST(LaunchControl, ClustersTakePlacesDynamically) {
  const std::string source =
      "program t target sm_100a\nout y: i32[16]\nkernel k {\n  cluster 2\n  grid (16)\n"
      "  ring tile[2] { v: i32[1] } from load to math\n"
      "  dynamic iter work() -> (i32) { for t in cta..16 step ctas { yield t } }\n"
      "  role load: warps 1 {\n    var k = 0\n    for t in work() {\n      acquire tile@k\n"
      "      elect { st tile.v@k[0] <- t }\n      commit tile@k\n      k += 1\n    }\n  }\n"
      "  role math: warps 2 {\n    var k = 0\n    for t in work() {\n      wait tile@k\n"
      "      if warp == 1 && lane == 0 && (ld tile.v@k[0]) == t { st y[t] <- cta }\n"
      "      release tile@k\n      k += 1\n    }\n  }\n}\n";
  for (uint64_t seed = 0; seed < 12; ++seed) {
    const Ran ran = RunSource(source, {}, {}, {.schedule_seed = seed});
    ASSERT_THAT(ran.Codes(), IsEmpty()) << ran.text;
    const std::vector<int> y = ran.Values<int>("y");
    for (size_t t = 0; t < y.size(); ++t) {
      ASSERT_TRUE(y[t] >= 0 && y[t] < 16) << t;
      EXPECT_EQ(y[t] % 2, static_cast<int>(t % 2));  // the CTA of the same rank
      EXPECT_EQ(y[static_cast<size_t>(y[t])], y[t]);
    }
  }
}

}  // namespace
}  // namespace compiler::machine
