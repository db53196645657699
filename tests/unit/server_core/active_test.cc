// Active time: the measure of the union of open spans.
#include "gtest/gtest.h"
#include "server/core/active_time.h"

namespace server::core {
namespace {

TEST(ActiveTime, IsTheMeasureOfTheUnion) {
  ActiveTime time;
  time.Open(1, "gates 1", 100);
  time.Open(1, "l-1", 150);
  time.Close(1, "gates 1", 200);
  time.Close(1, "l-1", 400);
  time.Open(1, "l-2", 1000);  // in between it only waited
  EXPECT_EQ(time.TotalNs(1, 1100), 400);
  time.Close(1, "l-2", 1100);
  time.Close(1, "l-2", 1200);
  EXPECT_EQ(time.TotalNs(1, 5000), 400);
  EXPECT_EQ(time.TotalNs(2, 5000), 0);
}

TEST(ActiveTime, AnAgentsTurnEndsAtItsCap) {
  ActiveTime time;
  time.BeginTurn(1, "s", 0);
  EXPECT_EQ(time.TotalNs(1, 1000), 1000);
  EXPECT_EQ(time.TotalNs(1, 2 * kAgentTurnMaxNs), kAgentTurnMaxNs);
  time.BeginTurn(1, "s", 3 * kAgentTurnMaxNs);
  time.EndTurn("s", 3 * kAgentTurnMaxNs + 70);
  EXPECT_EQ(time.TotalNs(1, 4 * kAgentTurnMaxNs), kAgentTurnMaxNs + 70);
  time.BeginTurn(1, "", 4 * kAgentTurnMaxNs);  // who has no session takes no turns
  EXPECT_EQ(time.TotalNs(1, 5 * kAgentTurnMaxNs), kAgentTurnMaxNs + 70);
}

TEST(ActiveTime, WhatInfrastructureLostIsTakenBackWhereNothingElseRan) {
  ActiveTime time;
  time.Open(1, "l-1", 0);
  time.Open(1, "gates", 100);
  time.Close(1, "gates", 130);
  time.Cancel(1, "l-1", 300);
  EXPECT_EQ(time.TotalNs(1, 300), 30);
}

TEST(ActiveTime, GoesOnFromTheLog) {
  ActiveTime time;
  time.Resume(1, 500);
  time.Open(1, "l-1", 10);
  EXPECT_EQ(time.TotalNs(1, 20), 510);
}

}  // namespace
}  // namespace server::core
