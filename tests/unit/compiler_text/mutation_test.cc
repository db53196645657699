// Damaged programs: whatever the bytes are, parsing ends, what it says lies inside the text, its
// fixes apply, and a text that still parses keeps the laws of the formatter.
#include <gtest/gtest.h>

#include <random>

#include "tests/unit/compiler_text/support.h"

namespace compiler::text {
namespace {

constexpr int kRounds = 400;

class Damage {
 public:
  explicit Damage(uint32_t seed) : random_(seed) {}

  std::string Apply(std::string text) {
    for (size_t i = 1 + Pick(4); i > 0; --i) One(text);
    return text;
  }

 private:
  size_t Pick(size_t n) { return n == 0 ? 0 : random_() % n; }

  void One(std::string& text) {
    static const char* const kInserts[] = {"(",  ")", "[",    "{",     "}",    ";",
                                           "\n", "@", "<-",   "..",    ",",    "\"",
                                           "/*", "#", "\xff", "else ", "for ", "kernel "};
    const size_t at = Pick(text.size());
    const size_t length = Pick(20);
    switch (Pick(7)) {
      case 0: text[at] = static_cast<char>(Pick(256)); break;
      case 1: text[at] = static_cast<char>(text[at] ^ (1 << Pick(8))); break;
      case 2: text.erase(at, length); break;
      case 3: text.insert(at, kInserts[Pick(18)]); break;
      case 4: text.insert(Pick(text.size()), text.substr(at, length)); break;
      case 5: text.erase(text.size() - Pick(text.size() / 4)); break;
      default: {
        // Swap two lines' worth of text: structure moves, words stay.
        const std::string cut = text.substr(at, 80);
        text.erase(at, 80);
        text.insert(Pick(text.size()), cut);
      }
    }
    if (text.empty()) text = "x";
  }

  std::mt19937 random_;
};

void ExpectSound(const std::string& source) {
  const Parsed parsed = ParseText(source);
  for (const diag::Diagnostic& d : parsed.report.diagnostics()) {
    EXPECT_LE(d.primary.begin, d.primary.end);
    EXPECT_LE(d.primary.end, source.size());
    EXPECT_FALSE(d.message.empty());
    for (const diag::Label& label : d.labels) EXPECT_LE(label.span.end, source.size());
    for (const diag::Fix& fix : d.fixes) {
      EXPECT_EQ(fix.edits.empty(), fix.applicability == diag::Applicability::kManual);
      for (const diag::Edit& edit : fix.edits) {
        EXPECT_LE(edit.span.begin, edit.span.end);
        EXPECT_LE(edit.span.end, source.size());
      }
    }
  }
  EXPECT_FALSE(diag::RenderJson(parsed.report, "f", source).empty());
  diag::RenderText(parsed.report, "f", source);
  diag::Report report;
  const std::string once = FormatText(source, report);
  EXPECT_EQ(report.has_errors(), parsed.report.has_errors());
  if (report.has_errors()) return;
  diag::Report again;
  EXPECT_EQ(FormatText(once, again), once);
  EXPECT_EQ(TokenTexts(once), TokenTexts(source));
}

TEST(MutationTest, DamagedKernels) {
  const std::string kernels = ReadFile("tests/corpus/language/kernels.cake");
  // Whole programs are long: most rounds damage one, so that most damage is met.
  const size_t second = kernels.find("program fa3_fwd");
  const std::string first = kernels.substr(0, second);
  for (uint32_t seed = 1; seed <= kRounds; ++seed) {
    SCOPED_TRACE(seed);
    ExpectSound(Damage(seed).Apply(seed % 8 == 0 ? kernels : first));
    if (HasFailure()) return;
  }
}

TEST(MutationTest, EveryTruncationOfAProgram) {
  const std::string kernels = ReadFile("tests/corpus/language/kernels.cake");
  const std::string first = kernels.substr(0, kernels.find("program fa3_fwd"));
  for (size_t length = 0; length < first.size(); length += 3) {
    SCOPED_TRACE(length);
    const Parsed parsed = ParseText(first.substr(0, length));
    EXPECT_LE(parsed.report.diagnostics().size(), 4u) << parsed.Text();
    if (HasFailure()) return;
  }
}

TEST(MutationTest, MachineFixesOfParsingRemoveTheirDiagnostic) {
  for (const char* line : {"if a<-1 { }", "wait r@k-1", "if a = 1 { }", "i++", "# c",
                           "let b = a and c", "let b = a or c"}) {
    const std::string source = InRole(line);
    const Parsed parsed = ParseText(source);
    ASSERT_EQ(parsed.report.diagnostics().size(), 1u) << line;
    int applied = 0;
    const std::string fixed = diag::ApplyMachineFixes(parsed.report, source, &applied);
    EXPECT_EQ(applied, 1) << line;
    EXPECT_EQ(ParseText(fixed).Text(), "") << fixed;
  }
}

}  // namespace
}  // namespace compiler::text
