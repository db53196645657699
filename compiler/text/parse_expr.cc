// Expressions, views and ranges.
#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "compiler/text/codes.h"
#include "compiler/text/parser.h"

namespace compiler::text {
namespace {

using diag::Applicability;

struct BinaryOperator {
  std::string_view token;
  int precedence;
};

// C's order; a higher number binds tighter.
constexpr std::array<BinaryOperator, 18> kBinary = {{
    {"||", 1},
    {"&&", 2},
    {"|", 3},
    {"^", 4},
    {"&", 5},
    {"==", 6},
    {"!=", 6},
    {"<", 7},
    {"<=", 7},
    {">", 7},
    {">=", 7},
    {"<<", 8},
    {">>", 8},
    {"+", 9},
    {"-", 9},
    {"*", 10},
    {"/", 10},
    {"%", 10},
}};

int Precedence(const Token& token) {
  if (token.kind != TokenKind::kPunct) return 0;
  for (const BinaryOperator& op : kBinary) {
    if (op.token == token.text) return op.precedence;
  }
  return 0;
}

bool IsSign(std::string_view text) { return text == "-" || text == "!" || text == "~"; }

}  // namespace

Expr* Parser::NewExpr(Expr::Kind kind, size_t first_token) {
  Expr& e = file_.exprs.emplace_back();
  e.kind = kind;
  e.span = SpanFrom(first_token);
  return &e;
}

Expr* Parser::Finish(Expr* e, size_t first_token) {
  e->span = SpanFrom(first_token);
  return e;
}

Expr* Parser::ErrorExpr() { return NewExpr(Expr::Kind::kError, pos_); }

// A tree that later steps walk by recursion is as bounded as the text's brackets are.
void Parser::Deepen(Expr* parent, const Expr* child) {
  constexpr int64_t kMaxDepth = ir::Limits{}.nesting_levels;
  if (child == nullptr || child->depth < parent->depth) return;
  parent->depth = static_cast<uint16_t>(child->depth + 1);
  if (parent->depth > kMaxDepth) {
    Fail(kTooDeep, parent->span, parent->depth + MeasureChain(), kMaxDepth);
    parent->depth = kMaxDepth;
  }
}

bool Parser::AtBinaryOperator() const { return !AtSeparator() && Precedence(Peek()) > 0; }

Expr* Parser::ParseExpr() { return ParseBinary(1); }

Expr* Parser::ParseBinary(int min_precedence) {
  const size_t first = pos_;
  Expr* left = ParseUnary();
  while (!panic_ && !AtSeparator()) {
    const int precedence = Precedence(Peek());
    if (precedence < min_precedence || precedence == 0) break;
    // `/=`, `++` and their like are caught before half of them is read as an operator.
    if (Peek(1).text == "=" && !Peek(1).space_before && ReportForeignOperator()) break;
    const Token& token = Peek();
    ++pos_;
    Expr* right = ParseBinary(precedence + 1);
    Expr* e = NewExpr(Expr::Kind::kBinary, first);
    e->token = token.text;
    e->token_span = token.span;
    e->operands = {left, right};
    Deepen(e, left);
    Deepen(e, right);
    left = e;
  }
  return left;
}

Expr* Parser::ParseUnary() {
  const size_t first = pos_;
  while (!panic_ && !AtSeparator() && IsSign(Peek().text)) {
    tokens_[pos_].unary = true;
    ++pos_;
  }
  const size_t after = pos_;
  Expr* e = ParsePrimary();
  for (size_t i = after; i > first && !panic_; --i) {
    const Token& token = tokens_[i - 1];
    Expr* outer = NewExpr(Expr::Kind::kUnary, i - 1);
    outer->token = token.text;
    outer->token_span = token.span;
    outer->operands = {e};
    Deepen(outer, e);
    e = outer;
  }
  return e;
}

Expr* Parser::ParsePrimary() {
  if (panic_) return ErrorExpr();
  const Token& token = Peek();
  const size_t first = pos_;
  if (!AtSeparator()) {
    if (token.kind == TokenKind::kInt || token.kind == TokenKind::kFloat) return ParseNumber();
    if (token.kind == TokenKind::kWord && LineBeginsStatement()) {
      // An operator ended the line before, but this line is no operand of it.
      tokens_[pos_].separated = true;
      UnexpectedExpression();
      return ErrorExpr();
    }
    if (token.kind == TokenKind::kWord) return ParseNameOrLoad();
    if (token.text == "[") return ParseArray();
    if (token.text == "(") {
      if (!OpenBracket("(")) return ErrorExpr();
      Expr* inner = ParseExpr();
      if (!CloseBracket(")")) return ErrorExpr();
      inner->parenthesized = true;
      return Finish(inner, first);
    }
  }
  UnexpectedExpression();
  return ErrorExpr();
}

Expr* Parser::ParseNumber() {
  const Token& token = Peek();
  ++pos_;
  const bool integer = token.kind == TokenKind::kInt;
  Expr* e = NewExpr(integer ? Expr::Kind::kInt : Expr::Kind::kFloat, pos_ - 1);
  e->literal = token.text;
  // The lexer has rejected what does not fit.
  if (integer) {
    IntValue(token.text, &e->int_value);
  } else {
    FloatValue(token.text, &e->float_value);
  }
  return e;
}

bool Parser::AtLoad() const {
  const size_t length = DottedLength();
  // Only a load is followed by another name without an operator between.
  const Token& after = Peek(length);
  if (after.kind != TokenKind::kWord || (after.separated && brackets_.empty())) return false;
  const ir::OpDef* op = ops_.FindLongest(DottedParts(length), nullptr);
  return op != nullptr && op->form == ir::Form::kLoad;
}

Expr* Parser::ParseNameOrLoad() {
  const std::string_view word = Peek().text;
  if (word == "true" || word == "false") {
    ++pos_;
    Expr* e = NewExpr(Expr::Kind::kBool, pos_ - 1);
    e->int_value = word == "true" ? 1 : 0;
    return e;
  }
  if (word == "inf" || word == "nan") {
    ++pos_;
    Expr* e = NewExpr(Expr::Kind::kFloat, pos_ - 1);
    e->literal = word;
    e->float_value = word == "inf" ? std::numeric_limits<double>::infinity()
                                   : std::numeric_limits<double>::quiet_NaN();
    return e;
  }
  return AtLoad() ? ParseLoad() : ParsePath();
}

Expr* Parser::ParseLoad() {
  const size_t first = pos_;
  const size_t length = DottedLength();
  std::vector<Ident> modifiers;
  for (size_t i = 2; i < length; i += 2) modifiers.push_back({Peek(i).text, Peek(i).span});
  pos_ += length;
  Expr* view = ParsePath(/*loaded=*/true);
  Expr* e = NewExpr(Expr::Kind::kLoad, first);
  e->modifiers = std::move(modifiers);
  e->operands = {view};
  Deepen(e, view);
  // `else` binds weakest: it takes the whole expression after it.
  if (Accept("else")) {
    ++nesting_;
    if (!TooDeep()) e->operands.push_back(ParseExpr());
    --nesting_;
    Deepen(e, e->operands.back());
  }
  return Finish(e, first);
}

Expr* Parser::ParseArray() {
  const size_t first = pos_;
  Expr* e = NewExpr(Expr::Kind::kArray, first);
  if (!OpenBracket("[")) return e;
  e->operands = ParseList();
  CloseBracket("]");
  for (const Expr* element : e->operands) Deepen(e, element);
  return Finish(e, first);
}

std::vector<Expr*> Parser::ParseList() {
  std::vector<Expr*> list;
  do {
    list.push_back(ParseExpr());
  } while (!panic_ && Accept(","));
  return list;
}

Expr* Parser::ParsePath(bool loaded) {
  const size_t first = pos_;
  Expr* path = NewExpr(Expr::Kind::kPath, first);
  path->name = ExpectName();
  while (!panic_ && !AtSeparator() && ParsePostfix(path, loaded)) {
  }
  if (Accept("at")) {
    ++nesting_;
    if (!TooDeep()) path->remote = ParseExpr();
    --nesting_;
    Deepen(path, path->remote);
  }
  return Finish(path, first);
}

// Reads one postfix; false if none stands here.
bool Parser::ParsePostfix(Expr* path, bool loaded) {
  const std::string_view text = Peek().text;
  if (text != "." && text != "@" && text != "[" && text != "(") return false;
  const size_t first = pos_;
  Postfix postfix;
  if (text == ".") {
    ++pos_;
    postfix.member = ExpectName();
    const bool transposed = postfix.member.text == "T";
    postfix.kind = transposed ? Postfix::Kind::kTranspose : Postfix::Kind::kMember;
  } else if (text == "@") {
    ParseUse(postfix);
  } else if (text == "[") {
    ParseIndices(postfix);
  } else {
    ParseArguments(postfix);
  }
  postfix.span = SpanFrom(first);
  Deepen(path, postfix.use);
  for (const Index& index : postfix.indices) {
    Deepen(path, index.offset);
    Deepen(path, index.extent);
  }
  for (const Expr* argument : postfix.args) Deepen(path, argument);
  path->postfixes.push_back(std::move(postfix));
  if (text == "@") CheckUseArithmetic(*path, loaded);
  return true;
}

// "@" (ID | INT | "(" e ")")
void Parser::ParseUse(Postfix& use) {
  use.kind = Postfix::Kind::kUse;
  const size_t first = ++pos_;
  if (AtWord()) {
    use.use = NewExpr(Expr::Kind::kPath, first);
    use.use->name = ExpectName();
    Finish(use.use, first);
  } else if (!AtSeparator() && Peek().kind == TokenKind::kInt) {
    use.use = ParseNumber();
  } else if (OpenBracket("(")) {
    tokens_[pos_ - 1].tight_left = true;
    use.use = ParseExpr();
    if (CloseBracket(")")) use.use->parenthesized = true;
    Finish(use.use, first);
  }
}

// `R@k-1` reads as (R@k) - 1, which no event means. The operand is taken into the use, so that the
// rest of the statement is read as it was meant.
void Parser::CheckUseArithmetic(Expr& path, bool loaded) {
  Postfix& use = path.postfixes.back();
  const bool plus_or_minus = Is("-") || Is("+");
  if (panic_ || !plus_or_minus || use.use == nullptr || use.use->parenthesized) return;
  const Token& op = Peek();
  const size_t operand_first = ++pos_;
  Expr* base = use.use;
  Expr* operand = ParseBinary(10);
  if (panic_) return;
  const bool plain = operand->span.end == tokens_[operand_first].span.end;
  const Span whole{base->span.begin, operand->span.end};
  const std::string_view base_text = tokens_[operand_first - 2].text;
  const std::string inside = file_.source.substr(whole.begin, whole.end - whole.begin);
  Builder builder = Complain(kUseArithmetic, whole, Name{std::string(base_text)});
  // A load may well be meant to end there: `(ld R@k) - 1`.
  builder.Fix(absl::StrCat("write `@(", inside, ")`"), {{whole, absl::StrCat("(", inside, ")")}},
              plain && !loaded ? Applicability::kMachine : Applicability::kMaybe);
  Expr* sum = NewExpr(Expr::Kind::kBinary, operand_first - 2);
  sum->token = op.text;
  sum->token_span = op.span;
  sum->operands = {base, operand};
  sum->parenthesized = true;
  Deepen(sum, operand);
  use.use = sum;
  Deepen(&path, sum);
}

void Parser::ParseIndices(Postfix& postfix) {
  postfix.kind = Postfix::Kind::kIndex;
  tokens_[pos_].tight_left = true;
  if (!OpenBracket("[")) return;
  do {
    ParseIndex(postfix.indices.emplace_back());
  } while (!panic_ && Accept(","));
  CloseBracket("]");
}

// e | e ":+" c | ":"
void Parser::ParseIndex(Index& index) {
  const size_t first = pos_;
  if (Is(":") && (Peek(1).text == "]" || Peek(1).text == ",")) {
    ++pos_;
    index.kind = Index::Kind::kAll;
  } else {
    index.offset = ParseExpr();
    if (Accept(":+")) {
      index.kind = Index::Kind::kSlice;
      index.extent = ParseExpr();
    } else if (!panic_ && Is(":")) {
      const Span colon = Peek().span;
      Fail(kForeignSlice, colon).Fix("write `start:+extent`", {}, Applicability::kManual);
    }
  }
  index.span = SpanFrom(first);
}

void Parser::ParseArguments(Postfix& postfix) {
  postfix.kind = Postfix::Kind::kCall;
  tokens_[pos_].tight_left = true;
  if (!OpenBracket("(")) return;
  const bool condition = std::exchange(in_condition_, false);
  if (!Is(")")) postfix.args = ParseList();
  in_condition_ = condition;
  CloseBracket(")");
}

Range Parser::ParseRange() { return ParseRangeFrom(ParseExpr()); }

// e ".." e | e "..=" e, its low end already read
Range Parser::ParseRangeFrom(Expr* low) {
  Range range;
  range.low = low;
  if (panic_) return range;
  if (Accept("..=")) {
    range.inclusive = true;
  } else {
    Expect("..");
  }
  range.high = ParseExpr();
  range.span = {low->span.begin, range.high->span.end};
  return range;
}

}  // namespace compiler::text
