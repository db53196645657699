// compiler/instructions/ is generated: this test makes it again and compares. With
// CAKE_GOLDEN_UPDATE=1 it writes the pages.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>

#include "compiler/ops/table.h"

namespace compiler::ops {
namespace {

namespace fs = std::filesystem;

constexpr char kFolder[] = "compiler/instructions";

std::map<std::string, std::string> Pages() {
  std::map<std::string, std::string> pages{{"README.md", ManualIndex()}};
  for (const ir::OpDef& op : Table().ops()) {
    const auto [at, inserted] = pages.try_emplace(ManualFileName(op) + ".md", ManualPage(op));
    EXPECT_TRUE(inserted) << "two instructions share " << at->first;
  }
  return pages;
}

TEST(ManualTest, PagesAreWhatTheTableSays) {
  const std::map<std::string, std::string> pages = Pages();
  const char* update = std::getenv("CAKE_GOLDEN_UPDATE");
  if (update != nullptr && std::string_view(update) == "1") {
    fs::create_directories(kFolder);
    for (const auto& [name, text] : pages) {
      std::ofstream(fs::path(kFolder) / name, std::ios::binary) << text;
    }
  }
  for (const auto& [name, text] : pages) {
    std::ifstream in(fs::path(kFolder) / name, std::ios::binary);
    std::ostringstream found;
    found << in.rdbuf();
    EXPECT_EQ(found.str(), text) << name;
  }
  for (const auto& entry : fs::directory_iterator(kFolder)) {
    EXPECT_TRUE(pages.contains(entry.path().filename().string())) << entry.path();
  }
}

}  // namespace
}  // namespace compiler::ops
