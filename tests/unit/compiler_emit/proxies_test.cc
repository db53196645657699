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

// Eight warps whose reads somebody else's hand-over, or a copy over the same bytes, follows.
std::string Refill(const std::string& buffers, const std::string& read, const std::string& fill) {
  return absl::StrReplaceAll(R"(program p target sm_90a
in x: f32[8, 32]
out y: f32[8, 32]
kernel k {
  grid (1)
  BUFFERS
  event full[1] count 1
  role use: warps 8 {
    st READ[warp, lane] <- 1.0
    fence async
    sync role
    let v = ld READ[warp, 31 - lane]
    sync role
    if warp == 0 {
      tma.load FILL <- x[0:+8, :] on full@0
      expect full@0
    }
    wait full@0
    st y[warp, lane] <- v + ld FILL[warp, lane]
  }
}
)",
                             {{"BUFFERS", buffers}, {"READ", read}, {"FILL", fill}});
}

TEST(Proxies, ReadsEndBeforeTheFirstFillToo) {
  EXPECT_THAT(Cuda(Refill("smem a: f32[8, 32]", "a", "a")), HasSubstr(kOverBefore));
}

TEST(Proxies, ReadsEndBeforeAnAlternativeIsFilled) {
  const std::string either = "either { smem a: f32[8, 32] } or { smem b: f32[8, 32] }";
  EXPECT_THAT(Cuda(Refill(either, "a", "b")), HasSubstr(kOverBefore));
  EXPECT_THAT(Cuda(Refill("smem a: f32[8, 32]\n  smem b: f32[8, 32]", "a", "b")),
              HasSubstr(kOverBefore));  // what it reads at the end is filled
}

TEST(Proxies, AnArrivalForWhoeverGivesBackEndsReads) {
  const std::string cuda = Cuda(absl::StrReplaceAll(
      Ring("st y[i*8, lane] <- ld r.a@i[0, lane]", "arrive done@i"),
      {{"from load to use", "from load to use, free empty 1\n  event done[2] count 1"},
       {"  role use",
        "  role free: warps 1 { for i in 0..M/8 { wait done@i; release r@i } }\n  role use"}}));
  const size_t reads = cuda.find("role use");
  ASSERT_NE(reads, std::string::npos);
  EXPECT_THAT(cuda.substr(reads), HasSubstr(kOverBefore));
  EXPECT_THAT(cuda.substr(0, reads), Not(HasSubstr(kOverBefore)));
}

TEST(Proxies, AWarpEndsItsReadsBeforeItFillsThePlaceItself) {
  EXPECT_THAT(Cuda(R"(program p target sm_90a
in x: f32[64, 32]
out y: f32[64, 32]
kernel k {
  grid (1)
  smem a: f32[8, 32]
  event full[1] count 1
  role use: warps 1 {
    for i in 0..8 {
      tma.load a <- x[i*8:+8, :] on full@i
      expect full@i
      wait full@i
      for j in 0..8 { st y[i*8 + j, lane] <- ld a[j, 31 - lane] }
      sync warp
    }
  }
}
)"),
              HasSubstr(kOverBefore));
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
  EXPECT_THAT(
      Cuda(R"(program p target sm_90a
in x: f32[64, 32]
workspace t: f32[64, 32]
out y: f32[64, 32]
kernel a {
  grid (8)
  smem s: f32[8, 32]
  event full[1] count 1
  role main: warps 8 {
    st s[warp, lane] <- ld x[cta*8 + warp, lane]
    fence async
    sync cta
    if warp == 0 { elect { tma.store t[cta*8:+8, :] <- s; tma.commit; tma.wait 0 } }
    grid.sync
    fence async
    if warp == 0 {
      tma.load s <- t[(7 - cta)*8:+8, :] on full@0
      expect full@0
    }
    wait full@0
    st y[cta*8 + warp, lane] <- ld s[warp, lane]
  }
}
)"),
      HasSubstr("cake::fence_async();\n"));  // copies of other CTAs wrote what this one loads
}

}  // namespace
}  // namespace compiler::emit
