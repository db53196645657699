// compiler/LANGUAGE.md against the parser: its examples, its diagnostic as text and as JSON, its
// table of codes and its limits.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "absl/strings/str_cat.h"
#include "tests/unit/compiler_text/examples.h"

namespace compiler::text {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(LanguageTest, EveryExampleParsesOrFailsAsItSays) {
  const std::vector<Example> examples = Examples("cake");
  EXPECT_GE(examples.size(), 12u);
  for (const Example& example : examples) {
    SCOPED_TRACE(absl::StrCat("line ", example.line));
    const bool placed = example.Has("program") || example.Has("item") || example.Has("kernel") ||
                        example.Has("role");
    EXPECT_TRUE(placed) << "a cake block says where it stands";
    const Parsed parsed = ParseText(Whole(example));
    if (example.Has("fail")) {
      EXPECT_THAT(parsed.Codes(), ElementsAre(example.words.back()));
      continue;
    }
    EXPECT_EQ(parsed.Text(), "");
    diag::Report report;
    EXPECT_EQ(FormatText(Whole(example), report).empty(), false);
  }
}

TEST(LanguageTest, WholeProgramsAreFormatted) {
  for (const Example& example : Examples("cake")) {
    if (!example.Has("program") || example.Has("fail")) continue;
    diag::Report report;
    EXPECT_EQ(FormatText(example.text, report), example.text);
  }
}

TEST(LanguageTest, TheDiagnosticIsRenderedAsShown) {
  const auto wanted = [](const Example& e) { return e.Has("program") && e.Has("fail"); };
  const std::vector<Example> examples = Examples("cake");
  const auto it = std::find_if(examples.begin(), examples.end(), wanted);
  ASSERT_NE(it, examples.end());
  const Parsed parsed = ParseText(it->text);
  EXPECT_EQ(diag::RenderText(parsed.report, "example.cake", it->text), Examples("text").at(0).text);
  EXPECT_EQ(diag::RenderJson(parsed.report, "example.cake", it->text), Examples("json").at(0).text);
}

// The codes that stand between two texts, in order.
std::vector<std::string> CodesBetween(const std::string& text, const std::string& before,
                                      const std::string& after) {
  constexpr size_t kCodeBytes = 6;
  std::vector<std::string> codes;
  const std::string start = before + "CK";
  for (size_t at = text.find(start); at != std::string::npos; at = text.find(start, at + 1)) {
    const std::string code = text.substr(at + before.size(), kCodeBytes);
    const bool digits = code.find_first_not_of("0123456789", 2) == std::string::npos;
    const size_t end = at + before.size() + kCodeBytes;
    if (digits && text.compare(end, after.size(), after) == 0) codes.push_back(code);
  }
  return codes;
}

TEST(LanguageTest, TheTableOfCodesIsTheDeclaredOne) {
  const std::vector<std::string> declared =
      CodesBetween(ReadFile("compiler/text/codes.h"), "\"", "\", Severity");
  EXPECT_GT(declared.size(), 40u);
  EXPECT_EQ(CodesBetween(Page(), "\n| ", " |"), declared);
}

TEST(LanguageTest, TheLimitsAreThoseOfTheCompiler) {
  const ir::Limits limits;
  const std::map<std::string, int64_t> rows = {
      {"source", limits.source_bytes},
      {"nesting of blocks, brackets and operator chains", limits.nesting_levels},
      {"nodes after inlining", limits.elaborated_nodes},
      {"register statements after unrolling", limits.register_statements},
      {"values in one domain", limits.domain_values},
      {"members of a family listed", limits.family_members_listed},
      {"lane statements of one run of the machine", limits.machine_lane_statements},
      {"diagnostics of one report", limits.diagnostics_shown},
  };
  for (const auto& [name, value] : rows) {
    EXPECT_THAT(Page(), HasSubstr(absl::StrCat("| ", name, " | ", value)));
  }
}

}  // namespace
}  // namespace compiler::text
