// Differences of two texts, line by line.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace server::core {

// Lines removed plus lines added; what differs more is said to be too different.
inline constexpr int64_t kDiffEditsMax = 1500;

enum class DiffKind : uint8_t { kSame, kRemoved, kAdded };

struct DiffLine {
  DiffKind kind = DiffKind::kSame;
  int64_t from_line = 0, to_line = 0;  // 1-based; 0: the line is not on that side
  std::string text;                    // without its line break
  bool operator==(const DiffLine&) const = default;
};

using DiffHunk = std::vector<DiffLine>;

struct TextDiff {
  std::vector<DiffHunk> hunks;  // in order; empty for equal texts
  int64_t from_lines = 0, to_lines = 0;
  bool too_different = false;  // more than kDiffEditsMax edits: no hunks
};

// The fewest edits that make `to` of `from`; each hunk has `context` equal lines on both sides.
TextDiff DiffTexts(std::string_view from, std::string_view to, int64_t context);

}  // namespace server::core
