// The programs of the corpus: every member of each family is emitted, and the defaults compile
// without spills for the oldest and the newest architecture that has them.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/unit/compiler_emit/emit_support.h"
#include "tests/unit/compiler_emit/nvrtc_support.h"

namespace compiler::emit {
namespace {

std::vector<std::string> CorpusPrograms() { return {"vector_add", "rmsnorm"}; }

std::string ReadProgram(const std::string& name) {
  std::ifstream in("tests/corpus/" + name + "/" + name + ".cake", std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

class CorpusTest : public testing::TestWithParam<std::string> {};

TEST_P(CorpusTest, DefaultsCompileWithoutSpillsOrStack) {
  if (!RealNvrtc().available()) GTEST_SKIP() << "no NVRTC 13 in /usr/local/cuda/lib64";
  const Emitted emitted = EmitText(ReadProgram(GetParam()));
  ASSERT_NE(emitted.program, nullptr);
  for (const char* arch : {"sm_80", "sm_90a"}) {
    const Compiled compiled =
        RealNvrtc().Compile(emitted.source.cuda, emitted.source.options, arch);
    ASSERT_EQ(compiled.status, 0) << compiled.log << emitted.source.cuda;
    EXPECT_NE(compiled.log.find("0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads"),
              std::string::npos)
        << compiled.log;
    EXPECT_EQ(compiled.log.find("warning"), std::string::npos) << compiled.log;
  }
}

// Members that the facts refuse (a load of 32 bytes) are not emitted; at least one is.
TEST_P(CorpusTest, EveryMemberIsEmitted) {
  const std::string source = ReadProgram(GetParam());
  diag::Report parse_report;
  const auto file = text::Parse(source, ops::Table(), parse_report);
  ASSERT_FALSE(parse_report.has_errors()) << Describe(parse_report);
  const text::Program& parsed = *file->programs[0];
  const auto params = sema::Params(parsed, parse_report);
  const auto device = arch::Find("sm_90a");
  ASSERT_TRUE(device.ok());
  int emitted = 0;
  for (int64_t i = 0; i < sema::FamilySize(params); ++i) {
    diag::Report report;
    const auto program =
        sema::Elaborate(*file, parsed, sema::FamilyMember(params, i), ops::Table(), report);
    if (program == nullptr) continue;
    const facts::Facts facts = facts::Derive(*program, **device, report);
    if (report.has_errors()) continue;
    const Source text = Emit(*program, facts, std::string(64, '0'), "corpus.cake");
    EXPECT_EQ(text.kernels.size(), program->kernels.size());
    ++emitted;
  }
  EXPECT_GT(emitted, 0);
}

INSTANTIATE_TEST_SUITE_P(All, CorpusTest, testing::ValuesIn(CorpusPrograms()),
                         [](const testing::TestParamInfo<std::string>& info) {
                           return info.param;
                         });

}  // namespace
}  // namespace compiler::emit
