#include "tests/corpus/mutants.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <sstream>
#include <utility>

#include "server/pipeline/pipeline.h"

namespace tests {
namespace {

// `\n` stands for the end of a line.
std::string Lines(std::string text) {
  for (size_t at = text.find("\\n"); at != std::string::npos; at = text.find("\\n", at)) {
    text.replace(at, 2, "\n");
  }
  return text;
}

// The line of a place, without the spaces around it.
std::string LineAt(const std::string& source, size_t offset) {
  const size_t begin = offset == 0 ? 0 : source.rfind('\n', offset - 1) + 1;
  const std::string line = source.substr(begin, source.find('\n', offset) - begin);
  const size_t first = line.find_first_not_of(' ');
  return first == std::string::npos ? ""
                                    : line.substr(first, line.find_last_not_of(' ') + 1 - first);
}

}  // namespace

std::vector<Mutant> ReadMutants(const std::filesystem::path& list) {
  std::vector<Mutant> out;
  std::ifstream file(list);
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    Mutant mutant;
    std::istringstream words(line);
    words >> mutant.program >> mutant.code;
    const size_t first = line.find("@@"), second = line.find("@@", first + 2);
    const size_t third = second == std::string::npos ? second : line.find("@@", second + 2);
    const size_t fourth = third == std::string::npos ? third : line.find("@@", third + 2);
    if (fourth == std::string::npos) {
      ADD_FAILURE() << "not PROGRAM CODE @@TEXT@@INSTEAD@@AT@@: " << line;
      continue;
    }
    mutant.text = Lines(line.substr(first + 2, second - first - 2));
    mutant.instead = Lines(line.substr(second + 2, third - second - 2));
    mutant.at = line.substr(third + 2, fourth - third - 2);
    out.push_back(mutant);
  }
  return out;
}

void ExpectRefused(const Mutant& mutant, std::string source) {
  SCOPED_TRACE(mutant.program + ": " + mutant.text + " -> " + mutant.instead);
  const size_t at = source.find(mutant.text);
  ASSERT_NE(at, std::string::npos);
  source.replace(at, mutant.text.size(), mutant.instead);
  const server::pipeline::Candidate candidate(source, {.emit_cuda = false});
  ASSERT_TRUE(candidate.ok());
  const auto member = candidate.CheckMember(candidate.Bind({}).value());
  EXPECT_NE(member.verdict, server::pipeline::Verdict::kPassed);
  std::set<std::pair<std::string, std::string>> found;
  for (const auto& diagnostic : member.report.diagnostics()) {
    if (diagnostic.severity != compiler::diag::Severity::kError) continue;
    found.emplace(diagnostic.code, LineAt(source, diagnostic.primary.begin));
  }
  EXPECT_THAT(found, testing::Contains(std::pair(mutant.code, mutant.at)));
}

}  // namespace tests
