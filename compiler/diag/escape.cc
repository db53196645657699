// What of an untrusted text a terminal may see. A source can hold escape sequences, bidirectional
// overrides or broken UTF-8; none of them may reach a person's screen or steer a reader of a log.
#include "compiler/diag/escape.h"

#include "absl/strings/str_format.h"

namespace compiler::diag {
namespace {

struct Range {
  uint32_t low, high;
};

// Code points that draw nothing or reorder what is drawn.
constexpr Range kHidden[] = {
    {0x00, 0x1F},     {0x7F, 0x9F},     {0xAD, 0xAD},     {0x61C, 0x61C},
    {0x180E, 0x180E}, {0x200B, 0x200F}, {0x2028, 0x202E}, {0x2060, 0x206F},
    {0xFE00, 0xFE0F}, {0xFEFF, 0xFEFF}, {0xFFF9, 0xFFFB}, {0xE0000, 0xE0FFF},
};

bool IsHidden(uint32_t code) {
  for (const Range& range : kHidden) {
    if (code >= range.low && code <= range.high) return true;
  }
  return false;
}

bool IsContinuation(unsigned char byte) { return (byte & 0xC0) == 0x80; }

}  // namespace

CodePoint DecodeUtf8(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return {first, 1, true};
  const size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  const CodePoint invalid{first, 1, false};
  if (first < 0xC2 || first > 0xF4 || text.size() < length) return invalid;
  uint32_t code = first & (0xFF >> (length + 1));
  for (size_t i = 1; i < length; ++i) {
    if (!IsContinuation(byte(i))) return invalid;
    code = code << 6 | (byte(i) & 0x3F);
  }
  const bool overlong = (length == 3 && code < 0x800) || (length == 4 && code < 0x10000);
  const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
  if (overlong || surrogate || code > 0x10FFFF) return invalid;
  return {code, length, true};
}

std::string EscapeOne(std::string_view text, const CodePoint& point) {
  if (!point.valid) return absl::StrFormat("\\x%02x", point.code);
  if (point.code == '\t') return " ";
  if (point.code == '\n') return "\\n";
  if (!IsHidden(point.code)) return std::string(text.substr(0, point.bytes));
  return point.code < 0x80 ? absl::StrFormat("\\x%02x", point.code)
                           : absl::StrFormat("\\u{%04x}", point.code);
}

std::string EscapeText(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const CodePoint point = DecodeUtf8(text);
    out += EscapeOne(text, point);
    text.remove_prefix(point.bytes);
  }
  return out;
}

}  // namespace compiler::diag
