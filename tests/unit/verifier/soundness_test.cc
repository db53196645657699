// The proofs against the machine: on random programs, whatever the machine shows to be out of
// bounds or to overflow is something that the proofs had not claimed. The two share no analysis.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "absl/strings/str_cat.h"
#include "compiler/diag/render.h"
#include "tests/unit/verifier/checked.h"
#include "verifier/rules.h"

namespace verifier {
namespace {

class Generator {
 public:
  explicit Generator(uint64_t seed) : state_(seed * 2654435761u + 17) {}

  std::string Program() {
    names_ = {"lane", "warp", "cta", "N", "M", "thread"};
    next_ = 0;
    body_.clear();
    const bool two = Pick(2) == 0;
    Block(3, 4);
    return "program p target sm_80\ndim N in " + std::to_string(Pick(3)) +
           "..=" + std::to_string(20 + Pick(200)) + ", M in 1..=" + std::to_string(1 + Pick(40)) +
           (Pick(3) == 0 ? "\nwhere N % 4 == 0" : "") +
           "\nin x: i32[N]\nout y: i32[N], z: i32[M, N]\nkernel k {\n  grid (" +
           (two ? "ceildiv(N, 32), M" : "ceildiv(N, 64)") + ")\n  role main: warps 2 {\n" + body_ +
           "  }\n}\n";
  }

 private:
  size_t Pick(size_t n) {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<size_t>(state_ >> 33) % n;
  }
  std::string Name() { return names_[Pick(names_.size())]; }

  std::string Value(int depth) {
    if (depth == 0 || Pick(4) == 0) return Pick(3) == 0 ? std::to_string(Pick(40)) : Name();
    const std::string a = Value(depth - 1);
    switch (Pick(11)) {
      case 0:
      case 1: return "(" + a + " + " + Value(depth - 1) + ")";
      case 2: return "(" + a + " - " + Value(depth - 1) + ")";
      case 3: return "(" + a + "*" + std::to_string(Pick(6)) + ")";
      case 4: return "(" + a + " / " + std::to_string(1 + Pick(7)) + ")";
      case 5: return "(" + a + " % " + std::to_string(1 + Pick(9)) + ")";
      case 6: return "min(" + a + ", " + Value(depth - 1) + ")";
      case 7: return "max(" + a + ", " + Value(depth - 1) + ")";
      case 8: return "(" + a + " & " + std::to_string(Pick(2) == 0 ? 7 : 12) + ")";
      case 9: return "(" + a + " % max(" + Value(depth - 1) + ", 1))";
      default: return "(" + a + "*" + Name() + ")";
    }
  }

  std::string Condition() {
    constexpr const char* kCompare[] = {"<", "<=", ">", ">=", "==", "!="};
    std::string c = Value(1) + " " + kCompare[Pick(6)] + " " + Value(1);
    if (Pick(3) == 0) c += " && " + Name() + " < " + (Pick(2) == 0 ? "N" : "M");
    if (Pick(6) == 0) c = "!(" + c + ")";
    return c;
  }

  void Line(const std::string& text) { body_ += "    " + text + "\n"; }

  void Store() {
    const std::string index = Value(2);
    switch (Pick(4)) {
      case 0:
        Line("if " + index + " >= 0 && " + index + " < N { st y[" + index + "] <- cta }");
        break;
      case 1: Line("st y[" + index + "] <- cta"); break;
      case 2: Line("st z[" + Value(1) + ", " + index + "] <- ld x[" + Value(1) + "] else 0"); break;
      default: Line("if " + Condition() + " { st y[" + index + "] <- ld x[" + index + "] }"); break;
    }
  }

