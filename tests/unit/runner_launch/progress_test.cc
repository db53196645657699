#include "runner/launch/progress.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace runner::launch {
namespace {

using compiler::emit::EventVerb;
using compiler::emit::ProgressWord;
namespace emit = compiler::emit;

constexpr char kProgram[] = R"(program p target sm_90
dim N in 1..=1000
in x: f32[32*N]; out y: f32[32*N]
kernel k {
  grid (N)
  ring r[3] { v: f32[32] } from fill to drain
  event e[2] count 32
  barrier b[2] threads 64
  role fill: warps 1 {
    for k in 0..N {
      acquire r@k
      st r.v@k[lane] <- ld x[32*k + lane]
      commit r@k
    }
    bar.arrive b[N % 2]
  }
  role drain: warps 1 {
    for k in 0..N {
      arrive.thread e@k
      wait e@k
      wait r@k
      st y[32*k + lane] <- ld r.v@k[31 - lane]
      release r@k
    }
    bar.sync b[N % 2]
  }
}
)";

Elaborated Program() {
  compiler::diag::Report report;
  Elaborated out = Elaborate({.source = kProgram, .file = "p.cake"}, report);
  for (const auto& d : report.diagnostics()) ADD_FAILURE() << d.message;
  return out;
}

ProgressWord Word(EventVerb verb, int64_t at, int use, uint32_t parity, uint32_t line,
                  uint32_t state = emit::kWaits) {
  return {.what = static_cast<uint32_t>(verb) | parity << 6 | line << 8,
          .at = static_cast<uint32_t>(at),
          .use = use,
          .state = state};
}

// Two CTAs of two warps: of each, `fill` and `drain` stand where they are put.
class Words : public ::testing::Test {
 protected:
  Words() : program_(Program()), words_(128) {
    for (ProgressWord& word : words_) word.state = emit::kEnded;
  }
  void Put(int64_t cta, int64_t warp, const ProgressWord& word) {
    for (int64_t lane = 0; lane < 32; ++lane)
      words_[static_cast<size_t>(64 * cta + 32 * warp + lane)] = word;
  }
  Autopsy Read() {
    Autopsy out;
    AddWords(program_, 0, words_, out);
    return out;
  }
  const auto& facts() const { return program_.facts.kernels[0]; }

  Elaborated program_;
  std::vector<ProgressWord> words_;
};

TEST_F(Words, NameRoleLineEventUseAndParity) {
  ASSERT_NE(program_.program, nullptr);
  for (const int64_t cta : {0, 1}) {
    Put(cta, 0, Word(EventVerb::kAcquire, facts().rings[0].empty_offset_bytes + 8, 4, 0, 11));
    Put(cta, 1, Word(EventVerb::kWait, facts().rings[0].full_offset_bytes + 8, 4, 1, 21));
  }
  const Autopsy autopsy = Read();
  EXPECT_EQ(ToText(autopsy, 4),
            "role fill waits at line 11, at `acquire` of r (released) for use 4 (stage 1, parity "
            "0): 2 warps of 2 CTAs; "
            "role drain waits at line 21, at `wait` of r for use 4 (stage 1, parity 1): 2 warps of "
            "2 CTAs; 0 of 128 threads ended");
  const auto again = AutopsyFromJson(ToJson(autopsy));
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(*again, autopsy);
}

TEST_F(Words, TellEventsBarriersAndStates) {
  Put(0, 0, Word(EventVerb::kWait, facts().events[0].offset_bytes + 8, 3, 1, 20));
  Put(0, 1, Word(EventVerb::kBarSync, facts().barriers[0].first_id + 1, -1, 2, 25));
  Put(1, 0, {.state = emit::kRuns});
  Put(1, 1, {});
  const Autopsy autopsy = Read();
  ASSERT_EQ(autopsy.waits.size(), 2u);
  EXPECT_EQ(autopsy.waits[0].event, "e");
  EXPECT_EQ(autopsy.waits[0].stage, 1);
  EXPECT_EQ(autopsy.waits[0].role, "fill");
  EXPECT_EQ(autopsy.waits[1].event, "barrier b");
  EXPECT_EQ(autopsy.waits[1].use, -1);
  EXPECT_EQ(autopsy.waits[1].role, "drain");
  EXPECT_EQ(autopsy.running, 32);
  EXPECT_EQ(autopsy.not_started, 32);
  EXPECT_EQ(autopsy.ended, 0);
}

TEST_F(Words, OfDifferentUsesAreRowsOfTheirOwn) {
  const int64_t full = facts().rings[0].full_offset_bytes;
  Put(0, 1, Word(EventVerb::kWait, full, 3, 1, 21));
  Put(1, 1, Word(EventVerb::kWait, full, 6, 0, 21));
  words_[127] = Word(EventVerb::kWait, full, 9, 1, 21);  // one lane went on
  const Autopsy autopsy = Read();
  ASSERT_EQ(autopsy.waits.size(), 3u);
  EXPECT_EQ(autopsy.waits[0].threads, 32);
  EXPECT_EQ(autopsy.waits[1].threads, 31);
  EXPECT_EQ(autopsy.waits[2].threads, 1);
  EXPECT_EQ(autopsy.waits[2].use, 9);
  EXPECT_EQ(autopsy.waits[2].first_cta, 1);
  EXPECT_THAT(ToText(autopsy, 1), ::testing::HasSubstr("; 2 further places; "));
}

TEST(AutopsyJson, RefusesWhatIsNone) {
  EXPECT_FALSE(AutopsyFromJson("").ok());
  EXPECT_FALSE(AutopsyFromJson("{}").ok());
  EXPECT_FALSE(AutopsyFromJson(R"({"waits":[{}],"running":0,"ended":0,"not_started":0,)"
                               R"("threads":0})")
                   .ok());
}

}  // namespace
}  // namespace runner::launch
