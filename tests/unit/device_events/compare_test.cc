// Logs that a device might leave, byte by byte: read back, and held against the machine's.
#include "tests/device/events/compare.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "runner/launch/elaborate.h"

namespace device::events {
namespace {

using compiler::emit::EventLogRecord;
using compiler::emit::EventVerb;
using compiler::emit::kNoParity;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// Two slots, three uses: the third wraps to slot 0 with the other parity. Line 7 is `acquire`.
constexpr char kRing[] = R"(program p target sm_80
out y: f32[32]
kernel k {
  grid (2)
  ring r[2] { v: f32[32] } from fill to drain
  role fill: warps 1 {
    for k in 0..3 { acquire r@k; st r.v@k[lane] <- 1.0; commit r@k }
  }
  role drain: warps 1 {
    var s: f32 = 0.0
    for k in 0..3 { wait r@k; s += ld r.v@k[lane]; release r@k }
    sync role
    if cta == 0 { st y[lane] <- s }
  }
}
)";

struct Ran {
  runner::launch::Elaborated program;
  std::vector<WarpLog> machine;
};

Ran RunOnMachine(const std::string& source,
                 const std::vector<compiler::machine::WarpTickets>* replay = nullptr) {
  Ran ran;
  compiler::diag::Report report;
  ran.program = runner::launch::Elaborate({.source = source, .arch = "sm_90a"}, report);
  if (ran.program.program == nullptr) {
    ADD_FAILURE() << report.diagnostics()[0].message;
    return ran;
  }
  const auto& program = *ran.program.program;
  const auto values = compiler::facts::BindLaunch(program, {});
  const auto plan = compiler::facts::PlanLaunch(program, ran.program.facts, *values, "hash");
  std::vector<std::vector<std::byte>> bytes;
  for (const auto& tensor : plan->tensors) bytes.emplace_back(static_cast<size_t>(tensor.bytes));
  compiler::machine::Memory memory;
  for (auto& tensor : bytes) memory.tensors.emplace_back(tensor);
  const auto result = compiler::machine::Run(program, ran.program.facts, *plan, *values, memory,
                                             {.replay = replay, .log_events = true});
  EXPECT_EQ(result->outcome, compiler::machine::Outcome::kFinished);
  ran.machine = FromMachine(program, ran.program.facts, *result);
  return ran;
}

std::vector<std::string> Texts(const WarpLog& log) {
  std::vector<std::string> out;
  for (const Record& record : log.records) out.push_back(Text(record));
  return out;
}

EventLogRecord Made(EventVerb verb, uint32_t parity, uint32_t at, int32_t use, int32_t line) {
  return {.what = static_cast<uint32_t>(verb) | parity << 8 | 32u << 16,
          .at = at,
          .use = use,
          .line = line};
}

// What one CTA of kRing leaves: `full` lies at byte 256, `empty` behind it.
std::vector<EventLogRecord> Fill() {
  return {Made(EventVerb::kAcquire, 1, 272, 0, 7), Made(EventVerb::kCommit, kNoParity, 256, 0, 7),
          Made(EventVerb::kAcquire, 1, 280, 1, 7), Made(EventVerb::kCommit, kNoParity, 264, 1, 7),
          Made(EventVerb::kAcquire, 0, 272, 2, 7), Made(EventVerb::kCommit, kNoParity, 256, 2, 7)};
}
std::vector<EventLogRecord> Drain() {
  return {
      Made(EventVerb::kWait, 0, 256, 0, 11),       Made(EventVerb::kRelease, kNoParity, 272, 0, 11),
      Made(EventVerb::kWait, 0, 264, 1, 11),       Made(EventVerb::kRelease, kNoParity, 280, 1, 11),
      Made(EventVerb::kWait, 1, 256, 2, 11),       Made(EventVerb::kRelease, kNoParity, 272, 2, 11),
      Made(EventVerb::kSync, kNoParity, 1, -1, 12)};
}

// The memory of two CTAs of two warps.
struct DeviceLog {
  static constexpr int64_t kLimit = 8;
  std::vector<uint32_t> counts = std::vector<uint32_t>(4);
  std::vector<EventLogRecord> records = std::vector<EventLogRecord>(4 * kLimit);

