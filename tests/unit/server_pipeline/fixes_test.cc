// Edits are offered only where the edited text passes.
#include "server/pipeline/fixes.h"

#include <gtest/gtest.h>

#include "compiler/diag/render.h"

namespace server::pipeline {
namespace {

constexpr const char* kProgram = R"(
program add target sm_80
dim N in 1..=4096
in x: f32[N]
out y: f32[N]
kernel k {
  grid (ceildiv(N, 32))
  role main: warps 1 {
    let i = cta*32 + lane
    st y[i] <- ld x[i]
  }
}
)";

std::string Replaced(std::string text, const std::string& from, const std::string& to) {
  const size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

struct Offered {
  int edits = 0, words = 0;
  std::string applied;
};

Offered OfferedFor(const std::string& source) {
  Options options;
  options.emit_cuda = false;
  const Candidate candidate(source, options);
  const Member member =
      candidate.CheckMember(candidate.Bind({}).value_or(compiler::sema::Binding{}));
  EXPECT_NE(member.verdict, Verdict::kPassed);
  Offered offered;
  for (const auto& d : member.report.diagnostics()) {
    for (const auto& fix : d.fixes) ++(fix.edits.empty() ? offered.words : offered.edits);
  }
  offered.applied = compiler::diag::ApplyMachineFixes(member.report, source, nullptr);
  return offered;
}

// The only fault has a fix that mends it: it comes with its edit, and the edited text passes.
TEST(Fixes, OneThatMendsIsOffered) {
  const std::string guarded =
      Replaced(kProgram, "st y[i] <- ld x[i]", "if i < N { st y[i] <- ld x[j] }");
  const std::string good = Replaced(guarded, "x[j]", "x[i]");
  Options options;
  options.emit_cuda = false;
  const Candidate candidate(good, options);
  ASSERT_EQ(candidate.CheckMember(*candidate.Bind({})).verdict, Verdict::kPassed);
  const Offered typo = OfferedFor(Replaced(good, "lane", "lanee"));
  EXPECT_GE(typo.edits, 1);
  // The same fault beside one that no edit mends: words only.
  const Offered two =
      OfferedFor(Replaced(Replaced(good, "lane", "lanee"), "if i < N", "if i <= N"));
  EXPECT_EQ(two.edits, 0);
  EXPECT_GE(two.words, 1);
}

// Two faults that two edits mend: both are offered, since together they pass.
TEST(Fixes, ThoseThatMendTogetherAreOffered) {
  const Offered both =
      OfferedFor(Replaced(Replaced(kProgram, "out y: f32[N]", "out y: f32[N], z: f32[N]"),
                          "st y[i] <- ld x[i]", "st y[i] <- 1.0\n    st z[i] <- 2.0"));
  EXPECT_EQ(both.edits, 2);
  EXPECT_EQ(both.words, 0);
  Options options;
  options.emit_cuda = false;
  const Candidate candidate(both.applied, options);
  EXPECT_EQ(candidate.CheckMember(*candidate.Bind({})).verdict, Verdict::kPassed) << both.applied;
}

// A guard of a store that leaves a part of the output as it was is no fix, nor are words that leave
// the finding there.
TEST(Fixes, ThoseThatLeaveOutResultsOrChangeNothingAreDropped) {
  const std::string transposed = R"(
program mm target sm_80
in x: bf16[16, 16], w: bf16[8, 16]
out y: f32[16, 8]
kernel run {
  grid (1)
  role main: warps 1 {
    var a: mma.a bf16[16, 16]
    var b: mma.b bf16[16, 8]
    var c: mma f32[16, 8]
    for (r, e) in a { a[r, e] = ld x[a.row(r), a.col(e)] }
    for (r, e) in b { b[r, e] = ld w[b.col(e), b.row(r)] }
    c = 0.0
    mma c += a * b
    for (r, e) in c { st y[c.col(e), c.row(r)] <- c[r, e] }
  }
}
)";
  const std::string unwritten = R"(
program shift target sm_80
dim N in 1..=1000
in x: f32[N]
out y: f32[N]
kernel run {
  grid (1)
  smem s: f32[1000]
  role main: warps 4 {
    for i in thread..N step 128 { st s[i] <- ld x[i] }
    sync cta
    for i in thread..N step 128 { st y[i] <- ld s[N - i] }
  }
}
)";
  const std::string overrun = R"(
program shift target sm_80
dim N in 1..=1000
in x: f32[N]
out y: f32[N]
kernel run {
  grid (1)
  smem s: f32[1000]
  role main: warps 4 {
    for i in thread..N step 128 { st s[i + N/1000] <- ld x[i] }
    sync cta
    for i in thread..N step 128 { st y[i] <- ld s[i] }
  }
}
)";
  for (const std::string& source : {transposed, unwritten, overrun}) {
    const Offered offered = OfferedFor(source);
    EXPECT_EQ(offered.edits, 0) << source;
    EXPECT_EQ(offered.words, 0) << source;
  }
}

}  // namespace
}  // namespace server::pipeline
