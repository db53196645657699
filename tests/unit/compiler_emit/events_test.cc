// Lowering of rings and events: addresses, parities, elected arrivals.
#include <gmock/gmock.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "tests/unit/compiler_emit/emit_support.h"
#include "tests/unit/compiler_emit/nvrtc_support.h"

namespace compiler::emit {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string Kernels(const Emitted& emitted) {
  const std::string& cuda = emitted.source.cuda;
  std::string text = cuda.substr(std::min(cuda.size(), cuda.find("extern \"C\"")));
  for (size_t at = text.find("#line"); at != std::string::npos; at = text.find("#line", at)) {
    text.erase(at, text.find('\n', at) - at + 1);
  }
  return text;
}

std::string Ring(int stages, const std::string& fill, const std::string& drain) {
  return absl::StrCat(R"(program p target sm_80
dim N in 1..=1000
in x: f32[32*N]; out y: f32[32*N]
kernel k {
  grid (1)
  ring tiles[)", stages, R"(] { values: f32[32] } from fill to drain
  role fill: warps 1 {
)", fill, R"(
  }
  role drain: warps 1 {
)", drain, R"(
  }
}
)");
}

constexpr const char* kFill = R"(
    for k in 0..N {
      acquire tiles@k
      st tiles.values@k[lane] <- ld x[32*k + lane]
      commit tiles@k
    })";
constexpr const char* kDrain = R"(
    for k in 0..N {
      wait tiles@k
      st y[32*k + lane] <- ld tiles.values@k[31 - lane]
      release tiles@k
    })";

