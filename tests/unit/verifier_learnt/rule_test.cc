// The file of a learnt rule: what is one, and what is said of each that is none.
#include "verifier/learnt/rule.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "verifier/learnt/evaluate.h"

namespace verifier::learnt {
namespace {

using testing::HasSubstr;

std::string File(const std::string& changed_key = "", const std::string& line = "") {
  const std::pair<const char*, const char*> keys[] = {
      {"name", "name = \"few_stages\""},
      {"code", "code = \"CK2799\""},
      {"category", "category = \"schedule\""},
      {"message", "message = \"`{ring}` has {stages} stages\""},
      {"why", "why = \"loads wait\""},
      {"query",
       "query = \"SELECT span_begin, span_end, name AS ring, stages FROM ring WHERE stages < 2\""},
  };
  std::string text;
  for (const auto& [key, value] : keys) text += (changed_key == key ? line : value) + "\n";
  text += changed_key == "more" ? line + "\n" : "";
  if (changed_key != "accepts") text += "[[accepts]]\nprogram = \"a\"\n";
  text += changed_key == "rejects" ? line + "\n" : "[[rejects]]\nprogram = \"b\"\n";
  return text;
}

TEST(RuleFile, IsRead) {
  const auto rule = CompileRule(File());
  ASSERT_TRUE(rule.ok()) << rule.status();
  EXPECT_EQ(rule->rule.name, "few_stages");
  EXPECT_EQ(rule->rule.severity, compiler::diag::Severity::kError);
  EXPECT_THAT(rule->rule.accepts, testing::ElementsAre("a"));
  EXPECT_THAT(rule->tables, testing::ElementsAre("ring"));
}

TEST(RuleFile, SaysWhatIsWrong) {
  const struct {
    const char *key, *line, *says;
  } kFaults[] = {
      {"name", "", "`name` is missing"},
      {"name", "name = \"Few Stages\"", "`name` must match"},
      {"name", "name = \"x\"", "`name` must match"},
      {"name", "name = 3", "`name` must be a text"},
      {"code", "code = \"CK2530\"", "CK2700 to CK2799"},
      {"category", "category = \"taste\"", "`category` must be"},
      {"more", "severity = \"fatal\"", "`severity` must be"},
      {"more", "quey = \"x\"", "unknown key `quey`"},
      {"why", "why = \"\"", "`why` is empty"},
      {"why", "why = \"", "line 5"},
      {"accepts", "", "there is no [[accepts]]"},
      {"rejects", "", "there is no [[rejects]]"},
      {"rejects", "[[rejects]]\nsource = \"b\"", "each [[rejects]] has a text `program`"},
      {"query", "query = \"SELECT 1 AS span_begin, 2 AS ring, 3 AS stages\"", "`span_end`"},
      {"query", "query = \"SELECT 0 AS span_begin, 1 AS span_end, 2 AS ring\"", "{stages}"},
      {"query", "query = \"SELECT span_begin FROM rings\"", "no such table: rings"},
      {"query",
       "query = \"SELECT span_begin, span_end, name AS ring, stages, '' AS edit_text FROM ring\"",
       "`edit_text` needs `fix`"},
  };
  for (const auto& fault : kFaults) {
    const auto rule = CompileRule(File(fault.key, fault.line));
    ASSERT_FALSE(rule.ok()) << fault.line;
    EXPECT_EQ(rule.status().code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(rule.status().message()), HasSubstr(fault.says)) << fault.line;
  }
}

TEST(RuleFile, HasALimit) {
  std::string many = File();
  for (size_t i = 0; i < kSpecimensMax; ++i) many += "[[accepts]]\nprogram = \"a\"\n";
  EXPECT_THAT(std::string(CompileRule(many).status().message()), HasSubstr("more than 16"));
  const std::string large = File("why", "why = \"" + std::string(kRuleBytesMax, 'x') + "\"");
  EXPECT_THAT(std::string(CompileRule(large).status().message()), HasSubstr("the limit is 65536"));
}

TEST(RuleSet, IsKnownByWhatIsInIt) {
  const auto compiled = std::make_shared<const CompiledRule>(*CompileRule(File()));
  const auto hash = [&](std::vector<Installed> rules) { return RuleSet(std::move(rules)).hash(); };
  const std::string one = hash({{"few_stages@1", false, compiled}});
  EXPECT_EQ(hash({}), "built-in");
  EXPECT_EQ(hash({{"few_stages@1", false, compiled}}), one);
  EXPECT_NE(hash({{"few_stages@1", true, compiled}}), one);
  EXPECT_NE(hash({{"few_stages@2", false, compiled}}), one);
  const RuleSet set({{"few_stages@1", false, compiled}});
  EXPECT_EQ(set.RuleOf("CK2799"), "few_stages@1");
  EXPECT_EQ(set.RuleOf("CK2001"), "");
}

TEST(Facts, ArePublishedAsTheyAre) {
  const char* path = "verifier/learnt/FACTS.md";
  if (std::getenv("CAKE_GOLDEN_UPDATE") != nullptr) std::ofstream(path) << FactsText();
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  EXPECT_EQ(text.str(), FactsText()) << "CAKE_GOLDEN_UPDATE=1 writes " << path;
}

}  // namespace
}  // namespace verifier::learnt
