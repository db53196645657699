// Any bytes through lexer, parser, renderings and formatter. Beyond crashes it checks what holds
// for every input: places lie inside the text, and formatting is a fixed point.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "compiler/diag/render.h"
#include "compiler/ops/table.h"
#include "compiler/text/parse.h"

namespace {

void Require(bool condition) {
  if (!condition) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using compiler::diag::Report;
  const std::string source(reinterpret_cast<const char*>(data), size);
  Report report;
  compiler::text::Parse(source, compiler::ops::Table(), report);
  for (const auto& d : report.diagnostics()) {
    Require(d.primary.begin <= d.primary.end && d.primary.end <= source.size());
    for (const auto& label : d.labels) Require(label.span.end <= source.size());
  }
  compiler::diag::RenderText(report, "fuzz.cake", source);
  compiler::diag::RenderJson(report, "fuzz.cake", source);
  compiler::diag::ApplyMachineFixes(report, source, nullptr);
  Report formatting;
  const std::string once = compiler::text::Format(source, compiler::ops::Table(), formatting);
  Require(formatting.has_errors() == report.has_errors());
  if (formatting.has_errors()) return 0;
  Report again;
  Require(compiler::text::Format(once, compiler::ops::Table(), again) == once);
  Require(!again.has_errors());
  return 0;
}
