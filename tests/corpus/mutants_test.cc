// Programs of the corpus without one of the things that keep them right (mutants.txt): the gates
// must refuse each, and say why.
#include "tests/corpus/mutants.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace tests {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kFolder = "tests/corpus";

// "" if there is no such program.
std::string SourceOf(const std::string& program) {
  for (const auto& at : fs::recursive_directory_iterator(kFolder)) {
    if (at.path().filename() != program + ".cake") continue;
    std::ifstream file(at.path(), std::ios::binary);
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
  }
  return "";
}

TEST(Mutants, AreRefusedWithTheirCodeAtTheirLine) {
  const std::vector<Mutant> mutants = ReadMutants(fs::path(kFolder) / "mutants.txt");
  EXPECT_GE(mutants.size(), 120u);
  for (const Mutant& mutant : mutants) ExpectRefused(mutant, SourceOf(mutant.program));
}

}  // namespace
}  // namespace tests