  void Block(int depth, int statements) {
    const size_t visible = names_.size();
    for (int i = 0; i < statements; ++i) {
      const std::string name = "v" + std::to_string(next_++);
      switch (Pick(depth > 0 ? 7 : 3)) {
        case 0:
        case 1:
          Line("let " + name + " = " + Value(2));
          names_.push_back(name);
          break;
        case 2: Store(); break;
        case 3: {
          Line("for " + name + " in " + Value(1) + ".." + (Pick(2) == 0 ? "N" : Value(1)) +
               " step " + std::to_string(1 + Pick(16)) + " {");
          names_.push_back(name);
          Block(depth - 1, 2);
          names_.pop_back();
          Line("}");
          break;
        }
        case 4: {
          Line("if " + Condition() + " {");
          Block(depth - 1, 2);
          Line("} else {");
          Block(depth - 1, 1);
          Line("}");
          break;
        }
        default: {  // a variable that a loop moves
          Line("var " + name + " = " + Value(1));
          names_.push_back(name);
          const std::string counter = "v" + std::to_string(next_++);
          Line("for " + counter + " in 0.." + std::to_string(1 + Pick(4)) + " {");
          Store();
          Line((Pick(2) == 0 ? "if " + Condition() + " { " : std::string("if lane >= 0 { ")) +
               name + (Pick(2) == 0 ? " += " : " -= ") + std::to_string(Pick(5)) + " }");
          Line("}");
          Store();
        }
      }
    }
    names_.resize(visible);
  }

