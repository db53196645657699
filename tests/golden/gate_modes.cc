#include "tests/golden/gate_modes.h"

#include <fstream>
#include <sstream>

#include "compiler/diag/render.h"
#include "compiler/facts/map.h"
#include "server/pipeline/pipeline.h"

namespace golden {

using server::pipeline::Candidate;
using server::pipeline::Member;
using server::pipeline::Options;

namespace {

Outcome GatesUnder(bool strict, const std::string& file, const std::string& source) {
  Options options;
  options.policy.strict_proxies = strict;
  options.file_name = file;
  options.emit_cuda = false;
  const Candidate candidate(source, options);
  const Member member =
      candidate.CheckMember(candidate.Bind({}).value_or(compiler::sema::Binding()));
  return {ToText(candidate, member, false), member.report.has_errors()};
}

Outcome MapOf(const std::string& file, const std::string& source, bool json) {
  Options options;
  options.file_name = file;
  options.run_gates = false;
  options.emit_cuda = false;
  const Candidate candidate(source, options);
  const Member member =
      candidate.CheckMember(candidate.Bind({}).value_or(compiler::sema::Binding()));
  if (member.report.has_errors()) return {ToText(candidate, member, false), true};
  std::string text = compiler::facts::MapText(*member.program, member.facts, *member.device);
  if (json) {
    text += compiler::facts::MapJson(*member.program, member.facts, *member.device) + "\n";
  }
  return {text, false};
}

}  // namespace

Outcome Gates(const std::string& file, const std::string& source) {
  return GatesUnder(false, file, source);
}

Outcome GatesStrict(const std::string& file, const std::string& source) {
  return GatesUnder(true, file, source);
}

Outcome GatesFix(const std::string& file, const std::string& source) {
  const Candidate candidate(source, {});
  const Member member =
      candidate.CheckMember(candidate.Bind({}).value_or(compiler::sema::Binding()));
  const std::string fixed = compiler::diag::ApplyMachineFixes(member.report, source, nullptr);
  Outcome outcome = Gates(file, fixed);
  outcome.text = fixed + outcome.text;
  return outcome;
}

Outcome Map(const std::string& file, const std::string& source) {
  return MapOf(file, source, true);
}

Outcome MapOfProgram(const std::string& file, const std::string& source) {
  constexpr std::string_view kOf = "// of: ";
  const size_t line = source.find('\n') + 1, end = source.find('\n', line);
  if (end == std::string::npos || source.compare(line, kOf.size(), kOf) != 0) {
    return {"the second line must be `// of: PATH`\n", true};
  }
  std::ifstream program(source.substr(line + kOf.size(), end - line - kOf.size()));
  std::ostringstream text;
  text << program.rdbuf();
  return MapOf(file, text.str(), false);
}

}  // namespace golden
