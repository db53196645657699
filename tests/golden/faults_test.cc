// The goldens as a whole: how many different faults they show, and that what a fix offers to do by
// itself is right.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <tuple>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "compiler/diag/render.h"
#include "compiler/ops/table.h"
#include "server/pipeline/pipeline.h"

namespace golden {
namespace {

namespace fs = std::filesystem;
using compiler::diag::Applicability;
using compiler::diag::Diagnostic;
using compiler::diag::Report;
using compiler::diag::Severity;

constexpr char kRoot[] = "tests/golden";
constexpr size_t kFewestFaults = 80;

struct Program {
  std::string file, source;
};

// The sources that are whole programs, to be checked like any.
std::vector<Program> Programs() {
  std::vector<Program> programs;
  for (const auto& entry : fs::recursive_directory_iterator(kRoot)) {
    if (entry.path().extension() != ".cake") continue;
    std::ifstream in(entry.path(), std::ios::binary);
    std::ostringstream text;
    text << in.rdbuf();
    std::string source = text.str();
    const size_t marker = source.find("//--- expected\n");
    if (marker != std::string::npos) source.resize(marker);
    const bool checked = source.starts_with("// mode: gates") ||
                         source.starts_with("// mode: check") || source.starts_with("// mode: fix");
    if (checked) programs.push_back({entry.path().filename().string(), std::move(source)});
  }
  std::sort(programs.begin(), programs.end(),
            [](const Program& a, const Program& b) { return a.file < b.file; });
  return programs;
}

Report Check(const std::string& source) {
  server::pipeline::Options options;
  options.emit_cuda = false;
  const server::pipeline::Candidate candidate(source, options);
  server::pipeline::Member member =
      candidate.CheckMember(candidate.Bind({}).value_or(compiler::sema::Binding()));
  return std::move(member.report);
}

std::vector<const Diagnostic*> Errors(const Report& report) {
  std::vector<const Diagnostic*> errors;
  for (const Diagnostic& d : report.diagnostics()) {
    if (d.severity == Severity::kError) errors.push_back(&d);
  }
  return errors;
}

bool WordByte(char c) { return absl::ascii_isalnum(c) || c == '_' || c == '.'; }

// The instruction at or last before the place in its line; else the line's first word.
std::string InstructionAt(const std::string& source, const Diagnostic& d) {
  const size_t begin = std::min<size_t>(d.primary.begin, source.size());
  size_t at = begin == 0 ? 0 : source.rfind('\n', begin - 1) + 1;
  std::string found, first;
  while (at < source.size() && source[at] != '\n' && at <= begin) {
    if (!WordByte(source[at])) {
      ++at;
      continue;
    }
    size_t end = at;
    while (end < source.size() && WordByte(source[end])) ++end;
    const std::string word = source.substr(at, end - at);
    if (first.empty()) first = word;
    std::vector<std::string_view> parts;
    for (size_t p = 0; p <= word.size();) {
      const size_t dot = std::min(word.find('.', p), word.size());
      parts.push_back(std::string_view(word).substr(p, dot - p));
      p = dot + 1;
    }
    size_t taken = 0;
    if (const auto* op = compiler::ops::Table().FindLongest(parts, &taken)) found = op->name;
    at = end;
  }
  return found.empty() ? first : found;
}

// Who executes the place: the innermost of elect, once, role and kernel around it.
std::string ScopeAt(const std::string& source, const Diagnostic& d) {
  std::vector<std::string> open;
  size_t header = 0;
  for (size_t i = 0; i < std::min<size_t>(d.primary.begin, source.size()); ++i) {
    const char c = source[i];
    if (c == '{') {
      const std::string text(absl::StripAsciiWhitespace(source.substr(header, i - header)));
      open.push_back(text.substr(0, text.find_first_of(" (:")));
    } else if (c == '}' && !open.empty()) {
      open.pop_back();
    }
    if (c == '{' || c == '}' || c == ';' || c == '\n') header = i + 1;
  }
  for (size_t i = open.size(); i-- > 0;) {
    for (const char* scope : {"elect", "once", "role", "kernel"}) {
      if (open[i] == scope) return scope;
    }
  }
  return "program";
}

TEST(Faults, AreManyAndDifferent) {
  std::set<std::tuple<std::string, std::string, std::string>> faults;
  for (const Program& program : Programs()) {
    const Report report = Check(program.source);
    const std::vector<const Diagnostic*> errors = Errors(report);
    std::set<std::string_view> codes;
    for (const Diagnostic* d : errors) codes.insert(d->code);
    if (codes.size() != 1) continue;  // not one fault
    faults.emplace(std::string(errors[0]->code), InstructionAt(program.source, *errors[0]),
                   ScopeAt(program.source, *errors[0]));
    const bool placed = errors[0]->primary.end > errors[0]->primary.begin;
    EXPECT_TRUE(placed || errors[0]->primary.begin > 0) << program.file << ": no place";
    EXPECT_FALSE(errors[0]->why.empty()) << program.file << ": no reason";
  }
  EXPECT_GE(faults.size(), kFewestFaults);
  RecordProperty("faults", static_cast<int>(faults.size()));
}

// Applying what is offered takes the finding away, and makes the program pass where all of its
// findings offer it.
TEST(Faults, MachineFixesMakeTheFindingGo) {
  size_t fixed_programs = 0;
  for (const Program& program : Programs()) {
    SCOPED_TRACE(program.file);
    const Report before = Check(program.source);
    std::multiset<std::string_view> offered;
    bool all = true;
    for (const Diagnostic* d : Errors(before)) {
      const bool machine = std::any_of(d->fixes.begin(), d->fixes.end(), [](const auto& fix) {
        return fix.applicability == Applicability::kMachine && !fix.edits.empty();
      });
      if (machine) offered.insert(d->code);
      all = all && machine;
    }
    if (offered.empty()) continue;
    int applied = 0;
    const std::string fixed = ApplyMachineFixes(before, program.source, &applied);
    EXPECT_GT(applied, 0);
    const Report after = Check(fixed);
    if (all) {
      EXPECT_FALSE(after.has_errors()) << compiler::diag::RenderText(after, program.file, fixed);
      ++fixed_programs;
    }
    std::multiset<std::string_view> left;
    for (const Diagnostic* d : Errors(after)) left.insert(d->code);
    for (const std::string_view code : std::set(offered.begin(), offered.end())) {
      size_t had = 0;
      for (const Diagnostic* d : Errors(before)) had += d->code == code;
      EXPECT_LE(left.count(code) + offered.count(code), had) << code;
    }
  }
  EXPECT_GT(fixed_programs, 5u);
}

}  // namespace
}  // namespace golden
