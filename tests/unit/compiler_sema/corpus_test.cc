#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/compiler_sema/check.h"

namespace compiler::sema {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(Corpus, VectorAddElaborates) {
  const Checked checked = Check(ReadFile("tests/corpus/vector_add/vector_add.cake"));
  ASSERT_NE(checked.program, nullptr) << checked.Text();
  EXPECT_EQ(checked.program->kernels.size(), 1U);
}

TEST(Corpus, RmsNormElaborates) {
  const Checked checked = Check(ReadFile("tests/corpus/rmsnorm/rmsnorm.cake"));
  ASSERT_NE(checked.program, nullptr) << checked.Text();
  EXPECT_EQ(checked.program->kernels[0].shared.size(), 1U);
}

// Every member of both families ends in a program, or in the one finding its params are there for.
TEST(Corpus, EveryMemberIsLegalOrTooWide) {
  for (const std::string name : {"vector_add", "rmsnorm"}) {
    const std::string source = ReadFile("tests/corpus/" + name + "/" + name + ".cake");
    diag::Report report;
    const auto file = text::Parse(source, ops::Table(), report);
    ASSERT_FALSE(report.has_errors());
    const auto params = Params(*file->programs[0], report);
    const int64_t widest = name == "rmsnorm" ? 16 : 8;
    for (int64_t i = 0; i < FamilySize(params); ++i) {
      const Binding binding = FamilyMember(params, i);
      const Checked checked = Check(source, binding);
      const bool legal = binding.at("V") != widest;
      EXPECT_EQ(checked.program != nullptr, legal) << name << " member " << i << checked.Text();
      for (const std::string& code : checked.Codes()) EXPECT_EQ(code, "CK1037") << checked.Text();
    }
  }
}

// The seven programs of the design use the whole language: what this build lacks is said, and
// nothing else is found.
TEST(Corpus, DesignProgramsOnlyMissInstructions) {
  const std::string source = ReadFile("tests/corpus/language/kernels.cake");
  ASSERT_FALSE(source.empty());
  for (size_t i = 0; i < 7; ++i) {
    const Checked checked = Check(source, {}, i);
    for (const diag::Diagnostic& d : checked.report.diagnostics()) {
      if (d.code == "CK1031") continue;
      diag::Report one;
      ADD_FAILURE() << checked.file->programs[i]->name.text << ": " << d.code << " " << d.message
                    << " at " << source.substr(d.primary.begin, 60);
    }
  }
}

}  // namespace
}  // namespace compiler::sema