  uint64_t state_;
  std::vector<std::string> names_;
  std::string body_;
  int next_ = 0;
};

struct Proofs {
  compiler::diag::Report report;
  int64_t proved = 0;
  std::set<std::string> notes;  // "`y` disjoint"
};

Proofs ProofsOf(const Checked& c) {
  Proofs proofs;
  std::vector<KernelAnalysis> kernels;
  kernels.push_back(Analyse(*c.program, c.facts, 0));
  RuleInput input{*c.program, c.facts, **compiler::arch::Find("sm_80"), kernels};
  for (const Rule* rule : Rules()) {
    RuleOutput out;
    rule->check(input, out);
    if (rule == &kAccessBounds) proofs.proved = out.proved;
    proofs.report.Append(out.report);
    proofs.notes.insert(out.notes.begin(), out.notes.end());
  }
  return proofs;
}

bool Claimed(const Proofs& proofs, const compiler::diag::Diagnostic& witness) {
  for (const compiler::diag::Diagnostic& d : proofs.report.diagnostics()) {
    if (d.primary.begin < witness.primary.end && witness.primary.begin < d.primary.end)
      return false;
  }
  return true;
}

TEST(Soundness, TheMachineRefutesNothingThatIsProved) {
  int checked = 0, witnesses = 0, grid_races = 0, disjoint = 0;
  int64_t proved = 0;
  const char* const more = std::getenv("CAKE_SOUNDNESS_SEEDS");  // a longer campaign by hand
  const uint64_t seeds = more == nullptr ? 120 : std::stoull(more);
  for (uint64_t seed = 0; seed < seeds; ++seed) {
    const std::string source = Generator(seed).Program();
    const Checked c = Check(source, {}, {.max_lane_statements = 400'000, .max_instances = 12});
    if (c.program == nullptr || c.verdict.properties.empty()) continue;
    ++checked;
    const Proofs proofs = ProofsOf(c);
    proved += proofs.proved;
    for (const std::string& note : proofs.notes) disjoint += note.ends_with(" disjoint");
    for (const compiler::diag::Diagnostic& d : c.verdict.report.diagnostics()) {
      if (d.code == "CK2023") {
        ++grid_races;
        const std::string tensor = std::get<compiler::diag::Name>(d.args.at(1)).text;
        ASSERT_FALSE(proofs.notes.contains("`" + tensor + "` disjoint"))
            << "seed " << seed << "\n"
            << compiler::diag::RenderText(c.verdict.report, "p", source) << source;
      }
      const bool bounds = d.code >= "CK2001" && d.code <= "CK2004";
      if (!bounds) continue;
      ++witnesses;
      ASSERT_FALSE(Claimed(proofs, d))
          << "seed " << seed << "\n"
          << compiler::diag::RenderText(c.verdict.report, "p", source) << source;
    }
  }
  // The test means something only if both sides occur often.
  EXPECT_GT(checked, 80);
  EXPECT_GT(witnesses, 80);
  EXPECT_GT(proved, 80);
  EXPECT_GT(grid_races, 5);
  EXPECT_GT(disjoint, 5);
}

// Rows that share bytes: what is proven disjoint by index is disjoint only if the strides keep the
// elements apart.
struct Strided {
  const char *shape, *strides, *where, *index;
  bool apart;
};
constexpr Strided kStrided[] = {
    {"M, N", "sy, 1", "", "cta, thread", false},
    {"M, N", "sy, 1", "where sy >= N", "cta, thread", true},
    {"M, N", "sy, 1", "where sy > N - 1", "cta, thread", true},
    {"M, N", "sy, 1", "where sy >= N - 1", "cta, thread", false},
    {"M, N", "1, sy", "where sy >= M", "cta, thread", true},
    {"M, N", "1, sy", "where sy >= N", "cta, thread", false},
    {"M, N", "sy, 2", "where sy >= N", "cta, thread", false},
    {"M, N", "sy, 2", "where sy >= 2*N - 1", "cta, thread", true},
    {"M, N", "sy, sx", "where sy >= sx*N", "cta, thread", false},
    {"M, N", "sy, sx", "where sx >= 1, sy >= sx*N", "cta, thread", true},
    {"M, 1", "sy, 1", "", "cta, 0", false},
    {"M, 1", "sy, 1", "where sy >= 1", "cta, 0", true},
    {"M, 2, N", "sa, sb, 1", "where sb >= N, sa >= 2*sb", "cta, 1, thread", true},
    {"M, 2, N", "sa, sb, 1", "where sb >= N, sa >= sb + N", "cta, 1, thread", true},
    {"M, 2, N", "sa, sb, 1", "where sb >= N, sa >= sb", "cta, 1, thread", false},
};

TEST(Soundness, StridesMustKeepTheElementsApart) {
  for (const Strided& s : kStrided) {
    SCOPED_TRACE(std::string(s.strides) + " " + s.where);
    const std::string source =
        std::string("program p target sm_80\ndim M in 1..=100, N in 1..=64\nout y: f32[") +
        s.shape + "] stride (" + s.strides + ")\n" + s.where + "\nkernel k {\n  grid (M)\n" +
        "  role main: warps 2 { if thread < N { st y[" + s.index + "] <- 1.0 } }\n}\n";
    Checked c = Check(source);
    // A second CTA stores the same element of a row of one, which is a race of its own kind.
    EXPECT_EQ(c.HowOf("global races") == How::kProved, s.apart)
        << compiler::diag::RenderText(c.report, "strided", source);
    EXPECT_EQ(c.codes().count("CK2570"), s.apart ? 0u : 1u);
    EXPECT_TRUE(s.apart || c.HowOf("global races") == How::kUnknown ||
                c.HowOf("global races") == How::kRefuted);
    if (s.apart || std::string(s.strides) == "sy, sx") continue;
    int applied = 0;
    const std::string fixed = compiler::diag::ApplyMachineFixes(c.verdict.report, source, &applied);
    if (applied == 0) continue;
    const Checked again = Check(fixed);
    EXPECT_EQ(again.HowOf("global races"), How::kProved)
        << compiler::diag::RenderText(again.report, "fixed", fixed);
  }
}

// `alias x, y`: both may begin at one address, so what a CTA reads of one another may write through
// the other.
std::string Aliased(const std::string& body) {
  return "program p target sm_80\ndim N in 1..=1000000\nin x: f32[N]\nout y: f32[N]\n"
         "alias x, y\nkernel k {\n  grid (ceildiv(N, 32))\n  role main: warps 1 {\n"
         "    let i = cta*32 + lane\n    " +
         body + "\n  }\n}\n";
}

TEST(Soundness, AliasedTensorsAreComparedAsOneMemory) {
  const Checked same = Check(Aliased("if i < N { st y[i] <- ld x[i] }"));
  EXPECT_TRUE(same.verdict.accepted);
  EXPECT_EQ(same.HowOf("global races"), How::kProved);
  // The lanes of one warp overwrite what others have not read: seen by running both as one memory.
  const Checked next = Check(Aliased("if i + 1 < N { st y[i] <- ld x[i + 1] }"));
  EXPECT_THAT(next.codes(), testing::ElementsAre("CK2021"));
  EXPECT_EQ(next.At("CK2021"), "y[i]");
  // No shape that runs has this many elements.
  const Checked far = Check(Aliased("if i + 400000 < N { st y[i] <- ld x[i + 400000] }"));
  EXPECT_THAT(far.codes(), testing::Contains("CK2531"));
  EXPECT_EQ(far.At("CK2531"), "y[i]");
  EXPECT_EQ(far.HowOf("global races"), How::kUnknown);
}

TEST(Soundness, CtasThatAreNotShownApartAreRefused) {
  const auto store = [](const std::string& index) {
    return Check(
        "program p target sm_80\ndim N in 1..=1000000\nout y: f32[N]\nkernel k {\n"
        "  grid (ceildiv(N, 32))\n  role main: warps 1 {\n    let i = cta*32 + lane\n"
        "    if i < N { st y[" +
        index + "] <- 1.0 }\n  }\n}\n");
  };
  EXPECT_EQ(store("i").HowOf("global races"), How::kProved);
  EXPECT_EQ(store("N - 1 - i").HowOf("global races"), How::kProved);
  for (const char* index : {"min(i, 900000)", "max(i - 900000, 0)"}) {
    SCOPED_TRACE(index);
    const Checked c = store(index);
    EXPECT_FALSE(c.verdict.accepted);
    EXPECT_THAT(c.codes(), testing::Contains("CK2530"));
    EXPECT_EQ(c.At("CK2530"), absl::StrCat("y[", index, "]"));
  }
}

// Quotients and remainders undo the products that they divide.
TEST(Soundness, UnflattenedIndicesAreTheirFactors) {
  const Checked c = Check(
      "program p target sm_80\ndim M in 1..=1024, N in 1..=1024\nout y: f32[N, M]\nkernel k {\n"
      "  grid (M)\n  role m: warps 1 {\n    for c in lane..N step 32 {\n"
      "      let q = cta*N + c\n      st y[q % N, q / N] <- 1.0\n    }\n  }\n}\n");
  EXPECT_TRUE(c.verdict.accepted);
  EXPECT_EQ(c.HowOf("bounds"), How::kProved);
  EXPECT_EQ(c.HowOf("global races"), How::kProved);
}

// An index is bounded by what masks, shifts and remainders leave of it, whatever the data.
TEST(Soundness, BitsBoundAnIndex) {
  const auto load = [](const std::string& index) {
    return Check(
        "program p target sm_80\nin ids: i32[32]\nout y: i32[16]\nkernel k {\n"
        "  grid (1)\n  role m: warps 1 {\n    let v = ld ids[lane]\n"
        "    red.add.relaxed.gpu(y[" +
        index + "], 1)\n  }\n}\n");
  };
  for (const char* index : {"v & 15", "15 & v", "v & 11", "(v & 255) >> 4", "(v & 1023) / 64",
                            "(v & 255) % 16", "(v % 16 + 16) % 16", "max(min(v, 15), 0)",
                            "(v >> 3) & 7", "(v & 7) | 8", "(v & 12) ^ 3"}) {
    SCOPED_TRACE(index);
    EXPECT_EQ(load(index).HowOf("bounds"), How::kProved);
  }
  for (const char* index :
       {"v & 16", "v % 16", "v & -2", "min(v, 15)", "v >> 28", "(v & 8) | 16"}) {
    SCOPED_TRACE(index);
    EXPECT_FALSE(load(index).verdict.accepted);
  }
}

// However many conditions or kernels there are, the proofs stop after a fixed amount of work.
TEST(Soundness, WorkIsBoundedWhateverTheProgram) {
  std::string many = "program p target sm_80\ndim N in 1..=1000000\nout y: f32[N]\n";
  for (int i = 2; i < 4000; ++i) {
    many += "where N % " + std::to_string(i) + " != " + std::to_string(i - 1) + "\n";
  }
  for (int k = 0; k < 40; ++k) {
    many += "kernel k" + std::to_string(k) + " { grid (ceildiv(N, 128)); role m: warps 4 {\n" +
            "if cta*128 + thread < N { st y[cta*128 + thread] <- 1.0 } } }\n";
  }
  const Checked c = Check(many);
  ASSERT_NE(c.program, nullptr);
  const std::vector<KernelAnalysis> all = AnalyseAll(*c.program, c.facts);
  EXPECT_EQ(&all.front().atoms.rows_made(), &all.back().atoms.rows_made());
}

}  // namespace
}  // namespace verifier
