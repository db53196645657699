#include "server/core/text_diff.h"

#include <algorithm>

namespace server::core {
namespace {

std::vector<std::string_view> Lines(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    lines.push_back(text.substr(0, end));
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  return lines;
}

// Myers' greedy search: `reach[d][k + d]` is how far in `a` a path of d edits gets on diagonal k.
class Search {
 public:
  Search(const std::vector<std::string_view>& a, const std::vector<std::string_view>& b)
      : a_(a), b_(b) {}

  // False when more than kDiffEditsMax edits are needed.
  bool Run() {
    const auto n = static_cast<int64_t>(a_.size()), m = static_cast<int64_t>(b_.size());
    for (int64_t d = 0; d <= kDiffEditsMax; ++d) {
      std::vector<int64_t>& now = reach_.emplace_back(2 * d + 1);
      for (int64_t k = -d; k <= d; k += 2) {
        int64_t x = d == 0 ? 0 : StepTo(d, k);
        int64_t y = x - k;
        while (x < n && y < m && a_[x] == b_[y]) ++x, ++y;
        now[k + d] = x;
        if (x >= n && y >= m) return true;
      }
    }
    return false;
  }

  std::vector<DiffLine> Path() const {
    std::vector<DiffLine> back;
    auto x = static_cast<int64_t>(a_.size()), y = static_cast<int64_t>(b_.size());
    for (auto d = static_cast<int64_t>(reach_.size()) - 1; d >= 0; --d) {
      const int64_t k = x - y;
      const int64_t start = d == 0 ? 0 : StepTo(d, k);
      while (x > start && y > start - k) {
        --x, --y;
        back.push_back({DiffKind::kSame, x + 1, y + 1, std::string(a_[x])});
      }
      if (d == 0) break;
      if (CameDown(d, k))
        --y, back.push_back({DiffKind::kAdded, 0, y + 1, std::string(b_[y])});
      else
        --x, back.push_back({DiffKind::kRemoved, x + 1, 0, std::string(a_[x])});
    }
    std::reverse(back.begin(), back.end());
    return back;
  }

 private:
  int64_t Reach(int64_t d, int64_t k) const {
    return k < -d || k > d ? -1 : reach_[static_cast<size_t>(d)][static_cast<size_t>(k + d)];
  }
  // Whether the d-th edit that ends on diagonal k adds a line of b.
  bool CameDown(int64_t d, int64_t k) const {
    return k == -d || (k != d && Reach(d - 1, k - 1) < Reach(d - 1, k + 1));
  }
  int64_t StepTo(int64_t d, int64_t k) const {
    return CameDown(d, k) ? Reach(d - 1, k + 1) : Reach(d - 1, k - 1) + 1;
  }

  const std::vector<std::string_view>& a_;
  const std::vector<std::string_view>& b_;
  std::vector<std::vector<int64_t>> reach_;
};

std::vector<DiffHunk> Hunks(const std::vector<DiffLine>& lines, int64_t context) {
  const auto size = static_cast<int64_t>(lines.size());
  std::vector<DiffHunk> hunks;
  int64_t end = 0;  // of the last hunk
  for (int64_t i = 0; i < size; ++i) {
    if (lines[i].kind == DiffKind::kSame) continue;
    const int64_t from = std::max(end, i - context);
    const int64_t to = std::min(size, i + context + 1);
    if (hunks.empty() || from > end) hunks.emplace_back();
    const int64_t first = hunks.back().empty() ? from : end;
    for (int64_t j = first; j < to; ++j) hunks.back().push_back(lines[j]);
    end = std::max(end, to);
  }
  return hunks;
}

}  // namespace

TextDiff DiffTexts(std::string_view from, std::string_view to, int64_t context) {
  const auto a = Lines(from), b = Lines(to);
  TextDiff diff;
  diff.from_lines = static_cast<int64_t>(a.size());
  diff.to_lines = static_cast<int64_t>(b.size());
  Search search(a, b);
  diff.too_different = !search.Run();
  if (!diff.too_different) diff.hunks = Hunks(search.Path(), context);
  return diff;
}

}  // namespace server::core
