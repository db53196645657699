// Every rule by its own examples: each `rejects` gives its code and nothing else, each `accepts`
// nothing; machine-applicable fixes of the former give a program that passes.
#include "verifier/rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compiler/diag/render.h"
#include "tests/unit/verifier/checked.h"

namespace verifier {
namespace {

// A witness of the machine may stand for an unproven obligation; then the code is the machine's.
std::multiset<std::string> ProofCodes(const Checked& c) {
  std::multiset<std::string> codes;
  KernelAnalysis analysis;
  std::vector<KernelAnalysis> kernels;
  for (size_t k = 0; k < c.program->kernels.size(); ++k) {
    kernels.push_back(Analyse(*c.program, c.facts, k));
  }
  const auto* device = *compiler::arch::DeviceOfTarget(c.program->target);
  RuleInput input{*c.program, c.facts, *device, kernels};
  for (const Rule* rule : Rules()) {
    RuleOutput out;
    rule->check(input, out);
    for (const auto& d : out.report.diagnostics()) codes.emplace(d.code);
  }
  return codes;
}

TEST(Rules, RejectsGiveTheirCodeAndNothingElse) {
  for (const Rule* rule : Rules()) {
    for (const Example& example : rule->rejects) {
      SCOPED_TRACE(std::string(rule->name));
      const Checked c = Check(std::string(example.program));
      ASSERT_NE(c.program, nullptr) << compiler::diag::RenderText(c.report, "example", c.source);
      EXPECT_THAT(ProofCodes(c), testing::ElementsAre(example.code));
      EXPECT_FALSE(c.verdict.accepted);
    }
  }
}

TEST(Rules, AcceptsGiveNothing) {
  for (const Rule* rule : Rules()) {
    for (const Example& example : rule->accepts) {
      SCOPED_TRACE(std::string(rule->name));
      const Checked c = Check(std::string(example.program));
      EXPECT_TRUE(c.verdict.accepted) << compiler::diag::RenderText(c.report, "example", c.source);
    }
  }
}

TEST(Rules, MachineFixesOfRejectsPass) {
  int fixed = 0;
  for (const Rule* rule : Rules()) {
    for (const Example& example : rule->rejects) {
      const Checked c = Check(std::string(example.program));
      int applied = 0;
      const std::string edited =
          compiler::diag::ApplyMachineFixes(c.verdict.report, c.source, &applied);
      if (applied == 0) continue;
      ++fixed;
      const Checked again = Check(edited);
      EXPECT_TRUE(again.verdict.accepted)
          << rule->name << "\n"
          << compiler::diag::RenderText(again.report, "fixed", edited);
    }
  }
  EXPECT_GE(fixed, 1);
}

TEST(Rules, NamesAreUniqueAndExplained) {
  std::set<std::string_view> names;
  for (const Rule* rule : Rules()) {
    EXPECT_TRUE(names.insert(rule->name).second) << rule->name;
    EXPECT_GT(rule->explain.size(), 40u) << rule->name;
    EXPECT_EQ(rule->rejects.empty(), rule->accepts.empty()) << rule->name;
  }
}

}  // namespace
}  // namespace verifier