  DeviceLog() {
    for (size_t slot = 0; slot < 4; ++slot) Put(slot, slot % 2 == 0 ? Fill() : Drain());
  }
  void Put(size_t slot, const std::vector<EventLogRecord>& log) {
    counts[slot] = static_cast<uint32_t>(log.size());
    std::copy(log.begin(), log.end(), records.begin() + static_cast<int64_t>(slot) * kLimit);
  }
  std::vector<WarpLog> Read(const Ran& ran) const {
    return FromDevice(*ran.program.program, ran.program.facts, 0, 2, counts, records, kLimit);
  }
};

class Logs : public testing::Test {
 protected:
  Comparison Against(const DeviceLog& device) {
    return Compare(*ran_.program.program, ran_.machine, device.Read(ran_));
  }
  const Ran ran_ = RunOnMachine(kRing);
};

TEST_F(Logs, TheMachineSaysWhatTheHardwareShouldBeTold) {
  ASSERT_EQ(ran_.machine.size(), 4u);
  EXPECT_THAT(Texts(ran_.machine[0]),
              ElementsAre("acquire r empty[0] parity 1 use 0", "commit r full[0] use 0",
                          "acquire r empty[1] parity 1 use 1", "commit r full[1] use 1",
                          "acquire r empty[0] parity 0 use 2", "commit r full[0] use 2"));
  EXPECT_THAT(
      Texts(ran_.machine[1]),
      ElementsAre("wait r full[0] parity 0 use 0", "release r empty[0] use 0",
                  "wait r full[1] parity 0 use 1", "release r empty[1] use 1",
                  "wait r full[0] parity 1 use 2", "release r empty[0] use 2", "sync barrier 1"));
  EXPECT_EQ(ran_.machine[0].records[0].line, 7);
}

TEST_F(Logs, EqualOnesAreEqual) {
  const Comparison found = Against(DeviceLog());
  EXPECT_EQ(found.warps, 4);
  EXPECT_EQ(found.records, 26);
  EXPECT_EQ(found.mismatches, 0);
  EXPECT_THAT(found.told, IsEmpty());
}

TEST_F(Logs, EachFieldOfOneRecordCounts) {
  for (const EventLogRecord& other :
       {Made(EventVerb::kAcquire, 1, 272, 2, 7), Made(EventVerb::kAcquire, 0, 280, 2, 7),
        Made(EventVerb::kAcquire, 0, 276, 2, 7), Made(EventVerb::kAcquire, 0, 272, 3, 7),
        Made(EventVerb::kWait, 0, 272, 2, 7), Made(EventVerb::kAcquire, kNoParity, 272, 2, 7),
        EventLogRecord{}}) {
    DeviceLog device;
    device.records[2 * DeviceLog::kLimit + 4] = other;
    const Comparison found = Against(device);
    EXPECT_EQ(found.mismatches, 1);
    ASSERT_EQ(found.told.size(), 1u);
    EXPECT_THAT(Text(found.told[0]),
                HasSubstr("kernel k, CTA 1, role fill, warp 0, record 4 (line 7): the machine has "
                          "acquire r empty[0] parity 0 use 2, the device "));
  }
}

TEST_F(Logs, AMbarrierThatNobodyDeclaredHasItsByte) {
  DeviceLog device;
  device.records[0].at = 288;
  EXPECT_THAT(Text(Against(device).told.at(0)),
              HasSubstr("the device acquire shared byte 288 parity 1 use 0"));
}

TEST_F(Logs, OneThatEndsEarlyOrGoesOnDiffersWhereItEnds) {
  DeviceLog shorter;
  shorter.counts[1] = 6;
  Comparison found = Against(shorter);
  EXPECT_EQ(found.mismatches, 1);
  EXPECT_THAT(Text(found.told.at(0)), HasSubstr("record 6 (line 12): the machine has sync barrier "
                                                "1, the device nothing"));
  DeviceLog longer;
  auto more = Fill();
  more.push_back(Made(EventVerb::kCommit, kNoParity, 264, 3, 7));
  longer.Put(0, more);
  found = Against(longer);
  EXPECT_THAT(Text(found.told.at(0)),
              HasSubstr("record 6 (line 7): the machine has nothing, the device commit"));
}

TEST_F(Logs, RecordsWithoutRoomAreADifferenceAndCounted) {
  DeviceLog device;
  device.counts[0] = DeviceLog::kLimit + 3;
  const Comparison found = Against(device);
  EXPECT_EQ(found.mismatches, 1);
  EXPECT_EQ(found.missing, 3);
}

TEST_F(Logs, WithoutTicketsEveryCtaHasItsOwnLog) {
  DeviceLog device;
  auto more = Fill();
  more.pop_back();
  device.Put(0, more);
  EXPECT_EQ(Against(device).mismatches, 1);
  EXPECT_FALSE(HasTickets(*ran_.program.program, ran_.program.program->kernels[0]));
}

TEST_F(Logs, AWarpOfNoRoleHasToBeSilent) {
  Ran ran = RunOnMachine(kRing);
  ran.program.facts.kernels[0].threads += 32;
  DeviceLog device;
  std::vector<uint32_t> counts(6);
  std::vector<EventLogRecord> records(6 * DeviceLog::kLimit);
  for (size_t slot : {0u, 1u, 3u, 4u}) {
    const auto log = slot % 3 == 0 ? Fill() : Drain();
    counts[slot] = static_cast<uint32_t>(log.size());
    std::copy(log.begin(), log.end(),
              records.begin() + static_cast<int64_t>(slot) * DeviceLog::kLimit);
  }
  const auto compare = [&] {
    return Compare(*ran.program.program, ran.machine,
                   FromDevice(*ran.program.program, ran.program.facts, 0, 2, counts, records,
                              DeviceLog::kLimit));
  };
  EXPECT_EQ(compare().mismatches, 0);
  counts[5] = 1;
  records[5 * DeviceLog::kLimit] = Made(EventVerb::kSync, kNoParity, 1, -1, 12);
  EXPECT_EQ(compare().mismatches, 1);
  EXPECT_THAT(Text(compare().told.at(0)), HasSubstr("CTA 1, role none, warp 2"));
}

// A CTA goes on drawing until nothing is left; who draws how often is up to the order. On the
// machine CTA 0 draws all, on the device the others may.
constexpr char kTickets[] = R"(program p target sm_80
out y: f32[8]
workspace next: i32[1] zero
kernel k {
  grid (2)
  role main: warps 1 {
    var more = true
    while more {
      var drawn: i32 = 0
      if lane == 0 { drawn = atomic.add.relaxed.gpu(next[0], 1) }
      let t = lanes.first(drawn, 32)
      more = t < 2
      if more { sync cta; elect { st y[t] <- 1.0 } }
    }
  }
}
)";

