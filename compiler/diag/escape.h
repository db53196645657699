// UTF-8, and what of an untrusted text a terminal may see.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace compiler::diag {

struct CodePoint {
  uint32_t code = 0;  // the byte itself where `valid` is false
  size_t bytes = 1;
  bool valid = true;
};

// The first code point of a text that is not empty. Overlong forms, surrogates and cut sequences
// are invalid, one byte each.
CodePoint DecodeUtf8(std::string_view text);

// One code point as a terminal may see it; `text` starts with it.
std::string EscapeOne(std::string_view text, const CodePoint& point);

// Control, bidirectional, zero-width and invalid bytes become \xNN or \u{NNNN}, a line break \n, a
// tab one blank.
std::string EscapeText(std::string_view text);

}  // namespace compiler::diag
