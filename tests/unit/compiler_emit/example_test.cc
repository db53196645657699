// Walks the instruction table: every example parses, elaborates and is emitted as its golden text.
// With CAKE_GOLDEN_UPDATE=1 the golden texts are rewritten; the diff is then what a person reads.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "compiler/ops/table.h"
#include "tests/unit/compiler_emit/emit_support.h"
#include "tests/unit/compiler_emit/nvrtc_support.h"

namespace compiler::emit {
namespace {

std::vector<const ir::OpDef*> AvailableEntries() {
  std::vector<const ir::OpDef*> entries;
  for (const ir::OpDef& op : ops::Table().ops()) {
    if (op.Available()) entries.push_back(&op);
  }
  return entries;
}

class ExampleTest : public testing::TestWithParam<const ir::OpDef*> {};

TEST_P(ExampleTest, IsEmittedAsItsGolden) {
  const Emitted emitted = EmitText(GetParam()->example);
  ASSERT_NE(emitted.program, nullptr);
  // The hash is not what the golden is about.
  const std::string cuda =
      Emit(*emitted.program, emitted.facts, std::string(64, '0'), "example.cake").cuda;
  const std::filesystem::path path =
      "tests/golden/emit/" + ops::ManualFileName(*GetParam()) + ".cu";
  const char* update = std::getenv("CAKE_GOLDEN_UPDATE");
  if (update != nullptr && std::string_view(update) == "1") {
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << cuda;
    return;
  }
  std::ifstream in(path, std::ios::binary);
  ASSERT_TRUE(in.good()) << path;
  std::ostringstream golden;
  golden << in.rdbuf();
  EXPECT_EQ(cuda, golden.str());
}

TEST_P(ExampleTest, CompilesWithoutSpillsOrStack) {
  if (!RealNvrtc().available()) GTEST_SKIP() << "no NVRTC 13 in /usr/local/cuda/lib64";
  const Emitted emitted = EmitText(GetParam()->example);
  ASSERT_NE(emitted.program, nullptr);
  for (const char* arch : {"sm_80", "sm_90a"}) {
    const Compiled compiled =
        RealNvrtc().Compile(emitted.source.cuda, emitted.source.options, arch);
    ASSERT_EQ(compiled.status, 0) << compiled.log << emitted.source.cuda;
    EXPECT_GT(compiled.cubin_bytes, 0u);
    EXPECT_NE(compiled.log.find("0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads"),
              std::string::npos)
        << compiled.log << emitted.source.cuda;
    EXPECT_EQ(compiled.log.find("warning"), std::string::npos) << compiled.log;
    EXPECT_NE(compiled.ptx.find("cake_program_id"), std::string::npos);
  }
}

INSTANTIATE_TEST_SUITE_P(Table, ExampleTest, testing::ValuesIn(AvailableEntries()),
                         [](const testing::TestParamInfo<const ir::OpDef*>& info) {
                           return ops::ManualFileName(*info.param);
                         });

}  // namespace
}  // namespace compiler::emit
