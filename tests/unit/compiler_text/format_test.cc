// The laws of the formatter: its output is a fixed point, has the tokens and comments of its input
// and parses to the same tree; on real programs, on random layouts of them, on generated ones.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <random>

#include "tests/golden/tree_dump.h"
#include "tests/unit/compiler_text/support.h"

namespace compiler::text {
namespace {

std::string Tree(const std::string& source) { return golden::Dump(*ParseText(source).file); }

size_t LongestLine(const std::string& text) {
  size_t longest = 0;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) longest = std::max(longest, line.size());
  return longest;
}

void ExpectLaws(const std::string& source) {
  diag::Report report;
  const std::string once = FormatText(source, report);
  ASSERT_FALSE(report.has_errors()) << diag::RenderText(report, "in", source) << source;
  diag::Report again;
  const std::string twice = FormatText(once, again);
  ASSERT_FALSE(again.has_errors()) << diag::RenderText(again, "out", once) << once;
  EXPECT_EQ(twice, once) << source;
  EXPECT_EQ(TokenTexts(once), TokenTexts(source));
  EXPECT_EQ(Tree(once), Tree(source));
  std::vector<std::string> before = CommentTexts(source), after = CommentTexts(once);
  std::sort(before.begin(), before.end());
  std::sort(after.begin(), after.end());
  EXPECT_EQ(after, before) << source << "\n-----\n" << once;
}

TEST(FormatLawTest, Kernels) {
  const std::string source = ReadFile("tests/corpus/language/kernels.cake");
  ExpectLaws(source);
  diag::Report report;
  EXPECT_LE(LongestLine(FormatText(source, report)), 100u);
}

TEST(FormatLawTest, EveryGoldenThatParses) {
  int formatted = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator("tests/golden")) {
    if (entry.path().extension() != ".cake") continue;
    const std::string source = ReadFile(entry.path().string());
    if (ParseText(source).report.has_errors()) continue;
    ExpectLaws(source);
    ++formatted;
  }
  EXPECT_GT(formatted, 5);
}

// The tokens of a source with other blanks, line breaks, separators and comments between them,
// wherever the language allows them.
class Relayout {
 public:
  Relayout(const std::string& source, uint32_t seed) : random_(seed) {
    diag::Report report;
    const Lexed lexed = Lex(source, report);
    int depth = 0;
    const Token* before = nullptr;
    bool separator = false;
    for (const Token& token : lexed.tokens) {
      if (token.kind == TokenKind::kEnd) break;
      if (token.text == ";") {
        separator = true;
        continue;
      }
      separator = separator || (token.separated && depth == 0);
      if (token.text == ")" || token.text == "]") --depth;
      if (before != nullptr) Between(*before, token, separator, depth);
      if (token.text == "(" || token.text == "[") ++depth;
      out_ += token.text;
      before = &token;
      separator = false;
    }
    out_ += '\n';
  }
  const std::string& text() const { return out_; }

 private:
  size_t Pick(size_t n) { return random_() % n; }

  void Between(const Token& before, const Token& token, bool separator, int depth) {
    static const char* const kSeparators[] = {"\n",        ";",           "; ;\n",  " ;\t",
                                              "\n\n\n\n ", " // note\n ", ";// x\n"};
    static const char* const kBreaks[] = {" ",   "\n", "  ", "\n // inside\n\t", " // behind\n",
                                          "\n\n"};
    const bool close = before.text == ")" || before.text == "]" || before.text == "}";
    const bool open_end = before.kind == TokenKind::kPunct && !close;
    if (separator) {
      out_ += kSeparators[Pick(7)];
    } else if (before.text == "." || token.text == ".") {
      return;  // names and their modifiers stand close
    } else if ((depth > 0 || open_end || token.text == "{" || token.text == "else") &&
               Pick(8) == 0) {
      out_ += kBreaks[Pick(6)];
    } else if (token.space_before || Pick(6) == 0) {
      out_ += std::string(1 + Pick(2), ' ');
    }
  }

  std::mt19937 random_;
  std::string out_;
};

TEST(FormatLawTest, RandomLayoutsOfTheKernels) {
  const std::string source = ReadFile("tests/corpus/language/kernels.cake");
  const std::string tree = Tree(source);
  for (uint32_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE(seed);
    const std::string other = Relayout(source, seed).text();
    ASSERT_EQ(Tree(other), tree);
    ExpectLaws(other);
    if (HasFailure()) return;
  }
}

// Random programs of the grammar: what they mean does not matter here.
class Generator {
 public:
  explicit Generator(uint32_t seed) : random_(seed) {}

