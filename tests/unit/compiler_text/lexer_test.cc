#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/compiler_text/support.h"

namespace compiler::text {
namespace {

using testing::ElementsAre;

// Texts of the tokens before the end; invalid ones in angle brackets.
std::vector<std::string> Texts(const std::string& source) {
  diag::Report report;
  std::vector<std::string> texts;
  for (const Token& token : Lex(source, report).tokens) {
    if (token.kind == TokenKind::kEnd) break;
    const bool bad = token.kind == TokenKind::kInvalid;
    texts.push_back(bad ? "<" + std::string(token.text) + ">" : std::string(token.text));
  }
  return texts;
}

Token Only(const std::string& source) {
  diag::Report report;
  const Lexed lexed = Lex(source, report);
  EXPECT_EQ(lexed.tokens.size(), 2u) << source;
  Token token = lexed.tokens[0];
  token.text = {};
  return token;
}

TEST(LexerTest, LongestPunctuationWins) {
  EXPECT_THAT(Texts("a..=b..c<-d<<e<=f->g:+h+=i"),
              ElementsAre("a", "..=", "b", "..", "c", "<-", "d", "<<", "e", "<=", "f", "->", "g",
                          ":+", "h", "+=", "i"));
  EXPECT_THAT(Texts("a<-1"), ElementsAre("a", "<-", "1"));
  EXPECT_THAT(Texts("a< -1"), ElementsAre("a", "<", "-", "1"));
}

TEST(LexerTest, AWordAfterAPointMayBeginWithADigit) {
  EXPECT_THAT(Texts("tmem.32x32b f32"), ElementsAre("tmem", ".", "32x32b", "f32"));
  EXPECT_THAT(Texts("umma.2cta"), ElementsAre("umma", ".", "2cta"));
  EXPECT_THAT(Texts("0..4"), ElementsAre("0", "..", "4"));
  EXPECT_THAT(Texts("x..32"), ElementsAre("x", "..", "32"));
  EXPECT_THAT(Texts("1.5..2.5"), ElementsAre("1.5", "..", "2.5"));
  EXPECT_THAT(Texts("a. 32x"), ElementsAre("a", ".", "<32x>"));
}

TEST(LexerTest, Numbers) {
  for (const char* text :
       {"0", "12", "0xff", "0xFF_00", "0b1010", "1_000", "18446744073709551615"}) {
    EXPECT_EQ(Only(text).kind, TokenKind::kInt) << text;
  }
  for (const char* text : {"1.0", "1e6", "1e-6", "1.5E+3", "1_0.2_5"}) {
    EXPECT_EQ(Only(text).kind, TokenKind::kFloat) << text;
  }
  for (const char* text : {"12abc", "0x", "0b12", "0b", "1.f", "1.", "0xfg", "1e"}) {
    EXPECT_EQ(Only(text).fault, Fault::kNumber) << text;
  }
  EXPECT_EQ(Only("18446744073709551616").fault, Fault::kIntRange);
  EXPECT_EQ(Only("1e309").fault, Fault::kFloatRange);
}

TEST(LexerTest, NumberValues) {
  uint64_t integer = 0;
  double real = 0;
  EXPECT_TRUE(IntValue("0xFF_00", &integer));
  EXPECT_EQ(integer, 0xff00u);
  EXPECT_TRUE(IntValue("0b1_01", &integer));
  EXPECT_EQ(integer, 5u);
  EXPECT_TRUE(IntValue("18446744073709551615", &integer));
  EXPECT_EQ(integer, UINT64_MAX);
  EXPECT_TRUE(FloatValue("1_0.2_5", &real));
  EXPECT_EQ(real, 10.25);
}

TEST(LexerTest, CommentsKnowWhatTheyStandBehind) {
  diag::Report report;
  const Lexed lexed = Lex("// one\na // two  \r\n\n  // three\nb", report);
  ASSERT_EQ(lexed.comments.size(), 3u);
  EXPECT_TRUE(lexed.comments[0].own_line);
  EXPECT_FALSE(lexed.comments[1].own_line);
  EXPECT_EQ(lexed.comments[1].span.end - lexed.comments[1].span.begin, 6u);
  EXPECT_TRUE(lexed.comments[2].own_line);
  EXPECT_EQ(lexed.comments[2].next_token, 1u);
}

std::vector<std::string> Separated(const std::string& source) {
  diag::Report report;
  std::vector<std::string> texts;
  const Lexed lexed = Lex(source, report);
  for (size_t i = 1; i < lexed.tokens.size(); ++i) {
    if (lexed.tokens[i].separated) texts.emplace_back(lexed.tokens[i].text);
  }
  return texts;
}

TEST(LexerTest, ALineBreakSeparatesUnlessTheLineCannotEndOrTheNextCannotBegin) {
  EXPECT_THAT(Separated("a\nb"), ElementsAre("b"));
  EXPECT_THAT(Separated("a +\nb"), ElementsAre());
  EXPECT_THAT(Separated("a <-\nb =\nc ,\nd ..\ne"), ElementsAre());
  EXPECT_THAT(Separated("a\n{ }\nelse { }\nor { }\nor x"), ElementsAre("or"));
  EXPECT_THAT(Separated("f()\nx[1]\n}\nb"), ElementsAre("x", "}", "b"));
}

TEST(LexerTest, InvalidUtf8IsReportedOnceWithItsCount) {
  diag::Report report;
  Lex("// \xff\xff\na \xc0\xaf b", report);
  ASSERT_EQ(report.diagnostics().size(), 1u);
  EXPECT_EQ(report.diagnostics()[0].code, "CK0001");
  EXPECT_EQ(std::get<int64_t>(report.diagnostics()[0].args[0]), 4);
  EXPECT_EQ(report.diagnostics()[0].primary, (diag::Span{3, 4}));
}

TEST(LexerTest, ForeignCommentsAreOneToken) {
  EXPECT_THAT(Texts("a # b c\nd /* e\nf */ g"),
              ElementsAre("a", "<# b c>", "d", "</* e\nf */>", "g"));
  EXPECT_THAT(Texts("a /* b\nc"), ElementsAre("a", "</* b>", "c"));
}

TEST(LexerTest, SpansCoverTheTextExactly) {
  const std::string source = "\xEF\xBB\xBFlet a = \xC3\xB6 @ 1.5e-3 // c\n;";
  diag::Report report;
  const Lexed lexed = Lex(source, report);
  for (const Token& token : lexed.tokens) {
    EXPECT_EQ(source.substr(token.span.begin, token.span.end - token.span.begin), token.text);
  }
  EXPECT_EQ(lexed.tokens[0].text, "let");
}

}  // namespace
}  // namespace compiler::text
