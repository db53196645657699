#include "runner/oracle/hidden.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

namespace runner::oracle {
namespace {

std::vector<std::string> Contracts() {
  std::vector<std::string> out;
  for (const auto& at : std::filesystem::recursive_directory_iterator("tests/corpus")) {
    if (at.path().string().ends_with(".workload.textproto")) out.push_back(at.path().string());
  }
  return out;
}

contract::Workload Read(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return contract::ParseTextproto(text.str()).value();
}

// Of every contract here the drawn sizes are new, inside what its own cases span, and as sound.
TEST(Hidden, SizesAreNewAndSound) {
  const auto paths = Contracts();
  ASSERT_GT(paths.size(), 20u);
  int drawn = 0;
  for (const std::string& path : paths) {
    SCOPED_TRACE(path);
    contract::Workload workload = Read(path);
    const auto hidden = HiddenCases(workload, 5, 3);
    std::set<std::map<std::string, int64_t>> dims;
    for (const auto& at : workload.cases) dims.insert(at.dims);
    for (const auto& at : hidden) {
      ++drawn;
      EXPECT_TRUE(at.name.starts_with(kHiddenPrefix)) << at.name;
      EXPECT_EQ(at.tier, contract::Tier::kMachine);
      EXPECT_EQ(at.weight, 0);
      EXPECT_TRUE(dims.insert(at.dims).second) << at.name;
      for (const auto& dim : workload.dims) {
        int64_t high = 0;
        for (const auto& known : workload.cases) {
          if (known.tier == contract::Tier::kMachine)
            high = std::max(high, known.dims.at(dim.name));
        }
        EXPECT_LE(at.dims.at(dim.name), high) << at.name;
      }
    }
    workload.cases.insert(workload.cases.end(), hidden.begin(), hidden.end());
    EXPECT_TRUE(contract::Lint(workload).empty()) << contract::Lint(workload).front();
  }
  EXPECT_GT(drawn, 2 * static_cast<int>(paths.size()));
}

TEST(Hidden, SizesFollowTheSeed) {
  const contract::Workload workload = Read("tests/corpus/rmsnorm/rmsnorm.workload.textproto");
  const auto names = [&](uint64_t seed) {
    std::vector<std::string> out;
    for (const auto& at : HiddenCases(workload, seed, 4)) out.push_back(at.name);
    return out;
  };
  EXPECT_EQ(names(1), names(1));
  EXPECT_NE(names(1), names(2));
  EXPECT_TRUE(HiddenCases(workload, 1, 0).empty());
}

}  // namespace
}  // namespace runner::oracle
