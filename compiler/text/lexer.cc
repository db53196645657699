#include <algorithm>
#include <array>
#include <charconv>
#include <string>

#include "compiler/diag/escape.h"
#include "compiler/text/codes.h"
#include "compiler/text/token.h"

namespace compiler::text {
namespace {

// Longest first, so that the first hit is the longest match.
constexpr std::array<std::string_view, 40> kPuncts = {
    "..=", "..", "<-", "<<", "<=", ">>", ">=", "->", "-=", "+=", "*=", "&&", "||", "==",
    "!=",  ":+", ".",  "<",  ">",  "-",  "+",  "*",  "/",  "%",  "&",  "|",  "^",  "=",
    "!",   "~",  ":",  ",",  ";",  "(",  ")",  "[",  "]",  "{",  "}",  "@"};

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool IsWordChar(char c) { return IsLetter(c) || IsDigit(c); }
bool IsBlank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

std::string WithoutSeparators(std::string_view literal) {
  std::string digits(literal);
  digits.erase(std::remove(digits.begin(), digits.end(), '_'), digits.end());
  return digits;
}

class Lexer {
 public:
  Lexer(std::string_view source, diag::Report& report) : source_(source), report_(report) {}

  Lexed Run() {
    if (source_.substr(0, 3) == "\xEF\xBB\xBF") at_ = 3;
    while (SkipBlanks()) Next();
    Push(TokenKind::kEnd, 0);
    MarkSeparators();
    if (invalid_bytes_ > 0) {
      report_.Add(kInvalidUtf8, {first_invalid_, first_invalid_ + 1}, invalid_bytes_);
    }
    return std::move(out_);
  }

 private:
  char At(size_t ahead = 0) const {
    return at_ + ahead < source_.size() ? source_[at_ + ahead] : '\0';
  }

  // Moves to the next token; false at the end.
  bool SkipBlanks() {
    for (; at_ < source_.size(); ++at_) {
      const char c = source_[at_];
      if (c == '\n') {
        line_break_ = true;
        space_ = true;
      } else if (IsBlank(c)) {
        space_ = true;
      } else if (source_.substr(at_, 2) == "//") {
        SkipComment();
      } else {
        return true;
      }
    }
    return false;
  }

  void SkipComment() {
    size_t end = std::min(source_.find('\n', at_), source_.size());
    CheckUtf8(at_, end);
    const size_t next = end;
    while (IsBlank(source_[end - 1])) --end;
    out_.comments.push_back({{Offset(at_), Offset(end)},
                             line_break_ || out_.tokens.empty(),
                             static_cast<uint32_t>(out_.tokens.size())});
    at_ = next - 1;
    space_ = true;
  }

  void Next() {
    const char c = At();
    const bool after_point = !out_.tokens.empty() && out_.tokens.back().text == "." && !space_;
    if (IsLetter(c) || (IsDigit(c) && after_point)) return Word();
    if (IsDigit(c)) return Number();
    if (c == '#' || source_.substr(at_, 2) == "/*") return ForeignComment();
    for (std::string_view punct : kPuncts) {
      if (source_.substr(at_, punct.size()) == punct) {
        return Push(TokenKind::kPunct, punct.size());
      }
    }
    BadCharacters();
  }

  void Word() {
    size_t length = 0;
    while (IsWordChar(At(length))) ++length;
    Push(TokenKind::kWord, length);
  }

  void Number() {
    size_t length = 0;
    const bool radix = At() == '0' && (At(1) == 'x' || At(1) == 'b');
    bool is_float = false;
    if (radix) length = 2;
    const auto digits = [&] {
      while (IsDigit(At(length)) || At(length) == '_') ++length;
    };
    digits();
    if (!radix && At(length) == '.' && IsDigit(At(length + 1))) {
      is_float = true;
      ++length;
      digits();
    }
    if (!radix && (At(length) == 'e' || At(length) == 'E')) {
      const size_t sign = At(length + 1) == '-' || At(length + 1) == '+' ? 1 : 0;
      if (IsDigit(At(length + 1 + sign))) {
        is_float = true;
        length += 1 + sign;
        digits();
      }
    }
    bool bad = false;
    for (; IsWordChar(At(length)); ++length) bad = bad || !radix || !IsHexOf(length);
    if (!radix && At(length) == '.' && At(length + 1) != '.') {
      bad = true;  // `1.` and `1.f`: a digit must follow the point
      for (++length; IsWordChar(At(length));) ++length;
    }
    PushNumber(length, is_float, bad);
  }

