// No text makes elaboration crash, hang or answer twice differently: damaged programs, at token
// level so that most of them parse and reach the checks behind the parser.
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "tests/unit/compiler_sema/check.h"

namespace compiler::sema {
namespace {

std::vector<std::string> Words(const std::string& source) {
  std::vector<std::string> words;
  for (size_t i = 0; i < source.size();) {
    size_t end = i + 1;
    if (std::isalnum(static_cast<unsigned char>(source[i])) != 0 || source[i] == '_') {
      while (end < source.size() && (std::isalnum(static_cast<unsigned char>(source[end])) != 0 ||
                                     source[end] == '_' || source[end] == '.')) {
        ++end;
      }
    }
    words.push_back(source.substr(i, end - i));
    i = end;
  }
  return words;
}

std::string Damage(std::vector<std::string> words, std::mt19937_64& random) {
  const auto any = [&] { return static_cast<size_t>(random() % words.size()); };
  const int changes = 1 + static_cast<int>(random() % 6);
  for (int i = 0; i < changes; ++i) {
    const size_t at = any();
    switch (random() % 4) {
      case 0: words[at] = ""; break;
      case 1: words[at] = words[any()]; break;
      case 2: std::swap(words[at], words[any()]); break;
      default: words[at] += words[any()]; break;
    }
  }
  std::string text;
  for (const std::string& word : words) text += word;
  return text;
}

std::string Codes(const Checked& checked) {
  std::string text;
  for (const diag::Diagnostic& d : checked.report.diagnostics()) {
    text += std::string(d.code) + "@" + std::to_string(d.primary.begin) + " " + d.message + "\n";
  }
  return text;
}

void RunDamaged(const std::string& source, uint64_t seed, int rounds) {
  std::mt19937_64 random(seed);
  const std::vector<std::string> words = Words(source);
  for (int round = 0; round < rounds; ++round) {
    const std::string text = Damage(words, random);
    SCOPED_TRACE("seed " + std::to_string(seed) + " round " + std::to_string(round));
    for (size_t program = 0; program < 7; ++program) {
      const Checked checked = Check(text, {}, program);
      if (checked.file->programs.size() <= program) break;
      EXPECT_EQ(checked.program == nullptr, checked.report.has_errors());
      for (const diag::Diagnostic& d : checked.report.diagnostics()) {
        EXPECT_NE(d.code, "CK1112") << text;  // something was dropped without a finding of its own
        EXPECT_LE(d.primary.end, text.size()) << d.code;
        EXPECT_LE(d.primary.begin, d.primary.end) << d.code;
        for (const diag::Label& label : d.labels) EXPECT_LE(label.span.end, text.size());
      }
      if (round % 16 == 0) {
        EXPECT_EQ(Codes(checked), Codes(Check(text, {}, program)));
      }
    }
  }
}

TEST(AnyTree, DamagedCorpusPrograms) {
  RunDamaged(ReadFile("tests/corpus/rmsnorm/rmsnorm.cake"), 1, 800);
  RunDamaged(ReadFile("tests/corpus/vector_add/vector_add.cake"), 2, 500);
}

TEST(AnyTree, DamagedDesignPrograms) {
  RunDamaged(ReadFile("tests/corpus/language/kernels.cake"), 3, 60);
}

// Every construct of the subset in one program, so that damage reaches all of them.
TEST(AnyTree, DamagedLanguage) {
  RunDamaged(ReadFile("tests/golden/check/elaborate_language.cake"), 4, 1200);
}

}  // namespace
}  // namespace compiler::sema
