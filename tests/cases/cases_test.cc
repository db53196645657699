// Faults that authors of real kernels reported, each as a smallest program (cases.txt): the gates
// refuse the broken one with its code at its line, and accept the repaired one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "server/pipeline/pipeline.h"

namespace tests {
namespace {

namespace fs = std::filesystem;

using compiler::diag::Severity;
using server::pipeline::Candidate;
using server::pipeline::Member;

constexpr std::string_view kFolder = "tests/cases";

// One row of cases.txt.
struct Case {
  std::string id, group, verdict;
  std::string program;  // the name behind the id, or the reason why there is none
  std::string text;     // of the CUDA, for what is derived
};

std::string Trimmed(const std::string& text) {
  const size_t first = text.find_first_not_of(' ');
  if (first == std::string::npos) return "";
  return text.substr(first, text.find_last_not_of(' ') + 1 - first);
}

std::vector<Case> ReadTable() {
  std::vector<Case> cases;
  std::ifstream file(fs::path(kFolder) / "cases.txt");
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::vector<std::string> fields;
    std::istringstream parts(line);
    for (std::string field; std::getline(parts, field, '|');) fields.push_back(Trimmed(field));
    fields.resize(std::max<size_t>(fields.size(), 5));
    cases.push_back({fields[0], fields[1], fields[2], fields[3], fields[4]});
  }
  return cases;
}

const std::vector<Case>& Table() {
  static const std::vector<Case> cases = ReadTable();
  return cases;
}

bool HasCode(const Case& each) { return each.verdict.starts_with("CK"); }
bool IsDerived(const Case& each) { return each.verdict == "derived"; }
bool IsAccepted(const Case& each) { return each.verdict == "accepted"; }
bool IsLeftOut(const Case& each) { return !HasCode(each) && !IsDerived(each) && !IsAccepted(each); }

std::string FileOf(const Case& each, std::string_view prefix) {
  std::string id = each.id;
  std::transform(id.begin(), id.end(), id.begin(), [](char c) { return std::tolower(c); });
  return std::string(prefix) + "_" + id + "_" + each.program + ".cake";
}

std::string Read(const std::string& file) {
  std::ifstream in(fs::path(kFolder) / file, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

Member Check(const std::string& file, bool emit) {
  const std::string source = Read(file);
  EXPECT_FALSE(source.empty()) << file;
  server::pipeline::Options options;
  options.file_name = file;
  options.emit_cuda = emit;
  const Candidate candidate(source, options);
  return candidate.CheckMember(candidate.Bind({}).value_or(compiler::sema::Binding()));
}

// "CK2066:26" of each finding of that severity; code and line of a place.
std::vector<std::string> Found(const Member& member, const std::string& source, Severity severity) {
  std::vector<std::string> found;
  for (const auto& d : member.report.diagnostics()) {
    if (d.severity != severity) continue;
    const auto end = source.begin() + std::min<size_t>(d.primary.begin, source.size());
    const auto line = 1 + std::count(source.begin(), end, '\n');
    found.push_back(std::string(d.code) + ":" + std::to_string(line));
  }
  return found;
}

TEST(Cases, TableHoldsEveryPublicCaseOnce) {
  const std::map<std::string, int> expected = {
      {"PHASE", 7},   {"TX", 3},      {"ARRIVE", 7},  {"INIT", 3},    {"PROXY", 8},
      {"WGMMA", 5},   {"WAR", 10},    {"RAW", 11},    {"CPASYNC", 3}, {"NAMED", 6},
      {"DIVERGE", 5}, {"REGS", 9},    {"SMEM", 5},    {"ALIGN", 13},  {"TENSORMAP", 3},
      {"CLUSTER", 8}, {"TMEM", 10},   {"INDEX", 10},  {"UNINIT", 13}, {"DETERM", 3},
      {"NUMERIC", 3}, {"STREAM", 5},  {"LAUNCH", 4},  {"MMA", 5},     {"GLOBAL", 5},
      {"PERF", 4},    {"HARNESS", 5}, {"CONTROL", 12}};
  std::map<std::string, int> found;
  std::set<std::string> ids;
  for (const Case& each : Table()) {
    EXPECT_TRUE(ids.insert(each.id).second) << each.id << " stands there twice";
    ++found[each.group];
  }
  EXPECT_EQ(found, expected);
  EXPECT_EQ(Table().size(), 173u + 12u);
  EXPECT_TRUE(std::is_sorted(Table().begin(), Table().end(), [](const Case& a, const Case& b) {
    const auto number = [](const Case& c) {
      int value = 0;
      std::from_chars(c.id.data() + 1, c.id.data() + c.id.size(), value);
      return std::pair(c.id[0], value);
    };
    return number(a) < number(b);
  }));
}

TEST(Cases, WhatIsLeftOutHasAReason) {
  const std::set<std::string> known = {"oracle", "host", "hardware", "build", "harness", "policy"};
  for (const Case& each : Table()) {
    if (!IsLeftOut(each)) continue;
    EXPECT_TRUE(known.contains(each.verdict)) << each.id << ": " << each.verdict;
    EXPECT_GT(each.program.size(), 20u) << each.id;
  }
}

TEST(Cases, FolderHoldsNoOtherProgram) {
  std::set<std::string> named, there;
  for (const Case& each : Table()) {
    if (IsLeftOut(each)) continue;
    named.insert(FileOf(each, "pass"));
    if (HasCode(each)) named.insert(FileOf(each, "fail"));
  }
  for (const auto& at : fs::directory_iterator(kFolder)) {
    if (at.path().extension() == ".cake") there.insert(at.path().filename().string());
  }
  EXPECT_EQ(named, there);
}

// A warning is expected where only warnings are found.
TEST(Cases, BrokenProgramsAreRefusedWithTheirCodeAtTheirLine) {
  for (const Case& each : Table()) {
    if (!HasCode(each)) continue;
    const std::string file = FileOf(each, "fail");
    const Member member = Check(file, false);
    const std::string source = Read(file);
    const bool warns = !member.report.has_errors();
    const auto found = Found(member, source, warns ? Severity::kWarning : Severity::kError);
    EXPECT_THAT(found, testing::Contains(each.verdict)) << file;
    // One cause is one finding: whatever else is said has the same code.
    for (const std::string& other : found) {
      EXPECT_EQ(other.substr(0, 6), each.verdict.substr(0, 6)) << file;
    }
  }
}

TEST(Cases, RepairedProgramsAndControlsAreAccepted) {
  for (const Case& each : Table()) {
    if (IsLeftOut(each)) continue;
    const std::string file = FileOf(each, "pass");
    const Member member = Check(file, true);
    const std::string source = Read(file);
    EXPECT_THAT(Found(member, source, Severity::kError), testing::IsEmpty()) << file;
    if (HasCode(each)) {
      EXPECT_THAT(Found(member, source, Severity::kWarning),
                  testing::Not(testing::Contains(testing::StartsWith(each.verdict.substr(0, 6)))))
          << file;
    }
    if (!each.text.empty()) {
      ASSERT_TRUE(member.cuda.has_value()) << file;
      EXPECT_THAT(member.cuda->cuda, testing::HasSubstr(each.text)) << file;
    }
  }
}

}  // namespace
}  // namespace tests
