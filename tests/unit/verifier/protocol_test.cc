// A program without its arithmetic hands over as before, and runs for little.
#include "verifier/protocol.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compiler/facts/walk.h"
#include "tests/unit/verifier/checked.h"

namespace verifier {

namespace ir = compiler::ir;

namespace {

constexpr const char* kRing = R"(program p target sm_90
dim N in 1..=1000
in x: f32[N, 32], to: i32[N]
out y: f32[N, 32]
where to in 0..N, distinct(to)
kernel k {
  grid (1)
  ring tile[2] { v: f32[32] } from load to add
  role load: warps 1 {
    for n in 0..N { acquire tile@n; tma.load tile.v@n <- x[n, :]; commit tile@n }
  }
  role add: warps 1 {
    for n in 0..N {
      wait tile@n
      var s: f32 = 0.0
      for i in 0..32 { s += cvt.f32(i) * 2.0 }
      let v = ld tile.v@n[lane]
      let row = ld to[n]
      if s > 1.0 { s = s * s }
      st y[row, lane] <- v + s
      release tile@n
    }
  }
}
)";

// Texts of the statements that are left, by their first word.
std::vector<std::string> Left(const ir::Program& program) {
  std::vector<std::string> left;
  for (const ir::Role& role : program.kernels[0].roles) {
    compiler::facts::ForEachStmt(program, role.body, [&](ir::StmtId, const ir::Stmt& stmt) {
      if (stmt.dead) return;
      const std::string text(compiler::facts::TextOf(program, stmt.source.span));
      left.push_back(text.substr(0, text.find(' ')) +
                     (text.starts_with("let ") ? text.substr(3, 2) : ""));
    });
  }
  return left;
}

TEST(Protocol, KeepsWhatHandsOverAndWhatDecidesIt) {
  const Checked c = Check(kRing);
  ASSERT_NE(c.program, nullptr);
  EXPECT_TRUE(c.verdict.accepted);
  EXPECT_THAT(Left(WithoutData(*c.program)),
              testing::ElementsAre("for", "acquire", "tma.load", "commit", "for", "wait", "let v",
                                   "release"));
}

TEST(Protocol, KeepsNumbersThatPickMemory) {
  const Checked c =
      Check(Replaced(kRing, "ld tile.v@n[lane]", "ld tile.v@n[(lane + ld to[n]) % 32]"));
  ASSERT_NE(c.program, nullptr);
  EXPECT_THAT(Left(WithoutData(*c.program)), testing::Contains("let v"));
  const Checked by_name = Check(
      Replaced(Replaced(kRing, "      let v = ld tile.v@n[lane]\n", ""), "let row = ld to[n]\n",
               "let row = ld to[n]\n      let v = ld tile.v@n[(lane + row) % 32]\n"));
  ASSERT_NE(by_name.program, nullptr);
  EXPECT_THAT(Left(WithoutData(*by_name.program)), testing::IsSupersetOf({"let r", "let v"}));
}

}  // namespace
}  // namespace verifier
