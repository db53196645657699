#include "runner/evidence/tools.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

namespace runner::evidence {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class Tools : public ::testing::Test {
 protected:
  Tools() {
    std::string pattern = (fs::temp_directory_path() / "cake-tools-XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
  }
  ~Tools() override { fs::remove_all(folder_); }
  void Write(const std::string& name, const std::string& script) {
    std::ofstream(folder_ + "/" + name) << "#!/bin/sh\n" << script;
    chmod((folder_ + "/" + name).c_str(), 0755);
  }
  std::string folder_;
};

TEST_F(Tools, AreFoundWhereTheyAre) {
  Write("cake-nowhere-else", "exit 0\n");
  EXPECT_EQ(FindTool("cake-nowhere-else", {folder_}), folder_ + "/cake-nowhere-else");
  EXPECT_EQ(FindTool("cake-nowhere-else"), "");
  EXPECT_THAT(ToolFolders(), HasSubstr("$PATH"));
}

TEST_F(Tools, GiveWhatTheyWrite) {
  Write("t", "echo out $1; echo err >&2\n");
  const auto text = RunTool({folder_ + "/t", "a b"}, 10'000);
  ASSERT_TRUE(text.ok()) << text.status();
  EXPECT_EQ(*text, "out a b\nerr\n");
}

TEST_F(Tools, ThatFailSayWhy) {
  Write("t", "echo no permission; exit 3\n");
  EXPECT_THAT(RunTool({folder_ + "/t"}, 10'000).status().message(), HasSubstr("no permission"));
  Write("slow", "sleep 60\n");
  EXPECT_EQ(RunTool({folder_ + "/slow"}, 50).status().code(), absl::StatusCode::kUnavailable);
  EXPECT_FALSE(RunTool({folder_ + "/absent"}, 10'000).ok());
}

TEST_F(Tools, DisassembleWithWhatIsThere) {
  Write("cuobjdump", "[ \"$1\" = -sass ] && echo \"Function : f\" && cat \"$2\"\n");
  const auto listing = Disassemble("the cubin\n", {folder_});
  ASSERT_TRUE(listing.ok()) << listing.status();
  EXPECT_EQ(*listing, "Function : f\nthe cubin\n");
}

}  // namespace
}  // namespace runner::evidence
