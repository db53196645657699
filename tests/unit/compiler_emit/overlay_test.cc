// Alternatives of an `either` in emitted code: one address, and loads that are made again after a
// store through another type.
#include <gmock/gmock.h>

#include "tests/unit/compiler_emit/emit_support.h"
#include "tests/unit/compiler_emit/nvrtc_support.h"

namespace compiler::emit {
namespace {

using testing::HasSubstr;

const char* const kProgram = R"(program p target sm_80
out y: f32[32]
out z: f32[32]
kernel k {
  grid (1)
  smem first: f32[32]
  either { smem a: f32[32] } or { smem b: u32[32]; smem tail: f32[32] }
  role main: warps 1 {
    st a[lane] <- 1.0
    sync warp
    st y[lane] <- ld a[lane ^ 1]
    st b[lane] <- 7
    st z[lane] <- bitcast.f32(ld b[lane]); st first[lane] <- 0.0
  }
}
)";

TEST(Overlay, AlternativesAreOneAddress) {
  const std::string cuda = EmitText(kProgram, "sm_80").source.cuda;
  EXPECT_THAT(cuda, HasSubstr("float* const a = reinterpret_cast<float*>(cake_smem + 128);"));
  EXPECT_THAT(cuda, HasSubstr(" b = reinterpret_cast<unsigned int*>(cake_smem + 128);"));
}

TEST(Overlay, SlotsThatHoldAlternativesAreOnePieceEach) {
  const std::string cuda = EmitText(R"(program p target sm_80
out y: f32[32]
kernel k {
  grid (1)
  smem slot[2] { v: f32[32]; either { q: u8[32] } or { h: f32[8]; g: f32[8] } }
  role main: warps 1 {
    st slot.v@1[lane] <- 1.0
    if lane < 8 { st slot.g@1[lane] <- 2.0 }
    st y[lane] <- ld slot.v@1[lane]
  }
}
)",
                                    "sm_80")
                               .source.cuda;
  EXPECT_THAT(cuda, HasSubstr("slot_v[1 * 64 + lane]"));
  EXPECT_THAT(cuda, HasSubstr("(cake_smem + 160);"));
}

// A compiler that took the types of pointers for granted would keep the first load's value.
TEST(Overlay, NvrtcReadsAgainAfterAStoreOfAnotherType) {
  if (!RealNvrtc().available()) GTEST_SKIP() << "no NVRTC 13 in /usr/local/cuda/lib64";
  const Compiled compiled = RealNvrtc().Compile(
      R"(extern "C" __global__ void k(float* y, int i, int j) {
  extern __shared__ unsigned char smem[];
  float* const a = reinterpret_cast<float*>(smem);
  unsigned int* const b = reinterpret_cast<unsigned int*>(smem);
  a[i] = 1.0f;
  b[j] = 7u;
  y[0] = a[i];
})",
      {}, "sm_80");
  ASSERT_EQ(compiled.status, 0) << compiled.log;
  EXPECT_THAT(compiled.ptx, HasSubstr("ld.shared.f32"));
}

TEST(Overlay, NvrtcCompilesAlternativesForEveryTarget) {
  if (!RealNvrtc().available()) GTEST_SKIP() << "no NVRTC 13 in /usr/local/cuda/lib64";
  for (const std::string arch : {"sm_80", "sm_90a", "sm_120a"}) {
    const Emitted emitted = EmitText(kProgram, arch);
    ASSERT_NE(emitted.program, nullptr);
    const Compiled compiled =
        RealNvrtc().Compile(emitted.source.cuda, emitted.source.options, arch);
    ASSERT_EQ(compiled.status, 0) << compiled.log;
    EXPECT_THAT(compiled.log, HasSubstr("0 bytes stack frame, 0 bytes spill stores"));
  }
}

}  // namespace
}  // namespace compiler::emit
