// Differences of texts: the hunks rebuild both sides, with as few edits as there can be.
#include "server/core/text_diff.h"

#include <random>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "gtest/gtest.h"

namespace server::core {
namespace {

// "-b" and "+x" and " a", one a line.
std::string Text(const TextDiff& diff) {
  std::string out;
  for (const DiffHunk& hunk : diff.hunks) {
    for (const DiffLine& line : hunk) {
      const char mark = line.kind == DiffKind::kAdded     ? '+'
                        : line.kind == DiffKind::kRemoved ? '-'
                                                          : ' ';
      absl::StrAppend(&out, std::string(1, mark), line.text, "\n");
    }
  }
  return out;
}

TEST(TextDiff, ShowsWhatChangedWithItsContext) {
  const TextDiff diff = DiffTexts("a\nb\nc\nd\ne\nf\ng\n", "a\nb\nX\nd\ne\nf\ng\nh\n", 1);
  EXPECT_EQ(Text(diff), " b\n-c\n+X\n d\n g\n+h\n");
  ASSERT_EQ(diff.hunks.size(), 2u);
  EXPECT_EQ(diff.hunks[0][1], (DiffLine{DiffKind::kRemoved, 3, 0, "c"}));
  EXPECT_EQ(diff.hunks[0][2], (DiffLine{DiffKind::kAdded, 0, 3, "X"}));
  EXPECT_EQ(diff.hunks[1][1], (DiffLine{DiffKind::kAdded, 0, 8, "h"}));
}

TEST(TextDiff, ChangesWhoseContextMeetsAreOneHunk) {
  EXPECT_EQ(DiffTexts("a\nb\nc\nd\n", "A\nb\nc\nD\n", 1).hunks.size(), 1u);
  EXPECT_EQ(DiffTexts("a\nb\nc\nd\n", "A\nb\nc\nD\n", 0).hunks.size(), 2u);
}

TEST(TextDiff, OfEqualAndOfEmptyTexts) {
  EXPECT_TRUE(DiffTexts("a\nb", "a\nb", 3).hunks.empty());
  EXPECT_TRUE(DiffTexts("", "", 3).hunks.empty());
  EXPECT_EQ(Text(DiffTexts("", "a\nb\n", 3)), "+a\n+b\n");
  EXPECT_EQ(Text(DiffTexts("a\nb\n", "", 3)), "-a\n-b\n");
  // A line break at the end is no line of its own.
  EXPECT_TRUE(DiffTexts("a\n", "a", 3).hunks.empty());
}

TEST(TextDiff, TooManyEditsAreSaidToBeTooMany) {
  std::string from, to;
  for (int64_t i = 0; i < kDiffEditsMax; ++i) {
    absl::StrAppend(&from, "from ", i, "\n");
    absl::StrAppend(&to, "to ", i, "\n");
  }
  const TextDiff diff = DiffTexts(from, to, 3);
  EXPECT_TRUE(diff.too_different);
  EXPECT_TRUE(diff.hunks.empty());
  EXPECT_EQ(diff.from_lines, kDiffEditsMax);
}

// The longest common subsequence by its definition.
size_t CommonLines(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  std::vector<std::vector<size_t>> best(a.size() + 1, std::vector<size_t>(b.size() + 1));
  for (size_t i = 1; i <= a.size(); ++i) {
    for (size_t j = 1; j <= b.size(); ++j) {
      best[i][j] = a[i - 1] == b[j - 1] ? best[i - 1][j - 1] + 1
                                        : std::max(best[i - 1][j], best[i][j - 1]);
    }
  }
  return best[a.size()][b.size()];
}

TEST(TextDiff, RebuildsBothSidesWithTheFewestEdits) {
  std::mt19937 random(7);
  for (int round = 0; round < 300; ++round) {
    std::vector<std::string> a(random() % 30), b(random() % 30);
    for (std::string& line : a) line = std::string(1, static_cast<char>('a' + random() % 4));
    for (std::string& line : b) line = std::string(1, static_cast<char>('a' + random() % 4));
    const TextDiff diff =
        DiffTexts(absl::StrJoin(a, "\n"), absl::StrJoin(b, "\n"), kDiffEditsMax);
    std::vector<std::string> from, to;
    size_t edits = 0;
    for (const DiffHunk& hunk : diff.hunks) {
      for (const DiffLine& line : hunk) {
        if (line.kind != DiffKind::kAdded) from.push_back(line.text);
        if (line.kind != DiffKind::kRemoved) to.push_back(line.text);
        edits += line.kind != DiffKind::kSame ? 1 : 0;
      }
    }
    if (!diff.hunks.empty()) {
      EXPECT_EQ(from, a) << round;
      EXPECT_EQ(to, b) << round;
    } else {
      EXPECT_EQ(a, b) << round;
    }
    EXPECT_EQ(edits, a.size() + b.size() - 2 * CommonLines(a, b)) << round;
  }
}

}  // namespace
}  // namespace server::core
