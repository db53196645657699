// What the check of each program takes, counted: the machine's runs and what they execute, the
// eliminations of the proofs and the rows they make. The figures are those of every machine, so
// that a change that makes checks slower is seen where no clock can be trusted (work.txt).
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "server/pipeline/pipeline.h"

namespace tests {
namespace {

namespace fs = std::filesystem;

constexpr const char* kRecord = "tests/corpus/work.txt";
constexpr const char* kHead =
    "# PROGRAM RUNS CTAS LANE_STATEMENTS ELIMINATIONS ROWS: what a check of the default member "
    "takes.\n"
    "# No figure may be a quarter larger. CAKE_GOLDEN_UPDATE=1 records anew: look at the "
    "difference.\n";
constexpr int64_t kPercentMore = 25;

using Figures = std::vector<int64_t>;

std::map<std::string, Figures> Recorded() {
  std::map<std::string, Figures> all;
  std::ifstream file(kRecord);
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::istringstream words(line);
    std::string program;
    words >> program;
    for (int64_t figure = 0; words >> figure;) all[program].push_back(figure);
  }
  return all;
}

std::map<std::string, Figures> Counted() {
  std::map<std::string, Figures> all;
  for (const auto& at : fs::recursive_directory_iterator("tests/corpus")) {
    const bool page = at.path().parent_path().filename() == "language";
    if (at.path().extension() != ".cake" || page) continue;
    std::ifstream file(at.path(), std::ios::binary);
    std::stringstream text;
    text << file.rdbuf();
    server::pipeline::Options options;
    options.emit_cuda = false;
    const server::pipeline::Candidate candidate(text.str(), options);
    const verifier::Work work = candidate.CheckMember(candidate.Bind({}).value()).work;
    all[at.path().stem().string()] = {work.runs, work.ctas, work.lane_statements, work.eliminations,
                                      work.rows};
  }
  return all;
}

void Record(const std::map<std::string, Figures>& counted) {
  std::ofstream file(kRecord);
  file << kHead;
  for (const auto& [program, figures] : counted) {
    file << program;
    for (const int64_t figure : figures) file << ' ' << figure;
    file << '\n';
  }
}

TEST(Work, OfACheckIsNoMoreThanRecorded) {
  const std::map<std::string, Figures> counted = Counted();
  if (std::getenv("CAKE_GOLDEN_UPDATE") != nullptr) Record(counted);
  const std::map<std::string, Figures> recorded = Recorded();
  constexpr const char* kNames[] = {"runs", "CTAs", "lane statements", "eliminations", "rows"};
  for (const auto& [program, figures] : counted) {
    const auto bound = recorded.find(program);
    if (bound == recorded.end()) continue;  // has no bound yet
    ASSERT_EQ(bound->second.size(), figures.size()) << program;
    EXPECT_GT(figures[0], 0) << program << " has not run";
    for (size_t i = 0; i < figures.size(); ++i) {
      const int64_t most = bound->second[i] + bound->second[i] * kPercentMore / 100;
      EXPECT_LE(figures[i], most) << program << ": " << kNames[i];
    }
  }
}

}  // namespace
}  // namespace tests
