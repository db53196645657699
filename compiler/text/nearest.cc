#include <algorithm>
#include <array>
#include <vector>

#include "compiler/text/parse.h"

namespace compiler::text {
namespace {

// Longer words are no misspelling of a word of the language.
constexpr size_t kMaxWordBytes = 40;

char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

// Edits between two words: insert, delete, replace, or swap of two neighbours, case ignored.
size_t Distance(std::string_view a, std::string_view b) {
  using Row = std::array<size_t, kMaxWordBytes + 1>;
  Row before{}, last{}, row{};
  for (size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const char x = Lower(a[i - 1]), y = Lower(b[j - 1]);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (x == y ? 0 : 1)});
      const bool swapped = i > 1 && j > 1 && x == Lower(b[j - 2]) && Lower(a[i - 2]) == y && x != y;
      if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before = last;
    last = row;
  }
  return last[b.size()];
}

}  // namespace

std::string Nearest(std::string_view word, const std::vector<std::string_view>& known) {
  if (word.empty() || word.size() > kMaxWordBytes) return "";
  // A short word has many neighbours: one edit in three letters is as much as is believable.
  size_t best = word.size() <= 2 ? 1 : word.size() <= 4 ? 2 : 3;
  best = std::min(best, (word.size() + 2) / 3) + 1;
  std::string_view nearest;
  for (std::string_view candidate : known) {
    if (candidate.size() > kMaxWordBytes) continue;
    const size_t gap = candidate.size() > word.size() ? candidate.size() - word.size()
                                                      : word.size() - candidate.size();
    if (gap >= best) continue;
    const size_t distance = Distance(word, candidate);
    if (distance < best) {
      best = distance;
      nearest = candidate;
    }
  }
  return std::string(nearest);
}

}  // namespace compiler::text
