// What is said about text that does not parse, and where reading goes on after it.
#include <algorithm>
#include <array>
#include <tuple>

#include "absl/strings/str_cat.h"
#include "compiler/text/codes.h"
#include "compiler/text/parse.h"
#include "compiler/text/parser.h"

namespace compiler::text {
namespace {

using diag::Applicability;

constexpr int64_t kMaxErrors = ir::Limits{}.diagnostics_shown;
constexpr int64_t kMaxNesting = ir::Limits{}.nesting_levels;

// Pairs of tokens that other languages read as one operator.
struct ForeignOperator {
  std::string_view first, second, text;
};
constexpr std::array<ForeignOperator, 11> kForeignOperators = {{
    {"+", "+", "++"},
    {"-", "-", "--"},
    {"*", "*", "**"},
    {"/", "=", "/="},
    {"%", "=", "%="},
    {"&", "=", "&="},
    {"|", "=", "|="},
    {"^", "=", "^="},
    {"<<", "=", "<<="},
    {">>", "=", ">>="},
    {"==", "=", "==="},
}};

std::string_view Closing(std::string_view open) {
  return open == "(" ? ")" : open == "[" ? "]" : "}";
}

bool Opens(const Token& t) {
  return t.kind == TokenKind::kPunct && (t.text == "(" || t.text == "[" || t.text == "{");
}

bool Closes(const Token& t) {
  return t.kind == TokenKind::kPunct && (t.text == ")" || t.text == "]" || t.text == "}");
}

}  // namespace

bool Parser::MayReport() {
  if (panic_) return false;
  panic_ = true;
  if (quiet_ || stopped_) return false;
  if (++errors_ <= kMaxErrors) return true;
  stopped_ = true;
  report_.Add(kTooManyErrors, Peek().span, kMaxErrors);
  pos_ = tokens_.size() - 1;
  return false;
}

// Whether the statement ends here, so that nothing was found: the place is after the last token.
bool Parser::FailAtEnd() const {
  return AtSeparator() && pos_ > 0 && (Peek().text != "}" || Peek().line_break_before);
}

void Parser::UnexpectedToken(std::string_view wanted) {
  if (panic_ || ReportForeign()) return;
  const bool closing = wanted == ")" || wanted == "]";
  if (closing && !brackets_.empty() && AfterBracket(brackets_.back()) == 0) {
    const Token& open = tokens_[brackets_.back()];
    Fail(kUnclosedBracket, open.span, Name{std::string(open.text)});
  } else if (FailAtEnd()) {
    const uint32_t end = tokens_[pos_ - 1].span.end;
    Fail(kExpectedTokenAtEnd, {end, end}, Name{std::string(wanted)});
  } else {
    Fail(kExpectedToken, Peek().span, Name{std::string(wanted)}, Name{std::string(Peek().text)});
  }
}

void Parser::UnexpectedExpression() {
  if (panic_) return;
  if (pos_ >= 2 && ReportOperatorAt(pos_ - 2)) return;
  if (ReportForeign()) return;
  if (FailAtEnd()) {
    const uint32_t end = tokens_[pos_ - 1].span.end;
    Fail(kExpectedExpressionAtEnd, {end, end});
  } else {
    Fail(kExpectedExpression, Peek().span, Name{std::string(Peek().text)});
  }
}

void Parser::UnexpectedName() {
  if (panic_ || ReportForeign()) return;
  if (FailAtEnd()) {
    const uint32_t end = tokens_[pos_ - 1].span.end;
    Fail(kExpectedNameAtEnd, {end, end});
  } else {
    Fail(kExpectedName, Peek().span, Name{std::string(Peek().text)});
  }
}

void Parser::UnexpectedEnd() {
  if (panic_ || ReportForeign()) return;
  const Token& token = Peek();
  const bool after_block = pos_ > 0 && tokens_[pos_ - 1].text == "}";
  if (token.text == "else") {
    Fail(kStrayElse, token.span);
  } else {
    const std::string nearest = after_block ? Nearest(token.text, {"else"}) : "";
    Suggest(Fail(kExpectedEnd, token.span, Name{std::string(token.text)}), token.span, nearest);
    if (nearest.empty()) return;
  }
  if (Peek(1).text != "{") return;
  panic_ = false;  // the body is still read
  ++pos_;
  ParseBlock("else");
  panic_ = panic_ || !AtSeparator();
}

bool Parser::ReportForeign() {
  const Token& token = Peek();
  if (AtSeparator()) return false;
  if (token.kind == TokenKind::kInvalid) return ReportFault();
  if (token.text == "<-") {
    Fail(kArrowInExpression, token.span)
        .Fix("write `< -`", {{token.span, token.space_before ? "< -" : " < -"}},
             Applicability::kMachine);
    return true;
  }
  if (token.text == "=" && in_condition_ && !Peek(1).text.starts_with("=")) {
    Fail(kAssignInCondition, token.span)
        .Fix("write `==`", {{token.span, "=="}}, Applicability::kMachine);
    return true;
  }
  // `not` of other languages binds weaker than `!`, so its fix is a guess.
  return ReportForeignWord(pos_, "and", "&&", Applicability::kMachine) ||
         ReportForeignWord(pos_, "or", "||", Applicability::kMachine) ||
         (pos_ > 0 && ReportForeignWord(pos_ - 1, "not", "!", Applicability::kMaybe)) ||
         ReportForeignOperator();
}

bool Parser::ReportForeignWord(size_t at, std::string_view word, std::string_view symbol,
                               Applicability applicability) {
  const Token& token = tokens_[at];
  if (token.text != word || at <= first_) return false;
  Fail(kForeignOperator, token.span, Name{std::string(word)})
      .Fix(absl::StrCat("write `", std::string(symbol), "`"), {{token.span, std::string(symbol)}},
           applicability);
  return true;
}

bool Parser::ReportForeignOperator() {
  return (pos_ > 0 && ReportOperatorAt(pos_ - 1)) || ReportOperatorAt(pos_);
}

// Two tokens from `first` on that stand together as an operator of another language.
bool Parser::ReportOperatorAt(size_t first) {
  if (first < first_ || first + 1 >= tokens_.size()) return false;
  const Token& a = tokens_[first];
  const Token& b = tokens_[first + 1];
  if (b.space_before) return false;
  for (const ForeignOperator& op : kForeignOperators) {
    if (a.text != op.first || b.text != op.second) continue;
    const Span span{a.span.begin, b.span.end};
    Builder builder = Fail(kForeignOperator, span, Name{std::string(op.text)});
    const bool step = op.text == "++" || op.text == "--";
    Token& next = tokens_[std::min(first + 2, tokens_.size() - 1)];
    const bool ends = next.line_break_before || next.text == ";" || next.text == "}";
    if (step && ends && first == first_ + 1) {
      next.separated = next.line_break_before;  // the second sign is no operator to go on after
      const std::string text = absl::StrCat(" ", std::string(op.text.substr(0, 1)), "= 1");
      builder.Fix(absl::StrCat("write `", text.substr(1), "`"), {{span, text}},
                  Applicability::kMachine);
    } else if (!step && op.second == "=" && op.first != "==") {
      builder.Fix(absl::StrCat("write `x = x ", std::string(op.first), " e`"), {},
                  Applicability::kManual);
    }
    return true;
  }
  return false;
}

bool Parser::ReportFault() {
  const Token& token = Peek();
  const Name name{std::string(token.text)};
  switch (token.fault) {
    case Fault::kNumber: Fail(kMalformedNumber, token.span, name); break;
    case Fault::kIntRange: Fail(kIntTooLarge, token.span, name); break;
    case Fault::kFloatRange: Fail(kFloatOutOfRange, token.span, name); break;
    case Fault::kForeignComment: {
      const uint32_t begin = token.span.begin;
      const uint32_t mark = token.text[0] == '#' ? 1 : 2;
      Builder builder = Fail(kForeignComment, {begin, begin + mark});
      if (token.text[0] == '#') {
        builder.Fix("write `//`", {{{begin, begin + 1}, "//"}}, Applicability::kMachine);
      }
      break;
    }
    case Fault::kReported: panic_ = true; break;
    default: {
      Builder builder = Fail(kUnexpectedCharacter, token.span, name);
      if (token.text == "?") {
        builder.Fix("write `select(condition, a, b)`", {}, Applicability::kManual);
      }
    }
  }
  return true;
}

void Parser::Suggest(Builder builder, Span span, const std::string& nearest) {
  if (nearest.empty()) return;
  builder.Fix(absl::StrCat("write `", nearest, "`"), {{span, nearest}}, Applicability::kMaybe);
}

bool Parser::EndStatement(size_t first_token) {
  if (!panic_ && !AtSeparator()) UnexpectedEnd();
  const bool bad = panic_;
  if (bad) Recover(first_token);
  quiet_ = false;
  return !bad;
}

void Parser::Recover(size_t first_token) {
  panic_ = quiet_ = in_condition_ = false;
  if (stopped_) {  // whoever looked ahead may have gone back from there
    pos_ = tokens_.size() - 1;
    return;
  }
  bool at_line = false;
  if (!brackets_.empty()) {
    const size_t open = brackets_.back();
    nesting_ -= static_cast<int64_t>(brackets_.size());
    brackets_.clear();
    if (const size_t after = AfterBracket(open); after != 0) {
      pos_ = std::max(pos_, after);
    } else {
      // Never closed: the statement was meant to end with its line.
      pos_ = open + 1;
      while (!AtEnd() && !Peek().line_break_before && Peek().text != ";" && Peek().text != "}") {
        ++pos_;
      }
      at_line = true;
    }
  }
  if (pos_ == first_token && Peek().text != "{") ++pos_;
  while (!at_line && !AtSeparator()) {
    // After a stray `,` or operator no line break separates; a clear beginning still does.
    const bool clear = LineBeginsStatement() || (Peek().line_break_before && NextAssigns());
    if (pos_ != first_token && clear) break;
    if (Peek().text == "{") {
      SkipBraces();
    } else {
      ++pos_;
    }
  }
  for (size_t i = first_token; i < pos_; ++i) {
    if (tokens_[i].kind == TokenKind::kWord) file_.unread.insert(tokens_[i].text);
  }
  // The next statement begins here whatever stands before it.
  first_ = pos_;
}

// After an error in the head of a block: its `{` on the same line, so that its body is still read.
bool Parser::RecoverToBlock() {
  size_t at = pos_;
  for (; at + 1 < tokens_.size(); ++at) {
    const Token& token = tokens_[at];
    if (token.text == "{") break;
    if ((token.separated && at != first_) || token.text == ";" || token.text == "}") return false;
  }
  if (tokens_[at].text != "{") return false;
  nesting_ -= static_cast<int64_t>(brackets_.size());
  brackets_.clear();
  panic_ = in_condition_ = false;
  pos_ = at;
  return true;
}

size_t Parser::AfterBracket(size_t open) const {
  std::vector<std::string_view> wanted;
  for (size_t i = open; i + 1 < tokens_.size(); ++i) {
    const Token& token = tokens_[i];
    if (token.text == ";" || token.text == "{" || token.text == "}") return 0;
    if (Opens(token)) {
      wanted.push_back(Closing(token.text));
    } else if (Closes(token)) {
      if (token.text != wanted.back()) return 0;
      wanted.pop_back();
      if (wanted.empty()) return i + 1;
    }
  }
  return 0;
}

// From a `{` past its `}`; stops before what cannot be inside it.
void Parser::SkipBraces() {
  int64_t depth = 0;
  for (; !AtEnd(); ++pos_) {
    if (depth > 0 && BeginsOuter(Level::kKernel)) return;
    if (Peek().text == "{") ++depth;
    if (Peek().text == "}" && --depth == 0) {
      ++pos_;
      return;
    }
  }
}

bool Parser::TooDeep() {
  if (nesting_ <= kMaxNesting) return false;
  Fail(kTooDeep, Peek().span, nesting_ - 1 + MeasureBrackets(), kMaxNesting);
  return true;
}

// How many levels open from here on, at most.
int64_t Parser::MeasureBrackets() const {
  int64_t depth = 0, deepest = 0;
  for (size_t i = pos_; i + 1 < tokens_.size(); ++i) {
    if (Opens(tokens_[i])) deepest = std::max(deepest, ++depth);
    if (Closes(tokens_[i]) && --depth <= 0) break;
  }
  return deepest;
}

// How many operators follow in this statement, outside further brackets.
int64_t Parser::MeasureChain() const {
  int64_t depth = 0, operators = 0;
  for (size_t i = pos_; i + 1 < tokens_.size(); ++i) {
    const Token& token = tokens_[i];
    if (Closes(token) && --depth < 0) break;
    if (depth == 0 && (token.separated || token.text == ";" || token.text == ",")) break;
    const bool counts = token.kind == TokenKind::kPunct && !Opens(token) && !Closes(token);
    if (depth == 0 && counts) ++operators;
    if (Opens(token)) ++depth;
  }
  return operators;
}

bool Parser::OpenBraces(std::string_view owner) {
  if (panic_ && !RecoverToBlock()) return false;
  if (!Is("{")) {
    if (!ReportForeign()) Fail(kMissingBlock, Peek().span, Name{std::string(owner)});
    if (!RecoverToBlock()) return false;
  }
  ++nesting_;
  if (TooDeep()) {
    --nesting_;
    return false;
  }
  tokens_[pos_].block = true;
  ++pos_;
  return true;
}

bool Parser::ParseBraces(std::string_view owner, Level level, const std::function<void()>& each) {
  if (!OpenBraces(owner)) return false;
  const size_t open = pos_ - 1;
  const auto saved = std::make_tuple(first_, quiet_, in_condition_, std::move(brackets_));
  quiet_ = in_condition_ = false;
  brackets_.clear();
  while (!AtBlockEnd(open, level)) {
    const size_t first = first_ = pos_;
    each();
    EndStatement(first);
  }
  --nesting_;
  std::tie(first_, quiet_, in_condition_, brackets_) = saved;
  return true;
}

bool Parser::AtBlockEnd(size_t open, Level level) {
  while (Peek().text == ";") ++pos_;
  if (Peek().text == "}") {
    ++pos_;
    return true;
  }
  if (!AtEnd() && !BeginsOuter(level)) return false;
  // Every block around this one is open as well; one diagnostic speaks for all of them.
  if (unclosed_at_ == pos_) return true;
  unclosed_at_ = pos_;
  const Span brace = tokens_[open].span;
  if (AtEnd()) {
    Complain(kUnclosedBlock, brace);
  } else {
    const uint32_t at = Peek().span.begin;
    Complain(kMissingCloseBefore, Peek().span, Name{std::string(Peek().text)})
        .Label(brace, "opened here")
        .Fix("close the block", {{{at, at}, "}\n"}}, Applicability::kMaybe);
  }
  return true;
}

// Whether a line begins here that cannot lie in a block of this level.
bool Parser::BeginsOuter(Level level) const {
  if (!Peek().line_break_before || Peek().kind != TokenKind::kWord) return false;
  const std::string_view word = Peek().text, third = Peek(2).text;
  if (Peek(1).kind != TokenKind::kWord) return false;
  if (word == "program") return third == "target";
  if (word == "kernel") return third == "{" || third == "pdl" || third == "when";
  return level == Level::kStatement && word == "role" && third == ":";
}

}  // namespace compiler::text
