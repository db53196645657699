// Where the lowering ends a thread's reads before an engine fills their place again, and how far
// `fence async` reaches.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_replace.h"
#include "tests/unit/compiler_emit/emit_support.h"

namespace compiler::emit {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr char kOverBefore[] = "cake::fence_async_shared();  // reads are over";

// A ring that TMA fills; `READ` and `HAND` are what the other role does with a slot.
std::string Ring(const std::string& read, const std::string& hand) {
  return absl::StrReplaceAll(R"(program p target sm_90a
dim M in 32..=1024
in x: f32[M, 32]
out y: f32[M, 32]
kernel k {
  grid (1)
  ring r[2] { a: f32[8, 32] } from load to use
  role load: warps 1 {
    for i in 0..M/8 {
      acquire r@i
      tma.load r.a@i <- x[i*8:+8, :]
      commit r@i
    }
  }
  role use: warps 1 {
    for i in 0..M/8 {
      wait r@i
      READ
      HAND
    }
  }
}
)",
                             {{"READ", read}, {"HAND", hand}});
}

std::string Cuda(const std::string& source) {
  const Emitted emitted = EmitText(source);
  return emitted.program == nullptr ? "" : emitted.source.cuda;
}

TEST(Proxies, AReleaseEndsTheReadsOfItsSlot) {
  EXPECT_THAT(Cuda(Ring("st y[i*8, lane] <- ld r.a@i[0, lane]", "release r@i")),
              HasSubstr(kOverBefore));
}

TEST(Proxies, AFenceThatIsWrittenIsEnough) {
  const std::string cuda =
      Cuda(Ring("st y[i*8, lane] <- ld r.a@i[0, lane]", "fence async\n      release r@i"));
  EXPECT_THAT(cuda, HasSubstr("cake::fence_async_shared();\n"));
  EXPECT_THAT(cuda, Not(HasSubstr(kOverBefore)));
}

TEST(Proxies, AFenceUnderAConditionIsNot) {
  EXPECT_THAT(Cuda(Ring("st y[i*8, lane] <- ld r.a@i[0, lane]",
                        "if i > 3 { fence async }\n      release r@i")),
              HasSubstr(kOverBefore));
}

TEST(Proxies, ABarrierEndsTheReadsWhereOneWarpGivesBackForAll) {
  const std::string cuda =
      Cuda(absl::StrReplaceAll(Ring("st y[i*8 + warp, lane] <- ld r.a@i[warp, lane]",
                                    "sync role\n      if warp == 0 { release r@i }"),
                               {{"role use: warps 1", "role use: warps 4"},
                                {"from load to use", "from load to use empty 1"}}));
  const size_t barrier = cuda.find("bar.sync");
  ASSERT_NE(barrier, std::string::npos);
  EXPECT_THAT(cuda.substr(0, barrier), HasSubstr(kOverBefore));
}

TEST(Proxies, ASlotThatNoThreadReadsIsGivenBackAtOnce) {
  EXPECT_THAT(Cuda(Ring("if lane < 8 { st y[i*8 + lane, 0] <- 1.0 }", "release r@i")),
              Not(HasSubstr(kOverBefore)));
}

TEST(Proxies, AFenceCoversGlobalMemoryWhereThreadsAndEnginesMeetThere) {
  const std::string stores = R"(program p target sm_90a
in x: f32[32]
out y: f32[32], z: f32[32]
kernel k {
  grid (1)
  smem s: f32[32]
  role main: warps 1 {
    st s[lane] <- ld x[lane]
    MORE
    fence async
    sync warp
    once { bulk.store y[0:+32] <- s[0:+32]; tma.commit; tma.wait 0 }
  }
}
)";
  const auto with = [&](const std::string& more) {
    return Cuda(absl::StrReplaceAll(stores, {{"MORE", more}}));
  };
  EXPECT_THAT(with("st z[lane] <- 1.0"), HasSubstr("cake::fence_async_shared();\n"));
  EXPECT_THAT(with("st y[lane] <- 1.0"), HasSubstr("cake::fence_async();\n"));
}

}  // namespace
}  // namespace compiler::emit
