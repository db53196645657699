// Dynamic iters through the real NVRTC.
#include <gmock/gmock.h>

#include "tests/unit/compiler_emit/emit_support.h"
#include "tests/unit/compiler_emit/nvrtc_support.h"

namespace compiler::emit {
namespace {

using testing::HasSubstr;

TEST(DynamicIter, TicketsAreDrawnByOneLaneOfTheFirstRole) {
  if (!RealNvrtc().available()) GTEST_SKIP() << "no NVRTC 13 in /usr/local/cuda/lib64";
  for (const std::string arch : {"sm_80", "sm_90a", "sm_120a"}) {
    const Emitted emitted = EmitText("program p target " + arch + R"(
out y: f32[100, 32]
kernel k {
  grid (SMS)
  dynamic iter work() -> (i32) { for t in cta..100 step ctas { yield t } }
  role one: warps 1 { for t in work() { st y[t, lane] <- 1.0 } }
  role two: warps 1 { for t in work() { st y[t, lane] <- 1.0 } }
}
)",
                                     arch);
    ASSERT_NE(emitted.program, nullptr);
    const Compiled compiled =
        RealNvrtc().Compile(emitted.source.cuda, emitted.source.options, arch);
    ASSERT_EQ(compiled.status, 0) << compiled.log;
    EXPECT_THAT(compiled.log, HasSubstr("0 bytes stack frame, 0 bytes spill stores"));
    const size_t first = compiled.ptx.find("atom.relaxed.gpu.global.add");
    ASSERT_NE(first, std::string::npos);
    EXPECT_EQ(compiled.ptx.find("atom.relaxed.gpu.global.add", first + 1), std::string::npos);
  }
}

}  // namespace
}  // namespace compiler::emit
