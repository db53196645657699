// Types and dotted names.
#include <array>

#include "compiler/text/codes.h"
#include "compiler/text/parse.h"
#include "compiler/text/parser.h"

namespace compiler::text {
namespace {

constexpr std::array<std::string_view, 9> kForms = {"wgmma",       "wgmma.a",      "mma",
                                                    "mma.a",       "mma.b",        "tmem.32x32b",
                                                    "tmem.16x64b", "tmem.16x128b", "tmem.16x256b"};

// The constant that `text` spells, so that a type's form outlives the source; "" if it is no form.
std::string_view FormNamed(std::string_view text) {
  for (std::string_view form : kForms) {
    if (form == text) return form;
  }
  return "";
}

}  // namespace

// Tokens of WORD {"." WORD} from `ahead` on; the points stand close on both sides.
size_t Parser::DottedLength(size_t ahead) const {
  size_t length = 1;
  while (Peek(ahead + length).text == "." && Peek(ahead + length + 1).kind == TokenKind::kWord &&
         !Peek(ahead + length).space_before && !Peek(ahead + length + 1).space_before) {
    length += 2;
  }
  return length;
}

std::vector<std::string_view> Parser::DottedParts(size_t tokens) const {
  std::vector<std::string_view> parts;
  // No instruction has more parts; a longer name is none.
  constexpr size_t kMaxParts = 8;
  for (size_t i = 0; i < tokens && parts.size() < kMaxParts; i += 2) parts.push_back(Peek(i).text);
  return parts;
}

Ident Parser::DottedWord() {
  const size_t first = pos_;
  pos_ += DottedLength();
  const Span span = SpanFrom(first);
  return {std::string_view(file_.source).substr(span.begin, span.end - span.begin), span};
}

// dtype ["[" c,+ "]"] | form dtype "[" c "," c "]" | "frag"
TypeExpr Parser::ParseType() {
  TypeExpr type;
  const size_t first = pos_;
  if (panic_ || !AtWord()) {
    UnexpectedName();
    return type;
  }
  const Ident word = DottedWord();
  const bool dotted = pos_ - first > 1;
  const std::string_view form = FormNamed(word.text);
  if (word.text == "frag") {
    type.form = "frag";
  } else if (!form.empty()) {
    type.form = form;
    type.dtype = ExpectName();
  } else if (dotted || (AtWord() && Peek(1).text == "[")) {
    const std::string nearest =
        Nearest(word.text, std::vector<std::string_view>(kForms.begin(), kForms.end()));
    Suggest(Complain(kUnknownForm, word.span, Name{std::string(word.text)}), word.span, nearest);
    if (AtWord()) type.dtype = ExpectName();
  } else {
    type.dtype = word;
  }
  if (!panic_ && Is("[") && type.form != "frag") {
    tokens_[pos_].tight_left = true;
    if (OpenBracket("[")) {
      type.has_shape = true;
      type.shape = ParseList();
      CloseBracket("]");
    }
  }
  if (!type.form.empty() && type.form != "frag" && !panic_ && type.shape.size() != 2) {
    // A fragment has two extents, rows and columns.
    if (!type.has_shape) {
      UnexpectedToken("[");
    } else {
      const bool few = type.shape.size() < 2;
      Fail(kExpectedToken, tokens_[pos_ - 1].span, Name{few ? "," : "]"}, Name{few ? "]" : ","});
    }
  }
  type.span = SpanFrom(first);
  return type;
}

}  // namespace compiler::text
