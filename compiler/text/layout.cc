#include "compiler/text/layout.h"

#include <utility>

namespace compiler::text {
namespace {

class Builder {
 public:
  Builder(std::string_view source, const Lexed& lexed, Layout& layout)
      : source_(source), tokens_(lexed.tokens), comments_(lexed.comments), layout_(layout) {}

  // Depth is bounded: the text has been parsed.
  void Run() { Block(layout_.top); }

 private:
  const Token& Here() const { return tokens_[at_]; }
  bool AtEnd() const { return Here().kind == TokenKind::kEnd; }

  // More than one line break directly before `offset`.
  bool BlankBefore(uint32_t offset) const {
    int breaks = 0;
    for (uint32_t i = offset; i > 0; --i) {
      const char c = source_[i - 1];
      if (c == '\n' && ++breaks == 2) return true;
      if (c != '\n' && c != ' ' && c != '\t' && c != '\r') break;
    }
    return false;
  }

  std::string_view Text(const Comment& c) const {
    return source_.substr(c.span.begin, c.span.end - c.span.begin);
  }

  // Takes the comments before the current token. Those behind code go to what they stand behind,
  // the others above the next line of the block.
  void TakeComments(LayoutBlock& block) {
    for (; comment_ < comments_.size() && comments_[comment_].next_token <= at_; ++comment_) {
      const Comment& c = comments_[comment_];
      LayoutLine* last = block.lines.empty() ? nullptr : &block.lines.back();
      if (!c.own_line && last == nullptr && pending_.empty()) {
        block.opening = Text(c);
      } else if (!c.own_line && last != nullptr && last->trailing.empty()) {
        last->trailing = Text(c);
      } else {
        pending_.push_back({Text(c), BlankBefore(c.span.begin)});
      }
    }
  }

  void Block(LayoutBlock& block) {
    while (true) {
      while (Here().text == ";") {
        TakeComments(block);
        ++at_;
      }
      TakeComments(block);
      if (AtEnd() || Here().text == "}") break;
      const bool same_line = !Here().line_break_before && !block.lines.empty();
      if (!same_line) {
        LayoutLine& line = block.lines.emplace_back();
        line.comments = std::move(pending_);
        pending_.clear();
        line.blank_before = BlankBefore(Here().span.begin);
      }
      LayoutStatement statement;
      Statement(statement, block);
      block.lines.back().statements.push_back(std::move(statement));
    }
    if (!pending_.empty()) {
      block.lines.emplace_back().comments = std::move(pending_);
      pending_.clear();
    }
  }

  // To the separator that ends it. Comments inside go above its line.
  void Statement(LayoutStatement& statement, LayoutBlock& block) {
    int depth = 0;
    const size_t first = at_;
    while (!AtEnd()) {
      const Token& token = Here();
      const bool closes = token.text == ")" || token.text == "]" || token.text == "}";
      if (depth == 0 && (token.text == ";" || closes || (token.separated && at_ != first))) return;
      HoistComments(block);
      statement.push_back({static_cast<uint32_t>(at_), nullptr});
      ++at_;
      if (token.block) {
        Nested(statement);
      } else if (token.text == "(" || token.text == "[" || token.text == "{") {
        ++depth;
      } else if (closes) {
        --depth;
      }
    }
  }

  void HoistComments(LayoutBlock& block) {
    for (; comment_ < comments_.size() && comments_[comment_].next_token <= at_; ++comment_) {
      const Comment& c = comments_[comment_];
      LayoutLine& line = block.lines.back();
      line.comments.push_back({Text(c), std::exchange(line.blank_before, false)});
    }
  }

  void Nested(LayoutStatement& statement) {
    LayoutBlock& inner = layout_.blocks.emplace_back();
    const size_t first = at_;
    const size_t comments = comment_;
    Block(inner);
    // Its `}` is a part of the statement, after the block.
    for (size_t i = first; i <= at_; ++i) {
      if (tokens_[i].line_break_before) inner.on_one_line = false;
    }
    inner.on_one_line = (inner.on_one_line || inner.lines.empty()) && comment_ == comments;
    statement.push_back({0, &inner});
    statement.push_back({static_cast<uint32_t>(at_), nullptr});
    ++at_;
  }

  std::string_view source_;
  const std::vector<Token>& tokens_;
  const std::vector<Comment>& comments_;
  Layout& layout_;
  size_t at_ = 0;
  size_t comment_ = 0;
  std::vector<OwnComment> pending_;
};

bool IsArithmetic(const Token& token) {
  if (token.kind != TokenKind::kPunct || token.unary) return false;
  for (std::string_view op : {"+", "-", "*", "/", "%", "<<", ">>", "&", "|", "^", "..", "..="}) {
    if (token.text == op) return true;
  }
  return false;
}

}  // namespace

void BuildLayout(std::string_view source, const Lexed& lexed, Layout& layout) {
  Builder(source, lexed, layout).Run();
}

bool SpaceAfter(const std::vector<Token>& tokens, uint32_t left) {
  const Token& a = tokens[left];
  const Token& b = tokens[left + 1];
  const auto either = [&](std::string_view text) { return a.text == text || b.text == text; };
  if (b.tight_left || a.unary || a.text == "(" || a.text == "[") return false;
  // Around arithmetic the author's blanks show precedence; both sides alike.
  if (IsArithmetic(b)) return b.space_before || tokens[left + 2].space_before;
  if (IsArithmetic(a)) return a.space_before || b.space_before;
  if (b.text == "," || b.text == ")" || b.text == "]") return false;
  if (either(".") || either("@") || either(":+")) return false;
  if (a.text == ",") return true;
  // Block braces are set by the printer; these hold a set of values.
  return !(b.text == ":" || a.text == "{" || b.text == "}");
}

}  // namespace compiler::text