  std::string Program() {
    std::string out = "program p target sm_90a\ndim N in 1..=" + Int() + "\n";
    out += "kernel k {\n  grid (" + Expr(2) + ")\n  role main: warps 4 {\n";
    for (size_t i = 0; i < 12; ++i) out += Statement(3);
    return out + "  }\n}\n";
  }

 private:
  size_t Pick(size_t n) { return random_() % n; }
  std::string Int() { return std::to_string(Pick(1000)); }
  std::string Name() {
    static const char* const kNames[] = {"a", "bb", "st", "step", "long_name_of_a_value",
                                         "x", "or_"};
    return kNames[Pick(7)];
  }
  std::string Blank() { return Pick(2) == 0 ? "" : " "; }
  std::string End() {
    static const char* const kEnds[] = {"\n", "; ", "  // why\n", "\n\n"};
    return kEnds[Pick(4)];
  }

  std::string View(int depth) {
    std::string out = Name();
    if (Pick(3) == 0) out += ".field";
    if (Pick(3) == 0) out += "@(" + Expr(depth - 1) + ")";
    if (Pick(2) == 0) out += "[" + Expr(depth - 1) + ", " + Expr(depth - 1) + ":+8, :]";
    return Pick(5) == 0 ? out + ".T" : out;
  }

  std::string Expr(int depth) {
    static const char* const kOps[] = {"+", "-", "*", "/", "%", "<<", "&", "|", "^"};
    static const char* const kCompare[] = {"<", "==", "&&", "||", ">="};
    if (depth <= 0) return Pick(2) == 0 ? Int() : Name();
    const std::string blank = Blank();
    switch (Pick(8)) {
      case 0: return Int() + ".5e-3";
      case 1: return "-" + Expr(depth - 1);
      case 2: return "(" + Expr(depth - 1) + ")";
      case 3: return Name() + ".f32(" + Expr(depth - 1) + ", " + Expr(depth - 1) + ")";
      case 4: return "[" + Expr(depth - 1) + ", " + Expr(depth - 1) + "]";
      case 5: return "(ld " + View(depth) + " else " + Expr(depth - 1) + ")";
      case 6: return Expr(depth - 1) + " " + kCompare[Pick(5)] + " " + Expr(depth - 1);
      // A blank keeps `a*-b` from reading as another token with what comes before.
      default: return Expr(depth - 1) + blank + kOps[Pick(9)] + " " + Expr(depth - 1);
    }
  }

  std::string Block(int depth) {
    std::string out = Pick(3) == 0 ? "{  // opens\n" : "{ ";
    for (size_t i = Pick(4); i > 0; --i) out += Statement(depth - 1);
    return out + "}";
  }

  std::string Statement(int depth) {
    const size_t kind = Pick(depth > 0 ? 11 : 7);
    switch (kind) {
      case 0: return "let " + Name() + " = " + Expr(4) + End();
      case 1: return "var " + Name() + ": wgmma.a bf16[64, " + Expr(1) + "]" + End();
      case 2: return "st " + View(2) + " <- " + Expr(3) + End();
      case 3:
        return "wgmma " + View(1) + " += " + View(2) + " * " + View(2) + " zero k == 0" + End();
      case 4: return "wait " + View(1) + End();
      case 5: return "call(" + Expr(3) + ", " + Expr(3) + ", " + Expr(3) + ")" + End();
      case 6: return "// alone\nfence async; sync role\n";
      case 7: return "for " + Name() + " in 0.." + Expr(2) + " step 2 " + Block(depth) + End();
      case 8: return "if " + Expr(3) + " " + Block(depth) + " else " + Block(depth) + End();
      case 9: return "fn f(a: i32, b: inout frag) -> (i32, f32) " + Block(depth) + End();
      default: return "while " + Expr(2) + " " + Block(depth) + End();
    }
  }

  std::mt19937 random_;
};

TEST(FormatLawTest, GeneratedPrograms) {
  for (uint32_t seed = 1; seed <= 400; ++seed) {
    SCOPED_TRACE(seed);
    ExpectLaws(Generator(seed).Program());
    if (HasFailure()) return;
  }
}

TEST(FormatTest, ASourceWithErrorsIsGivenBack) {
  const std::string source = "program p target sm_90a\nkernel  k { let }\n";
  diag::Report report;
  EXPECT_EQ(FormatText(source, report), source);
  EXPECT_TRUE(report.has_errors());
}

TEST(FormatTest, NestedTrailingCommentsTakeLinearTime) {
  std::string body, close;
  for (int i = 0; i < 200; ++i) {
    body += "if a {  // open\n";
    close += "}  // close\n";
  }
  ExpectLaws(InRole(body + "x = 1\n" + close));
}

}  // namespace
}  // namespace compiler::text
