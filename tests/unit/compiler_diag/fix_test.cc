#include <gtest/gtest.h>

#include "compiler/diag/render.h"

namespace compiler::diag {
namespace {

constexpr Def<> kA{"CK0901", Severity::kError, Category::kSyntax, "a", ""};
constexpr Def<> kB{"CK0902", Severity::kError, Category::kSyntax, "b", ""};
constexpr Def<Name> kNamed{"CK0903", Severity::kError, Category::kSyntax, "no `{0}`", ""};

TEST(ApplyMachineFixesTest, AppliesAllEditsOfMachineFixesOnly) {
  Report report;
  report.Add(kA, {4, 5}).Fix("", {{{4, 5}, "Y"}, {{0, 1}, "X"}}, Applicability::kMachine);
  report.Add(kA, {2, 3}).Fix("", {{{2, 3}, "no"}}, Applicability::kMaybe);
  int applied = -1;
  EXPECT_EQ(ApplyMachineFixes(report, "a b c", &applied), "X b Y");
  EXPECT_EQ(applied, 1);
}

TEST(ApplyMachineFixesTest, FirstOfTwoOverlappingFixesWins) {
  Report report;
  report.Add(kA, {}).Fix("", {{{1, 3}, "12"}}, Applicability::kMachine);
  report.Add(kA, {}).Fix("", {{{2, 4}, "no"}, {{5, 5}, "no"}}, Applicability::kMachine);
  report.Add(kA, {}).Fix("", {{{3, 4}, "3"}}, Applicability::kMachine);
  int applied = 0;
  EXPECT_EQ(ApplyMachineFixes(report, "abcde", &applied), "a123e");
  EXPECT_EQ(applied, 2);
}

TEST(ApplyMachineFixesTest, TwoInsertionsAtOnePlaceAreAGuess) {
  Report report;
  report.Add(kA, {}).Fix("", {{{2, 2}, "}"}}, Applicability::kMachine);
  report.Add(kB, {}).Fix("", {{{2, 2}, ")"}}, Applicability::kMachine);
  EXPECT_EQ(ApplyMachineFixes(report, "ab", nullptr), "ab}");
}

TEST(ApplyMachineFixesTest, EditsOutsideTheTextAreIgnored) {
  Report report;
  report.Add(kA, {}).Fix("", {{{1, 9}, "x"}}, Applicability::kMachine);
  report.Add(kA, {}).Fix("", {{{2, 1}, "x"}}, Applicability::kMachine);
  int applied = -1;
  EXPECT_EQ(ApplyMachineFixes(report, "abc", &applied), "abc");
  EXPECT_EQ(applied, 0);
}

uint64_t At(const std::string& source, const std::string& needle) {
  Report report;
  const auto begin = static_cast<uint32_t>(source.find(needle));
  report.Add(kA, {begin, begin + static_cast<uint32_t>(needle.size())});
  return Fingerprint(report.diagnostics()[0], source);
}

TEST(FingerprintTest, FollowsTheStatementNotItsPlace) {
  EXPECT_EQ(At("x = foo + 1\n", "foo"), At("y = 2; z = 3\n   x  =  foo + 1 // why\n", "foo"));
  EXPECT_EQ(At("if a { x = foo + 1 }", "foo"), At("x = foo + 1", "foo"));
  EXPECT_NE(At("x = foo + 1", "foo"), At("x = foo + 2", "foo"));
}

TEST(FingerprintTest, TellsCodesAndNamesWithoutAPlaceApart) {
  Report report;
  report.Add(kA, {0, 1});
  report.Add(kB, {0, 1});
  report.Add(kNamed, {}, Name{"x"});
  report.Add(kNamed, {}, Name{"y"});
  const auto& d = report.diagnostics();
  EXPECT_NE(Fingerprint(d[0], "abc"), Fingerprint(d[1], "abc"));
  EXPECT_NE(Fingerprint(d[2], "abc"), Fingerprint(d[3], "abc"));
}

}  // namespace
}  // namespace compiler::diag
