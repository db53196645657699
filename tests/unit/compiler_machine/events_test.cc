// Rings and events: what the canonical run accepts, every schedule accepts with the same bytes; and
// what is said about protocols that are wrong.
#include <random>

#include "absl/strings/str_cat.h"
#include "tests/unit/compiler_machine/source_harness.h"

namespace compiler::machine {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr int kSeeds = 20;

// One role of a random protocol: statements of a loop over k, then some after it.
struct RoleText {
  std::string name;
  int warps = 1;
  std::vector<std::string> loop, after;
};

// Tiles go from one role to the next through rings of few stages; the last role keeps sums. Then
// some statements are dropped, doubled, swapped with their neighbour or moved to another use.
struct Protocol {
  std::vector<RoleText> roles;
  std::vector<std::string> declarations;
  int trips = 0;

  std::string Text() const {
    std::string kernel;
    for (const std::string& line : declarations) absl::StrAppend(&kernel, "  ", line, "\n");
    for (const RoleText& role : roles) {
      absl::StrAppend(&kernel, "  role ", role.name, ": warps ", role.warps, " {\n    for k in 0..",
                      trips, " {\n");
      for (const std::string& line : role.loop) absl::StrAppend(&kernel, "      ", line, "\n");
      absl::StrAppend(&kernel, "    }\n");
      for (const std::string& line : role.after) absl::StrAppend(&kernel, "    ", line, "\n");
      absl::StrAppend(&kernel, "  }\n");
    }
    return OneCta("out y: f32[4096]", kernel);
  }
};

Protocol RandomProtocol(std::mt19937& random, bool mutate) {
  Protocol p;
  p.trips = 1 + static_cast<int>(random() % 7);
  const size_t roles = 2 + random() % 2;
  for (size_t r = 0; r < roles; ++r) {
    p.roles.push_back({.name = absl::StrCat("r", r), .warps = 1 + static_cast<int>(random() % 2)});
  }
  for (size_t r = 0; r + 1 < roles; ++r) {
    RoleText &from = p.roles[r], &to = p.roles[r + 1];
    const std::string ring = absl::StrCat("t", r);
    p.declarations.push_back(absl::StrCat("ring ", ring, "[", 1 + random() % 3,
                                          "] { v: f32[64] } from ", from.name, " to ", to.name));
    from.loop.push_back(absl::StrCat("acquire ", ring, "@k"));
    from.loop.push_back(
        absl::StrCat("st ", ring, ".v@k[thread] <- ", r == 0 ? "cvt.f32(k + thread)" : "3.0"));
    from.loop.push_back(absl::StrCat("commit ", ring, "@k"));
    to.loop.push_back(absl::StrCat("wait ", ring, "@k"));
    to.loop.push_back(absl::StrCat("st y[", 512 * (2 * r + 1), " + 64*k + thread] <- ld ", ring,
                                   ".v@k[", 32 * from.warps - 1, " - lane]"));
    to.loop.push_back(absl::StrCat("release ", ring, "@k"));
  }
  if (random() % 2 == 0) {
    RoleText &last = p.roles.back(), &first = p.roles.front();
    p.declarations.push_back(absl::StrCat("event back[2] count ", last.warps));
    last.loop.push_back("arrive back@k");
    first.loop.insert(first.loop.begin(), absl::StrCat("wait back@(k-", 1 + random() % 2, ")"));
  }
  const size_t mutations = mutate ? 1 + random() % 2 : 0;
  for (size_t m = 0; m < mutations; ++m) {
    std::vector<std::string>& lines = p.roles[random() % roles].loop;
    const auto at = static_cast<ptrdiff_t>(random() % lines.size());
    std::string& line = lines[static_cast<size_t>(at)];
    switch (random() % 4) {
      case 0: lines.erase(lines.begin() + at); break;
      case 1: lines.insert(lines.begin() + at, std::string(line)); break;
      case 2:
        if (static_cast<size_t>(at) + 1 < lines.size()) {
          std::swap(line, lines[static_cast<size_t>(at) + 1]);
        }
        break;
      default:
        if (line.ends_with("@k")) line.replace(line.size() - 1, 1, "(k-1)");
    }
    if (lines.empty()) lines.push_back("sync warp");
  }
  return p;
}

bool FactsAreGood(const ir::Program& program) {
  diag::Report report;
  facts::Derive(program, **arch::Find("sm_90a"), report);
  return !report.has_errors();
}

TEST(EventProtocols, TheCanonicalVerdictIsThatOfEverySchedule) {
  std::mt19937 random(20260711);
  int accepted = 0, rejected = 0;
  for (int i = 0; i < 300; ++i) {
    const std::string text = RandomProtocol(random, i % 3 != 0).Text();
    const std::unique_ptr<ir::Program> program = Elaborated(text);
    ASSERT_NE(program, nullptr) << text;
    if (!FactsAreGood(*program)) continue;
    const Ran canonical = RunProgram(*program, {});
    const bool accept = canonical.Codes().empty();
    EXPECT_EQ(accept, canonical.result.outcome == Outcome::kFinished) << text << canonical.text;
    EXPECT_TRUE(accept || i % 3 != 0) << text << canonical.text;
    accept ? ++accepted : ++rejected;
    for (uint64_t seed = 1; seed <= kSeeds; ++seed) {
      Options options;
      options.schedule_seed = seed;
      const Ran ran = RunProgram(*program, {}, {}, options);
      ASSERT_EQ(ran.Codes().empty(), accept)
          << i << " seed " << seed << text << canonical.text << ran.text;
      if (accept) {
        ASSERT_EQ(ran.memory, canonical.memory) << i << " seed " << seed;
      }
    }
  }
  // The sample says something about both sides.
  EXPECT_GT(accepted, 80);
  EXPECT_GT(rejected, 60);
}

std::string TwoRoles(const std::string& declaration, const std::string& one,
                     const std::string& two) {
  return OneCta("out y: f32[64]", "  smem t: f32[64]\n  " + declaration +
                                      "\n  role one: warps 1 {\n" + one +
                                      "\n  }\n  role two: warps 1 {\n" + two + "\n  }");
}

TEST(Events, AWaitLearnsWhatTheArrivalsHadDone) {
  const std::string text = TwoRoles("event e[1] count 1", "st t[lane] <- 3.0\narrive e@0",
                                    "wait e@0\nst y[lane] <- ld t[lane]");
  const Ran ran = RunSource(text);
  EXPECT_THAT(ran.Codes(), IsEmpty()) << ran.text;
  EXPECT_EQ(ran.Values<float>("y")[31], 3.0f);
}

TEST(Events, ARelaxedWaitLearnsNothing) {
  const std::string text = TwoRoles("event e[1] count 1", "st t[lane] <- 3.0\narrive e@0",
                                    "wait.relaxed e@0\nst y[lane] <- ld t[lane]");
  EXPECT_THAT(RunSource(text).Codes(), ElementsAre("CK2020"));
}

// An arrival of one lane without a convergence publishes what that lane did and no more.
TEST(Events, OneLanePublishesItsOwnStores) {
  const std::string own =
      TwoRoles("event e[1] count 1", "if lane == 3 {\nst t[lane] <- 3.0\narrive.thread e@0\n}",
               "wait e@0\nif lane == 0 { st y[0] <- ld t[3] }");
  EXPECT_THAT(RunSource(own).Codes(), IsEmpty());
  const std::string others =
      TwoRoles("event e[1] count 1", "st t[lane] <- 3.0\nif lane == 3 { arrive.thread e@0 }",
               "wait e@0\nif lane == 0 { st y[0] <- ld t[4] }");
  EXPECT_THAT(RunSource(others).Codes(), ElementsAre("CK2020"));
}

TEST(Events, ATestThatSucceedsAcquires) {
  const std::string spins = TwoRoles("event e[1] count 1", "st t[lane] <- 3.0\narrive e@0",
                                     "while !test(e@0) {}\nst y[lane] <- ld t[lane]");
  EXPECT_THAT(RunSource(spins).Codes(), IsEmpty());
}

TEST(Events, WaitsBeforeUseZeroPass) {
  const std::string text =
      TwoRoles("event e[2] count 1", "wait e@(-1)\nfor k in 0..2 { arrive e@k }",
               "for k in 0..2 { wait e@(k-2) }\nst y[lane] <- 1.0");
  EXPECT_THAT(RunSource(text).Codes(), IsEmpty());
}

TEST(Events, WaitingAgainIsLegal) {
  const std::string text = TwoRoles("event e[1] count 1", "st t[lane] <- 3.0\narrive e@0",
                                    "wait e@0\nwait e@0\nst y[lane] <- ld t[lane]\nwait e@0");
  EXPECT_THAT(RunSource(text).Codes(), IsEmpty());
}

TEST(Events, ADeadlockNamesBothSides) {
  const std::string text =
      TwoRoles("event e[1] count 1; event f[1] count 1", "wait f@0\narrive e@0",
               "wait e@0\narrive f@0\nst y[lane] <- 1.0");
  const Ran ran = RunSource(text);
  ASSERT_THAT(ran.Codes(), ElementsAre("CK2060"));
  EXPECT_EQ(ran.result.outcome, Outcome::kDeadlock);
  const diag::Diagnostic& d = ran.result.report.diagnostics()[0];
  ASSERT_EQ(d.wait_graph.size(), 2u);
  EXPECT_EQ(d.wait_graph[0].waiter, "role two");
  EXPECT_EQ(d.wait_graph[0].event, "e@0");
  EXPECT_EQ(d.wait_graph[0].missing, "role one waits for `f@0`");
  EXPECT_EQ(d.wait_graph[1].missing, "role two waits for `e@0`");
  EXPECT_EQ(Text(text, d.primary), "wait f@0");
}

TEST(Rings, ADeadlockSaysForWhichUseASlotIsMissing) {
  const std::string text = OneCta(
      "out y: f32[64]",
      "  ring t[2] { v: f32[32] } from one to two\n"
      "  role one: warps 1 { for k in 0..3 { acquire t@k; st t.v@k[lane] <- 1.0; commit t@k } }\n"
      "  role two: warps 1 { for k in 0..3 { wait t@k }; release t@0; st y[lane] <- 1.0 }");
  const Ran ran = RunSource(text);
  ASSERT_THAT(ran.Codes(), ElementsAre("CK2060")) << ran.text;
  EXPECT_THAT(ran.text, HasSubstr("role one waits for `t@0` to be released for use 2"));
  EXPECT_THAT(ran.text, HasSubstr("role two on t@2: 0 of 1 arrived"));
}

}  // namespace
}  // namespace compiler::machine
