#include "compiler/diag/diagnostic.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace compiler::diag {
namespace {

using testing::ElementsAre;

constexpr Def<Name, int64_t> kUnknown{"CK1901", Severity::kError, Category::kType,
                                      "unknown name `{0}`; {1} are visible", "names have scopes"};
constexpr Def<> kNote{"CK1902", Severity::kAdvice, Category::kSchedule, "release may be missing",
                      ""};

std::vector<std::string> Messages(const Report& report) {
  std::vector<std::string> out;
  for (const Diagnostic& d : report.diagnostics()) out.push_back(d.message);
  return out;
}

TEST(FormatMessageTest, FillsSlotsInAnyOrder) {
  EXPECT_EQ(FormatMessage("{1} then {0} then {1}", {Name{"a"}, int64_t{-7}}), "-7 then a then -7");
}

TEST(FormatMessageTest, OtherBracesAreText) {
  EXPECT_EQ(FormatMessage("expected `{` before {0} {x} {", {Name{"end"}}),
            "expected `{` before end {x} {");
}

TEST(FormatMessageTest, SlotWithoutArgumentIsText) { EXPECT_EQ(FormatMessage("{3}", {}), "{3}"); }

TEST(FormatMessageTest, NumbersReadBackAsTheSameValue) {
  EXPECT_EQ(FormatMessage("{0} {1} {2}", {0.1, 1e300, int64_t{INT64_MIN}}),
            "0.1 1e+300 -9223372036854775808");
}

TEST(FormatMessageTest, ArgumentIsNeverReadAsSlots) {
  EXPECT_EQ(FormatMessage("{0} {1}", {Name{"{1}"}, int64_t{5}}), "{1} 5");
}

TEST(FormatMessageTest, LongNamesAreCutBetweenCodePoints) {
  EXPECT_EQ(ShortName(std::string(80, 'x')), std::string(80, 'x'));
  EXPECT_EQ(ShortName(std::string(81, 'x')), std::string(80, 'x') + "...");
  const std::string wide = std::string(79, 'x') + "\xC3\xA9" + "yyy";
  EXPECT_EQ(ShortName(wide), std::string(79, 'x') + "...");
}

TEST(ReportTest, BuilderFillsTheDiagnosticItWasMadeFor) {
  Report report;
  auto first = report.Add(kUnknown, Span{3, 6}, Name{"foo"}, 12);
  report.Add(kNote, Span{9, 10});
  first.Label({1, 2}, "declared here").Fix("write `bar`", {{{3, 6}, "bar"}}, Applicability::kMaybe);
  ASSERT_EQ(report.diagnostics().size(), 2u);
  const Diagnostic& d = report.diagnostics()[0];
  EXPECT_EQ(d.code, "CK1901");
  EXPECT_EQ(d.message, "unknown name `foo`; 12 are visible");
  EXPECT_EQ(d.why, "names have scopes");
  EXPECT_EQ(std::get<int64_t>(d.args[1]), 12);
  ASSERT_EQ(d.labels.size(), 1u);
  EXPECT_EQ(d.fixes.at(0).edits.at(0).text, "bar");
  EXPECT_TRUE(report.diagnostics()[1].labels.empty());
}

TEST(ReportTest, OnlyErrorsAreErrors) {
  Report report;
  EXPECT_FALSE(report.has_errors());
  report.Add(kNote, {});
  EXPECT_FALSE(report.has_errors());
  report.Add(kUnknown, {}, Name{"a"}, 0);
  EXPECT_TRUE(report.has_errors());
}

TEST(ReportTest, SortIsTheSameWhateverTheOrderOfAddingAndDropsRepeats) {
  Report a, b;
  a.Add(kUnknown, {5, 6}, Name{"z"}, 1);
  a.Add(kUnknown, {1, 9}, Name{"y"}, 1);
  a.Add(kNote, {1, 2});
  a.Add(kUnknown, {5, 6}, Name{"z"}, 1);
  b.Add(kNote, {1, 2});
  b.Add(kUnknown, {5, 6}, Name{"z"}, 1);
  b.Add(kUnknown, {1, 9}, Name{"y"}, 1);
  a.Sort();
  b.Sort();
  EXPECT_THAT(Messages(a), ElementsAre("release may be missing", "unknown name `y`; 1 are visible",
                                       "unknown name `z`; 1 are visible"));
  EXPECT_EQ(Messages(a), Messages(b));
}

TEST(ReportTest, TwoInstancesOfOneStatementAreTwoFindings) {
  Report report;
  report.Add(kNote, {1, 2}).At({.warp = 0});
  report.Add(kNote, {1, 2}).At({.warp = 1});
  report.Sort();
  EXPECT_EQ(report.diagnostics().size(), 2u);
}

TEST(ReportTest, AppendToItselfDoubles) {
  Report report;
  report.Add(kNote, {1, 2});
  report.Append(report);
  EXPECT_EQ(report.diagnostics().size(), 2u);
}

}  // namespace
}  // namespace compiler::diag
