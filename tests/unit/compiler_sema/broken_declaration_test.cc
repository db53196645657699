// One bad declaration gives one diagnostic: the uses of its names say nothing of their own.
#include <gmock/gmock.h>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "tests/unit/compiler_sema/check.h"

namespace compiler::sema {
namespace {

using ::testing::ElementsAre;

// Each line declares something that other lines use; `@` stands behind the name. Every `~` is a
// place where a token too many or too few breaks the line.
constexpr std::string_view kProgram = R"(program p target sm_80
dim N@ ~in 1..=~4096
param B@ ~in ~{32, 64}~ = 32
const C@ ~= B~ / 4
in x@~: f32~[N]~, w@~: f32[~N]
out y@~: f32[~N]
arg plan@~: i32~[64]
workspace t@~: f32~[N]~ zero
fn twice@(a~: f32) -> f32 { return a + a }
kernel k {
  grid (N / B)
  const D@ ~= C ~+ 1
  let base@ ~= cta ~* B
  smem s@~: f32~[64]
  smem g@ { v: f32[~32] }
  ring r@~[2] { v: f32[32] }~ from a ~to b
  event e@~[1] ~count 2
  barrier q@ ~threads ~64
  role a@~: warps 1 {
    let i@ ~= base + ~lane
    var f@~: f32[~4]
    f[0] = 0.0
    if i < N { st s[lane] <- ld x[i] }
    acquire r@0
    st r.v@0[lane] <- f[0] + (ld w[i])
    commit r@0
    arrive e@0
    bar.sync q
  }
  role b: warps 1 {
    wait r@0
    let v@ ~= ld r.v@0[~lane]
    release r@0
    arrive e@0
    bar.sync q
    wait e@0
    st t[lane] <- twice(v) + cvt.f32(plan[0] + D)
    st g.v[lane] <- v
    sync warp
    st y[lane] <- ld t[lane]
  }
}
)";

struct Broken {
  std::string what, source;
};

// The program with a `?` put in at each `~`, and with a blank for what stands there.
std::vector<Broken> AllBroken() {
  std::string plain(kProgram);
  std::vector<size_t> places;
  std::string source;
  for (size_t i = 0; i < plain.size(); ++i) {
    const bool use =
        plain[i] == '@' && i + 1 < plain.size() && plain[i + 1] >= '0' && plain[i + 1] <= '9';
    if (plain[i] == '~') {
      places.push_back(source.size());
    } else if (plain[i] != '@' || use) {
      source += plain[i];
    }
  }
  std::vector<Broken> out = {{"nothing", source}};
  for (const size_t at : places) {
    const size_t begin = source.rfind('\n', at) + 1;
    const std::string line = source.substr(begin, source.find('\n', at) - begin);
    const std::string where = absl::StrCat(line, " at ", at - begin);
    out.push_back({where, absl::StrCat(source.substr(0, at), " ? ", source.substr(at))});
    out.push_back({where, absl::StrCat(source.substr(0, at), " ", source.substr(at + 1))});
  }
  return out;
}

TEST(BrokenDeclarationTest, OneDiagnosticEach) {
  int broken = 0;
  for (const Broken& one : AllBroken()) {
    const Checked checked = Check(one.source);
    const std::vector<std::string> codes = checked.Codes();
    const bool syntax = std::any_of(codes.begin(), codes.end(), [](const std::string& code) {
      return absl::StartsWith(code, "CK00");
    });
    if (one.what == "nothing") EXPECT_THAT(codes, ElementsAre()) << checked.Text();
    if (!syntax) continue;
    ++broken;
    EXPECT_EQ(codes.size(), 1u) << one.what << "\n" << checked.Text();
  }
  EXPECT_GT(broken, 50);
}

TEST(BrokenDeclarationTest, WordsOfOtherLanguages) {
  for (const char* line : {"float acc = 0.0", "int i = lane", "auto v = ld x[0, 0]"}) {
    const std::string name(std::vector<std::string>(absl::StrSplit(line, ' '))[1]);
    const Checked checked =
        Check(InRole(absl::StrCat(line, "\nst y[0, lane] <- cvt.f32(", name, ")")));
    EXPECT_EQ(checked.Codes().size(), 1u) << checked.Text();
  }
  const Checked shared = Check(
      "program p target sm_80\nout y: f32[32]\nkernel k {\n  grid (1)\n  __shared__ s: f32[32]\n"
      "  role main: warps 1 { st s[lane] <- 1.0; st y[lane] <- ld s[lane] }\n}\n");
  EXPECT_THAT(shared.Codes(), ElementsAre("CK0022")) << shared.Text();
}

TEST(BrokenDeclarationTest, ListsAndStagesWhereThereAreNone) {
  const Checked list = Check(
      "program p target sm_80\nout y: f32[32]\nworkspace t: f32[32], c: i32[1] zero, d: i32[1]\n"
      "kernel k {\n  grid (1)\n  role main: warps 1 {\n"
      "    once { red.add.relaxed.gpu(c[0], 1); st d[0] <- 0 }\n"
      "    st t[lane] <- 1.0; st y[lane] <- ld t[lane]\n  }\n}\n");
  ASSERT_THAT(list.Codes(), ElementsAre("CK0062")) << list.Text();
  EXPECT_EQ(list.report.diagnostics()[0].fixes.at(0).edits.size(), 2u);
  const Checked stages = Check(
      "program p target sm_100a\nkernel k {\n  grid (1)\n  tmem acc[2]: f32[128, 32]\n"
      "  role main: warps 4 { var f: tmem.32x32b f32[128, 32]; tmem.ld f <- acc@0; tmem.wait ld }"
      "\n}\n");
  EXPECT_THAT(stages.Codes(), ElementsAre("CK0061")) << stages.Text();
}

}  // namespace
}  // namespace compiler::sema
