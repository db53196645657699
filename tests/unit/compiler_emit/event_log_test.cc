// Instrumented builds: what they log is what the instruction gets, and they compile.
#include "compiler/emit/event_log.h"

#include <gmock/gmock.h>

#include "tests/unit/compiler_emit/emit_support.h"
#include "tests/unit/compiler_emit/nvrtc_support.h"

namespace compiler::emit {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr char kEvery[] = R"(program p target sm_90
dim N in 1..=1000
in x: f32[32*N]; out y: f32[32*N]
kernel k {
  grid (1)
  ring r[3] { v: f32[32] } from fill to drain
  event e[2] count 32
  event done[1] count 1
  barrier b[2] threads 64
  role fill: warps 1 {
    acquire r@0
    bulk.load r.v@0 <- x[0:+32]
    commit r@0
    for k in 1..N {
      acquire r@k
      st r.v@k[lane] <- ld x[32*k + lane]
      commit r@k
    }
    bar.arrive b[N % 2]
  }
  role drain: warps 1 {
    for k in 0..N {
      arrive.thread e@k
      while !test(e@k) {}
      wait r@k
      wait e@(k - 2)
      st y[32*k + lane] <- ld r.v@k[31 - lane]
      release r@k
    }
    arrive done@0
    bar.sync b[N % 2]
    sync role
  }
}
)";

std::string Logged(const Emitted& emitted) {
  return Emit(*emitted.program, emitted.facts, std::string(64, '0'), "e.cake", {.log_events = true})
      .cuda;
}

TEST(EventLog, RecordsWhatTheInstructionGets) {
  const Emitted emitted = EmitText(kEvery);
  ASSERT_NE(emitted.program, nullptr);
  const std::string text = Logged(emitted);
  std::string plain = text;
  for (size_t at = plain.find("#line"); at != std::string::npos; at = plain.find("#line", at)) {
    plain.erase(at, plain.find('\n', at) - at + 1);
  }
  for (const char* line : {
           "    const __grid_constant__ cake::event_log cake_log_to) {\n",
           "  cake::event_logger cake_log(cake_log_to, cake::shared_address(cake_smem));\n",
           "    cake_log.warp(1 /*acquire*/, r_empty, 1, 0, 11);\n",
           "      cake_log.thread(10 /*load*/, r_full, 2, 0, 12);\n"
           "      cake::bulk_load(r_v, &x[0], 128, r_full);\n",
           "      cake_log.warp(1 /*acquire*/, r_empty + 8 * k_of_3_stage, k_of_3_phase ^ 1, k, "
           "15);\n"
           "      cake::mbarrier_wait(r_empty + 8 * k_of_3_stage, k_of_3_phase ^ 1);\n",
           "      cake_log.threads(6 /*arrive.thread*/, e + 8 * (k & 1), 2, k, 23);\n"
           "      cake::mbarrier_arrive(e + 8 * (k & 1));\n",
           "while (!cake_log.tested(__all_sync(0xffffffffu, cake::mbarrier_test(e + 8 * (k & 1), "
           "k >> 1 & 1)) != 0, 9 /*test*/, e + 8 * (k & 1), k >> 1 & 1, k, 24)) {",
           "      if (k - 2 >= 0) cake_log.warp(3 /*wait*/, e + 8 * ((k - 2) & 1), (k - 2) >> 1 & "
           "1, k - "
           "2, 26);\n",
           "      cake_log.warp(4 /*release*/, r_empty + 8 * k_of_3_stage, 2, k, 28);\n",
           "    cake_log.warp(5 /*arrive*/, done, 2, 0, 30);\n",
       }) {
    EXPECT_THAT(plain, HasSubstr(line));
  }
  EXPECT_THAT(text, HasSubstr("cake_log.barrier(13 /*bar.arrive*/, "));
  EXPECT_THAT(text, HasSubstr("cake_log.barrier(12 /*bar.sync*/, "));
  EXPECT_THAT(text, HasSubstr("cake_log.barrier(11 /*sync*/, "));
}

TEST(EventLog, AnOrdinaryBuildHasNothingOfIt) {
  const Emitted emitted = EmitText(kEvery);
  ASSERT_NE(emitted.program, nullptr);
  EXPECT_THAT(emitted.source.cuda, Not(HasSubstr("log")));
}

TEST(EventLog, InstrumentedBuildsCompileForEveryArchitecture) {
  if (!RealNvrtc().available()) GTEST_SKIP() << "no NVRTC 13 in /usr/local/cuda/lib64";
  for (const char* arch : {"sm_90a", "sm_100a", "sm_120a"}) {
    const Emitted emitted = EmitText(kEvery, arch);
    const Compiled compiled = RealNvrtc().Compile(Logged(emitted), emitted.source.options, arch);
    EXPECT_EQ(compiled.status, 0) << compiled.log;
    EXPECT_EQ(compiled.log.find("warning"), std::string::npos) << compiled.log;
    EXPECT_THAT(compiled.ptx, HasSubstr("nanosleep"));
  }
}

std::string WithProgress(const Emitted& emitted) {
  return Emit(*emitted.program, emitted.facts, std::string(64, '0'), "e.cake", {.progress = true})
      .cuda;
}

// A lane says what it waits for in front of the wait, and that it has passed behind it; what does
// not wait says nothing.
TEST(Progress, StandsAroundWhatWaits) {
  const Emitted emitted = EmitText(kEvery);
  ASSERT_NE(emitted.program, nullptr);
  std::string plain = WithProgress(emitted);
  for (size_t at = plain.find("#line"); at != std::string::npos; at = plain.find("#line", at)) {
    plain.erase(at, plain.find('\n', at) - at + 1);
  }
  for (const char* line : {
           "  cake::progress_logger cake_log(cake_log_to, cake::shared_address(cake_smem));\n",
           "      cake_log.warp(1 /*acquire*/, r_empty + 8 * k_of_3_stage, k_of_3_phase ^ 1, k, "
           "15);\n"
           "      cake::mbarrier_wait(r_empty + 8 * k_of_3_stage, k_of_3_phase ^ 1);\n"
           "      cake_log.passed();\n",
           "      if (k - 2 >= 0) cake::mbarrier_wait(e + 8 * ((k - 2) & 1), (k - 2) >> 1 & 1);\n"
           "      if (k - 2 >= 0) cake_log.passed();\n",
           "while (!cake_log.tested(__all_sync(",
           "  cake_log.ended();\n",
           "cake_progress = 16;\n",
       }) {
    EXPECT_THAT(plain, HasSubstr(line));
  }
  EXPECT_THAT(plain, HasSubstr("cake_log.barrier(12 /*bar.sync*/, "));
  for (const char* other : {"bar.arrive*/", "release*/", "arrive*/", "load*/", "jitter", "ticket"})
    EXPECT_THAT(plain, Not(HasSubstr(other)));
}

TEST(Progress, BuildsCompileForEveryArchitecture) {
  if (!RealNvrtc().available()) GTEST_SKIP() << "no NVRTC 13 in /usr/local/cuda/lib64";
  for (const char* arch : {"sm_90a", "sm_100a", "sm_120a"}) {
    const Emitted emitted = EmitText(kEvery, arch);
    const Compiled compiled =
        RealNvrtc().Compile(WithProgress(emitted), emitted.source.options, arch);
    EXPECT_EQ(compiled.status, 0) << compiled.log;
    EXPECT_EQ(compiled.log.find("warning"), std::string::npos) << compiled.log;
    EXPECT_THAT(compiled.ptx, HasSubstr("st.volatile.v4.u32"));
  }
}

}  // namespace
}  // namespace compiler::emit
