// Runs source text on the machine, through parse, elaboration, facts and launch plan.
#pragma once

#include <memory>
#include <string>

#include "compiler/ops/table.h"
#include "compiler/sema/analyze.h"
#include "compiler/text/parse.h"
#include "tests/unit/compiler_machine/harness.h"

namespace compiler::machine {

// Null, and a failed test, if the text is not a program without errors.
inline std::unique_ptr<ir::Program> Elaborated(const std::string& source) {
  diag::Report report;
  const std::unique_ptr<text::File> file = text::Parse(source, ops::Table(), report);
  EXPECT_FALSE(report.has_errors()) << diag::RenderText(report, "test", source);
  if (report.has_errors() || file->programs.size() != 1) return nullptr;
  const text::Program& program = *file->programs[0];
  const sema::Binding binding = sema::DefaultBinding(sema::Params(program, report));
  std::unique_ptr<ir::Program> ir = sema::Elaborate(*file, program, binding, ops::Table(), report);
  EXPECT_NE(ir, nullptr) << diag::RenderText(report, "test", source);
  return ir;
}

inline Ran RunSource(const std::string& source, const std::map<std::string, int64_t>& named = {},
                     const Inputs& inputs = {}, const Options& options = {}) {
  const std::unique_ptr<ir::Program> program = Elaborated(source);
  if (program == nullptr) return {};
  return RunProgram(*program, named, inputs, options);
}

// A program of one kernel and one CTA. `items` are tensors and dims, `kernel` what stands in the
// kernel beside its grid.
inline std::string OneCta(const std::string& items, const std::string& kernel) {
  return "program t target sm_90a\n" + items + "\nkernel k {\n  grid (1)\n" + kernel + "\n}\n";
}

// The text a span of a diagnostic covers.
inline std::string Text(const std::string& source, diag::Span span) {
  return source.substr(span.begin, span.end - span.begin);
}

}  // namespace compiler::machine
