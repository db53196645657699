// Logs that a device might leave, byte by byte: read back, and held against the machine's.
#include "tests/device/events/compare.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "tests/unit/device_events/run_on_machine.h"

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

std::vector<std::string> Texts(const WarpLog& log) {
  std::vector<std::string> out;
  for (const Record& record : log.records) out.push_back(Text(record));
  return out;
}

constexpr uint32_t kWhole = 0xffffffff;

EventLogRecord Made(EventVerb verb, uint32_t parity, uint32_t at, int32_t use, uint32_t line,
                    uint32_t lanes = kWhole) {
  return {.what = static_cast<uint32_t>(verb) | parity << 6 | line << 8,
          .at = at,
          .use = use,
          .lanes = lanes};
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
    EXPECT_THAT(
        Text(found.told[0]),
        HasSubstr("kernel k, CTA 1, role fill, warp 0, lane 0, record 4 (line 7): the machine has "
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
        to[counts[cta]++] = Made(EventVerb::kTicket, kNoParity, ticket, 0, 10, 1);
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
              ElementsAre("ticket value 0 by lane 0", "sync barrier 0", "ticket value 1 by lane 0",
                          "sync barrier 0", "ticket value 2 by lane 0"));
  EXPECT_THAT(Texts(machine[1]), ElementsAre("ticket value 3 by lane 0"));
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
      HasSubstr(
          "CTA 0, role main, warp 0, lane 0, record 3 (line 10): the machine has nothing, the "
          "device ticket value 2 by lane 0"));
}

// A CTA takes the places of others until it is refused.
constexpr char kAnswers[] = R"(program p target sm_100
out y: f32[3]
kernel k {
  grid (3)
  smem answer[2]: u64[2]
  event told[2] count 1
  role main: warps 1 {
    var t = cta
    var k = 0
    while t >= 0 && k < 9 {
      clc.try_cancel answer@k on told@k
      expect told@k
      if t < 3 { elect { st y[t] <- 1.0 } }
      wait told@k
      let a = ld answer@k[0:+2]
      t = clc.cta(a[0], a[1])
      k += 1
    }
  }
}
)";

// What each CTA is answered; one without answers has not begun.
Comparison AgainstAnswers(const std::vector<std::vector<int32_t>>& answers) {
  constexpr int64_t kLimit = 128;
  const Ran own = RunOnMachine(kAnswers, nullptr, "sm_100a");
  const auto& facts = own.program.facts;
  const auto told = static_cast<uint32_t>(facts.kernels.at(0).events.at(0).offset_bytes);
  std::vector<uint32_t> counts;
  std::vector<EventLogRecord> records(answers.size() * kLimit);
  for (size_t cta = 0; cta < answers.size(); ++cta) {
    EventLogRecord* const to = &records[cta * kLimit];
    uint32_t& n = counts.emplace_back(0);
    for (size_t k = 0; k < answers[cta].size(); ++k) {
      const auto use = static_cast<int32_t>(k);
      const auto at = told + 8 * static_cast<uint32_t>(k % 2);
      to[n++] = Made(EventVerb::kLoad, kNoParity, at, use, 11, 1);
      to[n++] = Made(EventVerb::kExpect, kNoParity, at, use, 12);
      to[n++] = Made(EventVerb::kWait, static_cast<uint32_t>(k / 2 % 2), at, use, 14);
      for (int lane = 0; lane < 32; ++lane) {
        to[n++] = Made(EventVerb::kAnswer, kNoParity, static_cast<uint32_t>(answers[cta][k]), 0, 16,
                       1u << lane);
      }
    }
  }
  const auto device = FromDevice(*own.program.program, facts, 0,
                                 static_cast<int64_t>(answers.size()), counts, records, kLimit);
  std::vector<compiler::machine::WarpTickets> replay;
  for (const WarpLog& log : device) replay.push_back(log.tickets);
  return Compare(*own.program.program, RunOnMachine(kAnswers, &replay, "sm_100a").machine, device);
}

TEST(Answers, TheMachineFollowsTheDevice) {
  for (const auto& answers : std::vector<std::vector<std::vector<int32_t>>>{
           {{1, 2, -1}, {}, {}}, {{2, -1}, {-1}, {}}, {{-1}, {2, -1}, {}}, {{-1}, {-1}, {-1}}}) {
    EXPECT_EQ(AgainstAnswers(answers).mismatches, 0);
  }
  // A CTA that began though another has its place; one more request than the answers allow.
  EXPECT_EQ(AgainstAnswers({{2, -1}, {-1}, {-1}}).mismatches, 1);
  const Comparison more = AgainstAnswers({{-1, -1}, {-1}, {-1}});
  EXPECT_EQ(more.mismatches, 1);
  EXPECT_THAT(Text(more.told.at(0)),
              HasSubstr("the machine has nothing, the device expect told[1]"));
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
    return Made(EventVerb::kTicket, kNoParity, value, 0, 7, 1u << lane);
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

// Two arrivals of threads in a row, then a wait for each. `e` lies at byte 0, with 8 bytes a stage.
constexpr char kArrivals[] = R"(program p target sm_80
in x: f32[32]; out y: f32[32]
kernel k {
  grid (1)
  smem s: f32[32]
  event e[2] count 32
  role main: warps 1 {
    arrive.thread e@0
    cp.async s[lane:+1] <- x[lane:+1]
    cp.async.arrive e@1
    wait e@0
    wait e@1
    st y[lane] <- ld s[lane]
  }
}
)";