class Tickets : public testing::Test {
 protected:
  // What each CTA draws.
  Comparison Against(const std::vector<std::vector<uint32_t>>& drawn) {
    constexpr int64_t kLimit = 8;
    std::vector<uint32_t> counts;
    std::vector<EventLogRecord> records(drawn.size() * kLimit);
    for (size_t cta = 0; cta < drawn.size(); ++cta) {
      auto* to = &records[cta * kLimit];
      counts.push_back(0);
      for (const uint32_t ticket : drawn[cta]) {
        to[counts[cta]++] = {.what = static_cast<uint32_t>(EventVerb::kTicket) | kNoParity << 8,
                             .at = ticket,
                             .line = 10};
        if (ticket < 2) to[counts[cta]++] = Made(EventVerb::kSync, kNoParity, 0, -1, 13);
      }
    }
    const auto device =
        FromDevice(*program_.program, program_.facts, 0, 2, counts, records, kLimit);
    std::vector<compiler::machine::WarpTickets> replay;
    for (const WarpLog& log : device) replay.push_back(log.tickets);
    return Compare(*program_.program, RunOnMachine(kTickets, &replay).machine, device);
  }
  const runner::launch::Elaborated program_ = RunOnMachine(kTickets).program;
};

TEST_F(Tickets, TheMachineByItselfGivesAllToTheFirst) {
  ASSERT_TRUE(HasTickets(*program_.program, program_.program->kernels[0]));
  const auto machine = RunOnMachine(kTickets).machine;
  EXPECT_THAT(Texts(machine[0]),
              ElementsAre("ticket value 0 of lane 0", "sync barrier 0", "ticket value 1 of lane 0",
                          "sync barrier 0", "ticket value 2 of lane 0"));
  EXPECT_THAT(Texts(machine[1]), ElementsAre("ticket value 3 of lane 0"));
}

