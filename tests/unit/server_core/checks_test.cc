// Checks take turns by what they cost, wait in lines of bounded length, and are remembered.
#include "server/core/check_line.h"
#include "server/core/check_memory.h"
#include "tests/unit/server_core/world.h"

namespace server::testing {
namespace {

using state::Reason;

constexpr int64_t kMs = 1'000'000;

// So many checks start one after the other, each of its caller's cost; what each caller was served.
std::map<int64_t, int64_t> Serve(core::CheckLine& line, const std::map<int64_t, int64_t>& cost,
                                 const std::map<int64_t, int64_t>& weight, int starts) {
  std::map<uint64_t, int64_t> caller_of;
  uint64_t next = 1;
  const auto push = [&](int64_t caller) {
    caller_of[next] = caller;
    line.Push(caller, weight.at(caller), next++);
  };
  for (const auto& [caller, ns] : cost) {
    for (int i = 0; i < 4; ++i) push(caller);
  }
  for (int i = 0; i < starts; ++i) {
    const auto check = line.Pop();
    EXPECT_TRUE(check.has_value());
    const int64_t caller = caller_of.at(*check);
    line.Ended(caller, cost.at(caller));
    push(caller);  // it always has more to ask
  }
  std::map<int64_t, int64_t> served;
  for (const auto& [caller, ns] : cost) served[caller] = line.served_ns(caller);
  return served;
}

TEST(CheckLine, SharesTimeAndNotTurns) {
  core::CheckLine line;
  const auto served =
      Serve(line, {{1, 100 * kMs}, {2, 5 * kMs}, {3, 20 * kMs}}, {{1, 1}, {2, 1}, {3, 1}}, 1000);
  const auto mean = static_cast<double>(served.at(1) + served.at(2) + served.at(3)) / 3;
  for (const auto& [caller, ns] : served) EXPECT_NEAR(ns / mean, 1, 0.1) << caller;
}

TEST(CheckLine, TwiceTheWeightIsTwiceTheTime) {
  core::CheckLine line;
  const auto served = Serve(line, {{1, 30 * kMs}, {2, 10 * kMs}}, {{1, 2}, {2, 1}}, 1000);
  EXPECT_NEAR(static_cast<double>(served.at(1)) / static_cast<double>(served.at(2)), 2, 0.1);
}

TEST(CheckLine, IdlingSavesNothingUp) {
  core::CheckLine line;
  uint64_t next = 1;
  for (int i = 0; i < 40; ++i) line.Push(1, 1, next++);
  for (int i = 0; i < 20; ++i) {
    ASSERT_TRUE(line.Pop().has_value());
    line.Ended(1, 10 * kMs);
  }
  std::set<uint64_t> late;
  for (int i = 0; i < 20; ++i) {
    late.insert(next);
    line.Push(2, 1, next++);
  }
  int of_late = 0;
  for (int i = 0; i < 10; ++i) {
    const bool is_late = late.contains(*line.Pop());
    of_late += is_late ? 1 : 0;
    line.Ended(is_late ? 2 : 1, 10 * kMs);
  }
  EXPECT_EQ(of_late, 5);
}

// What runs counts with what the caller's checks cost so far, so that one caller does not get every
// child.
// One caller alone for an hour of CPU time; then a new one that always has more to ask. The first
// has its half at once, however the two come.
TEST(CheckLine, WhatNobodyElseWantedIsHeldAgainstNobody) {
  for (const bool new_one_first : {true, false}) {
    core::CheckLine line;
    uint64_t next = 1;
    for (int i = 0; i < 360; ++i) {
      line.Push(1, 1, next++);
      ASSERT_TRUE(line.Pop().has_value());
      line.Ended(1, 10'000 * kMs);
    }
    const int64_t alone = line.served_ns(1);
    const int64_t first = new_one_first ? 2 : 1, second = 3 - first;
    std::map<uint64_t, int64_t> caller_of;
    const auto push = [&](int64_t caller) {
      caller_of[next] = caller;
      line.Push(caller, 1, next++);
    };
    for (const int64_t caller : {first, second}) {
      for (int i = 0; i < 4; ++i) push(caller);
    }
    for (int i = 0; i < 100; ++i) {
      const auto check = line.Pop();
      ASSERT_TRUE(check.has_value());
      line.Ended(caller_of.at(*check), 10 * kMs);
      push(caller_of.at(*check));
    }
    EXPECT_NEAR(static_cast<double>(line.served_ns(1) - alone) / (500.0 * kMs), 1, 0.1);
  }
}

TEST(CheckLine, WhatRunsCounts) {
  core::CheckLine line;
  for (uint64_t check = 1; check <= 4; ++check) line.Push(1, 1, check);
  for (uint64_t check = 5; check <= 8; ++check) line.Push(2, 1, check);
  int of_first = 0;
  for (int i = 0; i < 4; ++i) of_first += *line.Pop() <= 4 ? 1 : 0;
  EXPECT_EQ(of_first, 2);
}

// A check that its caller waited too long for cost nothing, and says nothing of what others cost.
TEST(CheckLine, WhatIsDroppedSaysNothingOfTheNext) {
  core::CheckLine line;
  for (uint64_t check = 1; check <= 4; ++check) line.Push(1, 1, check);
  ASSERT_TRUE(line.Pop().has_value());
  line.Dropped(1);
  for (uint64_t check = 5; check <= 8; ++check) line.Push(2, 1, check);
  int of_first = 0;
  for (int i = 0; i < 4; ++i) of_first += *line.Pop() <= 4 ? 1 : 0;
  EXPECT_EQ(of_first, 2);
  EXPECT_EQ(line.served_ns(1), 0);
}

core::GateRequest Asked(const std::string& source) {
  core::GateRequest request;
  request.source = source;
  return request;
}

TEST(CheckMemory, KnowsTheRequestByEverythingButItsTime) {
  core::GateRequest request = Asked("a");
  const std::string key = core::CheckMemory::KeyOf(request);
  request.cpu_limit_ms = 17;
  EXPECT_EQ(core::CheckMemory::KeyOf(request), key);
  for (int i = 0; i < 5; ++i) {
    core::GateRequest other = Asked("a");
    if (i == 0) other.source = "b";
    if (i == 1) other.contract_json = "{}";
    if (i == 2) other.narrow = {{"P", {"1"}}};
    if (i == 3) other.direct = true;
    if (i == 4) other.rules = {{"uniform@2", false, "text"}};  // a rule that came since
    EXPECT_NE(core::CheckMemory::KeyOf(other), key) << i;
  }
}

TEST(CheckMemory, ForgetsTheLeastUsedAndStaysSmall) {
  core::CheckMemory memory;
  core::GateReply reply;
  reply.members.push_back({.report_json = std::string(60'000, 'r')});
  memory.Keep("first", reply);
  for (int i = 0; i < 2000; ++i) {
    memory.Keep(absl::StrCat(i), reply);
    EXPECT_NE(memory.Find("first"), nullptr);
  }
  EXPECT_EQ(memory.Find("0"), nullptr);
  EXPECT_NE(memory.Find("1999"), nullptr);
  EXPECT_LE(memory.bytes(), core::kRememberedBytesMax);
  EXPECT_LE(memory.size(), core::kRememberedChecksMax);
  reply.members.front().report_json = std::string(core::kRememberedBytesMax, 'r');
  memory.Keep("giant", reply);
  EXPECT_EQ(memory.Find("giant"), nullptr);
  EXPECT_NE(memory.Find("first"), nullptr);
}

core::CheckRequest Check(World& world, const std::string& source, const std::string& session = "") {
  core::CheckRequest request;
  request.meta = world.NewMeta();
  request.meta.session = session;
  request.source.text = source;
  request.workload = "vector_add";
  return request;
}

absl::StatusOr<core::CheckReply> Answer(World& world, const core::CheckRequest& request) {
  std::optional<absl::StatusOr<core::CheckReply>> reply;
  world.core->Check(request, [&](auto r) { reply = std::move(r); });
  world.Settle();
  EXPECT_TRUE(reply.has_value());
  return *reply;
}

TEST(Check, TheSameAgainCostsNothingAndLeavesItsTrace) {
  World world;
  const auto first = Answer(world, Check(world, "name=x bad=0"));
  ASSERT_TRUE(first.ok());
  const core::CheckRequest again = Check(world, "name=x bad=0", "other");
  std::optional<absl::StatusOr<core::CheckReply>> second;
  world.core->Check(again, [&](auto r) { second = std::move(r); });
  EXPECT_TRUE(world.gates.asked.empty());
  world.core->Step();
  ASSERT_TRUE(second.has_value() && second->ok());
  EXPECT_EQ((*second)->report.member_json, first->report.member_json);
  EXPECT_EQ((*second)->report.verdict, first->report.verdict);
  EXPECT_GT((*second)->event_seq, first->event_seq);
  const auto events = world.Events<store::Checked>();
  ASSERT_EQ(events.size(), 2u);
  EXPECT_GT(events[0].cpu_ns, 0);
  EXPECT_EQ(events[1].cpu_ns, 0);
  EXPECT_EQ(events[1].codes, events[0].codes);
  EXPECT_EQ(events[1].session, "other");
}

// Many who come with one program at a time cost what one of them costs.
TEST(Check, TheSameAtTheSameTimeIsAskedOnce) {
  World world;
  std::vector<core::CheckReply> replies;
  for (const char* session : {"a", "b", "c"}) {
    world.core->Check(Check(world, "name=x bad=0", session), [&](const auto& reply) {
      ASSERT_TRUE(reply.ok());
      replies.push_back(*reply);
    });
  }
  EXPECT_EQ(world.gates.asked.size(), 1u);
  world.Settle();
  ASSERT_EQ(replies.size(), 3u);
  for (const auto& reply : replies) {
    EXPECT_EQ(reply.report.member_json, replies.front().report.member_json);
  }
  int64_t cpu_ns = 0;
  const auto events = world.Events<store::Checked>();
  ASSERT_EQ(events.size(), 3u);
  for (const auto& event : events) cpu_ns += event.cpu_ns;
  EXPECT_EQ(cpu_ns, FakeGates::Reply(Asked("name=x bad=0"))->cpu_ns);
}

// Who waits for another's answer is asked for itself when the other's time is over.
TEST(Check, WhoFollowsOneThatGivesUpIsAskedItself) {
  World world;
  world.limits.check_slots = 1;
  world.Restart();
  std::vector<absl::Status> ends;
  world.core->Check(Check(world, "name=first"), [](const auto& r) { EXPECT_TRUE(r.ok()); });
  auto late = Check(world, "name=late", "a");
  late.time_ms = 100;
  world.core->Check(late, [&](const auto& reply) { ends.push_back(reply.status()); });
  world.core->Check(Check(world, "name=late", "b"),
                    [&](const auto& reply) { ends.push_back(reply.status()); });
  world.clock.AdvanceMs(101);
  world.Settle();
  ASSERT_EQ(ends.size(), 2u);
  EXPECT_EQ(ends[0].code(), absl::StatusCode::kDeadlineExceeded);
  EXPECT_TRUE(ends[1].ok());
}

TEST(Check, AChildThatDiedIsNoAnswerToRemember) {
  World world;
  for (int i = 0; i < 2; ++i) {
    const auto reply = Answer(world, Check(world, "crash"));
    ASSERT_TRUE(reply.ok());
    EXPECT_EQ(reply->report.verdict, store::Verdict::kRejectedLimit);
  }
  world.core->Check(Check(world, "crash"), [](const auto&) {});
  EXPECT_EQ(world.gates.asked.size(), 1u);
}

TEST(Check, ACallersLineIsBoundedAndNobodyElsesIsShorterForIt) {
  World world;
  world.limits.check_slots = 2;
  world.limits.caller_checks_max = 5;
  world.Restart();
  std::vector<absl::Status> ends;
  for (int i = 0; i < 7; ++i) {
    world.core->Check(Check(world, absl::StrCat("name=c", i)),
                      [&](const auto& reply) { ends.push_back(reply.status()); });
  }
  ASSERT_EQ(ends.size(), 2u);
  for (const absl::Status& end : ends) EXPECT_EQ(state::ReasonOf(end), Reason::kRate);
  EXPECT_EQ(world.gates.asked.size(), 2u);  // as many as there are children
  core::TokenRequest token;
  token.meta = world.NewMeta();
  token.name = "bot";
  token.role = "agent";
  ASSERT_TRUE(world.core->CreateToken(token).ok());
  {
    const core::Core::Acting acting(*world.core, world.state().principals.rbegin()->first);
    world.core->Check(Check(world, "name=other"), [](const auto& r) { EXPECT_TRUE(r.ok()); });
  }
  // It came last and is next: its caller had nothing yet.
  const auto first = world.gates.asked.front();
  world.gates.asked.pop_front();
  world.core->GateDone(first.id, FakeGates::Reply(first.request));
  EXPECT_EQ(world.gates.asked.back().request.source, "name=other");
  world.Settle();
  EXPECT_EQ(ends.size(), 7u);
}

TEST(Check, WhoseTimeIsOverInTheLineCostsNobodyAnything) {
  World world;
  world.limits.check_slots = 1;
  world.Restart();
  std::vector<absl::Status> ends;
  auto late = Check(world, "name=late");
  late.time_ms = 100;
  world.core->Check(Check(world, "name=first"), [](const auto& r) { EXPECT_TRUE(r.ok()); });
  world.core->Check(late, [&](const auto& reply) { ends.push_back(reply.status()); });
  world.clock.AdvanceMs(101);
  world.Settle();
  ASSERT_EQ(ends.size(), 1u);
  EXPECT_EQ(ends[0].code(), absl::StatusCode::kDeadlineExceeded);
  EXPECT_EQ(world.Events<store::Checked>().size(), 1u);
}

}  // namespace
}  // namespace server::testing
