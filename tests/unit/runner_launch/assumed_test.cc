// A program may assume of its inputs what the workload's generators obey, and no more.
#include "runner/launch/assumed.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "runner/contract/bind.h"

namespace runner::launch {
namespace {

using ::testing::HasSubstr;

std::string Read(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

struct Answer {
  bool obeys = false;
  CaseReply reply;
};

// The append program with other words in place of its `where` on contents, on one case.
Answer Assume(const std::string& contracts, const std::string& name) {
  const std::string folder = "tests/corpus/rope_append/rope_append";
  const auto workload = contract::ParseTextproto(Read(folder + ".workload.textproto")).value();
  ProgramText text{.source = Read(folder + ".cake"), .file = "x.cake"};
  const std::string old = "where lens in 0..PS*P, table in 0..PAGES, distinct(table)\n";
  const size_t at = text.source.find(old);
  EXPECT_NE(at, std::string::npos);
  text.source.replace(at, old.size(), contracts);
  compiler::diag::Report report;
  const Elaborated program = Elaborate(text, report);
  EXPECT_NE(program.program, nullptr);
  const auto& drawn = *contract::FindCase(workload, name);
  const auto plan = PlanCase(program, workload, drawn, contract::kMachineSms).value();
  Answer answer;
  answer.reply = {.name = name, .layout = LayOut(plan.plan)};
  std::vector<std::byte> image(static_cast<size_t>(answer.reply.layout.bytes));
  EXPECT_TRUE(FillRun(workload, drawn, answer.reply.layout, {}, 9, image, 1).ok());
  answer.obeys = ObeysAssumptions(program, plan, text, image, answer.reply);
  return answer;
}

TEST(Assumed, TheCorpusProgramFitsEveryCase) {
  for (const char* name : {"no_sequence", "one", "pages", "first", "last", "many", "large"}) {
    EXPECT_TRUE(Assume("where lens in 0..PS*P, table in 0..PAGES, distinct(table)\n", name).obeys)
        << name;
    EXPECT_TRUE(Assume("", name).obeys) << name;
  }
}

TEST(Assumed, WhatTheWorkloadDoesNotPromiseIsTheCandidatesFault) {
  const Answer constant = Assume("where table in 0..PAGES, lens in 0..1\n", "pages");
  EXPECT_FALSE(constant.obeys);
  EXPECT_EQ(constant.reply.outcome, CaseReply::Outcome::kFault);
  EXPECT_EQ(constant.reply.code, kBrokenAssumption);
  EXPECT_THAT(constant.reply.detail, HasSubstr("the inputs of case pages"));
  EXPECT_THAT(constant.reply.detail, HasSubstr("of `lens` is "));
  EXPECT_THAT(constant.reply.diagnostics, HasSubstr("CK2090"));
  EXPECT_FALSE(
      Assume("where table in 0..PAGES, lens in 0..PS*P, steps(lens) in 0..1\n", "pages").obeys);
  // The same words hold where the case is drawn so.
  EXPECT_TRUE(Assume("where table in 0..PAGES, lens in 0..1\n", "first").obeys);
  EXPECT_FALSE(Assume("where table in 0..PAGES, lens in 0..1\n", "last").obeys);
}

}  // namespace
}  // namespace runner::launch
