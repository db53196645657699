#include "server/state/philox.h"

#include <set>

#include "gtest/gtest.h"

namespace server::state {
namespace {

// Known answers of Random123's kat_vectors file for philox4x32 with 10 rounds.
TEST(Philox, KnownAnswers) {
  EXPECT_EQ(Philox4x32({0, 0, 0, 0}, {0, 0}),
            (PhiloxBlock{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(Philox4x32({0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}, {0xffffffff, 0xffffffff}),
            (PhiloxBlock{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(Philox4x32({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (PhiloxBlock{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Philox, DrawsDependOnEveryPartOfTheirName) {
  std::set<uint64_t> first;
  for (const uint64_t seed : {1, 2}) {
    for (const uint64_t run : {1, 2}) {
      for (const uint64_t decision : {1, 2}) {
        for (const DrawFor purpose : {DrawFor::kExplore, DrawFor::kInputs}) {
          first.insert(Rng(seed, run, decision, purpose).Next());
        }
      }
    }
  }
  EXPECT_EQ(first.size(), 16u);
  Rng a(5, 6, 7, DrawFor::kExplore), b(5, 6, 7, DrawFor::kExplore);
  for (int i = 0; i < 10; ++i) EXPECT_EQ(a.Next(), b.Next());
  EXPECT_EQ(a.drawn(), 10u);
}

TEST(Philox, BelowStaysBelowAndReachesEveryValue) {
  Rng rng(1, 1, 1, DrawFor::kExplore);
  std::set<uint64_t> seen;
  for (int i = 0; i < 500; ++i) {
    const uint64_t value = rng.Below(7);
    ASSERT_LT(value, 7u);
    seen.insert(value);
    const double unit = rng.Unit();
    ASSERT_GE(unit, 0);
    ASSERT_LT(unit, 1);
  }
  EXPECT_EQ(seen.size(), 7u);
}

}  // namespace
}  // namespace server::state
