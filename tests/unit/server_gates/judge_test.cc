// The gate child's answers on real programs; what it says must be what `cake check` says.
#include "server/gates/judge.h"

#include <fstream>
#include <sstream>

#include "gtest/gtest.h"
#include "runner/contract/workload.h"

namespace server::gates {
namespace {

std::string ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  EXPECT_TRUE(file.good()) << path;
  return text.str();
}

core::GateRequest VectorAdd() {
  core::GateRequest request;
  request.source = ReadFile("tests/corpus/vector_add/vector_add.cake");
  auto contract = runner::contract::ParseTextproto(
      ReadFile("tests/corpus/vector_add/vector_add.workload.textproto"));
  EXPECT_TRUE(contract.ok()) << contract.status();
  request.contract_json = runner::contract::ToCanonicalJson(*contract);
  request.members_max = 4096;
  return request;
}

TEST(Judge, MembersPassWithEstimatesAndDifferentForms) {
  Judge judge;
  core::GateRequest request = VectorAdd();
  request.count = 2;
  const core::GateReply reply = judge.Answer(request);
  ASSERT_TRUE(reply.family_ok);
  EXPECT_GT(reply.members_total, 2);
  ASSERT_EQ(reply.members.size(), 2u);
  for (const core::GateMember& member : reply.members) {
    EXPECT_EQ(member.verdict, "PASSED") << member.report_json;
    EXPECT_EQ(member.canon_hash.size(), 64u);
    ASSERT_FALSE(member.estimates.empty());
    EXPECT_GT(member.estimates[0].time_ns, 0);
  }
  EXPECT_NE(reply.members[0].canon_hash, reply.members[1].canon_hash);
}

// What is in force changes the estimate of programs of its architecture, and nothing else.
TEST(Judge, EstimatesWithTheCalibrationOfTheProgramsArchitecture) {
  Judge judge;
  core::GateRequest request = VectorAdd();
  const core::GateMember plain = judge.Answer(request).members[0];
  const std::string rates = "\n[rates]\nhbm_gb_per_s = 500\n[model]\nlow = 0.5\nhigh = 3\n";
  const core::GateCalibration own{"sm_80@4", true, "arch = \"sm_80\"" + rates};
  const core::GateCalibration other{"sm_90a@2", true, "arch = \"sm_90a\"" + rates};
  request.calibrations = {other};
  EXPECT_EQ(judge.Answer(request).members[0].estimates[0].time_ns, plain.estimates[0].time_ns);
  request.calibrations = {other, own};
  const core::GateMember slow = judge.Answer(request).members[0];
  ASSERT_EQ(slow.estimates.size(), plain.estimates.size());
  for (size_t i = 0; i < slow.estimates.size(); ++i) {
    const core::GateEstimate& one = slow.estimates[i];
    EXPECT_GT(one.time_ns, 2 * plain.estimates[i].time_ns);
    EXPECT_EQ(one.calibration, "sm_80@4");
    EXPECT_FALSE(one.rank_only);
    EXPECT_DOUBLE_EQ(one.low_ns, 0.5 * one.time_ns);
    EXPECT_DOUBLE_EQ(one.high_ns, 3 * one.time_ns);
  }
  EXPECT_EQ(slow.verdict, plain.verdict);
  EXPECT_EQ(slow.canon_hash, plain.canon_hash);

  // Only estimated: by the data sheet, then by each.
  request.estimate = true;
  request.binding_json = plain.binding_json;
  request.calibrations = {{}, own};
  const core::GateReply each = judge.Answer(request);
  ASSERT_EQ(each.members.size(), 3u);
  EXPECT_EQ(each.members[0].estimates[0].time_ns, plain.estimates[0].time_ns);
  EXPECT_EQ(each.members[1].estimates[0].time_ns, plain.estimates[0].time_ns);
  EXPECT_EQ(each.members[2].estimates[0].time_ns, slow.estimates[0].time_ns);
  EXPECT_TRUE(each.members[0].verdict.empty()) << "nothing was judged";
  // And judged again as before, when nothing is in force any more.
  EXPECT_EQ(judge.Answer(VectorAdd()).members[0].estimates[0].time_ns, plain.estimates[0].time_ns);
}

TEST(Judge, LoweringGivesCudaForTheBinding) {
  Judge judge;
  core::GateRequest request = VectorAdd();
  const core::GateReply judged = judge.Answer(request);
  request.emit = true;
  request.binding_json = judged.members[0].binding_json;
  const core::GateReply lowered = judge.Answer(request);
  EXPECT_NE(lowered.cuda.find("__global__"), std::string::npos);
  EXPECT_EQ(lowered.program_id, judged.members[0].canon_hash);
  EXPECT_FALSE(lowered.arch.empty());
}

// The gates that the daemon runs and those of the command line are one sequence.
TEST(Judge, ReportIsThePipelinesReport) {
  Judge judge;
  core::GateRequest request;
  request.source = "program p target sm_90a\n  nonsense here\n";
  const core::GateReply reply = judge.Answer(request);
  EXPECT_FALSE(reply.family_ok);
  ASSERT_EQ(reply.members.size(), 1u);
  EXPECT_TRUE(reply.members[0].verdict.starts_with("REJECTED_")) << reply.members[0].verdict;
  pipeline::Options options;
  options.file_name = request.file_name;
  const pipeline::Candidate candidate(request.source, options);
  const pipeline::Member member = candidate.CheckMember({});
  EXPECT_EQ(reply.members[0].verdict, pipeline::ToString(member.verdict));
  EXPECT_EQ(reply.members[0].report_json, pipeline::ToJson(candidate, member));
  EXPECT_FALSE(reply.members[0].diagnostics.empty());
}

TEST(Judge, WrongContractIsDataAndWrongNarrowingIsNamed) {
  Judge judge;
  core::GateRequest request = VectorAdd();
  auto contract =
      runner::contract::ParseTextproto(ReadFile("tests/corpus/rmsnorm/rmsnorm.workload.textproto"));
  ASSERT_TRUE(contract.ok());
  request.contract_json = runner::contract::ToCanonicalJson(*contract);
  const core::GateReply other = judge.Answer(request);
  EXPECT_EQ(other.members[0].verdict, "REJECTED_DATA");
  request = VectorAdd();
  request.narrow = {{"NOSUCH", {"1"}}};
  const core::GateReply narrow = judge.Answer(request);
  EXPECT_FALSE(narrow.family_ok);
  EXPECT_EQ(narrow.members[0].verdict, "REJECTED_DATA");
  ASSERT_EQ(narrow.members[0].diagnostics.size(), 1u);
  EXPECT_EQ(narrow.members[0].diagnostics[0].code, "CK9201");
}

TEST(Frames, RequestsSurviveBytesThatAreNoText) {
  core::GateRequest request;
  for (int c = 0; c < 256; ++c) request.source.push_back(static_cast<char>(c));
  request.narrow = {{"A", {"1", "2"}}};
  request.binding_json = "{\"A\":1}";
  auto read = core::GateRequestFromJson(core::ToJson(request));
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->source, request.source);
  EXPECT_EQ(read->narrow[0].values, request.narrow[0].values);
  EXPECT_FALSE(core::GateRequestFromJson("{\"from\":\"x\"}").ok());
  EXPECT_FALSE(core::GateReplyFromJson("not json").ok());
}

}  // namespace
}  // namespace server::gates
