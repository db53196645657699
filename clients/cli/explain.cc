// explain: everything that is derived from a program, or the page of an instruction.
#include <cstdio>

#include "clients/cli/instruction.h"
#include "clients/cli/member.h"
#include "clients/cli/next.h"
#include "clients/cli/terminal.h"

namespace clients::cli {
namespace {

using server::pipeline::Verdict;

}  // namespace

int Explain(const MemberOptions& options) {
  if (MeansInstruction(options.file)) return ExplainInstruction(options.file, options.json);
  server::pipeline::Options pipeline;
  pipeline.run_gates = false;
  pipeline.emit_cuda = false;
  absl::StatusOr<Loaded> loaded = Load(options, pipeline);
  if (!loaded.ok()) return Fail(loaded.status());
  const auto& member = loaded->member;
  if (member.verdict != Verdict::kPassed) return PrintRejected(*loaded, options);
  if (options.json) {
    std::printf("%s\n", compiler::facts::ExplainJson(*member.program, member.facts).c_str());
    return kFine;
  }
  std::fputs(compiler::facts::ExplainText(*member.program, member.facts).c_str(), stdout);
  PrintNext(Command("emit", options));
  return kFine;
}

}  // namespace clients::cli
