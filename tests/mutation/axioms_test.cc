// The machine and the relation of axioms.h, which knows no machine, say the same of every protocol;
// and every edge and condition of the relation decides over one protocol.
#include "tests/mutation/axioms.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>

#include "tests/mutation/cake_text.h"
#include "tests/mutation/generate.h"
#include "tests/mutation/theorem.h"

namespace mutation {
namespace {

TEST(Axioms, AgreeWithTheMachine) {
  constexpr uint64_t kProtocols = 3000;
  int accepted = 0;
  for (uint64_t seed = 1; seed <= kProtocols; ++seed) {
    const Protocol protocol = Generate(seed);
    const std::optional<std::string> code = JudgeProtocol(protocol, 0);
    ASSERT_TRUE(code.has_value()) << seed;
    const std::string breach = Breach(protocol);
    EXPECT_EQ(code->empty(), breach.empty())
        << seed << ": the machine says '" << *code << "', the axioms '" << breach << "'\n"
        << ToString(protocol);
    accepted += code->empty() ? 1 : 0;
  }
  EXPECT_GT(accepted, static_cast<int>(kProtocols) / 4);
}

// One edge: the protocol with it is right, without it, or with it at another place, wrong.
struct Litmus {
  const char* name;  // the edge, and where the PTX ISA says it
  Protocol with, without;
  const char* breach;  // of the latter
};

constexpr Step kWrite{.op = Op::kWrite}, kRead{.op = Op::kRead}, kFence{.op = Op::kFence};
constexpr Step kStore{.op = Op::kStore}, kStoreWait{.op = Op::kStoreWait};
constexpr Step kCopy{.op = Op::kCopy}, kCommit{.op = Op::kCopyCommit};
constexpr Step kCopyWait{.op = Op::kCopyWait}, kSync{.op = Op::kSync};
constexpr Step kNamedArrive{.op = Op::kNamedArrive};
constexpr Step kLoad{.op = Op::kLoad, .bytes = kRowBytes};
constexpr Step kExpect{.op = Op::kExpect, .bytes = kRowBytes};

constexpr Step Arrive(int use, int event = 0) {
  return {.op = Op::kArrive, .event = event, .use = use};
}
constexpr Step Wait(int use, int event = 0) {
  return {.op = Op::kWait, .event = event, .use = use};
}
constexpr Step Pending(Step step, int n) {
  step.n = n;
  return step;
}
constexpr Step At(Step step, int use, int slot = 0) {
  step.use = use;
  step.slot = slot;
  return step;
}

const std::vector<Event> kOne{{1, 1}}, kTwo{{1, 1}, {1, 1}};

std::vector<Litmus> EdgesOfEvents() {
  return {
      {"mbarrier.arrive to mbarrier.try_wait",
       {.agents = {{kWrite, Arrive(0)}, {Wait(0), kRead}}, .events = kOne},
       {.agents = {{Arrive(0), kWrite}, {Wait(0), kRead}}, .events = kOne},
       "a race"},
      {"mbarrier.try_wait: learns of its own phase",
       {.agents = {{Arrive(0), Wait(0, 1), kWrite, Arrive(1)},
                   {Wait(0), Arrive(0, 1), Wait(1), kRead}},
        .events = kTwo},
       {.agents = {{Arrive(0), Wait(0, 1), kWrite, Arrive(1)},
                   {Wait(0), Arrive(0, 1), kRead, Wait(1)}},
        .events = kTwo},
       "a race"},
      {"mbarrier: an arrival after the phase before is known complete",
       {.agents = {{Arrive(0)}, {Wait(0), Arrive(1)}}, .events = kOne},
       {.agents = {{Arrive(0)}, {Arrive(1)}}, .events = kOne},
       "an arrival at a recycled barrier"},
      {"mbarrier.try_wait.parity: a wait that is two phases late",
       {.agents = {{Arrive(0), Wait(0, 1), Arrive(1)}, {Wait(0), Arrive(0, 1)}}, .events = kTwo},
       {.agents = {{Arrive(0), Wait(0), Arrive(1)}, {Wait(0)}}, .events = kOne},
       "a wait that is lapped"},
      {"mbarrier: the number of arrivals of a phase",
       {.agents = {{Arrive(0)}, {Arrive(0)}}, .events = {{1, 2}}},
       {.agents = {{Arrive(0)}, {}}, .events = {{1, 2}}},
       "a generation without its arrivals"},
      {"mbarrier.expect_tx: the bytes of a phase",
       {.agents = {{kLoad, kExpect, Wait(0), kRead}}, .events = kOne},
       {.agents = {{kLoad, {.op = Op::kExpect, .bytes = 2 * kRowBytes}}}, .events = kOne},
       "bytes that do not match"},
      {"cp.async.bulk: complete_tx to mbarrier.try_wait",
       {.agents = {{kLoad, kExpect}, {Wait(0), kRead}}, .events = kOne},
       {.agents = {{kLoad, kExpect, Arrive(0, 1)}, {Wait(0, 1), kRead}}, .events = kTwo},
       "a race"},
  };
}

std::vector<Litmus> EdgesOfCopiesAndBarriers() {
  return {
      {"cp.async.wait_group: groups older than the newest",
       {.agents = {{kCopy, kCommit, Pending(kCopyWait, 0), kRead}}},
       {.agents = {{kCopy, kCommit, Pending(kCopyWait, 1), kRead}}},
       "a race"},
      {"cp.async.commit_group: what is in no group is not waited for",
       {.agents = {{kCopy, kCommit, kCopyWait, kRead}}},
       {.agents = {{kCommit, kCopy, kCopyWait, kRead}}},
       "a race"},
      {"cp.async.wait_group: of its own thread only",
       {.agents = {{kCopy, kCommit, kCopyWait, Arrive(0)}, {Wait(0), kRead}}, .events = kOne},
       {.agents = {{kCopy, kCommit, Arrive(0)}, {Wait(0), kCopyWait, kRead}}, .events = kOne},
       "a race"},
      {"cp.async.bulk.wait_group.read: the source may be written again",
       {.agents = {{kWrite, kFence, kStore, kStoreWait, kWrite}}},
       {.agents = {{kWrite, kFence, kStore, kWrite, kStoreWait}}},
       "a race"},
      {"fence.proxy.async: a generic write before a copy",
       {.agents = {{kWrite, kFence, kStore, kStoreWait}}},
       {.agents = {{kWrite, kStore, kStoreWait}}},
       "a copy without a fence"},
      {"fence.proxy.async: covers what is known where it stands",
       {.agents = {{kWrite, Arrive(0)}, {Wait(0), kFence, kStore, kStoreWait}}, .events = kOne},
       {.agents = {{kWrite, Arrive(0)}, {kFence, Wait(0), kStore, kStoreWait}}, .events = kOne},
       "a copy without a fence"},
      {"fence.proxy.async: not between a thread's read and a copy's write",
       {.agents = {{kLoad, kExpect, Wait(0, 1), At(kLoad, 1), At(kExpect, 1), Wait(1)},
                   {Wait(0), kRead, Arrive(0, 1)}},
        .events = kTwo},
       {.agents = {{kLoad, kExpect, Wait(0), At(kLoad, 1), At(kExpect, 1), Wait(1)},
                   {Wait(0), kRead, Arrive(0, 1)}},
        .events = kTwo},
       "a wait that is lapped"},
      {"bar.sync: all to all",
       {.agents = {{kWrite, kSync}, {kSync, kRead}}, .named = {2}},
       {.agents = {{kSync, kWrite}, {kSync, kRead}}, .named = {2}},
       "a race"},
      {"bar.arrive: tells, and is not told",
       {.agents = {{kWrite, kNamedArrive}, {kSync, kRead}}, .named = {2}},
       {.agents = {{kNamedArrive, kRead}, {kWrite, kSync}}, .named = {2}},
       "a race"},
      {"bar.arrive: one generation ahead",
       {.agents = {{kNamedArrive, Wait(0), kNamedArrive}, {kSync, Arrive(0), kSync}},
        .events = kOne,
        .named = {2}},
       {.agents = {{kNamedArrive, kNamedArrive}, {kSync, kSync}}, .named = {2}},
       "a named barrier that is recycled"},
      {"program order of one thread",
       {.agents = {{kWrite, kRead}}},
       {.agents = {{kRead, kWrite}}},
       "a read of what nobody wrote"},
      {"waits in a circle",
       {.agents = {{Arrive(0), Wait(0, 1)}, {Wait(0), Arrive(0, 1)}}, .events = kTwo},
       {.agents = {{Wait(0, 1), Arrive(0)}, {Wait(0), Arrive(0, 1)}}, .events = kTwo},
       "events wait for each other"},
      {"cp.async.bulk: over before the CTA ends",
       {.agents = {{kLoad, kExpect, Wait(0)}}, .events = kOne},
       {.agents = {{kLoad, kExpect}}, .events = kOne},
       "a copy that nobody waits for"},
  };
}

TEST(Axioms, EachEdgeDecidesAndTheMachineSaysSoToo) {
  std::vector<Litmus> edges = EdgesOfEvents();
  for (Litmus& litmus : EdgesOfCopiesAndBarriers()) edges.push_back(std::move(litmus));
  for (const Litmus& litmus : edges) {
    SCOPED_TRACE(litmus.name);
    ASSERT_TRUE(WellFormed(litmus.with) && WellFormed(litmus.without));
    EXPECT_EQ(Breach(litmus.with), "");
    EXPECT_EQ(Breach(litmus.without), litmus.breach);
    EXPECT_EQ(JudgeProtocol(litmus.with, 0), "") << CakeText(litmus.with);
    EXPECT_NE(JudgeProtocol(litmus.without, 0), "") << CakeText(litmus.without);
  }
}

}  // namespace
}  // namespace mutation