class Lanes : public testing::Test {
 protected:
  static constexpr uint32_t kLast = 0x80000000, kOthers = 0x7fffffff;
  EventLogRecord Arrival(uint32_t lanes) const {
    return Made(EventVerb::kArriveThread, kNoParity, at_, 0, 8, lanes);
  }
  EventLogRecord CopyArrival(uint32_t lanes) const {
    return Made(EventVerb::kAsyncArrive, kNoParity, at_ + 8, 1, 10, lanes);
  }
  EventLogRecord Wait(int32_t use, uint32_t lanes = kWhole) const {
    return Made(EventVerb::kWait, 0, at_ + 8 * static_cast<uint32_t>(use), use,
                11 + static_cast<uint32_t>(use), lanes);
  }
  Comparison Against(const std::vector<EventLogRecord>& records) const {
    const std::vector<uint32_t> counts = {static_cast<uint32_t>(records.size())};
    return Compare(*ran_.program.program, ran_.machine,
                   FromDevice(*ran_.program.program, ran_.program.facts, 0, 1, counts, records,
                              static_cast<int64_t>(records.size())));
  }
  std::string Told(const std::vector<EventLogRecord>& records) const {
    const Comparison found = Against(records);
    EXPECT_EQ(found.mismatches, 1);
    return found.told.empty() ? "" : Text(found.told[0]);
  }
  const Ran ran_ = RunOnMachine(kArrivals);
  const uint32_t at_ =
      static_cast<uint32_t>(ran_.program.facts.kernels.at(0).events.at(0).offset_bytes);
};

TEST_F(Lanes, TogetherAreEqual) {
  EXPECT_EQ(Against({Arrival(kWhole), CopyArrival(kWhole), Wait(0), Wait(1)}).mismatches, 0);
}

TEST_F(Lanes, MayComeApartAndOnePartRunAhead) {
  const std::vector<std::vector<EventLogRecord>> apart = {
      {Arrival(kOthers), Arrival(kLast), CopyArrival(kWhole), Wait(0), Wait(1)},
      {Arrival(kOthers), CopyArrival(kOthers), Arrival(kLast), CopyArrival(kLast), Wait(0),
       Wait(1)},
      {Arrival(kLast), CopyArrival(kLast), Arrival(kOthers), CopyArrival(kOthers), Wait(0),
       Wait(1)},
      {Arrival(kLast), Arrival(kOthers), CopyArrival(0xffff), CopyArrival(0xffff0000), Wait(0),
       Wait(1)},
      {Arrival(kWhole), CopyArrival(kOthers), Wait(0, kOthers), CopyArrival(kLast), Wait(0, kLast),
       Wait(1)}};
  for (const auto& records : apart) EXPECT_EQ(Against(records).mismatches, 0);
}

TEST_F(Lanes, HaveAllToArrive) {
  EXPECT_THAT(Told({Arrival(kOthers), CopyArrival(kWhole), Wait(0), Wait(1)}),
              HasSubstr("lane 31, record 0 (line 8): the machine has arrive.thread e[0] use 0, the "
                        "device cp.async.arrive e[1] use 1"));
  EXPECT_THAT(
      Told({Arrival(kWhole), CopyArrival(kWhole), Wait(0), Wait(1, kOthers)}),
      HasSubstr("lane 31, record 3 (line 12): the machine has wait e[1] parity 0 use 1, the "
                "device nothing"));
}

TEST_F(Lanes, ArriveOnlyOnce) {
  EXPECT_THAT(
      Told({Arrival(kWhole), Arrival(1u << 5), CopyArrival(kWhole), Wait(0), Wait(1)}),
      HasSubstr("lane 5, record 1 (line 10): the machine has cp.async.arrive e[1] use 1, the "
                "device arrive.thread e[0] use 0 by lane 5"));
  EXPECT_THAT(Told({Arrival(kWhole), CopyArrival(kWhole), Wait(0), Wait(1), CopyArrival(0x30)}),
              HasSubstr("lane 4, record 4 (line 10): the machine has nothing, the device "
                        "cp.async.arrive e[1] use 1 by lanes 0x00000030"));
}

TEST_F(Lanes, KeepTheirOwnOrder) {
  // One lane arrives after a wait that it is part of.
  EXPECT_THAT(Told({Arrival(kWhole), CopyArrival(kOthers), Wait(0), CopyArrival(kLast), Wait(1)}),
              HasSubstr("lane 31, record 1 (line 10): the machine has cp.async.arrive e[1] use 1, "
                        "the device wait e[0] parity 0 use 0"));
  // One lane takes the second arrival first.
  EXPECT_THAT(Told({CopyArrival(1), Arrival(kWhole), CopyArrival(kWhole - 1), Wait(0), Wait(1)}),
              HasSubstr("lane 0, record 0 (line 8): "));
}

TEST_F(Lanes, ARecordOfNobodyIsADifference) {
  EXPECT_EQ(Against({Arrival(kWhole), CopyArrival(kWhole), Wait(0), Wait(1), EventLogRecord{}})
                .mismatches,
            1);
}

TEST(ThreadArrivals, AreOfTheLanesThatThereAre) {
  const Ran ran = RunOnMachine(R"(program p target sm_90
in x: f32[32]; out y: f32[32]
kernel k {
  grid (1)
  event e[1] count 41
  smem s: f32[32]
  role main: warps 1 {
    arrive.thread e@0
    if lane < 8 { arrive.thread e@0 }
    bulk.load s <- x[0:+32] on e@0
    expect e@0
    while !test(e@0) {}
    st y[lane] <- ld s[lane]
  }
}
)");
  ASSERT_EQ(ran.machine.size(), 1u);
  EXPECT_THAT(
      Texts(ran.machine[0]),
      ElementsAre("arrive.thread e[0] use 0", "arrive.thread e[0] use 0 by lanes 0x000000ff",
                  "load e[0] use 0 by lane 0", "expect e[0] use 0", "test e[0] parity 0 use 0"));
}

}  // namespace
}  // namespace device::events
