#include "compiler/machine/shadow.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

namespace compiler::machine {
namespace {

// Of all threads of a test.
AccessRecords& Records() {
  static AccessRecords records;
  return records;
}

struct Thread {
  Clock clock = Clock(3);
  Accessor by;
  Thread(AgentId agent, uint32_t serial, int32_t stmt) {
    by = {.serial = serial,
          .launch_serial = 1,
          .space_serial = serial,
          .agent = agent,
          .issuer = agent,
          .epoch = 1,
          .site = stmt,
          .clock = &clock,
          .records = &Records()};
  }
  // The next statement, after what the warp has converged at up to `converged`.
  void GoOn(Epoch epoch, Epoch converged = 0) {
    by.epoch = epoch;
    by.converged = converged;
    by.id = by.plain = by.reader = by.passed = kNoAccess;
  }
};

std::vector<int32_t> Earlier(const ConflictList& list) {
  std::vector<int32_t> stmts;
  for (const Conflict& c : list.conflicts()) stmts.push_back(c.earlier_site);
  return stmts;
}

TEST(RaceRules, UnorderedAccessesOfTwoWarpsConflictUnlessBothRead) {
  RaceRules rules;
  Thread a(0, 1, 10), b(1, 1, 11);
  ConflictList found;
  Cell cell;
  rules.Read(cell, a.by, 0, found);
  rules.Read(cell, b.by, 0, found);
  EXPECT_TRUE(found.empty());
  rules.Write(cell, b.by, 0, found);  // after a's read; its own read is ordered
  EXPECT_THAT(Earlier(found), testing::ElementsAre(10));
  found.Clear();
  rules.Read(cell, a.by, 0, found);
  EXPECT_THAT(Earlier(found), testing::ElementsAre(11));
}

TEST(RaceRules, AClockThatCoversTheEpochOrders) {
  RaceRules rules;
  Thread a(0, 1, 10), b(1, 1, 11);
  ConflictList found;
  Cell cell;
  rules.Write(cell, a.by, 3, found);
  b.clock.Learn(0, 1);
  rules.Read(cell, b.by, 0, found);
  EXPECT_TRUE(found.empty());
  a.GoOn(2);  // after its release
  rules.Write(cell, a.by, 3, found);
  EXPECT_THAT(Earlier(found), testing::ElementsAre(11));
  found.Clear();
  rules.Read(cell, b.by, 0, found);
  EXPECT_THAT(Earlier(found), testing::ElementsAre(10));
}

TEST(RaceRules, LanesOfOneWarpAreUnorderedUntilTheyConverge) {
  RaceRules rules;
  Thread a(0, 1, 10);
  ConflictList found;
  Cell cell;
  rules.Write(cell, a.by, 3, found);
  rules.Read(cell, a.by, 3, found);
  EXPECT_TRUE(found.empty());
  rules.Read(cell, a.by, 4, found);
  ASSERT_THAT(Earlier(found), testing::ElementsAre(10));
  EXPECT_EQ(found.conflicts()[0].lane, 4);
  found.Clear();
  a.GoOn(2, 1);
  rules.Read(cell, a.by, 4, found);
  EXPECT_TRUE(found.empty());
}

TEST(RaceRules, ReadersOfSeveralWarpsAreAllKept) {
  RaceRules rules;
  Thread a(0, 1, 10), b(1, 1, 11), c(2, 1, 12);
  ConflictList found;
  Cell cell;
  rules.Read(cell, a.by, 0, found);
  rules.Read(cell, b.by, 0, found);
  c.clock.Learn(0, 1);  // knows a, not b
  rules.Write(cell, c.by, 0, found);
  EXPECT_THAT(Earlier(found), testing::ElementsAre(11));
}

TEST(RaceRules, ALaterOrderedReadStandsForTheEarlierOne) {
  RaceRules rules;
  Thread a(0, 1, 10), b(1, 1, 11), c(2, 1, 12);
  ConflictList found;
  Cell cell;
  rules.Read(cell, a.by, 0, found);
  b.clock.Learn(0, 1);
  rules.Read(cell, b.by, 0, found);
  c.clock.Learn(1, 1);
  rules.Write(cell, c.by, 0, found);
  EXPECT_TRUE(found.empty());
}

TEST(RaceRules, CtasOfOneLaunchAreUnorderedLaunchesAreOrdered) {
  RaceRules rules;
  Thread first(0, 1, 10), second(0, 2, 11), third(0, 3, 12);
  ConflictList found;
  Cell cell;
  rules.Read(cell, first.by, 0, found);
  rules.Read(cell, second.by, 0, found);
  EXPECT_TRUE(found.empty());
  rules.Write(cell, second.by, 0, found);  // its own read and that of another CTA
  EXPECT_THAT(Earlier(found), testing::ElementsAre(10));
  found.Clear();
  rules.Read(cell, third.by, 0, found);
  EXPECT_THAT(Earlier(found), testing::ElementsAre(11));
  found.Clear();
  Thread next_launch(0, 4, 13);
  next_launch.by.launch_serial = 4;
  rules.Write(cell, next_launch.by, 0, found);
  EXPECT_TRUE(found.empty());
}

// Marks of earlier runs are in the memory that they have left, and stand for nothing.
TEST(RaceRules, MarksOfEarlierRunsAreStale) {
  RaceRules rules;
  Thread a(0, 1, 10), b(1, 1, 11);
  ConflictList found;
  Cell written, read;
  rules.Write(written, a.by, 0, found);
  rules.Read(read, a.by, 0, found);
  Records().StartRun();
  rules.Write(written, b.by, 0, found);
  rules.Write(read, b.by, 0, found);
  EXPECT_TRUE(found.empty());
}

// What is remembered of one cell is not taken for what another one knows.
TEST(RaceRules, JudgesEachOfManyCellsByItsOwnMarks) {
  RaceRules rules;
  Thread a(0, 1, 10), b(1, 1, 11), c(2, 1, 12);
  ConflictList found;
  std::array<Cell, 4> cells;
  rules.Write(cells[0], a.by, 0, found);
  rules.Write(cells[1], b.by, 0, found);
  rules.Read(cells[2], b.by, 0, found);
  c.clock.Learn(0, 1);  // knows a, not b
  rules.Write(cells[0], c.by, 0, found);
  EXPECT_TRUE(found.empty());
  rules.Write(cells[1], c.by, 0, found);
  rules.Write(cells[2], c.by, 0, found);
  rules.Write(cells[3], c.by, 0, found);
  ASSERT_EQ(found.conflicts().size(), 2u);
  EXPECT_EQ(found.conflicts()[0].kind, ConflictKind::kWriteWrite);
  EXPECT_EQ(found.conflicts()[1].kind, ConflictKind::kReadWrite);
}

TEST(ShadowMemory, StopsAtItsBudget) {
  ShadowPages pages;
  ShadowMemory memory(1 << 20, pages);
  int64_t budget = static_cast<int64_t>(sizeof(Cell)) * 512;
  EXPECT_NE(memory.At(5, budget), nullptr);
  EXPECT_EQ(memory.At(5, budget), memory.At(5, budget));
  EXPECT_EQ(memory.At(1 << 19, budget), nullptr);
}

}  // namespace
}  // namespace compiler::machine
