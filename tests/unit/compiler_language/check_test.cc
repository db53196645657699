// The examples of compiler/LANGUAGE.md that are marked `check`: they pass every gate and are
// emitted. Those marked `reject` parse, and do not.
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "server/pipeline/pipeline.h"
#include "tests/unit/compiler_text/examples.h"

namespace compiler::text {
namespace {

TEST(LanguageCheckTest, MarkedExamplesPassEveryGate) {
  int checked = 0;
  for (const Example& example : Examples("check")) {
    SCOPED_TRACE(absl::StrCat("line ", example.line));
    const server::pipeline::Candidate candidate(Whole(example), {.file_name = "example.cake"});
    ASSERT_TRUE(candidate.ok());
    const auto binding = candidate.Bind({});
    ASSERT_TRUE(binding.ok());
    const server::pipeline::Member member = candidate.CheckMember(*binding);
    EXPECT_EQ(member.verdict, server::pipeline::Verdict::kPassed)
        << server::pipeline::ToText(candidate, member, false);
    EXPECT_TRUE(member.cuda.has_value());
    ++checked;
  }
  EXPECT_GE(checked, 2);
}

TEST(LanguageCheckTest, RejectedExamplesHaveTheirCode) {
  for (const Example& example : Examples("reject")) {
    SCOPED_TRACE(absl::StrCat("line ", example.line));
    const server::pipeline::Candidate candidate(Whole(example), {.file_name = "example.cake"});
    ASSERT_TRUE(candidate.ok());
    const auto binding = candidate.Bind({});
    ASSERT_TRUE(binding.ok());
    const server::pipeline::Member member = candidate.CheckMember(*binding);
    EXPECT_NE(member.verdict, server::pipeline::Verdict::kPassed);
    EXPECT_NE(server::pipeline::ToText(candidate, member, false)
                  .find(absl::StrCat("[", example.words.back(), "]")),
              std::string::npos);
  }
}

}  // namespace
}  // namespace compiler::text
