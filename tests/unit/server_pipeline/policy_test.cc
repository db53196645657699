// What stays unknown, and what a verdict rests on: the two tables of verifier/policy.h at work.
#include "verifier/policy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <sstream>

#include "server/pipeline/pipeline.h"

namespace server::pipeline {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;

std::string FileText(const std::string& path) {
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

Member Judged(const std::string& source, bool strict = false) {
  Options options;
  options.emit_cuda = false;
  options.policy.strict_proxies = strict;
  const Candidate candidate(source, options);
  return candidate.CheckMember(candidate.Bind({}).value_or(compiler::sema::Binding{}));
}

TEST(Unknown, EveryPropertyOfAVerdictHasItsRule) {
  std::set<std::string> ruled, said;
  for (const verifier::UnknownRule& rule : verifier::UnknownRules()) {
    ruled.emplace(rule.property);
  }
  for (const auto& status : Judged(FileText("tests/corpus/softmax/softmax.cake")).properties) {
    said.insert(status.property);
  }
  EXPECT_EQ(said, ruled);
  EXPECT_TRUE(verifier::UnknownBlocks("races"));
  EXPECT_TRUE(verifier::UnknownBlocks("deadlock"));
  EXPECT_TRUE(verifier::UnknownBlocks("bounds"));
  EXPECT_FALSE(verifier::UnknownBlocks("definedness"));
  EXPECT_TRUE(verifier::UnknownBlocks("of a name that nobody knows"));
}

// A kernel under `when` may be one that this member never launches; a program whose kernels all are
// has shown nothing.
TEST(Unknown, WhatNoRunHasShownBlocks) {
  const std::string program = R"(
program never target sm_80
dim N in 1..=64
out y: f32[64]
kernel k {
  grid (1)
  when N > 100
  smem a: f32[32]
  role main: warps 1 {
    st a[lane] <- 1.0
    sync cta
    st y[lane] <- ld a[31 - lane]
  }
}
)";
  const Member member = Judged(program);
  std::set<std::string> codes;
  for (const auto& d : member.report.diagnostics()) codes.emplace(d.code);
  EXPECT_NE(member.verdict, Verdict::kPassed);
  EXPECT_FALSE(codes.empty());
}

TEST(Unknown, IsToldByTheTable) {
  const Member member = Judged(FileText("tests/corpus/softmax/softmax.cake"));
  const auto told = [&](const char* property) {
    compiler::diag::Report report;
    verifier::ReportUnknown(*member.program,
                            {{property, verifier::How::kUnknown, "nothing ran"},
                             {"overflow", verifier::How::kProved, "2 of 2"}},
                            report);
    EXPECT_EQ(report.diagnostics().size(), 1u) << property;
    EXPECT_THAT(report.diagnostics()[0].message,
                AllOf(HasSubstr(property), HasSubstr("nothing ran")));
    return report.has_errors();
  };
  for (const verifier::UnknownRule& rule : verifier::UnknownRules()) {
    EXPECT_EQ(told(std::string(rule.property).c_str()), rule.blocks) << rule.property;
  }
}

TEST(Assumptions, AreListedWhereTheProgramNeedsThem) {
  const Member plain = Judged(FileText("tests/corpus/vector_add/vector_add.cake"));
  EXPECT_THAT(plain.assumptions, Not(Contains(HasSubstr("proxies"))));
  const std::string rings = FileText("tests/corpus/gemm/gemm_bf16_wgmma.cake");
  const Member copies = Judged(rings);
  EXPECT_EQ(copies.verdict, Verdict::kPassed);
  for (const char* axiom : {"A1:", "A2:", "A3:", "A6:", "A7:", "hand-over alone"}) {
    EXPECT_THAT(copies.assumptions, Contains(HasSubstr(axiom))) << axiom;
  }
  // Under the strict reading what the lowering's fence is taken to do is not assumed.
  EXPECT_THAT(Judged(rings, true).assumptions, Not(Contains(HasSubstr("hand-over alone"))));
  Options options;
  options.emit_cuda = false;
  const Candidate candidate(rings, options);
  EXPECT_THAT(ToText(candidate, candidate.CheckMember(*candidate.Bind({})), false),
              HasSubstr("assumptions   "));
}

TEST(Proxies, ThePageHasTheTable) {
  const std::string page = FileText("compiler/LANGUAGE.md");
  for (const verifier::ProxyRule& rule : verifier::ProxyRules()) {
    const std::string row = "| " + std::string(rule.first) + " | " + std::string(rule.then) + " |";
    EXPECT_THAT(page, HasSubstr(row));
    EXPECT_FALSE(rule.source.empty());
  }
}

}  // namespace
}  // namespace server::pipeline
