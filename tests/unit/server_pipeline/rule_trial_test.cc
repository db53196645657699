// Learnt rules over real programs: their own specimens, and what a report says with rules at work.
#include "server/pipeline/rule_trial.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

namespace server::pipeline {
namespace {

using testing::HasSubstr;

std::string Text(const std::filesystem::path& path) {
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

std::string Uniform() { return Text("tests/rules/uniform_update.rule.toml"); }

std::string Changed(std::string text, std::string_view from, std::string_view to) {
  const size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

std::vector<RuleTrial> Trials(const std::string& text) {
  auto rule = verifier::learnt::CompileRule(text);
  EXPECT_TRUE(rule.ok()) << rule.status();
  return TrySpecimens(Only(*std::move(rule)));
}

TEST(RuleTrial, TheRulesOfTheTreeAreAsTheirProgramsSay) {
  int rules = 0;
  for (const auto& entry : std::filesystem::directory_iterator("tests/rules")) {
    if (entry.path().extension() != ".toml") continue;
    ++rules;
    for (const RuleTrial& trial : Trials(Text(entry.path()))) {
      EXPECT_EQ(trial.fault, "") << entry.path() << " " << trial.program;
    }
  }
  EXPECT_GE(rules, 1);
}

TEST(RuleTrial, SaysWhichProgramIsNotAsItMustBe) {
  const auto loose = Trials(Changed(Uniform(), "a.level <> 'lane'", "a.level = 'lane'"));
  EXPECT_EQ(loose[1].fault, "the rule lets it through");
  const auto all = Trials(Changed(Uniform(), "e.kind IN ('elect', 'once')", "0"));
  EXPECT_EQ(all[0].fault, "the rule refuses it");
  const auto broken = Trials(Changed(Uniform(), "var v: i32 = 0", "var v: i32 = zero"));
  EXPECT_THAT(broken[0].fault, HasSubstr("was not asked"));
  // One that reads past the end is no program that a rule must let through.
  const auto refused = Trials(Changed(Uniform(), "if i < N { v = ld x[i] }", "v = ld x[i]"));
  EXPECT_THAT(refused[0].fault, HasSubstr("REJECTED"));
}

TEST(RuleTrial, AnEditHasToMend) {
  const std::string columns =
      "SELECT s.span_begin, s.span_end, s.text, t.name AS tensor, s.span_begin AS edit_begin,"
      " s.span_end AS edit_end, ";
  const auto with = [&](const std::string& edit) {
    return Trials(Changed(Uniform(), "SELECT s.span_begin, s.span_end, s.text, t.name AS tensor",
                          columns + edit + " AS edit_text"));
  };
  EXPECT_THAT(with("s.text")[1].fault, HasSubstr("its edit does not mend it"));
  EXPECT_THAT(with("'nonsense'")[1].fault, HasSubstr("its edit does not mend it"));
  EXPECT_EQ(with("'elect { ' || s.text || ' }'")[1].fault, "");
}

Member Checked(const std::string& source, bool shadow) {
  auto rule = std::make_shared<const verifier::learnt::CompiledRule>(
      *verifier::learnt::CompileRule(Uniform()));
  Options options;
  options.emit_cuda = false;
  options.rules = std::make_shared<const verifier::learnt::RuleSet>(
      std::vector<verifier::learnt::Installed>{{"uniform_update@2", shadow, rule}});
  const Candidate candidate(source, options);
  Member member = candidate.CheckMember(*candidate.Bind({}));
  const auto json = nlohmann::json::parse(ToJson(candidate, member));
  EXPECT_EQ(json.at("rules").at(0).at("outcome"), "hit");
  EXPECT_EQ(json.at("rules").at(0).at("state"), shadow ? "SHADOW" : "ACTIVE");
  if (!shadow) {
    EXPECT_EQ(json.at("diagnostics").at(0).at("rule"), "uniform_update@2");
    EXPECT_THAT(ToText(candidate, member, false), HasSubstr("learnt rules  asked"));
  }
  return member;
}

TEST(RulesAtWork, RefuseInTheReportAndCountInTheShadow) {
  const std::string rejected = verifier::learnt::CompileRule(Uniform())->rule.rejects[0];
  const Member active = Checked(rejected, false);
  EXPECT_EQ(active.verdict, Verdict::kRejectedSchedule);
  EXPECT_EQ(active.stage, Stage::kGates);
  ASSERT_EQ(active.report.diagnostics().size(), 1u);
  EXPECT_EQ(active.report.diagnostics()[0].code, "CK2701");
  const Member shadow = Checked(rejected, true);
  EXPECT_EQ(shadow.verdict, Verdict::kPassed);
  EXPECT_TRUE(shadow.report.diagnostics().empty());
}

}  // namespace
}  // namespace server::pipeline
