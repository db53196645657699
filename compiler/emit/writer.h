// Indented lines of emitted code.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace compiler::emit {

class Writer {
 public:
  void Line(std::string_view text) {
    if (!text.empty()) text_.append(static_cast<size_t>(depth_) * 2, ' ').append(text);
    text_ += '\n';
  }
  void Directive(std::string_view text) { text_.append(text).append("\n"); }
  void Indent() { ++depth_; }
  void Outdent() { --depth_; }
  void Open(std::string_view text) {
    Line(text);
    ++depth_;
  }
  void Close(std::string_view text = "}") {
    --depth_;
    Line(text);
  }
  // `} else {` and the like.
  void Middle(std::string_view text) {
    --depth_;
    Line(text);
    ++depth_;
  }
  // Inserts finished lines.
  void Append(const Writer& other) { text_ += other.text_; }
  Writer Nested() const {
    Writer nested;
    nested.depth_ = depth_;
    return nested;
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
  int depth_ = 0;
};

// From byte offsets to line numbers, counted from 1.
class LineTable {
 public:
  explicit LineTable(std::string_view source) {
    for (size_t i = 0; i < source.size(); ++i) {
      if (source[i] == '\n') ends_.push_back(static_cast<uint32_t>(i));
    }
  }
  int64_t LineOf(uint32_t offset) const {
    return std::lower_bound(ends_.begin(), ends_.end(), offset) - ends_.begin() + 1;
  }

 private:
  std::vector<uint32_t> ends_;
};

}  // namespace compiler::emit
