// Source text to emitted CUDA, as the tests of this folder need it.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>

#include "compiler/arch/device.h"
#include "compiler/emit/emit.h"
#include "compiler/facts/derived.h"
#include "compiler/ops/table.h"
#include "compiler/sema/analyze.h"
#include "compiler/text/parse.h"

namespace compiler::emit {

inline std::string Describe(const diag::Report& report) {
  std::string text;
  for (const diag::Diagnostic& d : report.diagnostics()) {
    text +=
        std::string(d.code) + " at " + std::to_string(d.primary.begin) + ": " + d.message + "\n";
  }
  return text;
}

struct Emitted {
  std::unique_ptr<ir::Program> program;
  facts::Facts facts;
  Source source;
};

// Fails the test, and gives an empty result, where the source has errors.
inline Emitted EmitText(std::string_view text, std::string_view arch = "sm_90a",
                        std::string_view file_name = "example.cake") {
  Emitted emitted;
  diag::Report report;
  const auto file = text::Parse(text, ops::Table(), report);
  if (report.has_errors() || file->programs.size() != 1) {
    ADD_FAILURE() << Describe(report) << text;
    return emitted;
  }
  const text::Program& parsed = *file->programs[0];
  const auto binding = sema::DefaultBinding(sema::Params(parsed, report));
  auto program = sema::Elaborate(*file, parsed, binding, ops::Table(), report);
  // A target with `a` runs nowhere else.
  const bool exact = program != nullptr && program->target.ends_with('a');
  const auto device = arch::Find(exact ? std::string_view(program->target) : arch);
  if (program == nullptr || !device.ok()) {
    ADD_FAILURE() << Describe(report) << text;
    return emitted;
  }
  emitted.facts = facts::Derive(*program, **device, report);
  if (report.has_errors()) {
    ADD_FAILURE() << Describe(report) << text;
    return emitted;
  }
  emitted.source = Emit(*program, emitted.facts, sema::CanonicalHash(*program), file_name);
  emitted.program = std::move(program);
  return emitted;
}

}  // namespace compiler::emit
