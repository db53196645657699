#include <algorithm>
#include <cmath>

#include "gtest/gtest.h"
#include "server/loop/plan.h"

namespace server::loop {
namespace {

std::vector<state::Variant> Variants(int count) {
  std::vector<state::Variant> out(static_cast<size_t>(count));
  for (int i = 0; i < count; ++i) {
    state::Variant& v = out[static_cast<size_t>(i)];
    v.id = 100 + i;
    v.canon_hash = std::to_string(i);
    v.weight = 1;
    v.log_ns = std::log(1000.0 + 10 * ((i * 7) % count));
  }
  return out;
}

std::vector<const state::Variant*> Pointers(const std::vector<state::Variant>& variants) {
  std::vector<const state::Variant*> out;
  for (const auto& v : variants) out.push_back(&v);
  return out;
}

TEST(Rank, KeepsTheShareInOrderAndDrawsTheExplorersFromTheRest) {
  const auto variants = Variants(40);
  RunSpec spec;
  spec.keep_min = 4;
  spec.keep_share = 0.5;
  spec.explore_share = 0.2;
  state::Rng rng(1, 1, 1, state::DrawFor::kExplore);
  const auto ranked = RankWave(Pointers(variants), {}, spec, 10, rng);
  ASSERT_EQ(ranked.size(), 40u);
  int top = 0, explore = 0, out = 0;
  for (size_t i = 0; i < ranked.size(); ++i) {
    EXPECT_EQ(ranked[i].rank, 11 + static_cast<int64_t>(i));
    EXPECT_EQ(ranked[i].kept, ranked[i].why != "OUT");
    top += ranked[i].why == "TOP";
    explore += ranked[i].why == "EXPLORE";
    out += ranked[i].why == "OUT";
    EXPECT_TRUE(ranked[i].why != "TOP" || i < 16) << i;
  }
  EXPECT_EQ(top, 16);
  EXPECT_EQ(explore, 4);
  EXPECT_EQ(out, 20);
  EXPECT_EQ(rng.drawn(), 2u);  // every second one is the farthest: nothing to draw
}

// A fifth of four places is one in four waves of five, not none in all of them.
TEST(Rank, APartOfAPlaceIsOneByThatChance) {
  const auto variants = Variants(40);
  RunSpec spec;
  spec.keep_min = 4;
  spec.keep_share = 0.1;
  spec.explore_share = 0.2;
  int explore = 0;
  constexpr int kWaves = 400;
  for (uint64_t wave = 0; wave < kWaves; ++wave) {
    state::Rng rng(1, 1, wave, state::DrawFor::kExplore);
    int mine = 0;
    for (const auto& row : RankWave(Pointers(variants), {}, spec, 0, rng)) {
      mine += row.why == "EXPLORE";
    }
    EXPECT_LE(mine, 1);
    explore += mine;
  }
  EXPECT_NEAR(explore, 0.8 * kWaves, 40);
}

// The share is one of a wave, however many were left aside before it.
TEST(Rank, WhatWaitedMakesNoMorePlaces) {
  const auto variants = Variants(200);
  RunSpec spec;
  spec.keep_min = 4;
  spec.keep_share = 0.125;
  spec.wave_members = 32;
  state::Rng rng(1, 1, 1, state::DrawFor::kExplore);
  const auto ranked = RankWave(Pointers(variants), {}, spec, 0, rng);
  EXPECT_EQ(std::count_if(ranked.begin(), ranked.end(), [](const auto& row) { return row.kept; }),
            4);
}

TEST(Rank, KeepsEverythingOfASmallWave) {
  const auto variants = Variants(10);
  RunSpec spec;
  state::Rng rng(1, 1, 1, state::DrawFor::kExplore);
  for (const auto& row : RankWave(Pointers(variants), {}, spec, 0, rng)) EXPECT_EQ(row.why, "TOP");
  EXPECT_EQ(rng.drawn(), 0u);
}

TEST(Rank, UnknownPredictionsComeLastAndTiesGoByForm) {
  auto variants = Variants(3);
  for (auto& v : variants) v.log_ns = std::log(1000.0);
  variants[0].weight = 0;
  RunSpec spec;
  state::Rng rng(1, 1, 1, state::DrawFor::kExplore);
  const auto ranked = RankWave(Pointers(variants), {}, spec, 0, rng);
  EXPECT_EQ(ranked[0].variant, 101);
  EXPECT_EQ(ranked[1].variant, 102);
  EXPECT_EQ(ranked[2].variant, 100);
}

TEST(Spec, RoundTripsAndRefusesWhatIsOutOfRange) {
  RunSpec spec;
  spec.open = true;
  spec.target_ratio = 0.5;
  spec.round_slots = 9;
  auto read = RunSpecFromJson(ToJson(spec));
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(ToJson(*read), ToJson(spec));
  EXPECT_FALSE(RunSpecFromJson("[]").ok());
  EXPECT_FALSE(RunSpecFromJson("{\"round_slots\":0}").ok());
  EXPECT_FALSE(RunSpecFromJson("{\"explore_share\":1.5}").ok());
  EXPECT_FALSE(RunSpecFromJson("{\"keep_share\":0}").ok());
}

}  // namespace
}  // namespace server::loop