TEST_F(Tickets, TheMachineFollowsTheDevice) {
  for (const auto& drawn : std::vector<std::vector<std::vector<uint32_t>>>{
           {{0, 1, 2}, {3}}, {{3}, {0, 1, 2}}, {{0, 2}, {1, 3}}, {{1, 3}, {0, 2}}}) {
    const Comparison found = Against(drawn);
    EXPECT_EQ(found.mismatches, 0);
    EXPECT_EQ(found.warps, 2);
    EXPECT_EQ(found.records, 6);
  }
}

TEST_F(Tickets, OneThatIsMissingOrTooManyIsADifference) {
  EXPECT_GT(Against({{0, 1}, {2}}).mismatches, 0);
  const Comparison found = Against({{0, 2, 2}, {1, 3}});
  EXPECT_EQ(found.mismatches, 1);
  EXPECT_THAT(
      Text(found.told.at(0)),
      HasSubstr("CTA 0, role main, warp 0, record 3 (line 10): the machine has nothing, the "
                "device ticket value 2 of lane 0"));
}

TEST(LanesOfOneAtomic, MayDrawInAnyOrder) {
  const Ran ran = RunOnMachine(R"(program p target sm_80
out y: i32[32]
workspace next: i32[1] zero
kernel k {
  grid (1)
  role main: warps 1 {
    var t: i32 = 0
    if lane < 2 { t = atomic.add.relaxed.gpu(next[0], 1) }
    st y[lane] <- t
  }
}
)");
  const auto drawn = [](uint32_t lane, uint32_t value) {
    return EventLogRecord{
        .what = static_cast<uint32_t>(EventVerb::kTicket) | kNoParity << 8 | lane << 16,
        .at = value};
  };
  const std::vector<uint32_t> counts = {2};
  for (const auto& records : std::vector<std::vector<EventLogRecord>>{{drawn(0, 0), drawn(1, 1)},
                                                                      {drawn(1, 1), drawn(0, 0)}}) {
    EXPECT_EQ(Compare(*ran.program.program, ran.machine,
                      FromDevice(*ran.program.program, ran.program.facts, 0, 1, counts, records, 2))
                  .mismatches,
              0);
  }
}

// Threads of a warp that have come apart are one arrival.
TEST(ThreadArrivals, AddUp) {
  const Ran ran = RunOnMachine(R"(program p target sm_80
out y: f32[32]
kernel k {
  grid (1)
  event e[1] count 40
  role main: warps 1 {
    arrive.thread e@0
    if lane < 8 { arrive.thread e@0 }
    while !test(e@0) {}
    st y[lane] <- 1.0
  }
}
)");
  ASSERT_EQ(ran.machine.size(), 1u);
  EXPECT_THAT(Texts(ran.machine[0]),
              ElementsAre("arrive.thread e[0] use 0 by 32 threads",
                          "arrive.thread e[0] use 0 by 8 threads", "test e[0] parity 0 use 0"));
  const auto of = [](EventVerb verb, uint32_t parity, uint32_t lanes, int32_t line) {
    return EventLogRecord{
        .what = static_cast<uint32_t>(verb) | parity << 8 | lanes << 16, .use = 0, .line = line};
  };
  const std::vector<EventLogRecord> records = {
      of(EventVerb::kArriveThread, kNoParity, 30, 7), of(EventVerb::kArriveThread, kNoParity, 2, 7),
      of(EventVerb::kArriveThread, kNoParity, 8, 8), of(EventVerb::kTest, 0, 32, 9)};
  const std::vector<uint32_t> counts = {4};
  EXPECT_EQ(Compare(*ran.program.program, ran.machine,
                    FromDevice(*ran.program.program, ran.program.facts, 0, 1, counts, records, 4))
                .mismatches,
            0);
}

}  // namespace
}  // namespace device::events
