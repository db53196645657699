// A source text through parser, sema and facts to a verdict, for tests of the verifier.
#pragma once

#include <fstream>
#include <memory>
#include <set>
#include <sstream>
#include <string>

#include "compiler/ops/table.h"
#include "compiler/sema/analyze.h"
#include "compiler/text/parse.h"
#include "verifier/verify.h"

namespace verifier {

struct Checked {
  std::string source;
  compiler::diag::Report report;  // everything up to and with the gates
  std::unique_ptr<compiler::ir::Program> program;
  compiler::facts::Facts facts;
  Verdict verdict;  // only if nothing before the gates failed

  std::multiset<std::string> codes() const {
    std::multiset<std::string> all;
    for (const compiler::diag::Diagnostic& d : report.diagnostics()) all.emplace(d.code);
    return all;
  }
  // The source of the primary span of the first diagnostic with `code`; "" without one.
  std::string At(std::string_view code) const {
    for (const compiler::diag::Diagnostic& d : report.diagnostics()) {
      if (d.code == code) return source.substr(d.primary.begin, d.primary.end - d.primary.begin);
    }
    return "";
  }
  How HowOf(std::string_view property) const {
    for (const PropertyStatus& status : verdict.properties) {
      if (status.property == property) return status.how;
    }
    return How::kNotApplicable;
  }
};

inline Checked Check(std::string source, const std::map<std::string, int64_t>& params = {},
                     const Policy& policy = {}) {
  Checked c{.source = std::move(source)};
  const auto file = compiler::text::Parse(c.source, compiler::ops::Table(), c.report);
  if (c.report.has_errors() || file->programs.empty()) return c;
  const compiler::text::Program& program = *file->programs[0];
  compiler::sema::Binding binding =
      compiler::sema::DefaultBinding(compiler::sema::Params(program, c.report));
  for (const auto& [name, value] : params) binding[name] = value;
  c.program = compiler::sema::Elaborate(*file, program, binding, compiler::ops::Table(), c.report);
  if (c.program == nullptr) return c;
  const auto* device = *compiler::arch::DeviceOfTarget(c.program->target);
  c.facts = compiler::facts::Derive(*c.program, *device, c.report);
  if (c.report.has_errors()) return c;
  c.verdict = Verify(*c.program, c.facts, *device, policy);
  c.report.Append(c.verdict.report);
  return c;
}

inline std::string ReadFile(const std::string& path) {
  std::ifstream in(path);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

// `text` with the only occurrence number `nth` (from 0) of `from` replaced.
inline std::string Replaced(std::string text, std::string_view from, std::string_view to,
                            int nth = 0) {
  size_t at = text.find(from);
  for (; nth > 0 && at != std::string::npos; --nth) at = text.find(from, at + 1);
  if (at == std::string::npos) return "the mutation does not apply: " + std::string(from);
  return text.replace(at, from.size(), to);
}

}  // namespace verifier
