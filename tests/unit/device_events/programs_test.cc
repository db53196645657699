// The campaign's own programs: written as `cake fmt` leaves them, and accepted by the gates.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "compiler/ops/table.h"
#include "compiler/text/parse.h"
#include "server/pipeline/pipeline.h"

namespace device::events {
namespace {

TEST(Programs, AreFormattedAndPassTheGates) {
  int programs = 0;
  for (const auto& at : std::filesystem::directory_iterator("tests/device/events/programs")) {
    SCOPED_TRACE(at.path().filename());
    std::ifstream file(at.path());
    std::stringstream text;
    text << file.rdbuf();
    const std::string source = text.str();
    compiler::diag::Report report;
    EXPECT_EQ(compiler::text::Format(source, compiler::ops::Table(), report), source);
    const server::pipeline::Candidate candidate(source, {.emit_cuda = false});
    ASSERT_TRUE(candidate.ok());
    const auto member = candidate.CheckMember(candidate.Bind({}).value());
    EXPECT_EQ(member.verdict, server::pipeline::Verdict::kPassed)
        << server::pipeline::ToText(candidate, member, false);
    ++programs;
  }
  EXPECT_EQ(programs, 4);
}

}  // namespace
}  // namespace device::events
