// Any bytes through the parser and the type checker: elaboration, levels, registers, hashes, facts
// and their explanation. What holds for every input: a program comes out or an error says why, and
// every place lies inside the text.
#include <cstddef>
#include <cstdint>
#include <string>

#include "compiler/diag/render.h"
#include "compiler/sema/analyze.h"
#include "tests/fuzz/elaborated.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string source(reinterpret_cast<const char*>(data), size);
  for (const fuzz::Elaborated& one : fuzz::ElaborateAll(source)) {
    for (const auto& d : one.report.diagnostics()) {
      fuzz::Require(d.primary.begin <= d.primary.end && d.primary.end <= source.size());
      for (const auto& label : d.labels) fuzz::Require(label.span.end <= source.size());
    }
    compiler::diag::RenderText(one.report, "fuzz.cake", source);
    compiler::diag::RenderJson(one.report, "fuzz.cake", source);
    if (one.program == nullptr) {
      fuzz::Require(one.report.has_errors());
      continue;
    }
    fuzz::Require(compiler::sema::CanonicalHash(*one.program) ==
                  compiler::sema::CanonicalHash(*one.program));
    compiler::sema::StructuralHash(*one.program);
  }
  return 0;
}
