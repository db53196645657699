// The seven programs of the language page: they must parse to the end.
#include <gtest/gtest.h>

#include "tests/unit/compiler_text/support.h"

namespace compiler::text {
namespace {

TEST(KernelsTest, AllSevenProgramsParse) {
  const std::string source = ReadFile("tests/corpus/language/kernels.cake");
  ASSERT_FALSE(source.empty());
  diag::Report report;
  const auto file = Parse(source, ops::Table(), report);
  EXPECT_EQ(diag::RenderText(report, "kernels.cake", source), "");
  std::vector<std::string_view> names;
  for (const Program* program : file->programs) names.push_back(program->name.text);
  EXPECT_EQ(names,
            (std::vector<std::string_view>{"kmeans_assign", "fa3_fwd", "moe_fc1", "kda_chunk",
                                           "ssu_decode", "streamk_gemm", "fp8_blockwise"}));
}

}  // namespace
}  // namespace compiler::text
