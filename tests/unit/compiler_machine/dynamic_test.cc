// Dynamic iters on the machine: every value is taken once, by all roles of one CTA.
#include "tests/unit/compiler_machine/source_harness.h"

namespace compiler::machine {
namespace {

using testing::IsEmpty;

const char* const kSource = R"(program t target sm_80
dim N in 0..=1000
out y: f32[N, 32]
inout times: i32[1001], by_other: i32[1001]
kernel k {
  grid (3)
  ring tile[2] { v: f32[32] } from load to math
  dynamic iter work() -> (i32, i32) { for t in cta..N step ctas { yield t, t + 1 } }
  role load: warps 1 {
    var k = 0
    for (t, one_more) in work() {
      elect { red.add.relaxed.gpu(times[t], 1) }
      acquire tile@k
      st tile.v@k[lane] <- cvt.f32(one_more)
      commit tile@k
      if k < 1000 { k += 1 }
    }
  }
  role math: warps 2 {
    var k = 0
    for (t, one_more) in work() {
      once { red.add.relaxed.gpu(by_other[t], 1) }
      wait tile@k
      if warp == 1 { st y[t, lane] <- ld tile.v@k[lane] }
      release tile@k
      if k < 1000 { k += 1 }
    }
  }
}
)";

std::vector<std::byte> Zeros(size_t words) { return std::vector<std::byte>(words * 4); }

TEST(DynamicIter, EveryValueIsTakenOnceWhateverTheSchedule) {
  for (const int64_t n : {0, 1, 2, 37}) {
    for (const uint64_t seed : {0, 1, 2, 3, 4}) {
      Options options;
      options.schedule_seed = seed;
      const Ran ran = RunSource(kSource, {{"N", n}},
                                {{"times", Zeros(1001)}, {"by_other", Zeros(1001)}}, options);
      ASSERT_THAT(ran.Codes(), IsEmpty()) << ran.text;
      std::vector<int32_t> wanted(1001, 0);
      std::fill_n(wanted.begin(), n, 1);
      EXPECT_EQ(ran.Values<int32_t>("times"), wanted);
      EXPECT_EQ(ran.Values<int32_t>("by_other"), wanted);
      const std::vector<float> y = ran.Values<float>("y");
      for (size_t i = 0; i < y.size(); ++i) EXPECT_EQ(y[i], static_cast<float>(i / 32 + 1));
    }
  }
}

TEST(DynamicIter, AWordOfItsOwnForEachIterAndKernel) {
  const std::string kernel = R"( {
  grid (2)
  dynamic iter rows() -> (i32) { for t in cta..=3 step ctas { yield t } }
  dynamic iter others() -> (i32) { for t in cta..2 step ctas { yield t } }
  role main: warps 2 {
    for t in rows() { once { red.add.relaxed.gpu(sum[t], 1) } }
    for t in others() { once { red.add.relaxed.gpu(sum[t], 10) } }
  }
}
)";
  const Ran ran = RunSource(
      "program t target sm_80\ninout sum: i32[4]\nkernel a" + kernel + "kernel b" + kernel, {},
      {{"sum", Zeros(4)}});
  EXPECT_THAT(ran.Codes(), IsEmpty()) << ran.text;
  EXPECT_EQ(ran.Values<int32_t>("sum"), (std::vector<int32_t>{22, 22, 2, 2}));
}

}  // namespace
}  // namespace compiler::machine
