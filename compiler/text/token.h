// Tokens of one source text, and what the parser notes on them for the formatter.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "compiler/diag/diagnostic.h"

namespace compiler::text {

enum class TokenKind : uint8_t { kWord, kInt, kFloat, kPunct, kInvalid, kEnd };

// Why a token is kInvalid. The parser reports it where it meets the token, so that one bad line
// gives one diagnostic; kReported has one already (invalid UTF-8, once a source).
enum class Fault : uint8_t {
  kNone,
  kCharacter,
  kNumber,
  kIntRange,
  kFloatRange,
  kForeignComment,
  kReported
};

struct Token {
  TokenKind kind = TokenKind::kEnd;
  Fault fault = Fault::kNone;
  bool line_break_before = false;  // the first token of a line
  bool separated = false;          // a line break before it ends a statement, outside ( ) and [ ]
  bool space_before = false;
  // Set by the parser, for the formatter.
  bool tight_left = false;  // an index or call bracket: no blank before it
  bool unary = false;       // a sign: no blank after it
  bool block = false;       // a `{` that opens a block, not a set of values
  std::string_view text;
  diag::Span span;
};

struct Comment {
  diag::Span span;        // from `//` to the end of the line, blanks at its end left out
  bool own_line = false;  // nothing but blanks before it on its line
  uint32_t next_token = 0;
};

struct Lexed {
  std::vector<Token> tokens;  // the last is kEnd
  std::vector<Comment> comments;
};

// Splits any bytes into tokens, in linear time. Reports invalid UTF-8 itself (one diagnostic);
// every other fault is on its token.
Lexed Lex(std::string_view source, diag::Report& report);

// Value of a kInt token ("12", "0xff", "0b1", "1_000") or a kFloat token; false if out of range.
bool IntValue(std::string_view literal, uint64_t* value);
bool FloatValue(std::string_view literal, double* value);

}  // namespace compiler::text
