#include "compiler/text/parse.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/golden/tree_dump.h"
#include "tests/unit/compiler_text/support.h"

namespace compiler::text {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// The tree of `let v = <expression>`.
std::string Tree(const std::string& expression) {
  const Parsed parsed = ParseText(InRole("let v = " + expression));
  EXPECT_EQ(parsed.Text(), "") << expression;
  return golden::Dump(*RoleOf(parsed).at(0)->value);
}

TEST(ParseExprTest, PrecedenceIsThatOfC) {
  EXPECT_EQ(Tree("a || b && c | d ^ e & f == g < h << i + j * k"),
            "(|| a (&& b (| c (^ d (& e (== f (< g (<< h (+ i (* j k))))))))))");
  EXPECT_EQ(Tree("a - b - c"), "(- (- a b) c)");
  EXPECT_EQ(Tree("a * (b + c) % d"), "(% (* a (+ b c)) d)");
  EXPECT_EQ(Tree("-a * !b + ~-c"), "(+ (* (- a) (! b)) (~ (- c)))");
  EXPECT_EQ(Tree("a < -1"), "(< a (- 1))");
}

TEST(ParseExprTest, ElseOfALoadTakesTheWholeExpression) {
  EXPECT_EQ(Tree("ld x[i] else a + 1"), "(ld x[i] (+ a 1))");
  EXPECT_EQ(Tree("(ld x[i] else a) + 1"), "(+ (ld x[i] a) 1)");
  EXPECT_EQ(Tree("ld.volatile x[i] * 2.0"), "(* (ld.volatile x[i]) f:2.0)");
}

TEST(ParseExprTest, ViewsKeepTheirPostfixesInOrder) {
  EXPECT_EQ(Tree("ab.a@it[wg*64:+64, :].T"), "ab.a@it[(* wg 64):+64, :].T");
  EXPECT_EQ(Tree("r@(k - 1)"), "r@(- k 1)");
  EXPECT_EQ(Tree("r@3"), "r@3");
  EXPECT_EQ(Tree("test(e@k at 1 - r)"), "test(call e@k at (- 1 r))");
  EXPECT_EQ(Tree("lanes.sum(x[0], 32)"), "lanes.sum(call x[0] 32)");
  EXPECT_EQ(Tree("[a, b + 1]"), "(array a (+ b 1))");
  EXPECT_EQ(Tree("-inf"), "(- f:inf)");
}

TEST(ParseExprTest, SpansAreTheWrittenBytes) {
  const Parsed parsed = ParseText(InRole("let v = (a + bb) * ld x[c, 1:+4]"));
  const Expr& e = *RoleOf(parsed).at(0)->value;
  const auto text = [&](diag::Span span) {
    return parsed.file->source.substr(span.begin, span.end - span.begin);
  };
  EXPECT_EQ(text(e.span), "(a + bb) * ld x[c, 1:+4]");
  EXPECT_EQ(text(e.token_span), "*");
  EXPECT_EQ(text(e.operands[0]->span), "(a + bb)");
  EXPECT_EQ(text(e.operands[1]->span), "ld x[c, 1:+4]");
  EXPECT_EQ(text(e.operands[1]->operands[0]->postfixes[0].span), "[c, 1:+4]");
  EXPECT_EQ(text(e.operands[1]->operands[0]->postfixes[0].indices[1].span), "1:+4");
  EXPECT_EQ(text(RoleOf(parsed).at(0)->span), "let v = (a + bb) * ld x[c, 1:+4]");
}

TEST(ParseStmtTest, InstructionNamesEndAtTheLongestMatch) {
  const Parsed parsed =
      ParseText(InRole("tma.wait.read 0; tma.reduce.add y[0] <- s; cp.async.wait 1; fence.sc gpu; "
                       "wait.cluster.relaxed r@k; red.add.relaxed.gpu(y[0], 1.0)"));
  EXPECT_EQ(parsed.Text(), "");
  std::vector<std::string> names;
  for (const Stmt* s : RoleOf(parsed)) {
    std::string name(s->op->name);
    for (const Ident& modifier : s->modifiers) name += "|" + std::string(modifier.text);
    names.push_back(name);
  }
  EXPECT_THAT(names, ElementsAre("tma.wait|read", "tma.reduce|add", "cp.async.wait", "fence.sc",
                                 "wait|cluster|relaxed", "red.add|relaxed|gpu"));
  EXPECT_EQ(RoleOf(parsed)[5]->op_name.text, "red.add.relaxed.gpu");
}

TEST(ParseStmtTest, ElseBelongsToTheLoadOrToABareView) {
  const Parsed parsed =
      ParseText(InRole("st y[0] <- ld x[0] else 1.0; cp.async s[0] <- x[0] else 0.0"));
  EXPECT_EQ(parsed.Text(), "");
  EXPECT_EQ(RoleOf(parsed)[0]->else_value, nullptr);
  EXPECT_EQ(golden::Dump(*RoleOf(parsed)[0]->source), "(ld x[0] f:1.0)");
  EXPECT_EQ(golden::Dump(*RoleOf(parsed)[1]->else_value), "f:0.0");
}

TEST(ParseStmtTest, CallsOfAFnNamedLikeAnInstruction) {
  const Parsed parsed = ParseText(InRole("release(a); st[0] = 1; wait = 2; cp.async.wait (n - 2)"));
  EXPECT_EQ(parsed.Text(), "");
  EXPECT_EQ(RoleOf(parsed)[0]->kind, Stmt::Kind::kCall);
  EXPECT_EQ(RoleOf(parsed)[1]->kind, Stmt::Kind::kAssign);
  EXPECT_EQ(RoleOf(parsed)[2]->kind, Stmt::Kind::kAssign);
  EXPECT_EQ(RoleOf(parsed)[3]->kind, Stmt::Kind::kOp);
}

// One a line.
constexpr char kBadLines[] = R"bad(
let
let 5
let x
let x =
let x = (1 + 2
let x = [1, 2
let x = f(a, b
let x = ld y[0
st y[0] 1.0
st y[0] <-
st <- 1
x +
x
1
(
)
]
* 3
for
for i
for i in
for i in 0.. { let q = 1 }
for i 0..4 { }
if { let q = 1 }
if a > { }
while { }
elect
once x
x = = 1
x[1 = 2
x <- 1
wait
wait r@
r@k-1
bar.sync
mma a += b
mma a = b *
sync
sync zzz
fn
fn f
fn f( { }
fn f(a) { }
iter i() { }
return
yield 1
frobnicate x
let x: = 1
let x: wgmma f32 = 1
let a = 12x
# c
a ? b : c
x++
x /= 2
let x = y and z
else { let q = 1 }
let x = y[1:2]
smem s: f32[2]
ring r[2] { a: f32[1] } from a to b
a.b = 1
let s = "text"
let x = a <- b
tma.load a <- b on
umma a = b * c scale d
)bad";

std::vector<std::string> BadLines() {
  std::vector<std::string> lines = {"let \xC3\xB6 = 1", "let \x01 = 1"};
  std::istringstream text(kBadLines);
  for (std::string line; std::getline(text, line);) {
    if (!line.empty()) lines.push_back(line);
  }
  return lines;
}

// Each bad line between two good ones: one diagnostic, and the neighbours are read.
TEST(RecoveryTest, OneBadLineIsOneDiagnostic) {
  const std::vector<std::string> lines = BadLines();
  EXPECT_GT(lines.size(), 60u);
  for (const std::string& bad : lines) {
    const Parsed parsed = ParseText(InRole("let before = 1\n" + bad + "\nlet after = 2"));
    EXPECT_EQ(parsed.report.diagnostics().size(), 1u) << bad << "\n" << parsed.Text();
    const Block& body = RoleOf(parsed);
    ASSERT_GE(body.size(), 2u) << bad;
    EXPECT_EQ(body.back()->kind, Stmt::Kind::kLet) << bad;
    EXPECT_EQ(body.back()->names.at(0).text, "after") << bad;
  }
}

TEST(RecoveryTest, TheBodyOfABadHeadIsStillRead) {
  const Parsed parsed =
      ParseText(InRole("for i on 0..4 { sycn warp }\nif (a { sycn warp }\n"
                       "fro j in 0..4 { sycn warp }"));
  EXPECT_THAT(parsed.Codes(),
              ElementsAre("CK0010", "CK0020", "CK0044", "CK0020", "CK0020", "CK0020"));
}

TEST(RecoveryTest, ManyErrorsStopAtTheLimitThatIsNamed) {
  std::string body;
  for (int i = 0; i < 1000; ++i) body += "let 5\n";
  const Parsed parsed = ParseText(InRole(body));
  EXPECT_EQ(parsed.report.diagnostics().size(), 201u);
  EXPECT_EQ(parsed.report.diagnostics().back().code, "CK6003");
}

TEST(LimitTest, SourceBytesAreNamed) {
  const Parsed parsed = ParseText(std::string(1 << 20, 'x'));
  EXPECT_THAT(parsed.Codes(), ElementsAre("CK6001"));
  EXPECT_THAT(parsed.Text(), HasSubstr("the source has 1048576 bytes; the limit is 262144"));
}

TEST(LimitTest, NestedBracketsAreCounted) {
  for (const char* open : {"(", "[", "f(", "-("}) {
    const std::string close = std::string(open).back() == '[' ? "]" : ")";
    std::string nest;
    for (int i = 0; i < 10000; ++i) nest += open;
    nest += "1";
    for (int i = 0; i < 10000; ++i) nest += close;
    const Parsed parsed = ParseText(InRole("let a = " + nest + "\nlet b = 2"));
    EXPECT_THAT(parsed.Codes(), ElementsAre("CK6002")) << open;
    // The kernel and the role are two levels.
    EXPECT_THAT(parsed.Text(), HasSubstr("nests 10002 levels deep; the limit is 256")) << open;
    EXPECT_EQ(RoleOf(parsed).size(), 2u);
  }
}

TEST(LimitTest, NestedBlocksAreCounted) {
  std::string nest;
  for (int i = 0; i < 5000; ++i) nest += "if a { ";
  for (int i = 0; i < 5000; ++i) nest += "}";
  const Parsed parsed = ParseText(InRole(nest + "\nlet b = 2"));
  EXPECT_THAT(parsed.Codes(), ElementsAre("CK6002"));
  EXPECT_THAT(parsed.Text(), HasSubstr("nests 5002 levels deep"));
}

TEST(LimitTest, ChainsThatNestTheTreeAreBounded) {
  std::string sum = "1", signs, ifs = "if a { }", loads;
  for (int i = 0; i < 20000; ++i) sum += "+1";
  for (int i = 0; i < 20000; ++i) signs += "- ";
  for (int i = 0; i < 5000; ++i) ifs += " else if a { }";
  for (int i = 0; i < 5000; ++i) loads += "ld x[0] else ";
  for (const std::string& line :
       {"let a = " + sum, "let a = " + signs + "1", ifs, "let a = " + loads + "1"}) {
    const Parsed parsed = ParseText(InRole(line + "\nlet b = 2"));
    EXPECT_THAT(parsed.Codes(), ElementsAre("CK6002")) << line.substr(0, 40);
    EXPECT_EQ(RoleOf(parsed).back()->names.at(0).text, "b");
  }
  EXPECT_EQ(ParseText(InRole("let a = " + sum.substr(0, 401))).Text(), "");
}

TEST(LimitTest, AnyEndingBytesEnd) {
  for (const std::string& source :
       {std::string(), std::string("\n\n"), std::string(1000, '\0'), std::string("\xff\xfe\xfd"),
        std::string(200000, '('), std::string(200000, '{'), std::string(200000, '}'),
        std::string(200000, ';'), std::string(200000, '.'), std::string(200000, '@'),
        std::string(262144, 'a'), std::string(200000, '\n') + "x", std::string("program")}) {
    const Parsed parsed = ParseText(source);
    EXPECT_TRUE(parsed.report.has_errors());
    EXPECT_LE(parsed.report.diagnostics().size(), 202u);
  }
}

TEST(NearestTest, FindsOneBelievableSpelling) {
  const std::vector<std::string_view> known = {"sync", "st", "for", "wgmma.commit", "arrive"};
  EXPECT_EQ(Nearest("sycn", known), "sync");
  EXPECT_EQ(Nearest("SYNC", known), "sync");
  EXPECT_EQ(Nearest("fro", known), "for");
  EXPECT_EQ(Nearest("wgmma.comit", known), "wgmma.commit");
  EXPECT_EQ(Nearest("xyz", known), "");
  EXPECT_EQ(Nearest("", known), "");
  EXPECT_EQ(Nearest(std::string(100000, 'a'), known), "");
}

}  // namespace
}  // namespace compiler::text
