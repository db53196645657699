// Runs every tests/golden/**/*.cake. A file is a source, the line kMarker and the expected text as
// comments; its first line `// mode: NAME` picks what is done with the source. With
// CAKE_GOLDEN_UPDATE=1 the expectations are rewritten; the diff is then what a person reads.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "tests/golden/modes.h"

namespace golden {
namespace {

namespace fs = std::filesystem;

constexpr char kRoot[] = "tests/golden";
constexpr std::string_view kMarker = "//--- expected\n";
constexpr std::string_view kModeLine = "// mode: ";

std::string ReadFile(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

std::vector<std::string> GoldenFiles() {
  std::vector<std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(kRoot)) {
    if (entry.path().extension() == ".cake") files.push_back(entry.path().string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

// The two halves of a file; the source keeps its last line break.
struct Golden {
  std::string source, expected;
};

Golden Split(const std::string& text) {
  const size_t at = ("\n" + text).find("\n" + std::string(kMarker));
  if (at == std::string::npos) return {text, ""};
  return {text.substr(0, at), text.substr(at + kMarker.size())};
}

std::string AsComments(const std::string& text) {
  std::string out;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    out += line.empty() ? "//\n" : "// " + line + "\n";
  }
  return out;
}

const Mode* ModeOf(const std::string& source) {
  if (source.rfind(kModeLine, 0) != 0) return nullptr;
  const size_t end = source.find('\n');
  const std::string name = source.substr(kModeLine.size(), end - kModeLine.size());
  for (const Mode& mode : Modes()) {
    if (mode.name == name) return &mode;
  }
  return nullptr;
}

class GoldenTest : public testing::TestWithParam<std::string> {};

TEST_P(GoldenTest, GivesItsExpectation) {
  const fs::path path = GetParam();
  const Golden golden = Split(ReadFile(path));
  const Mode* mode = ModeOf(golden.source);
  ASSERT_NE(mode, nullptr) << "the first line must be `// mode: NAME` with a listed mode";
  const Outcome outcome = mode->run(path.filename().string(), golden.source);
  EXPECT_EQ(outcome.failed, path.filename().string().rfind("fail_", 0) == 0)
      << "a file's name begins `fail_` if and only if it has errors\n"
      << outcome.text;
  const std::string actual = AsComments(outcome.text);
  const char* update = std::getenv("CAKE_GOLDEN_UPDATE");
  if (update != nullptr && std::string_view(update) == "1") {
    std::ofstream(path, std::ios::binary) << golden.source << kMarker << actual;
    return;
  }
  EXPECT_EQ(actual, golden.expected);
}

std::string TestName(const testing::TestParamInfo<std::string>& info) {
  std::string name = fs::path(info.param).lexically_relative(kRoot).replace_extension().string();
  std::replace_if(
      name.begin(), name.end(), [](unsigned char c) { return !std::isalnum(c); }, '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(All, GoldenTest, testing::ValuesIn(GoldenFiles()), TestName);

// The codes that begin with `range` and stand between two texts.
std::set<std::string> CodesBetween(const std::string& text, const std::string& before,
                                   const std::string& range, const std::string& after) {
  constexpr size_t kCodeBytes = 6;
  std::set<std::string> codes;
  const std::string start = before + range;
  for (size_t at = text.find(start); at != std::string::npos; at = text.find(start, at + 1)) {
    const size_t end = at + before.size() + kCodeBytes;
    if (text.compare(end, after.size(), after) == 0) {
      codes.insert(text.substr(at + before.size(), kCodeBytes));
    }
  }
  return codes;
}

// Folders whose diagnostics of a range must each be shown by a golden.
struct Covered {
  const char* folder;
  const char* range;
};
constexpr Covered kCovered[] = {
    {"compiler/text", "CK0"},
};

TEST(GoldenCoverageTest, EveryDeclaredCodeHasAGolden) {
  std::set<std::string> shown;
  for (const std::string& file : GoldenFiles()) {
    shown.merge(CodesBetween(Split(ReadFile(file)).expected, "[", "CK", "]"));
  }
  for (const Covered& covered : kCovered) {
    std::set<std::string> declared;
    for (const auto& entry : fs::directory_iterator(covered.folder)) {
      if (!entry.is_regular_file()) continue;
      declared.merge(CodesBetween(ReadFile(entry.path()), "\"", covered.range, "\", Severity"));
    }
    EXPECT_FALSE(declared.empty()) << covered.folder;
    for (const std::string& code : declared) {
      EXPECT_TRUE(shown.count(code) != 0) << code << " of " << covered.folder << " has no golden";
    }
  }
}

TEST(GoldenFormatTest, SplitKeepsTheSourceByteForByte) {
  const Golden golden = Split("// mode: x\nlet\n//--- expected\n// a\n");
  EXPECT_EQ(golden.source, "// mode: x\nlet\n");
  EXPECT_EQ(golden.expected, "// a\n");
  EXPECT_EQ(Split("no marker\n").source, "no marker\n");
  EXPECT_EQ(ModeOf("// mode: nothing\n"), nullptr);
  EXPECT_EQ(ModeOf("mode: parse\n"), nullptr);
}

}  // namespace
}  // namespace golden