TEST(EventsTest, MbarriersAreInitialisedBeforeTheFirstSynchronisation) {
  const std::string text = Kernels(EmitText(Ring(3, kFill, kDrain)));
  EXPECT_THAT(text, HasSubstr(R"(  const unsigned int tiles_full = cake::shared_address(cake_smem + 384);
  const unsigned int tiles_empty = cake::shared_address(cake_smem + 408);
  if (threadIdx.x == 0) {
    for (int i = 0; i < 3; ++i) cake::mbarrier_init(tiles_full + 8 * i, 1);
    for (int i = 0; i < 3; ++i) cake::mbarrier_init(tiles_empty + 8 * i, 1);
    cake::mbarrier_init_fence();
  }
  __syncthreads();
)"));
}

TEST(EventsTest, APlainCounterHasCompanionsAndNoDivision) {
  const std::string text = Kernels(EmitText(Ring(3, kFill, kDrain)));
  EXPECT_THAT(text, HasSubstr("    int k_of_3_stage = 0, k_of_3_phase = 0;\n    for (int k = 0;"));
  EXPECT_THAT(text, HasSubstr("mbarrier_wait(tiles_empty + 8 * k_of_3_stage, k_of_3_phase ^ 1);"));
  EXPECT_THAT(text, HasSubstr("tiles_values[k_of_3_stage * 32 + lane] ="));
  EXPECT_THAT(text, HasSubstr("      __syncwarp();\n      if (lane == 0) "
                              "cake::mbarrier_arrive(tiles_full + 8 * k_of_3_stage);"));
  EXPECT_THAT(text, HasSubstr(R"(      if (++k_of_3_stage == 3) {
        k_of_3_stage = 0;
        k_of_3_phase ^= 1;
      }
)"));
  EXPECT_THAT(text, HasSubstr("mbarrier_wait(tiles_full + 8 * k_of_3_stage, k_of_3_phase);"));
  EXPECT_THAT(text, Not(HasSubstr("k / 3")));
  EXPECT_THAT(text, Not(HasSubstr("k % 3")));
}

TEST(EventsTest, PowersOfTwoAreMasks) {
  const std::string four = Kernels(EmitText(Ring(4, kFill, kDrain)));
  EXPECT_THAT(four, HasSubstr("mbarrier_wait(tiles_empty + 8 * (k & 3), (k >> 2 & 1) ^ 1);"));
  EXPECT_THAT(four, HasSubstr("tiles_values[(k & 3) * 32 + lane] ="));
  EXPECT_THAT(four, HasSubstr("mbarrier_wait(tiles_full + 8 * (k & 3), k >> 2 & 1);"));
  const std::string one = Kernels(EmitText(Ring(1, kFill, kDrain)));
  EXPECT_THAT(one, HasSubstr("mbarrier_wait(tiles_empty, (k & 1) ^ 1);"));
  EXPECT_THAT(one, HasSubstr("mbarrier_wait(tiles_full, k & 1);"));
  EXPECT_THAT(one, HasSubstr("tiles_values[lane] ="));
}

TEST(EventsTest, ALagHasCompanionsOfItsOwn) {
  const std::string text = Kernels(EmitText(Ring(3, kFill, R"(
    for k in 0..N {
      wait tiles@k
      st y[32*k + lane] <- ld tiles.values@k[31 - lane]
      if k > 0 { release tiles@(k-1) }
    }
    release tiles@(N-1))")));
  // Use -1 is stage 2 of a generation of parity 1: what use 2 of parity 0 follows.
  EXPECT_THAT(text, HasSubstr("int k_less_1_of_3_stage = 2, k_less_1_of_3_phase = 1;"));
  EXPECT_THAT(text, HasSubstr("mbarrier_arrive(tiles_empty + 8 * k_less_1_of_3_stage);"));
  EXPECT_THAT(text, HasSubstr("mbarrier_arrive(tiles_empty + 8 * ((N - 1) % 3));"));
}

TEST(EventsTest, VariablesStepWhereTheyAreIncreased) {
  const std::string text = Kernels(EmitText(Ring(3, R"(
    var it = 0
    while it < N {
      acquire tiles@it
      st tiles.values@it[lane] <- ld x[32*it + lane]
      commit tiles@it
      it += 1
    })", kDrain)));
  EXPECT_THAT(text, HasSubstr("    int it = 0;\n    int it_of_3_stage = it % 3, it_of_3_phase = "
                              "it / 3 & 1;\n"));
  EXPECT_THAT(text, HasSubstr("      it += 1;\n      if (++it_of_3_stage == 3) {"));
}

TEST(EventsTest, OnlyWaitsThatMayBeBeforeUseZeroAsk) {
  const std::string text = Kernels(EmitText(R"(program p target sm_80
dim N in 1..=1000
out y: f32[32]
kernel k {
  grid (1)
  event e[2] count 1
  event f[1] count 1
  role a: warps 1 {
    for k in 0..N { wait e@(k-2); arrive f@k; wait.relaxed e@k }
  }
  role b: warps 1 {
    for k in 0..N { wait f@k; arrive e@k }
    wait e@(-1)
    st y[lane] <- 0.0
  }
}
)"));
  EXPECT_THAT(text, HasSubstr("if (k - 2 >= 0) cake::mbarrier_wait(e + 8 * ((k - 2) & 1), "
                              "(k - 2) >> 1 & 1);"));
  // Before sm_90 there is one kind of wait.
  EXPECT_THAT(text, HasSubstr("      cake::mbarrier_wait(e + 8 * (k & 1), k >> 1 & 1);"));
  EXPECT_THAT(text, HasSubstr("      cake::mbarrier_wait(f, k & 1);"));
}

TEST(EventsTest, WaitsOfKnownUsesAreConstant) {
  const std::string text = Kernels(EmitText(Ring(2, R"(
    acquire tiles@0
    st tiles.values@0[lane] <- ld x[lane]
    commit tiles@0
    acquire tiles@1
    st tiles.values@1[lane] <- ld x[lane]
    commit tiles@1
    acquire tiles@2
    st tiles.values@2[lane] <- ld x[lane]
    commit tiles@2)", R"(
    wait tiles@(-1)
    wait tiles@0; release tiles@0
    wait tiles@1; release tiles@1
    wait tiles@2; release tiles@2
    for k in 0..N { st y[32*k + lane] <- 0.0 })")));
  EXPECT_THAT(text, HasSubstr("// tiles@1 is free from the start."));
  EXPECT_THAT(text, HasSubstr("cake::mbarrier_wait(tiles_empty, 0);"));
  EXPECT_THAT(text, HasSubstr("// A wait before use 0 passes."));
  EXPECT_THAT(text, HasSubstr("cake::mbarrier_wait(tiles_full + 8 * 1, 0);"));
  EXPECT_THAT(text, HasSubstr("cake::mbarrier_wait(tiles_full, 1);"));
}

TEST(EventsTest, CompilesForEveryTargetWithoutSpills) {
  if (!RealNvrtc().available()) GTEST_SKIP() << "no NVRTC 13 in /usr/local/cuda/lib64";
  const Emitted e = EmitText(Ring(3, kFill, kDrain));
  for (const char* arch : {"sm_80", "sm_89", "sm_90a", "sm_100a", "sm_120a"}) {
    const Compiled compiled = RealNvrtc().Compile(e.source.cuda, e.source.options, arch);
    ASSERT_EQ(compiled.status, 0) << compiled.log << e.source.cuda;
    EXPECT_THAT(compiled.log,
                HasSubstr("0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads"));
  }
}

}  // namespace
}  // namespace compiler::emit
