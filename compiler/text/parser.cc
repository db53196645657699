// The cursor over the tokens, and the entry point.
#include "compiler/text/parser.h"

#include <algorithm>

#include "compiler/text/codes.h"
#include "compiler/text/parse.h"

namespace compiler::text {

const Token& Parser::Peek(size_t ahead) const {
  return tokens_[std::min(pos_ + ahead, tokens_.size() - 1)];
}

bool Parser::AtSeparator() const {
  const Token& token = Peek();
  if (token.kind == TokenKind::kEnd || token.text == ";" || token.text == "}") return true;
  return token.separated && brackets_.empty() && pos_ != first_;
}

bool Parser::Is(std::string_view text) const {
  return Peek().text == text && Peek().kind != TokenKind::kInvalid &&
         (!AtSeparator() || text == "}");
}

bool Parser::IsAt(size_t ahead, std::string_view text) const {
  for (size_t i = 1; i <= ahead; ++i) {
    if (Peek(i).separated && brackets_.empty()) return false;
  }
  return Peek(ahead).text == text && Peek(ahead).kind != TokenKind::kInvalid;
}

bool Parser::Accept(std::string_view text) {
  if (panic_ || !Is(text)) return false;
  ++pos_;
  return true;
}

bool Parser::Expect(std::string_view text) {
  if (Accept(text)) return true;
  UnexpectedToken(text);
  return false;
}

Ident Parser::TakeWord() {
  const Token& token = Peek();
  ++pos_;
  return {token.text, token.span};
}

Ident Parser::ExpectName() {
  // A line cut short before its name does not take the first word of the next one.
  if (!panic_ && Peek().kind == TokenKind::kWord && LineBeginsStatement()) {
    tokens_[pos_].separated = true;
  }
  const bool name = !panic_ && AtWord() && !(Peek().text[0] >= '0' && Peek().text[0] <= '9');
  if (name) return TakeWord();
  UnexpectedName();
  return {};
}

std::vector<Ident> Parser::ExpectNames() {
  std::vector<Ident> names{ExpectName()};
  while (Accept(",")) names.push_back(ExpectName());
  return names;
}

bool Parser::OpenBracket(std::string_view text) {
  if (panic_ || !Is(text)) {
    UnexpectedToken(text);
    return false;
  }
  brackets_.push_back(pos_);
  ++nesting_;
  if (TooDeep()) return false;
  ++pos_;
  return true;
}

bool Parser::CloseBracket(std::string_view text) {
  if (panic_) return false;
  if (!Is(text)) {
    UnexpectedToken(text);
    return false;
  }
  brackets_.pop_back();
  --nesting_;
  ++pos_;
  return true;
}

Span Parser::SpanFrom(size_t first_token) const {
  const Span begin = tokens_[std::min(first_token, tokens_.size() - 1)].span;
  if (pos_ <= first_token) return begin;
  return {begin.begin, tokens_[pos_ - 1].span.end};
}

std::unique_ptr<File> Parse(std::string_view source, const ir::OpTable& ops, diag::Report& report,
                            int64_t source_bytes) {
  auto file = std::make_unique<File>();
  const ir::Limits limits;
  if (source.size() > static_cast<size_t>(limits.source_bytes)) {
    report.Add(kSourceTooLarge, {}, std::max(static_cast<int64_t>(source.size()), source_bytes),
               limits.source_bytes);
    return file;
  }
  file->source = source;
  Lexed lexed = Lex(file->source, report);
  Parser(*file, lexed.tokens, ops, report).ParseFile();
  return file;
}

}  // namespace compiler::text