  bool IsHexOf(size_t ahead) const {
    const char c = At(ahead);
    return At(1) == 'x' &&
           (IsDigit(c) || c == '_' || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'));
  }

  void PushNumber(size_t length, bool is_float, bool bad) {
    const std::string_view text = source_.substr(at_, length);
    uint64_t integer = 0;
    double real = 0;
    Push(is_float ? TokenKind::kFloat : TokenKind::kInt, length);
    const bool empty_radix = text.size() == 2 && (text[1] == 'x' || text[1] == 'b');
    const bool bad_binary =
        text.substr(0, 2) == "0b" && text.find_first_not_of("01_", 2) != std::string_view::npos;
    if (bad || empty_radix || bad_binary) {
      Mark(Fault::kNumber);
    } else if (is_float && !FloatValue(text, &real)) {
      Mark(Fault::kFloatRange);
    } else if (!is_float && !IntValue(text, &integer)) {
      Mark(Fault::kIntRange);
    }
  }

  // `#` to the end of the line, `/*` to its `*/`: read whole, or every word of it would be an
  // error.
  void ForeignComment() {
    size_t end = source_.find('\n', at_);
    if (At() == '/') {
      const size_t close = source_.find("*/", at_ + 2);
      if (close != std::string_view::npos) end = close + 2;
    }
    end = std::min(end, source_.size());
    CheckUtf8(at_, end);
    Push(TokenKind::kInvalid, end - at_);
    Mark(Fault::kForeignComment);
  }

  // A run of bytes that start no token is one token.
  void BadCharacters() {
    size_t length = 0;
    const int64_t invalid_before = invalid_bytes_;
    const bool ascii = static_cast<unsigned char>(At()) < 0x80;
    while (at_ + length < source_.size()) {
      const auto point = diag::DecodeUtf8(source_.substr(at_ + length));
      if (length > 0 && (ascii || (point.valid && point.code < 0x80))) break;
      CountIfInvalid(point, at_ + length);
      length += point.bytes;
    }
    Push(TokenKind::kInvalid, length);
    Mark(invalid_bytes_ > invalid_before ? Fault::kReported : Fault::kCharacter);
  }

  void CheckUtf8(size_t begin, size_t end) {
    while (begin < end) {
      const auto point = diag::DecodeUtf8(source_.substr(begin, end - begin));
      CountIfInvalid(point, begin);
      begin += point.bytes;
    }
  }

  void CountIfInvalid(const diag::CodePoint& point, size_t at) {
    if (point.valid) return;
    if (invalid_bytes_++ == 0) first_invalid_ = Offset(at);
  }

  static uint32_t Offset(size_t at) { return static_cast<uint32_t>(at); }

  void Push(TokenKind kind, size_t length) {
    Token token;
    token.kind = kind;
    token.line_break_before = line_break_ || out_.tokens.empty();
    token.space_before = space_;
    token.text = source_.substr(at_, length);
    token.span = {Offset(at_), Offset(at_ + length)};
    out_.tokens.push_back(token);
    at_ += length;
    line_break_ = space_ = false;
  }

  void Mark(Fault fault) {
    out_.tokens.back().kind = TokenKind::kInvalid;
    out_.tokens.back().fault = fault;
  }

  // A line break ends a statement unless the token before cannot end one (any punctuation but a
  // closing bracket) or the token after cannot begin one (`{`, `else`, `or {`).
  void MarkSeparators() {
    std::vector<Token>& tokens = out_.tokens;
    for (size_t i = 0; i < tokens.size(); ++i) {
      Token& token = tokens[i];
      if (!token.line_break_before) continue;
      const bool or_block =
          token.text == "or" && i + 1 < tokens.size() && tokens[i + 1].text == "{";
      const bool cannot_begin = token.text == "{" || token.text == "else" || or_block;
      bool cannot_end = false;
      if (i > 0 && tokens[i - 1].kind == TokenKind::kPunct) {
        const std::string_view before = tokens[i - 1].text;
        cannot_end = before != ")" && before != "]" && before != "}" && before != ";";
      }
      token.separated = !cannot_begin && !cannot_end;
    }
  }

  std::string_view source_;
  diag::Report& report_;
  Lexed out_;
  size_t at_ = 0;
  bool line_break_ = false, space_ = false;
  int64_t invalid_bytes_ = 0;
  uint32_t first_invalid_ = 0;
};

}  // namespace

Lexed Lex(std::string_view source, diag::Report& report) { return Lexer(source, report).Run(); }

bool IntValue(std::string_view literal, uint64_t* value) {
  std::string digits = WithoutSeparators(literal);
  int base = 10;
  if (digits.size() > 2 && (digits[1] == 'x' || digits[1] == 'b')) {
    base = digits[1] == 'x' ? 16 : 2;
    digits.erase(0, 2);
  }
  const char* end = digits.data() + digits.size();
  const auto result = std::from_chars(digits.data(), end, *value, base);
  return result.ec == std::errc() && result.ptr == end;
}

bool FloatValue(std::string_view literal, double* value) {
  const std::string digits = WithoutSeparators(literal);
  const char* end = digits.data() + digits.size();
  const auto result = std::from_chars(digits.data(), end, *value);
  return result.ec == std::errc() && result.ptr == end;
}

}  // namespace compiler::text
