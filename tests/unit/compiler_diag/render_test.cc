#include "compiler/diag/render.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "compiler/diag/escape.h"

namespace compiler::diag {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr Def<Name> kUnknown{"CK1901", Severity::kError, Category::kType, "unknown name `{0}`",
                             "a name is visible from its declaration on"};
constexpr Def<int64_t, int64_t> kLimit{"CK6901", Severity::kError, Category::kLimit,
                                       "needs {0} bytes; {1} allowed", ""};
constexpr Def<> kAdvice{"CK5901", Severity::kAdvice, Category::kSchedule, "release may be missing",
                        ""};

TEST(LineIndexTest, FindsLinesAndColumns) {
  const LineIndex index("ab\n\ncd\r\ne");
  EXPECT_EQ(index.Find(0).line, 1);
  EXPECT_EQ(index.Find(2).column, 3);
  EXPECT_EQ(index.Find(3).line, 2);
  EXPECT_EQ(index.Find(5).line, 3);
  EXPECT_EQ(index.Find(5).column, 2);
  EXPECT_EQ(index.Find(1000).line, 4);
  EXPECT_EQ(index.Line(2), "");
  EXPECT_EQ(index.Line(3), "cd");
  EXPECT_EQ(index.Line(4), "e");
  EXPECT_EQ(index.Line(5), "");
  EXPECT_EQ(index.Line(0), "");
}

TEST(RenderTextTest, ShowsPlaceCaretsLabelsWhyAndFix) {
  const std::string source = "let foo = 1\n  let y = fo + 2\n";
  Report report;
  report.Add(kUnknown, {22, 24}, Name{"fo"})
      .Label({4, 7}, "declared here")
      .Fix("write `foo`", {{{22, 24}, "foo"}}, Applicability::kMaybe);
  EXPECT_EQ(RenderText(report, "a.cake", source),
            "error[CK1901]: unknown name `fo`\n"
            "  --> a.cake:2:11\n"
            "   2 |   let y = fo + 2\n"
            "     |           ^^\n"
            "   1 | let foo = 1\n"
            "     |     --- declared here\n"
            "  why: a name is visible from its declaration on\n"
            "  fix (maybe): write `foo`\n"
            "    2:11: `fo` -> `foo`\n");
}

TEST(RenderTextTest, DiagnosticWithoutAPlaceHasNoExcerpt) {
  Report report;
  report.Add(kLimit, {}, 245760, 232448);
  EXPECT_EQ(RenderText(report, "a.cake", "x"),
            "error[CK6901]: needs 245760 bytes; 232448 allowed\n");
}

TEST(RenderTextTest, InstanceAndWaitGraph) {
  Report report;
  report.Add(kAdvice, {})
      .At({.role = "math", .cta = 0, .warp = 3, .byte_begin = 16, .byte_end = 20, .shape = "N=7"})
      .Waits({{"warp 0 of load", "turn[1]", "warp 1 of math", 128, 256, {}}});
  EXPECT_EQ(RenderText(report, "a.cake", ""),
            "advice[CK5901]: release may be missing\n"
            "  at: role math, cta 0, warp 3, bytes 16..20, N=7\n"
            "  waits: warp 0 of load on turn[1]: 128 of 256 arrived, missing warp 1 of math\n");
}

TEST(RenderTextTest, MultilineSpanIsMarkedOnItsFirstLine) {
  const std::string source = "ab {\n}\n";
  Report report;
  report.Add(kAdvice, {1, 6});
  EXPECT_THAT(RenderText(report, "f", source), HasSubstr("   1 | ab {\n     |  ^^^\n"));
}

TEST(RenderTextTest, LongLineIsCutAroundTheSpan) {
  const std::string source(100000, 'x');
  Report report;
  report.Add(kAdvice, {50000, 50002});
  const std::string text = RenderText(report, "f", source, {.max_line_bytes = 40});
  EXPECT_THAT(text, HasSubstr("   1 | ..." + std::string(40, 'x') + "...\n"));
  EXPECT_THAT(text, HasSubstr("     | " + std::string(13, ' ') + "^^\n"));
}

TEST(RenderTextTest, SpanAtTheEndOfTheTextAndBeyond) {
  Report report;
  report.Add(kAdvice, {3, 3});
  report.Add(kAdvice, {900, 950});
  EXPECT_EQ(RenderText(report, "f", "abc"),
            "advice[CK5901]: release may be missing\n  --> f:1:4\n   1 | abc\n     |    ^\n\n"
            "advice[CK5901]: release may be missing\n  --> f:1:4\n   1 | abc\n     |    ^\n");
}

TEST(RenderTextTest, NothingOfTheSourceSteersTheTerminal) {
  const std::string source = "a\x1b[31m \xE2\x80\xAE \xFF\tz";
  Report report;
  report.Add(kUnknown, {12, 13}, Name{"\x1b]0;owned\x07"});
  const std::string text = RenderText(report, "bad\x1b[2J.cake", source);
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
  EXPECT_THAT(text, Not(HasSubstr("\xE2\x80\xAE")));
  EXPECT_THAT(text, HasSubstr("a\\x1b[31m \\u{202e} \\xff z"));
  EXPECT_THAT(text, HasSubstr("unknown name `\\x1b]0;owned\\x07`"));
  // The caret stands under `z`, after the longer escapes.
  EXPECT_THAT(text, HasSubstr("     | " + std::string(23, ' ') + "^\n"));
}

TEST(RenderTextTest, ManyDiagnosticsAreCountedNotShown) {
  Report report;
  for (int i = 0; i < 12; ++i) report.Add(kAdvice, {});
  const std::string text = RenderText(report, "f", "", {.max_diagnostics = 10});
  EXPECT_THAT(text, HasSubstr("\n2 more not shown\n"));
}

TEST(EscapeTextTest, KeepsPrintableUnicode) {
  EXPECT_EQ(EscapeText("k\xC3\xA4se \xF0\x9F\x8D\xB0"), "k\xC3\xA4se \xF0\x9F\x8D\xB0");
}

TEST(EscapeTextTest, InvalidSequencesAreEscapedByteByByte) {
  EXPECT_EQ(EscapeText("\xC0\xAF"), "\\xc0\\xaf");           // overlong
  EXPECT_EQ(EscapeText("\xED\xA0\x80"), "\\xed\\xa0\\x80");  // surrogate
  EXPECT_EQ(EscapeText("\xE2\x82"), "\\xe2\\x82");           // cut
  EXPECT_EQ(EscapeText("\xF4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");
  EXPECT_EQ(EscapeText(std::string_view("\0", 1)), "\\x00");
}

TEST(RenderJsonTest, HasTheDocumentedKeys) {
  const std::string source = "let y = fo\n";
  Report report;
  report.Add(kUnknown, {8, 10}, Name{"fo"})
      .Label({4, 5}, "here")
      .Fix("write `foo`", {{{8, 10}, "foo"}}, Applicability::kMachine)
      .At({.role = "main", .lane = 3});
  report.Add(kAdvice, {});
  const auto json = nlohmann::json::parse(RenderJson(report, "a.cake", source));
  const nlohmann::json span = {{"begin", 8},
                               {"end", 10},
                               {"line", 1},
                               {"column", 9},
                               {"end_line", 1},
                               {"end_column", 11},
                               {"source_line", "let y = fo"}};
  EXPECT_EQ(json["file"], "a.cake");
  EXPECT_EQ(json["errors"], 1);
  EXPECT_EQ(json["warnings"], 0);
  EXPECT_EQ(json["advice"], 1);
  EXPECT_EQ(json["omitted"], 0);
  const auto& d = json["diagnostics"][0];
  EXPECT_EQ(d["code"], "CK1901");
  EXPECT_EQ(d["severity"], "error");
  EXPECT_EQ(d["category"], "type");
  EXPECT_EQ(d["message"], "unknown name `fo`");
  EXPECT_EQ(d["why"], "a name is visible from its declaration on");
  EXPECT_EQ(d["args"], nlohmann::json::array({"fo"}));
  EXPECT_EQ(d["primary"], span);
  EXPECT_EQ(d["labels"][0]["text"], "here");
  EXPECT_EQ(d["fixes"][0]["applicability"], "machine");
  EXPECT_EQ(d["fixes"][0]["edits"][0]["text"], "foo");
  EXPECT_EQ(d["fixes"][0]["edits"][0]["span"], span);
  EXPECT_EQ(d["instance"], (nlohmann::json{{"role", "main"}, {"lane", 3}}));
  EXPECT_EQ(d["fingerprint"].get<std::string>().size(), 16u);
  EXPECT_TRUE(json["diagnostics"][1]["primary"].is_null());
  EXPECT_FALSE(json["diagnostics"][1].contains("instance"));
}

TEST(RenderJsonTest, AnyBytesGiveAsciiJson) {
  const std::string source = "\xFF\xE2\x80\xAE\x1b";
  Report report;
  report.Add(kUnknown, {0, 5}, Name{source});
  const std::string text = RenderJson(report, "\xFE", source);
  for (char c : text) EXPECT_TRUE(c == '\n' || (c >= 32 && c < 127)) << static_cast<int>(c);
  EXPECT_EQ(nlohmann::json::parse(text)["errors"], 1);
}

TEST(RenderJsonTest, LongReportsAreCut) {
  Report report;
  for (size_t i = 0; i < kMaxShown + 5; ++i) report.Add(kAdvice, {});
  const auto json = nlohmann::json::parse(RenderJson(report, "f", ""));
  EXPECT_EQ(json["diagnostics"].size(), kMaxShown);
  EXPECT_EQ(json["omitted"], 5);
  EXPECT_EQ(json["advice"], kMaxShown + 5);
}

}  // namespace
}  // namespace compiler::diag
