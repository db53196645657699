// The formatter's view of a text: lines of statements and the blocks inside them, by tokens alone.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/text/token.h"

namespace compiler::text {

struct LayoutBlock;

// A token of a statement, or (block set) the body after the `{` that the part before holds.
struct Part {
  uint32_t token = 0;
  LayoutBlock* block = nullptr;
};

using LayoutStatement = std::vector<Part>;

struct OwnComment {
  std::string_view text;
  bool blank_before = false;
};

// What the author put on one line, joined by `;`. Without statements: comments at a block's end.
struct LayoutLine {
  std::vector<OwnComment> comments;  // each on a line of its own, above
  bool blank_before = false;         // between the comments, or the line before, and this one
  std::vector<LayoutStatement> statements;
  std::string_view trailing;  // the comment behind the line
};

struct LayoutBlock {
  std::vector<LayoutLine> lines;
  std::string_view opening;  // the comment behind its `{`
  bool on_one_line = true;   // the author closed it on the line where it opens
};

struct Layout {
  LayoutBlock top;
  std::deque<LayoutBlock> blocks;
};

// Groups tokens that have been parsed without an error (the parser marks braces and brackets).
void BuildLayout(std::string_view source, const Lexed& lexed, Layout& layout);

// Whether a blank stands between tokens `left` and `left + 1` of one line.
bool SpaceAfter(const std::vector<Token>& tokens, uint32_t left);

// Canonical text, ending in one line break; "" for a text without tokens and comments.
std::string Print(const Layout& layout, const std::vector<Token>& tokens);

}  // namespace compiler::text
