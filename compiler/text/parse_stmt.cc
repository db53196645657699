// Statements, blocks, fn and iter.
#include <array>
#include <utility>

#include "absl/strings/str_cat.h"
#include "compiler/text/codes.h"
#include "compiler/text/parse.h"
#include "compiler/text/parser.h"

namespace compiler::text {
namespace {

using diag::Applicability;

constexpr std::array<std::string_view, 4> kAssignments = {"=", "+=", "-=", "*="};

bool IsAssignment(std::string_view text) {
  for (std::string_view token : kAssignments) {
    if (token == text) return true;
  }
  return false;
}

}  // namespace

Stmt* Parser::NewStmt(Stmt::Kind kind) {
  Stmt& s = file_.stmts.emplace_back();
  s.kind = kind;
  return &s;
}

Block Parser::ParseBlock(std::string_view owner) {
  Block block;
  ParseBraces(owner, Level::kStatement, [&] { block.push_back(ParseStatement()); });
  return block;
}

Stmt* Parser::ParseStatement() {
  const size_t first = pos_;
  Stmt* s = ParseStatementInner();
  if (panic_) s->kind = Stmt::Kind::kError;
  if (s->kind == Stmt::Kind::kLet || s->kind == Stmt::Kind::kVar) EndDeclaration(*s);
  s->span = SpanFrom(first);
  return s;
}

// A word is a keyword or an instruction only where it cannot be a variable that is assigned.
bool Parser::NextAssigns() const { return IsAssignment(Peek(1).text) && !Peek(1).separated; }

Stmt* Parser::ParseStatementInner() {
  if (Peek().kind != TokenKind::kWord) {
    if (!ReportForeign()) UnexpectedExpression();
    return NewStmt(Stmt::Kind::kError);
  }
  if (NextAssigns()) return ParsePathStatement();
  const std::string_view word = Peek().text;
  if (Stmt* s = ParseKeyword(word)) return s;
  size_t taken = 0;
  if (const ir::OpDef* op = OpHere(&taken)) return ParseOp(*op, taken);
  const Token& after = Peek(DottedLength());
  const bool ends = after.separated || after.kind == TokenKind::kEnd || after.text == ";" ||
                    after.text == "}" || after.text == "{";
  const bool operand = after.kind == TokenKind::kWord || after.kind == TokenKind::kInt;
  if (ends || (operand && after.text != "at")) return ParseUnknownStatement();
  return ParsePathStatement();
}

// Whether a new line stands here that reads as a statement of its own: a word of the language and
// an operand. Two words side by side are no expression.
bool Parser::LineBeginsStatement() const {
  if (!Peek().line_break_before || !brackets_.empty() || pos_ == first_) return false;
  size_t taken = 0;
  const size_t length = DottedLength();
  const Token& next = Peek(length);
  const bool operand = next.kind == TokenKind::kWord && !next.separated;
  if (length == 1 && operand && AtKeyword(Peek().text)) return true;
  return operand && OpHere(&taken) != nullptr;
}

// Whether a statement of this keyword stands here, and not a use of a variable of that name.
bool Parser::AtKeyword(std::string_view word) const {
  const Token& next = Peek(1);
  if (word == "let" || word == "var" || word == "for") {
    return next.separated || (next.text != "[" && next.text != "." && next.text != "@");
  }
  if (word == "fn" || word == "iter" || word == "dynamic") {
    return !next.separated && next.kind == TokenKind::kWord;
  }
  return word == "while" || word == "if" || word == "elect" || word == "once" || word == "return" ||
         word == "yield";
}

Stmt* Parser::ParseKeyword(std::string_view word) {
  if (!AtKeyword(word)) return nullptr;
  if (AtFunction()) {
    Stmt* s = NewStmt(Stmt::Kind::kFunction);
    s->function = ParseFunction();
    return s;
  }
  if (word == "let" || word == "var") return ParseLet();
  if (word == "for") return ParseFor();
  if (word == "while") return ParseWhile();
  if (word == "if") return ParseIf();
  if (word == "elect") return ParseBlockStatement(Stmt::Kind::kElect, "elect");
  if (word == "once") return ParseBlockStatement(Stmt::Kind::kOnce, "once");
  if (word == "return") return ParseReturn();
  return word == "yield" ? ParseYield() : nullptr;
}

// ID | "(" ID {"," ID} ")"
std::vector<Ident> Parser::ParsePattern() {
  if (!Is("(")) return {ExpectName()};
  if (!OpenBracket("(")) return {};
  std::vector<Ident> names = ExpectNames();
  CloseBracket(")");
  return names;
}

// ("let" | "var") pat [":" type] ["=" e]
Stmt* Parser::ParseLet() {
  Stmt* s = NewStmt(Peek().text == "let" ? Stmt::Kind::kLet : Stmt::Kind::kVar);
  ++pos_;
  s->names = ParsePattern();
  if (Accept(":")) {
    s->has_type = true;
    s->type = ParseType();
  }
  if (Accept("=")) {
    s->value = ParseExpr();
  } else if (s->kind == Stmt::Kind::kLet) {
    UnexpectedToken("=");
  }
  return s;
}

// "for" pat "in" (range ["step" e] ["unroll" c] | iter-call | fragment) block
Stmt* Parser::ParseFor() {
  Stmt* s = NewStmt(Stmt::Kind::kFor);
  ++pos_;
  s->names = ParsePattern();
  Expect("in");
  Expr* e = ParseExpr();
  if (!panic_ && (Is("..") || Is("..="))) {
    s->range = ParseRangeFrom(e);
    if (Accept("step")) s->step = ParseExpr();
    if (Accept("unroll")) s->unroll = ParseExpr();
  } else {
    s->iterable = e;
    if (!panic_ && e->kind != Expr::Kind::kPath) UnexpectedToken("..");
  }
  s->body = ParseBlock("for");
  return s;
}

Stmt* Parser::ParseWhile() {
  Stmt* s = NewStmt(Stmt::Kind::kWhile);
  ++pos_;
  in_condition_ = true;
  s->value = ParseExpr();
  if (!panic_ && !Is("{")) ReportForeign();
  in_condition_ = false;
  s->body = ParseBlock("while");
  return s;
}

// "if" e block ["else" (block | if)]; a chain of else-ifs nests in the tree and counts as nesting.
Stmt* Parser::ParseIf() {
  Stmt* s = NewStmt(Stmt::Kind::kIf);
  ++pos_;
  in_condition_ = true;
  s->value = ParseExpr();
  if (!panic_ && !Is("{")) ReportForeign();
  in_condition_ = false;
  s->body = ParseBlock("if");
  if (!Accept("else")) return s;
  s->has_else = true;
  if (!Is("if")) {
    s->else_body = ParseBlock("else");
    return s;
  }
  ++nesting_;
  if (!TooDeep()) {
    const size_t first = pos_;
    Stmt* inner = ParseIf();
    inner->span = SpanFrom(first);
    s->else_body.push_back(inner);
  }
  --nesting_;
  return s;
}

Stmt* Parser::ParseBlockStatement(Stmt::Kind kind, std::string_view word) {
  Stmt* s = NewStmt(kind);
  ++pos_;
  s->body = ParseBlock(word);
  return s;
}

// "return" e,+
Stmt* Parser::ParseReturn() {
  Stmt* s = NewStmt(Stmt::Kind::kReturn);
  const bool inside = !functions_.empty() && functions_.back() != nullptr;
  if (!inside || functions_.back()->is_iter) {
    Builder builder = Complain(kReturnOutside, Peek().span);
    if (inside) builder.Label(functions_.back()->name.span, "an iter hands on by `yield`");
  }
  ++pos_;
  s->values = ParseList();
  return s;
}

// "yield" e,+
Stmt* Parser::ParseYield() {
  Stmt* s = NewStmt(Stmt::Kind::kYield);
  const bool inside = !functions_.empty() && functions_.back() != nullptr;
  if (!inside || !functions_.back()->is_iter) {
    Complain(kYieldOutside, Peek().span);
  } else {
    ++yields_.back();
  }
  ++pos_;
  s->values = ParseList();
  return s;
}

// lhs ("=" | "+=" | "-=" | "*=") e, or a call that stands alone
Stmt* Parser::ParsePathStatement() {
  Stmt* s = NewStmt(Stmt::Kind::kCall);
  const size_t first = pos_;
  s->value = ParsePath();
  if (panic_) return s;
  if (!AtSeparator() && IsAssignment(Peek().text) && Peek(1).text != "=") return FinishAssign(s);
  const bool call =
      !s->value->postfixes.empty() && s->value->postfixes.back().kind == Postfix::Kind::kCall;
  if (AtSeparator()) {
    if (!call) Fail(kUnusedValue, SpanFrom(first));
    return s;
  }
  if (Is("<-")) {
    const uint32_t begin = tokens_[first].span.begin;
    Fail(kStoreWithoutInstruction, Peek().span)
        .Fix("write `st`", {{{begin, begin}, "st "}}, Applicability::kMaybe);
  } else if (Is("in") && call) {
    pos_ = first;  // `fro (a, b) in ..`
    return ParseUnknownStatement();
  } else if (!ReportForeign()) {
    if (AtBinaryOperator()) {
      ++pos_;
      ParseExpr();
      Fail(kUnusedValue, SpanFrom(first));
    } else {
      UnexpectedEnd();
    }
  }
  return s;
}

Stmt* Parser::FinishAssign(Stmt* s) {
  s->kind = Stmt::Kind::kAssign;
  s->target = std::exchange(s->value, nullptr);
  s->token = Peek().text;
  for (const Postfix& postfix : s->target->postfixes) {
    if (postfix.kind == Postfix::Kind::kIndex) continue;
    Fail(kAssignTarget, s->target->span);
    return s;
  }
  ++pos_;
  s->value = ParseExpr();
  return s;
}

// A word that begins nothing. Where a known spelling is near, the rest is read as if it stood
// there, so that the body of a misspelt `for` is still checked.
Stmt* Parser::ParseUnknownStatement() {
  Stmt* error = NewStmt(Stmt::Kind::kError);
  if (AtLoad()) {
    const size_t load = pos_;
    ParseExpr();
    Fail(kUnusedValue, SpanFrom(load));
    return error;
  }
  if (AtKernelWord()) {
    Fail(kKernelItemInRole, Peek().span, Name{std::string(Peek().text)});
    return error;
  }
  const size_t length = DottedLength();
  const size_t first = pos_;
  const Ident word = DottedWord();
  const std::vector<std::string> words = StatementWords();
  const std::string nearest = Nearest(word.text, {words.begin(), words.end()});
  Suggest(Fail(kUnknownStatement, word.span, Name{std::string(word.text)}), word.span, nearest);
  const ir::OpDef* op = ops_.Find(nearest);
  if (nearest.empty() || nearest == word.text) return error;
  panic_ = false;
  quiet_ = true;
  if (op != nullptr) {
    pos_ = first;
    return ParseOp(*op, (length + 1) / 2);
  }
  pos_ = first;
  for (std::string_view keyword : {"let", "var", "for", "while", "if", "elect", "once"}) {
    if (keyword != nearest || length != 1) continue;
    tokens_[pos_].text = keyword;
    if (Stmt* s = ParseKeyword(keyword)) return s;
  }
  panic_ = true;
  return error;
}

bool Parser::AtFunction() const {
  const std::string_view word = Peek().text;
  const bool dynamic = word == "dynamic" && IsAt(1, "iter");
  const size_t name = dynamic ? 2 : 1;
  return (dynamic || word == "fn" || word == "iter") && Peek(name).kind == TokenKind::kWord;
}

// ["dynamic"] ("fn" | "iter") ID "(" parameters ")" ["->" types] block
Function* Parser::ParseFunction() {
  Function& f = file_.functions.emplace_back();
  const size_t first = pos_;
  f.is_dynamic = Accept("dynamic");
  f.is_iter = Is("iter");
  ++pos_;
  f.name = ExpectName();
  ParseParameters(f);
  if (Accept("->")) ParseResults(f);
  f.unread_head = panic_;
  if (panic_) file_.unread.insert(f.name.text);
  functions_.push_back(&f);
  yields_.push_back(0);
  f.body = ParseBlock(f.is_iter ? "iter" : "fn");
  const int64_t yields = yields_.back();
  functions_.pop_back();
  yields_.pop_back();
  if (f.is_iter && !panic_ && yields != 1) {
    Complain(kYieldCount, f.name.span, Name{std::string(f.name.text)}, yields);
  }
  f.span = SpanFrom(first);
  return &f;
}

// "(" (ID ":" ["inout" | "const"] type),* ")"
void Parser::ParseParameters(Function& f) {
  if (panic_ || !Is("(")) return UnexpectedToken("(");
  tokens_[pos_].tight_left = true;
  if (!OpenBracket("(")) return;
  if (!Is(")")) {
    do {
      Parameter& p = f.parameters.emplace_back();
      p.name = ExpectName();
      Expect(":");
      if (Accept("inout")) p.passing = "inout";
      if (Accept("const")) p.passing = "const";
      p.type = ParseType();
    } while (!panic_ && Accept(","));
  }
  CloseBracket(")");
}

// type | "(" type {"," type} ")"
void Parser::ParseResults(Function& f) {
  if (!Is("(")) {
    f.results.push_back(ParseType());
    return;
  }
  if (!OpenBracket("(")) return;
  do {
    f.results.push_back(ParseType());
  } while (!panic_ && Accept(","));
  CloseBracket(")");
}

}  // namespace compiler::text
