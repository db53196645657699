#include "tests/golden/modes.h"

#include "compiler/diag/render.h"
#include "compiler/ir/print.h"
#include "compiler/ops/table.h"
#include "compiler/sema/analyze.h"
#include "compiler/text/parse.h"
#include "tests/golden/gate_modes.h"
#include "tests/golden/tree_dump.h"

namespace golden {
namespace {

using compiler::diag::Report;

Outcome Diagnostics(const Report& report, const std::string& file, const std::string& source) {
  return {compiler::diag::RenderText(report, file, source), report.has_errors()};
}

// The diagnostics of lexing and parsing.
Outcome Parse(const std::string& file, const std::string& source) {
  Report report;
  compiler::text::Parse(source, compiler::ops::Table(), report);
  return Diagnostics(report, file, source);
}

// The syntax tree, then the diagnostics: what was read in spite of them.
Outcome Tree(const std::string& file, const std::string& source) {
  Report report;
  const auto tree = compiler::text::Parse(source, compiler::ops::Table(), report);
  Outcome outcome = Diagnostics(report, file, source);
  outcome.text = Dump(*tree) + outcome.text;
  return outcome;
}

// The formatted text, or the diagnostics of one that does not parse.
Outcome Fmt(const std::string& file, const std::string& source) {
  Report report;
  const std::string text = compiler::text::Format(source, compiler::ops::Table(), report);
  if (report.has_errors()) return Diagnostics(report, file, source);
  return {text, false};
}

// The source after its MACHINE fixes, then the diagnostics that are left.
Outcome Fix(const std::string& file, const std::string& source) {
  Report report;
  compiler::text::Parse(source, compiler::ops::Table(), report);
  const std::string fixed = compiler::diag::ApplyMachineFixes(report, source, nullptr);
  Outcome outcome = Parse(file, fixed);
  outcome.text = fixed + outcome.text;
  return outcome;
}

// A second line `// bind: NAME=VALUE` picks a member other than the default one.
compiler::sema::Binding BindingOf(const std::string& source) {
  constexpr std::string_view kBind = "// bind: ";
  const size_t line = source.find('\n') + 1;
  if (source.compare(line, kBind.size(), kBind) != 0) return {};
  const size_t equals = source.find('=', line);
  const size_t name = line + kBind.size();
  return {{source.substr(name, equals - name), std::stoll(source.substr(equals + 1))}};
}

// The diagnostics of one member of every program in the source.
Outcome Check(const std::string& file, const std::string& source) {
  Report report;
  const auto tree = compiler::text::Parse(source, compiler::ops::Table(), report);
  for (const compiler::text::Program* program : tree->programs) {
    compiler::sema::Elaborate(*tree, *program, BindingOf(source), compiler::ops::Table(), report);
  }
  return Diagnostics(report, file, source);
}

// The elaborated tree of the first program's default member, then the diagnostics.
Outcome Elaborated(const std::string& file, const std::string& source) {
  Report report;
  const auto tree = compiler::text::Parse(source, compiler::ops::Table(), report);
  std::string text;
  if (!tree->programs.empty()) {
    const auto program =
        compiler::sema::Elaborate(*tree, *tree->programs[0], {}, compiler::ops::Table(), report);
    if (program != nullptr) text = compiler::ir::Print(*program);
  }
  Outcome outcome = Diagnostics(report, file, source);
  outcome.text = text + outcome.text;
  return outcome;
}

// The source after the MACHINE fixes of `check`, then the diagnostics that are left.
Outcome CheckFix(const std::string& file, const std::string& source) {
  Report report;
  const auto tree = compiler::text::Parse(source, compiler::ops::Table(), report);
  for (const compiler::text::Program* program : tree->programs) {
    compiler::sema::Elaborate(*tree, *program, {}, compiler::ops::Table(), report);
  }
  const std::string fixed = compiler::diag::ApplyMachineFixes(report, source, nullptr);
  Outcome outcome = Check(file, fixed);
  outcome.text = fixed + outcome.text;
  return outcome;
}

}  // namespace

const std::vector<Mode>& Modes() {
  static const std::vector<Mode> modes = {
      {"parse", Parse},
      {"tree", Tree},
      {"fmt", Fmt},
      {"fix", Fix},
      {"check", Check},
      {"elaborate", Elaborated},
      {"check-fix", CheckFix},
      {"gates", Gates},
      {"gates-strict", GatesStrict},
      {"gates-fix", GatesFix},
      {"map", Map},
      {"map-of", MapOfProgram},
  };
  return modes;
}

}  // namespace golden
