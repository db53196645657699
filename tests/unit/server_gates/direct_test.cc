#include "server/gates/direct.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "runner/contract/hash.h"
#include "runner/contract/workload.h"

namespace server::gates {
namespace {

using ::testing::HasSubstr;

constexpr char kSource[] =
    "// c = a + b\n"
    "//@ arguments a b c N:i32\n"
    "//@ launch add grid (N+255)/256 block 256\n"
    "extern \"C\" __global__ void add(const float* a, const float* b, float* c, int n) {}\n";

core::GateRequest Request(const std::string& source) {
  std::ifstream file("tests/corpus/vector_add/vector_add.workload.textproto");
  std::stringstream text;
  text << file.rdbuf();
  core::GateRequest request;
  request.direct = true;
  request.source = source;
  request.contract_json =
      runner::contract::ToCanonicalJson(runner::contract::ParseTextproto(text.str()).value());
  return request;
}

std::string Edited(const std::string& from, const std::string& to) {
  std::string source = kSource;
  return source.replace(source.find(from), from.size(), to);
}

TEST(Direct, IsOneMemberNamedByItsText) {
  const core::GateReply reply = AnswerDirect(Request(kSource));
  ASSERT_EQ(reply.members.size(), 1u);
  EXPECT_TRUE(reply.family_ok);
  EXPECT_EQ(reply.members_total, 1);
  EXPECT_EQ(reply.members[0].verdict, "PASSED");
  EXPECT_EQ(reply.members[0].binding_json, "{}");
  EXPECT_EQ(reply.members[0].canon_hash, runner::contract::Sha256Hex(kSource));
  EXPECT_TRUE(reply.members[0].estimates.empty());  // nothing predicts it
  EXPECT_THAT(reply.members[0].report_json, HasSubstr("\"kind\":\"direct-cuda\""));
  EXPECT_THAT(reply.members[0].report_json, HasSubstr("\"estimate\":null"));
  EXPECT_EQ(reply.arch, "sm_80");
  EXPECT_TRUE(reply.cuda.empty());
  auto emit = Request(kSource);
  emit.emit = true;
  EXPECT_EQ(AnswerDirect(emit).cuda, kSource);
}

TEST(Direct, SaysWhereItRuns) {
  const auto target = [](const std::string& line) {
    return AnswerDirect(Request(Edited("// c = a + b", line)));
  };
  EXPECT_EQ(target("//@ target sm_90a").arch, "sm_90a");
  EXPECT_EQ(target("//@ target sm_1").members[0].verdict, "REJECTED_DATA");
}

TEST(Direct, ALaunchThatDoesNotFitIsADiagnosticAtItsLine) {
  const core::GateReply reply = AnswerDirect(Request(Edited("//@ launch add", "//@ lunch add")));
  EXPECT_FALSE(reply.family_ok);
  ASSERT_EQ(reply.members[0].diagnostics.size(), 1u);
  const core::GateDiagnostic& d = reply.members[0].diagnostics[0];
  EXPECT_EQ(d.code, "CK9202");
  EXPECT_EQ(reply.members[0].verdict, "REJECTED_DATA");
  EXPECT_THAT(d.message, HasSubstr("`lunch` is not"));
  EXPECT_EQ(d.span_begin, static_cast<int64_t>(std::string(kSource).find("//@ launch")));
  for (const auto& [from, to, what] :
       {std::tuple{"a b c N:i32", "a b N:i32", "no argument is the output c"},
        {"a b c N:i32", "a b c d N:i32", "argument d is no tensor"},
        {"block 256", "block 2048", "outside 1..=1024"}}) {
    const core::GateReply bad = AnswerDirect(Request(Edited(from, to)));
    ASSERT_EQ(bad.members[0].diagnostics.size(), 1u) << what;
    EXPECT_THAT(bad.members[0].diagnostics[0].message, HasSubstr(what));
  }
}

TEST(Direct, HasNoParams) {
  auto request = Request(kSource);
  request.narrow = {{"V", {"4"}}};
  EXPECT_FALSE(AnswerDirect(request).family_ok);
}

}  // namespace
}  // namespace server::gates
